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
import { assetObject } from '../../src/state/objects/asset.js';
import { KEYS } from './scene.js';
import { type Given, type Maker, maker, type Tools } from './tools.js';

function special(t: Tools): unknown {
  return t.chance(0.3) ? [0, {}] : [1, { asset: t.asset(), num_top_holders: t.pick(0, 1, 1, 1, 255) }];
}

function options(t: Tools): Given {
  const votes = [0x000, 0x001, 0x101, 0x102, 0x201, 0x200, 0x301, 0x401].filter(() => t.chance(0.3));
  const type = (one: number) => votes.filter((v) => (v & 0xff) === one).length;
  return {
    memo_key: KEYS[1],
    voting_account: t.chance(0.9) ? 5 : t.account(),
    num_witness: t.chance(0.8) ? Math.min(type(1), 1) : t.pick(0, 1, 2, 1002),
    num_committee: t.chance(0.8) ? 0 : t.pick(1, type(0)),
    votes,
    extensions: [],
  };
}

function version(t: Tools): unknown[] {
  return t.chance(0.5) ? [] : [[1, { version: t.pick(0, 1, 1, 1, 2) }]];
}

function accountCreate(t: Tools, registrar: number): Given {
  const count = t.count();
  const names = [
    `u-${count}`,
    `user${'abcdefghij'[count % 10]}${'klmnopqrst'[Math.floor(count / 10) % 10]}`,
    'alice',
    'a',
    'z9',
    'a.b',
    'a-',
    'a..b',
    'xyz',
    'bcd',
    `${'a'.repeat(63)}`,
    `b${'a'.repeat(63)}`,
    'a1.b-c',
    'A',
  ];
  const dice = t.random.next();
  const extensions: Given = {};
  if (t.chance(0.15)) extensions.owner_special_authority = special(t);
  if (t.chance(0.15)) extensions.active_special_authority = special(t);
  if (t.chance(0.03)) extensions.null_ext = {};
  const given: Given = {
    registrar,
    referrer: t.targetId(accountObject) ?? (t.chance(0.5) ? registrar : t.account()),
    referrer_percent: t.odd(t.pick(0, 1, 100, 101, 256, 257, 5000, 10_000), 10_001),
    name: dice < 0.6 ? names[0] : t.random.pick(names),
    owner: t.authority(),
    active: t.authority(),
    options: options(t),
    extensions,
  };
  if (t.chance(0.85)) return given;
  const asset = t.row(assetObject);
  const nobody = { weight_threshold: 1, account_auths: [[3, 1]], key_auths: [], address_auths: [] };
  const markets = [0, 1, 2, 3, 4].filter((one) => t.chance(0.5) && (one !== asset?.id || t.chance(0.1)));
  return {
    ...given,
    owner: nobody,
    active: t.chance(0.95) ? nobody : t.authority(),
    extensions: {
      ...(t.chance(0.1) ? extensions : {}),
      buyback_options: {
        asset_to_buy: asset?.id,
        asset_to_buy_issuer: t.chance(0.95) ? asset?.issuer : 8,
        markets,
      },
    },
  };
}

function accountUpdate(t: Tools): Given {
  const extensions: Given = {};
  if (t.chance(0.3)) extensions.owner_special_authority = special(t);
  if (t.chance(0.3)) extensions.active_special_authority = special(t);
  if (t.chance(0.03)) extensions.null_ext = {};
  return {
    account: t.account(),
    ...(t.chance(0.3) ? { owner: t.authority() } : {}),
    ...(t.chance(0.3) ? { active: t.authority() } : {}),
    ...(t.chance(0.4) ? { new_options: options(t) } : {}),
    extensions,
  };
}

export const ACCOUNT_MAKERS: readonly Maker[] = [
  maker(accountCreateOperation, accountCreate),
  maker(accountUpdateOperation, accountUpdate),
  maker(accountWhitelistOperation, (t, from) => ({
    authorizing_account: from,
    account_to_list: t.account(),
    new_listing: t.pick(0, 1, 2, 3, 3, 4),
  })),
  maker(accountUpgradeOperation, (t) => ({
    account_to_upgrade: t.account(),
    upgrade_to_lifetime_member: t.chance(0.8),
  })),
  maker(accountTransferOperation, (t, from) => ({ account_id: from, new_owner: t.account() })),
  maker(accountUpgradeMerchantOperation, (t, from) => ({
    account_to_upgrade: t.account(),
    auth_referrer: from,
    upgrade_to_merchant_member: t.chance(0.7),
    extensions: version(t),
  })),
  maker(accountUpgradeDatasourceOperation, (t, from) => ({
    account_to_upgrade:
      t.row(accountObject, ({ merchant_expiration_date }) => merchant_expiration_date > 0)?.id ?? t.account(),
    auth_referrer: from,
    upgrade_to_datasource_member: t.chance(0.7),
    extensions: version(t),
  })),
  maker(accountUpgradeDataTransactionMemberOperation, (t) => ({
    account_to_upgrade: t.account(),
    upgrade_to_data_transaction_member: t.chance(0.8),
  })),
];
