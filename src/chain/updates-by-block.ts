import type { BlockId } from '../crypto/digests.js';
import type { WriteState } from '../state/views.js';
import type { BlockHook } from './ports.js';
import { applyStateUpdate, type StateUpdate } from './state-update.js';

/** The changes by the block that they belong to. Empty on every chain that nobody debugs. */
export class DebugUpdates implements BlockHook {
  readonly #byBlock = new Map<BlockId, StateUpdate[]>();
  /** The block of each, as they were made. */
  readonly #order: BlockId[] = [];

  get count(): number {
    return this.#order.length;
  }

  /** Forgets all but the first so many: the blocks that they belong to may come again, without them. */
  cutTo(count: number): void {
    for (const block of this.#order.splice(count).reverse()) {
      const updates = this.#byBlock.get(block);
      updates?.pop();
      if (updates?.length === 0) this.#byBlock.delete(block);
    }
  }

  add(block: BlockId, update: StateUpdate): void {
    this.#order.push(block);
    const updates = this.#byBlock.get(block);
    if (updates === undefined) this.#byBlock.set(block, [update]);
    else updates.push(update);
  }

  of(block: BlockId): readonly StateUpdate[] {
    return this.#byBlock.get(block) ?? [];
  }

  afterBlock(id: BlockId, state: WriteState): void {
    for (const update of this.of(id)) applyStateUpdate(state, update);
  }
}
