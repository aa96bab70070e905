import type { AccountOptions, Authority, SpecialAuthority } from '../../src/protocol/authority.js';
import type { ExtensionItem } from '../../src/protocol/extensions.js';
import {
  accountCreateOperation,
  accountTransferOperation,
  accountUpdateOperation,
  accountUpgradeDatasourceOperation,
  accountUpgradeDataTransactionMemberOperation,
  accountUpgradeMerchantOperation,
  accountUpgradeOperation,
  accountWhitelistOperation,
} from '../../src/protocol/operations/accounts.js';
import { accountObject } from '../../src/state/objects/account.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { buybackObject } from '../../src/state/objects/buyback.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { specialAuthorityObject } from '../../src/state/objects/special-authority.js';
import { data, flat } from './fee-rules.js';
import { type AnyRule, type Model, rule } from './model.js';
import { must } from './tables.js';

const FOREVER = 0xffff_ffff;

const hasFee = ({ fee }: { fee: { amount: bigint } }): void => must(fee.amount >= 0n, 'a fee below zero');

export function isAccountName(name: string): boolean {
  if (Buffer.byteLength(name) < 1 || Buffer.byteLength(name) > 63) return false;
  return name.split('.').every((label) => /^[a-z](?:[a-z0-9-]*[a-z0-9])?$/.test(label));
}

const isCheap = (name: string): boolean => /[0-9./-]/.test(name) || !/[aeiouy]/.test(name);

const members = (auth: Authority) => [...auth.account_auths, ...auth.key_auths, ...auth.address_auths];

function validAuthority(auth: Authority): void {
  must(members(auth).length > 0, 'an authority of nobody');
  must(auth.address_auths.length === 0, 'an authority with addresses');
  const sum = members(auth).reduce((total, [, weight]) => total + weight, 0);
  must(sum >= auth.weight_threshold, 'an impossible authority');
}

function validOptions(options: AccountOptions): void {
  const ofType = (type: number) => options.votes.filter((vote) => (vote & 0xff) === type).length;
  must(ofType(1) >= options.num_witness, 'fewer witnesses than wanted');
  must(ofType(0) >= options.num_committee, 'fewer committee members than wanted');
}

function validSpecial(special: SpecialAuthority | undefined): void {
  if (special?.[0] === 1) must((special[1] as { num_top_holders: number }).num_top_holders > 0, 'no top holders');
}

const isNullAuthority = (auth: Authority): boolean =>
  auth.weight_threshold === 1 &&
  members(auth).length === 1 &&
  auth.account_auths[0]?.[0] === 3 &&
  auth.account_auths[0][1] === 1;

function checkAuthority(m: Model, auth: Authority | undefined): void {
  if (auth === undefined) return;
  must(members(auth).length <= m.parameters.maximum_authority_membership, 'too many members');
  for (const [id] of auth.account_auths) m.account(id);
}

function checkSpecial(m: Model, special: SpecialAuthority | undefined): void {
  if (special?.[0] === 1) m.asset((special[1] as { asset: number }).asset);
}

function checkVotes(m: Model, options: AccountOptions): void {
  must(options.num_witness <= m.parameters.maximum_witness_count, 'too many witnesses');
  must(options.num_committee <= m.parameters.maximum_committee_count, 'too many committee members');
  m.account(options.voting_account);
  const next = m.get(globalPropertyObject, 0).next_available_vote_id;
  must(
    options.votes.every((vote) => vote >>> 8 < next),
    'a vote for nobody',
  );
}

