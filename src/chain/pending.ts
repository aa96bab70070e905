import { check, defineErrors, type ErrorRow, fail, invariant } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { OWN_TRANSACTION_RULES } from '../codec/decode-rules.js';
import type { ChainId, TransactionId } from '../crypto/digests.js';
import { type Burden, countBurden } from '../operations/burdens.js';
import { SKIP } from '../operations/define.js';
import { billedCpuTimeOfAll } from '../protocol/results.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { ChainState } from '../state/chain-state.js';
import { IdHash } from '../state/id-hash.js';
import { type RememberedTransaction, type TransactionBodies, transactionObject } from '../state/objects/transaction.js';
import { vmCpuLimits } from '../state/rules/parameters.js';
import { applyTransaction, asRefusal, TRANSACTION_ERRORS } from './apply-transaction.js';
import { Backlog } from './backlog.js';
import type { Bugs } from './bugs.js';
import type { RunContext } from './context.js';
import { checkDecodable } from './decodable.js';
import type { BlockFacts, TransactionFacts } from './facts.js';
import { addTo, NextBlock, nothing, type PendingEntry, type Trial, type TriedTransactions } from './next-block.js';
import { ownBlockBytesMax } from './produce.js';

export const PENDING_ERRORS = defineErrors({
  pending_full: {
    kind: 'limit',
    text: 'this node holds ${count} transactions with ${bytes} bytes that wait for a block and takes no more',
  },
  pending_cpu: {
    kind: 'limit',
    text: 'contract calls of the transaction take ${used} µs of CPU time, which no block has room for: its limit is ${limit}',
  },
  pending_commitments: {
    kind: 'limit',
    text: 'this node takes transactions with at most ${limit} commitments, those in proposals counted, not ${count}',
  },
  pending_held_signatures: {
    kind: 'limit',
    text: 'this node takes transactions whose operations hold at most ${limit} signatures, those in proposals counted, not ${count}',
  },
  pending_league_members: {
    kind: 'limit',
    text: 'this node takes transactions that give leagues at most ${limit} members, those in proposals counted, not ${count}',
  },
  pending_size: { text: 'the transaction has ${size} bytes, which no block has room for: its limit is ${limit}' },
});

/** Packed empty signed header, and room for the number of transactions. */
const EMPTY_BLOCK_BYTES = 115;

const BURDENS: readonly (readonly [Burden, limit: number, ErrorRow])[] = [
  ['commitments', LIMITS.pending_commitments_max, PENDING_ERRORS.pending_commitments],
  ['heldSignatures', LIMITS.held_signatures_max, PENDING_ERRORS.pending_held_signatures],
  ['leagueMembers', LIMITS.pending_league_members_max, PENDING_ERRORS.pending_league_members],
];

/**
 * Commitments are added up before anybody's signature is looked at, keys of signatures inside of operations are recovered
 * while everybody waits, and each request to a league is kept with a list of all of its members: who sends many would
 * hold everybody up for nothing.
 */
function checkBurdens({ transaction: { operations } }: TransactionFacts): void {
  for (const [burden, limit, refusal] of BURDENS) {
    const count = countBurden(burden, operations);
    if (count > limit) fail(refusal, { count, limit });
  }
}

/**
 * So much is tried again in one go: transactions, or time of contract calls. A request that comes meanwhile waits for some
 * five slices, one for each step on its way through the threads and back.
 */
const SLICE: Slice = { transactions: 64, cpuUs: 5000 };
const EVERYTHING: Slice = { transactions: Number.POSITIVE_INFINITY, cpuUs: Number.POSITIVE_INFINITY };

interface Slice {
  readonly transactions: number;
  readonly cpuUs: number;
}

export interface PendingParts {
  readonly state: ChainState;
  readonly chainId: ChainId;
  readonly newContext: (skip: number) => RunContext;
  readonly bugs: Bugs;
  readonly idSalt?: Uint8Array | undefined;
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
export class PendingTransactions implements TransactionBodies {
  readonly storedBlock = undefined;
  readonly #state: ChainState;
  readonly #chainId: ChainId;
  readonly #newContext: (skip: number) => RunContext;
  readonly #bugs: Bugs;
  /** With effects in the first open frame: those for the next block. */
  readonly #next: NextBlock;
  /** What a block is being made of. */
  #inBlock: readonly PendingEntry[] = [];
  /** All others. */
  readonly #backlog: Backlog;
  /** The last ones of them have effects in the second frame: they came when the next block was full. A block at most. */
  #beyondCount = 0;
  #beyond = nothing();
  /** The next block has no room for the first one of the backlog, or too many of it have failed. */
  #isFull = false;
  /** Of the backlog, since the last block. */
  #failures = 0;
  /** Checks that the backlog is tried without. */
  #backlogSkip: number = SKIP.none;
  /** Checks that any of the trials has left out. */
  #skipped = 0;

