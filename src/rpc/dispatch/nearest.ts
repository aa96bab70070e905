/** Nobody means something that is further away. */
const DISTANCE_MAX = 4;

/** The name that somebody may have meant: the one that takes the fewest changed letters; undefined: none is near. */
export function nearest(wrong: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A third of the letters at most, or everything short would be near to everything short.
  let limit = Math.min(DISTANCE_MAX, Math.floor(wrong.length / 3)) + 1;
  for (const name of names) {
    const changes = distance(wrong, name, limit);
    if (changes >= limit) continue;
    limit = changes;
    best = name;
  }
  return best;
}

/** Letters to put in, leave out or change, by Levenshtein; `limit` where it is no less. Looks at that many diagonals only. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(limit);
    next[0] = i;
    let least = limit;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const changed = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(changed, (row[j] as number) + 1, (next[j - 1] as number) + 1);
      least = Math.min(least, next[j] as number);
    }
    if (least >= limit) return limit;
    row = next;
  }
  return Math.min(limit, row[b.length] as number);
}