const accountCreate = rule(accountCreateOperation, {
  payer: (op) => op.registrar,
  fee: {
    defaults: { basic_fee: 100_000, premium_fee: 200_000_000, price_per_kbyte: 100_000 },
    price: (values, op, size) =>
      values(isCheap(op.name) ? 'basic_fee' : 'premium_fee') + data(size, values('price_per_kbyte')),
  },
  asks(op, { active }) {
    const buyback = op.extensions.buyback_options;
    if (buyback !== undefined) active.add(buyback.asset_to_buy_issuer);
  },
  valid(op) {
    hasFee(op);
    must(isAccountName(op.name), 'a bad name');
    must(op.referrer_percent <= 10_000, 'more than all for the referrer');
    validAuthority(op.owner);
    validAuthority(op.active);
    validOptions(op.options);
    const { owner_special_authority: owner, active_special_authority: active, buyback_options } = op.extensions;
    validSpecial(owner);
    validSpecial(active);
    if (buyback_options === undefined) return;
    must(owner === undefined && active === undefined, 'a buyback account with special authorities');
    must(isNullAuthority(op.owner) && isNullAuthority(op.active), 'a buyback account with authorities');
    must(buyback_options.markets.length > 0, 'a buyback account without markets');
    must(!buyback_options.markets.includes(buyback_options.asset_to_buy), 'the asset is its own market');
  },
  run(m, op) {
    must(m.isLifetime(op.registrar), 'the registrar is no lifetime member');
    must(!m.isBasic(op.referrer), 'the referrer is no member');
    const { owner_special_authority: owner, active_special_authority: active, buyback_options } = op.extensions;
    checkAuthority(m, op.owner);
    checkAuthority(m, op.active);
    checkSpecial(m, owner);
    checkSpecial(m, active);
    if (buyback_options !== undefined) {
      must(m.from('538'), 'no buyback accounts yet');
      const bought = m.asset(buyback_options.asset_to_buy);
      must(bought.issuer === buyback_options.asset_to_buy_issuer, 'another issuer');
      must(bought.buyback_account === undefined, 'a second buyback account');
      must(buyback_options.markets.length < 4, 'too many markets');
    }
    checkVotes(m, op.options);
    let percent = op.referrer_percent;
    if (!m.after('453') && op.referrer !== op.registrar && percent >= 1 && percent <= 256) {
      percent = Math.min(percent * 100, 10_000);
    }
    const id = m.next(accountObject);
    const statistics = m.create(accountStatisticsObject, { owner: id });
    m.create(
      accountObject,
      {
        registrar: op.registrar,
        referrer: op.referrer,
        lifetime_referrer: m.account(op.referrer).lifetime_referrer,
        network_fee_percentage: m.parameters.network_percent_of_fee,
        lifetime_referrer_fee_percentage: m.parameters.lifetime_referrer_percent_of_fee,
        referrer_rewards_percentage: percent,
        name: op.name,
        owner: op.owner,
        active: op.active,
        options: op.options,
        statistics,
        owner_special_authority: owner ?? [0, {}],
        active_special_authority: active ?? [0, {}],
        ...(buyback_options === undefined
          ? {}
          : { allowed_assets: [...buyback_options.markets, buyback_options.asset_to_buy].sort((a, b) => a - b) }),
      },
      (other) => other.name === op.name,
    );
    countRegistration(m);
    if (owner !== undefined || active !== undefined) addSpecial(m, id);
    if (buyback_options !== undefined) {
      const { asset_to_buy } = buyback_options;
      m.create(buybackObject, { asset_to_buy }, (row) => row.asset_to_buy === asset_to_buy);
      m.change(assetObject, asset_to_buy, (o) => {
        o.buyback_account = id;
      });
    }
    return [1, (1n << 56n) | (2n << 48n) | BigInt(id)];
  },
});

const addSpecial = (m: Model, account: number): void => {
  m.create(specialAuthorityObject, { account }, (row) => row.account === account);
};

/** Every so many registrations the next ones cost more. */
function countRegistration(m: Model): void {
  m.change(dynamicGlobalPropertyObject, 0, (o) => {
    o.accounts_registered_this_interval += 1;
  });
  const { accounts_per_fee_scale, account_fee_scale_bitshifts } = m.parameters;
  const count = m.get(dynamicGlobalPropertyObject, 0).accounts_registered_this_interval;
  if (count % accounts_per_fee_scale !== 0 || account_fee_scale_bitshifts === 0) return;
  m.change(globalPropertyObject, 0, (o) => {
    const entry = o.parameters.current_fees.parameters.find(([tag]) => tag === 5);
    must(entry !== undefined, 'no fee of registrations to scale');
    const fees = entry[1] as { basic_fee: bigint };
    fees.basic_fee = BigInt.asUintN(64, fees.basic_fee << BigInt(account_fee_scale_bitshifts % 64));
  });
}

