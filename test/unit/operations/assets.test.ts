import t, { type Test } from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { JsonObject } from '../../../src/codec/json.js';
import { ASSET_CLAIM_FEES_ERRORS } from '../../../src/operations/asset/asset-claim-fees.js';
import { ASSET_CREATE_ERRORS } from '../../../src/operations/asset/asset-create.js';
import { ASSET_FUND_FEE_POOL_ERRORS } from '../../../src/operations/asset/asset-fund-fee-pool.js';
import { ASSET_ISSUE_ERRORS } from '../../../src/operations/asset/asset-issue.js';
import { ASSET_RESERVE_ERRORS } from '../../../src/operations/asset/asset-reserve.js';
import { ASSET_UPDATE_ERRORS } from '../../../src/operations/asset/asset-update.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { ASSET_FLAG, type Price, SHARE_SUPPLY_MAX } from '../../../src/protocol/asset.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../../src/state/objects/asset-dynamic-data.js';
import { BALANCE_ERRORS } from '../../../src/state/rules/balances.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { type Changes, withChanges } from '../../support/changed-operation.js';
import { accountText, amountJson, assetText, createdId, createdInstance, FreeWorld } from '../../support/free-world.js';
import { refused } from '../../support/refused.js';
import { type Faults, refusedInOrder } from '../../support/refused-in-order.js';

const rateJson = (base: number, quote: number, amount = 1): JsonObject => ({
  base: amountJson(amount, base),
  quote: amountJson(2, quote),
});
const rate = (base: number, quote: number): Price => ({
  base: { amount: 1n, asset_id: base },
  quote: { amount: 2n, asset_id: quote },
});
const options = (more: JsonObject = {}): JsonObject => ({
  max_supply: 1000,
  issuer_permissions: 0x4f,
  core_exchange_rate: rateJson(1, 2),
  ...more,
});

/** The text of a wrong price keeps a placeholder, as the reference's does. */
function refusedForPrice(t: Test, work: () => unknown): void {
  t.throws(work, { code: 10, message: /^invalid asset \* price, asset \$\{a\} price / });
}

function setup(headTime?: number, forks = MAINNET_FORKS) {
  const world = new FreeWorld(headTime, forks);
  const issuer = world.account('issuer', {}, 1000n);
  const other = world.account('other', {}, 1000n);
  const dynamic = (id: number) =>
    world.state.get(assetDynamicDataObject, world.state.get(assetObject, id).dynamic_asset_data_id);
  const setDynamic = (id: number, changes: object) =>
    world.state.modify(assetDynamicDataObject, dynamic(id), (o) => Object.assign(o, changes));
  return { world, issuer, other, dynamic, setDynamic };
}

t.test('asset creation', async (t) => {
  const { world, issuer, other, dynamic } = setup();
  const create = (symbol: string, more: JsonObject = {}, by = issuer) =>
    world.run(10, { issuer: accountText(by), symbol, precision: 3, common_options: options(), ...more });
  const id = createdInstance(create('NEW'));
  t.match(world.state.get(assetObject, id), { symbol: 'NEW', precision: 3, issuer, buyback_account: undefined });
  t.same(world.state.get(assetObject, id).options.core_exchange_rate, rate(1, id), 'the placeholder became the id');
  t.match(dynamic(id), { current_supply: 0n, fee_pool: 0n });

  const E = ASSET_CREATE_ERRORS;
  world.setParameters({ maximum_asset_whitelist_authorities: 1 });
  const listing = (more: JsonObject) => ({ common_options: options({ flags: ASSET_FLAG.white_list, ...more }) });
  const cases: readonly (readonly [string, JsonObject, ErrorRow])[] = [
    ['MORE', listing({ whitelist_authorities: ['1.2.0', '1.2.1'] }), E.asset_whitelist_too_long],
    ['MORE', listing({ blacklist_authorities: ['1.2.0', '1.2.1'] }), E.asset_blacklist_too_long],
    ['MORE', listing({ whitelist_authorities: ['1.2.99'] }), TABLE_ERRORS.object_missing],
    ['MORE', listing({ blacklist_authorities: ['1.2.99'] }), TABLE_ERRORS.object_missing],
    ['GXS', {}, E.asset_symbol_legacy],
    ['NEW', {}, E.asset_symbol_taken],
    ['MORE.A', {}, E.asset_prefix_unknown],
    ['MORE', { common_options: options({ core_exchange_rate: rateJson(1, 0) }) }, E.asset_rate_placeholder],
    ['MORE', { bitasset_opts: { minimum_feeds: 1 } }, E.asset_bitasset_ended],
  ];
  for (const [symbol, more, row] of cases) {
    refused(t, row, () => create(symbol, more));
  }
  const coreless = { common_options: options({ core_exchange_rate: rateJson(0, 2) }) };
  refused(t, E.asset_rate_without_core, () => create('MORE', coreless));
  refused(t, E.asset_prefix_of_other, () => create('NEW.A', {}, other));
  t.doesNotThrow(() => create('NEW.A'));
  const turned = createdInstance(create('TURNED', { common_options: options({ core_exchange_rate: rateJson(2, 1) }) }));
  t.same(world.state.get(assetObject, turned).options.core_exchange_rate, rate(turned, 1), 'either side');
  t.equal(createdId(create('LAST')), `1.3.${turned + 1}`);
});

