import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import type { Json, JsonObject } from '../../../src/codec/json.js';
import { ACCOUNT_CREATE_ERRORS } from '../../../src/operations/account/account-create.js';
import { ACCOUNT_UPGRADE_ERRORS } from '../../../src/operations/account/account-upgrade.js';
import { ACCOUNT_UPGRADE_DATASOURCE_ERRORS } from '../../../src/operations/account/account-upgrade-datasource.js';
import { ACCOUNT_UPGRADE_MERCHANT_ERRORS } from '../../../src/operations/account/account-upgrade-merchant.js';
import { ACCOUNT_WHITELIST_ERRORS } from '../../../src/operations/account/account-whitelist.js';
import { ACCOUNT_RULE_ERRORS } from '../../../src/operations/account/authority-rules.js';
import { ROLE_UPGRADE_ERRORS } from '../../../src/operations/account/role-upgrade.js';
import { requiredAuthorities } from '../../../src/operations/authorities.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { PROPOSAL_ONLY_ERRORS } from '../../../src/operations/proposal-only.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { operation } from '../../../src/protocol/operation-slot.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { buybackObject } from '../../../src/state/objects/buyback.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { specialAuthorityObject } from '../../../src/state/objects/special-authority.js';
import { AUTHORITY_MEMBER_ERRORS, VOTE_CHECK_ERRORS } from '../../../src/state/rules/account-checks.js';
import { FOREVER } from '../../../src/state/rules/accounts.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { type Changes, withChanges } from '../../support/changed-operation.js';
import { accountText, createdInstance, FreeWorld } from '../../support/free-world.js';
import { NETWORK } from '../../support/network.js';
import { refused } from '../../support/refused.js';
import { refusedInOrder } from '../../support/refused-in-order.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const byKey = { weight_threshold: 1, account_auths: [], key_auths: [[KEY, 1]], address_auths: [] };
const byAccounts = (...accounts: string[]): JsonObject => ({
  ...byKey,
  key_auths: [],
  account_auths: accounts.map((account): Json => [account, 1]),
});
const topHolders = (asset: string): Json => [1, { asset, num_top_holders: 3 }];
const OPTIONS = { memo_key: KEY };

function setup(headTime?: number, forks = MAINNET_FORKS) {
  const world = new FreeWorld(headTime, forks);
  const registrar = world.lifetimeMember('registrar');
  world.changeAccount(registrar, { lifetime_referrer: registrar });
  const op = (name: string, more: JsonObject = {}): JsonObject => ({
    registrar: accountText(registrar),
    referrer: accountText(registrar),
    name,
    owner: byKey,
    active: byKey,
    options: OPTIONS,
    ...more,
  });
  return { world, registrar, op };
}

t.test('account creation', async (t) => {
  const { world, registrar, op } = setup();
  world.setParameters({ network_percent_of_fee: 1234, lifetime_referrer_percent_of_fee: 2345 });
  const id = createdInstance(world.run(5, op('newborn-1', { referrer_percent: 50 })));
  const account = world.state.get(accountObject, id);
  t.match(account, {
    name: 'newborn-1',
    registrar,
    referrer: registrar,
    lifetime_referrer: registrar,
    network_fee_percentage: 1234,
    lifetime_referrer_fee_percentage: 2345,
    referrer_rewards_percentage: 50,
    membership_expiration_date: 0,
    allowed_assets: undefined,
  });
  t.equal(world.state.get(accountStatisticsObject, account.statistics).owner, id);
  t.equal(world.state.single(dynamicGlobalPropertyObject).accounts_registered_this_interval, 1);
  t.equal(world.state.count(specialAuthorityObject), 0);
  const annual = world.account('annual', { membership_expiration_date: FOREVER - 1, lifetime_referrer: registrar });
  const second = createdInstance(world.run(5, op('newborn-2', { referrer: accountText(annual) })));
  t.match(world.state.get(accountObject, second), { referrer: annual, lifetime_referrer: registrar });
});

