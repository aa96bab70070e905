const CHUNK_MAX = 256;
const FRONT_MAX = 16;

/**
 * A sorted list in chunks: finding a place takes log n comparisons, inserting moves at most one chunk. No two members
 * compare as equal.
 */
export class SortedList<T> {
  private readonly compare: (a: T, b: T) => number;
  private chunks: T[][] = [];
  private count = 0;
  /** Where the last search ended. Fields, because a pair would be an allocation per search. */
  private chunk = 0;
  private offset = 0;

  constructor(compare: (a: T, b: T) => number) {
    this.compare = compare;
  }

  get size(): number {
    return this.count;
  }

  /** Members must already be in order. */
  load(sorted: readonly T[]): void {
    this.chunks = [];
    const fill = CHUNK_MAX - (CHUNK_MAX >> 2);
    for (let at = 0; at < sorted.length; at += fill) this.chunks.push(sorted.slice(at, at + fill));
    this.count = sorted.length;
  }

  add(member: T): void {
    this.count++;
    const last = this.chunks[this.chunks.length - 1];
    if (last === undefined) {
      this.chunks.push([member]);
      return;
    }
    // Most new members belong at the end.
    if (this.compare(last[last.length - 1] as T, member) < 0) {
      if (last.length < CHUNK_MAX) last.push(member);
      else this.chunks.push([member]);
      return;
    }
    this.seek(member);
    // The search ended behind the last chunk only if all members are smaller, which was handled above.
    const chunk = this.chunks[this.chunk] as T[];
    chunk.splice(this.offset, 0, member);
    if (chunk.length > CHUNK_MAX) this.chunks.splice(this.chunk + 1, 0, chunk.splice(chunk.length >> 1));
  }

  /** True if it was there. `probe` is any value that compares as the member did when it was added. */
  remove(probe: T): boolean {
    if (this.chunks[0]?.[0] === probe) {
      this.removeFirst();
      return true;
    }
    if (!this.seek(probe)) return false;
    const chunk = this.chunks[this.chunk] as T[];
    chunk.splice(this.offset, 1);
    this.count--;
    if (chunk.length === 0) this.chunks.splice(this.chunk, 1);
    else if (chunk.length < CHUNK_MAX >> 3) this.joinNext(this.chunk);
    return true;
  }

  /** What expires leaves from the front, one after the other: all others of its chunk move up each time, so that is cut short. */
  private removeFirst(): void {
    let chunk = this.chunks[0] as T[];
    while (chunk.length > FRONT_MAX) {
      const half = chunk.length >> 1;
      this.chunks.splice(0, 1, chunk.slice(0, half), chunk.slice(half));
      chunk = this.chunks[0] as T[];
    }
    chunk.shift();
    this.count--;
    if (chunk.length === 0) this.chunks.shift();
  }

  private joinNext(at: number): void {
    const chunk = this.chunks[at] as T[];
    const next = this.chunks[at + 1];
    if (next === undefined || next.length > CHUNK_MAX >> 1) return;
    chunk.push(...next);
    this.chunks.splice(at + 1, 1);
  }

  /** Sets the position to the first member that is not less than the probe; true if it is equal. */
  private seek(probe: T): boolean {
    let low = 0;
    let high = this.chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = this.chunks[middle] as T[];
      if (this.compare(chunk[chunk.length - 1] as T, probe) < 0) low = middle + 1;
      else high = middle;
    }
    this.chunk = low;
    this.offset = 0;
    const chunk = this.chunks[low];
    if (chunk === undefined) return false;
    low = 0;
    high = chunk.length - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(chunk[middle] as T, probe) < 0) low = middle + 1;
      else high = middle;
    }
    this.offset = low;
    return this.compare(chunk[low] as T, probe) === 0;
  }

  private at(): T | undefined {
    return this.chunks[this.chunk]?.[this.offset];
  }

  /** The first member for which `isBelow` is false; it must be true for a leading part of the list and no others. */
  firstNotBelow(isBelow: (member: T) => boolean): T | undefined {
    this.seekWhere(isBelow);
    return this.at();
  }

  /** As `firstNotBelow`, with those that follow it, at most so many. */
  page(isBelow: (member: T) => boolean, limit: number): T[] {
    const out: T[] = [];
    for (const member of this.walk(isBelow)) {
      if (out.length >= limit) break;
      out.push(member);
    }
    return out;
  }

  private seekWhere(isBelow: (member: T) => boolean): void {
    let low = 0;
    let high = this.chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = this.chunks[middle] as T[];
      if (isBelow(chunk[chunk.length - 1] as T)) low = middle + 1;
      else high = middle;
    }
    this.chunk = low;
    low = 0;
    high = this.chunks[this.chunk]?.length ?? 0;
    const chunk = this.chunks[this.chunk] as T[];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(chunk[middle] as T)) low = middle + 1;
      else high = middle;
    }
    this.offset = low;
  }

  /** The first member greater than the probe, whether or not the probe is a member. */
  after(probe: T): T | undefined {
    if (this.seek(probe)) {
      this.offset++;
      if (this.offset === this.chunks[this.chunk]?.length) {
        this.chunk++;
        this.offset = 0;
      }
    }
    return this.at();
  }

  /** The last member less than the probe. */
  before(probe: T): T | undefined {
    this.seek(probe);
    if (this.offset > 0) return this.chunks[this.chunk]?.[this.offset - 1];
    const chunk = this.chunks[this.chunk - 1];
    return chunk?.[chunk.length - 1];
  }

  first(): T | undefined {
    return this.chunks[0]?.[0];
  }

  last(): T | undefined {
    const chunk = this.chunks[this.chunks.length - 1];
    return chunk?.[chunk.length - 1];
  }

  toArray(): T[] {
    return this.chunks.flat();
  }

  *walk(isBelow?: (member: T) => boolean): Generator<T, void, undefined> {
    let offset = 0;
    let at = 0;
    if (isBelow !== undefined) {
      this.seekWhere(isBelow);
      at = this.chunk;
      offset = this.offset;
    }
    for (; at < this.chunks.length; at++) {
      const chunk = this.chunks[at] as T[];
      for (; offset < chunk.length; offset++) yield chunk[offset] as T;
      offset = 0;
    }
  }
}
