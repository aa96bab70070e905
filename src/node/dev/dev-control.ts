import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { ChainError, check, defineErrors } from '../../base/errors.js';
import type { Cancel, Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import type { ChainMark } from '../../chain/doors.js';
import { TransactionFacts } from '../../chain/facts.js';
import { type BalanceUpdate, balanceUpdateJson } from '../../chain/state-update.js';
import type { Json } from '../../codec/json.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { BlockImporter } from '../../importer/importer.js';
import { compareInstances, type Instance } from '../../protocol/ids.js';
import type { DevPort, DevStatus, DevWaiting } from '../../rpc/ports.js';
import type { ContractTraces } from './contract-traces.js';
import type { DevAccount } from './dev-network.js';
import { faucetPayment } from './faucet.js';
import { checkSameChain, commonBlock, dumpOf, goTheWayOf, LOAD_DUMP_ERRORS } from './load-dump.js';
import { makeBlock } from './make-block.js';
import { accountNamed, assetNamed } from './named.js';
import type { ShiftedClock } from './shifted-clock.js';
import { type ChainBase, type DumpedUpdate, readDump, type StateDump } from './state-dump.js';

export const DEV_CONTROL_ERRORS = defineErrors({
  dev_time_past: { text: 'time does not go back behind the head block, which is of ${head}; ${wanted} does' },
  dev_snapshot_unknown: {
    text: 'there is no snapshot ${id} to go back to',
    hint: 'each is used once, going back to it ends those that were made later, and a restart ends all of them',
  },
  dev_trace_unknown: {
    text: 'there is no trace of the transaction ${id}',
    hint: 'a trace is there for each of the last 1000 transactions with contract calls that ran on this node since its start',
  },
  dev_time_far: { text: 'the time ${wanted} is beyond what the chain can write, which ends at ${limit}' },
});

/** Times of blocks are unsigned 32-bit numbers; a year of room is left for what adds to them, expirations above all. */
const TIME_MAX_SEC = 0xffff_ffff - 366 * 86_400;
/** Everything else gets its turn after so many blocks. */
const BLOCKS_AT_ONCE = 50;

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 19);

export interface DevControlParts {
  readonly chain: Chain;
  readonly clock: ShiftedClock;
  readonly importer: BlockImporter;
  readonly keys: readonly PrivateKey[];
  readonly faucet: DevAccount;
  readonly base: ChainBase;
  readonly traces: Pick<ContractTraces, 'of' | 'ofContract'>;
  /** A dumped state that the chain begins with, unless it has its blocks already. */
  readonly loadState?: string | undefined;
  /** All changes that were made beside the blocks, as they were made. */
  updates(): readonly DumpedUpdate[];
  /** A block every so many milliseconds, or with 0 as soon as a transaction waits; undefined: at their slots. */
  readonly blockMs: number | undefined;
  /** On the medium when it returns: a change beside the blocks, for the next start. */
  keepUpdate(block: string, update: Json): void;
  /** The changes that were made beside the blocks are these first ones alone, for the next start too. */
  keepUpdates(count: number): void;
  readonly log: Logger;
}

interface DevSnapshot {
  readonly id: number;
  readonly mark: ChainMark;
  readonly headTime: number;
  readonly nowSec: number;
}

/** What block production has to forget when the chain goes back. */
export interface SlotMemory {
  takeBack(slotSec: number): void;
}

/** Time and blocks of a development chain, in the hands of whoever tests on it. */
export class DevControl implements DevPort {
  readonly #p: DevControlParts;
  #isProducing = true;
  #isMiningSoon = false;
  #isStopped = false;
  #payments = 0;
  #hasJumped = false;
  #isLoading = false;
  #snapshots: DevSnapshot[] = [];
  #lastSnapshot = 0;
  #slots: SlotMemory | undefined;

  constructor(parts: DevControlParts) {
    this.#p = parts;
    // What was mined ahead of the clock before a restart would stop the chain for as long.
    this.#reach(parts.chain.queries.head.time);
  }

  /** Whether blocks are made at their slots, by the part that does so on every chain. */
  get leavesBlocksToTime(): boolean {
    return this.#isProducing && this.#p.blockMs === undefined;
  }

  /** Asked by each new head: whether slots before it may be empty because somebody wanted it so, which nobody is warned of. */
  takeJump(): boolean {
    const hasJumped = this.#hasJumped || this.#isLoading;
    this.#hasJumped = false;
    return hasJumped;
  }

  /** Once the whole node stands: begins to make blocks in the way that the operator wants. */
  begin(slots: SlotMemory): Cancel {
    this.#slots = slots;
    const { loadState } = this.#p;
    if (loadState !== undefined) this.#loadAtStart(readDump(loadState));
    return this.#makeBlocks();
  }

