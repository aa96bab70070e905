import { invariant } from '../../base/errors.js';
import { decodeTrusted, encodeWith } from '../../codec/binary.js';
import { type TransactionId, transactionId } from '../../crypto/digests.js';
import type { FeedBlock, FeedOperation, PackedBlock } from '../../plugin/follower.js';
import { type SignedBlock, signedBlock } from '../../protocol/block.js';
import { transaction } from '../../protocol/transaction.js';
import type { BlockLog } from '../../storage/block-log.js';
import { decodeSegment, operationsOf, type Segment } from '../../storage/journal/segment.js';

/**
 * Read at once: whoever walks often, for a moment each, would leave much larger ones about until they are collected, and
 * what the system's allocator has got for them it does not give back.
 */
const PIECE_BYTES = 128 * 1024;

/**
 * Blocks with all that they did, as both logs have them, or without that where no journal is given; a node may be at work on
 * the same files.
 */
export function* loggedBlocks(
  log: BlockLog,
  journal: BlockLog | undefined,
  from: number,
  to: number,
): Generator<FeedBlock> {
  for (const { number, id, bytes } of log.walk(from, to, PIECE_BYTES)) {
    const segment = journal?.read(number);
    if (journal !== undefined && segment === undefined) return;
    yield unpackedBlock({ number, id, block: bytes, segment });
  }
}

/** Nothing of it is kept but what it says. Followers that need the blocks alone do not pay for their operations. */
export function unpackedBlock({ number, id, block: bytes, segment }: PackedBlock): FeedBlock {
  const block = decodeTrusted(signedBlock, bytes);
  let transactionIds: readonly TransactionId[] | undefined;
  let operations: readonly FeedOperation[] | undefined;
  return {
    number,
    id,
    block,
    get transactionIds() {
      transactionIds ??= block.transactions.map((one) => encodeWith(transaction, one, transactionId));
      return transactionIds;
    },
    get operations() {
      operations ??= keptOperations(block, segment && decodeSegment(segment));
      return operations;
    },
  };
}

export function keptOperations(block: SignedBlock, segment: Segment | undefined): readonly FeedOperation[] {
  invariant(segment !== undefined, 'who reads operations was not given a block that has none in the journal');
  return operationsOf(block, segment);
}
