import type { BlockId } from '../../crypto/digests.js';
import { P2P_LIMITS } from '../limits.js';

/** The last blocks that the chain has accepted, whichever way they came. */
export class RecentBlocks {
  readonly #ids = new Set<BlockId>();

  has(id: BlockId): boolean {
    return this.#ids.has(id);
  }

  add(id: BlockId): void {
    this.#ids.delete(id);
    this.#ids.add(id);
    if (this.#ids.size <= P2P_LIMITS.recent_blocks_max) return;
    for (const first of this.#ids) {
      this.#ids.delete(first);
      return;
    }
  }
}
