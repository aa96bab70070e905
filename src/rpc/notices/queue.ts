import type { Clock, Logger } from '../../base/world.js';
import type { ClientSession } from '../client-session.js';
import type { Pieces } from '../pieces/pieces.js';

/** Sends notices, and can be left behind each of them. */
export type Notices = Pieces<void>;

/** Work on notices in one turn of the event loop. */
const TURN_MS = 10;
/** With more that waits, whoever brings more waits for the oldest: a transaction counts as one, as it waits anyway. */
const WEIGHT_MAX = 10_000;
/** A block with copies of what it has changed. */
const BLOCK_WEIGHT = 150;

interface Waiting {
  readonly notices: Notices;
  readonly weight: number;
}

/**
 * What clients are told, in its order. A thousand clients who want to hear of everything are told in as many turns of the
 * event loop as it takes: between them the node does its other work.
 *
 * What blocks give notice of waits until the chain has tried again what waits for a block. The reference tells first
 * which transactions wait once more and then of the blocks; clients of both have to find the same order.
 */
export class NoticeQueue {
  readonly #clock: Clock;
  readonly #log: Logger;
  #ofBlocks: Notices[] = [];
  readonly #waiting: Waiting[] = [];
  #weight = 0;
  #spentMs = 0;
  #hasTurn = false;
  #isRunning = false;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Logger }) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Blocks and transactions of which not everybody has been told. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Of a block, for `send`. */
  add(notices: Notices): void {
    this.#ofBlocks.push(notices);
  }

  send(): void {
    const blocks = this.#ofBlocks;
    if (blocks.length === 0) return;
    this.#ofBlocks = [];
    this.#put(inTheirOrder(blocks), BLOCK_WEIGHT);
  }

  tell(notices: Notices): void {
    this.#put(notices, 1);
  }

  close(): void {
    this.#ofBlocks = [];
    this.#waiting.length = 0;
    this.#weight = 0;
  }

  #put(notices: Notices, weight: number): void {
    this.#waiting.push({ notices, weight });
    this.#weight += weight;
    this.#run();
  }

  #run(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const before = this.#spentMs;
    const start = this.#clock.monotonicMs();
    let first = this.#waiting[0];
    while (first !== undefined && (this.#spentMs < TURN_MS || this.#weight > WEIGHT_MAX)) {
      this.#step(first);
      this.#spentMs = before + this.#clock.monotonicMs() - start;
      first = this.#waiting[0];
    }
    this.#isRunning = false;
    this.#askForTurn();
  }

  #step({ notices, weight }: Waiting): void {
    try {
      if (notices.next().done !== true) return;
    } catch (error) {
      this.#log.error('notices met a bug', { error });
    }
    this.#waiting.shift();
    this.#weight -= weight;
  }

  #askForTurn(): void {
    if (this.#hasTurn) return;
    this.#hasTurn = true;
    setImmediate(() => {
      this.#hasTurn = false;
      this.#spentMs = 0;
      if (this.#waiting.length > 0) this.#run();
    });
  }
}

function* inTheirOrder(all: readonly Notices[]): Notices {
  for (const notices of all) yield* notices;
}

/** Somebody who is told of something through one of its callbacks. */
export interface Listener {
  readonly session: ClientSession;
  readonly callback: bigint;
}

/** All of them are told the same. */
export function* noticesFor(listeners: Iterable<Listener>, argument: string): Notices {
  for (const { session, callback } of listeners) {
    session.notifyText(callback, argument);
    yield;
  }
}
