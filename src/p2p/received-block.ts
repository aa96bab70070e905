import { toHex } from '../base/bytes.js';
import { ChainError } from '../base/errors.js';
import type { LogValues } from '../base/world.js';
import { decode, encodeWith } from '../codec/binary.js';
import { type BlockId, blockId, NULL_BLOCK_ID, nextBlockNum } from '../crypto/digests.js';
import { signedBlockHeader } from '../protocol/block.js';
import { PackedBlock } from '../protocol/packed-block.js';
import type { Peer } from './peer.js';
import type { ReasonCode } from './policy/reasons.js';
import { type ItemHash, messageId } from './wire/messages.js';

const ID_BYTES = NULL_BLOCK_ID.length / 2;

/** By whose connection something came, which may be over meanwhile. */
export type Sender = Pick<Peer, 'id' | 'remote' | 'ip'>;

/** Ends the connection, or holds it against the address alone where that is over. */
export type BlameSender = (sender: Sender, reason: ReasonCode, values: LogValues) => void;

/** A block as it came from a peer: its header is read, its transactions are not. */
export class ReceivedBlock {
  readonly #payload: Uint8Array;
  #messageId: ItemHash | undefined;
  /** The packed block without the id behind it. A block with anything behind its id is none here. */
  readonly bytes: Uint8Array;
  readonly packed: PackedBlock | undefined;
  /** As computed from the header. */
  readonly id: BlockId;
  /** As the sender says. */
  readonly claimedId: BlockId;
  readonly number: number;
  readonly previous: BlockId;
  readonly time: number;
  readonly sender: Sender;

  /** Throws a refusal where not even the header can be read. Nothing large is decoded for a block that is not wanted. */
  constructor(payload: Uint8Array, { id, remote, ip }: Sender) {
    this.#payload = payload;
    this.sender = { id, remote, ip };
    this.bytes = payload.subarray(0, Math.max(0, payload.length - ID_BYTES));
    this.packed = PackedBlock.scan(this.bytes);
    const { previous, timestamp, id: computed } = this.packed ?? readHeader(this.bytes);
    this.number = nextBlockNum(previous);
    this.previous = previous;
    this.time = timestamp;
    this.id = computed;
    this.claimedId = toHex(payload.subarray(payload.length - ID_BYTES));
  }

  get messageId(): ItemHash {
    this.#messageId ??= messageId(this.#payload);
    return this.#messageId;
  }
}

function readHeader(bytes: Uint8Array): Pick<PackedBlock, 'previous' | 'timestamp' | 'id'> {
  const header = decode(signedBlockHeader, bytes, 'ignore');
  const { previous, timestamp } = header;
  const id = encodeWith(signedBlockHeader, header, (packed) => blockId(packed, nextBlockNum(previous)));
  return { previous, timestamp, id };
}

export function readBlock(payload: Uint8Array, sender: Sender): ReceivedBlock | undefined {
  try {
    return new ReceivedBlock(payload, sender);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}