t.test('one unit of the core asset may be worth all of a new asset, and no more', async (t) => {
  const { world, issuer } = setup();
  const create = (symbol: string, worth: bigint) =>
    world.run(10, {
      issuer: accountText(issuer),
      symbol,
      common_options: options({ core_exchange_rate: { base: amountJson(1, 1), quote: amountJson(worth, 2) } }),
    });
  t.doesNotThrow(() => create('MOST', SHARE_SUPPLY_MAX));
  t.throws(() => create('MORE', SHARE_SUPPLY_MAX + 1n), { code: 10 });
});

t.test('one unit of an asset may be worth all of the core asset, and no more', async (t) => {
  const { world, issuer } = setup();
  const id = world.asset('NEW', issuer, { core_exchange_rate: rate(1, 3) });
  const update = (worth: bigint) =>
    world.run(11, {
      issuer: accountText(issuer),
      asset_to_update: assetText(id),
      new_options: options({ core_exchange_rate: { base: amountJson(worth, 1), quote: amountJson(1, id) } }),
    });
  t.same(update(SHARE_SUPPLY_MAX), [0, {}]);
  t.throws(() => update(SHARE_SUPPLY_MAX + 1n), { code: 10 });
});

t.test('of two faults of a new asset the first one is named', async (t) => {
  const { world, issuer, other } = setup();
  world.setParameters({ maximum_asset_whitelist_authorities: 1 });
  const lists = { flags: ASSET_FLAG.white_list, whitelist_authorities: [], blacklist_authorities: [] };
  const given = { issuer: accountText(issuer), symbol: 'MORE', common_options: options(lists) };
  const create = (changes: Changes) => world.run(10, withChanges(given, changes));
  create({ symbol: 'NEW' });
  create({ symbol: 'NEW.A' });
  const two = ['1.2.0', '1.2.1'];
  const white = (accounts: string[]): Changes => ({ 'common_options.whitelist_authorities': accounts });
  const black = (accounts: string[]): Changes => ({ 'common_options.blacklist_authorities': accounts });
  const rated = (base: number, quote: number): Changes => ({
    'common_options.core_exchange_rate': rateJson(base, quote),
  });
  const E = ASSET_CREATE_ERRORS;
  refusedInOrder(t, '10', create, [
    [white([...two, '1.2.99']), E.asset_whitelist_too_long],
    [black([...two, '1.2.98']), E.asset_blacklist_too_long],
    [white(['1.2.99']), TABLE_ERRORS.object_missing],
    [black(['1.2.98']), TABLE_ERRORS.object_missing],
    [{ symbol: 'GXS' }, E.asset_symbol_legacy],
    [{ symbol: 'NEW.A', issuer: accountText(other) }, E.asset_symbol_taken],
    [{ symbol: 'NONE.A' }, E.asset_prefix_unknown],
    [{ symbol: 'NEW.B', issuer: accountText(other) }, E.asset_prefix_of_other],
    [rated(0, 2), E.asset_rate_without_core],
    [rated(1, 0), E.asset_rate_placeholder],
    [{ bitasset_opts: { minimum_feeds: 1 } }, E.asset_bitasset_ended],
  ]);
  const strangers = { ...white(['1.2.99']), ...black(['1.2.98']) };
  t.throws(() => create(strangers), { message: /1\.2\.99/ }, 'the white list is read first');
  t.equal(create({})[0], 1);
});

