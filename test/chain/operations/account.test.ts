import { addressOfKey } from '../../../src/crypto/address.js';
import { ACCOUNT_CREATE_ERRORS } from '../../../src/operations/account/account-create.js';
import { ACCOUNT_UPDATE_ERRORS } from '../../../src/operations/account/account-update.js';
import { ACCOUNT_UPGRADE_ERRORS } from '../../../src/operations/account/account-upgrade.js';
import { DATA_TRANSACTION_MEMBER_ERRORS } from '../../../src/operations/account/account-upgrade-data-transaction-member.js';
import { ACCOUNT_UPGRADE_DATASOURCE_ERRORS } from '../../../src/operations/account/account-upgrade-datasource.js';
import { ACCOUNT_UPGRADE_MERCHANT_ERRORS } from '../../../src/operations/account/account-upgrade-merchant.js';
import { ACCOUNT_WHITELIST_ERRORS } from '../../../src/operations/account/account-whitelist.js';
import { ACCOUNT_RULE_ERRORS } from '../../../src/operations/account/authority-rules.js';
import { ROLE_UPGRADE_ERRORS } from '../../../src/operations/account/role-upgrade.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { type Authority, emptyAuthority, keyAuthority } from '../../../src/protocol/authority.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { makeVoteId } from '../../../src/protocol/vote.js';
import { accountStatisticsObject } from '../../../src/state/objects/account-statistics.js';
import { assetObject } from '../../../src/state/objects/asset.js';
import { buybackObject } from '../../../src/state/objects/buyback.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../../src/state/objects/global-property.js';
import { specialAuthorityObject } from '../../../src/state/objects/special-authority.js';
import { AUTHORITY_MEMBER_ERRORS, VOTE_CHECK_ERRORS } from '../../../src/state/rules/account-checks.js';
import { FOREVER } from '../../../src/state/rules/accounts.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';
import { accountKey } from '../../support/world-genesis.js';

const WORLD = { accounts: { alice: 10n ** 9n, bob: 0n, carol: 0n, basic: 10n ** 9n }, basic: ['basic'] };

const authorityOf = (name: string): Authority => keyAuthority(accountKey(name).publicKey);
const memberAuthority = (...members: number[]): Authority => ({
  ...emptyAuthority(members.length),
  account_auths: members.map((id): [number, number] => [id, 1]).sort((a, b) => a[0] - b[0]),
});

const newcomer = (w: TestWorld, name: string) => ({
  registrar: 'alice',
  referrer: 'bob',
  referrer_percent: 5000,
  name,
  owner: authorityOf(name),
  active: authorityOf(name),
  options: w.account('bob').options,
});

