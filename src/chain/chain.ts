import { check, defineErrors, invariant } from '../base/errors.js';
import { blockTransactionRules } from '../codec/decode-rules.js';
import { type BlockId, blockNumFromId, type ChainId } from '../crypto/digests.js';
import type { ContractEngine } from '../operations/contract/engine.js';
import { SKIP } from '../operations/define.js';
import type { Instance } from '../protocol/ids.js';
import { ChainState } from '../state/chain-state.js';
import { IdHash } from '../state/id-hash.js';
import { dynamicGlobalPropertyObject } from '../state/objects/dynamic-global-property.js';
import { OBJECTS } from '../state/objects/index.js';
import { transactionObject } from '../state/objects/transaction.js';
import { HeadAmendments } from './amend-head.js';
import { type Bug, type BugListener, Bugs } from './bugs.js';
import { Checkpoints } from './checkpoints.js';
import { newContext, type RunContext } from './context.js';
import type {
  BlockDoor,
  ChainMark,
  DebugDoor,
  HeadInfo,
  PendingDoor,
  QueryDoor,
  ReplayDoor,
  ReturnDoor,
  SnapshotDoor,
} from './doors.js';
import { ChainEvents } from './events.js';
import { BlockFacts, type GivenBlock, type GivenTransaction, TransactionFacts } from './facts.js';
import { buildGenesis } from './genesis.js';
import type { GenesisSource } from './genesis-source.js';
import type { LineMark } from './line-marks.js';
import { VoteSums } from './maintenance/vote-sums.js';
import type { PendingEntry } from './next-block.js';
import { PendingTransactions } from './pending.js';
import type { BlockStore, StateStore } from './ports.js';
import { assembleBlock, PRODUCE_ERRORS, type ProduceRequest } from './produce.js';
import { BlockLine, type PushResult } from './push-block.js';
import { participation, scheduledWitness, slotAt, slotPlan, slotTime } from './schedule.js';
import { DebugUpdates } from './updates-by-block.js';

export const CHAIN_ERRORS = defineErrors({
  state_other_chain: {
    kind: 'environment',
    text: 'the stored state belongs to chain ${found}, the genesis file begins chain ${wanted}',
  },
  mark_gone: { text: 'the chain was taken back before this mark, or it was forgotten' },
  pop_irreversible: { text: 'block ${number} is irreversible and cannot be undone' },
});

export interface ChainOptions {
  readonly genesis: GenesisSource;
  readonly engine: ContractEngine;
  readonly blocks: BlockStore;
  /** State that was loaded from a store; without it, or when it is empty, the genesis is built. */
  readonly state?: ChainState;
  readonly store?: StateStore;
  readonly checkpoints?: ReadonlyMap<number, BlockId>;
  /** This node's own cap on the CPU time of contract calls that it is the first to run. */
  readonly contractTimeUsMax?: number;
  /** Irreversible blocks that are handed to the store together. */
  readonly saveBlocks?: number;
  /** Wraps every step of a block, e.g. to measure it. */
  readonly observe?: (step: string, work: () => void) => void;
  /** Every maintenance counts all votes anew and compares them with what it has carried on: slow, for tests and doubts. */
  readonly mustRecountVotes?: boolean;
  /** What the debug API has changed beside the blocks. */
  readonly debugUpdates?: DebugUpdates;
  /** Told of each bug of ours that a transaction, a block or a listener meets; without it the bug itself is thrown. */
  readonly onBug?: BugListener;
  /** Random bytes for places that no sender of transactions must know; see id-hash.ts. */
  readonly idSalt?: Uint8Array;
}

function throwBug({ error }: Bug): never {
  throw error;
}

const CONTRACT_TIME_US_MAX = 10_000;

/** An empty state with the rules of the genesis file's network, to be loaded from a store. For `idSalt` see ChainOptions. */
export function emptyState(genesis: GenesisSource, idSalt?: Uint8Array): ChainState {
  return new ChainState(genesis.network, OBJECTS, new IdHash(idSalt));
}