t.test('account creation: each rule refuses', async (t) => {
  const { world, op } = setup();
  const annual = world.account('annual', { membership_expiration_date: world.state.headTime });
  const basic = world.account('basic', { membership_expiration_date: world.state.headTime - 1 });
  world.setParameters({ maximum_authority_membership: 2, maximum_witness_count: 1, maximum_committee_count: 1 });
  const E = ACCOUNT_CREATE_ERRORS;
  const many = byAccounts('1.2.0', '1.2.1', '1.2.2');
  const cases: readonly (readonly [JsonObject, ErrorRow])[] = [
    [{ registrar: accountText(annual) }, E.account_registrar_not_lifetime],
    [{ referrer: accountText(basic) }, E.account_referrer_not_member],
    [{ referrer: '1.2.99' }, TABLE_ERRORS.object_missing],
    [{ owner: many }, AUTHORITY_MEMBER_ERRORS.account_create_max_auth],
    [{ active: many }, AUTHORITY_MEMBER_ERRORS.account_create_max_auth],
    [{ owner: byAccounts('1.2.99') }, AUTHORITY_MEMBER_ERRORS.account_create_auth_missing],
    [{ active: byAccounts('1.2.99') }, AUTHORITY_MEMBER_ERRORS.account_create_auth_missing],
    [{ extensions: { owner_special_authority: topHolders('1.3.99') } }, TABLE_ERRORS.object_missing],
    [{ extensions: { active_special_authority: topHolders('1.3.99') } }, TABLE_ERRORS.object_missing],
    [{ options: { ...OPTIONS, num_witness: 2, votes: ['1:0', '1:1'] } }, VOTE_CHECK_ERRORS.votes_witness_count],
    [{ options: { ...OPTIONS, num_committee: 2, votes: ['0:0', '0:1'] } }, VOTE_CHECK_ERRORS.votes_committee_count],
    [{ options: { ...OPTIONS, voting_account: '1.2.99' } }, VOTE_CHECK_ERRORS.votes_proxy_missing],
    [{ options: { ...OPTIONS, votes: ['1:0'] } }, VOTE_CHECK_ERRORS.votes_unknown],
    [{ name: 'annual' }, E.account_name_taken],
  ];
  for (const [more, row] of cases) refused(t, row, () => world.run(5, op('newborn-1', more)));
  t.doesNotThrow(
    () => world.run(5, op('newborn-1', { referrer: accountText(annual) })),
    'annual until this very second',
  );
  const most = byAccounts('1.2.0', '1.2.1');
  t.doesNotThrow(() => world.run(5, op('newborn-2', { owner: most, active: most })), 'as many members as may be');
  world.state.modify(globalPropertyObject, world.state.single(globalPropertyObject), (o) => {
    o.next_available_vote_id = 2;
  });
  const seats = { ...OPTIONS, num_witness: 1, num_committee: 1, votes: ['1:0', '0:1'] };
  t.doesNotThrow(() => world.run(5, op('newborn-3', { options: seats })), 'as many seats as may be');
});

t.test('an account gets each of its authorities as it was given', async (t) => {
  const { world, registrar, op } = setup();
  const given = {
    owner: byAccounts('1.2.0'),
    active: byAccounts(accountText(registrar)),
    extensions: { owner_special_authority: topHolders('1.3.0'), active_special_authority: topHolders('1.3.1') },
  };
  const account = world.state.get(accountObject, createdInstance(world.run(5, op('newborn-1', given))));
  t.same([account.owner.account_auths, account.active.account_auths], [[[0, 1]], [[registrar, 1]]]);
  t.same(account.owner_special_authority, [1, { asset: 0, num_top_holders: 3 }]);
  t.same(account.active_special_authority, [1, { asset: 1, num_top_holders: 3 }]);
});

