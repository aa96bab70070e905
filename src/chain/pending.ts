import { check, defineErrors, stateless } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { OWN_TRANSACTION_RULES } from '../codec/decode-rules.js';
import type { ChainId, TransactionId } from '../crypto/digests.js';
import { type AppliedOperation, SKIP } from '../operations/define.js';
import { billedCpuTimeOfAll } from '../protocol/results.js';
import type { ChainState } from '../state/chain-state.js';
import { transactionObject } from '../state/objects/transaction.js';
import { parameters, vmCpuLimits } from '../state/rules/parameters.js';
import { applyTransaction, asRefusal, TRANSACTION_ERRORS } from './apply-transaction.js';
import type { Bugs } from './bugs.js';
import type { RunContext } from './context.js';
import { checkDecodable } from './decodable.js';
import type { TransactionFacts } from './facts.js';

export const PENDING_ERRORS = defineErrors({
  pending_full: {
    kind: 'limit',
    text: 'this node holds ${count} transactions with ${bytes} bytes that wait for a block and takes no more',
  },
  pending_cpu: {
    kind: 'limit',
    text: 'contract calls of the transaction take ${used} µs of CPU time, which no block has room for: its limit is ${limit}',
  },
  pending_size: { text: 'the transaction has ${size} bytes, which no block has room for: its limit is ${limit}' },
});

const NOTHING: readonly TransactionFacts[] = [];

/** Packed empty signed header, and room for the number of transactions. */
const EMPTY_BLOCK_BYTES = 115;

export interface PendingEntry {
  /** With the results of its trial run. */
  readonly facts: TransactionFacts;
  readonly operations: readonly AppliedOperation[];
}

/** What a block holds so far of that of which it may not hold any amount. */
interface Contents {
  bytes: number;
  /** Time of contract calls that their receipts bill. */
  cpuUs: number;
  /** Time of calls in proposals, which no receipt bills. */
  unbilledUs: number;
}

interface Trial extends PendingEntry, Contents {}

/** Transactions whose effects stand in the newest frame, ready to become a block. */
export interface TriedTransactions {
  readonly entries: readonly PendingEntry[];
  readonly unbilledUs: number;
}

const emptyBlock = (): Contents => ({ bytes: EMPTY_BLOCK_BYTES, cpuUs: 0, unbilledUs: 0 });

/**
 * Transactions on top of the head block, each tried against the effects of those before it; before anything happens to
 * blocks the effects are taken back, and afterwards they are tried again.
 *
 * What the next block has room for stands in one frame, and what came after it was full in a second one. A block
 * applies its transactions before anything else, to the state that they were tried on: so when this node makes the next
 * block, the first frame is what that block's transactions do, and nothing has to be run again. A trial must therefore
 * go exactly as it would in a block, or be refused.
 *
 * Under a load of many blocks most transactions would be tried again for every block. So what the next block has no
 * room for is only kept after a block, until it is its turn, or until a new transaction is refused that may build on it.
 */
export class PendingTransactions {
  readonly #state: ChainState;
  readonly #chainId: ChainId;
  readonly #newContext: (skip: number) => RunContext;
  readonly #bugs: Bugs;
  /** With effects in the open frames: those for the next block, then those that came when it was full. */
  #tried: PendingEntry[] = [];
  /** The first so many of them are for the next block. */
  #nextCount = 0;
  #next = emptyBlock();
  /** Without effects; older than whatever stands in the second frame. */
  #later: TransactionFacts[] = [];
  /** Of `#later`. */
  #backlog = emptyBlock();
  readonly #ids = new Set<TransactionId>();
  #bytes = 0;
  /** Checks that any of the trials has left out. */
  #skipped = 0;

  constructor(state: ChainState, chainId: ChainId, newContext: (skip: number) => RunContext, bugs: Bugs) {
    this.#state = state;
    this.#chainId = chainId;
    this.#newContext = newContext;
    this.#bugs = bugs;
  }

