import t from 'tap';
import { Chain } from '../../src/chain/chain.js';
import { CHECKPOINT_ERRORS } from '../../src/chain/checkpoints.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { refused } from '../support/refused.js';
import { core, TestWorld } from '../support/world.js';

/** So many that nothing becomes irreversible and every branch may win. */
const MANY = { accounts: { alice: 1000n, bob: 0n }, witnesses: 27 };

/** Blocks up to this one, each with a transfer. */
function grown(last: number, missedBefore: Readonly<Record<number, number>> = {}): TestWorld {
  const w = new TestWorld(MANY);
  for (let number = 2; number <= last; number++) {
    w.push('transfer', { from: 'alice', to: 'bob', amount: core(1) });
    w.block(missedBefore[number] ?? 0);
  }
  return w;
}

const idOf = (w: TestWorld, number: number): string => w.chain.queries.blockIdOf(number) as string;
const blockOf = (w: TestWorld, number: number): SignedBlock => w.chain.queries.blockByNumber(number) as SignedBlock;

/** Of the same id, which covers the header alone; its transactions are not those that the header speaks of. */
function damaged(w: TestWorld, number: number): SignedBlock {
  const block = blockOf(w, number);
  return { ...block, transactions: block.transactions.map((one) => ({ ...one, signatures: [] })) };
}

const open = (w: TestWorld, ...checkpoints: readonly (readonly [number, string])[]): Chain =>
  new Chain({
    genesis: w.genesis,
    engine: testEngine(),
    blocks: new MemoryBlockStore(),
    saveBlocks: 1_000_000,
    checkpoints: new Map(checkpoints),
  });

t.test('before and at the last checkpoint nothing is checked, behind it everything is', async (t) => {
  const w = grown(6);
  const chain = open(w, [3, idOf(w, 3)], [5, idOf(w, 5)]);
  for (const number of [1, 2, 3, 4, 5]) chain.blocks.push({ block: damaged(w, number) });
  t.equal(chain.blocks.head.id, idOf(w, 5));
  refused(t, HEADER_ERRORS.block_merkle_root, () => chain.blocks.push({ block: damaged(w, 6) }));
  chain.blocks.push({ block: blockOf(w, 6) });
  const none = open(w);
  refused(t, HEADER_ERRORS.block_merkle_root, () => none.blocks.push({ block: damaged(w, 1) }));
});

t.test('a block that has the number of a checkpoint must have its id, whatever else is said of it', async (t) => {
  const w = grown(5);
  const other = grown(5, { 3: 1 });
  const [good, bad] = [blockOf(other, 3), blockOf(w, 3)];
  const data = { block_id: idOf(w, 3), checkpoint: idOf(other, 3) };
  // The first of several, and the last.
  for (const more of [[], [[5, idOf(other, 5)]]] as (readonly [number, string])[][]) {
    for (const keepsChecks of [false, true]) {
      const chain = open(w, [3, idOf(other, 3)], ...more);
      for (const number of [1, 2]) chain.blocks.push({ block: blockOf(w, number), keepsChecks });
      const hash = chain.snapshots.withHeadState(stateHash);
      refused(t, CHECKPOINT_ERRORS.block_not_checkpoint, () => chain.blocks.push({ block: bad, keepsChecks }), {
        data,
      });
      t.equal(chain.queries.isKnownBlock(idOf(w, 3)), false, 'it is forgotten');
      t.equal(chain.snapshots.withHeadState(stateHash), hash);
      chain.blocks.push({ block: good, keepsChecks });
      for (const number of [4, 5]) chain.blocks.push({ block: blockOf(other, number), keepsChecks });
      t.equal(chain.blocks.head.id, idOf(other, 5));
    }
  }
});

