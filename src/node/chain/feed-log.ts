import { decodeTrusted, encodeWith } from '../../codec/binary.js';
import { transactionId } from '../../crypto/digests.js';
import type { FeedLog, GivenFeedBlock } from '../../plugin/feed.js';
import type { FeedBlock, FeedOperation, PackedBlock } from '../../plugin/follower.js';
import { type SignedBlock, signedBlock } from '../../protocol/block.js';
import { transaction } from '../../protocol/transaction.js';
import { encodeSegment, type Segment } from '../../storage/journal/segment.js';
import type { Storage } from '../../storage/storage.js';
import { keptOperations } from './logged-blocks.js';

/** Block log and operation journal as one feed: every block with all its operations. */
export function feedLog({ log, journal, objects }: Storage): FeedLog {
  const describe = (given: GivenFeedBlock): FeedBlock => {
    const { number } = given;
    // One that waits in memory may be undone before somebody looks at it; what is written stays.
    const waiting = number > journal.writtenNumber ? journal.segmentOf(number) : undefined;
    return new DescribedBlock(given, {
      segment: () => waiting ?? journal.segmentOf(number),
      bytes: () => (waiting === undefined ? journal.log.read(number) : encodeSegment(waiting)),
    });
  };
  return {
    firstNumber: (part) => (part === 'blocks' ? log.firstNumber || 1 : journal.firstNumber),
    idOf: (number) => log.idOf(number),
    get durableNumber() {
      return objects.head?.number ?? 0;
    },
    read(number) {
      const bytes = log.read(number);
      const id = log.idOf(number);
      if (bytes === undefined || id === undefined) return undefined;
      return describe(new LoggedBlock(number, id, bytes));
    },
    describe,
  };
}

class LoggedBlock implements GivenFeedBlock {
  readonly number: number;
  readonly id: string;
  readonly bytes: Uint8Array;
  #block: SignedBlock | undefined;
  #transactionIds: readonly string[] | undefined;

  constructor(number: number, id: string, bytes: Uint8Array) {
    this.number = number;
    this.id = id;
    this.bytes = bytes;
  }

  /** Who passes the block on does not look into it. */
  get block(): SignedBlock {
    this.#block ??= decodeTrusted(signedBlock, this.bytes);
    return this.#block;
  }

  get transactionIds(): readonly string[] {
    this.#transactionIds ??= this.block.transactions.map((one) => encodeWith(transaction, one, transactionId));
    return this.#transactionIds;
  }
}

/** What the journal has of a block, read and as it is written. */
interface Journaled {
  segment(): Segment | undefined;
  bytes(): Uint8Array | undefined;
}

/** Followers that need the blocks alone do not pay for their operations. */
class DescribedBlock implements FeedBlock {
  readonly number: number;
  readonly id: string;
  readonly #given: GivenFeedBlock;
  readonly #journaled: Journaled;
  #operations: readonly FeedOperation[] | undefined;

  constructor(given: GivenFeedBlock, journaled: Journaled) {
    this.number = given.number;
    this.id = given.id;
    this.#given = given;
    this.#journaled = journaled;
  }

  get block(): SignedBlock {
    return this.#given.block;
  }

  get transactionIds(): readonly string[] {
    return this.#given.transactionIds;
  }

  get operations(): readonly FeedOperation[] {
    if (this.#operations === undefined) {
      const segment = this.#journaled.segment();
      this.#operations = keptOperations(this.block, segment);
    }
    return this.#operations;
  }

  packed(): PackedBlock {
    const { number, id } = this;
    return { number, id, block: this.#given.bytes, segment: this.#journaled.bytes() };
  }
}
