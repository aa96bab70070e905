import { ASSET_CLAIM_FEES_ERRORS } from '../../../src/operations/asset/asset-claim-fees.js';
import { ASSET_CREATE_ERRORS } from '../../../src/operations/asset/asset-create.js';
import { ASSET_FUND_FEE_POOL_ERRORS } from '../../../src/operations/asset/asset-fund-fee-pool.js';
import { ASSET_ISSUE_ERRORS } from '../../../src/operations/asset/asset-issue.js';
import { ASSET_RESERVE_ERRORS } from '../../../src/operations/asset/asset-reserve.js';
import { ASSET_UPDATE_ERRORS } from '../../../src/operations/asset/asset-update.js';
import { ASSET_OPTION_ERRORS } from '../../../src/operations/asset/options.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const WORLD = { accounts: { alice: 10n ** 9n, bob: 10n ** 9n } };

const dataOf = (w: TestWorld, asset: number) =>
  w.state.get(assetDynamicDataObject, w.state.get(assetObject, asset).dynamic_asset_data_id);

const created = (w: TestWorld, symbol = 'THING', given: Parameters<typeof assetOptions>[0] = {}): number => {
  const asset = w.create('asset_create', {
    issuer: 'alice',
    symbol,
    precision: 3,
    common_options: assetOptions(given),
  });
  w.block();
  return asset;
};

/** Options of an asset that exists: the rate names it. */
const optionsOf = (asset: number, given: Parameters<typeof assetOptions>[0] = {}) =>
  assetOptions({ core_exchange_rate: { base: core(1), quote: makeAsset(1n, asset) }, ...given });

