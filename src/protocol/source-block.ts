import { decodeTrusted, encodeWith, packedSize } from '../codec/binary.js';
import { type BlockId, blockId, nextBlockNum } from '../crypto/digests.js';
import { type SignedBlock, signedBlock, signedBlockHeader } from './block.js';
import { PackedBlock } from './packed-block.js';

/** A block on its way to the chain, packed or read. */
export interface SourceBlock {
  readonly id: BlockId;
  readonly previous: BlockId;
  readonly timestamp: number;
  /** Transactions. */
  readonly count: number;
  /** Bytes that it takes where it came from: what waits is limited by them. */
  readonly size: number;
  read(): SignedBlock;
}

/** One that was read where it came from. */
export class ReadBlock implements SourceBlock {
  readonly size: number;
  readonly #block: SignedBlock;
  #id: BlockId | undefined;

  /** `id`: where it is known already. */
  constructor(block: SignedBlock, size = packedSize(signedBlock, block), id?: BlockId) {
    this.#block = block;
    this.size = size;
    this.#id = id;
  }

  get id(): BlockId {
    this.#id ??= idOf(this.#block);
    return this.#id;
  }

  get previous(): BlockId {
    return this.#block.previous;
  }

  get timestamp(): number {
    return this.#block.timestamp;
  }

  get count(): number {
    return this.#block.transactions.length;
  }

  read(): SignedBlock {
    return this.#block;
  }
}

function idOf(block: SignedBlock): BlockId {
  return encodeWith(signedBlockHeader, block, (header) => blockId(header, nextBlockNum(block.previous)));
}

/** From bytes that nobody else writes to: as they are where that is enough, read at its turn then. */
export function trustedBlock(bytes: Uint8Array): SourceBlock {
  return PackedBlock.scan(bytes) ?? new ReadBlock(decodeTrusted(signedBlock, bytes), bytes.length);
}
