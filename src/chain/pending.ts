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
import { Backlog, type BacklogPlace } from './backlog.js';
import type { Bugs } from './bugs.js';
import type { RunContext } from './context.js';
import { checkDecodable } from './decodable.js';
import type { BlockFacts, TransactionFacts } from './facts.js';

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

/** So much is tried again in one go, so that nobody waits for long: transactions, or time of contract calls. */
const SLICE: Slice = { transactions: 256, cpuUs: 5000 };
const EVERYTHING: Slice = { transactions: Number.POSITIVE_INFINITY, cpuUs: Number.POSITIVE_INFINITY };

interface Slice {
  readonly transactions: number;
  readonly cpuUs: number;
}

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
 * And what it has room for is tried again in slices, of which `tryMore` is one: others have their turn in between.
 */
export class PendingTransactions {
  readonly #state: ChainState;
  readonly #chainId: ChainId;
  readonly #newContext: (skip: number) => RunContext;
  readonly #bugs: Bugs;
  /** With effects in the first open frame: those for the next block. */
  #next: PendingEntry[] = [];
  #nextContents = emptyBlock();
  /** With effects in the second one: those that came when the next block was full. A block of them at most. */
  #beyond: PendingEntry[] = [];
  #beyondContents = emptyBlock();
  /** What a block is being made of. */
  #inBlock: readonly PendingEntry[] = [];
  /** Without effects; older than whatever stands in the second frame. */
  readonly #backlog: Backlog;
  /** The next block has no room for the first one of the backlog, or too many of it have failed. */
  #isFull = false;
  /** Of the backlog, since the last block. */
  #failures = 0;
  /** Checks that the backlog is tried without. */
  #backlogSkip: number = SKIP.none;
  /** All that wait, and the places of those without effects. */
  readonly #places = new Map<TransactionId, BacklogPlace | undefined>();
  #bytes = 0;
  /** Checks that any of the trials has left out. */
  #skipped = 0;

  constructor(state: ChainState, chainId: ChainId, newContext: (skip: number) => RunContext, bugs: Bugs) {
    this.#state = state;
    this.#chainId = chainId;
    this.#newContext = newContext;
    this.#bugs = bugs;
    this.#backlog = new Backlog(chainId);
  }