worldTest('account_create (5)', WORLD, (t, w) => {
  const given = newcomer(w, 'newcomer-1');
  const { options } = given;
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_registrar_not_lifetime, 'account_create', { ...given, registrar: 'basic' });
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_referrer_not_member, 'account_create', { ...given, referrer: 'basic' });
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_create', { ...given, referrer: 9_999 });
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_name_taken, 'account_create', { ...given, name: 'carol' });
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_name_invalid, 'account_create', { ...given, name: 'No' });
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_referrer_percent, 'account_create', { ...given, referrer_percent: 10_001 });
  for (const field of ['owner', 'active']) {
    const missing = { ...given, [field]: memberAuthority(9_999) };
    w.refuse(t, AUTHORITY_MEMBER_ERRORS.account_create_auth_missing, 'account_create', missing);
    const many = { ...given, [field]: memberAuthority(...Array.from({ length: 11 }, (_, i) => i)) };
    w.refuse(t, AUTHORITY_MEMBER_ERRORS.account_create_max_auth, 'account_create', many);
    const empty = field === 'owner' ? ACCOUNT_RULE_ERRORS.create_owner_empty : ACCOUNT_RULE_ERRORS.create_active_empty;
    w.refuse(t, empty, 'account_create', { ...given, [field]: emptyAuthority(1) });
    const impossible = { ...authorityOf('x'), weight_threshold: 2 };
    const row =
      field === 'owner' ? ACCOUNT_RULE_ERRORS.create_owner_impossible : ACCOUNT_RULE_ERRORS.create_active_impossible;
    w.refuse(t, row, 'account_create', { ...given, [field]: impossible });
  }
  const withOptions = (more: object) => ({ ...given, options: { ...options, ...more } });
  w.refuse(t, VOTE_CHECK_ERRORS.votes_proxy_missing, 'account_create', withOptions({ voting_account: 9_999 }));
  w.refuse(t, VOTE_CHECK_ERRORS.votes_unknown, 'account_create', withOptions({ votes: [makeVoteId(1, 999)] }));
  w.refuse(t, ACCOUNT_RULE_ERRORS.too_few_witness_votes, 'account_create', withOptions({ num_witness: 1 }));
  w.refuse(t, ACCOUNT_RULE_ERRORS.too_few_committee_votes, 'account_create', withOptions({ num_committee: 1 }));
  const p = w.state.single(globalPropertyObject).parameters;
  const wanting = (field: string, type: number, count: number) =>
    withOptions({ [field]: count, votes: Array.from({ length: count }, (_, i) => makeVoteId(type, i)) });
  const manyWitnesses = wanting('num_witness', 1, p.maximum_witness_count + 1);
  w.refuse(t, VOTE_CHECK_ERRORS.votes_witness_count, 'account_create', manyWitnesses);
  const manyMembers = wanting('num_committee', 0, p.maximum_committee_count + 1);
  w.refuse(t, VOTE_CHECK_ERRORS.votes_committee_count, 'account_create', manyMembers);
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'account_create', { ...given, fee: core(-1) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_create', given, ['bob']));

  const before = w.state.single(dynamicGlobalPropertyObject).accounts_registered_this_interval;
  const id = w.create('account_create', given);
  w.block();
  const account = w.account('newcomer-1');
  t.equal(account.id, id);
  holds(t, account, {
    registrar: w.id('alice'),
    referrer: w.id('bob'),
    lifetime_referrer: w.account('bob').lifetime_referrer,
    referrer_rewards_percentage: 5000,
    owner: authorityOf('newcomer-1'),
    active: authorityOf('newcomer-1'),
    options,
    membership_expiration_date: 0,
    network_fee_percentage: p.network_percent_of_fee,
    lifetime_referrer_fee_percentage: p.lifetime_referrer_percent_of_fee,
    owner_special_authority: [0, {}],
    active_special_authority: [0, {}],
    top_n_control_flags: 0,
    allowed_assets: undefined,
    cashback_vb: undefined,
  });
  holds(t, w.state.get(accountStatisticsObject, account.statistics), {
    owner: id,
    pending_fees: 0n,
    pending_vested_fees: 0n,
    lifetime_fees_paid: 0n,
  });
  t.equal(w.state.count(specialAuthorityObject), 0);
  t.equal(w.state.single(dynamicGlobalPropertyObject).accounts_registered_this_interval, before + 1);
  w.addKey(accountKey('newcomer-1'));
  w.push('transfer', { from: 'alice', to: 'newcomer-1', amount: core(5) });
  w.push('transfer', { from: 'newcomer-1', to: 'alice', amount: core(5) });
  w.block();
});

const SCALED = {
  accounts_per_fee_scale: 2,
  account_fee_scale_bitshifts: 3,
  current_fees: { parameters: [[5, { basic_fee: 8000, premium_fee: 0, price_per_kbyte: 0 }]], scale: 10_000 },
};

worldTest('account_create (5) gets dearer as it is used', { ...WORLD, parameters: SCALED }, (t, w) => {
  const basicFee = () => w.operation('account_create', newcomer(w, 'newcomer-0'))[1].fee.amount;
  const registered = () => w.state.single(dynamicGlobalPropertyObject).accounts_registered_this_interval;
  w.maintenance();
  const fee = basicFee();
  t.equal(registered(), 0);
  w.create('account_create', newcomer(w, 'newcomer-1'));
  t.same([basicFee(), registered()], [fee, 1]);
  w.create('account_create', newcomer(w, 'newcomer-2'));
  t.same([basicFee(), registered()], [fee << 3n, 2], 'the second doubles it three times');
  w.create('account_create', newcomer(w, 'newcomer-3'));
  w.create('account_create', newcomer(w, 'newcomer-4'));
  t.equal(basicFee(), fee << 6n);
  w.block();
  w.maintenance();
  t.same([basicFee(), registered()], [fee, 0], 'until the maintenance');
});