worldTest('asset_create (10)', WORLD, (t, w) => {
  const create = (more: object = {}, options: Parameters<typeof assetOptions>[0] = {}) => ({
    issuer: 'alice',
    symbol: 'FRESH',
    precision: 3,
    common_options: assetOptions(options),
    ...more,
  });
  const many = Array.from({ length: 11 }, (_, i) => i);
  const flags = ASSET_FLAG.white_list;
  const cases = [
    [ASSET_CREATE_ERRORS.asset_list_too_long, create({ symbol: 'OTHER' }, { flags, whitelist_authorities: many })],
    [ASSET_CREATE_ERRORS.asset_list_too_long, create({ symbol: 'OTHER' }, { flags, blacklist_authorities: many })],
    [TABLE_ERRORS.object_missing, create({ symbol: 'OTHER' }, { flags, whitelist_authorities: [9_999] })],
    [ASSET_CREATE_ERRORS.asset_symbol_legacy, create({ symbol: 'GXS' })],
    [ASSET_CREATE_ERRORS.asset_symbol_taken, create()],
    [ASSET_CREATE_ERRORS.asset_symbol_invalid, create({ symbol: 'no' })],
    [ASSET_CREATE_ERRORS.asset_prefix_unknown, create({ symbol: 'NOTHERE.SUB' })],
    [ASSET_CREATE_ERRORS.asset_prefix_of_other, create({ symbol: 'FRESH.SUB', issuer: 'bob' })],
    [
      ASSET_CREATE_ERRORS.asset_rate_placeholder,
      create({ symbol: 'OTHER' }, { core_exchange_rate: { base: core(1), quote: makeAsset(1n, 3) } }),
    ],
    [ASSET_CREATE_ERRORS.asset_precision, create({ symbol: 'OTHER', precision: 13 })],
    [ASSET_OPTION_ERRORS.asset_max_supply, create({ symbol: 'OTHER' }, { max_supply: 0n })],
    [ASSET_OPTION_ERRORS.asset_flags, create({ symbol: 'OTHER' }, { flags: 0x8000 })],
  ] as const;
  w.refuse(t, ASSET_CREATE_ERRORS.asset_prefix_unknown, 'asset_create', create({ symbol: 'FRESH.SUB' }));
  const asset = w.create(
    'asset_create',
    create({}, { core_exchange_rate: { base: makeAsset(2n, 2), quote: core(3) } }),
  );
  w.block();
  t.match(w.state.get(assetObject, asset), { symbol: 'FRESH', precision: 3, issuer: w.id('alice') });
  t.same(w.state.get(assetObject, asset).options.core_exchange_rate, { base: makeAsset(2n, asset), quote: core(3) });
  t.match(dataOf(w, asset), { current_supply: 0n, fee_pool: 0n, accumulated_fees: 0n });
  for (const [row, given] of cases) w.refuse(t, row, 'asset_create', given);
  w.create('asset_create', create({ symbol: 'FRESH.SUB' }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('asset_create', create({ symbol: 'OTHER' }), ['bob']));
});

worldTest(
  'asset_create (10) fills the pool with half of the fee',
  { accounts: { alice: 10n ** 12n }, fees: true },
  (t, w) => {
    const before = w.balance('alice');
    const asset = created(w, 'LONGSYMBOL');
    const paid = before - w.balance('alice');
    t.ok(paid > 0n);
    t.equal(dataOf(w, asset).fee_pool, paid / 2n);
  },
);

worldTest('asset_update (11)', WORLD, (t, w) => {
  const asset = created(w);
  const update = (more: object = {}, options: Parameters<typeof assetOptions>[0] = {}) => ({
    issuer: 'alice',
    asset_to_update: asset,
    new_options: optionsOf(asset, options),
    ...more,
  });
  const other = makeAsset(1n, 0);
  const cases = [
    [TABLE_ERRORS.object_missing, update({ asset_to_update: 99 })],
    [ASSET_UPDATE_ERRORS.asset_update_market_issued_bits, update({}, { issuer_permissions: 0x10 })],
    [ASSET_UPDATE_ERRORS.asset_update_market_issued_bits, update({}, { issuer_permissions: 0x20 })],
    [
      ASSET_UPDATE_ERRORS.asset_update_rate_without_core,
      update({}, { core_exchange_rate: { base: other, quote: makeAsset(1n, asset) } }),
    ],
    [TABLE_ERRORS.object_missing, update({ new_issuer: 9_999 })],
    [ASSET_UPDATE_ERRORS.asset_update_same_issuer, update({ new_issuer: 'alice' })],
    [ASSET_UPDATE_ERRORS.asset_update_not_issuer, update({ issuer: 'bob' })],
  ] as const;
  for (const [row, given] of cases) w.refuse(t, row, 'asset_update', given);
  const foreign = update({}, { core_exchange_rate: { base: core(1), quote: other } });
  t.throws(() => w.push('asset_update', foreign), /invalid asset \* price/, 'the rate is about another asset');
  w.push('asset_update', update({}, { issuer_permissions: 0x4f, flags: ASSET_FLAG.white_list }));
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(1n, asset), issue_to_account: 'alice' });
  w.block();
  t.equal(w.state.get(assetObject, asset).options.flags, ASSET_FLAG.white_list);
  // Somebody holds it now: permissions only shrink, flags change only where permitted.
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_permissions, 'asset_update', update({}, { issuer_permissions: 0xcf }));
  w.push('asset_update', update({}, { issuer_permissions: 0, flags: ASSET_FLAG.white_list }));
  w.block();
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_flags, 'asset_update', update({}, { issuer_permissions: 0, flags: 0 }));
  w.push('asset_update', update({ new_issuer: 'bob' }, { issuer_permissions: 0, flags: ASSET_FLAG.white_list }));
  w.block();
  t.equal(w.state.get(assetObject, asset).issuer, w.id('bob'));
});