  /** In the order in which blocks would take them; those without effects become objects one by one. */
  *all(): IterableIterator<TransactionFacts> {
    for (const { facts } of this.#next) yield facts;
    yield* this.#backlog.all();
    for (const { facts } of this.#beyond) yield facts;
  }

  has(id: TransactionId): boolean {
    return this.#places.has(id);
  }

  get count(): number {
    return this.#places.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Refused without a trace, or kept. */
  push(facts: TransactionFacts, skip: number): PendingEntry {
    this.#checkRoom(facts);
    const trial = this.#tryOnAll(facts, skip);
    this.#keep(trial);
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

  #know(facts: TransactionFacts, place?: BacklogPlace): void {
    this.#places.set(facts.id, place);
    this.#bytes += facts.size;
  }

  #forget(id: TransactionId, size: number): void {
    this.#places.delete(id);
    this.#bytes -= size;
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
    const { isEmpty, bytes, cpuUs } = this.#backlog;
    if (isEmpty || bytes >= parameters(this.#state).maximum_block_size) return false;
    return cpuUs === 0 || cpuUs < vmCpuLimits(this.#state).block_cpu_limit;
  }

  /** In their order: what was put off is older than what came since. */
  #tryLater(): void {
    this.#putOffBeyond();
    const again: TransactionFacts[] = [];
    for (let facts = this.#takeLater(); facts !== undefined; facts = this.#takeLater()) again.push(facts);
    for (const facts of again) {
      const trial = this.#tryAgain(facts, SKIP.none);
      if (trial !== undefined) this.#keep(trial);
    }
  }

  #takeLater(): TransactionFacts | undefined {
    const facts = this.#backlog.take();
    if (facts !== undefined) this.#forget(facts.id, facts.size);
    return facts;
  }

  /** Undefined where it fails now. */
  #tryAgain(facts: TransactionFacts, skip: number): Trial | undefined {
    try {
      return this.#inFrame(() => this.#tryNew(facts, skip));
    } catch (error) {
      asRefusal(error);
      return undefined;
    }
  }

  /** Something waits that the next block may have room for. */
  get #isFilling(): boolean {
    return !this.#isFull && !this.#backlog.isEmpty;
  }

  /** One slice of what was put off. False when there is nothing left to do before the next block. */
  tryMore(): boolean {
    this.#fill(SLICE);
    return this.#isFilling;
  }

  #fill({ transactions, cpuUs }: Slice): void {
    if (!this.#isFilling) return;
    this.#putOffBeyond();
    for (let [count, usedUs] = [0, 0]; count < transactions && usedUs < cpuUs && this.#isFilling; count++) {
      const facts = this.#takeLater() as TransactionFacts;
      if (!this.#isInChain(facts)) usedUs += this.#tryForNext(facts);
    }
  }

  /** The first one that the next block has no room for goes back. Time of contract calls that it took. */
  #tryForNext(facts: TransactionFacts): number {
    const trial = this.#tryAgain(facts, this.#backlogSkip);
    if (trial === undefined) {
      // Trials that fail take no room in the block, and nobody pays for them: after so many, the rest has to wait.
      this.#failures++;
      if (this.#failures > LIMITS.pending_failures_max) this.#isFull = true;
      return 0;
    }
    if (this.#hasRoom(trial)) this.#addToNext(trial);
    else {
      this.#isFull = true;
      this.#state.undoFrame();
      this.#know(trial.facts, this.#backlog.putBack(trial.facts));
      this.#closeIfEmpty();
    }
    return trial.cpuUs;
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
    if (this.#next.length + this.#beyond.length === 0) this.#state.undoFrame();
  }

  #tryNew(facts: TransactionFacts, skip: number): Trial {
    const { id } = facts;
    const isNew = !this.#places.has(id) || (skip & SKIP.transactionDupeCheck) !== 0;
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
    const unbilledBefore = this.#beyond.length === 0 ? this.#nextContents.unbilledUs : 0;
    context.contractTime.usedUs = unbilledBefore;
    const results = applyTransaction(this.#state, this.#chainId, context, facts, []);
    const cpuUs = billedCpuTimeOfAll(results);
    const tried = facts.withResults(this.#chainId, results);
    // Now, and not for all of them while everybody waits for the block.
    tried.pack();
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

  /** The frame of the trial joins that of the next block, or begins or joins the one behind it. */
  #keep(trial: Trial): void {
    if (this.#beyond.length === 0 && this.#backlog.isEmpty && this.#hasRoom(trial)) this.#addToNext(trial);
    else this.#addBeyond(trial);
  }

  #hasRoom({ bytes, cpuUs }: Trial): boolean {
    if (this.#nextContents.bytes + bytes >= parameters(this.#state).maximum_block_size) return false;
    return cpuUs === 0 || this.#nextContents.cpuUs + cpuUs < vmCpuLimits(this.#state).block_cpu_limit;
  }

  #addToNext(trial: Trial): void {
    addTo(this.#nextContents, trial);
    this.#next.push(trial);
    this.#know(trial.facts);
    this.#state.mergeFrame();
  }

  #addBeyond(trial: Trial): void {
    if (this.#beyond.length > 0) this.#state.mergeFrame();
    addTo(this.#beyondContents, trial);
    this.#beyond.push(trial);
    this.#know(trial.facts);
    // More than a block's worth of effects is more than anybody is likely to build on.
    const { bytes, cpuUs } = this.#beyondContents;
    const isMuch = bytes >= parameters(this.#state).maximum_block_size;
    if (isMuch || (cpuUs > 0 && cpuUs >= vmCpuLimits(this.#state).block_cpu_limit)) this.#putOffBeyond();
  }

  #putOffBeyond(): void {
    if (this.#beyond.length === 0) return;
    this.#state.undoFramesTo(1);
    for (const { facts } of this.#beyond) this.#places.set(facts.id, this.#backlog.append(facts));
    this.#beyond = [];
    this.#beyondContents = emptyBlock();
    this.#closeIfEmpty();
  }

  /** The state is that of the head block afterwards. */
  suspend(): void {
    this.#putOffBeyond();
    this.#state.undoFramesTo(0);
    this.#putBack(this.#takeNext());
  }

  #takeNext(): readonly PendingEntry[] {
    const entries = this.#next;
    this.#next = [];
    this.#nextContents = emptyBlock();
    this.#skipped = 0;
    return entries;
  }

  /**
   * As `suspend`, but what the next block has room for keeps its effects, in the only open frame; there is none when
   * nothing was pending. `skip`: checks that the block leaves out.
   */
  suspendForBlock(skip: number): TriedTransactions {
    if ((this.#skipped & ~skip) !== 0) {
      this.suspend();
      this.restore([], skip);
    }
    this.#fill(EVERYTHING);
    this.#putOffBeyond();
    const { unbilledUs } = this.#nextContents;
    this.#inBlock = this.#takeNext();
    return { entries: this.#inBlock, unbilledUs };
  }

  /** A block has its transactions now, whether they waited or not. */
  taken(block: BlockFacts): void {
    const made = this.#inBlock;
    if (made.length > 0 && made[0]?.facts === block.transactions[0]) {
      this.#inBlock = [];
      for (const { facts } of made) this.#forget(facts.id, facts.size);
      return;
    }
    for (const id of block.transactionIds) {
      const place = this.#places.get(id);
      if (place !== undefined) this.#forget(id, this.#backlog.remove(place));
    }
  }

  #putBack(entries: readonly PendingEntry[]): void {
    for (let i = entries.length - 1; i >= 0; i--) {
      const { facts } = entries[i] as PendingEntry;
      this.#places.set(facts.id, this.#backlog.putBack(facts));
    }
  }

  /**
   * First what undone blocks had, then what was pending before; who is in the chain already or fails now is dropped. Gives
   * those of undone blocks that wait.
   */
  restore(popped: readonly TransactionFacts[], skip: number): readonly TransactionFacts[] {
    const { headTime } = this.#state;
    // There is no block that was made of them.
    this.#putBack(this.#inBlock);
    this.#inBlock = [];
    const returned = popped.filter(
      (facts) => facts.transaction.expiration >= headTime && !this.#places.has(facts.id) && !this.#isInChain(facts),
    );
    for (let i = returned.length - 1; i >= 0; i--) {
      const facts = returned[i] as TransactionFacts;
      this.#know(facts, this.#backlog.putBack(facts));
    }
    this.#isFull = false;
    this.#failures = 0;
    this.#backlogSkip = skip;
    this.#backlog.removeExpired(headTime, (id, size) => this.#forget(id, size));
    this.#fill(SLICE);
    return returned;
  }

  /** None waits any more. */
  clear(): void {
    this.suspend();
    this.#backlog.clear();
    this.#places.clear();
    this.#bytes = 0;
  }

  #isInChain(facts: TransactionFacts): boolean {
    return this.#state.findBy(transactionObject.by.trxId, facts.id) !== undefined;
  }
}

function addTo(contents: Contents, { bytes, cpuUs, unbilledUs }: Trial): void {
  contents.bytes += bytes;
  contents.cpuUs += cpuUs;
  contents.unbilledUs += unbilledUs;
}
