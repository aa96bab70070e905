import t from 'tap';
import '../../../src/operations/index.js';
import { Chain } from '../../../src/chain/chain.js';
import { GENESIS_STATE_ERRORS, GENESIS_SUPPLY_ERRORS } from '../../../src/chain/genesis.js';
import { callPrice } from '../../../src/chain/genesis-assets.js';
import { checkGenesis, GENESIS_ERRORS, readGenesis } from '../../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../../src/chain/memory-block-store.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { sha256Hex } from '../../../src/crypto/hash.js';
import { publicKeyToText } from '../../../src/crypto/public-key.js';
import type { Price } from '../../../src/protocol/asset.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { balanceObject } from '../../../src/state/objects/balance.js';
import { blockSummaryObject } from '../../../src/state/objects/block-summary.js';
import { fbaAccumulatorObject } from '../../../src/state/objects/fba-accumulator.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { witnessScheduleObject } from '../../../src/state/objects/witness-schedule.js';
import { balanceOf } from '../../../src/state/rules/balances.js';
import { testEngine } from '../../support/engine.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { accountKey } from '../../support/world-genesis.js';

const bytesOf = (json: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(json));
const key = publicKeyToText(accountKey('somebody').publicKey, NETWORK.keyPrefix);
const ADDRESS = 'GXCLmgn91gUREYn5Ns3SqAnquu9sXDie4jMF';
const good: JsonObject = {
  initial_timestamp: '2017-09-29T00:00:00',
  initial_parameters: { current_fees: { parameters: [[5, {}]] } },
  initial_accounts: [{ name: 'somebody', owner_key: key, is_lifetime_member: true }],
  initial_assets: [{ symbol: 'TOKEN', issuer_name: 'somebody', max_supply: 1000 }],
  initial_balances: [],
  initial_active_witnesses: 1,
  initial_witness_candidates: [{ owner_name: 'somebody', block_signing_key: key }],
  immutable_parameters: { min_committee_member_count: 1, min_witness_count: 1 },
};

t.test('the chain id is the hash of the bytes, whatever the file says of itself', async (t) => {
  const bytes = bytesOf({ ...good, initial_chain_id: 'ff'.repeat(32) });
  t.equal(readGenesis(bytes).chainId, sha256Hex(bytes));
  t.not(
    readGenesis(bytesOf({ ...good, initial_timestamp: '2017-09-29T00:00:05' })).chainId,
    readGenesis(bytes).chainId,
  );
  const changed = readGenesis(bytes, { timestamp: 1_500_000_000 });
  t.equal(changed.file.initial_timestamp, 1_500_000_000);
  t.equal(changed.chainId, sha256Hex(new Uint8Array([...bytes, ...new TextEncoder().encode('BOGUS')])));
  const initKey = accountKey('another').publicKey;
  t.equal(readGenesis(bytes, { initKey }).file.initial_witness_candidates[0]?.block_signing_key, initKey);
});

t.test('nonsense is refused by the name of its field', async (t) => {
  const cases: [field: string, change: JsonObject][] = [
    ['initial_timestamp', { initial_timestamp: '1970-01-01T00:00:00' }],
    ['initial_timestamp', { initial_timestamp: '2017-09-29T00:00:01' }],
    ['max_core_supply', { max_core_supply: -1 }],
    [
      'initial_parameters.block_interval',
      { initial_parameters: { block_interval: 0, current_fees: { parameters: [[5, {}]] } } },
    ],
    ['initial_parameters.current_fees', { initial_parameters: {} }],
    ['initial_parameters.maintenance_interval', { initial_parameters: { maintenance_interval: 0 } }],
    ['initial_parameters.accounts_per_fee_scale', { initial_parameters: { accounts_per_fee_scale: 0 } }],
    ['immutable_parameters.min_witness_count', { immutable_parameters: { min_witness_count: 2 } }],
    [
      'immutable_parameters.min_committee_member_count',
      { immutable_parameters: { min_witness_count: 1, min_committee_member_count: 2 } },
    ],
    ['initial_witness_candidates', { initial_witness_candidates: [] }],
    ['initial_active_witnesses', { initial_active_witnesses: 0 }],
    ['initial_active_witnesses', { initial_active_witnesses: 2 }],
    ['initial_accounts[0].name', { initial_accounts: [{ name: 'null-account', owner_key: key }] }],
    ['initial_assets[0].symbol', { initial_assets: [{ symbol: 'GXC', issuer_name: 'somebody' }] }],
    ['initial_assets[0].issuer_name', { initial_assets: [{ symbol: 'TOKEN', issuer_name: 'nobody' }] }],
    [
      'initial_witness_candidates[0].owner_name',
      { initial_witness_candidates: [{ owner_name: 'nobody', block_signing_key: key }] },
    ],
    ['initial_committee_candidates[0].owner_name', { initial_committee_candidates: [{ owner_name: 'nobody' }] }],
    [
      'initial_committee_candidates[1].owner_name',
      { initial_committee_candidates: [{ owner_name: 'somebody' }, { owner_name: 'somebody' }] },
    ],
    ['initial_balances[0].asset_symbol', { initial_balances: [{ owner: ADDRESS, asset_symbol: 'NONE', amount: 1 }] }],
  ];
  for (const [field, change] of cases) {
    const source = readGenesis(bytesOf({ ...good, ...change }));
    refused(t, GENESIS_ERRORS.genesis_field, () => checkGenesis(source), { data: { field } });
  }
  checkGenesis(readGenesis(bytesOf(good)));
});

