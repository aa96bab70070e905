import type { BlockSource, FollowedBlock } from './follower.js';

/** Longer than any instance is behind another one. */
const IDS_KEPT = 20_000;

/** Irreversible blocks, until one is younger than `time`. */
export interface Stretch {
  readonly first: number;
  readonly last: number;
  readonly time: number;
}

/**
 * The branch that this instance has followed. Where several share a database, each in its own time, what one has found in
 * a block of another branch is for that one to take back.
 */
export class OwnBranch {
  /** Ids of the blocks, by number. */
  readonly #ids = new Map<number, string>();
  readonly #blockAt: BlockSource;

  constructor(blockAt: BlockSource) {
    this.#blockAt = blockAt;
  }

  /** Gives the number of the block. */
  applied({ block_id }: FollowedBlock): number {
    const number = Number.parseInt(block_id.slice(0, 8), 16);
    this.#ids.set(number, block_id);
    this.#ids.delete(number - IDS_KEPT);
    return number;
  }

  undone(number: number): void {
    this.#ids.delete(number);
  }

  has(number: number | null, id: string | null): boolean {
    return number !== null && id !== null && this.#ids.get(number) === id;
  }

  /**
   * Looks for what an instance that followed an old branch, and is gone since, may have taken back although the others had
   * found it. `look` gives true when nothing is looked for any more. False: the blocks cannot be looked through now.
   */
  async lookThrough(
    { first, last, time }: Stretch,
    look: (block: FollowedBlock, number: number) => Promise<boolean>,
  ): Promise<boolean> {
    for (let number = first; number <= last; number++) {
      const block = await this.#blockAt(number);
      // A node that was started again may be behind, or on another branch, for a while.
      if (block === undefined || block.block_id !== (this.#ids.get(number) ?? block.block_id)) return false;
      // The first block behind an expiration may still have what ended in between.
      if ((await look(block, number)) || block.timestamp > time) return true;
    }
    return true;
  }
}