t.test('of two faults of an account creation the first one is named', async (t) => {
  const { world, op } = setup();
  const basic = accountText(world.account('basic', { membership_expiration_date: 0 }));
  world.setParameters({ maximum_authority_membership: 2 });
  const bought = world.asset('BOUGHT', 0);
  const R = ACCOUNT_RULE_ERRORS;
  const empty = { ...byKey, key_auths: [] };
  const impossible = { ...byKey, weight_threshold: 2 };
  const noHolders: Json = [1, { asset: '1.3.1', num_top_holders: 0 }];
  const votes = (...ids: string[]): JsonObject => ({ options: { ...OPTIONS, votes: ids } });
  const fewVotes = { options: { ...OPTIONS, num_witness: 1 } };
  const many = byAccounts('1.2.0', '1.2.1', '1.2.2');
  const nobody = byAccounts('1.2.3');
  const buyback = (asset_to_buy_issuer: string): JsonObject => ({
    owner: nobody,
    active: nobody,
    extensions: { buyback_options: { asset_to_buy: `1.3.${bought}`, asset_to_buy_issuer, markets: ['1.3.1'] } },
  });
  const special = { extensions: { owner_special_authority: topHolders('1.3.99') } };
  const missing = byAccounts('1.2.99');
  const cases: readonly (readonly [ErrorRow, JsonObject])[] = [
    [OPERATION_ERRORS.operation_fee_negative, { fee: { amount: -1, asset_id: '1.3.1' }, name: 'X' }],
    [ACCOUNT_CREATE_ERRORS.account_name_invalid, { name: 'X', referrer_percent: 10_001 }],
    [ACCOUNT_CREATE_ERRORS.account_referrer_percent, { referrer_percent: 10_001, owner: empty }],
    [R.create_owner_empty, { owner: empty, active: empty }],
    [R.create_active_empty, { owner: impossible, active: empty }],
    [R.create_owner_impossible, { owner: impossible, active: impossible }],
    [R.create_active_impossible, { active: impossible, ...fewVotes }],
    [R.too_few_witness_votes, { ...fewVotes, extensions: { owner_special_authority: noHolders } }],
    [ACCOUNT_CREATE_ERRORS.account_registrar_not_lifetime, { registrar: basic, referrer: '1.2.99' }],
    [ACCOUNT_CREATE_ERRORS.account_referrer_not_member, { referrer: basic, owner: missing }],
    [AUTHORITY_MEMBER_ERRORS.account_create_auth_missing, { owner: missing, active: many }],
    [AUTHORITY_MEMBER_ERRORS.account_create_max_auth, { active: many, ...special }],
    [TABLE_ERRORS.object_missing, { ...special, ...votes('1:0') }],
    [ACCOUNT_CREATE_ERRORS.account_buyback_issuer, { ...buyback('1.2.1'), ...votes('1:0') }],
    [VOTE_CHECK_ERRORS.votes_unknown, { ...votes('1:0'), name: 'basic' }],
  ];
  for (const [row, more] of cases) refused(t, row, () => world.run(5, op('newborn-1', more)));
});

t.test('small percentages were whole percents before fork 453', async (t) => {
  const percentAt = (headTime: number, referrer_percent: number, ownReferrer: boolean) => {
    const { world, registrar, op } = setup(headTime);
    const other = world.lifetimeMember('other');
    const referrer = accountText(ownReferrer ? registrar : other);
    const id = createdInstance(world.run(5, op('newborn-1', { referrer, referrer_percent })));
    return world.state.get(accountObject, id).referrer_rewards_percentage;
  };
  const before = MAINNET_FORKS.HF_453;
  t.equal(percentAt(before, 50, false), 5000);
  t.equal(percentAt(before, 1, false), 100);
  t.equal(percentAt(before, 256, false), 10_000);
  t.equal(percentAt(before, 257, false), 257);
  t.equal(percentAt(before, 50, true), 50);
  t.equal(percentAt(before + 1, 50, false), 50);
});

