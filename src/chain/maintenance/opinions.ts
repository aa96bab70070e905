import type { AccountOptions } from '../../protocol/authority.js';

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

  equals(other: Opinions): boolean {
    return (
      this.total === other.total &&
      isSame(this.votes, other.votes) &&
      isSame(this.witnesses, other.witnesses) &&
      isSame(this.committee, other.committee)
    );
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
