import { ChainError } from '../../base/errors.js';
import type { BlockDoor } from '../../chain/doors.js';

/**
 * Tells `onFailure` of what the machine refused while the chain took a block. The chain stands as it did before, and so
 * does what is on disk; a node that cannot write blocks must stop in order and not go on refusing them.
 */
export function withFailureTold(door: BlockDoor, onFailure: (error: unknown) => void): BlockDoor {
  const told =
    <A extends unknown[], R>(work: (...args: A) => R) =>
    (...args: A): R => {
      try {
        return work(...args);
      } catch (error) {
        if (error instanceof ChainError && error.kind === 'environment') onFailure(error);
        throw error;
      }
    };
  return {
    get head() {
      return door.head;
    },
    get haltingBug() {
      return door.haltingBug;
    },
    push: told(door.push),
    produce: told(door.produce),
    popTo: told(door.popTo),
    save: told(door.save),
    saveEvery: (blocks, changes) => door.saveEvery(blocks, changes),
    subscribe: (listener) => door.subscribe(listener),
  };
}
