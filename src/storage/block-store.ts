import { invariant } from '../base/errors.js';
import type { BlockStore } from '../chain/ports.js';
import { decodeTrusted, encodeWith } from '../codec/binary.js';
import { type SignedBlock, signedBlock } from '../protocol/block.js';
import type { BlockLog } from './block-log.js';

/** What the chain hands over; it is named in the chain's own port alone. */
type AppendedBlock = Parameters<BlockStore['append']>[0];

/**
 * The block log as the chain needs it. While the chain is brought up to the log's head again, it appends blocks that
 * are there already; those are only compared.
 */
export class LogBlockStore implements BlockStore {
  readonly #log: BlockLog;

  constructor(log: BlockLog) {
    this.#log = log;
  }

  get headNumber(): number {
    return this.#log.headNumber;
  }

  append(block: AppendedBlock): void {
    const { number, id } = block;
    if (number <= this.#log.headNumber) {
      invariant(this.#log.idOf(number) === id, 'a block that is applied again is the one of the log');
      return;
    }
    encodeWith(signedBlock, block.block, (bytes) => this.#log.append(id, bytes));
  }

  cutAbove(number: number): void {
    this.#log.cut(number);
  }

  byNumber(number: number): SignedBlock | undefined {
    const bytes = this.#log.read(number);
    return bytes === undefined ? undefined : decodeTrusted(signedBlock, bytes);
  }

  idOf(number: number): string | undefined {
    return this.#log.idOf(number);
  }
}
