import { forgetOldest } from '../../src/base/forget-oldest.js';
import type { BlockId } from '../../src/crypto/digests.js';
import { historyAccounts } from '../../src/operations/impact.js';
import type { KeyValueChange, KeyValueStore } from '../../src/plugin/api.js';
import {
  type BlockPlace,
  type FeedBlock,
  type FeedOperation,
  type Follower,
  NO_BLOCK,
} from '../../src/plugin/follower.js';
import type { Instance } from '../../src/protocol/ids.js';
import {
  type Counts,
  CURSOR_KEY,
  type Cursor,
  countsKey,
  type Entry,
  entryIdKey,
  entryKey,
  FORMAT,
  type KeptOperation,
  NOTHING,
  operationKey,
  packCounts,
  packCursor,
  packEntry,
  packEntryPlace,
  packOperation,
  sequenceOfTypeKey,
  typeKey,
  unpackCounts,
  unpackEntry,
  unpackEntryPlace,
  unpackOperation,
} from './records.js';

export interface HistoryOptions {
  /** Only accounts that are named; undefined: all. */
  readonly accounts: ReadonlySet<Instance> | undefined;
  /** Operations that each account keeps. */
  readonly operationsMax: number;
  /** Operations are kept only as long as an account keeps them. */
  readonly isPartial: boolean;
}

/** What decides about the data, as it stands in the cursor. */
export function optionsText({ accounts, operationsMax, isPartial }: HistoryOptions): string {
  const named = accounts === undefined ? 'all' : [...accounts].sort((a, b) => a - b).join();
  return `accounts ${named}, operations ${operationsMax}, ${isPartial ? 'partial' : 'whole'}`;
}

/** Everything that a block did to the history, for as long as it may be undone or waits for the disk. */
export interface TakenBlock extends BlockPlace {
  readonly entries: Entry[];
  readonly operations: KeptOperation[];
  readonly removedEntries: Entry[];
  readonly removedOperations: KeptOperation[];
  /** Counts that the block has changed. */
  readonly before: Map<Instance, Counts>;
  readonly after: Map<Instance, Counts>;
  /** Instance of the first entry that it made, or would have made. */
  readonly firstEntry: Instance;
}

/** Of an account of which nothing is known. */
const NONE: Counts = { total: 0, removed: 0, recent: 0 };

/** Blocks that stay, or records of them, that are written together. */
const WRITE_BLOCKS = 20;
const WRITE_RECORDS = 5000;

const TYPE_MAX = 255;

/** Accounts whose counts are kept in memory although they are on the disk. */
const COUNTS_MAX = 50_000;

/**
 * Histories of accounts: what each of them did, numbered as the reference numbers it, on the disk. Only blocks that stay
 * are written, in one batch with the cursor; those behind them lie over it in memory, and can be taken back.
 */
export class AccountHistory implements Follower {
  readonly name = 'account_history';
  readonly reads = 'operations';
  readonly #kv: KeyValueStore;
  readonly #options: HistoryOptions;
  readonly #chain: string;
  /** Behind the stored ones, in order. */
  #blocks: TakenBlock[] = [];
  #stored: BlockPlace;
  #from: number;
  #settled: number;
  #nextEntry: Instance;
  #waitingRecords = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  /** What the blocks in memory have changed. */
  readonly #counts = new Map<Instance, Counts>();
  readonly #entries = new Map<Instance, Entry[]>();
  readonly #entriesById = new Map<Instance, Entry>();
  readonly #operations = new Map<Instance, KeptOperation>();
  readonly #removedOperations = new Set<Instance>();
  /** As they are on the disk. */
  readonly #storedCounts = new Map<Instance, Counts>();

  /** `cursor`: what the store says of itself, undefined for an empty one. */
  constructor(kv: KeyValueStore, chain: string, options: HistoryOptions, cursor: Cursor | undefined) {
    this.#kv = kv;
    this.#chain = chain;
    this.#options = options;
    this.#stored = cursor?.place ?? NO_BLOCK;
    this.#settled = this.#stored.number;
    this.#nextEntry = cursor?.nextEntry ?? 0;
    this.#from = cursor?.from ?? 1;
  }