t.test('a longer branch does not get past a checkpoint of another one, and one that has it does', async (t) => {
  const w = grown(6);
  const other = grown(6, { 3: 1 });
  const push = (chain: Chain, from: TestWorld, ...numbers: number[]) =>
    numbers.map((number) => chain.blocks.push({ block: blockOf(from, number), keepsChecks: true }));
  const chain = open(w, [5, idOf(w, 5)]);
  push(chain, w, 1, 2, 3, 4);
  const hash = chain.snapshots.withHeadState(stateHash);
  const nowhere = { isApplied: false, hasSwitched: false };
  t.same(push(chain, other, 3, 4), [nowhere, nowhere], 'nothing is said of these');
  refused(t, CHECKPOINT_ERRORS.block_not_checkpoint, () => push(chain, other, 5));
  t.equal(chain.blocks.head.id, idOf(w, 4), 'the old branch stands again');
  t.equal(chain.snapshots.withHeadState(stateHash), hash);
  t.equal(chain.queries.isKnownBlock(idOf(other, 5)), false);
  t.equal(chain.queries.isKnownBlock(idOf(other, 4)), true);
  push(chain, w, 5, 6);
  t.equal(chain.blocks.head.id, idOf(w, 6));

  const mistaken = open(w, [5, idOf(other, 5)]);
  push(mistaken, w, 1, 2, 3, 4);
  push(mistaken, other, 3, 4);
  refused(t, CHECKPOINT_ERRORS.block_not_checkpoint, () => push(mistaken, w, 5));
  t.same(push(mistaken, other, 5), [{ isApplied: true, hasSwitched: true }]);
  t.equal(mistaken.blocks.head.id, idOf(other, 5));
});

t.test('a branch of one that lies on a checkpoint is only looked at when it leads', async (t) => {
  const w = grown(4);
  const other = grown(5, { 3: 1 });
  const chain = open(w, [3, idOf(w, 3)]);
  for (const number of [1, 2, 3, 4]) chain.blocks.push({ block: blockOf(w, number) });
  for (const number of [3, 4]) chain.blocks.push({ block: blockOf(other, number) });
  refused(t, CHECKPOINT_ERRORS.block_not_checkpoint, () => chain.blocks.push({ block: blockOf(other, 5) }));
  t.equal(chain.blocks.head.id, idOf(w, 4));
  for (const number of [3, 4, 5]) t.equal(chain.queries.isKnownBlock(idOf(other, number)), false, 'all of it is bad');
});

t.test('what a proposal asserts decides what it does, before the last checkpoint as well', async (t) => {
  const w = new TestWorld(MANY);
  const propose = (name: string, amount: number): void => {
    const predicates = [[0, { account_id: w.id('bob'), name }]];
    const claim = w.operation('assert', { fee_paying_account: 'alice', predicates, required_auths: [] });
    const pay = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(amount) });
    const proposed_ops = [claim, pay].map((op) => ({ op }));
    const times = { expiration_time: w.now + 600 };
    const proposal = w.create('proposal_create', { fee_paying_account: 'alice', proposed_ops, ...times });
    w.push('proposal_update', { fee_paying_account: 'alice', proposal, active_approvals_to_add: ['alice'] });
  };
  propose('carol', 10);
  propose('bob', 100);
  w.block();
  t.equal(w.balance('bob'), 100n, 'the one that is right about the name was executed');
  for (const at of [[], [[2, idOf(w, 2)] as const]]) {
    const chain = open(w, ...at);
    for (const number of [1, 2]) chain.blocks.push({ block: blockOf(w, number) });
    t.equal(chain.snapshots.withHeadState(stateHash), w.chain.snapshots.withHeadState(stateHash));
  }
});

t.test('missed slots do not count until the last checkpoint', async (t) => {
  const w = grown(5, { 3: 2, 4: 1, 5: 3 });
  const countAfter = (last: number, ...checkpoints: (readonly [number, string])[]): number => {
    const chain = open(w, ...checkpoints);
    for (let number = 1; number <= last; number++) chain.blocks.push({ block: blockOf(w, number) });
    return chain.queries.state.single(dynamicGlobalPropertyObject).recently_missed_count;
  };
  t.same([countAfter(3), countAfter(4), countAfter(5)], [8, 12, 24]);
  const at = [4, idOf(w, 4)] as const;
  t.same([countAfter(3, at), countAfter(4, at), countAfter(5, at)], [0, 0, 12]);
  t.equal(new BlockFacts(blockOf(w, 4)).id, idOf(w, 4));
});