t.test('of two faults of an issue, a reserve or a claim the first one is named', async (t) => {
  const { world, issuer, other } = setup();
  const id = world.asset('NEW', issuer, { max_supply: 100n });
  const issue = (amount: number | bigint, more: JsonObject = {}, asset = id) =>
    world.run(14, {
      issuer: accountText(issuer),
      asset_to_issue: amountJson(amount, asset),
      issue_to_account: accountText(other),
      ...more,
    });
  const reserve = (amount: number, more: JsonObject = {}) =>
    world.run(15, { payer: accountText(other), amount_to_reserve: amountJson(amount, id), ...more });
  const negative = { fee: amountJson(-1, 1) };
  const I = ASSET_ISSUE_ERRORS;
  const FEE = OPERATION_ERRORS.operation_fee_negative;
  refused(t, FEE, () => issue(0, negative));
  refused(t, FEE, () => reserve(0, negative));
  refused(t, FEE, () =>
    world.run(16, { from_account: accountText(other), asset_id: assetText(id), amount: 0, ...negative }),
  );
  const claim = { issuer: accountText(issuer), amount_to_claim: amountJson(0, id), ...negative };
  refused(t, FEE, () => world.run(43, claim));
  refused(t, I.issue_amount_above_supply, () => issue(SHARE_SUPPLY_MAX + 1n, {}, 0));
  refused(t, I.issue_amount_not_positive, () => issue(0, {}, 0));
  const nobody = { issue_to_account: '1.2.99' };
  world.changeAsset(id, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuer] });
  refused(t, I.issue_unauthorized, () => issue(101));
  refused(t, ASSET_RESERVE_ERRORS.reserve_unauthorized, () => reserve(1));
  world.changeAsset(id, {}, { bitasset_data_id: 0 });
  refused(t, I.issue_not_issuer, () => issue(1, { issuer: accountText(other) }));
  refused(t, I.issue_market_issued, () => issue(1, nobody));
  refused(t, ASSET_RESERVE_ERRORS.reserve_market_issued, () => reserve(1));
});

t.test('half of the creation fee fills the pool', async (t) => {
  const create = (headTime: number, fee: number) => {
    const { world, issuer, dynamic } = setup(headTime);
    const core = world.state.coreAsset;
    const id = createdInstance(
      world.run(10, {
        issuer: accountText(issuer),
        symbol: 'NEW',
        common_options: options({ core_exchange_rate: rateJson(core, core + 1) }),
        fee: amountJson(fee, core),
      }),
    );
    const statistics = world.state.get(accountStatisticsObject, world.state.get(accountObject, issuer).statistics);
    return [dynamic(id).fee_pool, statistics.pending_vested_fees, dynamic(0).current_supply];
  };
  const fork = MAINNET_FORKS.HF_1005;
  t.same(create(fork + 1, 10), [5n, 5n, 0n]);
  t.same(create(fork + 1, 11), [5n, 6n, 0n]);
  t.same(create(fork, 10), [5n, 5n, 0n]);
  t.same(create(fork, 11), [6n, 6n, 1n], 'quirk: one more than was paid');
});