  #makeBlocks(): Cancel {
    const { blockMs, chain } = this.#p;
    if (blockMs === undefined) return () => undefined;
    if (blockMs > 0) return this.#every(blockMs);
    const stop = chain.blocks.subscribe((event) => {
      if (event.kind === 'pending' || event.kind === 'waiting') this.#mineSoon();
    });
    this.#mineSoon();
    return () => {
      this.#isStopped = true;
      stop();
    };
  }

  #every(blockMs: number): Cancel {
    let cancel: Cancel = () => undefined;
    const again = (delayMs: number): void => {
      cancel = this.#p.clock.after(delayMs, () => {
        again(blockMs);
        if (this.#isProducing) this.#tryToMine();
      });
    };
    // Nobody can pay before the first block.
    again(this.#p.chain.queries.head.number === 0 ? 0 : blockMs);
    return () => cancel();
  }

  /** After the call that the transaction came with: a listener must not change the chain that is telling it something. */
  #mineSoon(): void {
    if (this.#isMiningSoon) return;
    this.#isMiningSoon = true;
    setImmediate(() => {
      this.#isMiningSoon = false;
      const isWanted = this.#isProducing && !this.#isStopped && this.#p.chain.pending.count > 0;
      if (isWanted) this.#tryToMine();
    });
  }

  /** Nobody waits for the answer here. */
  #tryToMine(): void {
    try {
      this.#mineOne(0);
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#p.log.error('the chain refused the block that was assembled', { error });
    }
  }

  status(): DevStatus {
    const { head } = this.#p.chain.queries;
    return {
      head_block_number: head.number,
      head_block_time: head.time,
      now: this.#nowSec,
      producing: this.#isProducing,
    };
  }

  async mine(blocks: number, secondsBetween: number): Promise<DevStatus> {
    for (let i = 0; i < blocks; i++) {
      this.#mineOne(secondsBetween);
      if (i % BLOCKS_AT_ONCE === BLOCKS_AT_ONCE - 1) await turnOfOthers();
    }
    return this.status();
  }

  /** In the slot that the clock has reached, but not before the wanted distance, nor before the next slot of all. */
  #mineOne(secondsBetween: number): void {
    const { chain, importer, keys } = this.#p;
    const { queries } = chain;
    const notBefore = queries.head.time + secondsBetween;
    checkTime(notBefore);
    let slot = Math.max(1, queries.slotAt(this.#nowSec), queries.slotAt(notBefore));
    if (queries.slotTime(slot) < notBefore) slot++;
    this.#hasJumped = true;
    makeBlock({ chain, importer }, keys, slot);
    this.#reach(queries.head.time);
  }

  pending(): DevWaiting[] {
    const { ids, transactions } = this.#p.chain.pending;
    return transactions.map((trx, i) => ({ id: ids[i] as string, trx }));
  }

  dropPending(): number {
    const { pending } = this.#p.chain;
    const { count } = pending;
    pending.clear();
    return count;
  }

  /** Waits for a block as any other transaction. */
  faucet(account: string, amount: bigint): string {
    const { pending, queries } = this.#p.chain;
    const transaction = faucetPayment(queries.state, this.#p.faucet, account, amount, this.#payments++);
    const { id } = TransactionFacts.of({ transaction }, queries.chainId);
    pending.push({ transaction, id });
    return id;
  }

  /** At once, without a block: money comes from nowhere and goes there, and the asset's supply with it. */
  setBalance(account: string, asset: string, amount: bigint): DevStatus {
    const { chain, keepUpdate, log } = this.#p;
    const { state, head } = chain.queries;
    const update: BalanceUpdate = {
      action: 'balance',
      account: accountNamed(state, account),
      asset: assetNamed(state, asset),
      amount,
    };
    chain.debug.amendHead(update, () => keepUpdate(head.id, balanceUpdateJson(update)));
    log.info('a balance was set by hand', { account, asset, amount: String(amount) });
    return this.status();
  }

  /** Transactions of this account need no signature of it. Answers with all accounts of which that holds. */
  impersonate(account: string): Instance[] {
    const { impersonated, queries } = this.#p.chain;
    impersonated.add(accountNamed(queries.state, account));
    return [...impersonated].sort(compareInstances);
  }

  stopImpersonate(account: string): Instance[] {
    const { impersonated, queries } = this.#p.chain;
    impersonated.delete(accountNamed(queries.state, account));
    return [...impersonated].sort(compareInstances);
  }

  /** False if it does not wait. What builds on it goes as well. */
  dropTransaction(id: string): boolean {
    const { pending } = this.#p.chain;
    if (!pending.has(id)) return false;
    const kept = this.pending().filter((one) => one.id !== id);
    pending.clear();
    for (const one of kept) {
      try {
        pending.push({ transaction: one.trx, id: one.id });
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
      }
    }
    return true;
  }

  /** What each contract call of the transaction did when it ran last. */
  trace(id: string): Json[] {
    const found = this.#p.traces.of(id);
    check(found !== undefined, DEV_CONTROL_ERRORS.dev_trace_unknown, { id });
    return found;
  }

  /** The newest calls of a contract, refused ones too. */
  contractTraces(account: string, limit: number): Json[] {
    return this.#p.traces.ofContract(accountNamed(this.#p.chain.queries.state, account), limit);
  }

  /** Number of a snapshot: of blocks, state, what waits, and the clock. */
  snapshot(): number {
    const { chain } = this.#p;
    const id = ++this.#lastSnapshot;
    const { time } = chain.queries.head;
    this.#snapshots.push({ id, mark: chain.returns.mark(), headTime: time, nowSec: this.#nowSec });
    return id;
  }

  /** All that came after the snapshot has not been. It is used up, with those after it. */
  revert(id: number): DevStatus {
    const { chain, clock, log } = this.#p;
    const at = this.#snapshots.findIndex((one) => one.id === id);
    const found = this.#snapshots[at];
    check(found !== undefined && chain.returns.has(found.mark), DEV_CONTROL_ERRORS.dev_snapshot_unknown, { id });
    const { number } = chain.queries.head;
    // Before the blocks: a process that ends in between misses no slots afterwards.
    this.#slots?.takeBack(found.headTime);
    chain.returns.backTo(found.mark);
    // After them: blocks of the log that need these changes would not be applied again without.
    this.#p.keepUpdates(found.mark.updates);
    this.#snapshots.length = at;
    clock.shift(found.nowSec - this.#nowSec);
    this.#hasJumped = true;
    log.info('the chain was taken back by hand', { from: number, to: found.mark.number });
    return this.status();
  }

  /** How many there were. What is irreversible goes to the disk again. */
  dropSnapshots(): number {
    const count = this.#snapshots.length;
    this.#snapshots = [];
    this.#p.chain.returns.forgetMarks();
    return count;
  }

  /** The whole chain as one text: blocks, what was changed beside them, what waits, and the clock. */
  dumpState(): string {
    return dumpOf(this.#p, this.#nowSec);
  }

  /** The chain goes the way of the dumped one, and stands where that stood. All at once: no block comes in between. */
  loadState(text: string): DevStatus {
    return this.#load(readDump(text));
  }

  /** The same file may be named at every start: a chain that has gone on from there goes on. */
  #loadAtStart(dump: StateDump): void {
    const { chain, log } = this.#p;
    const count = dump.blocks.length;
    const isThere = count > 0 && commonBlock(chain, dump) === dump.base.number + count;
    if (isThere) log.info('the dumped state is part of this chain already, which goes on', {});
    else this.#load(dump);
  }

  #load(dump: StateDump): DevStatus {
    const { chain, clock, log } = this.#p;
    const before = chain.queries.head;
    const last = dump.blocks.at(-1);
    this.#goBackFor(dump, checkSameChain(this.#p, dump));
    // Before the blocks: a process that ends in between misses no slots afterwards.
    this.#slots?.takeBack(last?.block.timestamp ?? 0);
    // All of its blocks: each may have jumped where it was made, over thousands of slots.
    this.#isLoading = true;
    try {
      goTheWayOf(this.#p, dump);
    } finally {
      this.#isLoading = false;
    }
    clock.shift(Math.max(dump.now, chain.queries.head.time) - this.#nowSec);
    this.#hasJumped = true;
    log.info('a dumped state was loaded by hand', { from: before.number, to: chain.queries.head.number });
    return this.status();
  }

  /** To a block of the dump, with nothing changed beside blocks but the beginning: as far as this chain has gone its own way. */
  #goBackFor(dump: StateDump, beginning: number): void {
    const { chain, updates } = this.#p;
    const { head } = chain.queries;
    const common = commonBlock(chain, dump);
    if (common === head.number && updates().length === beginning) return;
    const snapshot = this.#snapshots.findLast(
      ({ mark }) => chain.returns.has(mark) && mark.number <= common && mark.updates === beginning,
    );
    check(snapshot !== undefined, LOAD_DUMP_ERRORS.dev_state_not_fresh, { head: head.number });
    this.revert(snapshot.id);
  }

  setTime(seconds: number): DevStatus {
    const { head } = this.#p.chain.queries;
    const values = { head: timeText(head.time), wanted: timeText(seconds) };
    check(seconds >= head.time, DEV_CONTROL_ERRORS.dev_time_past, values);
    checkTime(seconds);
    this.#p.clock.shift(seconds - this.#nowSec);
    this.#hasJumped = true;
    this.#p.log.info('the time of the chain was set by hand', { now: timeText(seconds) });
    return this.status();
  }

  increaseTime(seconds: number): DevStatus {
    return this.setTime(this.#nowSec + seconds);
  }

  setProducing(isOn: boolean): DevStatus {
    this.#isProducing = isOn;
    this.#hasJumped = true;
    if (isOn && this.#p.blockMs === 0) this.#mineSoon();
    return this.status();
  }

  get #nowSec(): number {
    return Math.floor(this.#p.clock.nowMs() / 1000);
  }

  #reach(seconds: number): void {
    if (seconds > this.#nowSec) this.#p.clock.shift(seconds - this.#nowSec);
  }
}

function checkTime(seconds: number): void {
  const values = { wanted: timeText(seconds), limit: timeText(TIME_MAX_SEC) };
  check(seconds <= TIME_MAX_SEC, DEV_CONTROL_ERRORS.dev_time_far, values);
}
