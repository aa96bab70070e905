import type { Fields, StructType, StructValue } from '../codec/struct.js';
import type { Asset } from '../protocol/asset.js';
import type { RequiredAuthorities } from '../protocol/authority.js';
import type { Instance } from '../protocol/ids.js';
import type { Operation, OperationBody } from '../protocol/operation-slot.js';
import type { OperationResult } from '../protocol/results.js';
import type { Transaction } from '../protocol/transaction.js';
import type { FetchAhead } from '../state/fetch-ahead.js';
import type { ReadState, WriteState } from '../state/views.js';
import type { ContractEngine, ContractSession } from './contract/engine.js';

/** What an evaluation needs to know besides the state. The chain passes it in; operations never import the chain. */
export interface OperationContext {
  /** Skip flags in force, see SKIP. */
  readonly skip: number;
  /** True inside an executing proposal. */
  readonly proposed: boolean;
  /** True for operations that running contract code issued: the minimum fee is waived. */
  readonly issuedByContract: boolean;
  /** Billed CPU time that the block carries for this operation, 0 when this node is the first to run it. */
  readonly billedCpuUs: number;
  readonly engine: ContractEngine;
  /** This node's own cap on the CPU time of a call that it is the first to run. */
  readonly contractTimeUsMax: number;
  /** Time of calls in proposals, which nobody bills: shared by all that one block runs, or that is tried for it. */
  readonly contractTime: { usedUs: number };
  /** Memos that contracts have written, and how many bytes of them this node takes in with one transaction. */
  readonly contractMemos: { bytes: number; bytesMax: number };
  /** The same of arguments that contracts have sent to other contracts. */
  readonly contractArguments: { bytes: number; bytesMax: number };
  /** Recovers the key of a canonical signature over a digest; refuses with a coded error. */
  recoverKey(digest: Uint8Array, signature: Uint8Array): string;
  /** Runs another operation through the whole pipeline: proposals and contracts use it. */
  run(state: WriteState, operation: Operation, how: Partial<OperationContext>): OperationResult;
  /** What was applied, in order; shared by everything that one block or one pending transaction runs. */
  readonly journal: Journal;
  /** The outermost contract call that is under way; see the contract operations. */
  readonly contractRun?: ContractSession;
  /** The transaction being applied; absent while the chain itself executes a proposal. Contracts can read it. */
  readonly transaction?: Transaction;
  /** Accounts whose authority transactions need not prove, on a development chain. */
  readonly impersonated?: ReadonlySet<Instance>;
  /** Id of a block by number, as hex, for numbers that no block summary holds any more. */
  blockId?(number: number): string | undefined;
}

/** One applied operation: those of transactions, of executed proposals, those that contracts and the chain issued. */
export interface AppliedOperation {
  readonly operation: Operation;
  result: OperationResult;
  /** Index of the transaction in its block; the number of transactions for what the block itself did. */
  readonly transaction: number;
  /** Index of the operation in its transaction that led to this one; behind the last one for what the block did. */
  readonly index: number;
  /** Stands in no transaction itself. */
  readonly isVirtual: boolean;
}

/** Collects applied operations for history; nothing in the chain's rules reads it. */
export interface Journal {
  readonly operations: AppliedOperation[];
  /** Where the run stands: index of the transaction and of the operation in it. */
  transaction: number;
  index: number;
  /** Depth of operations inside operations; zero for those that stand in a transaction. */
  depth: number;
}

export function newJournal(): Journal {
  return { operations: [], transaction: 0, index: 0, depth: 0 };
}

/** Reports an operation that no evaluator ran: distributions at maintenance, what contract code issued. */
export function recordVirtual(journal: Journal, operation: Operation, result: OperationResult): void {
  const { transaction, index } = journal;
  journal.operations.push({ operation, result, transaction, index, isVirtual: true });
}

/** Bits by which a caller leaves out checks; the numbers are those of the family. */
export const SKIP = {
  none: 0,
  witnessSignature: 1 << 0,
  transactionSignatures: 1 << 1,
  transactionDupeCheck: 1 << 2,
  forkDb: 1 << 3,
  blockSizeCheck: 1 << 4,
  taposCheck: 1 << 5,
  authorityCheck: 1 << 6,
  merkleCheck: 1 << 7,
  assertEvaluation: 1 << 8,
  undoHistoryCheck: 1 << 9,
  witnessScheduleCheck: 1 << 10,
} as const;

/** Deviations from the common way of paying; an operation without this entry pays like a transfer. */
export interface FeePolicy<Op> {
  /** The fee that counts instead of `op.fee` (rewritten before anything is checked). */
  effectiveFee?(state: ReadState, op: Op): Asset;
  /** `waived`: any fee that is not negative is enough. */
  readonly minimum?: 'waived';
  /** Replaces schedule times scale. */
  requiredFee?(state: ReadState, op: Op): bigint | undefined;
  /** Core amount that is booked to the payer's statistics instead of the whole (asset creation books half). */
  bookedFee?(state: ReadState, op: Op, core: bigint): bigint;
  /** Replaces booking to the payer's statistics (confidential operations feed accumulators). */
  book?(state: WriteState, core: bigint): boolean;
  /** `self`: the operation itself converts, books and deducts in `apply`. `free`: converted, but taken from nobody. */
  readonly payment?: 'self' | 'free';
}

/** All there is to know about an operation, over the types of its schema, body, fee schema and fee parameters. */
interface Definition<Schema, Op, FeeSchema, Parameters, Plan> {
  readonly tag: number;
  readonly name: string;
  /** The operation exists on the wire only; a transaction that holds it is refused. */
  readonly noEvaluator?: boolean;
  readonly schema: Schema;
  readonly fee: {
    readonly schema: FeeSchema;
    /** Fee by the schedule's entry, before scaling. `size` is the packed size of the operation without its tag. */
    calc(parameters: Parameters, op: Op, size: () => number): bigint;
  };
  payer(op: Op): Instance;
  /** Objects that it will read besides its payer's, as far as it says itself. For speed alone: see FetchAhead. */
  touches?(op: Op, ahead: FetchAhead): void;
  /** Requirements besides the payer's active authority. */
  authorities?(op: Op, required: RequiredAuthorities): void;
  /** Needs no state. */
  validate(op: Op): void;
  /** Commitments that `validate` reads: each is a point of the curve that has to be found first. */
  commitments?(op: Op): number;
  /** Signatures inside of it, whose keys are recovered when it is evaluated. */
  heldSignatures?(op: Op): number;
  /** Members that it gives to a league: every request to that league has a place for the answer of each. */
  leagueMembers?(op: Op): number;
  readonly feePolicy?: FeePolicy<Op>;
  /** Checks against the state, in the reference's order; what it looked up may travel on as the plan. */
  evaluate(state: ReadState, op: Op, context: OperationContext): Plan;
  /** Effects, in the reference's order. Between booking and deducting the fee. */
  apply(state: WriteState, op: Op, plan: Plan, context: OperationContext): OperationResult;
}

export type OperationDef<F extends Fields, P extends Fields, Plan> = Definition<
  StructType<F>,
  StructValue<F>,
  StructType<P>,
  StructValue<P>,
  Plan
>;

// biome-ignore lint/suspicious/noExplicitAny: some operation; its module knows which
export type AnyOperationDef = Definition<StructType<Fields>, any, StructType<Fields>, any, any>;

export function defineOperation<F extends Fields, P extends Fields, Plan>(
  definition: OperationDef<F, P, Plan>,
): OperationDef<F, P, Plan> & { readonly body?: StructValue<F> & OperationBody } {
  return definition;
}
