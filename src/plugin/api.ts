import type { QueryDoor } from '../chain/doors.js';
import type { ChainListener } from '../chain/events.js';
import type { AddedFollower, Follower } from './follower.js';
import { partRef } from './part.js';

/** What a plugin may need: parts of the node that are there for others. */

export interface ChainView {
  /** The chain as it is now, pending transactions included. Valid until the next await. */
  readonly queries: QueryDoor;
  /** Tells of every block and pending transaction from now on; the listener must not throw, change or wait. */
  subscribe(listener: ChainListener): () => void;
}

export interface Followers {
  /**
   * Brings the follower to the head and keeps it there, beside the chain. Whoever adds one closes it by what this
   * returns; see follower.ts.
   */
  add(follower: Follower): AddedFollower;
}

export const FOLLOWERS = partRef<Followers>('followers');

export const CHAIN_VIEW = partRef<ChainView>('chain view');