t.test('amounts that do not go together', async (t) => {
  const open = (json: JsonObject) =>
    new Chain({ genesis: readGenesis(bytesOf(json)), engine: testEngine(), blocks: new MemoryBlockStore() });
  const owning = (amount: number) => ({
    ...good,
    initial_balances: [{ owner: ADDRESS, asset_symbol: 'TOKEN', amount }],
  });
  const above = open(owning(1001)).queries.state;
  const { options, dynamic_asset_data_id } = above.get(assetObject, 1);
  const { current_supply } = above.get(assetDynamicDataObject, dynamic_asset_data_id);
  t.same([options.max_supply, current_supply], [1000n, 1001n], 'more than max_supply may be in circulation');
  const owing = (debt: number) => ({
    ...owning(300),
    initial_assets: [
      {
        symbol: 'TOKEN',
        issuer_name: 'somebody',
        max_supply: 1000,
        is_bitasset: true,
        collateral_records: [{ owner: ADDRESS, collateral: 5000, debt }],
      },
    ],
  });
  const borrowed = open(owing(300)).queries.state;
  const borrower = borrowed.findBy(accountObject.by.name, 'token-collateral-holder-0')?.statistics as number;
  t.equal(borrowed.get(accountStatisticsObject, borrower).total_core_in_orders, 5000n, 'the collateral is in an order');
  refused(t, GENESIS_SUPPLY_ERRORS.genesis_debt, () => open(owing(299)), {
    data: { symbol: 'TOKEN', supply: 300n, debt: 299n },
  });
  const uncovered = (given: JsonObject) => ({
    ...good,
    initial_assets: [{ symbol: 'TOKEN', issuer_name: 'somebody', max_supply: 1000, is_bitasset: true }],
    ...given,
  });
  open(uncovered({}));
  const held = [{ owner: ADDRESS, asset_symbol: 'TOKEN', amount: 7 }];
  refused(t, GENESIS_SUPPLY_ERRORS.genesis_debt, () => open(uncovered({ initial_balances: held })), {
    data: { symbol: 'TOKEN', supply: 7n, debt: 0n },
  });
  const [bitasset] = uncovered({}).initial_assets;
  const earned = [{ ...bitasset, accumulated_fees: 5 }];
  refused(t, GENESIS_SUPPLY_ERRORS.genesis_debt, () => open(uncovered({ initial_assets: earned })), {
    data: { symbol: 'TOKEN', supply: 5n, debt: 0n },
  });
});

t.test('the price at which collateral would be called', async (t) => {
  const sides = ({ base, quote }: Price) => [base.amount, quote.amount];
  t.same(sides(callPrice(5000n, 300n, 1)), [200n, 21n], 'in lowest terms');
  t.same(
    sides(callPrice(90_000_000_000_000_001n, 30_000_000_000_000_011n, 1)),
    [60_000_000_000_000_001n, 35_000_000_000_000_013n],
    'one that is too large is halved upwards and in lowest terms again',
  );
  t.same(sides(callPrice(25_000_000_000_000_000n, 1n, 1)), [10n ** 17n, 7n], 'the largest amount is not too large');
  t.same(sides(callPrice(90_000_000_000_000_001n, 1n, 1)), [90_000_000_000_000_002n, 3n], 'its upper part alone');
  t.same(sides(callPrice(1n, 90_000_000_000_000_001n, 1)), [1n, 39_375_000_000_000_001n], 'its lower part alone');
});

t.test('the largest supply of the first asset is what the file says, and what there is of it is not', async (t) => {
  // A balance of nothing is none, and the first one that is there takes everything from the committee.
  for (const [amount, supply, kept] of [
    [0, 10n ** 17n, 10n ** 17n],
    [7, 7n, 0n],
  ] as const) {
    const initial_balances = [{ owner: ADDRESS, asset_symbol: 'GXC', amount }];
    const genesis = readGenesis(bytesOf({ ...good, max_core_supply: 5000, initial_balances }));
    const { state } = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() }).queries;
    t.equal(state.get(assetObject, 0).options.max_supply, 5000n);
    t.same([state.get(assetDynamicDataObject, 0).current_supply, balanceOf(state, 0, 0)], [supply, kept]);
  }
});