  constructor({ state, chainId, newContext, bugs, idSalt }: PendingParts) {
    this.#state = state;
    this.#chainId = chainId;
    this.#newContext = newContext;
    this.#bugs = bugs;
    const hash = new IdHash(idSalt);
    this.#next = new NextBlock(hash);
    this.#backlog = new Backlog(chainId, hash);
  }

  /** In the order in which blocks would take them; those without effects become objects one by one. */
  *all(): IterableIterator<TransactionFacts> {
    for (const { facts } of this.#next.entries) yield facts;
    yield* this.#backlog.all();
  }

  has(id: TransactionId): boolean {
    return this.#next.has(id) || this.#backlog.has(id);
  }

  /** The transaction that is remembered in the state by this object: as long as its effects are there, it waits here. */
  bodyOf({ trx_id }: RememberedTransaction): SignedTransaction {
    const found = this.#next.find(trx_id) ?? this.#backlog.find(trx_id);
    invariant(found !== undefined, 'what was tried waits');
    return found.transaction;
  }

  get count(): number {
    return this.#next.count + this.#backlog.count;
  }

  get bytes(): number {
    return this.#next.contents.bytes + this.#backlog.bytes;
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
    const { count, bytes } = this;
    if (count < LIMITS.pending_transactions_max && bytes + facts.size <= LIMITS.pending_bytes_max) return;
    fail(PENDING_ERRORS.pending_full, { count, bytes });
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
    const { count, bytes: allBytes, cpuUs: allCpuUs } = this.#backlog;
    const [bytes, cpuUs] = [allBytes - this.#beyond.bytes, allCpuUs - this.#beyond.cpuUs];
    if (count === this.#beyondCount || this.#fillsBlock(bytes)) return false;
    return cpuUs === 0 || cpuUs < vmCpuLimits(this.#state).block_cpu_limit;
  }

  /** Transactions of so many bytes are more than a block has room for, or all but. */
  #fillsBlock(bytes: number): boolean {
    return EMPTY_BLOCK_BYTES + bytes >= ownBlockBytesMax(this.#state);
  }

  /** In their order: what was put off is older than what came since. */
  #tryLater(): void {
    this.#putOffBeyond();
    const again: TransactionFacts[] = [];
    for (let facts = this.#backlog.take(); facts !== undefined; facts = this.#backlog.take()) again.push(facts);
    for (const facts of again) {
      const trial = this.#tryAgain(facts, SKIP.none);
      if (trial !== undefined) this.#keep(trial);
    }
  }

  /** Undefined where it fails now. One of two that waited with the same id is in the state when the other has its turn. */
  #tryAgain(facts: TransactionFacts, skip: number): Trial | undefined {
    try {
      return this.#inFrame(() => this.#tryOne(facts, skip));
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
      const facts = this.#backlog.take() as TransactionFacts;
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
      this.#backlog.putBack(trial.facts);
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
    if (this.#next.count + this.#beyondCount === 0) this.#state.undoFrame();
  }

  #tryNew(facts: TransactionFacts, skip: number): Trial {
    const { id } = facts;
    const isNew = !this.has(id) || (skip & SKIP.transactionDupeCheck) !== 0;
    check(isNew, TRANSACTION_ERRORS.transaction_duplicate, () => ({ trx_id: id }));
    return this.#tryOne(facts, skip);
  }

  /** It is not among what waits. */
  #tryOne(facts: TransactionFacts, skip: number): Trial {
    // The reference takes such a one over RPC, and puts it into a block that its peers cannot read. It may be one that the
    // nodes of this very network can read, and who passes that on is not to blame.
    checkDecodable(facts, OWN_TRANSACTION_RULES);
    checkBurdens(facts);
    try {
      return this.#try(facts, skip);
    } catch (error) {
      throw this.#bugs.ofTransaction(facts.id, error);
    }
  }

  #try(facts: TransactionFacts, skip: number): Trial {
    const context = this.#newContext(skip);
    // Calls in proposals share the block's time; all others are billed by who makes it.
    const unbilledBefore = this.#beyondCount === 0 ? this.#next.contents.unbilledUs : 0;
    context.contractTime.usedUs = unbilledBefore;
    // Calls that no block has room for end at once, however many of them follow: who sends them need not pay.
    const checkTime = (billedUs: number): void => this.#checkTime(billedUs);
    const { results, remembered } = applyTransaction(this.#state, this.#chainId, context, facts, [], this, checkTime);
    const cpuUs = billedCpuTimeOfAll(results);
    const tried = facts.withResults(this.#chainId, results);
    this.#checkFitsAnyBlock(tried.size, cpuUs);
    const unbilledUs = context.contractTime.usedUs - unbilledBefore;
    // An array that grows has room for seventeen elements. The copy has room for its own alone, and is kept for long.
    const operations = context.journal.operations.slice();
    const memoBytes = context.contractMemos.bytes + context.contractArguments.bytes;
    return { facts: tried, operations, remembered, bytes: tried.size, cpuUs, unbilledUs, memoBytes };
  }

  /** A transaction that fits into no block would be tried for every block, and keep what waits behind it out. */
  #checkFitsAnyBlock(size: number, cpuUs: number): void {
    check(!this.#fillsBlock(size), PENDING_ERRORS.pending_size, () => ({
      size,
      limit: ownBlockBytesMax(this.#state) - EMPTY_BLOCK_BYTES,
    }));
    this.#checkTime(cpuUs);
  }

  #checkTime(cpuUs: number): void {
    if (cpuUs === 0) return;
    const cpuMax = vmCpuLimits(this.#state).block_cpu_limit;
    check(cpuUs < cpuMax, PENDING_ERRORS.pending_cpu, { used: cpuUs, limit: cpuMax });
  }

  /** The frame of the trial joins that of the next block, or begins or joins the one behind it. */
  #keep(trial: Trial): void {
    if (this.#backlog.isEmpty && this.#hasRoom(trial)) this.#addToNext(trial);
    else this.#addBeyond(trial);
  }

  #hasRoom({ bytes, cpuUs, memoBytes }: Trial): boolean {
    const { contents } = this.#next;
    if (contents.memoBytes + memoBytes > LIMITS.block_memo_bytes_max) return false;
    if (this.#fillsBlock(contents.bytes + bytes)) return false;
    return cpuUs === 0 || contents.cpuUs + cpuUs < vmCpuLimits(this.#state).block_cpu_limit;
  }

  #addToNext(trial: Trial): void {
    this.#next.add(trial);
    this.#state.mergeFrame();
  }

  #addBeyond(trial: Trial): void {
    if (this.#beyondCount > 0) this.#state.mergeFrame();
    addTo(this.#beyond, trial);
    this.#beyondCount++;
    this.#backlog.append(trial.facts);
    // More than a block's worth of effects is more than anybody is likely to build on.
    const { bytes, cpuUs } = this.#beyond;
    if (this.#fillsBlock(bytes) || (cpuUs > 0 && cpuUs >= vmCpuLimits(this.#state).block_cpu_limit))
      this.#putOffBeyond();
  }

  #putOffBeyond(): void {
    if (this.#beyondCount === 0) return;
    this.#state.undoFramesTo(1);
    this.#beyondCount = 0;
    this.#beyond = nothing();
    this.#closeIfEmpty();
  }

  /** The state is that of the head block afterwards. */
  suspend(): void {
    this.#putOffBeyond();
    this.#state.undoFramesTo(0);
    this.#putBack(this.#next.take());
    this.#skipped = 0;
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
    const tried = this.#next.takeForBlock();
    this.#inBlock = tried.entries;
    this.#skipped = 0;
    return tried;
  }

  /** A block has its transactions now, whether they waited or not. */
  taken(block: BlockFacts): void {
    const made = this.#inBlock;
    if (made.length > 0 && made[0]?.facts === block.transactions[0]) {
      this.#inBlock = [];
      return;
    }
    // While nothing waits nobody asks a block for the ids of its transactions.
    if (!this.#backlog.isEmpty) for (const id of block.transactionIds) this.#backlog.remove(id);
  }

  #putBack(entries: readonly PendingEntry[]): void {
    for (let i = entries.length - 1; i >= 0; i--) {
      this.#backlog.putBack((entries[i] as PendingEntry).facts);
    }
  }

  /**
   * First what undone blocks had, then what was pending before. What is in the chain already, or fails now, is dropped.
   * Returns what undone blocks had and waits now.
   */
  restore(popped: readonly TransactionFacts[], skip: number): readonly TransactionFacts[] {
    const { headTime } = this.#state;
    // There is no block that was made of them.
    this.#putBack(this.#inBlock);
    this.#inBlock = [];
    const returned = popped.filter(
      (facts) => facts.transaction.expiration >= headTime && !this.#backlog.has(facts.id) && !this.#isInChain(facts),
    );
    for (let i = returned.length - 1; i >= 0; i--) {
      this.#backlog.putBack(returned[i] as TransactionFacts);
    }
    this.#isFull = false;
    this.#failures = 0;
    this.#backlogSkip = skip;
    this.#backlog.removeExpired(headTime);
    this.#fill(SLICE);
    return returned;
  }

  /** None waits any more. */
  clear(): void {
    this.suspend();
    this.#backlog.clear();
  }

  #isInChain(facts: TransactionFacts): boolean {
    return this.#state.findBy(transactionObject.by.trxId, facts.id) !== undefined;
  }
}
