import type { JsonObject } from '../../src/codec/json.js';
import { ACCOUNT_CREATE_ERRORS } from '../../src/operations/account/account-create.js';
import { ACCOUNT_UPDATE_ERRORS } from '../../src/operations/account/account-update.js';
import { ACCOUNT_UPGRADE_ERRORS } from '../../src/operations/account/account-upgrade.js';
import { DATA_TRANSACTION_MEMBER_ERRORS } from '../../src/operations/account/account-upgrade-data-transaction-member.js';
import { ACCOUNT_UPGRADE_DATASOURCE_ERRORS } from '../../src/operations/account/account-upgrade-datasource.js';
import { ACCOUNT_UPGRADE_MERCHANT_ERRORS } from '../../src/operations/account/account-upgrade-merchant.js';
import { ACCOUNT_WHITELIST_ERRORS } from '../../src/operations/account/account-whitelist.js';
import { ACCOUNT_RULE_ERRORS } from '../../src/operations/account/authority-rules.js';
import { ROLE_UPGRADE_ERRORS } from '../../src/operations/account/role-upgrade.js';
import { PROPOSAL_ONLY_ERRORS } from '../../src/operations/proposal-only.js';
import { MAINNET_FORKS } from '../../src/protocol/forks.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { AUTHORITY_MEMBER_ERRORS, VOTE_CHECK_ERRORS } from '../../src/state/rules/account-checks.js';
import { FOREVER } from '../../src/state/rules/accounts.js';
import { accountText, FreeWorld } from '../support/free-world.js';
import { assertion, type Refusal } from './define.js';

const KEY = 'GXC6MRyAjQq8ud7hVNYcfnVPJqcVpscN5So8BhtHuGYqET5GDW5CV';
const ADDRESS = 'GXCFAbAx7yuxt725qSZvfwWqkdCwp9ZnUama';
const byKey: JsonObject = { weight_threshold: 1, account_auths: [], key_auths: [[KEY, 1]], address_auths: [] };
const byAccounts = (...accounts: string[]): JsonObject => ({
  weight_threshold: 1,
  account_auths: accounts.map((account) => [account, 1]),
  key_auths: [],
  address_auths: [],
});
const MANY = byAccounts('1.2.0', '1.2.1', '1.2.2');
const EMPTY = byAccounts();
const BY_ADDRESS: JsonObject = { ...byKey, address_auths: [[ADDRESS, 1]] };
const IMPOSSIBLE: JsonObject = { ...byKey, weight_threshold: 2 };
const topHolders = (num_top_holders: number): JsonObject => ({
  owner_special_authority: [1, { asset: '1.3.2', num_top_holders }],
});

const w = new FreeWorld();
w.setParameters({ maximum_authority_membership: 2, maximum_witness_count: 1, maximum_committee_count: 1 });
const alice = w.lifetimeMember('alice');
const basic = w.account('basic', { membership_expiration_date: w.state.headTime - 1 });
const merchant = w.account('merchant', { merchant_expiration_date: FOREVER });
const source = w.account('source', { merchant_expiration_date: FOREVER, datasource_expiration_date: FOREVER });
const member = w.account('member', { data_transaction_member_expiration_date: FOREVER });
const bought = w.asset('BOUGHT', alice);
const boughtBefore = w.asset('BOUGHTBEFORE', alice);
w.state.modify(assetObject, w.state.get(assetObject, boughtBefore), (o) => {
  o.buyback_account = basic;
});

const create =
  (more: JsonObject, world = w) =>
  () =>
    world.run(5, {
      registrar: accountText(alice),
      referrer: accountText(alice),
      name: 'newborn-1',
      owner: byKey,
      active: byKey,
      options: { memo_key: KEY },
      ...more,
    });
const withOptions = (more: JsonObject) => create({ options: { memo_key: KEY, ...more } });
const update = (more: JsonObject) => () => w.run(6, { account: accountText(alice), ...more });