worldTest('account_create (5) with special authorities and buyback', WORLD, (t, w) => {
  const asset = w.create('asset_create', { issuer: 'alice', symbol: 'BOUGHT', common_options: assetOptions() });
  const special = (num_top_holders: number, of = asset) => [1, { asset: of, num_top_holders }];
  const withSpecial = (name: string, owner: unknown, field = 'owner_special_authority') => ({
    ...newcomer(w, name),
    extensions: { [field]: owner },
  });
  const active = withSpecial('special-1', special(1, 99), 'active_special_authority');
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_create', active);
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_create', withSpecial('special-1', special(1, 99)));
  w.refuse(t, ACCOUNT_RULE_ERRORS.top_holders_zero, 'account_create', withSpecial('special-1', special(0)));
  w.create('account_create', withSpecial('special-1', special(3)));
  w.create('account_create', withSpecial('special-2', [0, {}]));
  w.block();
  holds(t, w.account('special-1'), { owner_special_authority: special(3), active_special_authority: [0, {}] });
  t.same(
    [...w.state.all(specialAuthorityObject)].map(({ account }) => account),
    [w.id('special-1'), w.id('special-2')],
    'an explicit "none" counts as well',
  );
  w.addKey(accountKey('special-2'));
  const later = { account: 'special-2', extensions: { owner_special_authority: special(3) } };
  w.refuse(t, TABLE_ERRORS.object_not_unique, 'account_update', later, 'and is in the way of a real one later');

  const nobody = memberAuthority(3);
  const buyback = (more: object = {}) => ({
    ...newcomer(w, 'buyback-1'),
    owner: nobody,
    active: nobody,
    extensions: { buyback_options: { asset_to_buy: asset, asset_to_buy_issuer: 'alice', markets: [1], ...more } },
  });
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_issuer, 'account_create', buyback({ asset_to_buy_issuer: 'bob' }));
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_markets, 'account_create', buyback({ markets: [0, 1, 3, 4] }));
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_own_market, 'account_create', buyback({ markets: [asset] }));
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_no_markets, 'account_create', buyback({ markets: [] }));
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_create', buyback({ asset_to_buy: 99 }));
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_active, 'account_create', {
    ...buyback(),
    active: authorityOf('buyback-1'),
  });
  for (const [field, row] of [
    ['owner_special_authority', ACCOUNT_CREATE_ERRORS.account_buyback_owner_special],
    ['active_special_authority', ACCOUNT_CREATE_ERRORS.account_buyback_active_special],
  ] as const) {
    const both = { ...buyback().extensions, [field]: special(1) };
    w.refuse(t, row, 'account_create', { ...buyback(), extensions: both });
  }
  // Whoever has issued the asset must agree.
  const ofBasic = w.create('asset_create', { issuer: 'basic', symbol: 'OTHER', common_options: assetOptions() });
  const foreign = buyback({ asset_to_buy: ofBasic, asset_to_buy_issuer: 'basic' });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_create', foreign, ['alice']));
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_owner, 'account_create', {
    ...buyback(),
    owner: authorityOf('buyback-1'),
  });
  const id = w.create('account_create', buyback());
  w.block();
  t.same(w.account('buyback-1').allowed_assets, [1, asset]);
  t.same(
    [...w.state.all(buybackObject)].map(({ asset_to_buy }) => asset_to_buy),
    [asset],
  );
  t.equal(w.state.get(assetObject, asset).buyback_account, id);
  const second = { ...buyback(), name: 'buyback-2' };
  w.refuse(t, ACCOUNT_CREATE_ERRORS.account_buyback_exists, 'account_create', second);
  t.equal(w.account('buyback-1').id, id);
});

