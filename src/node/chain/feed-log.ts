import { invariant } from '../../base/errors.js';
import { decodeTrusted, encodeWith } from '../../codec/binary.js';
import { transactionId } from '../../crypto/digests.js';
import type { FeedLog, GivenFeedBlock } from '../../plugin/feed.js';
import type { FeedBlock, FeedOperation } from '../../plugin/follower.js';
import { type SignedBlock, signedBlock } from '../../protocol/block.js';
import { transaction } from '../../protocol/transaction.js';
import { operationsOf, type Segment } from '../../storage/journal/segment.js';
import type { Storage } from '../../storage/storage.js';

/** Block log and operation journal as one feed: every block with all its operations. */
export function feedLog({ log, journal, objects }: Storage): FeedLog {
  const describe = (given: GivenFeedBlock): FeedBlock => {
    const { number } = given;
    // One that waits in memory may be undone before somebody looks at it; what is written stays.
    const waiting = number > journal.writtenNumber ? journal.segmentOf(number) : undefined;
    return new DescribedBlock(given, () => waiting ?? journal.segmentOf(number));
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
      return describe(new LoggedBlock(number, id, decodeTrusted(signedBlock, bytes)));
    },
    describe,
  };
}

class LoggedBlock implements GivenFeedBlock {
  readonly number: number;
  readonly id: string;
  readonly block: SignedBlock;
  #transactionIds: readonly string[] | undefined;

  constructor(number: number, id: string, block: SignedBlock) {
    this.number = number;
    this.id = id;
    this.block = block;
  }

  get transactionIds(): readonly string[] {
    this.#transactionIds ??= this.block.transactions.map((one) => encodeWith(transaction, one, transactionId));
    return this.#transactionIds;
  }
}

/** Followers that need the blocks alone do not pay for their operations. */
class DescribedBlock implements FeedBlock {
  readonly number: number;
  readonly id: string;
  readonly block: SignedBlock;
  readonly #given: GivenFeedBlock;
  readonly #segment: () => Segment | undefined;
  #operations: readonly FeedOperation[] | undefined;

  constructor(given: GivenFeedBlock, segment: () => Segment | undefined) {
    this.number = given.number;
    this.id = given.id;
    this.block = given.block;
    this.#given = given;
    this.#segment = segment;
  }

  get transactionIds(): readonly string[] {
    return this.#given.transactionIds;
  }

  get operations(): readonly FeedOperation[] {
    if (this.#operations === undefined) {
      const segment = this.#segment();
      invariant(segment !== undefined, 'who reads operations was not given a block that has none in the journal');
      this.#operations = operationsOf(this.block, segment);
    }
    return this.#operations;
  }
}
