import { compareText } from '../../base/bytes.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
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
  opinions.decide(m);
  const more = new Opinions();
  for (const [opinion, stake] of later) more.add(s.get(accountObject, opinion).options, stake);
  more.decide(m);
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