/** The chain: state, blocks and pending transactions behind the doors of doors.ts. Synchronous, deterministic, without a clock. */
export class Chain {
  readonly chainId: ChainId;
  readonly blocks: BlockDoor;
  readonly replay: ReplayDoor;
  readonly pending: PendingDoor;
  readonly queries: QueryDoor;
  readonly snapshots: SnapshotDoor;
  readonly debug: DebugDoor;
  readonly returns: ReturnDoor;
  /** For development chains alone: whose authority nobody asks for. What is in a block once is not asked for again. */
  readonly impersonated = new Set<Instance>();

  readonly #state: ChainState;
  readonly #options: ChainOptions;
  readonly #bugs: Bugs;
  readonly #events: ChainEvents;
  readonly #checkpoints: Checkpoints;
  readonly #line: BlockLine;
  readonly #waiting: PendingTransactions;
  readonly #newContext: (skip: number) => RunContext;
  readonly #votes: VoteSums;
  /** Set while a block is at work: listeners must not come in through a door that changes something. */
  #isBusy = false;
  /** What undone blocks held and waits again since the last change of blocks. */
  #returned: readonly TransactionFacts[] = [];

  constructor(options: ChainOptions) {
    const { genesis } = options;
    this.#options = options;
    this.#bugs = new Bugs(options.onBug ?? throwBug);
    this.#events = new ChainEvents(this.#bugs);
    this.chainId = genesis.chainId;
    this.#state = options.state ?? emptyState(genesis, options.idSalt);
    this.#newContext = (skip) =>
      newContext({
        skip,
        engine: options.engine,
        contractTimeUsMax: options.contractTimeUsMax ?? CONTRACT_TIME_US_MAX,
        blockId: (number) => options.blocks.idOf(number),
        impersonated: this.impersonated,
      });
    this.#begin();
    const updates = options.debugUpdates ?? new DebugUpdates();
    this.#checkpoints = new Checkpoints(options.checkpoints);
    this.#votes = new VoteSums(this.#state, { mustRecount: options.mustRecountVotes ?? false });
    this.#line = new BlockLine({
      state: this.#state,
      chainId: this.chainId,
      blocks: options.blocks,
      store: options.store,
      events: this.#events,
      votes: this.#votes,
      checkpoints: this.#checkpoints,
      dataTransactionLifetimeHours: genesis.network.dataTransactionLifetimeHours,
      decodeRules: blockTransactionRules(genesis.network.decoder),
      saveBlocks: options.saveBlocks ?? 1,
      observe: options.observe,
      hook: updates,
      bugs: this.#bugs,
      newContext: this.#newContext,
      onApplied: (block) => this.#waiting.taken(block),
    });
    const amendments = new HeadAmendments({
      state: this.#state,
      events: this.#events,
      updates,
      amends: (head) => this.#line.amends(head),
    });
    amendments.remake();
    this.debug = { amendHead: (update, keep) => this.#withoutPending(() => amendments.make(update, keep)) };
    this.#waiting = new PendingTransactions({
      state: this.#state,
      chainId: this.chainId,
      newContext: this.#newContext,
      bugs: this.#bugs,
      idSalt: options.idSalt,
    });
    this.blocks = this.#blockDoor();
    this.replay = this.#replayDoor();
    this.pending = this.#pendingDoor();
    this.queries = this.#queryDoor();
    this.returns = this.#returnDoor(updates);
    this.snapshots = { withHeadState: (work) => this.#withoutPending(() => work(this.#state)) };
  }

  #begin(): void {
    const state = this.#state;
    if (state.find(dynamicGlobalPropertyObject, 0) !== undefined) {
      const found = state.chainId;
      check(found === this.chainId, CHAIN_ERRORS.state_other_chain, { found, wanted: this.chainId });
      return;
    }
    buildGenesis(state, this.#options.genesis, this.#newContext(SKIP.none));
    const head = state.single(dynamicGlobalPropertyObject);
    this.#options.store?.saveAll(state, { number: 0, id: head.head_block_id });
  }

  get #head(): HeadInfo {
    const head = this.#state.single(dynamicGlobalPropertyObject);
    return {
      number: head.head_block_number,
      id: head.head_block_id,
      time: head.time,
      irreversible: this.#line.permanent,
    };
  }

  /** Pending transactions step aside, and are tried again on whatever is the head then. */
  #withoutPending<R>(work: () => R): R {
    this.#enter();
    return this.#settleAfter(() => {
      this.#waiting.suspend();
      return this.#thenRetry(work);
    });
  }

  #enter(): void {
    invariant(!this.#isBusy, 'the chain is entered once at a time');
    this.#isBusy = true;
  }

  /** `more` comes behind what undone blocks held. */
  #thenRetry<R>(work: () => R, more: readonly TransactionFacts[] = []): R {
    try {
      return work();
    } finally {
      try {
        this.#state.undoFramesTo(0);
        this.#returned = this.#waiting.restore([...this.#line.takePopped(), ...more], SKIP.none);
      } finally {
        this.#isBusy = false;
      }
    }
  }

  #settleAfter<R>(work: () => R): R {
    try {
      return work();
    } finally {
      this.#events.emit({ kind: 'settled' });
    }
  }

  /** Quirk: all that waits is told of again after every block, also one of a branch that leads nowhere. */
  #tellWaitingAgain(): void {
    const waiting = this.#waiting;
    if (waiting.count === 0) return;
    this.#events.emit({ kind: 'waiting', returned: this.#returned, transactions: () => waiting.all() });
  }

  #push(facts: BlockFacts, skip: number): PushResult {
    this.#enter();
    return this.#settleAfter(() => {
      this.#waiting.suspend();
      const result = this.#thenRetry(() => this.#line.push(facts, skip));
      this.#tellWaitingAgain();
      return result;
    });
  }

  #produce(request: ProduceRequest, skip: number): BlockFacts {
    this.#bugs.checkMayProduce();
    const { ahead } = this.#line;
    check(ahead === undefined, PRODUCE_ERRORS.produce_ahead, () => ({ number: ahead }));
    this.#enter();
    return this.#settleAfter(() => {
      const tried = this.#waiting.suspendForBlock(skip);
      const made = this.#thenRetry(() => {
        const facts = assembleBlock({ state: this.#state, skip, tried }, request);
        this.#line.push(facts, skip, tried);
        return facts;
      });
      this.#tellWaitingAgain();
      return made;
    });
  }

  #blockDoor(): BlockDoor {
    const head = () => this.#head;
    const bugs = this.#bugs;
    return {
      get head() {
        return head();
      },
      get haltingBug() {
        return bugs.halting;
      },
      push: (block: GivenBlock, skip = SKIP.none) => this.#push(BlockFacts.of(block, this.chainId), skip),
      popTo: (number) => {
        check(number >= this.#line.undoableFrom, CHAIN_ERRORS.pop_irreversible, { number: number + 1 });
        this.#withoutPending(() => {
          while (this.#head.number > number) {
            const { id } = this.#head;
            this.#line.pop();
            this.#line.forks.remove(id);
          }
        });
      },
      produce: (request, skip = SKIP.none) => this.#produce(request, skip),
      save: () => this.#withoutPending(() => this.#line.save()),
      saveEvery: (blocks, changes) => this.#line.saveEvery(blocks, changes),
      subscribe: (listener) => this.#events.subscribe(listener),
    };
  }

  #replayDoor(): ReplayDoor {
    const head = () => this.#head;
    return {
      get head() {
        return head();
      },
      save: () => this.blocks.save(),
      begin: (last, irreversible) => this.#line.beginReplay(last, irreversible),
      prepareMaintenance: () => this.#withoutPending(() => this.#votes.prepare()),
    };
  }

  #returnDoor(updates: DebugUpdates): ReturnDoor {
    interface Mark extends ChainMark {
      readonly line: LineMark;
      readonly waiting: readonly TransactionFacts[];
    }
    const marks = new Map<ChainMark, Mark>();
    const line = this.#line;
    return {
      mark: () => {
        const at = line.mark();
        const mark: Mark = { number: at.number, updates: updates.count, line: at, waiting: [...this.#waiting.all()] };
        marks.set(mark, mark);
        return mark;
      },
      has: (mark) => {
        const known = marks.get(mark);
        return known !== undefined && line.hasMark(known.line);
      },
      backTo: (mark) => {
        const known = marks.get(mark);
        check(known !== undefined && line.hasMark(known.line), CHAIN_ERRORS.mark_gone);
        this.#enter();
        this.#settleAfter(() => {
          this.#waiting.clear();
          this.#thenRetry(() => {
            line.backTo(known.line);
            // What the undone blocks held is not to come again.
            line.takePopped();
            updates.cutTo(known.updates);
          }, known.waiting);
          this.#tellWaitingAgain();
        });
        for (const one of marks.values()) if (!line.hasMark(one.line)) marks.delete(one);
      },
      forget: (mark) => {
        const known = marks.get(mark);
        if (known !== undefined) line.forgetMark(known.line);
        marks.delete(mark);
      },
      forgetMarks: () => {
        line.forgetMarks();
        marks.clear();
      },
    };
  }

  #pendingDoor(): PendingDoor {
    const waiting = this.#waiting;
    const run = (how: 'push' | 'dryRun', given: GivenTransaction, skip: number): PendingEntry => {
      invariant(!this.#isBusy, 'the chain is entered once at a time');
      return waiting[how](TransactionFacts.of(given, this.chainId), skip);
    };
    return {
      push: (given, skip = SKIP.none) => {
        const entry = run('push', given, skip);
        this.#events.emit({ kind: 'pending', transaction: entry.facts, operations: entry.operations });
        return entry.facts.transaction;
      },
      dryRun: (given, skip = SKIP.none) => run('dryRun', given, skip).facts.transaction,
      get transactions() {
        return Array.from(waiting.all(), (facts) => facts.transaction);
      },
      get ids() {
        return Array.from(waiting.all(), (facts) => facts.id);
      },
      get count() {
        return waiting.count;
      },
      get bytes() {
        return waiting.bytes;
      },
      has: (id) => waiting.has(id),
      clear: () => {
        invariant(!this.#isBusy, 'the chain is entered once at a time');
        waiting.clear();
      },
      tryMore: () => {
        invariant(!this.#isBusy, 'the chain is entered once at a time');
        return waiting.tryMore();
      },
    };
  }

  #queryDoor(): QueryDoor {
    const state = this.#state;
    const { blocks } = this.#options;
    const { forks } = this.#line;
    const waiting = this.#waiting;
    const head = () => this.#head;
    const isStored = (id: BlockId) => blocks.idOf(blockNumFromId(id)) === id;
    return {
      chainId: this.chainId,
      state,
      get head() {
        return head();
      },
      blockByNumber: (number) => blocks.byNumber(number),
      blockById: (id) =>
        forks.find(id)?.held?.block ?? (isStored(id) ? blocks.byNumber(blockNumFromId(id)) : undefined),
      blockBytes: (number) => blocks.bytesOf(number),
      blockBytesById: (id) => (isStored(id) ? blocks.bytesOf(blockNumFromId(id)) : forks.find(id)?.block.bytes),
      blockIdOf: (number) => blocks.idOf(number),
      checkpointOf: (number) => this.#checkpoints.idOf(number),
      isKnownBlock: (id) => forks.find(id) !== undefined || isStored(id),
      blockIdsAt: (number) => {
        const stored = blocks.idOf(number);
        const others = forks.withNumber(number).map((item) => item.id);
        return stored === undefined ? others : [stored, ...others.filter((id) => id !== stored)];
      },
      isKnownTransaction: (id) => waiting.has(id) || state.findBy(transactionObject.by.trxId, id) !== undefined,
      slotTime: (slot) => slotTime(state, slot),
      slotAt: (time) => slotAt(state, time),
      scheduledWitness: (slot) => scheduledWitness(state, slot),
      slotPlan: () => slotPlan(state),
      participation: () => participation(state.single(dynamicGlobalPropertyObject).recent_slots_filled),
    };
  }
}
