import { map, set, variant, withDefault } from '../codec/containers.js';
import { u8, u16, u32 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { extensions } from './extensions.js';
import { accountId, assetId, compareInstances, type Instance, PROXY_TO_SELF_ACCOUNT } from './ids.js';
import { address, publicKey } from './keys.js';
import { voteId } from './vote.js';

export const authority = struct('authority', {
  weight_threshold: u32,
  account_auths: map(accountId, u16),
  key_auths: map(publicKey, u16),
  address_auths: map(address, u16),
});
export type Authority = ValueOf<typeof authority>;

export const accountOptions = struct('account_options', {
  memo_key: publicKey,
  voting_account: withDefault(accountId, () => PROXY_TO_SELF_ACCOUNT),
  num_witness: u16,
  num_committee: u16,
  votes: set(voteId),
  extensions,
});
export type AccountOptions = ValueOf<typeof accountOptions>;

export const specialAuthority = variant('special_authority', [
  struct('no_special_authority', {}),
  struct('top_holders_special_authority', { asset: assetId, num_top_holders: { ...u8, default: () => 1 } }),
]);
export type SpecialAuthority = ValueOf<typeof specialAuthority>;

export const buybackOptions = struct('buyback_account_options', {
  asset_to_buy: assetId,
  asset_to_buy_issuer: accountId,
  markets: set(assetId),
});

/** No authority can be weaker: satisfied without any signature. */
export function emptyAuthority(weight_threshold = 0): Authority {
  return { weight_threshold, account_auths: [], key_auths: [], address_auths: [] };
}

export function keyAuthority(key: string): Authority {
  return { ...emptyAuthority(1), key_auths: [[key, 1]] };
}

/** Number of members of all three kinds. */
export function authoritySize(auth: Authority): number {
  return auth.account_auths.length + auth.key_auths.length + auth.address_auths.length;
}

/** True when all members together cannot reach the threshold. */
export function isImpossible(auth: Authority): boolean {
  let total = 0;
  for (const members of [auth.account_auths, auth.key_auths, auth.address_auths]) {
    for (const [, weight] of members) total += weight;
  }
  return total < auth.weight_threshold;
}

/** Accounts, each once, in the order in which they came. It is one account nearly always, and that needs no set. */
export class AccountSet implements Iterable<Instance> {
  #first: Instance | undefined;
  #all: Set<Instance> | undefined;
  #ascending: readonly Instance[] | undefined;

  static of(...accounts: readonly Instance[]): AccountSet {
    const set = new AccountSet();
    for (const account of accounts) set.add(account);
    return set;
  }

  get size(): number {
    if (this.#all !== undefined) return this.#all.size;
    return this.#first === undefined ? 0 : 1;
  }

  add(account: Instance): void {
    this.#ascending = undefined;
    if (this.#first === undefined) this.#first = account;
    else if (this.#all !== undefined) this.#all.add(account);
    else if (this.#first !== account) this.#all = new Set([this.#first, account]);
  }

  has(account: Instance): boolean {
    return this.#all === undefined ? this.#first === account : this.#all.has(account);
  }

  *[Symbol.iterator](): Generator<Instance, void, undefined> {
    if (this.#all !== undefined) yield* this.#all;
    else if (this.#first !== undefined) yield this.#first;
  }

  /** By their numbers. */
  ascending(): readonly Instance[] {
    if (this.#all === undefined) return this.#first === undefined ? [] : [this.#first];
    this.#ascending ??= [...this.#all].sort(compareInstances);
    return this.#ascending;
  }
}

/** What one operation demands; active and owner are accounts. */
export interface RequiredAuthorities {
  readonly active: AccountSet;
  readonly owner: AccountSet;
  readonly other: Authority[];
}