const nobody = byAccounts('1.2.3');
const buyback = (options: JsonObject, more: JsonObject = {}, others: JsonObject = {}, world = w) =>
  create(
    {
      owner: nobody,
      active: nobody,
      extensions: {
        ...others,
        buyback_options: {
          asset_to_buy: `1.3.${bought}`,
          asset_to_buy_issuer: accountText(alice),
          markets: ['1.3.1'],
          ...options,
        },
      },
      ...more,
    },
    world,
  );
const old = new FreeWorld(MAINNET_FORKS.HF_538 - 1);
old.lifetimeMember('alice');

const listing = (by: number, new_listing: number) => () =>
  w.run(7, { authorizing_account: accountText(by), account_to_list: '1.2.1', new_listing });
const role = (tag: number, account: number, more: JsonObject) => () =>
  w.run(tag, { account_to_upgrade: accountText(account), auth_referrer: accountText(alice), ...more });
const byCommittee: JsonObject = { extensions: [[1, { version: 1 }]] };

export const refusals: readonly Refusal[] = [
  assertion(ACCOUNT_CREATE_ERRORS.account_name_invalid, 'is_valid_name( name ): ', create({ name: 'No' })),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_referrer_percent,
    'referrer_percent <= GRAPHENE_100_PERCENT: ',
    create({ referrer_percent: 10_001 }),
  ),
  assertion(ACCOUNT_RULE_ERRORS.create_owner_empty, 'owner.num_auths() != 0: ', create({ owner: EMPTY })),
  assertion(ACCOUNT_RULE_ERRORS.create_active_empty, 'active.num_auths() != 0: ', create({ active: EMPTY })),
  assertion(
    ACCOUNT_RULE_ERRORS.create_owner_addresses,
    'owner.address_auths.size() == 0: ',
    create({ owner: BY_ADDRESS }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.create_active_addresses,
    'active.address_auths.size() == 0: ',
    create({ active: BY_ADDRESS }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.create_owner_impossible,
    '!owner.is_impossible(): cannot create an account with an imposible owner authority threshold',
    create({ owner: IMPOSSIBLE }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.create_active_impossible,
    '!active.is_impossible(): cannot create an account with an imposible active authority threshold',
    create({ active: IMPOSSIBLE }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.too_few_witness_votes,
    'needed_witnesses == 0: May not specify fewer witnesses than the number voted for.',
    withOptions({ num_witness: 1 }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.too_few_committee_votes,
    'needed_committee == 0: May not specify fewer committee members than the number voted for.',
    withOptions({ num_committee: 1 }),
  ),
  assertion(ACCOUNT_RULE_ERRORS.top_holders_zero, 'a.num_top_holders > 0: ', create({ extensions: topHolders(0) })),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_buyback_owner_special,
    '!(extensions.value.owner_special_authority.valid()): ',
    buyback({}, {}, topHolders(1)),
  ),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_buyback_active_special,
    '!(extensions.value.active_special_authority.valid()): ',
    buyback({}, {}, { active_special_authority: [0, {}] }),
  ),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_buyback_owner,
    'owner == authority::null_authority(): ',
    buyback({}, { owner: byKey }),
  ),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_buyback_active,
    'active == authority::null_authority(): ',
    buyback({}, { active: byKey }),
  ),
  assertion(ACCOUNT_CREATE_ERRORS.account_buyback_no_markets, 'n_markets > 0: ', buyback({ markets: [] })),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_buyback_own_market,
    'm != extensions.value.buyback_options->asset_to_buy: ',
    buyback({ markets: ['1.3.1', `1.3.${bought}`] }),
  ),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_registrar_not_lifetime,
    'fee_paying_account->is_lifetime_member(): Only Lifetime members may register an account.',
    create({ registrar: accountText(basic) }),
  ),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_referrer_not_member,
    'op.referrer(d).is_member(d.head_block_time()): The referrer must be either a lifetime or annual subscriber.',
    create({ referrer: accountText(basic) }),
  ),
  {
    row: AUTHORITY_MEMBER_ERRORS.account_create_max_auth,
    code: 3050501,
    name: 'account_create_max_auth_exceeded',
    message: 'Exceeds max authority fan-out: Maximum authority membership exceeded',
    raise: create({ owner: MANY }),
  },
  {
    row: AUTHORITY_MEMBER_ERRORS.account_create_auth_missing,
    code: 3050502,
    name: 'account_create_auth_account_not_found',
    message: 'Auth account not found: Account 1.2.99 specified in authority does not exist',
    raise: create({ active: byAccounts('1.2.99') }),
  },
  assertion(
    ACCOUNT_CREATE_ERRORS.account_buyback_too_early,
    'db.head_block_time() >= HARDFORK_538_TIME: ',
    buyback({}, {}, {}, old),
  ),
  {
    row: ACCOUNT_CREATE_ERRORS.account_buyback_issuer,
    code: 3050503,
    name: 'account_create_buyback_incorrect_issuer',
    message: 'Incorrect issuer specified for account: Incorrect asset issuer specified in buyback_account_options',
    raise: buyback({ asset_to_buy_issuer: accountText(basic) }),
  },
  {
    row: ACCOUNT_CREATE_ERRORS.account_buyback_exists,
    code: 3050504,
    name: 'account_create_buyback_already_exists',
    message:
      'Cannot create buyback for asset which already has buyback: Cannot create buyback for asset which already has buyback',
    raise: buyback({ asset_to_buy: `1.3.${boughtBefore}` }),
  },
  {
    row: ACCOUNT_CREATE_ERRORS.account_buyback_markets,
    code: 3050505,
    name: 'account_create_buyback_too_many_markets',
    message: 'Too many buyback markets: Too many buyback markets',
    raise: buyback({ markets: ['1.3.0', '1.3.1', '1.3.2', '1.3.9'] }),
  },
  assertion(
    VOTE_CHECK_ERRORS.votes_witness_count,
    'options.num_witness <= chain_params.maximum_witness_count: Voted for more witnesses than currently allowed (1)',
    withOptions({ num_witness: 2, votes: ['1:0', '1:1'] }),
  ),
  assertion(
    VOTE_CHECK_ERRORS.votes_committee_count,
    'options.num_committee <= chain_params.maximum_committee_count: Voted for more committee members than currently allowed (1)',
    withOptions({ num_committee: 2, votes: ['0:0', '0:1'] }),
  ),
  assertion(
    VOTE_CHECK_ERRORS.votes_proxy_missing,
    'db.find_object(options.voting_account): Invalid proxy account specified.',
    withOptions({ voting_account: '1.2.99' }),
  ),
  assertion(
    VOTE_CHECK_ERRORS.votes_unknown,
    'id < max_vote_id: assert 1:0 < 0 failed',
    withOptions({ votes: ['1:0'] }),
  ),
  assertion(
    ACCOUNT_CREATE_ERRORS.account_name_taken,
    'current_account_itr == acnt_indx.indices().get<by_name>().end(): ',
    create({ name: 'basic' }),
  ),

  assertion(
    ACCOUNT_UPDATE_ERRORS.account_update_temp,
    'account != GRAPHENE_TEMP_ACCOUNT: ',
    update({ account: '1.2.4' }),
  ),
  assertion(
    ACCOUNT_UPDATE_ERRORS.account_update_committee,
    'account != account_id_type(): ',
    update({ account: '1.2.0' }),
  ),
  assertion(ACCOUNT_UPDATE_ERRORS.account_update_nothing, 'has_action: ', update({})),
  assertion(ACCOUNT_RULE_ERRORS.update_owner_empty, 'owner->num_auths() != 0: ', update({ owner: EMPTY })),
  assertion(ACCOUNT_RULE_ERRORS.update_active_empty, 'active->num_auths() != 0: ', update({ active: EMPTY })),
  assertion(
    ACCOUNT_RULE_ERRORS.update_owner_addresses,
    'owner->address_auths.size() == 0: ',
    update({ owner: BY_ADDRESS }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.update_active_addresses,
    'active->address_auths.size() == 0: ',
    update({ active: BY_ADDRESS }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.update_owner_impossible,
    '!owner->is_impossible(): cannot update an account with an imposible owner authority threshold',
    update({ owner: IMPOSSIBLE }),
  ),
  assertion(
    ACCOUNT_RULE_ERRORS.update_active_impossible,
    '!active->is_impossible(): cannot update an account with an imposible active authority threshold',
    update({ active: IMPOSSIBLE }),
  ),
  {
    row: AUTHORITY_MEMBER_ERRORS.account_update_max_auth,
    code: 3050601,
    name: 'account_update_max_auth_exceeded',
    message: 'Exceeds max authority fan-out: Maximum authority membership exceeded',
    raise: update({ owner: MANY }),
  },
  {
    row: AUTHORITY_MEMBER_ERRORS.account_update_auth_missing,
    code: 3050602,
    name: 'account_update_auth_account_not_found',
    message: 'Auth account not found: Account 1.2.99 specified in authority does not exist',
    raise: update({ active: byAccounts('1.2.99') }),
  },

  assertion(ACCOUNT_WHITELIST_ERRORS.listing_invalid, 'new_listing < 0x4: ', listing(alice, 4)),
  assertion(
    ACCOUNT_WHITELIST_ERRORS.listing_not_lifetime,
    'o.authorizing_account(d).is_lifetime_member(): ',
    listing(basic, 1),
  ),
  assertion(
    ACCOUNT_UPGRADE_ERRORS.upgrade_already_lifetime,
    "!account->is_lifetime_member():  Unable to upgrade account 'alice'",
    () => w.run(8, { account_to_upgrade: accountText(alice), upgrade_to_lifetime_member: true }),
  ),

  assertion(
    ROLE_UPGRADE_ERRORS.role_referrer_not_lifetime,
    "auth_referrer_account->is_lifetime_member():  Unable to upgrade merchant account 'basic'",
    role(45, basic, { auth_referrer: accountText(basic), upgrade_to_merchant_member: true }),
  ),
  assertion(
    PROPOSAL_ONLY_ERRORS.not_inside_proposal,
    "trx_state->_is_proposed_trx:  Unable to upgrade merchant account 'basic'",
    role(45, basic, { ...byCommittee, upgrade_to_merchant_member: true }),
  ),
  assertion(
    PROPOSAL_ONLY_ERRORS.not_inside_proposal,
    'trx_state->_is_proposed_trx: ',
    role(46, 99, { ...byCommittee, upgrade_to_datasource_member: true }),
  ),
  assertion(PROPOSAL_ONLY_ERRORS.not_inside_proposal, 'trx_state->_is_proposed_trx: ', () =>
    w.run(58, { account_to_upgrade: accountText(basic), upgrade_to_data_transaction_member: true }),
  ),
  assertion(
    ACCOUNT_UPGRADE_MERCHANT_ERRORS.already_merchant,
    "!account->is_merchant_member():  Unable to upgrade merchant account 'merchant'",
    role(45, merchant, { upgrade_to_merchant_member: true }),
  ),
  assertion(
    ACCOUNT_UPGRADE_MERCHANT_ERRORS.not_merchant_yet,
    "account->is_merchant_member():  Unable to upgrade merchant account 'basic'",
    role(45, basic, { upgrade_to_merchant_member: false }),
  ),
  assertion(
    ACCOUNT_UPGRADE_DATASOURCE_ERRORS.datasource_not_merchant,
    "account->is_merchant_member():  Unable to upgrade datasource account 'basic'",
    role(46, basic, { upgrade_to_datasource_member: true }),
  ),
  assertion(
    ACCOUNT_UPGRADE_DATASOURCE_ERRORS.already_datasource,
    "!account->is_datasource_member():  Unable to upgrade datasource account 'source'",
    role(46, source, { upgrade_to_datasource_member: true }),
  ),
  assertion(
    ACCOUNT_UPGRADE_DATASOURCE_ERRORS.not_datasource_yet,
    "account->is_datasource_member():  Unable to upgrade datasource account 'merchant'",
    role(46, merchant, { upgrade_to_datasource_member: false }),
  ),
  assertion(
    DATA_TRANSACTION_MEMBER_ERRORS.already_data_transaction_member,
    '!account->is_data_transaction_member(): ',
    () =>
      w.run(
        58,
        { account_to_upgrade: accountText(member), upgrade_to_data_transaction_member: true },
        { proposed: true },
      ),
  ),
];
