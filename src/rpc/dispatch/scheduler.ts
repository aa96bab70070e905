import { check } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import type { Room } from '../../http/memory-budget.js';
import { RPC_ERRORS } from '../errors.js';
import type { Pieces } from '../pieces/pieces.js';

/**
 * Gives every connection its share of the main thread. Work is done in pieces. What arrives while there is time in this
 * turn of the event loop begins at once; everything else waits in its connection's lane, and the lanes take turns, first
 * by address, then by connection. Between two turns of the loop the node does its other work, such as blocks.
 */
export interface SchedulerLimits {
  /** Work on requests in one turn of the event loop. */
  readonly turn_ms: number;
  /** One lane's part of it, if others wait. */
  readonly piece_ms: number;
  /** Characters or bytes of all requests that wait. A single one may have more. */
  readonly queue_bytes_max: number;
  /** Requests above this are large: they take so much memory while they are read that only one is at work at a time. */
  readonly large_bytes: number;
}

const SCHEDULER_LIMITS: SchedulerLimits = {
  turn_ms: 10,
  piece_ms: 5,
  queue_bytes_max: 128_000_000,
  large_bytes: 262_144,
};

/** Where there is no room to wait, only what is as small as this begins: it may not be done at once, and then it waits. */
const SMALL_BYTES = 8192;

interface Job {
  readonly work: Pieces<unknown>;
  readonly bytes: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What one connection has asked for and did not get yet, in the order of asking. */
export class Lane {
  readonly address: string;
  readonly jobs: Job[] = [];
  /** In the list of its address, or with those that wait for the place of the large ones. */
  isQueued = false;
  isDropped = false;

  constructor(address: string) {
    this.address = address;
  }
}

export class Scheduler {
  readonly #clock: Clock;
  readonly #limits: SchedulerLimits;
  /** Lanes with something to do, by address; the addresses are in the order of their turns. */
  readonly #ready = new Map<string, Lane[]>();
  /** The job that has the place for large ones. */
  #large: Job | undefined;
  readonly #waitForLarge: Lane[] = [];
  readonly #room: Room | undefined;
  #queuedBytes = 0;
  #queuedJobs = 0;
  #spentMs = 0;
  #hasTurn = false;

  constructor(clock: Clock, limits: Partial<SchedulerLimits> = {}, room?: Room) {
    this.#clock = clock;
    this.#room = room;
    this.#limits = { ...SCHEDULER_LIMITS, ...limits };
  }

  /** Requests that wait for their turn or are at work. */
  get waiting(): number {
    return this.#queuedJobs;
  }

  get waitingBytes(): number {
    return this.#queuedBytes;
  }

  /**
   * Answers at once where the lane is empty and there is time; refuses where there is no room to wait, and then nothing
   * was done. Work of no bytes goes on with what was let in before, and is never refused.
   */
  run<T>(lane: Lane, work: Pieces<T>, bytes: number): T | Promise<T> {
    this.#askForTurn();
    const { turn_ms, large_bytes, queue_bytes_max } = this.#limits;
    const fits = this.#queuedJobs === 0 || this.#queuedBytes + bytes <= queue_bytes_max;
    const hasTime = lane.jobs.length === 0 && this.#spentMs < turn_ms;
    const beginsNow = hasTime && bytes <= (fits ? large_bytes : SMALL_BYTES);
    if (beginsNow) {
      const done = this.#step(work, turn_ms - this.#spentMs);
      if (done !== undefined) return done.value;
    }
    // What has begun may have changed something and is not refused any more. A connection has one such at most.
    const isAlways = beginsNow || bytes === 0 || this.#queuedJobs === 0;
    check((isAlways || fits) && this.#room?.take(bytes, isAlways) !== false, RPC_ERRORS.rpc_queue_full);
    return new Promise<T>((resolve, reject) => {
      lane.jobs.push({ work, bytes, resolve: resolve as (value: unknown) => void, reject });
      this.#queuedBytes += bytes;
      this.#queuedJobs++;
      this.#enqueue(lane);
    });
  }

  /** What a connection that has gone asked for is not done any more; who waits for it is told `undefined`. */
  #drop(lane: Lane): void {
    for (const job of lane.jobs.splice(0)) {
      // Blocks of `finally` in it run.
      job.work.return(undefined);
      this.#end(job);
      job.resolve(undefined);
    }
  }

  #askForTurn(): void {
    if (this.#hasTurn) return;
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      this.#spentMs = 0;
      this.#turn();
    });
  }

  #enqueue(lane: Lane): void {
    if (lane.isQueued || lane.jobs.length === 0) return;
    lane.isQueued = true;
    const job = lane.jobs[0] as Job;
    if (job.bytes > this.#limits.large_bytes && this.#large !== job) {
      if (this.#large !== undefined) {
        this.#waitForLarge.push(lane);
        return;
      }
      this.#large = job;
    }
    const lanes = this.#ready.get(lane.address);
    if (lanes === undefined) this.#ready.set(lane.address, [lane]);
    else lanes.push(lane);
    this.#askForTurn();
  }

  #turn(): void {
    const { turn_ms, piece_ms } = this.#limits;
    while (this.#spentMs < turn_ms) {
      const next = this.#ready.entries().next();
      if (next.done === true) return;
      const [address, lanes] = next.value;
      const lane = lanes.shift() as Lane;
      this.#ready.delete(address);
      if (lanes.length > 0) this.#ready.set(address, lanes);
      lane.isQueued = false;
      const job = lane.jobs[0];
      if (lane.isDropped) this.#drop(lane);
      else if (job !== undefined) this.#advance(lane, job, Math.min(piece_ms, turn_ms - this.#spentMs));
      this.#enqueue(lane);
    }
    if (this.#ready.size > 0) this.#askForTurn();
  }

  #advance(lane: Lane, job: Job, ms: number): void {
    try {
      const done = this.#step(job.work, ms);
      if (done === undefined) return;
      job.resolve(done.value);
    } catch (error) {
      job.reject(error);
    }
    lane.jobs.shift();
    this.#end(job);
  }

  /** Goes on with the work for some time and at least to the next place where it can be left; undefined: not done. */
  #step<T>(work: Pieces<T>, ms: number): { readonly value: T } | undefined {
    const start = this.#clock.monotonicMs();
    let now = start;
    try {
      do {
        const step = work.next();
        if (step.done === true) return { value: step.value };
        now = this.#clock.monotonicMs();
      } while (now - start < ms);
      return undefined;
    } finally {
      this.#spentMs += this.#clock.monotonicMs() - start;
    }
  }

  #end(job: Job): void {
    this.#queuedBytes -= job.bytes;
    this.#room?.give(job.bytes);
    this.#queuedJobs--;
    if (this.#large !== job) return;
    this.#large = undefined;
    // A lane that was dropped meanwhile does not take the place.
    while (this.#large === undefined) {
      const next = this.#waitForLarge.shift();
      if (next === undefined) return;
      next.isQueued = false;
      this.#enqueue(next);
    }
  }
}
