import { wrapU64 } from '../../base/int.js';
import { CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET, PROXY_TO_SELF_ACCOUNT } from '../../protocol/ids.js';
import { LEGACY_SYMBOL } from '../../protocol/networks.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { assetObject } from '../../state/objects/asset.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { lockBalanceObject } from '../../state/objects/lock-balance.js';
import { trustNodePledgeObject } from '../../state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { isMember } from '../../state/rules/accounts.js';
import type { ReadState } from '../../state/views.js';
import { Opinions } from './opinions.js';

export type Account = Readonly<AccountObject>;

export const opinionOf = (account: Account): Instance =>
  account.options.voting_account === PROXY_TO_SELF_ACCOUNT ? account.id : account.options.voting_account;

/** Part of an account's stake; the only one that paying out fees changes. */
export function cashbackOf(s: ReadState, account: Account): bigint {
  return account.cashback_vb === undefined ? 0n : s.get(vestingBalanceObject, account.cashback_vb).balance.amount;
}

/** Only members count, where the parameters say so: that changes with time, without a change of any object. */
export function countsForAll(s: ReadState): boolean {
  return s.single(globalPropertyObject).parameters.count_non_member_votes;
}

export const counts = (s: ReadState, account: Account): boolean => countsForAll(s) || isMember(account, s.headTime);

/**
 * What each account's opinion weighs. Sums go by table, not by account: one walk over balances, locks and pledges
 * instead of three questions per account.
 */
export class Stakes {
  readonly #s: ReadState;
  readonly #accounts: number;
  /** Without cashback and legacy votes. */
  readonly #stakes: bigint[] = [];
  /** Only in the closed window of history in which they count. */
  readonly #legacy: { readonly rate: number; readonly votes: ReadonlyMap<Instance, bigint> } | undefined;

  constructor(s: ReadState) {
    this.#s = s;
    this.#accounts = s.nextInstance(accountObject);
    const after1008 = s.active('HF_1008');
    const core = after1008 ? CORE_ASSET : ORIGINAL_CORE_ASSET;
    const legacy = s.active('HF_1002') && !after1008 ? legacyRate(s) : undefined;
    const legacyVotes = new Map<Instance, bigint>();
    s.forEach(accountBalanceObject, (row) => {
      if (row.asset_type === core) this.#add(row.owner, row.balance);
      if (legacy !== undefined && row.asset_type === legacy.asset) legacyVotes.set(row.owner, row.balance);
    });
    if (after1008) {
      for (const lock of s.all(lockBalanceObject)) {
        if (lock.amount.asset_id === CORE_ASSET) this.#add(lock.owner, lock.amount.amount);
      }
    }
    if (s.active('HF_1129')) {
      for (const pledge of s.all(trustNodePledgeObject)) {
        if (pledge.amount.asset_id === CORE_ASSET) this.#add(pledge.owner_account, pledge.amount.amount);
      }
    }
    if (legacy !== undefined) this.#legacy = { rate: legacy.rate, votes: legacyVotes };
  }

  #add(account: Instance, amount: bigint): void {
    // A made-up owner may be any number, which would make the list one of single places.
    if (account >= this.#accounts) return;
    this.#stakes[account] = (this.#stakes[account] ?? 0n) + amount;
  }

  of(account: Account): bigint {
    const whole = (this.#stakes[account.id] ?? 0n) + cashbackOf(this.#s, account);
    const legacy = this.#legacy;
    if (legacy === undefined) return whole;
    // Quirk: the sum is formed in doubles and truncated, also for those who have none of the legacy asset.
    const votes = Number(legacy.votes.get(account.id) ?? 0n) * legacy.rate; // nondet-ok: IEEE-754 arithmetic is exactly defined
    return wrapU64(BigInt(Math.trunc(Number(whole) + votes)));
  }
}

function legacyRate(s: ReadState): { asset: Instance; rate: number } | undefined {
  const asset = s.findBy(assetObject.by.symbol, LEGACY_SYMBOL);
  if (asset === undefined) return undefined;
  const { base, quote } = asset.options.core_exchange_rate;
  // Dividing by nothing gives a number without meaning in the reference; here such a rate counts nothing.
  if (quote.amount === 0n) return undefined;
  return { asset: asset.id, rate: Number(base.amount) / Number(quote.amount) }; // nondet-ok: IEEE-754 division is exactly defined
}

/** All accounts' stakes from nothing. */
export function recount(s: ReadState, stakes: Stakes): Opinions {
  const weights: bigint[] = [];
  s.forEach(accountObject, (account) => {
    if (!counts(s, account)) return;
    const opinion = opinionOf(account);
    weights[opinion] = (weights[opinion] ?? 0n) + stakes.of(account);
  });
  const opinions = new Opinions();
  weights.forEach((weight, opinion) => {
    if (weight !== undefined) opinions.add(s.get(accountObject, opinion).options, weight);
  });
  return opinions;
}
