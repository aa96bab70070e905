import { compareText } from '../../base/bytes.js';
import { wrapU64 } from '../../base/int.js';
import { CORE_ASSET, type Instance, ORIGINAL_CORE_ASSET, PROXY_TO_SELF_ACCOUNT } from '../../protocol/ids.js';
import { LEGACY_SYMBOL } from '../../protocol/networks.js';
import { VOTE_TYPE, voteInstance, voteType } from '../../protocol/vote.js';
import { type AccountObject, accountObject } from '../../state/objects/account.js';
import { accountBalanceObject } from '../../state/objects/account-balance.js';
import { accountStatisticsObject } from '../../state/objects/account-statistics.js';
import { assetObject } from '../../state/objects/asset.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { lockBalanceObject } from '../../state/objects/lock-balance.js';
import { trustNodePledgeObject } from '../../state/objects/trust-node-pledge.js';
import { vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { witnessObject } from '../../state/objects/witness.js';
import { isMember } from '../../state/rules/accounts.js';
import { payOutFees } from '../../state/rules/fees.js';
import { isStakingMode } from '../../state/rules/parameters.js';
import type { ReadState } from '../../state/views.js';
import type { MaintenanceRun, MaintenanceStep } from './run.js';
import { tallyStakings } from './staking.js';

type Account = Readonly<AccountObject>;

/** Accounts with fees to pay out, in the bytewise order of names in which maintenance visits accounts. */
function accountsWithFees(s: ReadState): Account[] {
  const found: Account[] = [];
  for (const statistics of s.all(accountStatisticsObject)) {
    if (statistics.pending_fees <= 0n && statistics.pending_vested_fees <= 0n) continue;
    found.push(s.get(accountObject, statistics.owner));
  }
  return found.sort((a, b) => compareText(a.name, b.name));
}

/**
 * What each account's opinion weighs. Sums go by table, not by account: one walk over balances, locks and pledges
 * instead of three questions per account.
 */
class Stakes {
  readonly #s: ReadState;
  /** Without cashback and legacy votes. */
  readonly #stakes: bigint[] = [];
  /** Only in the closed window of history in which they count. */
  readonly #legacy: { readonly rate: number; readonly votes: ReadonlyMap<Instance, bigint> } | undefined;

  constructor(s: ReadState) {
    this.#s = s;
    const after1008 = s.active('HF_1008');
    const core = after1008 ? CORE_ASSET : ORIGINAL_CORE_ASSET;
    const legacy = s.active('HF_1002') && !after1008 ? this.#legacyRate() : undefined;
    const legacyVotes = new Map<Instance, bigint>();
    for (const row of s.all(accountBalanceObject)) {
      if (row.asset_type === core) this.#add(row.owner, row.balance);
      if (legacy !== undefined && row.asset_type === legacy.asset) legacyVotes.set(row.owner, row.balance);
    }
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
    this.#stakes[account] = (this.#stakes[account] ?? 0n) + amount;
  }

  #legacyRate(): { asset: Instance; rate: number } | undefined {
    const asset = this.#s.findBy(assetObject.by.symbol, LEGACY_SYMBOL);
    if (asset === undefined) return undefined;
    const { base, quote } = asset.options.core_exchange_rate;
    // Dividing by nothing gives a number without meaning in the reference; here such a rate counts nothing.
    if (quote.amount === 0n) return undefined;
    return { asset: asset.id, rate: Number(base.amount) / Number(quote.amount) }; // nondet-ok: IEEE-754 division is exactly defined
  }

  cashback(account: Account): bigint {
    return account.cashback_vb === undefined
      ? 0n
      : this.#s.get(vestingBalanceObject, account.cashback_vb).balance.amount;
  }

  of(account: Account): bigint {
    const whole = (this.#stakes[account.id] ?? 0n) + this.cashback(account);
    const legacy = this.#legacy;
    if (legacy === undefined) return whole;
    // Quirk: the sum is formed in doubles and truncated, also for those who have none of the legacy asset.
    const votes = Number(legacy.votes.get(account.id) ?? 0n) * legacy.rate; // nondet-ok: IEEE-754 arithmetic is exactly defined
    return wrapU64(BigInt(Math.trunc(Number(whole) + votes)));
  }
}

const opinionOf = (account: Account): Instance =>
  account.options.voting_account === PROXY_TO_SELF_ACCOUNT ? account.id : account.options.voting_account;

/**
 * The rule: walk all accounts in name order; count each one's stake, then pay out its fees. Payouts change the cashback
 * balances of others, so one that is visited later counts what it has received from those before it. Here all stakes
 * are counted first, in id order, and a payout to an account with a later name is added afterwards. The sums are the
 * same; the work for accounts without fees is a few additions.
 */
function tallyAndPayOut(m: MaintenanceRun): void {
  const s = m.state;
  const { parameters } = s.single(globalPropertyObject);
  const counts = (account: Account): boolean => parameters.count_non_member_votes || isMember(account, s.headTime);
  const stakes = new Stakes(s);
  /** Stake by the account whose opinion counts. */
  const weights: bigint[] = [];
  const addWeight = (account: Account, amount: bigint): void => {
    const opinion = opinionOf(account);
    weights[opinion] = (weights[opinion] ?? 0n) + amount;
    m.total += amount;
  };
  for (const account of s.all(accountObject)) if (counts(account)) addWeight(account, stakes.of(account));

  for (const payer of accountsWithFees(s)) {
    const receivers = new Set(
      [payer.lifetime_referrer, payer.referrer, payer.registrar].map((id) => s.get(accountObject, id)),
    );
    const before = [...receivers].map((account) => ({ account, stake: stakes.of(account) }));
    payOutFees(s, payer);
    for (const { account, stake } of before) {
      if (compareText(payer.name, account.name) >= 0 || !counts(account)) continue;
      addWeight(account, stakes.of(account) - stake);
    }
  }
  countOpinions(m, weights);
}

/** Distributes the weights over what the opinion accounts vote for. */
function countOpinions(m: MaintenanceRun, weights: readonly (bigint | undefined)[]): void {
  const s = m.state;
  const { parameters } = s.single(globalPropertyObject);
  const valid: boolean[] = [];
  for (const witness of s.all(witnessObject)) valid[voteInstance(witness.vote_id)] = witness.is_valid;
  for (const member of s.all(committeeMemberObject)) valid[voteInstance(member.vote_id)] = member.is_valid;
  weights.forEach((weight, opinion) => {
    if (weight === undefined || weight === 0n) return;
    const { options } = s.get(accountObject, opinion);
    for (const vote of options.votes) {
      const instance = voteInstance(vote);
      if (instance >= m.tally.length) continue;
      const type = voteType(vote);
      // Quirk: any other type byte passes the filter, and the type is never compared with the object's own.
      const filtered = type === VOTE_TYPE.committee || type === VOTE_TYPE.witness;
      if (filtered && valid[instance] !== true) continue;
      m.tally[instance] = (m.tally[instance] as bigint) + weight;
    }
    if (options.num_witness <= parameters.maximum_witness_count) {
      addToHistogram(m.witnessHistogram, options.num_witness, weight);
    }
    if (options.num_committee <= parameters.maximum_committee_count) {
      addToHistogram(m.committeeHistogram, options.num_committee, weight);
    }
  });
}

function addToHistogram(histogram: bigint[], wanted: number, weight: bigint): void {
  const at = Math.min(Math.floor(wanted / 2), histogram.length - 1);
  histogram[at] = (histogram[at] as bigint) + weight;
}

export const prepareTally: MaintenanceStep = {
  name: 'prepare_tally',
  run: (m) => {
    const global = m.state.single(globalPropertyObject);
    const { maximum_witness_count, maximum_committee_count } = global.parameters;
    const zeros = (length: number): bigint[] => new Array<bigint>(length).fill(0n);
    m.tally = zeros(global.next_available_vote_id);
    m.witnessHistogram = zeros(Math.floor(maximum_witness_count / 2) + 1);
    m.committeeHistogram = zeros(Math.floor(maximum_committee_count / 2) + 1);
    m.total = 0n;
  },
};

export const tallyVotesAndPayOutFees: MaintenanceStep = {
  name: 'tally_votes_and_pay_out_fees',
  run: (m) => {
    if (!isStakingMode(m.state)) {
      tallyAndPayOut(m);
      return;
    }
    tallyStakings(m, () => {
      for (const account of accountsWithFees(m.state)) payOutFees(m.state, account);
    });
  },
};