worldTest('account_update (6)', WORLD, (t, w) => {
  const { options } = w.account('bob');
  const update = (more: object) => ({ account: 'bob', ...more });
  w.refuse(t, ACCOUNT_UPDATE_ERRORS.account_update_nothing, 'account_update', update({}));
  refused(t, ACCOUNT_UPDATE_ERRORS.account_update_temp, () =>
    w.push('account_update', { account: 4, new_options: options }, []),
  );
  refused(t, ACCOUNT_UPDATE_ERRORS.account_update_committee, () =>
    w.push('account_update', { account: 0, new_options: options }, []),
  );
  const missing = update({ active: memberAuthority(9_999) });
  w.refuse(t, AUTHORITY_MEMBER_ERRORS.account_update_auth_missing, 'account_update', missing);
  const many = update({ owner: memberAuthority(...Array.from({ length: 11 }, (_, i) => i)) });
  w.refuse(t, AUTHORITY_MEMBER_ERRORS.account_update_max_auth, 'account_update', many);
  const voting = (more: object) => update({ new_options: { ...options, ...more } });
  w.refuse(t, VOTE_CHECK_ERRORS.votes_unknown, 'account_update', voting({ votes: [makeVoteId(0, 500)] }));
  w.refuse(t, VOTE_CHECK_ERRORS.votes_proxy_missing, 'account_update', voting({ voting_account: 9_999 }));
  w.refuse(t, ACCOUNT_RULE_ERRORS.too_few_committee_votes, 'account_update', voting({ num_committee: 1 }));
  w.refuse(
    t,
    OPERATION_ERRORS.operation_fee_negative,
    'account_update',
    update({ new_options: options, fee: core(-1) }),
  );
  for (const field of ['owner', 'active']) {
    const empty = field === 'owner' ? ACCOUNT_RULE_ERRORS.update_owner_empty : ACCOUNT_RULE_ERRORS.update_active_empty;
    w.refuse(t, empty, 'account_update', update({ [field]: emptyAuthority(1) }));
    const byAddress = { ...emptyAuthority(1), address_auths: [[addressOfKey(accountKey('x').publicKey), 1]] };
    const both = { ...byAddress, key_auths: authorityOf('x').key_auths };
    const row =
      field === 'owner' ? ACCOUNT_RULE_ERRORS.update_owner_addresses : ACCOUNT_RULE_ERRORS.update_active_addresses;
    w.refuse(t, row, 'account_update', update({ [field]: both }));
  }
  for (const field of ['owner_special_authority', 'active_special_authority']) {
    const unknown = update({ extensions: { [field]: [1, { asset: 99, num_top_holders: 1 }] } });
    w.refuse(t, TABLE_ERRORS.object_missing, 'account_update', unknown);
    const nobody = update({ extensions: { [field]: [1, { asset: 1, num_top_holders: 0 }] } });
    w.refuse(t, ACCOUNT_RULE_ERRORS.top_holders_zero, 'account_update', nobody);
  }
  const former = w.account('bob');
  const [owner, active] = [former.owner, former.active];
  w.push('account_update', voting({ voting_account: w.id('alice') }));
  t.same([w.account('bob').owner, w.account('bob').active], [owner, active], 'what is not given stays');
  w.push('account_update', update({ active: authorityOf('other') }));
  w.block();
  t.equal(w.account('bob').options.voting_account, w.id('alice'));
  t.same(w.account('bob').active, authorityOf('other'));
  // The owner may do what the active authority may, not the other way round.
  w.push('account_update', voting({}), ['bob']);
  refused(t, AUTHORITY_ERRORS.owner_auth_missing, () =>
    w.push('account_update', update({ owner: authorityOf('other') }), ['other']),
  );
  w.push('account_update', update({ owner: authorityOf('other') }), ['bob']);
  w.block();
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_update', voting({}), ['bob']));
});

worldTest('account_update (6) of special authorities', WORLD, (t, w) => {
  const special = (n: number) => [1, { asset: 1, num_top_holders: n }];
  const update = (extensions: object) => w.push('account_update', { account: 'bob', extensions });
  update({ active_special_authority: special(2), owner_special_authority: special(1) });
  w.block();
  t.equal(w.state.count(specialAuthorityObject), 1, 'one for both');
  update({ owner_special_authority: [0, {}] });
  w.block();
  t.equal(w.state.count(specialAuthorityObject), 1, 'as long as one of them is real');
  holds(t, w.account('bob'), { owner_special_authority: [0, {}], active_special_authority: special(2) });
  w.maintenance();
  t.same(
    w.account('bob').active.account_auths.map(([id]) => id),
    [w.id('alice'), w.id('basic')].sort((a, b) => a - b),
    'the two richest',
  );
  t.equal(w.account('bob').top_n_control_flags, 2);
  // Options touch nothing of this, an authority takes everything back.
  w.push('account_update', { account: 'bob', new_options: w.account('bob').options }, ['bob']);
  t.equal(w.account('bob').top_n_control_flags, 2);
  w.push('account_update', { account: 'bob', owner: authorityOf('bob') }, ['bob']);
  w.block();
  t.equal(w.account('bob').top_n_control_flags, 0);
  refused(t, TABLE_ERRORS.object_missing, () =>
    update({ owner_special_authority: [1, { asset: 99, num_top_holders: 1 }] }),
  );
  w.push(
    'account_update',
    { account: 'bob', active: authorityOf('bob'), extensions: { active_special_authority: [0, {}] } },
    ['bob'],
  );
  w.block();
  t.equal(w.state.count(specialAuthorityObject), 0);
  t.equal(w.account('bob').top_n_control_flags, 0);
});