const accountUpdate = rule(accountUpdateOperation, {
  payer: (op) => op.account,
  fee: {
    defaults: { fee: 100_000, price_per_kbyte: 100_000 },
    price: (values, op, size) =>
      values('fee') + (op.new_options === undefined ? 0n : data(size, values('price_per_kbyte'))),
  },
  asks(op, { owner }) {
    if (op.owner !== undefined || op.extensions.owner_special_authority !== undefined) owner.add(op.account);
  },
  valid(op) {
    hasFee(op);
    must(op.account !== 0 && op.account !== 4, 'nobody updates these');
    const { owner_special_authority: owner, active_special_authority: active } = op.extensions;
    must(
      [op.owner, op.active, op.new_options, owner, active].some((one) => one !== undefined),
      'nothing to update',
    );
    if (op.owner !== undefined) validAuthority(op.owner);
    if (op.active !== undefined) validAuthority(op.active);
    if (op.new_options !== undefined) validOptions(op.new_options);
    validSpecial(owner);
    validSpecial(active);
  },
  run(m, op) {
    checkAuthority(m, op.owner);
    checkAuthority(m, op.active);
    const { owner_special_authority: owner, active_special_authority: active } = op.extensions;
    checkSpecial(m, owner);
    checkSpecial(m, active);
    if (op.new_options !== undefined) checkVotes(m, op.new_options);
    const isSpecial = () =>
      [m.account(op.account).owner_special_authority, m.account(op.account).active_special_authority].some(
        ([tag]) => tag !== 0,
      );
    const wasSpecial = isSpecial();
    m.change(accountObject, op.account, (o) => {
      if (op.owner !== undefined) o.owner = op.owner;
      if (op.active !== undefined) o.active = op.active;
      if (op.new_options !== undefined) o.options = op.new_options;
      if (owner !== undefined) o.owner_special_authority = owner;
      if (active !== undefined) o.active_special_authority = active;
      if ([op.owner, op.active, owner, active].some((one) => one !== undefined)) o.top_n_control_flags = 0;
    });
    if (wasSpecial && !isSpecial()) {
      const row = m.where(specialAuthorityObject, ({ account }) => account === op.account);
      must(row !== undefined, 'no special authority to remove');
      m.remove(specialAuthorityObject, row.id);
    }
    if (!wasSpecial && isSpecial()) addSpecial(m, op.account);
    return undefined;
  },
});

const listed = (list: readonly number[], id: number, isIn: boolean): number[] =>
  [...list.filter((one) => one !== id), ...(isIn ? [id] : [])].sort((a, b) => a - b);

const accountWhitelist = rule(accountWhitelistOperation, {
  payer: (op) => op.authorizing_account,
  fee: flat(300_000),
  valid(op) {
    hasFee(op);
    must(op.new_listing < 4, 'an unknown listing');
  },
  run(m, op) {
    const { authorizing_account: by, account_to_list: whom } = op;
    m.account(whom);
    must(m.parameters.allow_non_member_whitelists || m.isLifetime(by), 'only lifetime members list others');
    const isWhite = (op.new_listing & 1) !== 0;
    const isBlack = (op.new_listing & 2) !== 0;
    m.change(accountObject, whom, (o) => {
      o.whitelisting_accounts = listed(o.whitelisting_accounts, by, isWhite);
      o.blacklisting_accounts = listed(o.blacklisting_accounts, by, isBlack);
    });
    m.change(accountObject, by, (o) => {
      o.whitelisted_accounts = listed(o.whitelisted_accounts, whom, isWhite);
      o.blacklisted_accounts = listed(o.blacklisted_accounts, whom, isBlack);
    });
    return undefined;
  },
});

