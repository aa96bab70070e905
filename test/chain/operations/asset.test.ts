import { ASSET_CLAIM_FEES_ERRORS } from '../../../src/operations/asset/asset-claim-fees.js';
import { ASSET_CREATE_ERRORS } from '../../../src/operations/asset/asset-create.js';
import { ASSET_FUND_FEE_POOL_ERRORS } from '../../../src/operations/asset/asset-fund-fee-pool.js';
import { ASSET_ISSUE_ERRORS } from '../../../src/operations/asset/asset-issue.js';
import { ASSET_RESERVE_ERRORS } from '../../../src/operations/asset/asset-reserve.js';
import { ASSET_UPDATE_ERRORS } from '../../../src/operations/asset/asset-update.js';
import { ASSET_OPTION_ERRORS } from '../../../src/operations/asset/options.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { holds } from '../../support/holds.js';
import { operationByName } from '../../support/operation-by-name.js';
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

const renamed = (symbol: string) => ({ extensions: [[8, { symbol }]] });

const operationDefault = (name: string) => operationByName(name)?.schema.default() as Record<string, unknown>;

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
    [ASSET_CREATE_ERRORS.asset_whitelist_too_long, create({ symbol: 'OTHER' }, { flags, whitelist_authorities: many })],
    [ASSET_CREATE_ERRORS.asset_blacklist_too_long, create({ symbol: 'OTHER' }, { flags, blacklist_authorities: many })],
    [TABLE_ERRORS.object_missing, create({ symbol: 'OTHER' }, { flags, whitelist_authorities: [9_999] })],
    [TABLE_ERRORS.object_missing, create({ symbol: 'OTHER' }, { flags, blacklist_authorities: [9_999] })],
    [
      ASSET_CREATE_ERRORS.asset_bitasset_ended,
      create({ symbol: 'OTHER', bitasset_opts: operationDefault('asset_update_bitasset').new_options }),
    ],
    [OPERATION_ERRORS.operation_fee_negative, create({ symbol: 'OTHER', fee: core(-1) })],
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
    [ASSET_OPTION_ERRORS.asset_max_supply_not_positive, create({ symbol: 'OTHER' }, { max_supply: 0n })],
  ] as const;
  w.refuse(t, ASSET_CREATE_ERRORS.asset_prefix_unknown, 'asset_create', create({ symbol: 'FRESH.SUB' }));
  const asset = w.create(
    'asset_create',
    create({}, { core_exchange_rate: { base: makeAsset(2n, 2), quote: core(3) } }),
  );
  w.block();
  holds(t, w.state.get(assetObject, asset), {
    symbol: 'FRESH',
    precision: 3,
    issuer: w.id('alice'),
    options: { ...assetOptions(), core_exchange_rate: { base: makeAsset(2n, asset), quote: core(3) } },
    bitasset_data_id: undefined,
    buyback_account: undefined,
  });
  holds(t, dataOf(w, asset), { current_supply: 0n, confidential_supply: 0n, fee_pool: 0n, accumulated_fees: 0n });
  // The place of the new asset may be on either side of the rate.
  const reverse = w.create('asset_create', create({ symbol: 'REVERSE' }));
  t.same(w.state.get(assetObject, reverse).options.core_exchange_rate, {
    base: core(1),
    quote: makeAsset(1n, reverse),
  });
  for (const [row, given] of cases) w.refuse(t, row, 'asset_create', given);
  w.create('asset_create', create({ symbol: 'FRESH.SUB' }));
  const flagged = w.create('asset_create', create({ symbol: 'FLAGGED' }, { flags: 0xfe00 }));
  t.equal(w.state.get(assetObject, flagged).options.flags, 0xfe00, 'quirk: flags without a meaning are kept');
  const kept = optionsOf(flagged, { flags: 0xfe00, description: 'changed' });
  w.push('asset_update', { issuer: 'alice', asset_to_update: flagged, new_options: kept });
  const dropped = { issuer: 'alice', asset_to_update: flagged, new_options: optionsOf(flagged, { flags: 0 }) };
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_flags, 'asset_update', dropped, 'no permission covers them');
  const deeper = create({ symbol: 'FRESH.SUB.SUB', issuer: 'bob' });
  w.refuse(t, ASSET_CREATE_ERRORS.asset_symbol_invalid, 'asset_create', deeper, 'one dot is enough');
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
    const { statistics } = w.account('alice');
    const pending = () => {
      const { pending_fees, pending_vested_fees } = w.state.get(accountStatisticsObject, statistics);
      return pending_fees + pending_vested_fees;
    };
    t.equal(pending(), paid / 2n, 'the other half is a fee as any other');
    const common_options = assetOptions();
    const odd = w.operation('asset_create', { issuer: 'alice', symbol: 'ANOTHERSYMBOL', precision: 3, common_options });
    const fee = core(odd[1].fee.amount + 1n);
    t.equal(fee.amount % 2n, 1n);
    const second = w.create('asset_create', { ...odd[1], symbol: 'THIRDSYMBOL', fee });
    w.block();
    t.same([dataOf(w, second).fee_pool, pending()], [fee.amount / 2n, paid / 2n + (fee.amount + 1n) / 2n]);
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
  const flags = ASSET_FLAG.white_list;
  const many = Array.from({ length: 11 }, (_, i) => i);
  const cases = [
    [TABLE_ERRORS.object_missing, update({ asset_to_update: 99 })],
    [ASSET_UPDATE_ERRORS.asset_update_market_issued_permissions, update({}, { issuer_permissions: 0x10 })],
    [ASSET_UPDATE_ERRORS.asset_update_market_issued_permissions, update({}, { issuer_permissions: 0x20 })],
    [ASSET_UPDATE_ERRORS.asset_update_market_issued_flags, update({}, { flags: 0x10, issuer_permissions: 0x20 })],
    [
      ASSET_UPDATE_ERRORS.asset_update_rate_without_core,
      update({}, { core_exchange_rate: { base: other, quote: makeAsset(1n, asset) } }),
    ],
    [ASSET_UPDATE_ERRORS.asset_update_issuer_missing, update({ new_issuer: 9_999 })],
    [ASSET_UPDATE_ERRORS.asset_update_same_issuer, update({ new_issuer: 'alice' })],
    [ASSET_UPDATE_ERRORS.asset_update_not_issuer, update({ issuer: 'bob' })],
    [ASSET_UPDATE_ERRORS.asset_update_symbol_invalid, update(renamed('no'))],
    [ASSET_UPDATE_ERRORS.asset_update_symbol_legacy, update(renamed('GXS'))],
    [ASSET_UPDATE_ERRORS.asset_update_symbol_taken, update(renamed('CORE'))],
    [ASSET_UPDATE_ERRORS.asset_update_whitelist_too_long, update({}, { flags, whitelist_authorities: many })],
    [ASSET_UPDATE_ERRORS.asset_update_blacklist_too_long, update({}, { flags, blacklist_authorities: many })],
    [TABLE_ERRORS.object_missing, update({}, { flags, whitelist_authorities: [9_999] })],
    [TABLE_ERRORS.object_missing, update({}, { flags, blacklist_authorities: [9_999] })],
    [OPERATION_ERRORS.operation_fee_negative, update({ fee: core(-1) })],
  ] as const;
  for (const [row, given] of cases) w.refuse(t, row, 'asset_update', given);
  const foreign = update({}, { core_exchange_rate: { base: core(1), quote: other } });
  t.throws(() => w.push('asset_update', foreign), /invalid asset \* price/, 'the rate is about another asset');
  w.push('asset_update', update({}, { issuer_permissions: 0x4f, flags: ASSET_FLAG.white_list }));
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: makeAsset(1n, asset), issue_to_account: 'alice' });
  w.block();
  const options = optionsOf(asset, { issuer_permissions: 0x4f, flags });
  holds(t, w.state.get(assetObject, asset), { symbol: 'THING', issuer: w.id('alice'), options });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('asset_update', update(), ['bob']));
  // Somebody holds it now: permissions only shrink, flags change only where permitted.
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_permissions, 'asset_update', update({}, { issuer_permissions: 0xcf }));
  w.push('asset_update', update({}, { issuer_permissions: 0, flags: ASSET_FLAG.white_list }));
  w.block();
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_flags, 'asset_update', update({}, { issuer_permissions: 0, flags: 0 }));
  const last = update({ new_issuer: 'bob', ...renamed('OTHERTHING') }, { issuer_permissions: 0, flags });
  t.same(w.push('asset_update', last), [0, {}]);
  w.block();
  holds(t, w.state.get(assetObject, asset), { symbol: 'OTHERTHING', issuer: w.id('bob'), precision: 3 });
  t.equal(w.state.findBy(assetObject.by.symbol, 'THING'), undefined);
});