t.test('registrations get dearer', async (t) => {
  const { world, op } = setup();
  const fee = () => {
    const { parameters } = world.state.single(globalPropertyObject).parameters.current_fees;
    const entry = parameters.find(([tag]) => tag === 5) as [number, { basic_fee: bigint }];
    return entry[1].basic_fee;
  };
  const schedule = world.state.single(globalPropertyObject).parameters.current_fees;
  const entry = { basic_fee: 1n, premium_fee: 0n, price_per_kbyte: 0 };
  world.setParameters({
    current_fees: { ...schedule, parameters: schedule.parameters.map((p) => (p[0] === 5 ? [5, entry] : p)) },
    accounts_per_fee_scale: 2,
    account_fee_scale_bitshifts: 4,
  });
  // What waits for the maintenance says nothing yet, and comes as it was proposed.
  const properties = world.state.single(globalPropertyObject);
  const waiting = { ...properties.parameters, accounts_per_fee_scale: 1 };
  world.state.modify(globalPropertyObject, properties, (o) => {
    o.pending_parameters = waiting;
  });
  const create = (name: string) => world.run(5, op(name), { issuedByContract: true });
  create('newborn-1');
  t.equal(fee(), 1n);
  create('newborn-2');
  t.equal(fee(), 16n);
  create('newborn-3');
  create('newborn-4');
  t.equal(fee(), 256n);
  t.same(properties.pending_parameters, waiting);
  world.setParameters({ account_fee_scale_bitshifts: 66, accounts_per_fee_scale: 1 });
  create('newborn-5');
  t.equal(fee(), 1024n, 'quirk: 66 bits are 2');
  world.setParameters({ account_fee_scale_bitshifts: 64 });
  create('newborn-6');
  t.equal(fee(), 1024n, '64 are none');
  world.setParameters({ account_fee_scale_bitshifts: 60 });
  create('newborn-7');
  t.equal(fee(), 0n, 'what goes beyond 64 bits is lost');
  world.setParameters({ current_fees: { ...schedule, parameters: [] } });
  refused(t, ACCOUNT_CREATE_ERRORS.account_fee_not_listed, () => create('newborn-8'));
  world.setParameters({ account_fee_scale_bitshifts: 0 });
  t.doesNotThrow(() => create('newborn-8'), 'nothing is asked of a schedule that is not scaled');
});

t.test('buyback accounts', async (t) => {
  const { world, registrar, op } = setup();
  const bought = world.asset('BOUGHT', registrar);
  const nobody = byAccounts('1.2.3');
  const create = (more: JsonObject = {}) =>
    world.run(
      5,
      op('buyer-1', {
        owner: nobody,
        active: nobody,
        extensions: {
          buyback_options: {
            asset_to_buy: `1.3.${bought}`,
            asset_to_buy_issuer: accountText(registrar),
            markets: ['1.3.2', '1.3.0', '1.3.1'],
            ...more,
          },
        },
      }),
    );
  const E = ACCOUNT_CREATE_ERRORS;
  refused(t, E.account_buyback_issuer, () => create({ asset_to_buy_issuer: '1.2.0' }));
  const tooMany = { markets: ['1.3.0', '1.3.1', '1.3.2', '1.3.7'] };
  refused(t, E.account_buyback_markets, () => create(tooMany));
  refused(t, E.account_buyback_issuer, () => create({ ...tooMany, asset_to_buy_issuer: '1.2.0' }));
  const later = world.asset('LATER', registrar);
  const markets = [`1.3.${later}`, '1.3.0', '1.3.1'];
  const id = createdInstance(create({ markets }));
  t.same(world.state.get(accountObject, id).allowed_assets, [0, 1, bought, later], 'three markets are not too many');
  t.equal(world.state.get(assetObject, bought).buyback_account, id);
  t.ok(world.state.findBy(buybackObject.by.asset, bought));
  refused(t, E.account_buyback_exists, () => create(tooMany));
  const before = MAINNET_FORKS.HF_538 - 1;
  const early = setup(before, { ...MAINNET_FORKS, HF_563: before, HF_572: before });
  const other = early.world.asset('BOUGHT', early.registrar);
  const buyback_options = {
    asset_to_buy: `1.3.${other}`,
    asset_to_buy_issuer: accountText(early.registrar),
    markets: ['1.3.1'],
  };
  refused(t, E.account_buyback_too_early, () =>
    early.world.run(5, early.op('buyer-1', { owner: nobody, active: nobody, extensions: { buyback_options } })),
  );
});

t.test('nobody but the null account may be in the authorities of a buyback account', async (t) => {
  const { world, registrar, op } = setup();
  const asset_to_buy = `1.3.${world.asset('BOUGHT', registrar)}`;
  const extensions = {
    buyback_options: { asset_to_buy, asset_to_buy_issuer: accountText(registrar), markets: ['1.3.1'] },
  };
  const nobody = byAccounts('1.2.3');
  const withKey = { ...nobody, key_auths: [[KEY, 1]] };
  const withAnother = byAccounts('1.2.3', '1.2.4');
  const create = (owner: Json, active: Json, more: JsonObject = {}) =>
    world.run(5, op('buyer-1', { owner, active, extensions: { ...extensions, ...more } }));
  const E = ACCOUNT_CREATE_ERRORS;
  for (const other of [withKey, withAnother, byAccounts('1.2.4'), byKey]) {
    refused(t, E.account_buyback_owner, () => create(other, other));
    refused(t, E.account_buyback_active, () => create(nobody, other));
  }
  const owner_special_authority = topHolders('1.3.1');
  const active_special_authority = topHolders('1.3.1');
  const special = { owner_special_authority, active_special_authority };
  refused(t, E.account_buyback_owner_special, () => create(byKey, nobody, special));
  refused(t, E.account_buyback_active_special, () => create(byKey, nobody, { active_special_authority }));
  const noMarkets = { buyback_options: { ...extensions.buyback_options, markets: [] } };
  refused(t, E.account_buyback_active, () => create(nobody, byKey, noMarkets));
  t.doesNotThrow(() => create(nobody, nobody));
});