const accountUpgrade = rule(accountUpgradeOperation, {
  payer: (op) => op.account_to_upgrade,
  fee: {
    defaults: { membership_annual_fee: 100_000_000, membership_lifetime_fee: 200_000_000 },
    price: (values, op) => values(op.upgrade_to_lifetime_member ? 'membership_lifetime_fee' : 'membership_annual_fee'),
  },
  valid: hasFee,
  run(m, op) {
    const id = op.account_to_upgrade;
    must(!m.isLifetime(id), 'a lifetime member already');
    if (!op.upgrade_to_lifetime_member) return undefined;
    m.payOutFees(id);
    m.change(accountObject, id, (o) => {
      o.membership_expiration_date = FOREVER;
      o.referrer = id;
      o.registrar = id;
      o.lifetime_referrer = id;
      o.lifetime_referrer_fee_percentage = 10_000 - o.network_fee_percentage;
    });
    return undefined;
  },
});

const accountTransfer = rule(accountTransferOperation, {
  payer: (op) => op.account_id,
  fee: flat(50_000_000),
  valid: hasFee,
});

const isVersionOne = (extensions: readonly ExtensionItem[]): boolean =>
  extensions.some(([tag, value]) => tag === 1 && (value as { version: number }).version === 1);

const isNow = (date: number): boolean => date === FOREVER;

const merchant = rule(accountUpgradeMerchantOperation, {
  payer: (op) => (isVersionOne(op.extensions) ? 0 : op.auth_referrer),
  fee: flat(0),
  valid: hasFee,
  run(m, op, { proposed }) {
    if (isVersionOne(op.extensions)) must(proposed, 'only in a proposal');
    const account = m.account(op.account_to_upgrade);
    m.account(op.auth_referrer);
    if (!isVersionOne(op.extensions)) must(m.isLifetime(op.auth_referrer), 'the referrer is no lifetime member');
    must(isNow(account.merchant_expiration_date) !== op.upgrade_to_merchant_member, 'nothing changes');
    m.payOutFees(account.id);
    m.change(accountObject, account.id, (o) => {
      o.merchant_auth_referrer = op.auth_referrer;
      o.merchant_expiration_date = op.upgrade_to_merchant_member ? FOREVER : 0;
    });
    return undefined;
  },
});

const datasource = rule(accountUpgradeDatasourceOperation, {
  payer: (op) => (isVersionOne(op.extensions) ? 0 : op.auth_referrer),
  fee: flat(0),
  valid: hasFee,
  run(m, op, { proposed }) {
    if (isVersionOne(op.extensions)) must(proposed, 'only in a proposal');
    const account = m.account(op.account_to_upgrade);
    m.account(op.auth_referrer);
    if (!isVersionOne(op.extensions)) must(m.isLifetime(op.auth_referrer), 'the referrer is no lifetime member');
    must(isNow(account.merchant_expiration_date), 'no merchant');
    must(isNow(account.datasource_expiration_date) !== op.upgrade_to_datasource_member, 'nothing changes');
    m.payOutFees(account.id);
    m.change(accountObject, account.id, (o) => {
      o.datasource_auth_referrer = op.auth_referrer;
      o.datasource_expiration_date = op.upgrade_to_datasource_member ? FOREVER : 0;
    });
    return undefined;
  },
});

const dataMember = rule(accountUpgradeDataTransactionMemberOperation, {
  payer: () => 0,
  fee: flat(0),
  valid: hasFee,
  run(m, op, { proposed }) {
    must(proposed, 'only in a proposal');
    const account = m.account(op.account_to_upgrade);
    if (!op.upgrade_to_data_transaction_member) return undefined;
    must(!isNow(account.data_transaction_member_expiration_date), 'a member already');
    m.payOutFees(account.id);
    m.change(accountObject, account.id, (o) => {
      o.data_transaction_member_expiration_date = FOREVER;
    });
    return undefined;
  },
});

export const ACCOUNT_RULES: readonly AnyRule[] = [
  accountCreate,
  accountUpdate,
  accountWhitelist,
  accountUpgrade,
  accountTransfer,
  merchant,
  datasource,
  dataMember,
];
