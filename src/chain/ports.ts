import type { BlockId } from '../crypto/digests.js';
import type { AppliedOperation } from '../operations/define.js';
import type { SignedBlock } from '../protocol/block.js';
import type { ObjectDatabase, StateChanges } from '../state/object-db.js';
import type { WriteState } from '../state/views.js';
import type { BlockFacts } from './facts.js';

/** What the core needs from the world around it. All of it is synchronous; whoever implements it may finish later. */

/** The blocks of the present chain by number, also those that may still be undone. */
export interface BlockStore {
  /** 0 while it is empty. */
  readonly headNumber: number;
  /** Operations of the newest transaction that any of its blocks has; 0 before the first one. */
  readonly carriedIndex: number;
  /** The next block, which stands behind the present head, with all operations that it applied. */
  append(block: BlockFacts, operations: readonly AppliedOperation[]): void;
  /** Blocks up to this one can not be undone any more, which others are told as soon as this returns. */
  settle(number: number): void;
  /** Forgets the blocks above: they were undone. */
  cutAbove(number: number): void;
  byNumber(number: number): SignedBlock | undefined;
  /** The same, packed; not decoded where it is kept so. */
  bytesOf(number: number): Uint8Array | undefined;
  idOf(number: number): BlockId | undefined;
}

/** What stands beside the blocks and belongs to them all the same; a node that nobody debugs has none of it. */
export interface BlockHook {
  /** After everything else that the block does, in its frame: undone with it, and done again with it. */
  afterBlock(id: BlockId, state: WriteState): void;
}

/** Keeps objects that can no longer be undone. */
export interface StateStore {
  /** Takes everything: the state of a new chain, before its first block (number 0). */
  saveAll(state: ObjectDatabase, upTo: { readonly number: number; readonly id: BlockId }): void;
  /**
   * Takes what changed up to and including the given block, as one unit that later exists wholly or not at all. The
   * values are live objects: they must be encoded or copied before this returns.
   */
  save(changes: StateChanges, upTo: { readonly number: number; readonly id: BlockId }): void;
}
