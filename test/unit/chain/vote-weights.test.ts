import t from 'tap';
import { callPrice } from '../../../src/chain/genesis-assets.js';
import { confirmedByMost, updateLastIrreversible } from '../../../src/chain/irreversibility.js';
import { authorityFromVotes } from '../../../src/chain/maintenance/vote-weights.js';
import { byVotes } from '../../../src/chain/maintenance/votes-order.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { BareWorld } from '../../support/bare-world.js';

t.test('votes become weights of 16 bits that keep their proportions', async (t) => {
  const authority = authorityFromVotes([
    [20, 123456789012n],
    [10, 100000000000n],
    [40, 99999n],
    [30, 5n],
  ]);
  t.same(authority, {
    weight_threshold: 53277,
    account_auths: [
      [10, 47683],
      [20, 58868],
      [30, 1],
      [40, 1],
    ],
    key_auths: [],
    address_auths: [],
  });
  t.equal(authorityFromVotes([[1, 0n]]), undefined, 'nobody has votes');
  t.equal(authorityFromVotes([]), undefined);
  t.same(
    authorityFromVotes([
      [1, 0n],
      [2, 3n],
    ])?.account_auths,
    [[2, 3]],
    'small votes stand as they are',
  );
});

t.test('equal votes go to the lower vote id, and no votes count as zero', async (t) => {
  const items = [5, 3, 9, 1].map((instance) => ({ vote_id: makeVoteId(1, instance) }));
  const tally = [0n, 0n, 0n, 7n, 0n, 7n];
  t.same(
    byVotes(items, tally).map(({ vote_id }) => vote_id >>> 8),
    [3, 5, 1, 9],
  );
});

t.test('a block is irreversible when 70 percent of the witnesses have built on it', async (t) => {
  const offsets: [number, number][] = [
    [1, 0],
    [3, 0],
    [5, 1],
    [10, 3],
    [11, 3],
    [21, 6],
    [35, 10],
    [101, 30],
  ];
  for (const [count, offset] of offsets) {
    const confirmed = Array.from({ length: count }, (_, i) => 1000 - i);
    t.equal(confirmedByMost(confirmed), 1000 - count + 1 + offset, `${count} witnesses`);
  }
});

t.test('what is irreversible stays so, whoever is active now', async (t) => {
  const w = new BareWorld();
  const { state } = w;
  w.create(witnessObject, { last_confirmed_block_num: 6 });
  state.modify(globalPropertyObject, state.single(globalPropertyObject), (o) => {
    o.active_witnesses = [0];
  });
  for (const [before, after] of [
    [5, 6],
    [7, 7],
  ] as const) {
    state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
      o.last_irreversible_block_num = before;
    });
    updateLastIrreversible(state);
    t.equal(state.single(dynamicGlobalPropertyObject).last_irreversible_block_num, after);
  }
});

t.test('call prices in lowest terms', async (t) => {
  t.same(callPrice(3_000_000n, 100_000n, 3), {
    base: { amount: 120n, asset_id: 0 },
    quote: { amount: 7n, asset_id: 3 },
  });
});
