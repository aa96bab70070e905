import { check, defineErrors } from '../../base/errors.js';
import { wrapU64 } from '../../base/int.js';
import { canonical } from '../../codec/containers.js';
import type { Authority, SpecialAuthority } from '../../protocol/authority.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import { compareInstances, NULL_ACCOUNT } from '../../protocol/ids.js';
import { isValidAccountName } from '../../protocol/names.js';
import type { FeeParameters } from '../../protocol/operation-slot.js';
import { accountCreateOperation } from '../../protocol/operations/accounts.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { buybackObject } from '../../state/objects/buyback.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { specialAuthorityObject } from '../../state/objects/special-authority.js';
import { checkAuthorityMembers, checkVotes } from '../../state/rules/account-checks.js';
import { isLifetimeMember, isMember } from '../../state/rules/accounts.js';
import { createAccount } from '../../state/rules/new-account.js';
import { parameters } from '../../state/rules/parameters.js';
import type { ReadState, WriteState } from '../../state/views.js';
import { checkFee } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { validateAccountOptions, validateNewAuthorities, validateSpecialAuthority } from './authority-rules.js';

export const ACCOUNT_CREATE_ERRORS = defineErrors({
  account_name_invalid: { text: 'is_valid_name( name ): ', hint: 'this can not be the name of an account' },
  account_referrer_percent: {
    text: 'referrer_percent <= GRAPHENE_100_PERCENT: ',
    hint: 'the referrer gets more than 100 percent',
  },
  account_buyback_owner_special: {
    text: '!(extensions.value.owner_special_authority.valid()): ',
    hint: 'a buyback account has no special owner authority',
  },
  account_buyback_active_special: {
    text: '!(extensions.value.active_special_authority.valid()): ',
    hint: 'a buyback account has no special active authority',
  },
  account_buyback_owner: {
    text: 'owner == authority::null_authority(): ',
    hint: 'the owner authority of a buyback account is the null account',
  },
  account_buyback_active: {
    text: 'active == authority::null_authority(): ',
    hint: 'the active authority of a buyback account is the null account',
  },
  account_buyback_no_markets: { text: 'n_markets > 0: ', hint: 'a buyback account needs at least one market' },
  account_buyback_own_market: {
    text: 'm != extensions.value.buyback_options->asset_to_buy: ',
    hint: 'the asset to buy is among the markets of its own buyback account',
  },
  account_registrar_not_lifetime: {
    text: 'fee_paying_account->is_lifetime_member(): Only Lifetime members may register an account.',
  },
  account_referrer_not_member: {
    text: 'op.referrer(d).is_member(d.head_block_time()): The referrer must be either a lifetime or annual subscriber.',
  },
  account_buyback_too_early: {
    text: 'db.head_block_time() >= HARDFORK_538_TIME: ',
    hint: 'there are no buyback accounts before fork 538',
  },
  account_buyback_issuer: {
    code: 3050503,
    name: 'account_create_buyback_incorrect_issuer',
    title: 'Incorrect issuer specified for account',
    text: 'Incorrect asset issuer specified in buyback_account_options',
  },
  account_buyback_exists: {
    code: 3050504,
    name: 'account_create_buyback_already_exists',
    text: 'Cannot create buyback for asset which already has buyback',
  },
  account_buyback_markets: {
    code: 3050505,
    name: 'account_create_buyback_too_many_markets',
    text: 'Too many buyback markets',
  },
  account_fee_not_listed: { text: 'the fee schedule has no entry for account creation that could be scaled' },
  account_name_taken: {
    text: 'current_account_itr == acnt_indx.indices().get<by_name>().end(): ',
    hint: 'there is an account of this name',
  },
});

const BUYBACK_MARKETS_END = 4;
/** Until fork 453 small percentages were taken for whole percents. */
const SMALL_PERCENT_MAX = 256;

const { schema } = accountCreateOperation;
type AccountCreate = ReturnType<typeof schema.default>;

