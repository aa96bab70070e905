import { check } from '../base/errors.js';
import type { ChainState } from '../state/chain-state.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { DEBUG_UPDATE_ERRORS } from './debug-updates.js';
import type { ChainEvents } from './events.js';
import { applyAgain, applyStateUpdate, type StateUpdate, type Touched } from './state-update.js';
import type { DebugUpdates } from './updates-by-block.js';

export interface AmendmentParts {
  readonly state: ChainState;
  readonly events: ChainEvents;
  readonly updates: DebugUpdates;
  /** Told of each change with the number of the head: whether it must have a frame of its own. */
  readonly amends: (head: number) => boolean;
}

/** Changes of the head block's state that no operation makes. Pending transactions must have stepped aside. */
export class HeadAmendments {
  readonly #p: AmendmentParts;

  constructor(parts: AmendmentParts) {
    this.#p = parts;
  }

  /** Makes a change part of what the head block does, unless `keep` refuses to remember it for the next start. */
  make(update: StateUpdate, keep: () => void = () => undefined): void {
    const { state, events, updates } = this.#p;
    const { head_block_number, head_block_id } = state.single(dynamicGlobalPropertyObject);
    check(head_block_number > 0, DEBUG_UPDATE_ERRORS.debug_update_no_block);
    let touched: readonly Touched[] = [];
    this.#inHeadFrame(() => {
      touched = applyStateUpdate(state, update);
      keep();
    });
    updates.add(head_block_id, update);
    const changes = () =>
      touched.map(({ definition, instance }) => ({ definition, instance, value: state.find(definition, instance) }));
    events.emit({ kind: 'amended', changes });
  }

  /** After a start: the stored state may be that of a block to which changes were made after it had been stored. */
  remake(): void {
    const { state, updates } = this.#p;
    const ofHead = updates.of(state.single(dynamicGlobalPropertyObject).head_block_id);
    if (ofHead.length === 0) return;
    this.#inHeadFrame(() => {
      // All are absolute and may be made twice.
      for (const update of ofHead) applyAgain(state, update);
    });
  }

  #inHeadFrame(work: () => void): void {
    const { state } = this.#p;
    state.openFrame();
    try {
      work();
    } catch (error) {
      state.undoFrame();
      throw error;
    }
    const { head_block_number } = state.single(dynamicGlobalPropertyObject);
    // The frame of an irreversible head may have been handed over already: then the change is a frame of its own.
    if (!this.#p.amends(head_block_number) && state.committedFrames > 0) state.mergeFrame();
    else state.commitFrame();
  }
}