t.test('before fork 1008', async (t) => {
  const { world, issuer, dynamic, setDynamic } = setup(MAINNET_FORKS.HF_1008);
  const bitasset = {
    bitasset_opts: { minimum_feeds: 1 },
    common_options: options({ core_exchange_rate: rateJson(0, 1) }),
  };
  const id = createdInstance(world.run(10, { issuer: accountText(issuer), symbol: 'BOTH', ...bitasset }));
  t.equal(world.state.get(assetObject, id).bitasset_data_id, undefined, 'quirk: bitasset options are ignored');
  const withRate = (base: number, quote: number) => () =>
    world.run(10, {
      issuer: accountText(issuer),
      symbol: 'THIRD',
      common_options: options({ core_exchange_rate: rateJson(base, quote) }),
    });
  refused(t, ASSET_CREATE_ERRORS.asset_rate_without_original_core, withRate(1, 2));
  refused(t, ASSET_CREATE_ERRORS.asset_rate_original_placeholder, withRate(0, 2));
  world.changeAsset(1, {}, { symbol: 'FREED' });
  const legacy = { issuer: accountText(issuer), symbol: 'GXS', ...bitasset };
  t.doesNotThrow(() => world.run(10, legacy), 'a symbol like any other');
  setDynamic(id, { fee_pool: 7n });
  const rates = { core_exchange_rate: rateJson(0, id) };
  world.run(11, { issuer: accountText(issuer), asset_to_update: assetText(id), new_options: options(rates) });
  t.equal(dynamic(id).fee_pool, 7n, 'its pool is one of the core asset');
});

t.test('until fork 572 permissions do not come back even while nothing is issued', async (t) => {
  const before = MAINNET_FORKS.HF_572 - 1;
  const forks = { ...MAINNET_FORKS, HF_538: before, HF_563: before };
  for (const isOld of [true, false]) {
    const { world, issuer } = setup(before + (isOld ? 0 : 1), forks);
    const id = world.asset('NEW', issuer, { issuer_permissions: 0x01, core_exchange_rate: rate(0, 3) });
    const update = (issuer_permissions: number) =>
      world.run(11, {
        issuer: accountText(issuer),
        asset_to_update: assetText(id),
        new_options: options({ core_exchange_rate: rateJson(0, id), issuer_permissions }),
      });
    if (isOld) refused(t, ASSET_UPDATE_ERRORS.asset_update_permissions, () => update(0x03));
    else update(0x03);
    update(0x01);
  }
});

t.test('asset update', async (t) => {
  const { world, issuer, other, dynamic, setDynamic } = setup();
  const id = world.asset('NEW', issuer, { issuer_permissions: 0x4f, core_exchange_rate: rate(1, 3) });
  const update = (more: JsonObject = {}, asset = id, by = issuer) =>
    world.run(11, {
      issuer: accountText(by),
      asset_to_update: assetText(asset),
      new_options: options({ core_exchange_rate: rateJson(1, asset), ...more }),
    });
  const rename = (symbol: string) =>
    world.run(11, {
      issuer: accountText(issuer),
      asset_to_update: assetText(id),
      new_options: options({ core_exchange_rate: rateJson(1, id) }),
      extensions: [[8, { symbol }]],
    });
  setDynamic(id, { fee_pool: 77n });
  update({ max_supply: 5000, flags: 1 });
  t.match(world.state.get(assetObject, id).options, { max_supply: 5000n, flags: 1 });
  t.equal(dynamic(id).fee_pool, 77n, 'a pool of the core asset stays');

  const E = ASSET_UPDATE_ERRORS;
  refused(t, E.asset_update_market_issued_permissions, () => update({ issuer_permissions: 0x10 }));
  refused(t, E.asset_update_market_issued_flags, () => update({ flags: 0x10 }));
  refused(t, E.asset_update_rate_without_core, () => update({ core_exchange_rate: rateJson(id, 2) }));
  refusedForPrice(t, () => update({ core_exchange_rate: rateJson(1, 2) }));
  refused(t, E.asset_update_not_issuer, () => update({}, id, other));
  refused(t, E.asset_update_symbol_invalid, () => rename('no'));
  refused(t, E.asset_update_symbol_legacy, () => rename('GXS'));
  refused(t, E.asset_update_symbol_taken, () => rename('OTHER'));
  rename('RENAMED');
  t.equal(world.state.findBy(assetObject.by.symbol, 'RENAMED')?.id, id);
  const newIssuer = (account: string) =>
    world.run(11, {
      issuer: accountText(issuer),
      asset_to_update: assetText(id),
      new_issuer: account,
      new_options: options({ core_exchange_rate: rateJson(1, id) }),
    });
  refused(t, E.asset_update_issuer_missing, () => newIssuer('1.2.99'));

  update({ issuer_permissions: 0x01 });
  t.doesNotThrow(() => update({ issuer_permissions: 0x03 }), 'permissions may come back while nothing is issued');
  update({ issuer_permissions: 0x01 });
  setDynamic(id, { current_supply: 1n });
  refused(t, E.asset_update_permissions, () => update({ issuer_permissions: 0x03 }));
  refused(t, E.asset_update_flags, () => update({ issuer_permissions: 0x01, flags: 0x02 }));
  world.setParameters({ maximum_asset_whitelist_authorities: 0 });
  world.changeAsset(id, { issuer_permissions: 0x03 });
  const listed = { issuer_permissions: 0x03, flags: 0x02, whitelist_authorities: ['1.2.0'] };
  refused(t, E.asset_update_whitelist_too_long, () => update(listed));
  world.setParameters({ maximum_asset_whitelist_authorities: 1 });
  refused(t, TABLE_ERRORS.object_missing, () => update({ ...listed, whitelist_authorities: ['1.2.99'] }));
  setDynamic(id, { current_supply: 0n });
  newIssuer(accountText(other));
  t.equal(world.state.get(assetObject, id).issuer, other);
});