/** Nobody can fulfil it: the only member is the null account. */
function isNullAuthority(auth: Authority): boolean {
  const [member] = auth.account_auths;
  const onlyMember = auth.account_auths.length === 1 && member?.[0] === NULL_ACCOUNT && member[1] === 1;
  return auth.weight_threshold === 1 && onlyMember && auth.key_auths.length === 0 && auth.address_auths.length === 0;
}

function validateBuyback(op: AccountCreate): void {
  const { owner_special_authority, active_special_authority, buyback_options } = op.extensions;
  if (buyback_options === undefined) return;
  check(owner_special_authority === undefined, ACCOUNT_CREATE_ERRORS.account_buyback_owner_special);
  check(active_special_authority === undefined, ACCOUNT_CREATE_ERRORS.account_buyback_active_special);
  check(isNullAuthority(op.owner), ACCOUNT_CREATE_ERRORS.account_buyback_owner);
  check(isNullAuthority(op.active), ACCOUNT_CREATE_ERRORS.account_buyback_active);
  const { markets, asset_to_buy } = buyback_options;
  check(markets.length >= 1, ACCOUNT_CREATE_ERRORS.account_buyback_no_markets);
  check(!markets.includes(asset_to_buy), ACCOUNT_CREATE_ERRORS.account_buyback_own_market);
}

/** The asset that a special authority refers to must exist. */
export function evaluateSpecialAuthority(s: ReadState, special: SpecialAuthority | undefined): void {
  if (special !== undefined && special[0] === 1) s.get(assetObject, special[1].asset);
}

function evaluateBuyback(s: ReadState, op: AccountCreate): void {
  const options = op.extensions.buyback_options;
  if (options === undefined) return;
  check(s.active('HF_538'), ACCOUNT_CREATE_ERRORS.account_buyback_too_early);
  const bought = s.get(assetObject, options.asset_to_buy);
  check(bought.issuer === options.asset_to_buy_issuer, ACCOUNT_CREATE_ERRORS.account_buyback_issuer);
  check(bought.buyback_account === undefined, ACCOUNT_CREATE_ERRORS.account_buyback_exists);
  check(options.markets.length < BUYBACK_MARKETS_END, ACCOUNT_CREATE_ERRORS.account_buyback_markets);
}

function rewardsPercentage(s: ReadState, op: AccountCreate): number {
  const percent = op.referrer_percent;
  const isSmall = percent > 0 && percent <= SMALL_PERCENT_MAX && op.referrer !== op.registrar;
  return !s.active('HF_453') && isSmall ? Math.min(percent * 100, PERCENT_100) : percent;
}

/** Registrations get dearer while many happen within one maintenance interval. */
function countRegistration(s: WriteState): void {
  const dynamic = s.single(dynamicGlobalPropertyObject);
  const count = dynamic.accounts_registered_this_interval + 1;
  s.modify(dynamicGlobalPropertyObject, dynamic, (o) => {
    o.accounts_registered_this_interval = count;
  });
  const { accounts_per_fee_scale, account_fee_scale_bitshifts } = parameters(s);
  // A scale of 0 is refused where parameters are set.
  if (account_fee_scale_bitshifts === 0 || count % accounts_per_fee_scale !== 0) return;
  scaleAccountFee(s, account_fee_scale_bitshifts);
}

/**
 * Takes effect for later operations; the maintenance takes back what was added. Quirk: the count of the shift is taken
 * modulo 64, and what goes beyond 64 bits is lost.
 */
function scaleAccountFee(s: WriteState, shifts: number): void {
  const properties = s.single(globalPropertyObject);
  const { current_fees } = properties.parameters;
  const at = current_fees.parameters.findIndex(([tag]) => tag === accountCreate.tag);
  check(at >= 0, ACCOUNT_CREATE_ERRORS.account_fee_not_listed);
  const [tag, entry] = current_fees.parameters[at] as [number, { basic_fee: bigint }];
  const entries: FeeParameters[] = [...current_fees.parameters];
  entries[at] = [tag, { ...entry, basic_fee: wrapU64(entry.basic_fee << BigInt(shifts % 64)) }];
  s.modify(globalPropertyObject, properties, (o) => {
    o.parameters = { ...o.parameters, current_fees: { ...current_fees, parameters: entries } };
  });
}

