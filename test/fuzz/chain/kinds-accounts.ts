import {
  type Authority,
  emptyAuthority,
  keyAuthority,
  type SpecialAuthority,
} from '../../../src/protocol/authority.js';
import type { Instance } from '../../../src/protocol/ids.js';
import { accountObject } from '../../../src/state/objects/account.js';
import { committeeMemberObject } from '../../../src/state/objects/committee-member.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { isDatasource, isLifetimeMember, isMerchant } from '../../../src/state/rules/accounts.js';
import { keyOf } from './keys.js';
import { BUILT_IN_COUNT, type Kind, type Scene, USERS } from './scene.js';

const NULL_AUTHORITY: Authority = { ...emptyAuthority(1), account_auths: [[3, 1]] };

function lifetimeMember(scene: Scene): Instance {
  return scene.accountWhere((account) => account.id >= BUILT_IN_COUNT && isLifetimeMember(account))?.id ?? scene.user();
}

/** Keys, other accounts, or both; circles among them happen. */
function authorityFor(scene: Scene, name: string): Authority {
  const own = keyAuthority(keyOf(name).publicKey);
  const { random } = scene;
  if (random.chance(0.7)) return own;
  const [first, second] = [scene.user(), scene.account().id].sort((a, b) => a - b) as [Instance, Instance];
  const members: [Instance, number][] =
    first === second
      ? [[first, 1]]
      : [
          [first, 1],
          [second, 2],
        ];
  return { ...own, account_auths: members, weight_threshold: random.between(1, 3) };
}

function special(scene: Scene): SpecialAuthority {
  if (scene.random.chance(0.3)) return [0, {}];
  return [1, { asset: scene.asset().id, num_top_holders: scene.random.between(1, 5) }];
}

function votes(scene: Scene): number[] {
  const all = [...scene.state.all(witnessObject), ...scene.state.all(committeeMemberObject)].map((one) => one.vote_id);
  return scene.few(all, scene.random.chance(0.5) ? 0.95 : 0.4).sort((a, b) => a - b);
}

const accountCreate: Kind = {
  name: 'account_create',
  weight: 8,
  make(scene) {
    const { random } = scene;
    const registrar = lifetimeMember(scene);
    const name = random.chance(0.15)
      ? `fuzz${'abcdefghij'[scene.unique() % 10]}${'klmnop'[random.below(6)]}`
      : `fuzz-${scene.unique()}`;
    const auth = authorityFor(scene, name);
    const options = { memo_key: keyOf(name).publicKey, voting_account: random.chance(0.3) ? scene.user() : 5 };
    const given = {
      registrar,
      referrer: random.chance(0.5) ? registrar : lifetimeMember(scene),
      referrer_percent: random.below(10_001),
      name,
      owner: auth,
      active: auth,
      options: { num_witness: 0, num_committee: 0, votes: [], extensions: [], ...options },
    };
    if (random.chance(0.1))
      return scene.op(this.name, { ...given, extensions: { active_special_authority: special(scene) } });
    const bought = scene.issuedAsset();
    if (bought === undefined || random.chance(0.85)) return scene.op(this.name, given);
    const buyback_options = { asset_to_buy: bought.id, asset_to_buy_issuer: bought.issuer, markets: [1] };
    return scene.op(this.name, {
      ...given,
      owner: NULL_AUTHORITY,
      active: NULL_AUTHORITY,
      extensions: { buyback_options },
    });
  },
};

