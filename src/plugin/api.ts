import type { QueryDoor } from '../chain/doors.js';
import type { ChainListener } from '../chain/events.js';
import { partRef } from './part.js';

/** What a plugin may need: parts of the node that are there for others. */

export interface ChainView {
  /** The chain as it is now, pending transactions included. Valid until the next await. */
  readonly queries: QueryDoor;
  /** Tells of every block and pending transaction from now on; the listener must not throw, change or wait. */
  subscribe(listener: ChainListener): () => void;
}

export const CHAIN_VIEW = partRef<ChainView>('chain view');
