import { decodeTrusted, encodeWith } from '../../codec/binary.js';
import { type TransactionId, transactionId } from '../../crypto/digests.js';
import type { FeedBlock, PackedBlock } from '../../plugin/follower.js';
import { signedBlock } from '../../protocol/block.js';
import { transaction } from '../../protocol/transaction.js';
import type { BlockLog } from '../../storage/block-log.js';
import { decodeSegment, operationsOf } from '../../storage/journal/segment.js';

/**
 * Read at once: whoever walks often, for a moment each, would leave much larger ones about until they are collected, and
 * what the system's allocator has got for them it does not give back.
 */
const PIECE_BYTES = 128 * 1024;

/** Blocks with all that they did, as both logs have them; a node may be at work on the same files. */
export function* loggedBlocks(log: BlockLog, journal: BlockLog, from: number, to: number): Generator<FeedBlock> {
  for (const { number, id, bytes } of log.walk(from, to, PIECE_BYTES)) {
    const segment = journal.read(number);
    if (segment === undefined) return;
    yield unpackedBlock({ number, id, block: bytes, segment });
  }
}

/** Nothing of it is kept but what it says. */
export function unpackedBlock({ number, id, block: bytes, segment }: PackedBlock): FeedBlock {
  const block = decodeTrusted(signedBlock, bytes);
  let transactionIds: readonly TransactionId[] | undefined;
  return {
    number,
    id,
    block,
    get transactionIds() {
      transactionIds ??= block.transactions.map((one) => encodeWith(transaction, one, transactionId));
      return transactionIds;
    },
    operations: operationsOf(block, decodeSegment(segment)),
  };
}
