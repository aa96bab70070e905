import { check, defineErrors, stateless } from '../base/errors.js';
import { decode, encodeWith, packedSize } from '../codec/binary.js';
import { type Build, messageRules } from '../codec/decode-rules.js';
import { type BlockId, blockId, nextBlockNum } from '../crypto/digests.js';
import { type SignedBlock, signedBlock, signedBlockHeader } from '../protocol/block.js';
import { checkBlockTime } from '../protocol/block-time.js';
import { PackedBlock } from '../protocol/packed-block.js';

export const BORDER_ERRORS = defineErrors({
  block_bytes: { kind: 'limit', text: 'a block of ${bytes} bytes; this node takes at most ${limit} from others' },
  block_other_id: { text: 'the block has the id ${id}, not ${claimed}' },
});

/** As a message between nodes has: no larger block can come from a peer. */
export const RECEIVED_BYTES_MAX = 2 * 1024 * 1024;

export interface BorderRules {
  /** Bytes of the largest block that is taken. */
  readonly bytesMax: number;
  readonly nowMs: number;
  readonly decoder: Build;
}

export interface ReceivedBlock {
  /** As bytes where nothing speaks against reading it later. */
  readonly block: SignedBlock | PackedBlock;
  readonly bytes: number;
  readonly transactions: number;
  readonly id: BlockId;
}

export function idOf(block: SignedBlock, number: number): BlockId {
  return encodeWith(signedBlockHeader, block, (header) => blockId(header, number));
}

/** What a sender says of a block is worth nothing until it is seen to be so. */
export function receiveBlock(
  given: Uint8Array | PackedBlock | SignedBlock,
  claimed: BlockId | undefined,
  { bytesMax, nowMs, decoder }: BorderRules,
): ReceivedBlock {
  const bytes = sizeOf(given);
  check(bytes <= bytesMax, BORDER_ERRORS.block_bytes, { bytes, limit: bytesMax });
  const block = given instanceof Uint8Array ? (PackedBlock.scan(given) ?? read(given, decoder)) : given;
  const { id, transactions } =
    block instanceof PackedBlock
      ? { id: block.id, transactions: block.count }
      : { id: idOf(block, nextBlockNum(block.previous)), transactions: block.transactions.length };
  stateless(() => check(claimed === undefined || claimed === id, BORDER_ERRORS.block_other_id, { id, claimed }));
  checkBlockTime(block.timestamp, nowMs);
  return { block, bytes, transactions, id };
}

function sizeOf(given: Uint8Array | PackedBlock | SignedBlock): number {
  if (given instanceof Uint8Array) return given.length;
  return given instanceof PackedBlock ? given.bytes.length : packedSize(signedBlock, given);
}

const read = (given: Uint8Array, decoder: Build): SignedBlock =>
  stateless(() => decode(signedBlock, given, 'refuse', messageRules(decoder)));
