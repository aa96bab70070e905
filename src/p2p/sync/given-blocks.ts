import type { BlockId } from '../../crypto/digests.js';
import { P2P_LIMITS } from '../limits.js';
import type { ReceivedBlock } from '../received-block.js';

/** Blocks that were given to the chain, which has not said yet what it makes of them. Bounded in number and bytes. */
export class GivenBlocks {
  readonly #bytesOf = new Map<BlockId, number>();
  #bytes = 0;

  get count(): number {
    return this.#bytesOf.size;
  }

  has(id: BlockId): boolean {
    return this.#bytesOf.has(id);
  }

  /** One alone is always given. */
  hasRoomFor({ bytes }: ReceivedBlock): boolean {
    const { blocks_processing_max, blocks_processing_bytes_max } = P2P_LIMITS;
    if (this.count === 0) return true;
    return this.count < blocks_processing_max && this.#bytes + bytes.length <= blocks_processing_bytes_max;
  }

  add({ id, bytes }: ReceivedBlock): void {
    this.#bytesOf.set(id, bytes.length);
    this.#bytes += bytes.length;
  }

  delete(id: BlockId): void {
    this.#bytes -= this.#bytesOf.get(id) ?? 0;
    this.#bytesOf.delete(id);
  }
}
