import { invariant } from '../../base/errors.js';
import type { AppliedOperation } from '../../operations/define.js';
import type { SignedBlock } from '../../protocol/block.js';
import type { BlockLog } from '../block-log.js';
import { decodeCounts, decodeSegment, entriesOf, type Segment, type SegmentEntry, SegmentWriter } from './segment.js';

/** Where the journal stands behind a block. */
export interface JournalPosition {
  readonly number: number;
  readonly id: string;
  /** Applied up to and with this block, as far as this journal knows. */
  readonly operations: number;
  /** Operations of the newest transaction: what a block without any does counts on from there. */
  readonly carried: number;
}

/** Before the first block of a chain. */
export const JOURNAL_START: JournalPosition = { number: 0, id: '', operations: 0, carried: 0 };

/** What the journal takes of a block. */
export interface JournaledBlock {
  readonly number: number;
  readonly id: string;
  readonly block: SignedBlock;
}

/** A block with what it did; a replay has very many of them waiting, so each is one object. */
interface Waiting extends JournalPosition {
  /** Operations of this block. */
  readonly count: number;
  readonly entries: readonly SegmentEntry[];
  /** Entries of all blocks up to and with this one since the journal was opened. */
  readonly entriesSoFar: number;
}

const NO_ENTRIES: readonly SegmentEntry[] = [];

const segmentOf = ({ operations, count, carried, entries }: Waiting): Segment => ({
  before: operations - count,
  count,
  carried,
  entries,
});

/** Entries that are encoded before others get their turn; about two milliseconds. */
const SLICE_ENTRIES = 2000;

/**
 * What every block did that does not stand in it. Blocks that may still be undone wait in memory; those that cannot are
 * written before the state that they made. So the files need no cut at a fork switch, and what they have beyond the
 * stored state belongs to blocks that are applied once more at the next start.
 */
export class OperationJournal {
  readonly log: BlockLog;
  readonly isKept: boolean;
  readonly #writer = new SegmentWriter();
  /** Behind the last block that was handed to the files. */
  #written: JournalPosition;
  #waiting: Waiting[] = [];
  #entriesWritten = 0;

  /**
   * `position`: behind the block whose state is stored. The files are cut down to it, or begin anew behind it. One that is
   * not kept has empty files and goes on counting, so that numbers are right where it is kept again.
   */
  constructor(log: BlockLog, position: JournalPosition, isKept = true) {
    this.log = log;
    this.isKept = isKept;
    if (isKept && log.idOf(position.number) === position.id) log.cut(position.number);
    else log.cut(0);
    log.keepsBack = 'everything';
    this.#written = position;
  }

  /** What the files say of a block that they have. */
  static positionOf(log: BlockLog, number: number): JournalPosition | undefined {
    const bytes = log.read(number);
    const id = log.idOf(number);
    if (bytes === undefined || id === undefined) return undefined;
    const { before, count, carried } = decodeCounts(bytes);
    return { number, id, operations: before + count, carried };
  }

  /** Behind the newest block. */
  get head(): JournalPosition {
    return this.#waiting.at(-1) ?? this.#written;
  }

  /** Behind the last block that was handed to the files. */
  get written(): JournalPosition {
    return this.#written;
  }

  get writtenNumber(): number {
    return this.#written.number;
  }

  /** The first block that it has, or will have next. */
  get firstNumber(): number {
    return this.log.firstNumber === 0 ? this.#written.number + 1 : this.log.firstNumber;
  }

  /** Entries up to this block that are not written yet. */
  entriesWaiting(upTo: number): number {
    const last = this.#waiting[Math.min(upTo - this.#written.number, this.#waiting.length) - 1];
    return last === undefined ? 0 : last.entriesSoFar - this.#entriesWritten;
  }

  /** The next block with all that it did. */
  take({ number, id, block }: JournaledBlock, operations: readonly AppliedOperation[]): void {
    const last = this.#waiting.at(-1);
    const head = last ?? this.#written;
    invariant(number === head.number + 1, 'blocks come to the operation journal in order');
    const count = operations.length;
    const entries = this.isKept && count > 0 ? entriesOf(block, operations) : NO_ENTRIES;
    this.#waiting.push({
      number,
      id,
      operations: head.operations + count,
      carried: block.transactions.at(-1)?.operations.length ?? head.carried,
      count,
      entries,
      entriesSoFar: (last?.entriesSoFar ?? this.#entriesWritten) + entries.length,
    });
  }

  /** Forgets the blocks above: they were undone. */
  cutAbove(number: number): void {
    invariant(number >= this.#written.number, 'only blocks that may be undone are taken out of the journal');
    this.#waiting.length = Math.min(this.#waiting.length, number - this.#written.number);
  }

  /** Undefined for a block that the journal does not have. */
  segmentOf(number: number): Segment | undefined {
    if (!this.isKept) return undefined;
    if (number > this.#written.number) {
      const waiting = this.#waiting[number - this.#written.number - 1];
      return waiting === undefined ? undefined : segmentOf(waiting);
    }
    const bytes = this.log.read(number);
    return bytes === undefined ? undefined : decodeSegment(bytes);
  }

  /** Writes the blocks up to this one, which can no longer be undone; they are on the medium after `syncLater`. */
  async write(upTo: number): Promise<void> {
    let inSlice = 0;
    let done = 0;
    // All together: one by one, each would move those that are behind it.
    const takeOut = (): void => {
      const last = this.#waiting[done - 1];
      if (last === undefined) return;
      this.#waiting.splice(0, done);
      done = 0;
      this.#written = { number: last.number, id: last.id, operations: last.operations, carried: last.carried };
      this.#entriesWritten = last.entriesSoFar;
    };
    const pause = (): Promise<void> => {
      takeOut();
      inSlice = 0;
      return new Promise((resolve) => setImmediate(resolve));
    };
    try {
      for (;;) {
        const next = this.#waiting[done];
        if (next === undefined || next.number > upTo) return;
        if (this.isKept) {
          this.#writer.begin(segmentOf(next));
          for (const entry of next.entries) {
            this.#writer.add(entry);
            if (++inSlice >= SLICE_ENTRIES) await pause();
          }
          this.log.append(next.id, this.#writer.bytes);
        }
        done++;
        if (++inSlice >= SLICE_ENTRIES) await pause();
      }
    } finally {
      takeOut();
    }
  }

  syncLater(): Promise<void> {
    return this.log.syncLater();
  }
}
