import type { Clock, Logger } from '../base/world.js';
import type { FeedPart, Follower } from './follower.js';

/**
 * A follower that works in a thread of its own: blocks reach it as bytes, and where it is far behind it reads the logs by
 * itself. What goes from one side to the other is copied.
 */

/** How far the chain is. */
export interface ChainHeight {
  readonly head: number;
  readonly irreversible: number;
}

/** What the program in the thread gets of the world around it. */
export interface ThreadWorld {
  readonly clock: Clock;
  readonly log: Omit<Logger, 'child'>;
  /** Fires when nothing is to be tried any longer. */
  readonly signal: AbortSignal;
  /** As it was when the call under way was made. */
  readonly chain: ChainHeight;
  /** Has the report told although the call under way is not over. */
  tell(): void;
}

/** What runs in the thread is a file whose default export is one. `S`: the settings. */
export type FollowerProgram<S> = (settings: S, world: ThreadWorld) => ThreadedFollower;

export interface ThreadedFollower {
  /** It may take its time; what it throws is told on the other side. */
  begin(): Promise<Follower>;
  /** For whoever has begun the thread: told after each call. */
  report(): unknown;
  /** Behind the close of the follower, or where none has begun. */
  end(): Promise<void>;
}

/** Where the program is, what it is told, and which follower it makes. */
export interface FollowerProgramFile {
  readonly name: string;
  readonly reads: FeedPart;
  readonly url: URL;
  readonly settings: unknown;
}

/** The same, from the other side. */
export interface FollowerThread {
  /** What stands here for the follower there, to be added. Rejects with the reason why there is none. */
  readonly begun: Promise<Follower>;
  giveUp(): void;
  /** Behind the close of the follower. */
  end(): Promise<void>;
}

export interface ThreadListener {
  readonly log: Omit<Logger, 'child'>;
  onReport(report: unknown): void;
}
