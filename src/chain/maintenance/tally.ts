import { compareText } from '../../base/bytes.js';
import type { Instance } from '../../protocol/ids.js';
import { VOTE_TYPE, voteInstance, voteType } from '../../protocol/vote.js';
import { accountObject } from '../../state/objects/account.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { witnessObject } from '../../state/objects/witness.js';
import { payOutFees } from '../../state/rules/fees.js';
import { isStakingMode } from '../../state/rules/parameters.js';
import { Opinions } from './opinions.js';
import type { MaintenanceRun, MaintenanceStep } from './run.js';
import { type Account, cashbackOf, counts, opinionOf, recount, Stakes } from './stakes.js';
import { tallyStakings } from './staking.js';

/** Accounts with fees to pay out, in the bytewise order of names in which maintenance visits accounts. */
function accountsWithFees({ votes }: MaintenanceRun): Account[] {
  return votes.accountsWithFees().sort((a, b) => compareText(a.name, b.name));
}

/**
 * The rule: walk all accounts in name order; count each one's stake, then pay out its fees. Payouts change the cashback
 * balances of others, so one that is visited later counts what it has received from those before it. Here all stakes
 * are counted first, and a payout to an account with a later name is added afterwards. The sums are the same.
 */
function tallyAndPayOut(m: MaintenanceRun): void {
  const s = m.state;
  const carriedOn = m.votes.opinions();
  const stakes = carriedOn === undefined ? new Stakes(s) : undefined;
  const opinions = carriedOn ?? recount(s, stakes as Stakes);
  const stakeOf = (account: Account): bigint => stakes?.of(account) ?? cashbackOf(s, account);
  /** Stake by the account whose opinion counts; only of this maintenance. */
  const later = new Map<Instance, bigint>();
  for (const payer of accountsWithFees(m)) {
    const counted = [...new Set([payer.lifetime_referrer, payer.referrer, payer.registrar])]
      .map((id) => s.get(accountObject, id))
      .filter((account) => compareText(payer.name, account.name) < 0 && counts(s, account))
      .map((account) => ({ account, stake: stakeOf(account) }));
    payOutFees(s, payer);
    for (const { account, stake } of counted) {
      const opinion = opinionOf(account);
      later.set(opinion, (later.get(opinion) ?? 0n) + stakeOf(account) - stake);
    }
  }
  decide(m, opinions);
  const more = new Opinions();
  for (const [opinion, stake] of later) more.add(s.get(accountObject, opinion).options, stake);
  decide(m, more);
}

/** What of the opinions decides: votes for those who stand for election, and numbers that are allowed. */
function decide(m: MaintenanceRun, opinions: Opinions): void {
  const { parameters } = m.state.single(globalPropertyObject);
  const valid: boolean[] = [];
  for (const witness of m.state.all(witnessObject)) valid[voteInstance(witness.vote_id)] = witness.is_valid;
  for (const member of m.state.all(committeeMemberObject)) valid[voteInstance(member.vote_id)] = member.is_valid;
  for (const [vote, weight] of opinions.votes) {
    const instance = voteInstance(vote);
    if (instance >= m.tally.length) continue;
    const type = voteType(vote);
    // Quirk: any other type byte passes the filter, and the type is never compared with the object's own.
    const filtered = type === VOTE_TYPE.committee || type === VOTE_TYPE.witness;
    if (filtered && valid[instance] !== true) continue;
    m.tally[instance] = (m.tally[instance] as bigint) + weight;
  }
  addToHistogram(m.witnessHistogram, opinions.witnesses, parameters.maximum_witness_count);
  addToHistogram(m.committeeHistogram, opinions.committee, parameters.maximum_committee_count);
  m.total += opinions.total;
}

function addToHistogram(histogram: bigint[], sums: ReadonlyMap<number, bigint>, max: number): void {
  for (const [wanted, weight] of sums) {
    if (wanted > max) continue;
    const at = Math.min(Math.floor(wanted / 2), histogram.length - 1);
    histogram[at] = (histogram[at] as bigint) + weight;
  }
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
      for (const account of accountsWithFees(m)) payOutFees(m.state, account);
    });
  },
};