t.test('of two faults of an update the first one is named', async (t) => {
  const { world, issuer, other, setDynamic } = setup();
  const id = world.asset('NEW', issuer, { issuer_permissions: 0x4a, core_exchange_rate: rate(1, 3) });
  setDynamic(id, { current_supply: 1n });
  world.setParameters({ maximum_asset_whitelist_authorities: 1 });
  const listed = { issuer_permissions: 0x4a, flags: ASSET_FLAG.white_list };
  const lists = { whitelist_authorities: [], blacklist_authorities: [] };
  const given = {
    issuer: accountText(issuer),
    asset_to_update: assetText(id),
    new_options: options({ ...listed, ...lists, core_exchange_rate: rateJson(1, id) }),
  };
  const update = (changes: Changes) => world.run(11, withChanges(given, changes));
  const renamed = (symbol: string): Changes => ({ extensions: [[8, { symbol }]] });
  const two = ['1.2.0', '1.2.1'];
  const E = ASSET_UPDATE_ERRORS;
  const faults: Faults = [
    [{ 'new_options.flags': 0x12 }, E.asset_update_market_issued_flags],
    [{ 'new_options.issuer_permissions': 0x5a }, E.asset_update_market_issued_permissions],
    [{ 'new_options.core_exchange_rate': rateJson(0, id) }, E.asset_update_rate_without_core],
    [{ new_issuer: '1.2.99' }, E.asset_update_issuer_missing],
    [renamed('no'), E.asset_update_symbol_invalid],
    [renamed('GXS'), E.asset_update_symbol_legacy],
    [renamed('NEW'), E.asset_update_symbol_taken],
    [{ 'new_options.issuer_permissions': 0x4b }, E.asset_update_permissions],
    [{ 'new_options.flags': 0x06 }, E.asset_update_flags],
    [{ issuer: accountText(other) }, E.asset_update_not_issuer],
    [{ 'new_options.whitelist_authorities': [...two, '1.2.99'] }, E.asset_update_whitelist_too_long],
    [{ 'new_options.whitelist_authorities': ['1.2.99'] }, TABLE_ERRORS.object_missing],
    [{ 'new_options.blacklist_authorities': [...two, '1.2.99'] }, E.asset_update_blacklist_too_long],
    [{ 'new_options.blacklist_authorities': ['1.2.99'] }, TABLE_ERRORS.object_missing],
  ];
  // What the rate makes of the asset is looked at last.
  const worthless = { 'new_options.core_exchange_rate': rateJson(1, 2) };
  for (const last of [{}, worthless]) refusedInOrder(t, '11', (changes) => update({ ...last, ...changes }), faults);
  refusedForPrice(t, () => update(worthless));
  t.same(update({}), [0, {}]);
});

