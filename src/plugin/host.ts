import { check } from '../base/errors.js';
import type { Cancel, Clock, Logger } from '../base/world.js';
import { FOLLOWER_ERRORS } from './errors.js';
import type { BlockFeed } from './feed.js';
import type {
  AddedFollower,
  BlockPlace,
  Carried,
  Follower,
  FollowerState,
  FollowerStatus,
  WriteCarried,
} from './follower.js';

export interface HostParts {
  readonly feed: BlockFeed;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly log: Logger;
  /** What the snapshot that the chain has begun with carries for this follower, as of this block. */
  carried?(name: string, place: BlockPlace): Omit<Carried, 'name'> | undefined;
}

/** A follower that has as much to catch up with keeps the thread so long, then others get their turn. */
const SLICE_MS = 4;
/** Blocks behind the head that are worth a line in the log. */
const BEHIND_BLOCKS = 1000;
const PROGRESS_BLOCKS = 50_000;
const SETTLE_BLOCKS = 100;
/** One that gets at the logs by itself does so when it is behind by this, which is more than those who ask wait for. */
const ADVANCE_BLOCKS = 100;
/** Blocks that may be missing where a follower is asked to hurry: they are in memory. */
const HURRY_BLOCKS = 64;

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const placeText = ({ number, id }: BlockPlace): string => `block ${number} ${id}`.trimEnd();
const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Brings followers to the head and keeps them there, each by itself: it looks where the follower stands and gives it the
 * one step that leads from there to the chain as it is now. So a fork switch, a pause and a late start are the same thing.
 * Steps run between blocks, never while one is applied.
 */
export class FollowerHost {
  readonly #parts: HostParts;
  readonly #drivers = new Map<string, Driver>();
  readonly #stop: Cancel;

