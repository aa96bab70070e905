import t from 'tap';
import { ALL_FORKS_ACTIVE, FORKS, type Fork, type ForkTimes, MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { ChainState } from '../../../src/state/chain-state.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountBalanceObject, balanceKey } from '../../../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { callOrderObject } from '../../../src/state/objects/call-order.js';
import { chainPropertyObject } from '../../../src/state/objects/chain-property.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { forceSettlementObject } from '../../../src/state/objects/force-settlement.js';
import { limitOrderObject } from '../../../src/state/objects/limit-order.js';
import { transactionObject } from '../../../src/state/objects/transaction.js';
import { vestingBalanceObject } from '../../../src/state/objects/vesting-balance.js';
import { stateHash, typeDigests } from '../../../src/state/state-hash.js';
import { NETWORK } from '../../support/network.js';
import { supplyDifference, supplySnapshot, supplyViolations } from '../../support/supply.js';

const SUPPLY = 1_000n;

/** Two assets, two accounts, and everything of asset 0 in the hands of account 0. */
function smallState(forks: ForkTimes = ALL_FORKS_ACTIVE): ChainState {
  const s = new ChainState({ ...NETWORK, forks });
  s.create(dynamicGlobalPropertyObject, { ...dynamicGlobalPropertyObject.schema.default(), head_block_number: 5 });
  s.create(chainPropertyObject, { ...chainPropertyObject.schema.default(), chain_id: '12'.repeat(32) });
  for (const [instance, name] of ['alice', 'bob'].entries()) {
    s.create(accountObject, { ...accountObject.schema.default(), name, statistics: instance });
    s.create(accountStatisticsObject, { ...accountStatisticsObject.schema.default(), owner: instance });
  }
  for (const [instance, symbol] of ['OLD', 'NEW'].entries()) {
    const current_supply = instance === 0 ? SUPPLY : 0n;
    s.create(assetDynamicDataObject, { ...assetDynamicDataObject.schema.default(), current_supply });
    s.create(assetObject, { ...assetObject.schema.default(), symbol, dynamic_asset_data_id: instance });
  }
  s.create(accountBalanceObject, { owner: 0, asset_type: 0, balance: SUPPLY });
  return s;
}

function setTime(s: ChainState, time: number): void {
  s.modify(dynamicGlobalPropertyObject, s.single(dynamicGlobalPropertyObject), (o) => {
    o.time = time;
  });
}

function remember(s: ChainState, trx_id: string, expiration = 9): void {
  const body = { ref_block_num: 0, ref_block_prefix: 0, operations: [], extensions: [], signatures: [] };
  s.create(transactionObject, { trx: { ...body, expiration }, trx_id });
}

t.test('head, chain id and forks follow the state', async (t) => {
  const empty = new ChainState({ ...NETWORK, forks: MAINNET_FORKS });
  t.equal(empty.headTime, 0);
  t.equal(empty.headNumber, 0);
  const s = smallState(MAINNET_FORKS);
  t.equal(s.headNumber, 5);
  t.equal(s.chainId, '12'.repeat(32));
  t.equal(s.active('HF_1008'), false);
  t.equal(s.coreAsset, 0);
  s.openFrame();
  setTime(s, MAINNET_FORKS.HF_1008);
  t.equal(s.active('HF_1008'), false, 'only after the moment');
  t.equal(s.active('HF_1001'), true);
  setTime(s, MAINNET_FORKS.HF_1008 + 1);
  t.equal(s.active('HF_1008'), true);
  t.equal(s.coreAsset, 1);
  s.undoFrame();
  t.equal(s.active('HF_1008'), false, 'an undo takes the fork back');
  t.equal(smallState().active('HF_1029'), true);
});

t.test('balance keys of all owners and assets differ', async (t) => {
  const ids = [0, 1, 2, 2 ** 21 - 1, 2 ** 21, 2 ** 32 - 1, 2 ** 32, 2 ** 47];
  const keys = new Set(ids.flatMap((owner) => ids.map((asset) => balanceKey(owner, asset))));
  t.equal(keys.size, ids.length ** 2);
});

t.test('the state hash sees every consensus field, counter and object', async (t) => {
  const s = smallState();
  const hash = stateHash(s);
  t.match(hash, /^[0-9a-f]{64}$/);
  t.equal(stateHash(smallState()), hash, 'a function of the state');
  const changes: Record<string, () => void> = {
    field: () =>
      s.modify(accountBalanceObject, s.get(accountBalanceObject, 0), (o) => {
        o.balance -= 1n;
      }),
    'created object': () => s.create(accountBalanceObject, { owner: 1, asset_type: 0, balance: 0n }),
    'removed object': () => s.remove(accountBalanceObject, s.get(accountBalanceObject, 0)),
    'counter alone': () =>
      s.remove(assetObject, s.create(assetObject, { ...assetObject.schema.default(), symbol: 'X' })),
    'remembered transaction': () => remember(s, 'ab'.repeat(20)),
  };
  const before = typeDigests(s);
  for (const [what, change] of Object.entries(changes)) {
    s.openFrame();
    change();
    t.not(stateHash(s), hash, what);
    const differing = typeDigests(s).filter(({ digest }, i) => digest !== before[i]?.digest);
    t.equal(differing.length, 1, `${what}: only its type differs`);
    s.undoFrame();
    t.equal(stateHash(s), hash, `${what}: undone`);
  }
});

t.test('the state hash does not see what the protocol leaves to the node', async (t) => {
  const s = smallState();
  const hash = stateHash(s);
  s.modify(accountStatisticsObject, s.get(accountStatisticsObject, 0), (o) => {
    o.most_recent_op = 5;
    o.total_ops = 6;
    o.removed_ops = 7;
  });
  const dynamic = s.single(dynamicGlobalPropertyObject);
  s.modify(dynamicGlobalPropertyObject, dynamic, (o) => {
    o.recently_missed_count = 5;
  });
  t.equal(stateHash(s), hash);
  s.modify(accountStatisticsObject, s.get(accountStatisticsObject, 0), (o) => {
    o.lifetime_fees_paid = 1n;
  });
  t.not(stateHash(s), hash);
});

t.test('remembered transactions count by content, not by the order of their arrival', async (t) => {
  const [a, b] = [smallState(), smallState()];
  const ids = ['11', '22', '33'].map((byte) => byte.repeat(20));
  for (const id of ids) remember(a, id);
  remember(b, 'ff'.repeat(20));
  b.remove(transactionObject, b.get(transactionObject, 0));
  for (const id of [...ids].reverse()) remember(b, id);
  t.equal(stateHash(a), stateHash(b));
  remember(a, '44'.repeat(20), 9);
  remember(b, '44'.repeat(20), 10);
  t.not(stateHash(a), stateHash(b), 'the expiration counts');
});

t.test('amounts in all places add up to the supply', async (t) => {
  const s = smallState(MAINNET_FORKS);
  const before = supplySnapshot(s);
  t.equal(supplyDifference(before, 0), 0n);
  const row = s.get(accountBalanceObject, 0);
  s.modify(accountBalanceObject, row, (o) => {
    o.balance -= 60n;
  });
  s.modify(accountStatisticsObject, s.get(accountStatisticsObject, 0), (o) => {
    o.pending_fees += 10n;
    o.pending_vested_fees += 10n;
  });
  s.modify(assetDynamicDataObject, s.get(assetDynamicDataObject, 1), (o) => {
    o.fee_pool += 10n;
  });
  s.modify(dynamicGlobalPropertyObject, s.single(dynamicGlobalPropertyObject), (o) => {
    o.witness_budget += 20n;
  });
  const policy: [0, ReturnType<typeof linear>] = [0, linear()];
  s.create(vestingBalanceObject, { owner: 1, balance: { amount: 10n, asset_id: 0 }, policy });
  const after = supplySnapshot(s);
  t.same(supplyViolations(before, after), []);
  t.equal(after.assets.get(0)?.places.get('fee pools'), 10n);

  s.modify(accountBalanceObject, row, (o) => {
    o.balance += 1n;
  });
  t.same(supplyViolations(after, supplySnapshot(s)), ['1.3.0: amounts and supply drifted apart by 1']);
  t.same(supplyViolations(after, supplySnapshot(s), new Map([[0, 1n]])), []);
  s.create(accountBalanceObject, { owner: 0, asset_type: 77, balance: 3n });
  t.same(supplyViolations(after, supplySnapshot(s), new Map([[0, 1n]])), [
    '1.3.77: amounts and supply drifted apart by 3',
  ]);
});

t.test('amounts that wait in the market count', async (t) => {
  const s = smallState(MAINNET_FORKS);
  const rate = { base: { amount: 1n, asset_id: 0 }, quote: { amount: 1n, asset_id: 1 } };
  const orders = (): bigint | undefined => supplySnapshot(s).assets.get(0)?.places.get('orders');
  s.create(callOrderObject, { ...callOrderObject.schema.default(), call_price: rate, collateral: 5n });
  t.equal(orders(), 5n, 'collateral');
  s.create(limitOrderObject, { ...limitOrderObject.schema.default(), sell_price: rate, for_sale: 7n });
  t.equal(orders(), 12n, 'what is for sale');
  const balance = { amount: 11n, asset_id: 0 };
  s.create(forceSettlementObject, { ...forceSettlementObject.schema.default(), balance });
  t.equal(orders(), 23n, 'what is to be settled');
});

t.test('at the change of the core asset pools move over, and nothing else may', async (t) => {
  const s = smallState(MAINNET_FORKS);
  setTime(s, MAINNET_FORKS.HF_1008);
  s.modify(accountBalanceObject, s.get(accountBalanceObject, 0), (o) => {
    o.balance -= 30n;
  });
  s.modify(assetDynamicDataObject, s.get(assetDynamicDataObject, 0), (o) => {
    o.fee_pool += 30n;
  });
  const before = supplySnapshot(s);
  setTime(s, MAINNET_FORKS.HF_1008 + 1);
  const after = supplySnapshot(s);
  t.equal(supplyDifference(after, 0), -30n);
  t.equal(supplyDifference(after, 1), 30n);
  t.same(supplyViolations(before, after), []);
  s.modify(accountBalanceObject, s.get(accountBalanceObject, 0), (o) => {
    o.balance -= 2n;
  });
  t.same(supplyViolations(before, supplySnapshot(s)), [
    'core assets: amounts and supply drifted apart by -2 at their change',
  ]);
});

function linear() {
  return { begin_timestamp: 0, vesting_cliff_seconds: 0, vesting_duration_seconds: 1, begin_balance: 10n };
}

t.test('every fork begins in its second or right behind it, whichever way the time goes', async (t) => {
  const s = smallState(MAINNET_FORKS);
  const forks = Object.keys(FORKS) as Fork[];
  const times = [...new Set(forks.flatMap((fork) => [-1, 0, 1].map((by) => MAINNET_FORKS[fork] + by)))].sort(
    (a, b) => a - b,
  );
  for (const time of [...times, ...times.toReversed(), times.at(-1) ?? 0, times[0] ?? 0]) {
    setTime(s, time);
    const wrong = forks.filter((fork) => {
      const begins = MAINNET_FORKS[fork];
      return s.active(fork) !== (FORKS[fork].when === 'from' ? time >= begins : time > begins);
    });
    t.same(wrong, [], `at ${time}`);
  }
});
