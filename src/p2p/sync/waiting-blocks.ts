import type { BlockId } from '../../crypto/digests.js';
import { P2P_LIMITS } from '../limits.js';
import type { ConnectionId } from '../ports.js';
import type { ReceivedBlock } from '../received-block.js';

/**
 * The size of a block is not known before it is there; the mean of late is what one reckons with. The first guess is high,
 * so that not everything is asked for before a block is seen.
 */
const WEIGHT = 1 / 32;
const FIRST_GUESS_BYTES = 32 * 1024;

/** Of all room: less is none. */
const HARDLY = 1 / 10;

/** Blocks that came before their turn, bounded in number and bytes, also those of one sender. */
export class WaitingBlocks {
  readonly #blocks = new Map<BlockId, ReceivedBlock>();
  readonly #bytesBySender = new Map<ConnectionId, number>();
  #bytes = 0;
  #meanBytes = FIRST_GUESS_BYTES;
  #isDraining = false;

  get count(): number {
    return this.#blocks.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  bytesOf(sender: ConnectionId): number {
    return this.#bytesBySender.get(sender) ?? 0;
  }

  has(id: BlockId): boolean {
    return this.#blocks.has(id);
  }

  get(id: BlockId): ReceivedBlock | undefined {
    return this.#blocks.get(id);
  }

  /** How many more may be asked of a peer while so many are under way from all. */
  room(underWay: number, of: ConnectionId): number {
    return Math.min(this.#roomForAll(underWay), this.#shareOf(of));
  }

  /**
   * Once there was hardly any room, half of it has to be free before there is any again: a request for each few blocks that
   * were taken costs both sides more than the blocks themselves. None at all is too late to see it: some are always taken
   * while what was asked for last is on its way.
   */
  #roomForAll(underWay: number): number {
    const { blocks_waiting_max, blocks_waiting_bytes_max } = P2P_LIMITS;
    const all = Math.min(blocks_waiting_max, Math.floor(blocks_waiting_bytes_max / this.#meanBytes));
    const byBytes = Math.floor((blocks_waiting_bytes_max - this.#bytes) / this.#meanBytes);
    const room = Math.max(0, Math.min(blocks_waiting_max - this.#blocks.size, byBytes) - underWay);
    if (room < all * HARDLY) this.#isDraining = true;
    else if (room >= all / 2) this.#isDraining = false;
    return this.#isDraining ? 0 : room;
  }

  /** Half of it has to be free, for the same reason. */
  #shareOf(sender: ConnectionId): number {
    const all = P2P_LIMITS.blocks_waiting_per_peer_bytes_max;
    const left = all - this.bytesOf(sender);
    return left < all / 2 ? 0 : Math.floor(left / this.#meanBytes);
  }

  /**
   * Where there is no room for it, the block that is needed last is thrown away, perhaps this one. `nexts`: those on which
   * everything else waits, asked for when something has to go. However much of whatever comes, they find room. False: one
   * was thrown away.
   */
  add(block: ReceivedBlock, nexts: () => ReadonlySet<BlockId>): boolean {
    if (this.#blocks.has(block.id)) return true;
    this.#meanBytes += (block.bytes.length - this.#meanBytes) * WEIGHT;
    this.#blocks.set(block.id, block);
    this.#count(block, 1);
    const countBefore = this.count;
    const { id } = block.sender;
    while (this.bytesOf(id) > P2P_LIMITS.blocks_waiting_per_peer_bytes_max) this.#dropLast(nexts(), id);
    while (this.#bytes > P2P_LIMITS.blocks_waiting_bytes_hard_max) this.#dropLast(nexts());
    return this.count === countBefore;
  }

  #count({ sender, bytes }: ReceivedBlock, sign: 1 | -1): void {
    this.#bytes += sign * bytes.length;
    const left = this.bytesOf(sender.id) + sign * bytes.length;
    if (left === 0) this.#bytesBySender.delete(sender.id);
    else this.#bytesBySender.set(sender.id, left);
  }

  /** The one that lies farthest ahead, of one sender or of all. */
  #dropLast(nexts: ReadonlySet<BlockId>, sender?: ConnectionId): void {
    let last: ReceivedBlock | undefined;
    for (const block of this.#blocks.values()) {
      if (sender !== undefined && block.sender.id !== sender) continue;
      if (last === undefined || isNeededLater(block, last, nexts)) last = block;
    }
    if (last !== undefined) this.take(last.id);
  }

  take(id: BlockId): void {
    const block = this.#blocks.get(id);
    if (block === undefined) return;
    this.#blocks.delete(id);
    this.#count(block, -1);
  }

  /** Forgets what this one has sent. */
  dropOf(sender: ConnectionId): void {
    for (const block of [...this.#blocks.values()]) if (block.sender.id === sender) this.take(block.id);
  }

  /** Forgets what nobody has listed any more. */
  keep(isListed: (id: BlockId) => boolean): void {
    for (const id of [...this.#blocks.keys()]) if (!isListed(id)) this.take(id);
  }
}

function isNeededLater(a: ReceivedBlock, b: ReceivedBlock, nexts: ReadonlySet<BlockId>): boolean {
  const isNext = nexts.has(a.id);
  return isNext === nexts.has(b.id) ? a.number > b.number : !isNext;
}
