import type { BlockId } from '../../crypto/digests.js';
import { P2P_LIMITS } from '../limits.js';
import type { ReceivedBlock } from '../received-block.js';

/** The size of a block is not known before it is there; the mean of late is what one reckons with. */
const WEIGHT = 1 / 32;
const FIRST_GUESS_BYTES = 4096;

/** Blocks that came before their turn, bounded in number and bytes. */
export class WaitingBlocks {
  readonly #blocks = new Map<BlockId, ReceivedBlock>();
  #bytes = 0;
  #meanBytes = FIRST_GUESS_BYTES;
  #isDraining = false;

  get count(): number {
    return this.#blocks.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  has(id: BlockId): boolean {
    return this.#blocks.has(id);
  }

  /**
   * How many more may be asked for while so many are under way. Once there was no room, half of it has to be free before there
   * is any again: a request for each block that was taken costs both sides more than the block itself.
   */
  room(underWay: number): number {
    const { blocks_waiting_max, blocks_waiting_bytes_max } = P2P_LIMITS;
    const all = Math.min(blocks_waiting_max, Math.floor(blocks_waiting_bytes_max / this.#meanBytes));
    const byBytes = Math.floor((blocks_waiting_bytes_max - this.#bytes) / this.#meanBytes);
    const room = Math.max(0, Math.min(blocks_waiting_max - this.#blocks.size, byBytes) - underWay);
    if (room === 0) this.#isDraining = true;
    else if (room >= all / 2) this.#isDraining = false;
    return this.#isDraining ? 0 : room;
  }

  /** False: there is no room for it, and it is not kept. */
  add(block: ReceivedBlock): boolean {
    if (this.#blocks.has(block.id)) return true;
    this.#meanBytes += (block.bytes.length - this.#meanBytes) * WEIGHT;
    if (this.#bytes + block.bytes.length > P2P_LIMITS.blocks_waiting_bytes_hard_max) return false;
    this.#blocks.set(block.id, block);
    this.#bytes += block.bytes.length;
    return true;
  }

  take(id: BlockId): ReceivedBlock | undefined {
    const block = this.#blocks.get(id);
    if (block === undefined) return undefined;
    this.#blocks.delete(id);
    this.#bytes -= block.bytes.length;
    return block;
  }

  /** Forgets what nobody has listed any more. */
  keep(listed: ReadonlySet<BlockId>): void {
    for (const id of [...this.#blocks.keys()]) if (!listed.has(id)) this.take(id);
  }
}