  /** In the order in which blocks would take them. */
  get all(): readonly TransactionFacts[] {
    if (this.#ids.size === 0) return NOTHING;
    const tried = this.#tried.map((entry) => entry.facts);
    return [...tried.slice(0, this.#nextCount), ...this.#later, ...tried.slice(this.#nextCount)];
  }

  has(id: TransactionId): boolean {
    return this.#ids.has(id);
  }

  get count(): number {
    return this.#ids.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Refused without a trace, or kept. */
  push(facts: TransactionFacts, skip: number): PendingEntry {
    this.#checkRoom(facts);
    const trial = this.#tryOnAll(facts, skip);
    this.#file(trial);
    this.#tried.push(trial);
    this.#remember(trial.facts);
    this.#skipped |= skip;
    return trial;
  }

  /** Runs the transaction on top of everything that has effects, and takes it back. */
  dryRun(facts: TransactionFacts, skip: number): PendingEntry {
    const trial = this.#inFrame(() => this.#tryNew(facts, skip));
    this.#state.undoFrame();
    this.#closeIfEmpty();
    return trial;
  }

  #checkRoom(facts: TransactionFacts): void {
    const { count } = this;
    const hasRoom = count < LIMITS.pending_transactions_max && this.#bytes + facts.size <= LIMITS.pending_bytes_max;
    check(hasRoom, PENDING_ERRORS.pending_full, { count, bytes: this.#bytes });
  }

  #remember(facts: TransactionFacts): void {
    this.#ids.add(facts.id);
    this.#bytes += facts.size;
  }

  /** What is refused may build on something that was put off. */
  #tryOnAll(facts: TransactionFacts, skip: number): Trial {
    try {
      return this.#inFrame(() => this.#tryNew(facts, skip));
    } catch (error) {
      asRefusal(error);
      if (!this.#mayTryLater()) throw error;
    }
    this.#tryLater();
    return this.#inFrame(() => this.#tryNew(facts, skip));
  }

  /** At most as much work as one more block, once between two blocks: anybody can have something refused. */
  #mayTryLater(): boolean {
    const { bytes, cpuUs } = this.#backlog;
    if (this.#later.length === 0 || bytes >= parameters(this.#state).maximum_block_size) return false;
    return cpuUs === 0 || cpuUs < vmCpuLimits(this.#state).block_cpu_limit;
  }

  /** In their order: what was put off is older than what came since. */
  #tryLater(): void {
    const newer = this.#tried.splice(this.#nextCount).map((entry) => entry.facts);
    this.#state.undoFramesTo(1);
    const again = [...this.#later, ...newer];
    this.#later = [];
    this.#backlog = emptyBlock();
    for (const facts of again) {
      this.#ids.delete(facts.id);
      this.#bytes -= facts.size;
    }
    for (const facts of again) this.#retry(facts, SKIP.none);
  }

  /** Leaves the effects of `work` in a frame of their own, on top of that of the next block. */
  #inFrame<R>(work: () => R): R {
    const state = this.#state;
    if (state.openFrames === 0) state.openFrame();
    const depth = state.openFrames;
    state.openFrame();
    try {
      return work();
    } catch (error) {
      state.undoFramesTo(depth);
      this.#closeIfEmpty();
      throw error;
    }
  }

  #closeIfEmpty(): void {
    if (this.#tried.length === 0) this.#state.undoFrame();
  }

  #tryNew(facts: TransactionFacts, skip: number): Trial {
    const { id } = facts;
    const isNew = !this.#ids.has(id) || (skip & SKIP.transactionDupeCheck) !== 0;
    check(isNew, TRANSACTION_ERRORS.transaction_duplicate, () => ({ trx_id: id }));
    // The reference takes such a one over RPC, and puts it into a block that its peers cannot read.
    stateless(() => checkDecodable(facts, OWN_TRANSACTION_RULES));
    try {
      return this.#try(facts, skip);
    } catch (error) {
      throw this.#bugs.ofTransaction(id, error);
    }
  }

  #try(facts: TransactionFacts, skip: number): Trial {
    const context = this.#newContext(skip);
    // Calls in proposals share the block's time; all others are billed by who makes it.
    const unbilledBefore = this.#hasNextOnly ? this.#next.unbilledUs : 0;
    context.contractTime.usedUs = unbilledBefore;
    const results = applyTransaction(this.#state, this.#chainId, context, facts, []);
    const cpuUs = billedCpuTimeOfAll(results);
    const tried = facts.withResults(this.#chainId, results);
    this.#checkFitsAnyBlock(tried.size, cpuUs);
    const unbilledUs = context.contractTime.usedUs - unbilledBefore;
    return { facts: tried, operations: context.journal.operations, bytes: tried.size, cpuUs, unbilledUs };
  }

  /** A transaction that fits into no block would be tried for every block, and keep what waits behind it out. */
  #checkFitsAnyBlock(size: number, cpuUs: number): void {
    const bytesMax = parameters(this.#state).maximum_block_size;
    const fits = EMPTY_BLOCK_BYTES + size < bytesMax;
    check(fits, PENDING_ERRORS.pending_size, { size, limit: bytesMax - EMPTY_BLOCK_BYTES });
    if (cpuUs === 0) return;
    const cpuMax = vmCpuLimits(this.#state).block_cpu_limit;
    check(cpuUs < cpuMax, PENDING_ERRORS.pending_cpu, { used: cpuUs, limit: cpuMax });
  }

  /** Nothing was tried for the block after the next one. */
  get #hasNextOnly(): boolean {
    return this.#nextCount === this.#tried.length;
  }

  /** The frame of the trial joins that of the next block, or begins or joins the one behind it. */
  #file(trial: Trial): void {
    if (this.#hasNextOnly) {
      if (this.#later.length > 0 || !this.#hasRoom(trial)) return;
      this.#next.bytes += trial.bytes;
      this.#next.cpuUs += trial.cpuUs;
      this.#next.unbilledUs += trial.unbilledUs;
      this.#nextCount++;
    }
    this.#state.mergeFrame();
  }

  #hasRoom({ bytes, cpuUs }: Trial): boolean {
    if (this.#next.bytes + bytes >= parameters(this.#state).maximum_block_size) return false;
    return cpuUs === 0 || this.#next.cpuUs + cpuUs < vmCpuLimits(this.#state).block_cpu_limit;
  }

  /** The state is that of the head block afterwards. Returns what was pending. */
  suspend(): readonly TransactionFacts[] {
    this.#state.undoFramesTo(0);
    return this.#leave();
  }

  #leave(): readonly TransactionFacts[] {
    const { all } = this;
    this.#tried = [];
    this.#nextCount = 0;
    this.#next = emptyBlock();
    this.#later = [];
    this.#backlog = emptyBlock();
    this.#ids.clear();
    this.#bytes = 0;
    this.#skipped = 0;
    return all;
  }

  /**
   * As `suspend`, but what the next block has room for keeps its effects, in the only open frame; there is none when
   * nothing was pending. `skip`: checks that the block leaves out.
   */
  suspendForBlock(skip: number): { readonly tried: TriedTransactions; readonly all: readonly TransactionFacts[] } {
    if ((this.#skipped & ~skip) !== 0) this.restore([], this.suspend(), skip);
    this.#state.undoFramesTo(1);
    const tried = { entries: this.#tried.slice(0, this.#nextCount), unbilledUs: this.#next.unbilledUs };
    return { tried, all: this.#leave() };
  }

  /** First what undone blocks had, then what was pending before; who is in the chain already or fails now is dropped. */
  restore(popped: readonly TransactionFacts[], pending: readonly TransactionFacts[], skip: number): void {
    const { headTime } = this.#state;
    let dropped = 0;
    for (const list of [popped, pending]) {
      for (const facts of list) {
        const isOver = facts.transaction.expiration < headTime || this.#ids.has(facts.id) || this.#isInChain(facts);
        if (isOver) continue;
        const count = this.#ids.size;
        // Trials that fail take no room in the block, and nobody pays for them: after so many, the rest has to wait.
        if (this.#later.length > 0 || dropped > LIMITS.pending_failures_max) this.#putOff(facts);
        else this.#retryForNext(facts, skip);
        if (this.#ids.size === count) dropped++;
      }
    }
  }

  /** Behind the first one that the next block has no room for, all are put off. */
  #retryForNext(facts: TransactionFacts, skip: number): void {
    this.#retry(facts, skip);
    if (this.#hasNextOnly) return;
    this.#state.undoFrame();
    const last = this.#tried.pop() as PendingEntry;
    this.#ids.delete(facts.id);
    this.#bytes -= last.facts.size;
    this.#putOff(last.facts);
  }

  #putOff(facts: TransactionFacts): void {
    this.#later.push(facts);
    this.#remember(facts);
    this.#backlog.bytes += facts.size;
    this.#backlog.cpuUs += billedCpuTimeOfAll(facts.transaction.operation_results);
  }

  #isInChain(facts: TransactionFacts): boolean {
    return this.#state.findBy(transactionObject.by.trxId, facts.id) !== undefined;
  }

  /** Drops what fails now. */
  #retry(facts: TransactionFacts, skip: number): void {
    try {
      this.push(facts, skip);
    } catch (error) {
      asRefusal(error);
    }
  }
}
