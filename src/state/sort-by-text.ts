import type { StateObject } from './define.js';

/** Characters behind the common beginning that are sorted as a number, of 7 bits each. */
const LEAD = 4;
const ASCII = 128;
/** The place in the list stands in the lower bits of a number that is still exact. */
const PLACES = 2 ** 24;

/** Fewer are sorted at once. */
const FEW = 64;

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * Sorts objects in the order of a text, equal ones by id: at the start of a node a million names. Comparing texts is
 * what takes time, so their first characters are sorted as numbers, in a list of numbers, and only objects that have
 * these in common are compared.
 */
export function sortByText<T extends StateObject>(objects: readonly T[], textOf: (object: T) => string): T[] {
  const byText = (a: T, b: T): number => compare(textOf(a), textOf(b)) || a.id - b.id;
  const leads = objects.length < FEW || objects.length > PLACES ? undefined : leadsOf(objects, textOf);
  if (leads === undefined) return [...objects].sort(byText);
  leads.sort(); // nondet-ok: a typed array is sorted by its numbers
  const sorted: T[] = [];
  let begin = 0;
  for (let i = 0; i < leads.length; i++) {
    const packed = leads[i] as number;
    sorted.push(objects[packed % PLACES] as T);
    const isLast = i + 1 === leads.length || leadOf(leads[i + 1] as number) !== leadOf(packed);
    if (!isLast) continue;
    if (i > begin) {
      const run = sorted.slice(begin);
      // Those that begin alike may go on differently, unless that is all of them.
      const ordered = run.length === objects.length ? run.sort(byText) : sortByText(run, textOf);
      for (let k = 0; k < ordered.length; k++) sorted[begin + k] = ordered[k] as T;
    }
    begin = i + 1;
  }
  return sorted;
}

const leadOf = (packed: number): number => Math.floor(packed / PLACES);

/** Lead and place of each, in one number. Undefined where a text has other characters. */
function leadsOf<T>(objects: readonly T[], textOf: (object: T) => string): Float64Array | undefined {
  const from = commonLength(objects, textOf);
  const leads = new Float64Array(objects.length);
  for (let place = 0; place < objects.length; place++) {
    const text = textOf(objects[place] as T);
    let lead = 0;
    for (let at = from; at < from + LEAD; at++) {
      // A text that has ended comes before all that go on; one that goes on with a zero is compared as a whole.
      const code = at < text.length ? text.charCodeAt(at) : 0;
      if (code >= ASCII) return undefined;
      lead = lead * ASCII + code;
    }
    leads[place] = lead * PLACES + place;
  }
  return leads;
}

function commonLength<T>(objects: readonly T[], textOf: (object: T) => string): number {
  const first = textOf(objects[0] as T);
  let length = first.length;
  for (const object of objects) {
    const text = textOf(object);
    let same = 0;
    while (same < length && text.charCodeAt(same) === first.charCodeAt(same)) same++;
    length = same;
    if (length === 0) break;
  }
  return length;
}
