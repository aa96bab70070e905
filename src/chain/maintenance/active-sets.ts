import {
  COMMITTEE_ACCOUNT,
  compareInstances,
  type Instance,
  RELAXED_COMMITTEE_ACCOUNT,
  WITNESS_ACCOUNT,
} from '../../protocol/ids.js';
import { voteInstance } from '../../protocol/vote.js';
import { accountObject } from '../../state/objects/account.js';
import { chainPropertyObject } from '../../state/objects/chain-property.js';
import { type CommitteeMemberObject, committeeMemberObject } from '../../state/objects/committee-member.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { type WitnessObject, witnessObject } from '../../state/objects/witness.js';
import type { WriteState } from '../../state/views.js';
import type { MaintenanceRun, MaintenanceStep } from './run.js';
import { authorityFromVotes } from './vote-weights.js';
import { byVotes } from './votes-order.js';

type Witness = Readonly<WitnessObject>;
type CommitteeMember = Readonly<CommitteeMemberObject>;

/** Since fork 1010, whatever the immutable parameters say. */
const WITNESS_COUNT_MIN = 21;

/** Smallest odd number of seats that more than half of the stake finds enough. */
function wantedSeats(histogram: readonly bigint[], total: bigint): number {
  const target = (total - (histogram[0] as bigint)) / 2n;
  let half = 0;
  let sum = 0n;
  if (target > 0n) {
    while (half < histogram.length - 1 && sum <= target) {
      half++;
      sum += histogram[half] as bigint;
    }
  }
  return 2 * half + 1;
}

function setActiveAuthority(s: WriteState, account: Instance, votes: readonly (readonly [Instance, bigint])[]): void {
  const authority = authorityFromVotes(votes);
  s.modify(accountObject, s.get(accountObject, account), (o) => {
    if (authority !== undefined) o.active = authority;
  });
}

function chooseWitnesses(m: MaintenanceRun): Witness[] {
  const s = m.state;
  const { min_witness_count } = s.single(chainPropertyObject).immutable_parameters;
  const floor = s.active('HF_1010') ? Math.max(min_witness_count, WITNESS_COUNT_MIN) : min_witness_count;
  const seats = Math.max(wantedSeats(m.witnessHistogram, m.total), floor);
  const ranked = byVotes(s.all(witnessObject), m.tally);
  // Quirk: maintenance counts as a change of all of them, and subscribers are told, whether a value differs or not.
  for (const witness of ranked) {
    const votes = votesOf(m, witness);
    s.modify(witnessObject, witness, (o) => {
      o.total_votes = votes;
    });
  }
  const selected = ranked.slice(0, seats);
  setActiveAuthority(
    s,
    WITNESS_ACCOUNT,
    selected.map((witness) => [witness.witness_account, votesOf(m, witness)]),
  );
  s.modify(globalPropertyObject, s.single(globalPropertyObject), (o) => {
    o.active_witnesses = selected.map((witness) => witness.id).sort(compareInstances);
  });
  return selected;
}

function votesOf(m: MaintenanceRun, item: { readonly vote_id: number }): bigint {
  return m.tally[voteInstance(item.vote_id)] ?? 0n;
}

/** Since fork 1012: those among the chosen witnesses' accounts that are committee members too, with their votes. */
function committeeOfWitnesses(m: MaintenanceRun, selected: readonly Witness[]): [CommitteeMember, bigint][] {
  const s = m.state;
  const limit = 2 * Math.floor(s.single(globalPropertyObject).parameters.maximum_committee_count / 2) + 1;
  const committee: [CommitteeMember, bigint][] = [];
  for (const witness of selected) {
    if (committee.length >= limit) break;
    const member = s.findBy(committeeMemberObject.by.account, witness.witness_account);
    if (member === undefined) continue;
    committee.push(writeVotes(s, member, votesOf(m, witness)));
  }
  return committee;
}

/** Until fork 1012 the committee was chosen by its own votes. */
function committeeOfVotes(m: MaintenanceRun): [CommitteeMember, bigint][] {
  const s = m.state;
  const { min_committee_member_count } = s.single(chainPropertyObject).immutable_parameters;
  const seats = Math.max(wantedSeats(m.committeeHistogram, m.total), min_committee_member_count);
  // Only who gets a seat gets its votes written down; the recorded chain shows it.
  return byVotes(s.all(committeeMemberObject), m.tally)
    .slice(0, seats)
    .map((member) => writeVotes(s, member, votesOf(m, member)));
}

function writeVotes(s: WriteState, member: CommitteeMember, votes: bigint): [CommitteeMember, bigint] {
  s.modify(committeeMemberObject, member, (o) => {
    o.total_votes = votes;
  });
  return [member, votes];
}

function seatCommittee(s: WriteState, committee: readonly [CommitteeMember, bigint][]): void {
  if (committee.length > 0) {
    setActiveAuthority(
      s,
      COMMITTEE_ACCOUNT,
      committee.map(([member, votes]) => [member.committee_member_account, votes]),
    );
    const { active } = s.get(accountObject, COMMITTEE_ACCOUNT);
    s.modify(accountObject, s.get(accountObject, RELAXED_COMMITTEE_ACCOUNT), (o) => {
      o.active = active;
    });
  }
  s.modify(globalPropertyObject, s.single(globalPropertyObject), (o) => {
    o.active_committee_members = committee.map(([member]) => member.id);
  });
}

export const chooseActiveSets: MaintenanceStep = {
  name: 'choose_active_sets',
  run: (m) => {
    const selected = chooseWitnesses(m);
    seatCommittee(m.state, m.state.active('HF_1012') ? committeeOfWitnesses(m, selected) : committeeOfVotes(m));
  },
};
