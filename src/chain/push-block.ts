import { ChainError, check, type ErrorKind, invariant, stateless } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import type { DecodeRules } from '../codec/decode-rules.js';
import type { ChainId } from '../crypto/digests.js';
import { type AppliedOperation, SKIP } from '../operations/define.js';
import type { ChainState } from '../state/chain-state.js';
import { FetchAhead } from '../state/fetch-ahead.js';
import type { Change } from '../state/object-db.js';
import {
  type DynamicGlobalPropertyObject,
  dynamicGlobalPropertyObject,
} from '../state/objects/dynamic-global-property.js';
import { witnessObject } from '../state/objects/witness.js';
import { applyBlock } from './apply-block.js';
import { asRefusal } from './apply-transaction.js';
import { BlockBodies, StoredBodies } from './block-bodies.js';
import type { Bugs } from './bugs.js';
import type { Checkpoints } from './checkpoints.js';
import type { RunContext } from './context.js';
import { checkDecodable } from './decodable.js';
import type { ChainEvents } from './events.js';
import { BlockFacts, type TransactionFacts } from './facts.js';
import { FORK_ERRORS, ForkDb, type ForkItem } from './fork-db.js';
import { UNDO_HISTORY_MAX } from './head-update.js';
import { checkMerkleRoot } from './header.js';
import { type LineMark, LineMarks } from './line-marks.js';
import type { VoteSums } from './maintenance/vote-sums.js';
import type { TriedTransactions } from './next-block.js';
import type { BlockHook, BlockStore, StateStore } from './ports.js';

export interface LineParts {
  readonly state: ChainState;
  readonly chainId: ChainId;
  readonly blocks: BlockStore;
  readonly store: StateStore | undefined;
  readonly events: ChainEvents;
  readonly votes: VoteSums;
  readonly checkpoints: Checkpoints;
  readonly dataTransactionLifetimeHours: number;
  /** What blocks of others may hold. */
  readonly decodeRules: DecodeRules;
  /** As `saveEvery` takes it. */
  readonly saveBlocks: number;
  readonly observe: ((step: string, work: () => void) => void) | undefined;
  readonly hook: BlockHook | undefined;
  readonly bugs: Bugs;
  newContext(skip: number): RunContext;
  /** The block is part of the chain; before listeners hear of it. */
  onApplied(block: BlockFacts): void;
}

/** Who makes a block has checked its transactions one by one, and has signed it with the key that the state asks for. */
const KNOWN_TO_THE_PRODUCER = SKIP.transactionSignatures | SKIP.witnessSignature;

export interface PushResult {
  /** The block is part of the chain now. */
  readonly isApplied: boolean;
  /** The chain continues on another branch than before. */
  readonly hasSwitched: boolean;
}

/** Why a block loses its place among those that may become part of the chain: it is bad, or would meet a bug again. */
const COSTS_PLACE: Readonly<Record<ErrorKind, boolean>> = {
  invalid: true,
  bug: true,
  limit: false,
  environment: false,
};

const isOfBlock = (error: unknown): boolean => !(error instanceof ChainError) || COSTS_PLACE[error.kind];

/** What listeners are told of a block. */
interface Applied {
  readonly block: BlockFacts;
  readonly operations: readonly AppliedOperation[];
}

export interface BegunReplay {
  /** No branch can begin below this block: it was said to be irreversible, or lies far enough behind the last one. */
  readonly final: number;
  /** What follows comes from elsewhere. */
  end(): void;
}

/** What a replay gathers before it hands it to the store: an object that many blocks change is kept and written once. */
const JOINED_OBJECTS = 50_000;
const JOINED_BLOCKS = 2000;

/** Branches usually begin a block or two below the head: so many of the newest blocks keep in memory what they hold. */
const HELD_BLOCKS = 3;