t.test('asset update of the two core assets, and pools that mean nothing any more', async (t) => {
  const { world, issuer, dynamic, setDynamic } = setup();
  const update = (asset: number, quote: number, by: number) =>
    world.run(11, {
      issuer: accountText(by),
      asset_to_update: assetText(asset),
      new_options: options({ issuer_permissions: 0, core_exchange_rate: rateJson(1, quote) }),
    });
  world.changeAsset(0, {}, { issuer: 3 });
  refused(t, ASSET_UPDATE_ERRORS.asset_update_not_committee, () => update(0, 0, issuer));
  setDynamic(0, { fee_pool: 5n });
  update(0, 0, 0);
  t.equal(dynamic(0).fee_pool, 5n);
  world.changeAsset(0, {}, { issuer });
  refused(t, ASSET_UPDATE_ERRORS.asset_update_not_issuer, () => update(0, 0, 0));
  const orphan = world.asset('ORPHAN', 3, { issuer_permissions: 0, core_exchange_rate: rate(1, 3) });
  const notIssuer = ASSET_UPDATE_ERRORS.asset_update_not_issuer;
  refused(t, notIssuer, () => update(orphan, orphan, 0), 'no other asset that nobody issues is the committee’s');
  t.same(update(orphan, orphan, 3), [0, {}]);

  world.changeAsset(1, {}, { issuer });
  setDynamic(1, { fee_pool: 6n });
  refused(t, ASSET_UPDATE_ERRORS.asset_update_rate, () => update(1, 2, issuer), 'the core asset is worth itself');
  update(1, 1, issuer);
  t.equal(dynamic(1).fee_pool, 0n);
  setDynamic(1, { fee_pool: 6n });
  update(1, 1, issuer);
  t.equal(dynamic(1).fee_pool, 0n, 'even if its old rate names it');
  const old = world.asset('OLD', issuer, { core_exchange_rate: rate(0, 3) });
  setDynamic(old, { fee_pool: 7n });
  update(old, old, issuer);
  t.equal(dynamic(old).fee_pool, 0n);
});

t.test('issue, reserve, fund the pool, claim fees', async (t) => {
  const { world, issuer, other, dynamic, setDynamic } = setup();
  const id = world.asset('NEW', issuer, { max_supply: 100n });
  const issue = (amount: number, asset = id, by = issuer) =>
    world.run(14, {
      issuer: accountText(by),
      asset_to_issue: amountJson(amount, asset),
      issue_to_account: accountText(other),
    });
  const reserve = (amount: number | bigint) =>
    world.run(15, { payer: accountText(other), amount_to_reserve: amountJson(amount, id) });
  issue(60);
  t.same([world.balance(other, id), dynamic(id).current_supply], [60n, 60n]);
  refused(t, ASSET_ISSUE_ERRORS.issue_above_max_supply, () => issue(41));
  refused(t, ASSET_ISSUE_ERRORS.issue_not_issuer, () => issue(1, id, other));
  reserve(10);
  t.same([world.balance(other, id), dynamic(id).current_supply], [50n, 50n]);
  refused(t, ASSET_RESERVE_ERRORS.reserve_above_supply, () => reserve(51));
  refused(t, ASSET_RESERVE_ERRORS.reserve_above_supply, () => reserve(SHARE_SUPPLY_MAX));
  refused(t, ASSET_RESERVE_ERRORS.reserve_amount_above_supply, () => reserve(SHARE_SUPPLY_MAX + 1n));
  setDynamic(id, { current_supply: 51n });
  refused(t, BALANCE_ERRORS.balance_insufficient, () => reserve(51));
  world.changeAsset(id, { flags: ASSET_FLAG.white_list, whitelist_authorities: [issuer] });
  refused(t, ASSET_ISSUE_ERRORS.issue_unauthorized, () => issue(1));
  refused(t, ASSET_RESERVE_ERRORS.reserve_unauthorized, () => reserve(1));
  world.changeAsset(id, { flags: 0, whitelist_authorities: [] }, { bitasset_data_id: 0 });
  refused(t, ASSET_ISSUE_ERRORS.issue_market_issued, () => issue(1));
  refused(t, ASSET_RESERVE_ERRORS.reserve_market_issued, () => reserve(1));

  const fund = (amount: number, more: JsonObject = {}) =>
    world.run(16, { from_account: accountText(other), asset_id: assetText(id), amount, ...more });
  fund(300);
  t.same([world.balance(other), dynamic(id).fee_pool], [700n, 300n]);
  refused(t, BALANCE_ERRORS.balance_insufficient, () => fund(701));
  refused(t, TABLE_ERRORS.object_missing, () => fund(1, { asset_id: '1.3.99' }));
  world.changeAsset(id, { core_exchange_rate: rate(1, id) });
  refused(t, ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_core, () => fund(1, { fee: amountJson(0, id) }));

  const claim = (amount: number, by = issuer) =>
    world.run(43, { issuer: accountText(by), amount_to_claim: amountJson(amount, id) });
  setDynamic(id, { accumulated_fees: 9n });
  refused(t, ASSET_CLAIM_FEES_ERRORS.claim_not_issuer, () => claim(1, other));
  refused(t, ASSET_CLAIM_FEES_ERRORS.claim_above_accumulated, () => claim(10));
  claim(9);
  t.same([world.balance(issuer, id), dynamic(id).accumulated_fees], [9n, 0n]);
});

