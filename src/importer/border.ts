import { check, defineErrors, stateless } from '../base/errors.js';
import { decode, packedSize } from '../codec/binary.js';
import { type Build, messageRules } from '../codec/decode-rules.js';
import type { BlockId } from '../crypto/digests.js';
import { MESSAGE_BYTES_MAX, type SignedBlock, signedBlock } from '../protocol/block.js';
import { checkBlockTime } from '../protocol/block-time.js';
import { PackedBlock } from '../protocol/packed-block.js';
import { ReadBlock, type SourceBlock } from '../protocol/source-block.js';

export const BORDER_ERRORS = defineErrors({
  block_bytes: { kind: 'limit', text: 'a block of ${bytes} bytes; this node takes at most ${limit} from others' },
  block_other_id: { text: 'the block has the id ${id}, not ${claimed}' },
});

/** As a message between nodes has: no larger block can come from a peer. */
export const RECEIVED_BYTES_MAX = MESSAGE_BYTES_MAX;

export interface BorderRules {
  /** Bytes of the largest block that is taken. */
  readonly bytesMax: number;
  readonly nowMs: number;
  readonly decoder: Build;
}

/** As somebody may send one. */
export type SentBlock = Uint8Array | SignedBlock | PackedBlock;

/** What a sender says of a block is worth nothing until it is seen to be so. */
export function receiveBlock(
  given: SentBlock,
  claimed: BlockId | undefined,
  { bytesMax, nowMs, decoder }: BorderRules,
): SourceBlock {
  const size = sizeOf(given);
  check(size <= bytesMax, BORDER_ERRORS.block_bytes, { bytes: size, limit: bytesMax });
  const block = sourceOf(given, size, decoder);
  const { id, timestamp } = block;
  stateless(() => check(claimed === undefined || claimed === id, BORDER_ERRORS.block_other_id, { id, claimed }));
  checkBlockTime(timestamp, nowMs);
  return block;
}

function sizeOf(given: SentBlock): number {
  if (given instanceof Uint8Array) return given.length;
  return given instanceof PackedBlock ? given.size : packedSize(signedBlock, given);
}

/** Bytes stay bytes where nothing speaks against reading them later. */
function sourceOf(given: SentBlock, size: number, decoder: Build): SourceBlock {
  if (given instanceof PackedBlock) return given;
  if (!(given instanceof Uint8Array)) return new ReadBlock(given, size);
  return PackedBlock.scan(given) ?? new ReadBlock(read(given, decoder), size);
}

const read = (given: Uint8Array, decoder: Build): SignedBlock =>
  stateless(() => decode(signedBlock, given, 'refuse', messageRules(decoder)));