worldTest('asset_update (11) while nobody owns any of it', WORLD, (t, w) => {
  const asset = created(w, 'THING', { issuer_permissions: 0 });
  const update = (given: Parameters<typeof assetOptions>[0]) => ({
    issuer: 'alice',
    asset_to_update: asset,
    new_options: optionsOf(asset, given),
  });
  const flags = ASSET_FLAG.white_list;
  const withFlag = update({ issuer_permissions: flags, flags });
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_flags, 'asset_update', withFlag, 'the old permissions count');
  w.push('asset_update', update({ issuer_permissions: flags }));
  w.push('asset_update', withFlag);
  w.block();
  holds(t, w.state.get(assetObject, asset).options, { issuer_permissions: flags, flags });
});

worldTest('asset_update (11) of the core assets', { ...WORLD, keepsSupply: false }, (t, w) => {
  const rate = (a: number, b: number) => ({ base: makeAsset(1n, a), quote: makeAsset(1n, b) });
  const optionsIn = (asset: number, core_exchange_rate: unknown) => ({
    ...w.state.get(assetObject, asset).options,
    core_exchange_rate,
  });
  w.push('asset_fund_fee_pool', { from_account: 'alice', asset_id: 1, amount: 700n });
  w.block();
  t.equal(dataOf(w, 1).fee_pool, 700n);
  const { current_supply } = dataOf(w, 1);
  const ofCore = (new_options: unknown) => ({ issuer: 'init0', asset_to_update: 1, new_options });
  const foreign = ofCore(optionsIn(1, rate(1, 0)));
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_rate, 'asset_update', foreign, 'only to itself');
  w.push('asset_update', ofCore(optionsIn(1, rate(1, 1))));
  w.block();
  t.equal(dataOf(w, 1).fee_pool, 0n, 'its own pool is emptied');
  t.equal(dataOf(w, 1).current_supply, current_supply, 'and no supply tells of it');

  // Nobody can act for the issuer of 1.3.0; the committee does.
  w.push('asset_fund_fee_pool', { from_account: 'alice', asset_id: 0, amount: 50n });
  w.block();
  const original = { issuer: 'alice', asset_to_update: 0, new_options: optionsIn(0, rate(0, 1)) };
  w.refuse(t, ASSET_UPDATE_ERRORS.asset_update_not_committee, 'asset_update', original);
  w.asCommittee('asset_update', { ...original, issuer: 0, ...renamed('ORIGINAL') });
  w.block();
  holds(t, w.state.get(assetObject, 0), { symbol: 'ORIGINAL', issuer: 3 });
  t.same(w.state.get(assetObject, 0).options.core_exchange_rate, rate(0, 1));
  t.equal(dataOf(w, 0).fee_pool, 50n, 'its pool stays');
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
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'asset_issue', issue(1n, { fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('asset_issue', issue(1n), ['bob']));
  t.same(w.push('asset_issue', issue(60n)), [0, {}]);
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
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'asset_reserve', reserve(1n, { fee: core(-1) }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('asset_reserve', reserve(1n), ['alice']));
  t.same(w.push('asset_reserve', reserve(30n)), [0, {}]);
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
    w.refuse(t, BALANCE_ERRORS.balance_insufficient, 'asset_fund_fee_pool', fund(10n ** 12n + 1n));
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'asset_fund_fee_pool', fund(1n, { fee: core(-1) }));
    const funding = w.operation('asset_fund_fee_pool', fund(500n));
    const inAsset = fund(1n, { fee: makeAsset(funding[1].fee.amount, asset) });
    w.refuse(t, ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_core, 'asset_fund_fee_pool', inAsset);
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.pushAll([funding], ['alice']));
    const before = w.balance('bob');
    t.same(w.pushAll([funding]), [[0, {}]]);
    w.block();
    t.equal(dataOf(w, asset).fee_pool, pool + 500n);
    t.equal(w.balance('bob'), before - 500n - funding[1].fee.amount);

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
    w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'asset_claim_fees', claim(1n, { fee: core(-1) }));
    const unknown = claim(1n, { amount_to_claim: makeAsset(1n, 99) });
    w.refuse(t, TABLE_ERRORS.object_missing, 'asset_claim_fees', unknown);
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('asset_claim_fees', claim(1n), ['bob']));
    t.same(w.push('asset_claim_fees', claim(60_000n)), [0, {}]);
    w.block();
    t.equal(dataOf(w, asset).accumulated_fees, 40_000n);
    t.equal(w.balance('alice', asset), 60_000n);
  },
);
