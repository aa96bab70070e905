import { historyAccounts } from '../../src/operations/impact.js';
import type { BlockPlace, FeedOperation } from '../../src/plugin/follower.js';
import type { Instance } from '../../src/protocol/ids.js';

/** How many entries the history of an account has, and its newest one: 2.9.`newest`, 0 for none. */
export interface Count {
  readonly entries: number;
  readonly newest: number;
}

/** One operation in the history of one account: 2.9.`id`. */
export interface Entry {
  readonly id: number;
  readonly account: Instance;
  readonly sequence: number;
  readonly next: number;
}

/** What a run of blocks made of one account's count. */
export interface CountChange {
  readonly account: Instance;
  /** The first block of the run that changed it. */
  readonly first: number;
  readonly before: Count;
  readonly after: Count;
}

interface NumberedBlock {
  readonly place: BlockPlace;
  /** First entry of the block, and of the one behind it. */
  readonly from: number;
  readonly to: number;
  readonly before: ReadonlyMap<Instance, Count>;
}

export const NO_COUNT: Count = { entries: 0, newest: 0 };

/** Accounts that are remembered; those whose change is not stored yet come on top. */
const ACCOUNTS_KEPT = 200_000;

/**
 * Numbers account histories as the reference does: entries 2.9 over the whole chain, sequences per account. Counts are
 * stored elsewhere; here are those in use, and how to take blocks back that are not stored yet.
 */
export class Numbering {
  readonly #counts = new Map<Instance, Count>();
  readonly #kept: number;
  #blocks: NumberedBlock[] = [];
  #stored: BlockPlace;
  #next: number;

  constructor(stored: BlockPlace, next: number, kept = ACCOUNTS_KEPT) {
    this.#stored = stored;
    this.#next = next;
    this.#kept = kept;
  }

  get position(): BlockPlace {
    return this.#blocks.at(-1)?.place ?? this.#stored;
  }

  /** Number of the entry that is made next. */
  get next(): number {
    return this.#next;
  }

  /** Blocks that are not stored. */
  get openBlocks(): number {
    return this.#blocks.length;
  }

  /** Accounts of these operations whose count has to be handed in before they are numbered. */
  unknown(operations: readonly FeedOperation[]): Instance[] {
    const out = new Set<Instance>();
    for (const { operation, result } of operations) {
      for (const account of historyAccounts(operation, result)) if (!this.#counts.has(account)) out.add(account);
    }
    return [...out];
  }

  learn(account: Instance, count: Count | undefined): void {
    this.#counts.set(account, count ?? NO_COUNT);
  }

  /** Numbers a block; `take` gets every entry, in order, with the operation that made it. */
  *number(place: BlockPlace, operations: readonly FeedOperation[]): Generator<readonly [Entry, FeedOperation]> {
    const from = this.#next;
    const before = new Map<Instance, Count>();
    for (const one of operations) {
      for (const account of historyAccounts(one.operation, one.result)) {
        const count = this.#counts.get(account) ?? NO_COUNT;
        if (!before.has(account)) before.set(account, count);
        const entry = { id: this.#next++, account, sequence: count.entries + 1, next: count.newest };
        // What was used last is forgotten last.
        this.#counts.delete(account);
        this.#counts.set(account, { entries: entry.sequence, newest: entry.id });
        yield [entry, one];
      }
    }
    this.#blocks.push({ place, from, to: this.#next, before });
  }

  /** Takes the newest block back. What it had numbered is numbered again by the next one. */
  undo(): { readonly from: number; readonly to: number } {
    const block = this.#blocks.pop();
    if (block === undefined) throw new Error('only blocks that are not stored are taken back');
    for (const [account, count] of block.before) this.#counts.set(account, count);
    this.#next = block.from;
    return block;
  }

  /** What the blocks up to this one, as far as they are not stored, have changed; and the entry that came next. */
  changesUpTo(number: number): { readonly place: BlockPlace; readonly next: number; readonly changes: CountChange[] } {
    const later = new Map<Instance, Count>();
    const stays = this.#blocks.filter(({ place }) => place.number <= number);
    for (const { before } of this.#blocks.slice(stays.length).reverse()) {
      for (const [account, count] of before) later.set(account, count);
    }
    const changes = new Map<Instance, CountChange>();
    for (const { place, before } of stays) {
      for (const [account, count] of before) {
        if (changes.has(account)) continue;
        const after = later.get(account) ?? this.#counts.get(account) ?? NO_COUNT;
        changes.set(account, { account, first: place.number, before: count, after });
      }
    }
    const last = stays.at(-1);
    return { place: last?.place ?? this.#stored, next: last?.to ?? this.#firstOpen, changes: [...changes.values()] };
  }

  get #firstOpen(): number {
    return this.#blocks[0]?.from ?? this.#next;
  }

  /** The blocks up to this one are stored: they cannot be taken back. */
  stored(place: BlockPlace): void {
    this.#stored = place;
    this.#blocks = this.#blocks.filter((block) => block.place.number > place.number);
    if (this.#counts.size <= this.#kept) return;
    const inUse = new Set(this.#blocks.flatMap(({ before }) => [...before.keys()]));
    for (const account of this.#counts.keys()) {
      if (this.#counts.size <= this.#kept) break;
      if (!inUse.has(account)) this.#counts.delete(account);
    }
  }
}