t.test('account update', async (t) => {
  const { world, op } = setup();
  const id = createdInstance(world.run(5, op('newborn-1')));
  const account = world.state.get(accountObject, id);
  world.changeAccount(id, { top_n_control_flags: 3 });
  const update = (changes: JsonObject) => world.run(6, { account: accountText(id), ...changes });
  world.state.modify(globalPropertyObject, world.state.single(globalPropertyObject), (o) => {
    o.next_available_vote_id = 1;
  });
  update({ new_options: { ...OPTIONS, votes: ['1:0'] } });
  t.same([account.options.votes, account.top_n_control_flags], [[1], 3], 'options leave the authorities alone');
  update({ active: byAccounts('1.2.0') });
  t.same([account.active.account_auths, account.top_n_control_flags], [[[0, 1]], 0]);
  refused(t, VOTE_CHECK_ERRORS.votes_unknown, () => update({ new_options: { ...OPTIONS, votes: ['1:1'] } }));
  refused(t, AUTHORITY_MEMBER_ERRORS.account_update_auth_missing, () => update({ owner: byAccounts('1.2.99') }));
  world.setParameters({ maximum_authority_membership: 1 });
  const two = byAccounts('1.2.0', '1.2.1');
  refused(t, AUTHORITY_MEMBER_ERRORS.account_update_max_auth, () => update({ active: two }));
  refused(t, TABLE_ERRORS.object_missing, () =>
    update({ extensions: { owner_special_authority: topHolders('1.3.99') } }),
  );
  for (const field of ['owner_special_authority', 'active_special_authority']) {
    world.changeAccount(id, { top_n_control_flags: 3 });
    update({ extensions: { [field]: topHolders('1.3.1') } });
    t.equal(account.top_n_control_flags, 0, `${field}: nobody has set the authority by it yet`);
    update({ extensions: { [field]: [0, {}] } });
  }
  update({ extensions: { owner_special_authority: topHolders('1.3.1') } });
  t.ok(world.state.findBy(specialAuthorityObject.by.account, id), 'marked for maintenance');
  update({ extensions: { active_special_authority: topHolders('1.3.1') } });
  update({ extensions: { owner_special_authority: [0, {}] } });
  t.ok(world.state.findBy(specialAuthorityObject.by.account, id), 'while one is left');
  update({ extensions: { active_special_authority: [0, {}] } });
  t.notOk(world.state.findBy(specialAuthorityObject.by.account, id));
});

t.test('of two faults of an account update the first one is named', async (t) => {
  const { world } = setup();
  world.setParameters({ maximum_authority_membership: 2, maximum_witness_count: 0, maximum_committee_count: 0 });
  world.state.modify(globalPropertyObject, world.state.single(globalPropertyObject), (o) => {
    o.next_available_vote_id = 10;
  });
  const votes = ['1:1', '0:2'];
  const given = {
    account: accountText(world.account('updated')),
    new_options: { ...OPTIONS, num_witness: 0, num_committee: 0, votes },
    extensions: {},
  };
  const update = (changes: Changes) => world.run(6, withChanges(given, changes));
  const many = byAccounts('1.2.0', '1.2.1', '1.2.99');
  const missing = byAccounts('1.2.99');
  const M = AUTHORITY_MEMBER_ERRORS;
  const V = VOTE_CHECK_ERRORS;
  refusedInOrder(t, '6', update, [
    [{ owner: many }, M.account_update_max_auth],
    [{ owner: missing }, M.account_update_auth_missing],
    [{ active: many }, M.account_update_max_auth],
    [{ active: missing }, M.account_update_auth_missing],
    [{ 'extensions.owner_special_authority': topHolders('1.3.98') }, TABLE_ERRORS.object_missing],
    [{ 'extensions.active_special_authority': topHolders('1.3.99') }, TABLE_ERRORS.object_missing],
    [{ 'new_options.num_witness': 1 }, V.votes_witness_count],
    [{ 'new_options.num_committee': 1 }, V.votes_committee_count],
    [{ 'new_options.voting_account': '1.2.99' }, V.votes_proxy_missing],
    [{ 'new_options.votes': [...votes, '1:10'] }, V.votes_unknown],
  ]);
  const holders = {
    owner_special_authority: topHolders('1.3.98'),
    active_special_authority: topHolders('1.3.99'),
  };
  t.throws(() => update({ extensions: holders }), { message: /1\.3\.98/ }, 'those of the owner are asked for first');
  t.same(update({}), [0, {}]);
});

