import type { BlockId, TransactionId } from '../crypto/digests.js';
import type { SignedBlock } from '../protocol/block.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { OperationResult } from '../protocol/results.js';
import type { CarriedEntries } from '../storage/kv.js';

/** What followers are written against; docs/plugins.md is the page for those who write them. */

export interface BlockPlace {
  readonly number: number;
  readonly id: BlockId;
}

/** Before the first block. */
export const NO_BLOCK: BlockPlace = { number: 0, id: '' };

/** One applied operation, as histories show it: object 1.11.`instance`. */
export interface FeedOperation {
  readonly instance: number;
  readonly operation: Operation;
  readonly result: OperationResult;
  /** `trx_in_block`; the number of transactions for what the block itself did. */
  readonly transaction: number;
  /** `op_in_trx` */
  readonly index: number;
  /** `virtual_op`: 0 for an operation that stands in its transaction, the others of a block count from 1. */
  readonly virtual: number;
}

/** A block with everything that it did. The same values whether it is new or read from the disk; never changed. */
export interface FeedBlock extends BlockPlace {
  readonly block: SignedBlock;
  readonly transactionIds: readonly TransactionId[];
  /** In the order in which they were applied, numbered without a gap. For followers that read operations. */
  readonly operations: readonly FeedOperation[];
  /** As the logs have it: for whoever passes it on. A block that somebody has made by hand has none. */
  packed?(): PackedBlock;
}

export interface PackedBlock extends BlockPlace {
  readonly block: Uint8Array;
  /** What the operation journal has of it; undefined where it has nothing. */
  readonly segment: Uint8Array | undefined;
}

/** `operations` needs the operation journal, which may begin later than the block log. */
export type FeedPart = 'blocks' | 'operations';

/** What a snapshot of the chain carries, as of the block that it stands on; `name`: of the follower that it is from. */
export interface Carried extends CarriedEntries {
  readonly name: string;
}

/** Begins to read the entries before it returns. */
export type WriteCarried = (carried: CarriedEntries) => Promise<void>;

/**
 * Reads the chain, block by block, from wherever it is to the head and on. Its methods are called one at a time, the next
 * one when the promise of the one before has settled. What they throw ends this follower, and nothing else.
 */
export interface Follower {
  /** In the log, in metrics, in refusals. */
  readonly name: string;
  readonly reads: FeedPart;
  /** With `irreversible` it gets blocks when no fork switch can take them back: `undo` is never called. */
  readonly upTo?: 'head' | 'irreversible';
  /**
   * The last block that it has taken. `apply` and `undo` move it before they settle. At a start it is what the follower
   * has stored itself, in one batch with what the blocks up to there made of its data: so each block counts once.
   */
  readonly position: BlockPlace;
  /** The block behind `position`: its `previous` is the position's id. */
  apply(block: FeedBlock): void | Promise<void>;
  /**
   * The block at `position` is not part of the chain any more: `position` moves to the one before it. Only blocks that
   * were not settled are undone, in this life or, if the follower stores such blocks, in an earlier one.
   */
  undo(block: BlockPlace): void | Promise<void>;
  /**
   * Blocks up to this number, none behind `position`, stay: the network cannot undo them, and they are on this node's
   * disk. What a follower stores should not go beyond. Called now and then, with growing numbers.
   */
  settle(number: number): void | Promise<void>;
  /** The last call, also after a failure: what is worth it is stored, files are closed. */
  close(): void | Promise<void>;
  /**
   * For a follower that can do without what was before the first block of the feed: `position` moves to `place`. One that
   * has no such method is refused where the feed begins behind the block that it needs. `carried`: what a snapshot of that
   * very block has, of the first of `beginsWith` that it has anything of. Returns what the operator has to know of it.
   */
  skipTo?(place: BlockPlace, carried?: Carried): SkipNote | Promise<SkipNote>;
  /** Followers whose entries in a snapshot it can begin with, the best ones first. */
  readonly beginsWith?: readonly string[];
  /** The first block that it knows of, for metrics. */
  readonly from?: number;
  /**
   * For a follower that gets at the logs without this thread: takes blocks up to `number` at most, all of which stay, as
   * many as a moment is enough for; `position` has moved when it settles. Called where it is far behind.
   */
  readonly advance?: (number: number) => Promise<void>;
  /** Operations taken since the start, where it counts them itself: then nobody else looks at them for that. */
  readonly records?: number | undefined;
  /** It stands on the head and somebody is about to ask it. Until then it need not look at what it has taken. */
  look?(): void;
  /**
   * A snapshot of the chain is made: writes what somebody who begins with it needs in order to go on behind `place` with
   * the same numbers. The block is settled. False where it cannot, because it does not stand there. Unlike all others this
   * call may come while another one is under way.
   */
  carry?(place: BlockPlace, write: WriteCarried): Promise<boolean>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: most followers have nothing to say and return nothing
export type SkipNote = string | undefined | void;

export type FollowerState = 'catching_up' | 'live' | 'refused' | 'failed' | 'closed';

export interface FollowerStatus {
  readonly name: string;
  readonly state: FollowerState;
  readonly position: BlockPlace;
  /** Operations taken since the start; for one that reads blocks alone, their transactions. */
  readonly records: number;
  /** Why it was refused or has failed. */
  readonly reason: string | undefined;
  /** The first block that it knows of, where it says so. */
  readonly from?: number | undefined;
}

/** A follower on its way. */
export interface AddedFollower {
  readonly status: FollowerStatus;
  /** Settles when it stands on the head, or will never again. */
  caughtUp(): Promise<void>;
  /**
   * Takes the few steps to the head at once, instead of in a moment: for whoever asks the follower in the middle of what
   * brings a block. Only for one whose `apply` and `undo` return nothing, also while its `settle` is under way. False
   * when it is further behind, or will never get there.
   */
  hurry(): boolean;
  /** Finishes the step under way, then closes the follower. */
  close(): Promise<void>;
}