/** The line of blocks that the state stands on: it grows, and it may change over to a longer branch. */
export class BlockLine {
  readonly forks = new ForkDb((facts) => this.#isVouched(facts));
  #saveBlocks: number;
  #saveChanges = Number.POSITIVE_INFINITY;
  readonly #p: LineParts;
  /** Transactions of undone blocks, in the order in which they were applied. */
  #popped: TransactionFacts[] = [];
  /** Last block number that is known to be irreversible: listeners were told, or the state began there. */
  #announced: number;
  /** Last block whose changes the store has been given, or that the state began with. */
  #saved: number;
  /** Blocks of the own log up to this one are known to be irreversible before the state says so. */
  #final = 0;
  /** Blocks that share the newest frame. */
  #joined = 0;
  /** Blocks that had been applied were taken back along with one that was refused. */
  #isTorn = false;
  /** Where somebody wants to come back to. */
  readonly #marks = new LineMarks();
  readonly #stored: StoredBodies;
  /** Of the blocks that may be undone, the oldest first. */
  readonly #bodies: BlockBodies[] = [];
  readonly #ahead: FetchAhead;

  constructor(parts: LineParts) {
    this.#p = parts;
    this.#ahead = new FetchAhead(parts.state);
    this.#saveBlocks = parts.saveBlocks;
    this.#stored = new StoredBodies(parts.blocks);
    const head = parts.state.single(dynamicGlobalPropertyObject);
    // A stored state was irreversible when it was stored, and nothing is kept to undo it, although the last irreversible
    // block that it names itself may be an earlier one.
    this.#announced = head.head_block_number;
    this.#saved = head.head_block_number;
    if (head.head_block_number === 0) return;
    const block = parts.blocks.byNumber(head.head_block_number);
    invariant(block !== undefined, 'the block store has the block that the state stands on');
    const facts = new BlockFacts(block);
    invariant(facts.id === head.head_block_id, 'the block store and the state have the same head');
    this.forks.start(facts);
  }

  /** Signed by the key that its witness has now. */
  #isVouched(facts: BlockFacts): boolean {
    const witness = this.#p.state.find(witnessObject, facts.block.witness);
    try {
      return witness !== undefined && facts.signer === witness.signing_key;
    } catch (error) {
      asRefusal(error);
      return false;
    }
  }

  /** Number of a block that leads but could not be taken, for no fault of its own. */
  get ahead(): number | undefined {
    const leader = this.forks.head;
    const { head_block_number } = this.#p.state.single(dynamicGlobalPropertyObject);
    return leader !== undefined && leader.number > head_block_number ? leader.number : undefined;
  }

  /** Hands over what undone blocks held, once. */
  takePopped(): TransactionFacts[] {
    const popped = this.#popped;
    this.#popped = [];
    return popped;
  }