worldTest('asset_issue (14) and asset_reserve (15)', WORLD, (t, w) => {
  const asset = created(w, 'THING', { max_supply: 100n });
  const issue = (amount: bigint, more: object = {}) => ({
    issuer: 'alice',
    asset_to_issue: makeAsset(amount, asset),
    issue_to_account: 'bob',
    ...more,
  });
  w.refuse(t, ASSET_ISSUE_ERRORS.issue_not_issuer, 'asset_issue', issue(1n, { issuer: 'bob' }));
  w.refuse(t, ASSET_ISSUE_ERRORS.issue_above_max_supply, 'asset_issue', issue(101n));
  w.refuse(t, ASSET_ISSUE_ERRORS.issue_amount_not_positive, 'asset_issue', issue(0n));
  w.refuse(t, TABLE_ERRORS.object_missing, 'asset_issue', issue(1n, { issue_to_account: 9_999 }));
  w.refuse(t, TABLE_ERRORS.object_missing, 'asset_issue', issue(1n, { asset_to_issue: makeAsset(1n, 99) }));
  w.push('asset_issue', issue(60n));
  w.push('asset_issue', issue(40n));
  w.block();
  t.equal(w.balance('bob', asset), 100n);
  t.equal(dataOf(w, asset).current_supply, 100n);
  w.refuse(t, ASSET_ISSUE_ERRORS.issue_above_max_supply, 'asset_issue', issue(1n));

  const reserve = (amount: bigint, more: object = {}) => ({
    payer: 'bob',
    amount_to_reserve: makeAsset(amount, asset),
    ...more,
  });
  w.refuse(t, ASSET_RESERVE_ERRORS.reserve_above_supply, 'asset_reserve', reserve(101n));
  w.refuse(t, ASSET_RESERVE_ERRORS.reserve_amount_not_positive, 'asset_reserve', reserve(0n));
  w.refuse(t, BALANCE_ERRORS.balance_missing, 'asset_reserve', reserve(1n, { payer: 'alice' }));
  w.refuse(t, TABLE_ERRORS.object_missing, 'asset_reserve', reserve(1n, { amount_to_reserve: makeAsset(1n, 99) }));
  w.push('asset_reserve', reserve(30n));
  w.block();
  t.equal(w.balance('bob', asset), 70n);
  t.equal(dataOf(w, asset).current_supply, 70n);

  // Those who are not on the list can neither get nor burn it.
  const flags = ASSET_FLAG.white_list;
  const new_options = optionsOf(asset, { max_supply: 100n, flags, whitelist_authorities: [w.id('alice')] });
  w.push('asset_update', { issuer: 'alice', asset_to_update: asset, new_options });
  w.refuse(t, ASSET_ISSUE_ERRORS.issue_unauthorized, 'asset_issue', issue(1n));
  w.refuse(t, ASSET_RESERVE_ERRORS.reserve_unauthorized, 'asset_reserve', reserve(1n));
  w.block();
});

worldTest(
  'asset_fund_fee_pool (16): fees in an asset are paid from its pool',
  { ...WORLD, fees: true, accounts: { alice: 10n ** 12n, bob: 10n ** 12n } },
  (t, w) => {
    const asset = created(w, 'LONGSYMBOL');
    w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(10_000_000n, asset), issue_to_account: 'bob' });
    const pool = dataOf(w, asset).fee_pool;
    const fund = (amount: bigint, more: object = {}) => ({ from_account: 'bob', asset_id: asset, amount, ...more });
    w.refuse(t, ASSET_FUND_FEE_POOL_ERRORS.pool_amount_not_positive, 'asset_fund_fee_pool', fund(0n));
    w.refuse(t, TABLE_ERRORS.object_missing, 'asset_fund_fee_pool', fund(1n, { asset_id: 99 }));
    w.push('asset_fund_fee_pool', fund(500n));
    w.block();
    t.equal(dataOf(w, asset).fee_pool, pool + 500n);

    w.push('transfer', { from: 'bob', to: 'alice', amount: core(1), fee: makeAsset(100_000n, asset) });
    w.block();
    t.equal(dataOf(w, asset).fee_pool, pool + 500n - 100_000n);
    t.equal(dataOf(w, asset).accumulated_fees, 100_000n);
    t.equal(w.balance('bob', asset), 10_000_000n - 100_000n);

    const claim = (amount: bigint, more: object = {}) => ({
      issuer: 'alice',
      amount_to_claim: makeAsset(amount, asset),
      ...more,
    });
    w.refuse(t, ASSET_CLAIM_FEES_ERRORS.claim_not_issuer, 'asset_claim_fees', claim(1n, { issuer: 'bob' }));
    w.refuse(t, ASSET_CLAIM_FEES_ERRORS.claim_above_accumulated, 'asset_claim_fees', claim(100_001n));
    w.refuse(t, ASSET_CLAIM_FEES_ERRORS.claim_amount_not_positive, 'asset_claim_fees', claim(0n));
    w.push('asset_claim_fees', claim(60_000n));
    w.block();
    t.equal(dataOf(w, asset).accumulated_fees, 40_000n);
    t.equal(w.balance('alice', asset), 60_000n);
  },
);
