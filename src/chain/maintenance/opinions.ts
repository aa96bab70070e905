import type { AccountOptions } from '../../protocol/authority.js';
import { VOTE_TYPE, voteInstance, voteType } from '../../protocol/vote.js';
import { committeeMemberObject } from '../../state/objects/committee-member.js';
import { globalPropertyObject } from '../../state/objects/global-property.js';
import { witnessObject } from '../../state/objects/witness.js';
import type { MaintenanceRun } from './run.js';

/** Stake behind every vote and behind every wanted number of witnesses and of committee members, whatever it counts for. */
export class Opinions {
  /** By vote id. */
  readonly votes = new Map<number, bigint>();
  readonly witnesses = new Map<number, bigint>();
  readonly committee = new Map<number, bigint>();
  total = 0n;

  /** A negative weight takes back what was added. */
  add({ votes, num_witness, num_committee }: AccountOptions, weight: bigint): void {
    if (weight === 0n) return;
    for (const vote of votes) addTo(this.votes, vote, weight);
    addTo(this.witnesses, num_witness, weight);
    addTo(this.committee, num_committee, weight);
    this.total += weight;
  }

  addAll(others: Opinions): void {
    for (const [vote, weight] of others.votes) addTo(this.votes, vote, weight);
    for (const [wanted, weight] of others.witnesses) addTo(this.witnesses, wanted, weight);
    for (const [wanted, weight] of others.committee) addTo(this.committee, wanted, weight);
    this.total += others.total;
  }

  equals(other: Opinions): boolean {
    return (
      this.total === other.total &&
      isSame(this.votes, other.votes) &&
      isSame(this.witnesses, other.witnesses) &&
      isSame(this.committee, other.committee)
    );
  }

  /** What of it decides: votes for those who stand for election, and numbers that are allowed. */
  decide(m: MaintenanceRun): void {
    const { parameters } = m.state.single(globalPropertyObject);
    const valid: boolean[] = [];
    for (const witness of m.state.all(witnessObject)) valid[voteInstance(witness.vote_id)] = witness.is_valid;
    for (const member of m.state.all(committeeMemberObject)) valid[voteInstance(member.vote_id)] = member.is_valid;
    for (const [vote, weight] of this.votes) {
      const instance = voteInstance(vote);
      if (instance >= m.tally.length) continue;
      const type = voteType(vote);
      // Quirk: any other type byte passes the filter, and the type is never compared with the object's own.
      const filtered = type === VOTE_TYPE.committee || type === VOTE_TYPE.witness;
      if (filtered && valid[instance] !== true) continue;
      m.tally[instance] = (m.tally[instance] as bigint) + weight;
    }
    addToHistogram(m.witnessHistogram, this.witnesses, parameters.maximum_witness_count);
    addToHistogram(m.committeeHistogram, this.committee, parameters.maximum_committee_count);
    m.total += this.total;
  }
}

function addTo(sums: Map<number, bigint>, key: number, weight: bigint): void {
  const sum = (sums.get(key) ?? 0n) + weight;
  if (sum === 0n) sums.delete(key);
  else sums.set(key, sum);
}

function isSame(sums: ReadonlyMap<number, bigint>, others: ReadonlyMap<number, bigint>): boolean {
  if (sums.size !== others.size) return false;
  for (const [key, sum] of sums) if (others.get(key) !== sum) return false;
  return true;
}

function addToHistogram(histogram: bigint[], sums: ReadonlyMap<number, bigint>, max: number): void {
  for (const [wanted, weight] of sums) {
    if (wanted > max) continue;
    const at = Math.min(Math.floor(wanted / 2), histogram.length - 1);
    histogram[at] = (histogram[at] as bigint) + weight;
  }
}
