import type { BlockId, ChainId, TransactionId } from '../crypto/digests.js';
import type { SignedBlock } from '../protocol/block.js';
import type { Instance } from '../protocol/ids.js';
import type { ProcessedTransaction } from '../protocol/transaction.js';
import type { ChainState } from '../state/chain-state.js';
import type { ReadState } from '../state/views.js';
import type { Bug } from './bugs.js';
import type { ChainListener } from './events.js';
import type { BlockFacts, GivenBlock, GivenTransaction } from './facts.js';
import type { ProduceRequest } from './produce.js';
import type { BegunReplay, PushResult } from './push-block.js';
import type { SlotPlan } from './schedule.js';
import type { StateUpdate } from './state-update.js';

/** The few doors through which the rest of the node deals with the chain. Nothing behind them waits for anything. */

export interface HeadInfo {
  readonly number: number;
  readonly id: BlockId;
  readonly time: number;
  /** No block up to this one is undone on this node; with a mark of `ReturnDoor` not what the state says. */
  readonly irreversible: number;
}

/** The door that changes confirmed state; those for the debug API and for ways back are for private chains. */
export interface BlockDoor {
  readonly head: HeadInfo;
  /** The bug of ours because of which no more blocks are made here; see bugs.ts. */
  readonly haltingBug: Bug | undefined;
  /** Throws a coded refusal; then nothing has changed. */
  push(block: GivenBlock, skip?: number): PushResult;
  /** Undoes blocks until this number is the head. Irreversible ones cannot be undone. */
  popTo(number: number): void;
  /** Assembles a block of pending transactions, signs it and applies it. */
  produce(request: ProduceRequest, skip?: number): BlockFacts;
  /** Hands everything irreversible to the store now. */
  save(): void;
  /** From now on: how many irreversible blocks are handed to the store together, or how many changes if they hold more. */
  saveEvery(blocks: number, changes?: number): void;
  subscribe(listener: ChainListener): () => void;
}

/** For whoever applies the blocks of the own log, before anybody else uses the chain. */
export interface ReplayDoor extends Pick<BlockDoor, 'head' | 'save'> {
  /**
   * Blocks of the own log follow, up to the number `last`; those up to `irreversible` could not be undone any more when
   * they were written. Many of these share a way back, which is none for the single block: one that is refused among
   * them leaves a chain that takes nothing more.
   */
  begin(last: number, irreversible: number): BegunReplay;
  /** Counts votes as far as that is possible now: the first maintenance after a start would begin from nothing. */
  prepareMaintenance(): void;
}

/** For the debug API alone. */
export interface DebugDoor {
  /**
   * Changes an object without an operation; the change belongs to the head block. `keep` is called once the change is
   * known to be possible; nothing has changed if it throws.
   */
  amendHead(update: StateUpdate, keep?: () => void): void;
}

/** Where a chain stood. */
export interface ChainMark {
  readonly number: number;
  /** How many changes the debug API had made. */
  readonly updates: number;
}

/** For development chains alone: ways back over blocks that are irreversible for everybody else. */
export interface ReturnDoor {
  /** What comes from now on can be undone; until the mark is gone it is kept in memory, and the store does not get it. */
  mark(): ChainMark;
  /** False if the mark is gone: the chain was taken back before it, or it was forgotten. */
  has(mark: ChainMark): boolean;
  /**
   * The chain stands where it stood, with what waited then. This mark is gone, and those after it. Listeners hear of it as
   * of a fork switch.
   */
  backTo(mark: ChainMark): void;
  /** This one alone; earlier and later ones stay. */
  forget(mark: ChainMark): void;
  forgetMarks(): void;
}

/** Transactions that wait for a block. */
export interface PendingDoor {
  /** Applies the transaction on top of everything that is pending and keeps it for a block. */
  push(transaction: GivenTransaction, skip?: number): ProcessedTransaction;
  /** The same, without a trace. */
  dryRun(transaction: GivenTransaction, skip?: number): ProcessedTransaction;
  readonly transactions: readonly ProcessedTransaction[];
  readonly ids: readonly TransactionId[];
  readonly count: number;
  readonly bytes: number;
  has(id: TransactionId): boolean;
  clear(): void;
  /**
   * After a change of blocks only the first of those that wait have their effects again. Each call tries some more of
   * them, for a few milliseconds; false when there is nothing left to do before the next block.
   */
  tryMore(): boolean;
}

/** Changes nothing. */
export interface QueryDoor {
  readonly chainId: ChainId;
  /** With the effects of pending transactions, as clients of the family expect. */
  readonly state: ReadState;
  readonly head: HeadInfo;
  blockByNumber(number: number): SignedBlock | undefined;
  /** Also finds blocks of branches that lost. */
  blockById(id: BlockId): SignedBlock | undefined;
  /** The packed block of the chain with this number, as it stands in the log. */
  blockBytes(number: number): Uint8Array | undefined;
  /** The same by id, also of branches that lost. */
  blockBytesById(id: BlockId): Uint8Array | undefined;
  blockIdOf(number: number): BlockId | undefined;
  /** The id that the operator vouches for, if there is one for this number. */
  checkpointOf(number: number): BlockId | undefined;
  /** True for blocks of the chain and for those that may still become part of it. */
  isKnownBlock(id: BlockId): boolean;
  /** Ids of all known blocks of this number, the chain's own first. */
  blockIdsAt(number: number): readonly BlockId[];
  /** Still remembered: the transaction is pending, or in a block and not yet expired. */
  isKnownTransaction(id: TransactionId): boolean;
  slotTime(slot: number): number;
  slotAt(time: number): number;
  scheduledWitness(slot: number): Instance;
  /** The slots after the head block, for whoever looks back at them when there are more blocks. */
  slotPlan(): SlotPlan;
  /** Share of the last 128 slots that were filled, of 10,000. */
  participation(): number;
}

export interface SnapshotDoor {
  /** Runs `work` on the state of the head block, without pending transactions. */
  withHeadState<R>(work: (state: ChainState) => R): R;
}