t.test('only a market-issued asset may keep the bits of settlement', async (t) => {
  const { world, issuer } = setup();
  const id = world.asset('NEW', issuer, { issuer_permissions: 0x7f, flags: 0 });
  const update = () =>
    world.run(11, {
      issuer: accountText(issuer),
      asset_to_update: assetText(id),
      new_options: options({ issuer_permissions: 0x7f, flags: 0x10, core_exchange_rate: rateJson(1, id) }),
    });
  refused(t, ASSET_UPDATE_ERRORS.asset_update_market_issued_flags, update);
  world.changeAsset(id, {}, { bitasset_data_id: 0 });
  t.same(update(), [0, {}]);
  t.match(world.state.get(assetObject, id).options, { issuer_permissions: 0x7f, flags: 0x10 });
});

t.test('what is hidden is in circulation, and counts once', async (t) => {
  const { world, issuer, other, dynamic, setDynamic } = setup();
  const id = world.asset('NEW', issuer, { max_supply: 100n });
  setDynamic(id, { current_supply: 60n, confidential_supply: 50n });
  const issue = (amount: number) =>
    world.run(14, {
      issuer: accountText(issuer),
      asset_to_issue: amountJson(amount, id),
      issue_to_account: accountText(other),
    });
  refused(t, ASSET_ISSUE_ERRORS.issue_above_max_supply, () => issue(41));
  issue(40);
  world.run(15, { payer: accountText(other), amount_to_reserve: amountJson(40, id) });
  t.match(dynamic(id), { current_supply: 60n, confidential_supply: 50n });
});

t.test('the pool takes the core asset of its time', async (t) => {
  const { world, issuer } = setup(MAINNET_FORKS.HF_1008);
  world.changeAsset(2, { core_exchange_rate: rate(0, 2) });
  const fund = { from_account: accountText(issuer), asset_id: '1.3.2', amount: 1, fee: amountJson(0, 2) };
  refused(t, ASSET_FUND_FEE_POOL_ERRORS.pool_fee_not_original_core, () => world.run(16, fund));
});

t.test('fees are claimed since fork 413', async (t) => {
  const headTime = MAINNET_FORKS.HF_413;
  const { world, issuer } = setup(headTime, { ...MAINNET_FORKS, HF_415: headTime - 1, HF_419: headTime - 1 });
  const claim = { issuer: accountText(issuer), amount_to_claim: amountJson(1, 2) };
  refused(t, ASSET_CLAIM_FEES_ERRORS.claim_too_early, () => world.run(43, claim));
  const unknown = { ...claim, amount_to_claim: amountJson(1, 99) };
  refused(t, ASSET_CLAIM_FEES_ERRORS.claim_too_early, () => world.run(43, unknown), 'before the asset is looked up');
});
