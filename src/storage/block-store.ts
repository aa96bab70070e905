import { invariant } from '../base/errors.js';
import type { BlockStore } from '../chain/ports.js';
import { decodeTrusted } from '../codec/binary.js';
import { type SignedBlock, signedBlock } from '../protocol/block.js';
import type { BlockLog } from './block-log.js';
import type { OperationJournal } from './journal/operation-journal.js';

/** What the chain hands over; it is named in the chain's own port alone. */
type Appended = Parameters<BlockStore['append']>;

/**
 * The block log as the chain needs it. While the chain is brought up to the log's head again, it appends blocks that
 * are there already; those are only compared.
 */
export class LogBlockStore implements BlockStore {
  readonly #log: BlockLog;
  readonly #journal: OperationJournal | undefined;

  /** Without a journal for who only wants a state out of the blocks. */
  constructor(log: BlockLog, journal?: OperationJournal) {
    this.#log = log;
    this.#journal = journal;
  }

  get carriedIndex(): number {
    return this.#journal?.head.carried ?? 0;
  }

  get headNumber(): number {
    return this.#log.headNumber;
  }

  append(...[block, operations]: Appended): void {
    const { number, id } = block;
    if (number > this.#log.headNumber) {
      block.withBytes((bytes) => this.#log.append(id, bytes));
    } else {
      invariant(this.#log.idOf(number) === id, 'a block that is applied again is the one of the log');
    }
    this.#journal?.take(block, operations);
  }

  settle(number: number): void {
    this.#log.settle(number);
  }

  cutAbove(number: number): void {
    this.#log.cut(number);
    this.#journal?.cutAbove(number);
  }

  byNumber(number: number): SignedBlock | undefined {
    const bytes = this.bytesOf(number);
    return bytes === undefined ? undefined : decodeTrusted(signedBlock, bytes);
  }

  bytesOf(number: number): Uint8Array | undefined {
    return this.#log.read(number);
  }

  idOf(number: number): string | undefined {
    return this.#log.idOf(number);
  }
}
