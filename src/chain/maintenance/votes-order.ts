import { voteInstance } from '../../protocol/vote.js';

/** Most votes first, then the lower vote id; who has no votes is in the list too. */
export function byVotes<T extends { readonly vote_id: number }>(items: Iterable<T>, tally: readonly bigint[]): T[] {
  const votesOf = (item: T): bigint => tally[voteInstance(item.vote_id)] ?? 0n;
  return [...items].sort((a, b) => {
    const difference = votesOf(b) - votesOf(a);
    if (difference !== 0n) return difference < 0n ? -1 : 1;
    return voteInstance(a.vote_id) - voteInstance(b.vote_id);
  });
}