worldTest('account_whitelist (7)', WORLD, (t, w) => {
  const given = { authorizing_account: 'alice', account_to_list: 'bob', new_listing: 3 };
  w.refuse(t, ACCOUNT_WHITELIST_ERRORS.listing_not_lifetime, 'account_whitelist', {
    ...given,
    authorizing_account: 'basic',
  });
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_whitelist', { ...given, account_to_list: 9_999 });
  w.refuse(t, ACCOUNT_WHITELIST_ERRORS.listing_invalid, 'account_whitelist', { ...given, new_listing: 4 });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'account_whitelist', { ...given, fee: core(-1) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_whitelist', given, ['bob']));
  const lists = () => [
    w.account('bob').whitelisting_accounts,
    w.account('bob').blacklisting_accounts,
    w.account('alice').whitelisted_accounts,
    w.account('alice').blacklisted_accounts,
  ];
  const [alice, bob] = [w.id('alice'), w.id('bob')];
  t.same(w.push('account_whitelist', given), [0, {}]);
  w.block();
  t.same(lists(), [[alice], [alice], [bob], [bob]]);
  w.push('account_whitelist', { ...given, new_listing: 1 });
  w.block();
  t.same(lists(), [[alice], [], [bob], []]);
  w.push('account_whitelist', { ...given, new_listing: 2 });
  w.block();
  t.same(lists(), [[], [alice], [], [bob]]);
  w.push('account_whitelist', { ...given, new_listing: 0 });
  w.block();
  t.same(lists(), [[], [], [], []]);
});

worldTest(
  'account_whitelist (7) by anybody, if the parameters allow it',
  { ...WORLD, parameters: { allow_non_member_whitelists: true } },
  (t, w) => {
    w.push('account_whitelist', { authorizing_account: 'basic', account_to_list: 'bob', new_listing: 2 });
    w.block();
    t.same(w.account('bob').blacklisting_accounts, [w.id('basic')]);
  },
);

worldTest(
  'account_upgrade (8)',
  { ...WORLD, fees: true, accounts: { ...WORLD.accounts, basic: 10n ** 12n } },
  (t, w) => {
    w.refuse(t, ACCOUNT_UPGRADE_ERRORS.upgrade_already_lifetime, 'account_upgrade', {
      account_to_upgrade: 'alice',
      upgrade_to_lifetime_member: true,
    });
    const annual = w.operation('account_upgrade', { account_to_upgrade: 'basic', upgrade_to_lifetime_member: false });
    refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.pushAll([annual], ['alice']));
    const former = w.account('basic');
    const [balance, { membership_expiration_date, registrar, referrer }] = [w.balance('basic'), former];
    t.same(w.pushAll([annual]), [[0, {}]]);
    w.block();
    holds(t, w.account('basic'), { membership_expiration_date, registrar, referrer }, 'paid for nothing');
    t.equal(w.balance('basic'), balance - annual[1].fee.amount);
    t.ok(annual[1].fee.amount > 0n);
    w.push('account_upgrade', { account_to_upgrade: 'basic', upgrade_to_lifetime_member: true });
    w.block();
    const basic = w.account('basic');
    holds(t, basic, {
      membership_expiration_date: FOREVER,
      registrar: basic.id,
      referrer: basic.id,
      lifetime_referrer: basic.id,
      lifetime_referrer_fee_percentage: 10_000 - basic.network_fee_percentage,
    });
  },
);