const accountUpdate: Kind = {
  name: 'account_update',
  weight: 8,
  make(scene) {
    const { random } = scene;
    const account = random.chance(0.7)
      ? scene.state.get(accountObject, scene.user())
      : scene.state.get(accountObject, random.between(BUILT_IN_COUNT, scene.state.nextInstance(accountObject) - 1));
    if (random.chance(0.6)) {
      const chosen = votes(scene);
      const num_witness = random.chance(0.5) ? 0 : chosen.filter((vote) => (vote & 0xff) === 1).length;
      const voting_account = random.chance(0.15) ? scene.user() : 5;
      return scene.op(this.name, {
        account: account.id,
        new_options: { ...account.options, votes: chosen, num_witness, num_committee: 0, voting_account },
      });
    }
    // Those with money keep a key of their own, or the run would dry up.
    const auth = USERS.includes(account.name)
      ? keyAuthority(keyOf(account.name).publicKey)
      : authorityFor(scene, account.name);
    if (random.chance(0.6)) return scene.op(this.name, { account: account.id, active: auth });
    if (random.chance(0.5)) return scene.op(this.name, { account: account.id, owner: auth });
    if (USERS.includes(account.name)) return undefined;
    const which = random.chance(0.5) ? 'owner_special_authority' : 'active_special_authority';
    return scene.op(this.name, { account: account.id, extensions: { [which]: special(scene) } });
  },
};

const accountWhitelist: Kind = {
  name: 'account_whitelist',
  weight: 2,
  make: (scene) =>
    scene.op('account_whitelist', {
      authorizing_account: lifetimeMember(scene),
      account_to_list: scene.account().id,
      new_listing: scene.random.below(4),
    }),
};

const accountUpgrade: Kind = {
  name: 'account_upgrade',
  weight: 3,
  make(scene) {
    const account = scene.accountWhere((one) => one.id >= BUILT_IN_COUNT && !isLifetimeMember(one));
    if (account === undefined) return undefined;
    const upgrade = scene.op('account_upgrade', {
      account_to_upgrade: account.id,
      upgrade_to_lifetime_member: scene.random.chance(0.8),
    });
    const money = upgrade[1].fee.amount + 50_000_000n;
    return [
      scene.op('transfer', { from: scene.user(), to: account.id, amount: { ...upgrade[1].fee, amount: money } }),
      upgrade,
    ];
  },
};

const BY_COMMITTEE = [[1, { version: 1 }]];

function roleKind(name: string, field: string, isIn: (scene: Scene, id: Instance) => boolean): Kind['make'] {
  return (scene) => {
    const account_to_upgrade = scene.payer();
    const to =
      scene.random.chance(0.15) === isIn(scene, account_to_upgrade)
        ? scene.random.chance(0.5)
        : !isIn(scene, account_to_upgrade);
    return scene.op(name, { account_to_upgrade, auth_referrer: lifetimeMember(scene), [field]: to });
  };
}

const becomeMerchant: Kind = {
  name: 'account_upgrade_merchant',
  weight: 4,
  make: roleKind('account_upgrade_merchant', 'upgrade_to_merchant_member', (scene, id) =>
    isMerchant(scene.state.get(accountObject, id)),
  ),
};

const becomeDatasource: Kind = {
  name: 'account_upgrade_datasource',
  weight: 5,
  make(scene) {
    const merchant = scene.accountWhere((one) => isMerchant(one) && !isDatasource(one));
    return scene.op(this.name, {
      account_to_upgrade: merchant?.id ?? scene.payer(),
      auth_referrer: lifetimeMember(scene),
      upgrade_to_datasource_member: scene.random.chance(0.9),
    });
  },
};

const roleByCommittee: Kind = {
  name: 'account_upgrade_merchant',
  weight: 1,
  byCommittee: true,
  make: (scene) =>
    scene.op('account_upgrade_merchant', {
      account_to_upgrade: scene.account().id,
      auth_referrer: lifetimeMember(scene),
      upgrade_to_merchant_member: scene.random.chance(0.7),
      extensions: BY_COMMITTEE,
    }),
};

const becomeDataMember: Kind = {
  name: 'account_upgrade_data_transaction_member',
  weight: 3,
  byCommittee: true,
  make: (scene) =>
    scene.op('account_upgrade_data_transaction_member', {
      account_to_upgrade: scene.payer(),
      upgrade_to_data_transaction_member: scene.random.chance(0.9),
    }),
};

export const ACCOUNT_KINDS: readonly Kind[] = [
  accountCreate,
  accountUpdate,
  accountWhitelist,
  accountUpgrade,
  becomeMerchant,
  becomeDatasource,
  roleByCommittee,
  becomeDataMember,
];
