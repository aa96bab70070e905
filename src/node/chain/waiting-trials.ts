import type { PendingDoor } from '../../chain/doors.js';
import type { ChainEvent } from '../../chain/events.js';

/**
 * Whoever waits through a block is tried again in slices, each in a turn of the event loop of its own, so that clients
 * have their answers in between. Returns the listener that begins it after each change of blocks.
 */
export function waitingTrials(pending: Pick<PendingDoor, 'tryMore'>): (event: ChainEvent) => void {
  let isUnderWay = false;
  const next = (): void => {
    isUnderWay = pending.tryMore();
    if (isUnderWay) setImmediate(next);
  };
  return (event) => {
    if (event.kind !== 'settled' || isUnderWay) return;
    isUnderWay = true;
    setImmediate(next);
  };
}