t.test('what an account update must be signed with', async (t) => {
  const owners = (changes: JsonObject) => {
    const update = operation.fromJson([6, { account: '1.2.7', ...changes }], NETWORK);
    const { active, owner } = requiredAuthorities([update]);
    t.same([...active], [7], 'the active authority in any case');
    return [...owner];
  };
  t.same(owners({ owner: byKey }), [7]);
  t.same(owners({ extensions: { owner_special_authority: [0, {}] } }), [7], 'top holders would become the owner');
  const others = { active_special_authority: topHolders('1.3.1') };
  t.same(owners({ active: byKey, new_options: OPTIONS, extensions: others }), []);
});

t.test('quirk: whoever was created with an explicit none can never have a special authority', async (t) => {
  for (const field of ['owner_special_authority', 'active_special_authority']) {
    const { world, op } = setup();
    const id = createdInstance(world.run(5, op('newborn-1', { extensions: { [field]: [0, {}] } })));
    t.ok(world.state.findBy(specialAuthorityObject.by.account, id), field);
    refused(t, TABLE_ERRORS.object_not_unique, () =>
      world.run(6, { account: accountText(id), extensions: { owner_special_authority: topHolders('1.3.1') } }),
    );
  }
});

t.test('account whitelist', async (t) => {
  const { world, registrar } = setup();
  const other = world.account('other');
  const list = (new_listing: number, authorizing = registrar, listed = other) =>
    world.run(7, {
      authorizing_account: accountText(authorizing),
      account_to_list: accountText(listed),
      new_listing,
    });
  const listings = () => {
    const listed = world.state.get(accountObject, other);
    const by = world.state.get(accountObject, registrar);
    const { whitelisting_accounts: white, blacklisting_accounts: black } = listed;
    return [white, black, by.whitelisted_accounts, by.blacklisted_accounts];
  };
  refused(t, ACCOUNT_WHITELIST_ERRORS.listing_not_lifetime, () => list(1, other, registrar));
  refused(t, TABLE_ERRORS.object_missing, () => list(1, registrar, 99));
  list(1);
  t.same(listings(), [[registrar], [], [other], []]);
  list(3);
  list(3);
  t.same(listings(), [[registrar], [registrar], [other], [other]]);
  list(0);
  t.same(listings(), [[], [], [], []]);
  world.setParameters({ allow_non_member_whitelists: true });
  t.doesNotThrow(() => list(1, other, registrar));
});

t.test('account upgrade', async (t) => {
  const { world, registrar, op } = setup();
  const id = createdInstance(world.run(5, op('newborn-1')));
  const account = world.state.get(accountObject, id);
  const upgrade = (upgrade_to_lifetime_member: boolean) =>
    world.run(8, { account_to_upgrade: accountText(id), upgrade_to_lifetime_member });
  upgrade(false);
  t.equal(account.membership_expiration_date, 0, 'quirk: nothing for an annual membership');
  const statistics = world.state.get(accountStatisticsObject, account.statistics);
  world.state.modify(accountStatisticsObject, statistics, (o) => {
    o.pending_vested_fees = 1000n;
  });
  upgrade(true);
  t.match(account, {
    membership_expiration_date: FOREVER,
    registrar: id,
    referrer: id,
    lifetime_referrer: id,
    network_fee_percentage: 2000,
    lifetime_referrer_fee_percentage: 8000,
  });
  t.match(statistics, { pending_vested_fees: 0n, lifetime_fees_paid: 1000n });
  t.ok(world.state.get(accountObject, registrar).cashback_vb !== undefined, 'the old referrer got its share');
  refused(t, ACCOUNT_UPGRADE_ERRORS.upgrade_already_lifetime, () => upgrade(true));
});