  /**
   * No block is applied that has more than UNDO_HISTORY_MAX blocks below it that can still be undone. So when the last
   * block of the log was applied, those that far behind it were irreversible, unless it was up to a checkpoint: there that
   * check is left out.
   */
  beginReplay(last: number, irreversible: number): BegunReplay {
    invariant(!this.#p.events.hasListeners, 'a replay tells nobody what its blocks have changed');
    const far = this.#p.checkpoints.last < last ? last - UNDO_HISTORY_MAX : 0;
    const final = Math.max(irreversible, far);
    this.#final = final;
    return {
      final,
      end: () => {
        this.#final = this.#irreversible;
      },
    };
  }

  /** Number of the last block that no branch can take away: as the state says, or as the own log has shown. */
  get #irreversible(): number {
    const head = this.#p.state.single(dynamicGlobalPropertyObject);
    return Math.max(head.last_irreversible_block_num, Math.min(this.#final, head.head_block_number));
  }

  /** The state must be that of the head block, without pending transactions but those that are this block's. */
  push(facts: BlockFacts, given: number, tried?: TriedTransactions): PushResult {
    invariant(!this.#isTorn, 'a replay in which a block was refused is begun anew');
    const skip = this.#p.checkpoints.skipFor(facts, given);
    if ((given & SKIP.forkDb) !== 0) {
      this.#p.state.undoFramesTo(0);
      const applied = this.#apply(facts, skip);
      // What came before can be fetched again; from here on branches are known as usual.
      this.forks.start(facts);
      this.#tell(applied);
      return { isApplied: true, hasSwitched: false };
    }
    // The id covers the header alone: a block with other transactions must not take the place of the real one.
    stateless(() => checkMerkleRoot(facts, skip));
    if (tried === undefined && (skip & SKIP.merkleCheck) === 0) this.#checkDecodable(facts);
    const head = this.#p.state.single(dynamicGlobalPropertyObject);
    // The first of all is nobody's child in the fork database, but it must be one of the state: no branch leads back from it.
    const isNext = facts.block.previous === head.head_block_id;
    check(this.forks.head !== undefined || isNext, FORK_ERRORS.block_unlinkable);
    this.#keepStand(head);
    const leader = this.forks.insert(facts);
    const own = leader.id === facts.id ? tried : undefined;
    if (own === undefined) this.#p.state.undoFramesTo(0);
    if (leader.previous === head.head_block_id) {
      const leaderSkip = this.#p.checkpoints.skipFor(leader.block, given);
      this.#tell(
        this.#applyOrForget(leader.block, own === undefined ? leaderSkip : leaderSkip | KNOWN_TO_THE_PRODUCER, own),
      );
      return { isApplied: leader.id === facts.id, hasSwitched: false };
    }
    if (leader.number <= head.head_block_number) return { isApplied: false, hasSwitched: false };
    const hasSwitched = this.#switchTo(leader, given);
    // A branch that could not be taken before may lead another one than this block's.
    return { isApplied: this.#p.blocks.idOf(facts.number) === facts.id, hasSwitched };
  }

  /**
   * Whatever waits behind a block that could not be taken, the fork database has what the state stands on. Nobody has
   * looked at who signed what waits: of more than a few all are forgotten, and can be fetched again.
   */
  #keepStand({ head_block_number, head_block_id }: Readonly<DynamicGlobalPropertyObject>): void {
    const { ahead } = this;
    if (ahead === undefined) return;
    if (ahead - head_block_number >= LIMITS.fork_waiting_max) this.forks.cutTo(head_block_id);
    this.#setForkSize();
  }

  /** A block that no other node of the network could have read is no block, in whatever form it came here. */
  #checkDecodable(facts: BlockFacts): void {
    stateless(() => {
      for (const transaction of facts.transactions) checkDecodable(transaction, this.#p.decodeRules);
    });
  }

  #applyOrForget(facts: BlockFacts, skip: number, tried: TriedTransactions | undefined): Applied {
    try {
      return this.#apply(facts, skip, tried);
    } catch (error) {
      // One that was made here has not left this node: nobody else can know it, and another takes its turn. And behind the
      // first of all there is none from which a way to others could begin.
      const isFirst = this.forks.find(facts.block.previous) === undefined;
      if (tried !== undefined || isFirst || isOfBlock(error)) this.forks.remove(facts.id);
      throw error;
    }
  }

  /** One block in a frame of its own: all of it or nothing. */
  #apply(facts: BlockFacts, skip: number, tried?: TriedTransactions): Applied {
    const { state, blocks, bugs } = this.#p;
    const context = this.#p.newContext(skip);
    // A node's own caps are for what it takes in and puts into blocks. What a block does must be the same on all nodes.
    context.contractTimeUsMax = Number.POSITIVE_INFINITY;
    context.contractMemos.bytesMax = Number.POSITIVE_INFINITY;
    context.contractArguments.bytesMax = Number.POSITIVE_INFINITY;
    // A block that was tried has its frame already, unless nothing was pending.
    const isJoined = state.openFrames === 0 && this.#openFrame(facts.number);
    const bodies = new BlockBodies(facts.number, facts.block, this.#stored);
    try {
      applyBlock({
        state,
        ahead: this.#ahead,
        chainId: this.#p.chainId,
        facts,
        bodies,
        tried,
        context,
        votes: this.#p.votes,
        checkpoints: this.#p.checkpoints,
        dataTransactionLifetimeHours: this.#p.dataTransactionLifetimeHours,
        carriedIndex: blocks.carriedIndex,
        observe: this.#p.observe,
        isMaintenance: false,
      });
      this.#p.hook?.afterBlock(facts.id, state);
    } catch (error) {
      this.#takeBack(isJoined);
      throw bugs.ofBlock(facts, error);
    }
    try {
      blocks.append(facts, context.journal.operations);
    } catch (error) {
      this.#takeBack(isJoined);
      throw error;
    }
    state.commitFrame();
    this.#bodies.push(bodies);
    return { block: facts, operations: context.journal.operations };
  }

  #takeBack(isJoined: boolean): void {
    this.#isTorn = isJoined;
    this.#joined = 0;
    this.#p.state.undoFramesTo(0);
  }

