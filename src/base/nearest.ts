/**
 * Fewest letters to put in, take out or replace, to make one word of the other; `limit` where it is no fewer. Looks no
 * further than that, since those who ask may be strangers.
 */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(limit);
    next[0] = i;
    let least = i;
    for (let j = Math.max(1, i - limit); j <= Math.min(b.length, i + limit); j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1);
      least = Math.min(least, next[j] as number);
    }
    if (least >= limit) return limit;
    row = next;
  }
  return Math.min(limit, row[b.length] as number);
}

/** A typing error or two, or a third of the letters of a long name. */
const mostChanges = ({ length }: string): number => Math.max(2, Math.floor(length / 3));

/** What somebody who wrote `word` may have meant; undefined when nothing looks like it. */
export function nearest(word: string, known: Iterable<string>, most = mostChanges(word)): string | undefined {
  let best: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    const found = distance(word, candidate, least);
    if (found >= least) continue;
    best = candidate;
    least = found;
  }
  return best;
}
