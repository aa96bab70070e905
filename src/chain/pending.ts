import { check, defineErrors } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import type { ChainId, TransactionId } from '../crypto/digests.js';
import type { AppliedOperation } from '../operations/define.js';
import { billedCpuTimeUs, type OperationResult } from '../protocol/results.js';
import type { ProcessedTransaction } from '../protocol/transaction.js';
import type { ChainState } from '../state/chain-state.js';
import { transactionObject } from '../state/objects/transaction.js';
import { vmCpuLimits } from '../state/rules/parameters.js';
import { applyTransaction, asRefusal } from './apply-transaction.js';
import type { RunContext } from './context.js';
import type { TransactionFacts } from './verified.js';

export const PENDING_ERRORS = defineErrors({
  pending_full: {
    text: 'this node holds ${count} transactions with ${bytes} bytes that wait for a block and takes no more',
  },
  pending_cpu: {
    text: 'contract calls of the transaction take ${used} µs of CPU time, which no block has room for: its limit is ${limit}',
  },
});

export interface PendingEntry {
  readonly facts: TransactionFacts;
  /** With the results of its trial run. */
  readonly processed: ProcessedTransaction;
  readonly operations: readonly AppliedOperation[];
}

/**
 * Transactions on top of the head block. Their effects stand in one open frame, so that the next one is tried against
 * them; before anything happens to blocks the frame is taken back, and afterwards they are tried again.
 */
export class PendingTransactions {
  readonly #state: ChainState;
  readonly #chainId: ChainId;
  readonly #newContext: (skip: number) => RunContext;
  #entries: PendingEntry[] = [];
  readonly #ids = new Set<TransactionId>();
  #bytes = 0;

  constructor(state: ChainState, chainId: ChainId, newContext: (skip: number) => RunContext) {
    this.#state = state;
    this.#chainId = chainId;
    this.#newContext = newContext;
  }

  get entries(): readonly PendingEntry[] {
    return this.#entries;
  }

  has(id: TransactionId): boolean {
    return this.#ids.has(id);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Refused without a trace, or kept. */
  push(facts: TransactionFacts, skip: number): PendingEntry {
    const count = this.#entries.length;
    const hasRoom = count < LIMITS.pending_transactions_max && this.#bytes + facts.size <= LIMITS.pending_bytes_max;
    check(hasRoom, PENDING_ERRORS.pending_full, { count, bytes: this.#bytes });
    this.#open();
    try {
      const entry = this.#state.nested(() => this.#try(facts, skip));
      this.#entries.push(entry);
      this.#ids.add(facts.id);
      this.#bytes += facts.size;
      return entry;
    } finally {
      this.#closeIfEmpty();
    }
  }

  #try(facts: TransactionFacts, skip: number): PendingEntry {
    const context = this.#newContext(skip);
    context.journal.transaction = 0;
    const results = applyTransaction(this.#state, this.#chainId, context, facts, []);
    this.#checkCpuTime(results);
    return {
      facts,
      processed: { ...facts.transaction, operation_results: results },
      operations: context.journal.operations,
    };
  }

  /** A transaction that fits into no block would be tried for every block, and keep what waits behind it out. */
  #checkCpuTime(results: readonly OperationResult[]): void {
    let used = 0;
    for (const result of results) used += billedCpuTimeUs(result);
    if (used === 0) return;
    const limit = vmCpuLimits(this.#state).block_cpu_limit;
    check(used < limit, PENDING_ERRORS.pending_cpu, { used, limit });
  }

  /** Runs the transaction on top of everything and takes it back. */
  dryRun(facts: TransactionFacts, skip: number): PendingEntry {
    this.#open();
    this.#state.openFrame();
    try {
      return this.#try(facts, skip);
    } finally {
      while (this.#state.openFrames > 1) this.#state.undoFrame();
      this.#closeIfEmpty();
    }
  }

  #open(): void {
    if (this.#state.openFrames === 0) this.#state.openFrame();
  }

  #closeIfEmpty(): void {
    if (this.#entries.length === 0) this.#state.undoFrame();
  }

  /** The state is that of the head block afterwards. Returns what was pending. */
  suspend(): PendingEntry[] {
    if (this.#state.openFrames > 0) this.#state.undoFrame();
    const entries = this.#entries;
    this.#entries = [];
    this.#ids.clear();
    this.#bytes = 0;
    return entries;
  }

  /** First what undone blocks had, then what was pending before; who is in the chain already or fails now is dropped. */
  restore(popped: readonly TransactionFacts[], pending: readonly PendingEntry[], skip: number): void {
    for (const facts of popped) this.#retry(facts, skip);
    for (const entry of pending) this.#retry(entry.facts, skip);
  }

  #retry(facts: TransactionFacts, skip: number): void {
    if (this.#state.findBy(transactionObject.by.trxId, facts.id) !== undefined) return;
    try {
      this.push(facts, skip);
    } catch (error) {
      asRefusal(error);
    }
  }
}
