/** Fewest letters to put in, take out or replace, to make one word of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) {
      const replaced = (row[j] as number) + (a[i] === b[j] ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] as number) + 1, (next[j] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}

/** What somebody who wrote `word` may have meant; undefined when nothing looks like it. Short words of people, no data. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  // A typing error or two, or a third of the letters of a long name.
  let least = Math.max(2, Math.floor(word.length / 3)) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const found = distance(word, candidate);
    if (found >= least) continue;
    best = candidate;
    least = found;
  }
  return best;
}
