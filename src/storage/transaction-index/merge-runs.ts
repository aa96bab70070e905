import {
  compareIds,
  ENTRY_WORDS,
  type EntrySource,
  headOf,
  PAGE_BYTES,
  PAGE_ENTRIES,
  PAGE_WORDS,
  PageBlock,
} from './id-page.js';
import type { IdRun } from './id-run.js';

/** The entries of a run, one after the other; some pages of them are in memory. */
class Cursor {
  readonly #run: IdRun;
  readonly block = new PageBlock();
  #nextPage = 0;
  #entries = 0;
  #entry = 0;
  /** Where the entry begins, in words, and how its id begins. */
  at = 0;
  head = 0;

  constructor(run: IdRun) {
    this.#run = run;
  }

  /** False: what is in memory is used up. */
  next(): boolean {
    this.#entry++;
    return this.#look();
  }

  #look(): boolean {
    if (this.#entry >= this.#entries) return false;
    const page = Math.floor(this.#entry / PAGE_ENTRIES);
    this.at = page * PAGE_WORDS + (this.#entry - page * PAGE_ENTRIES) * ENTRY_WORDS;
    this.head = headOf(this.block.bytes, this.at * 4);
    return true;
  }

  /** False: there are no more. */
  async read(): Promise<boolean> {
    if (this.#nextPage >= this.#run.pages) return false;
    this.#entries = await this.#run.readPages(this.#nextPage, this.block.bytes);
    this.#nextPage += this.block.bytes.length / PAGE_BYTES;
    this.#entry = 0;
    return this.#look();
  }
}

/** Above zero: `a` comes later. */
function order(a: Cursor, b: Cursor): number {
  return a.head - b.head || compareIds(a.block.bytes, a.at * 4, b.block.bytes, b.at * 4);
}

/** What runs have, the oldest of them first; of two entries with the same id that of the newer one. */
export class MergedRuns implements EntrySource {
  readonly #signal: AbortSignal;
  #cursors: Cursor[];
  /** Cursors that have nothing in memory. */
  #empty: Cursor[];

  constructor(runs: readonly IdRun[], signal: AbortSignal) {
    this.#cursors = runs.map((run) => new Cursor(run));
    this.#empty = this.#cursors;
    this.#signal = signal;
  }

  async fill(pages: PageBlock): Promise<boolean> {
    while (true) {
      for (const cursor of this.#empty) {
        this.#signal.throwIfAborted();
        if (!(await cursor.read())) this.#cursors = this.#cursors.filter((other) => other !== cursor);
      }
      this.#empty = [];
      if (this.#cursors.length === 0) return false;
      while (this.#empty.length === 0) {
        if (pages.isFull) return true;
        this.#moveOne(pages);
      }
    }
  }

  /** One entry goes on, or one that a newer run has too is left out. */
  #moveOne(pages: PageBlock): void {
    let least = this.#cursors[0] as Cursor;
    let isRepeated = false;
    for (let i = 1; i < this.#cursors.length; i++) {
      const cursor = this.#cursors[i] as Cursor;
      const difference = order(least, cursor);
      if (difference > 0) {
        least = cursor;
        isRepeated = false;
      } else if (difference === 0) isRepeated = true;
    }
    if (!isRepeated) pages.add(least.block.words, least.at);
    if (!least.next()) this.#empty = [least];
  }
}