worldTest('merchants (45), data sources (46), data transaction members (58)', WORLD, (t, w) => {
  const merchant = { account_to_upgrade: 'basic', auth_referrer: 'alice', upgrade_to_merchant_member: true };
  const source = { account_to_upgrade: 'basic', auth_referrer: 'alice', upgrade_to_datasource_member: true };
  w.refuse(t, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.datasource_not_merchant, 'account_upgrade_datasource', source);
  const byBasic = { ...merchant, auth_referrer: 'basic' };
  w.refuse(t, ROLE_UPGRADE_ERRORS.role_referrer_not_lifetime, 'account_upgrade_merchant', byBasic);
  const down = { ...merchant, upgrade_to_merchant_member: false };
  w.refuse(t, ACCOUNT_UPGRADE_MERCHANT_ERRORS.not_merchant_yet, 'account_upgrade_merchant', down);
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_upgrade_merchant', { ...merchant, account_to_upgrade: 9_999 });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'account_upgrade_merchant', { ...merchant, fee: core(-1) });
  w.refuse(t, OPERATION_ERRORS.operation_fee_negative, 'account_upgrade_datasource', { ...source, fee: core(-1) });
  // Who is upgraded is not asked.
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_upgrade_merchant', merchant, ['basic']));
  t.same(w.push('account_upgrade_merchant', merchant), [0, {}]);
  w.block();
  holds(t, w.account('basic'), { merchant_expiration_date: FOREVER, merchant_auth_referrer: w.id('alice') });
  w.refuse(t, ACCOUNT_UPGRADE_MERCHANT_ERRORS.already_merchant, 'account_upgrade_merchant', merchant);

  const downSource = { ...source, upgrade_to_datasource_member: false };
  const sourceByBasic = { ...source, auth_referrer: 'basic' };
  w.refuse(t, ROLE_UPGRADE_ERRORS.role_referrer_not_lifetime, 'account_upgrade_datasource', sourceByBasic);
  w.refuse(t, TABLE_ERRORS.object_missing, 'account_upgrade_datasource', { ...source, account_to_upgrade: 9_999 });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('account_upgrade_datasource', source, ['basic']));
  w.refuse(t, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.not_datasource_yet, 'account_upgrade_datasource', downSource);
  t.same(w.push('account_upgrade_datasource', source), [0, {}]);
  w.block();
  holds(t, w.account('basic'), { datasource_expiration_date: FOREVER, datasource_auth_referrer: w.id('alice') });
  w.refuse(t, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.already_datasource, 'account_upgrade_datasource', source);
  w.push('account_upgrade_datasource', downSource);
  w.push('account_upgrade_merchant', down);
  w.block();
  holds(t, w.account('basic'), { merchant_expiration_date: 0, datasource_expiration_date: 0 });

  const member = { account_to_upgrade: 'basic', upgrade_to_data_transaction_member: true };
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () =>
    w.push('account_upgrade_data_transaction_member', member, []),
  );
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () =>
    w.push('account_upgrade_merchant', { ...merchant, extensions: [[1, { version: 1 }]] }, []),
  );
  const memberName = 'account_upgrade_data_transaction_member';
  w.refuseProposed(t, TABLE_ERRORS.object_missing, memberName, { ...member, account_to_upgrade: 9_999 });
  w.asCommittee(memberName, member);
  w.block();
  t.equal(w.account('basic').data_transaction_member_expiration_date, FOREVER);
  w.refuseProposed(t, DATA_TRANSACTION_MEMBER_ERRORS.already_data_transaction_member, memberName, member);
  w.asCommittee(memberName, { ...member, upgrade_to_data_transaction_member: false });
  w.block();
  t.equal(w.account('basic').data_transaction_member_expiration_date, FOREVER, 'there is no way back');
});

worldTest('merchants (45) and data sources (46) by the committee', WORLD, (t, w) => {
  const byCommittee = { account_to_upgrade: 'carol', auth_referrer: 'basic', extensions: [[1, { version: 1 }]] };
  const merchant = { ...byCommittee, upgrade_to_merchant_member: true };
  const source = { ...byCommittee, upgrade_to_datasource_member: true };
  const refusals = [
    ['account_upgrade_merchant', { ...merchant, account_to_upgrade: 9_999 }, TABLE_ERRORS.object_missing],
    ['account_upgrade_merchant', { ...merchant, auth_referrer: 9_999 }, TABLE_ERRORS.object_missing],
    [
      'account_upgrade_merchant',
      { ...merchant, upgrade_to_merchant_member: false },
      ACCOUNT_UPGRADE_MERCHANT_ERRORS.not_merchant_yet,
    ],
    ['account_upgrade_datasource', source, ACCOUNT_UPGRADE_DATASOURCE_ERRORS.datasource_not_merchant],
    ['account_upgrade_datasource', { ...source, auth_referrer: 9_999 }, TABLE_ERRORS.object_missing],
  ] as const;
  for (const [name, given, row] of refusals) w.refuseProposed(t, row, name, given);
  w.asCommittee('account_upgrade_merchant', merchant);
  w.asCommittee('account_upgrade_datasource', source);
  w.block();
  // Whom the committee names as the referrer need not be a lifetime member.
  holds(t, w.account('carol'), {
    merchant_expiration_date: FOREVER,
    merchant_auth_referrer: w.id('basic'),
    datasource_expiration_date: FOREVER,
    datasource_auth_referrer: w.id('basic'),
  });
});