t.test('merchants and data sources', async (t) => {
  const { world, registrar } = setup();
  const id = world.account('trader');
  const account = world.state.get(accountObject, id);
  const base = { account_to_upgrade: accountText(id), auth_referrer: accountText(registrar) };
  const merchant = (upgrade_to_merchant_member: boolean, more: JsonObject = {}, proposed = false) =>
    world.run(45, { ...base, upgrade_to_merchant_member, ...more }, { proposed });
  const datasource = (upgrade_to_datasource_member: boolean, more: JsonObject = {}, proposed = false) =>
    world.run(46, { ...base, upgrade_to_datasource_member, ...more }, { proposed });
  const byCommittee = { extensions: [[1, { version: 1 }]] };

  refused(t, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.datasource_not_merchant, () => datasource(true));
  refused(t, ACCOUNT_UPGRADE_MERCHANT_ERRORS.not_merchant_yet, () => merchant(false));
  refused(t, ROLE_UPGRADE_ERRORS.role_referrer_not_lifetime, () => merchant(true, { auth_referrer: accountText(id) }));
  refused(t, PROPOSAL_ONLY_ERRORS.not_inside_proposal, () => merchant(true, byCommittee));
  for (const field of ['account_to_upgrade', 'auth_referrer']) {
    const unknown = { ...byCommittee, [field]: '1.2.99' };
    refused(t, PROPOSAL_ONLY_ERRORS.not_inside_proposal, () => merchant(true, unknown), 'asked before any account');
    refused(t, TABLE_ERRORS.object_missing, () => merchant(true, unknown, true));
  }
  merchant(true, byCommittee, true);
  t.match(account, { merchant_expiration_date: FOREVER, merchant_auth_referrer: registrar });
  refused(t, ACCOUNT_UPGRADE_MERCHANT_ERRORS.already_merchant, () => merchant(true));

  refused(t, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.not_datasource_yet, () => datasource(false));
  refused(t, PROPOSAL_ONLY_ERRORS.not_inside_proposal, () => datasource(true, byCommittee));
  datasource(true);
  t.match(account, { datasource_expiration_date: FOREVER, datasource_auth_referrer: registrar });
  refused(t, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.already_datasource, () => datasource(true));
  datasource(false);
  merchant(false);
  t.match(account, { datasource_expiration_date: 0, merchant_expiration_date: 0 });
});

t.test('a role that changes pays out what the account has spent', async (t) => {
  const { world, registrar } = setup();
  const id = world.account('trader', { registrar, referrer: registrar, lifetime_referrer: registrar });
  const statistics = world.state.get(accountStatisticsObject, world.state.get(accountObject, id).statistics);
  const spent = () => [statistics.pending_vested_fees, statistics.lifetime_fees_paid];
  const change = (tag: number, flag: string, value: boolean, proposed = false) => {
    world.state.modify(accountStatisticsObject, statistics, (o) => {
      o.pending_vested_fees = 10n;
      o.lifetime_fees_paid = 0n;
    });
    world.run(
      tag,
      { account_to_upgrade: accountText(id), auth_referrer: accountText(registrar), [flag]: value },
      { proposed },
    );
  };
  change(45, 'upgrade_to_merchant_member', true);
  t.same(spent(), [0n, 10n]);
  change(46, 'upgrade_to_datasource_member', true);
  t.same(spent(), [0n, 10n]);
  change(46, 'upgrade_to_datasource_member', false);
  t.same(spent(), [0n, 10n]);
  change(45, 'upgrade_to_merchant_member', false);
  t.same(spent(), [0n, 10n]);
  change(58, 'upgrade_to_data_transaction_member', true, true);
  t.same(spent(), [0n, 10n]);
  change(58, 'upgrade_to_data_transaction_member', false, true);
  t.same(spent(), [10n, 0n], 'quirk: that one is not taken back, and nothing happens');
});