  get position(): BlockPlace {
    const { number, id } = this.#blocks.at(-1) ?? this.#stored;
    return { number, id };
  }

  /** The first block whose operations are here. */
  get from(): number {
    return this.#from;
  }

  skipTo(place: BlockPlace): void {
    this.#stored = place;
    this.#settled = place.number;
    this.#from = place.number + 1;
  }

  apply({ number, id, operations }: FeedBlock): void {
    const block: TakenBlock = {
      number,
      id,
      entries: [],
      operations: [],
      removedEntries: [],
      removedOperations: [],
      before: new Map(),
      after: new Map(),
      firstEntry: this.#nextEntry,
    };
    this.#blocks.push(block);
    for (const operation of operations) this.#take(block, operation);
    this.#waitingRecords += block.entries.length + block.operations.length;
  }

  #take(block: TakenBlock, operation: FeedOperation): void {
    const { operationsMax, isPartial } = this.#options;
    const accounts = operationsMax === 0 ? [] : this.#accountsOf(operation);
    if (accounts.length === 0 && isPartial) return;
    const kept = { ...operation, block: block.number };
    block.operations.push(kept);
    this.#operations.set(kept.instance, kept);
    for (const account of accounts) this.#add(block, account, kept);
  }

  #accountsOf({ operation, result }: FeedOperation): readonly Instance[] {
    const { accounts } = this.#options;
    const all = historyAccounts(operation, result);
    return accounts === undefined ? all : all.filter((one) => accounts.has(one));
  }

  #add(block: TakenBlock, account: Instance, { instance: operation, operation: [type] }: KeptOperation): void {
    const before = this.#countsOf(account);
    const sequence = before.total + 1;
    const entry: Entry = { instance: this.#nextEntry++, account, sequence, operation, type };
    block.entries.push(entry);
    this.#entriesById.set(entry.instance, entry);
    const list = this.#entries.get(account);
    if (list === undefined) this.#entries.set(account, [entry]);
    else list.push(entry);
    this.#setCounts(block, account, { total: sequence, removed: before.removed, recent: entry.instance });
    // Quirk: one at a time, so that a history that was longer under another limit would stay so.
    if (sequence - before.removed > this.#options.operationsMax) this.#removeOldest(block, account);
  }

  #setCounts(block: TakenBlock, account: Instance, counts: Counts): void {
    if (!block.before.has(account)) block.before.set(account, this.#countsOf(account));
    block.after.set(account, counts);
    this.#counts.set(account, counts);
  }

  #removeOldest(block: TakenBlock, account: Instance): void {
    const { total, removed, recent } = this.#countsOf(account);
    const entry = this.#entryAt(account, removed + 1);
    this.#setCounts(block, account, { total, removed: removed + 1, recent });
    // Behind a snapshot there may be none.
    if (entry === undefined) return;
    block.removedEntries.push(entry);
    const kept = this.#options.isPartial ? this.#operation(entry.operation) : undefined;
    if (kept === undefined || this.#accountsOf(kept).some((one) => this.#holds(one, kept.instance))) return;
    block.removedOperations.push(kept);
    this.#removedOperations.add(kept.instance);
  }

  /** Whether an account that the operation concerns still has it in its history: the oldest ones go first. */
  #holds(account: Instance, operation: Instance): boolean {
    const { total, removed } = this.#countsOf(account);
    if (removed === total) return false;
    const oldest = this.#entryAt(account, removed + 1);
    return oldest === undefined || oldest.operation <= operation;
  }

  undo(): void {
    const block = this.#blocks.pop();
    if (block === undefined) return;
    this.#waitingRecords -= block.entries.length + block.operations.length;
    this.#nextEntry = block.firstEntry;
    for (const { instance } of block.operations) this.#operations.delete(instance);
    for (const { instance } of block.removedOperations) this.#removedOperations.delete(instance);
    for (const { instance, account } of block.entries) {
      this.#entriesById.delete(instance);
      const list = this.#entries.get(account) as Entry[];
      if (list.length === 1) this.#entries.delete(account);
      else list.pop();
    }
    for (const [account, counts] of block.before) {
      if (this.#storedCounts.get(account) === counts) this.#counts.delete(account);
      else this.#counts.set(account, counts);
    }
  }

  /** Writes in the background when enough has come together; whoever is faster than that has to wait. */
  settle(number: number): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#settled = Math.max(this.#settled, Math.min(number, this.position.number));
    if (!this.#isDue(1)) return undefined;
    const writing = this.#writing ?? this.flush();
    if (this.#isDue(2)) return writing;
    writing.catch(() => undefined);
    return undefined;
  }

  #isDue(times: number): boolean {
    if (this.#settled <= this.#stored.number) return false;
    const isMany = this.#waitingRecords >= times * WRITE_RECORDS;
    return isMany || this.#settled - this.#stored.number >= times * WRITE_BLOCKS;
  }

  /** Writes all blocks that stay. */
  async flush(): Promise<void> {
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#settled <= this.#stored.number) return;
    this.#writing = this.#write(this.#settled)
      .catch((error: unknown) => {
        this.#failure = { error };
        throw error;
      })
      .finally(() => {
        this.#writing = undefined;
      });
    await this.#writing;
  }

  async #write(upTo: number): Promise<void> {
    const count = this.#blocks.findLastIndex(({ number }) => number <= upTo) + 1;
    const blocks = this.#blocks.slice(0, count);
    const last = blocks.at(-1);
    if (last === undefined) return;
    const counts = new Map(blocks.flatMap(({ after }) => [...after]));
    const nextEntry = this.#blocks[count]?.firstEntry ?? this.#nextEntry;
    const place = { number: last.number, id: last.id };
    const batch = changesOf(blocks, counts);
    batch.push({ key: CURSOR_KEY, value: packCursor(this.#cursor(place, nextEntry)) });
    await this.#kv.write(batch);
    this.#stored = place;
    this.#blocks = this.#blocks.slice(count);
    this.#forget(blocks, counts);
  }

  #cursor(place: BlockPlace, nextEntry: Instance): Cursor {
    const { number, id } = place;
    const options = optionsText(this.#options);
    return { format: FORMAT, chain: this.#chain, options, place: { number, id }, nextEntry, from: this.#from };
  }

  /** What is on the disk now need not be in memory any more. */
  #forget(blocks: readonly TakenBlock[], counts: ReadonlyMap<Instance, Counts>): void {
    const written = new Map<Instance, number>();
    for (const block of blocks) {
      this.#waitingRecords -= block.entries.length + block.operations.length;
      for (const { instance } of block.operations) this.#operations.delete(instance);
      for (const { instance } of block.removedOperations) this.#removedOperations.delete(instance);
      for (const { instance, account } of block.entries) {
        this.#entriesById.delete(instance);
        written.set(account, (written.get(account) ?? 0) + 1);
      }
    }
    for (const [account, number] of written) {
      const list = this.#entries.get(account) as Entry[];
      if (list.length === number) this.#entries.delete(account);
      else list.splice(0, number);
    }
    for (const [account, stored] of counts) {
      this.#storedCounts.delete(account);
      this.#storedCounts.set(account, stored);
      if (this.#counts.get(account) === stored) this.#counts.delete(account);
    }
    forgetOldest(this.#storedCounts, COUNTS_MAX);
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.flush();
    } finally {
      await this.#kv.close();
    }
  }

  #countsOf(account: Instance): Counts {
    const known = this.#counts.get(account) ?? this.#storedCounts.get(account);
    if (known !== undefined) return known;
    const bytes = this.#kv.get(countsKey(account));
    const counts = bytes === undefined ? NONE : unpackCounts(bytes);
    this.#storedCounts.set(account, counts);
    forgetOldest(this.#storedCounts, COUNTS_MAX);
    return counts;
  }

  #entryAt(account: Instance, sequence: number): Entry | undefined {
    const list = this.#entries.get(account);
    const first = list?.[0]?.sequence;
    if (first !== undefined && sequence >= first) return list?.[sequence - first];
    const bytes = this.#kv.get(entryKey(account, sequence));
    return bytes === undefined ? undefined : unpackEntry(account, sequence, bytes);
  }

  #operation(instance: Instance): KeptOperation | undefined {
    if (this.#removedOperations.has(instance)) return undefined;
    const recent = this.#operations.get(instance);
    if (recent !== undefined) return recent;
    const bytes = this.#kv.get(operationKey(instance));
    return bytes === undefined ? undefined : unpackOperation(instance, bytes);
  }

  /** Zeros for an account that has no history. */
  countsOf(account: Instance): Counts {
    return this.#countsOf(account);
  }

  /** Undefined for what was removed, or was there before the history began. */
  entryAt(account: Instance, sequence: number): Entry | undefined {
    const { total, removed } = this.#countsOf(account);
    return sequence > removed && sequence <= total ? this.#entryAt(account, sequence) : undefined;
  }

  entry(instance: Instance): Entry | undefined {
    if (instance >= this.#nextEntry) return undefined;
    const recent = this.#entriesById.get(instance);
    if (recent !== undefined) return this.entryAt(recent.account, recent.sequence);
    const bytes = this.#kv.get(entryIdKey(instance));
    if (bytes === undefined) return undefined;
    const { account, sequence } = unpackEntryPlace(bytes);
    return this.entryAt(account, sequence);
  }

  /** The entry before; 0 where there is none, or none any more. */
  next({ account, sequence }: Entry): Instance {
    return this.entryAt(account, sequence - 1)?.instance ?? 0;
  }

  operation(instance: Instance): KeptOperation | undefined {
    return this.#operation(instance);
  }

  /** The last position in the account's history whose operation is this one or an earlier one; 0 when there is none. */
  sequenceAt(account: Instance, operation: Instance): number {
    const { total, removed } = this.#countsOf(account);
    let [low, high] = [removed, total];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const entry = this.#entryAt(account, middle);
      if (entry === undefined || entry.operation <= operation) low = middle;
      else high = middle - 1;
    }
    return low === removed ? 0 : low;
  }

  /** Positions of operations of this type, at most `count`, the newest first, from `newest` down. */
  async ofType(account: Instance, type: number, newest: number, count: number): Promise<readonly number[]> {
    const list = this.#entries.get(account) ?? [];
    const found = list
      .filter((entry) => entry.type === type && entry.sequence <= newest)
      .map(({ sequence }) => sequence);
    const out = found.reverse().slice(0, count);
    if (out.length === count) return out;
    // Keys have one byte for it.
    if (type < 0 || type > TYPE_MAX) return out;
    const { removed } = this.#countsOf(account);
    const end = Math.min(newest + 1, list[0]?.sequence ?? Number.POSITIVE_INFINITY);
    if (end <= removed + 1) return out;
    const stored = await this.#kv.newest(
      typeKey(account, type, removed + 1),
      typeKey(account, type, end),
      count - out.length,
    );
    return [...out, ...stored.map(([key]) => sequenceOfTypeKey(key))];
  }

  /** What a block of the newest ones did; the counts it has left are those of now. */
  taken(id: BlockId): TakenBlock | undefined {
    return this.#blocks.findLast((block) => block.id === id);
  }
}

function changesOf(blocks: readonly TakenBlock[], counts: ReadonlyMap<Instance, Counts>): KeyValueChange[] {
  const batch: KeyValueChange[] = [];
  for (const { entries, operations, removedEntries, removedOperations } of blocks) {
    for (const operation of operations) {
      batch.push({ key: operationKey(operation.instance), value: packOperation(operation) });
    }
    for (const entry of entries) {
      batch.push({ key: entryKey(entry.account, entry.sequence), value: packEntry(entry) });
      batch.push({ key: entryIdKey(entry.instance), value: packEntryPlace(entry) });
      batch.push({ key: typeKey(entry.account, entry.type, entry.sequence), value: NOTHING });
    }
    for (const { account, sequence, instance, type } of removedEntries) {
      for (const key of [entryKey(account, sequence), entryIdKey(instance), typeKey(account, type, sequence)]) {
        batch.push({ key, value: undefined });
      }
    }
    for (const { instance } of removedOperations) batch.push({ key: operationKey(instance), value: undefined });
  }
  for (const [account, one] of counts) batch.push({ key: countsKey(account), value: packCounts(one) });
  return batch;
}