t.test('a balance of the file that vests does so from its first second on', async (t) => {
  const terms = { begin_timestamp: '2018-01-01T00:00:00', vesting_duration_seconds: 60, begin_balance: 90 };
  const initial_vesting_balances = [{ owner: ADDRESS, asset_symbol: 'TOKEN', amount: 70, ...terms }];
  const genesis = readGenesis(bytesOf({ ...good, initial_vesting_balances }));
  const { state } = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() }).queries;
  const [found] = state.all(balanceObject);
  t.same(found?.vesting_policy, {
    begin_timestamp: 1_514_764_800,
    vesting_cliff_seconds: 0,
    vesting_duration_seconds: 60,
    begin_balance: 90n,
  });
  t.same([found?.balance, found?.last_claim_date], [{ amount: 70n, asset_id: 1 }, 0]);
});

t.test('who has no active key in the file acts and reads with that of the owner', async (t) => {
  const another = accountKey('another').publicKey;
  const active_key = publicKeyToText(another, NETWORK.keyPrefix);
  const [somebody] = good.initial_accounts as [JsonObject];
  const genesis = readGenesis(
    bytesOf({ ...good, initial_accounts: [somebody, { ...somebody, name: 'other', active_key }] }),
  );
  const { state } = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() }).queries;
  const owner = accountKey('somebody').publicKey;
  for (const [name, active] of [
    ['somebody', owner],
    ['other', another],
  ] as const) {
    const account = state.findBy(accountObject.by.name, name);
    const keys = [account?.owner, account?.active].map((authority) => authority?.key_auths);
    t.same([...keys, account?.options.memo_key], [[[owner, 1]], [[active, 1]], active], name);
  }
});

t.test('ids that are kept free for special accounts and assets', async (t) => {
  const [num_special_accounts, num_special_assets] = [8, 3];
  const immutable_parameters = {
    ...(good.immutable_parameters as JsonObject),
    num_special_accounts,
    num_special_assets,
  };
  const genesis = readGenesis(bytesOf({ ...good, immutable_parameters }));
  const { state } = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() }).queries;
  const owners = [...state.all(accountStatisticsObject)].map(({ id, owner }) => [id, owner]);
  t.same(
    owners.slice(-4),
    [5, 6, 7, 8].map((id) => [id, id]),
    'statistics of accounts that are gone stay',
  );
  t.same([...state.all(accountObject)].at(-1)?.name, 'somebody');
  t.same(
    [6, 7, 8].map((id) => state.find(accountObject, id)?.name),
    [undefined, undefined, 'somebody'],
  );
  t.same(
    [0, 1, 2, 3].map((id) => state.find(assetObject, id)?.symbol),
    ['GXC', undefined, undefined, 'TOKEN'],
  );
  t.same(
    [...state.all(assetDynamicDataObject)].map(({ id, current_supply }) => [id, current_supply]),
    [[0, 10n ** 17n], ...[1, 2, 3].map((id) => [id, 0n])],
    'and so does what belongs to the assets',
  );
  t.equal(state.get(assetObject, 3).dynamic_asset_data_id, 3);
  t.equal(state.count(blockSummaryObject), 65_536, 'one for every number that a transaction can refer to');
  t.same(
    [...state.all(fbaAccumulatorObject)].map((o) => [o.id, o.accumulated_fba_fees, o.designated_asset]),
    [0, 1, 2].map((id) => [id, 0n, 743]),
    'one for each confidential operation',
  );
  t.same(state.single(globalPropertyObject).active_witnesses, [1], 'they confirm the first block');
  t.same(state.single(witnessScheduleObject).current_shuffled_witnesses, [1]);
});

t.test('a chain that begins after the core asset has changed', async (t) => {
  const open = (json: JsonObject) =>
    new Chain({ genesis: readGenesis(bytesOf(json)), engine: testEngine(), blocks: new MemoryBlockStore() });
  const after = { ...good, network: { forks: 'all_active' } };
  const chain = open(after);
  const { core_exchange_rate } = chain.queries.state.get(assetObject, 0).options;
  t.same([core_exchange_rate.base.asset_id, core_exchange_rate.quote.asset_id], [0, 1], '1.3.0 can be converted');
  t.equal(chain.queries.state.coreAsset, 1);
  refused(t, GENESIS_STATE_ERRORS.genesis_core_asset_missing, () => open({ ...after, initial_assets: [] }));
  const before = open(good);
  t.equal(before.queries.state.get(assetObject, 0).options.core_exchange_rate.quote.asset_id, 0, 'as in the reference');
});
