import { P2P_LIMITS } from '../limits.js';
import type { ItemHash, ItemType } from '../wire/messages.js';

/** How many of the items that this node lacks one peer was the first to announce. */
export type WantedCounts = Record<ItemType, number>;

interface WantedItem {
  readonly type: ItemType;
  /** Of who has announced it first. Not the peer itself: it may go, and all it has announced with it. */
  readonly by: WantedCounts;
  atMs: number;
  /** Of the peer that was asked for it. */
  askedOf: number | undefined;
}

/** What peers have announced and this node lacks, bounded for each type. */
export class WantedItems {
  readonly #items = new Map<ItemHash, WantedItem>();
  readonly #counts: WantedCounts = { 1000: 0, 1001: 0 };

  get size(): number {
    return this.#items.size;
  }

  get(hash: ItemHash): WantedItem | undefined {
    return this.#items.get(hash);
  }

  /**
   * False: there is no room for it. Nobody has more than what is free then, so that one alone fills half of the room, a
   * second one half of what is left, and there is some for those who announce what they have.
   */
  add(type: ItemType, hash: ItemHash, by: WantedCounts, atMs: number): boolean {
    if (by[type] >= P2P_LIMITS.wanted_max - this.#counts[type]) return false;
    this.#items.set(hash, { type, by, atMs, askedOf: undefined });
    this.#counts[type]++;
    by[type]++;
    return true;
  }

  delete(hash: ItemHash): void {
    const item = this.#items.get(hash);
    if (item === undefined) return;
    this.#items.delete(hash);
    this.#counts[item.type]--;
    item.by[item.type]--;
  }

  /** Forgets what nobody was asked for who has it. */
  dropBefore(ms: number): void {
    for (const [hash, { atMs, askedOf }] of this.#items) if (askedOf === undefined && atMs < ms) this.delete(hash);
  }
}
