import type { ItemHash, ItemType } from '../wire/messages.js';
import { HashLog } from './hash-log.js';
import type { WantedCounts } from './wanted-items.js';

/** What one peer and this node have told each other of new items. */
export class PeerGossip {
  /** Announced by it. */
  readonly offered = new HashLog();
  /** Announced to it. */
  readonly told = new HashLog();
  /** Asked of it and not here yet. */
  readonly requests = new Map<ItemHash, { readonly type: ItemType; readonly atMs: number }>();
  readonly wanted: WantedCounts = { 1000: 0, 1001: 0 };
  /** What it has offered and somebody has to fetch, in order; entries that are done with are passed over. */
  readonly queues: Readonly<Record<ItemType, Queue>> = { 1000: new Queue(), 1001: new Queue() };

  /** What was announced before that moment counts no more: both sides may have forgotten it. */
  dropBefore(ms: number): void {
    this.offered.dropBefore(ms);
    this.told.dropBefore(ms);
  }
}

/** First in, first out. */
class Queue {
  #items: ItemHash[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  /** At most `max` wait: whoever is asked for something all the time may announce more than is ever asked for. */
  put(item: ItemHash, max: number): void {
    this.#items.push(item);
    while (this.length > max) this.take();
  }

  take(): ItemHash | undefined {
    const item = this.#items[this.#first];
    if (item === undefined) return undefined;
    this.#first++;
    if (this.#first > 1024 && 2 * this.#first > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