  constructor(parts: HostParts) {
    this.#parts = parts;
    this.#stop = parts.feed.listen(() => {
      for (const driver of this.#drivers.values()) driver.wake();
    });
  }

  /** Begins to bring it to the head. What is wrong with it is told in its status, never thrown. */
  add(follower: Follower): AddedFollower {
    const { name } = follower;
    check(!this.#drivers.has(name), FOLLOWER_ERRORS.follower_twice, { name });
    const driver = new Driver(follower, this.#parts);
    this.#drivers.set(name, driver);
    driver.start();
    return driver;
  }

  get statuses(): readonly FollowerStatus[] {
    return [...this.#drivers.values()].map((driver) => driver.status);
  }

  /**
   * Every follower that has something for a snapshot of this block, which is the newest one on the disk, writes it. The
   * snapshot is whole without those that are not there yet: the log says so.
   */
  async carry(place: BlockPlace, writeFor: (name: string) => WriteCarried): Promise<void> {
    const all = [...this.#drivers.values()].map((driver) => driver.carry(place, writeFor));
    const failed = (await Promise.allSettled(all)).find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /** Each finishes the step under way and closes. Throws the first error of a close when all are closed. */
  async close(): Promise<void> {
    this.#stop();
    const closed = await Promise.allSettled([...this.#drivers.values()].map((driver) => driver.close()));
    const failed = closed.find((one) => one.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }
}

/** One follower and its way to the head. */
class Driver implements AddedFollower {
  readonly #follower: Follower;
  readonly #parts: HostParts;
  #state: FollowerState = 'catching_up';
  #reason: string | undefined;
  #settled = 0;
  #isClosing = false;
  #isFarBehind = false;
  #records = 0;
  #hasBegun = false;
  #running: Promise<void> = Promise.resolve();
  #closed: Promise<void> | undefined;
  /** Set while there is nothing to do. */
  #wake: (() => void) | undefined;
  #waiters: (() => void)[] = [];

  constructor(follower: Follower, parts: HostParts) {
    this.#follower = follower;
    this.#parts = parts;
  }

  get status(): FollowerStatus {
    const { name, position, from, records = this.#records } = this.#follower;
    return { name, state: this.#state, position, records, reason: this.#reason, from };
  }

  start(): void {
    this.#running = this.#run();
  }

  wake(): void {
    this.#wake?.();
  }

  async caughtUp(): Promise<void> {
    const { feed } = this.#parts;
    const isThere = (): boolean => {
      const { number, id } = this.#follower.position;
      return this.#isOver || (this.#wake !== undefined && number === this.#last && feed.has({ number, id }));
    };
    while (!isThere()) await new Promise<void>((resolve) => this.#waiters.push(resolve));
  }

  get #seesAll(): boolean {
    return this.#follower.upTo !== 'irreversible';
  }

  /** The last block that there is for it. */
  get #last(): number {
    const { headNumber, irreversibleNumber } = this.#parts.feed;
    return this.#seesAll ? headNumber : Math.min(headNumber, irreversibleNumber);
  }

  get #isOver(): boolean {
    return this.#isClosing || this.#state === 'refused' || this.#state === 'failed';
  }

  hurry(): boolean {
    const { feed } = this.#parts;
    const follower = this.#follower;
    if (this.#isOver || !this.#hasBegun || feed.headNumber - follower.position.number > HURRY_BLOCKS) return false;
    try {
      for (;;) {
        const { position } = follower;
        if (!feed.has(position)) this.#undo(position);
        else if (position.number < feed.headNumber) this.#take(position.number + 1);
        else break;
      }
      follower.look?.();
      return true;
    } catch (error) {
      this.#fail(error);
      this.wake();
      return false;
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#begin();
      this.#hasBegun = true;
      await this.#follow();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#tellWaiters();
    }
  }

  /** The first reason is told. */
  #fail(error: unknown): void {
    if (this.#reason !== undefined) return;
    const { name, position } = this.#follower;
    this.#reason = textOf(error);
    this.#state = this.#state === 'refused' ? 'refused' : 'failed';
    this.#parts.log.error('a follower of the chain stops, the node goes on', {
      follower: name,
      block: position.number,
      error: this.#reason,
    });
  }

  /** A feed that begins behind what the follower needs is of no use to it. */
  async #begin(): Promise<void> {
    const { feed, log } = this.#parts;
    const follower = this.#follower;
    const first = feed.firstNumber(follower.reads);
    const needed = follower.position.number + 1;
    if (first > needed) {
      try {
        await this.#skip(first, needed);
      } catch (error) {
        this.#state = 'refused';
        throw error;
      }
    }
    const behind = this.#last - follower.position.number;
    this.#isFarBehind = behind > BEHIND_BLOCKS;
    if (!this.#isFarBehind) return;
    const { number: at } = follower.position;
    log.info('a follower of the chain catches up', { follower: follower.name, from: at + 1, to: this.#last });
  }

  async #skip(first: number, needed: number): Promise<void> {
    const { feed, log } = this.#parts;
    const follower = this.#follower;
    const { name, reads: part } = follower;
    check(follower.skipTo !== undefined, FOLLOWER_ERRORS.follower_needs_earlier, { name, needed, first, part });
    const place = { number: first - 1, id: feed.idOf(first - 1) ?? '' };
    const note = await follower.skipTo(place, this.#carriedAt(place));
    this.#checkStandsOn(place);
    log.info('a follower of the chain begins where its blocks do', {
      follower: name,
      from: first,
      ...(typeof note === 'string' ? { note } : {}),
    });
  }

  #carriedAt(place: BlockPlace): Carried | undefined {
    for (const name of this.#follower.beginsWith ?? []) {
      const found = this.#parts.carried?.(name, place);
      if (found !== undefined) return { name, ...found };
    }
    return undefined;
  }

  /** Asks the follower before it returns. */
  async carry(place: BlockPlace, writeFor: (name: string) => WriteCarried): Promise<void> {
    const follower = this.#follower;
    if (follower.carry === undefined) return;
    const { name } = follower;
    const isThere = !this.#isOver && (follower.position.number >= place.number || this.hurry());
    if (isThere && (await follower.carry(place, writeFor(name)))) return;
    this.#parts.log.warn('a snapshot is made without what a follower would go on with: it is not there yet', {
      follower: name,
      block: follower.position.number,
      snapshot: place.number,
    });
  }

  async #follow(): Promise<void> {
    const { clock } = this.#parts;
    let sliceEnd = clock.monotonicMs() + SLICE_MS;
    while (!this.#isOver) {
      const step = this.#step();
      if (step === 'nothing') {
        await this.#pause();
        sliceEnd = clock.monotonicMs() + SLICE_MS;
        continue;
      }
      if (step instanceof Promise) await step;
      if (clock.monotonicMs() < sliceEnd) continue;
      // Blocks may be large: what is settled of them can be stored, and need not be held until a hundred are there.
      const settling = this.#settle(this.#follower.position.number);
      if (settling instanceof Promise) await settling;
      await turn();
      sliceEnd = clock.monotonicMs() + SLICE_MS;
    }
  }

  /** Waits for the next change of the chain, and then for the end of what brought it. */
  async #pause(): Promise<void> {
    if (this.#state !== 'live') {
      this.#state = 'live';
      const { name, position } = this.#follower;
      if (this.#isFarBehind)
        this.#parts.log.info('a follower is at the head', { follower: name, block: position.number });
    }
    const woken = new Promise<void>((resolve) => (this.#wake = resolve));
    this.#tellWaiters();
    await woken;
    this.#wake = undefined;
    if (!this.#isClosing) await turn();
  }

  #tellWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const tell of waiters) tell();
  }

  /** Begins the one step that leads from where the follower stands towards the head. */
  #step(): Promise<void> | 'done' | 'nothing' {
    const { feed } = this.#parts;
    const { position } = this.#follower;
    // A node that has lost its newest blocks gets them again: those that nobody can undo are the same ones then.
    if (!this.#seesAll && position.number > feed.headNumber) return 'nothing';
    if (!feed.has(position)) return this.#undo(position);
    const settled = Math.min(this.#last, feed.settledNumber);
    if (this.#follower.advance !== undefined && settled - position.number >= ADVANCE_BLOCKS) {
      return this.#follower.advance(settled);
    }
    if (position.number < this.#last) return this.#apply(position.number + 1);
    return this.#settle(position.number);
  }

  #apply(number: number): Promise<void> | 'done' {
    const { feed, log } = this.#parts;
    const isMilestone = number % PROGRESS_BLOCKS === 0;
    if (isMilestone && this.#isFarBehind) {
      log.info('a follower catches up', { follower: this.#follower.name, block: number, of: feed.headNumber });
    }
    // On the way to a far head what is final is told now and then, so that it can be stored.
    return this.#after(this.#take(number), () => (number % SETTLE_BLOCKS === 0 ? this.#settle(number) : 'nothing'));
  }

  #take(number: number): void | Promise<void> {
    const { name } = this.#follower;
    const block = this.#parts.feed.read(number);
    check(block !== undefined, FOLLOWER_ERRORS.follower_block_missing, { name, number });
    const taken = this.#follower.apply(block);
    const { reads, records } = this.#follower;
    if (records === undefined) {
      this.#records += reads === 'operations' ? block.operations.length : block.block.transactions.length;
    }
    if (taken instanceof Promise) return taken.then(() => this.#checkStandsOn(block));
    this.#checkStandsOn(block);
  }

  #undo(place: BlockPlace): Promise<void> | 'done' {
    const { name } = this.#follower;
    const { number, id } = place;
    const isOpen = this.#seesAll && number > this.#settled;
    check(isOpen, FOLLOWER_ERRORS.follower_other_chain, { name, number, id });
    return this.#after(this.#follower.undo(place), () => {
      const isMoved = this.#follower.position.number < number;
      check(isMoved, FOLLOWER_ERRORS.follower_other_chain, { name, number, id });
      return 'nothing';
    });
  }

  #settle(number: number): Promise<void> | 'done' | 'nothing' {
    const upTo = this.#seesAll ? Math.min(number, this.#parts.feed.settledNumber) : number;
    if (upTo <= this.#settled) return 'nothing';
    this.#settled = upTo;
    return this.#after(this.#follower.settle(upTo), () => 'nothing');
  }

  /** Goes on at once where nothing has to be waited for. */
  #after(result: void | Promise<void>, then: () => Promise<void> | 'done' | 'nothing'): Promise<void> | 'done' {
    if (!(result instanceof Promise)) {
      const next = then();
      return next instanceof Promise ? next : 'done';
    }
    return result.then(async () => {
      await then();
    });
  }

  #checkStandsOn({ number, id }: BlockPlace): void {
    const { name, position } = this.#follower;
    const stands = position.number === number && position.id === id;
    check(stands, FOLLOWER_ERRORS.follower_did_not_move, () => ({ name, number, id, found: placeText(position) }));
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.#isClosing = true;
    this.#wake?.();
    await this.#running;
    if (this.#state !== 'failed' && this.#state !== 'refused') this.#state = 'closed';
    await this.#follower.close();
  }
}
