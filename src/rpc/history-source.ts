import type { BlockId } from '../crypto/digests.js';
import type { Instance } from '../protocol/ids.js';
import type { accountHistoryRecord, operationHistoryRecord } from '../protocol/objects/chain.js';
import type { AnyObjectDeclaration, ObjectDeclaration, ObjectValue } from '../protocol/objects/declare.js';

/** What plugins that record history show of it beside methods of their own: as if it stood in the state. */

type ValueOfRecord<D> = D extends ObjectDeclaration<infer F> ? Readonly<ObjectValue<F>> : never;

/** Object 1.11.n */
export type OperationHistory = ValueOfRecord<typeof operationHistoryRecord>;
/** Object 2.9.n */
export type AccountHistory = ValueOfRecord<typeof accountHistoryRecord>;

/** Members of an account's statistics that the state leaves at their defaults. */
export interface HistoryCounts {
  readonly most_recent_op: Instance;
  readonly total_ops: number;
  readonly removed_ops: number;
}

/** What became of an object that is no part of the state. */
export interface HistoryChange {
  readonly definition: AnyObjectDeclaration;
  readonly instance: Instance;
  /** Undefined when it was removed. */
  readonly value: OperationHistory | AccountHistory | undefined;
  /** Undefined when it is new. */
  readonly before: OperationHistory | AccountHistory | undefined;
}

export interface HistoryChanges {
  readonly objects: readonly HistoryChange[];
  /** Accounts whose counts have changed, and what these were; undefined where nothing was counted. */
  readonly counts: ReadonlyMap<Instance, HistoryCounts | undefined>;
}

/** Each brings itself to the head before it answers, where that is a matter of a moment. */
export interface HistorySource {
  operation(instance: Instance): OperationHistory | undefined;
  entry(instance: Instance): AccountHistory | undefined;
  /** Undefined for an account of which nothing is counted. */
  counts(account: Instance): HistoryCounts | undefined;
  /** The next numbers: of operations 1.11 and of entries 2.9. */
  numbers(): { readonly operations: Instance; readonly entries: Instance };
  /** What the block did, while the chain tells of it; undefined if the history is not there yet. */
  changesOf(block: BlockId): HistoryChanges | undefined;
}