  /** True if the block shares its frame with blocks before it. */
  #openFrame(number: number): boolean {
    const { state } = this.#p;
    const isFinal = number <= this.#final;
    const joins = isFinal && this.#joined > 0;
    if (joins) state.reopenFrame();
    else state.openFrame();
    this.#joined = isFinal ? this.#joined + 1 : 0;
    return joins;
  }

  /** The block is part of the chain by now, and whatever goes wrong in here does not take it out again. */
  #tell({ block, operations }: Applied): void {
    const { state, events } = this.#p;
    this.#setForkSize();
    this.#p.onApplied(block);
    if (events.hasListeners) {
      events.emit({ kind: 'applied', block, operations, changes: () => state.newestChanges().changes });
    }
    this.#settle();
  }

  #setForkSize(): void {
    const head = this.#p.state.single(dynamicGlobalPropertyObject);
    const newest = Math.max(head.head_block_number, this.forks.head?.number ?? 0);
    this.forks.setSize(newest - head.last_irreversible_block_num + 1);
  }

  /** Blocks that can no longer be undone: listeners are told, the store takes their changes. */
  #settle(): void {
    const { state, blocks, events } = this.#p;
    const head = state.single(dynamicGlobalPropertyObject);
    const number = this.#irreversible;
    if (number > this.#announced) {
      blocks.settle(number);
      this.#announced = number;
      events.emit({ kind: 'irreversible', number });
    }
    const permanent = Math.min(number, this.#marks.lowest);
    this.#keep(permanent, head.head_block_number);
    this.#rest(head.head_block_number - permanent);
  }

  #keep(permanent: number, head: number): void {
    const { state } = this.#p;
    if (this.#joined > 0) {
      if (this.#joined >= JOINED_BLOCKS || state.changesOf(1) >= JOINED_OBJECTS) this.save();
      return;
    }
    const count = this.#framesUpTo(permanent, head);
    if (count <= 0) return;
    if (permanent - this.#saved >= this.#saveBlocks || state.changesOf(count) >= this.#saveChanges) this.save();
    else if (this.#p.store !== undefined) state.settleOldest(count);
  }

  /**
   * Drops from memory what blocks hold, but for the HELD_BLOCKS newest: a branch that undoes more of them reads it from the
   * block store. `undoable`: how many blocks, counted from the head, can be undone at all.
   */
  #rest(undoable: number): void {
    while (this.#bodies.length > undoable) this.#bodies.shift()?.rest();
    const resting = this.#bodies.at(-1 - HELD_BLOCKS);
    if (resting !== undefined) {
      resting.rest();
      const { number } = resting;
      const head = this.forks.find(this.#p.state.single(dynamicGlobalPropertyObject).head_block_id);
      const item = this.forks.ancestorOf(head, number);
      if (item?.held !== undefined) {
        const { keepsChecks } = item.held;
        item.rest(() => this.#storedFacts(number, keepsChecks));
      }
    }
    this.#stored.forget();
  }

  /** `keepsChecks`: a branch may be taken up again that holds it. */
  #storedFacts(number: number, keepsChecks = false): BlockFacts {
    const block = this.#p.blocks.byNumber(number);
    invariant(block !== undefined, 'the block store has the blocks that the state stands on');
    const facts = new BlockFacts(block);
    facts.keepsChecks = keepsChecks;
    return facts;
  }

  /** When blocks that became irreversible are handed to the store: so many of them, or so many changes, together. */
  saveEvery(blocks: number, changes = Number.POSITIVE_INFINITY): void {
    this.#saveBlocks = blocks;
    this.#saveChanges = changes;
  }

  /** Hands everything irreversible to the store and forgets how to undo it. */
  save(): void {
    const { state, store, blocks } = this.#p;
    const head = state.single(dynamicGlobalPropertyObject);
    const number = Math.min(this.#irreversible, this.#marks.lowest);
    const count = this.#framesUpTo(number, head.head_block_number);
    if (count <= 0) return;
    invariant(!this.#isTorn, 'a replay in which a block was refused is begun anew');
    if (store !== undefined) {
      const id = blocks.idOf(number);
      invariant(id !== undefined, 'the block store has the last irreversible block');
      store.save(state.irreversibleChanges(count), { number, id });
    }
    state.dropOldest(count);
    this.#saved = number;
    this.#marks.forgetAmendments(number);
    this.#joined = 0;
  }

  /** Of the frames that are kept: those of blocks up to this number, with what belongs to them. */
  #framesUpTo(number: number, head: number): number {
    return this.#p.state.committedFrames - (head - number) - this.#marks.amendmentsBehind(number);
  }

  /** The highest block that nothing takes back: no branch, and nobody who has marked where the chain stood. */
  get permanent(): number {
    return Math.min(this.#p.state.single(dynamicGlobalPropertyObject).last_irreversible_block_num, this.#marks.lowest);
  }

  /** From now on nothing that comes is handed to the store, so that all of it can be undone. */
  mark(): LineMark {
    const { head_block_number } = this.#p.state.single(dynamicGlobalPropertyObject);
    return this.#marks.add(head_block_number, this.#announced);
  }

  hasMark(mark: LineMark): boolean {
    return this.#marks.has(mark);
  }

  forgetMark(mark: LineMark): void {
    this.#marks.forget(mark);
  }

  forgetMarks(): void {
    this.#marks.clear();
  }

  /** Undoes all that came after the mark, also what was irreversible. The mark is gone, and those after it. */
  backTo(mark: LineMark): void {
    const { state, blocks, events } = this.#p;
    const headNumber = () => state.single(dynamicGlobalPropertyObject).head_block_number;
    while (headNumber() > mark.number) this.#undoHead();
    while (this.#marks.takeAmendmentAfter(mark)) {
      const { changes } = state.newestChanges();
      state.popCommitted();
      const changed = () =>
        changes.map(({ definition, instance }) => ({ definition, instance, value: state.find(definition, instance) }));
      events.emit({ kind: 'amended', changes: changed });
    }
    this.#marks.drop(mark);
    this.#announced = mark.announced;
    const head = mark.number === 0 ? undefined : blocks.byNumber(mark.number);
    this.forks.start(head === undefined ? undefined : new BlockFacts(head));
  }

  /** A change of the head block's state beside its operations: true if it must have a frame of its own. */
  amends(number: number): boolean {
    return this.#marks.noteAmendment(number);
  }

  /** Undoes the head block. */
  pop(): void {
    const { head_block_number } = this.#p.state.single(dynamicGlobalPropertyObject);
    invariant(head_block_number > this.undoableFrom, 'an irreversible block is never undone');
    this.#undoHead();
  }

  #undoHead(): void {
    const { state, blocks, events } = this.#p;
    const head = state.single(dynamicGlobalPropertyObject);
    const number = head.head_block_number;
    const facts = this.forks.find(head.head_block_id)?.wake() ?? this.#storedFacts(number);
    this.#bodies.at(-1)?.wake(facts.block);
    this.#stored.lose(number);
    // First what may fail: the state must not stand before a block that the store still has.
    blocks.cutAbove(number - 1);
    const changed: Change[] = [];
    for (let frames = this.#marks.takeBlock(number); frames > 0; frames--) {
      // One by one: a block may have changed more objects than arguments fit on the stack.
      if (events.hasListeners) for (const change of state.newestChanges().changes) changed.push(change);
      state.popCommitted();
    }
    this.#bodies.pop();
    this.#popped = [...facts.transactions, ...this.#popped];
    if (events.hasListeners) events.emit({ kind: 'undone', block: facts, changed });
  }

  /**
   * Goes over to a longer branch, and back to the old one if a block of the new one is refused. What fails this node
   * alone says nothing of the branch: it goes on leading, and is tried again with the next block. False when nothing was
   * left for it, because the state stood where it begins.
   */
  #switchTo(leader: ForkItem, given: number): boolean {
    const { state } = this.#p;
    const headId = state.single(dynamicGlobalPropertyObject).head_block_id;
    const oldLeader = this.forks.find(headId);
    invariant(oldLeader !== undefined, 'the fork database has the block that the state stands on');
    const { added, left } = this.#wayTo(leader, oldLeader);
    const begin = added[added.length - 1] as ForkItem;
    try {
      this.#popTo(begin.previous);
    } catch (error) {
      if (!isOfBlock(error)) this.#goBack(begin.previous, left, given);
      throw error;
    }
    for (let i = added.length - 1; i >= 0; i--) {
      let applied: Applied;
      try {
        applied = this.#applyItem(added[i] as ForkItem, given);
      } catch (error) {
        const isBad = isOfBlock(error);
        if (isBad) for (let bad = i; bad >= 0; bad--) this.forks.remove((added[bad] as ForkItem).id);
        const sound = added[i + 1];
        const stays = sound !== undefined && (left.length === 0 || !this.#canUndoTo(begin.number - 1));
        if (isBad) this.forks.setHead(stays ? sound : oldLeader);
        if (!stays) this.#goBack(begin.previous, left, given);
        throw error;
      }
      this.#tell(applied);
    }
    return left.length > 0;
  }

  /** False where the blocks of a new branch have made irreversible what lies above. */
  #canUndoTo(number: number): boolean {
    return number >= this.undoableFrom;
  }

  /** Takes up the old branch again, as much of it as is undone. */
  #goBack(parentId: string, left: readonly ForkItem[], given: number): void {
    const oldestFirst = [...left].reverse();
    const { head_block_id } = this.#p.state.single(dynamicGlobalPropertyObject);
    const kept = oldestFirst.findIndex(({ id }) => id === head_block_id);
    if (kept < 0) this.#popTo(parentId);
    for (const old of oldestFirst.slice(kept + 1)) this.#tell(this.#applyItem(old, given));
  }

  #applyItem({ block }: ForkItem, given: number): Applied {
    return this.#apply(block, this.#p.checkpoints.skipFor(block, given));
  }

  /** The head can be taken back down to this block. What was irreversible once stays so, even if a branch knows less. */
  get undoableFrom(): number {
    const { last_irreversible_block_num } = this.#p.state.single(dynamicGlobalPropertyObject);
    return Math.max(last_irreversible_block_num, this.#announced);
  }

  /** A leader that cannot be reached, or only by undoing what is irreversible, leads no longer. */
  #wayTo(leader: ForkItem, oldLeader: ForkItem): { readonly added: ForkItem[]; readonly left: ForkItem[] } {
    try {
      const { ofFirst: added, ofSecond: left } = this.forks.branches(leader.id, oldLeader.id);
      const parentNumber = (added[added.length - 1] as ForkItem).number - 1;
      const irreversible = this.undoableFrom;
      check(parentNumber >= irreversible, FORK_ERRORS.block_below_irreversible, { parentNumber, irreversible });
      return { added, left };
    } catch (error) {
      asRefusal(error);
      this.forks.remove(leader.id);
      this.forks.setHead(oldLeader);
      throw error;
    }
  }

  #popTo(parentId: string): void {
    const { state } = this.#p;
    while (state.single(dynamicGlobalPropertyObject).head_block_id !== parentId) this.pop();
  }
}
