/** Work that can be left and taken up again: it yields wherever others may have their turn. */
export type Pieces<T> = Generator<undefined, T, undefined>;

export function isPieces<T>(value: T | Pieces<T>): value is Pieces<T> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.prototype.toString.call(value) === '[object Generator]';
}

/** Elements between two places where the work can be left, unless one alone is costly. */
const ELEMENTS_PER_PIECE = 16;

/** As `map`; what `each` does for one element may itself come in pieces. */
export function* eachInPieces<T, R>(list: readonly T[], each: (item: T, index: number) => R | Pieces<R>): Pieces<R[]> {
  const out: R[] = [];
  for (let i = 0; i < list.length; i++) {
    if (i % ELEMENTS_PER_PIECE === ELEMENTS_PER_PIECE - 1) yield;
    const made = each(list[i] as T, i);
    out.push(isPieces(made) ? yield* made : made);
  }
  return out;
}

/** As `sort` of an array, equal elements in their order. */
export function* sortInPieces<T>(values: readonly T[], compare: (a: T, b: T) => number): Pieces<T[]> {
  let runs: T[][] = [];
  for (let from = 0; from < values.length; from += RUN) {
    runs.push(values.slice(from, from + RUN).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2) {
      merged.push(i + 1 < runs.length ? yield* merge(runs[i] as T[], runs[i + 1] as T[], compare) : (runs[i] as T[]));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

/** Elements that are sorted in one go. */
const RUN = 256;

/** As `canonical` of the codec: sorted, and of two equal elements the first one stays. */
export function* canonicalInPieces<T>(values: readonly T[], compare: (a: T, b: T) => number): Pieces<T[]> {
  const sorted = yield* sortInPieces(values, compare);
  const out: T[] = [];
  for (let i = 0; i < sorted.length; i++) {
    if (i % RUN === 0) yield;
    const value = sorted[i] as T;
    if (i === 0 || compare(sorted[i - 1] as T, value) !== 0) out.push(value);
  }
  return out;
}

/** Of equal elements those of `left` come first. */
function* merge<T>(left: readonly T[], right: readonly T[], compare: (a: T, b: T) => number): Pieces<T[]> {
  const out: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    if (out.length % ELEMENTS_PER_PIECE === 0) yield;
    const takesLeft = r >= right.length || (l < left.length && compare(left[l] as T, right[r] as T) <= 0);
    out.push(takesLeft ? (left[l++] as T) : (right[r++] as T));
  }
  return out;
}

/** The union of two sets, both in their canonical order; of two equal elements that of `left` stays. */
export function* unionInPieces<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Pieces<T[]> {
  const out: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length || r < right.length) {
    if ((l + r) % RUN === 0) yield;
    const order = l >= left.length ? 1 : r >= right.length ? -1 : compare(left[l] as T, right[r] as T);
    out.push(order <= 0 ? (left[l] as T) : (right[r] as T));
    if (order <= 0) l++;
    if (order >= 0) r++;
  }
  return out;
}

/** Parts of a value, of JSON or of the chain's types, that are dealt with in one go: well under a millisecond. */
export const PARTS_AT_ONCE = 256;

/** Looks no further than it must. */
export function hasMoreParts(value: unknown, room: number): boolean {
  return weigh(value, room) < 0;
}

const BYTES_PER_PART = 64;
/** Whole: a fraction would be an object of its own for each part that is weighed. */
const partsOf = (length: number): number => Math.trunc(length / BYTES_PER_PART);

/** What is left of `room` when the value is in it; below zero it stops looking. */
function weigh(value: unknown, room: number): number {
  if (typeof value === 'string') return room - 1 - partsOf(value.length);
  if (value === null || typeof value !== 'object') return room - 1;
  let left = room - 1;
  if (value instanceof Uint8Array) return left - partsOf(value.length);
  if (Array.isArray(value)) {
    if (value.length > left) return -1;
    for (let i = 0; i < value.length && left >= 0; i++) left = weigh(value[i], left);
    return left;
  }
  for (const key in value) {
    left = weigh((value as Record<string, unknown>)[key], left);
    if (left < 0) break;
  }
  return left;
}