export const accountCreate = defineOperation({
  ...accountCreateOperation,
  payer: (op) => op.registrar,
  authorities(op, required) {
    const buyback = op.extensions.buyback_options;
    if (buyback !== undefined) required.active.add(buyback.asset_to_buy_issuer);
  },
  validate(op) {
    checkFee(op);
    check(isValidAccountName(op.name), ACCOUNT_CREATE_ERRORS.account_name_invalid);
    check(op.referrer_percent <= PERCENT_100, ACCOUNT_CREATE_ERRORS.account_referrer_percent);
    validateNewAuthorities(op.owner, op.active);
    validateAccountOptions(op.options);
    validateSpecialAuthority(op.extensions.owner_special_authority);
    validateSpecialAuthority(op.extensions.active_special_authority);
    validateBuyback(op);
  },
  evaluate(s, op) {
    const registrar = s.get(accountObject, op.registrar);
    check(isLifetimeMember(registrar), ACCOUNT_CREATE_ERRORS.account_registrar_not_lifetime);
    const referrer = s.get(accountObject, op.referrer);
    check(isMember(referrer, s.headTime), ACCOUNT_CREATE_ERRORS.account_referrer_not_member);
    checkAuthorityMembers(s, op.owner, 'account_create');
    checkAuthorityMembers(s, op.active, 'account_create');
    evaluateSpecialAuthority(s, op.extensions.owner_special_authority);
    evaluateSpecialAuthority(s, op.extensions.active_special_authority);
    evaluateBuyback(s, op);
    checkVotes(s, op.options);
    const isFree = s.findBy(accountObject.by.name, op.name) === undefined;
    check(isFree, ACCOUNT_CREATE_ERRORS.account_name_taken);
  },
  apply(s, op) {
    const account = register(s, op);
    countRegistration(s);
    const { owner_special_authority, active_special_authority, buyback_options } = op.extensions;
    // Quirk: the mark is set as soon as a field is there, even if it says that there is no special authority.
    if (owner_special_authority !== undefined || active_special_authority !== undefined) {
      s.create(specialAuthorityObject, { account: account.id });
    }
    if (buyback_options !== undefined) {
      s.create(buybackObject, { asset_to_buy: buyback_options.asset_to_buy });
      s.modify(assetObject, s.get(assetObject, buyback_options.asset_to_buy), (o) => {
        o.buyback_account = account.id;
      });
    }
    return createdResult(accountObject, account.id);
  },
});

/** Markets and the bought asset, as a set. */
function allowedAssets(op: AccountCreate): number[] | undefined {
  const buyback = op.extensions.buyback_options;
  if (buyback === undefined) return undefined;
  return canonical([...buyback.markets, buyback.asset_to_buy], compareInstances);
}

function register(s: WriteState, op: AccountCreate): Readonly<AccountObject> {
  const { network_percent_of_fee, lifetime_referrer_percent_of_fee } = parameters(s);
  return createAccount(s, {
    registrar: op.registrar,
    referrer: op.referrer,
    lifetime_referrer: s.get(accountObject, op.referrer).lifetime_referrer,
    network_fee_percentage: network_percent_of_fee,
    lifetime_referrer_fee_percentage: lifetime_referrer_percent_of_fee,
    referrer_rewards_percentage: rewardsPercentage(s, op),
    name: op.name,
    owner: op.owner,
    active: op.active,
    options: op.options,
    owner_special_authority: op.extensions.owner_special_authority ?? [0, {}],
    active_special_authority: op.extensions.active_special_authority ?? [0, {}],
    allowed_assets: allowedAssets(op),
  });
}
