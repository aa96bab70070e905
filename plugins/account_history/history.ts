import { forgetOldest } from '../../src/base/forget-oldest.js';
import type { BlockId } from '../../src/crypto/digests.js';
import { historyAccounts } from '../../src/operations/impact.js';
import type { KeyValue, KeyValueChange } from '../../src/plugin/api.js';
import { CARRIED_COUNTS, readCarriedCount } from '../../src/plugin/carried-counts.js';
import type { Carried, FeedBlock, FeedOperation } from '../../src/plugin/follower.js';
import { type CarriedPart, type StoredData, StoredFollower, type Taken } from '../../src/plugin/stored-follower.js';
import type { Instance } from '../../src/protocol/ids.js';
import {
  type Counts,
  countsKey,
  type Entry,
  earlierKey,
  entryIdKey,
  entryKey,
  type KeptOperation,
  operationKey,
  PRESENT,
  packCounts,
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

const accountsText = ({ accounts }: HistoryOptions): string =>
  accounts === undefined ? 'all' : [...accounts].sort((a, b) => a - b).join();

/** What decides about the data, as it stands in the cursor. */
export function optionsText(options: HistoryOptions): string {
  const { operationsMax, isPartial } = options;
  return `accounts ${accountsText(options)}, operations ${operationsMax}, ${isPartial ? 'partial' : 'whole'}`;
}

/** Everything that a block did to the history, for as long as it may be undone or waits for the disk. */
export interface TakenBlock extends Taken {
  records: number;
  readonly entries: Entry[];
  readonly operations: KeptOperation[];
  readonly removedEntries: Entry[];
  readonly removedOperations: KeptOperation[];
  /** Counts that the block has changed. */
  readonly before: Map<Instance, Counts>;
  readonly after: Map<Instance, Counts>;
}

/** Of an account of which nothing is known. */
const NONE: Counts = { total: 0, removed: 0, recent: 0 };

const TYPE_MAX = 255;

/** Accounts whose counts are kept in memory although they are on the disk. */
const COUNTS_MAX = 50_000;

/** Histories of accounts: what each of them did, numbered as the reference numbers it, on the disk. */
export class AccountHistory extends StoredFollower<TakenBlock> {
  readonly name = 'account_history';
  readonly reads = 'operations';
  readonly beginsWith = ['account_history'];
  readonly #options: HistoryOptions;
  #nextEntry: Instance;
  #nextOperation: Instance;
  /** Operations that came before a snapshot which this history begins behind. */
  #earlierOperations: Instance;
  /** What the blocks in memory have changed. */
  readonly #counts = new Map<Instance, Counts>();
  readonly #entries = new Map<Instance, Entry[]>();
  readonly #entriesById = new Map<Instance, Entry>();
  readonly #operations = new Map<Instance, KeptOperation>();
  readonly #removedOperations = new Set<Instance>();
  /** As they are on the disk. */
  readonly #storedCounts = new Map<Instance, Counts>();

  constructor(data: StoredData, options: HistoryOptions) {
    super(data);
    this.#options = options;
    this.#nextEntry = data.cursor.next.entry ?? 0;
    this.#nextOperation = data.cursor.next.operation ?? 0;
    this.#earlierOperations = data.cursor.next.earlier ?? 0;
  }

  protected override next(): Readonly<Record<string, number>> {
    const earlier = this.#earlierOperations;
    return { entry: this.#nextEntry, operation: this.#nextOperation, ...(earlier > 0 ? { earlier } : {}) };
  }

  protected override carried(): CarriedPart | undefined {
    if (this.#options.operationsMax === 0) return undefined;
    return { about: { accounts: accountsText(this.#options) }, ...CARRIED_COUNTS };
  }

  /** Numbers depend on which accounts are tracked, and not on how much is kept of each. */
  protected override beginWith(carried: Carried | undefined): string | undefined {
    const { operation = 0, entry = 0, accounts } = carried?.about ?? {};
    this.#nextOperation = Number(operation);
    this.#earlierOperations = Number(operation);
    this.#nextEntry = 0;
    if (this.#options.operationsMax === 0) return undefined;
    if (carried === undefined) return 'no snapshot says what accounts have done before: entries are counted from 0';
    if (accounts !== accountsText(this.#options)) {
      return `the snapshot counts what accounts ${accounts} have done: entries are counted from 0`;
    }
    this.#nextEntry = Number(entry);
    return undefined;
  }

  protected override changesFrom(given: KeyValue): KeyValueChange[] {
    const { operationsMax } = this.#options;
    const { account, total, recent = 0 } = readCarriedCount(given);
    if (operationsMax === 0) return [];
    const counts = { total, removed: Math.max(0, total - operationsMax), recent };
    return [
      { key: countsKey(account), value: packCounts(counts) },
      { key: earlierKey(account), value: packCounts(counts) },
    ];
  }

  protected override take({ number, id, operations }: FeedBlock): TakenBlock {
    const block: TakenBlock = {
      number,
      id,
      entries: [],
      operations: [],
      removedEntries: [],
      removedOperations: [],
      before: new Map(),
      after: new Map(),
      records: 0,
      next: this.next(),
    };
    for (const operation of operations) this.#record(block, operation);
    const last = operations.at(-1);
    if (last !== undefined) this.#nextOperation = last.instance + 1;
    block.records = block.entries.length + block.operations.length;
    return block;
  }

  #record(block: TakenBlock, operation: FeedOperation): void {
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

  protected override takeBack(block: TakenBlock): void {
    this.#nextEntry = block.next.entry as Instance;
    this.#nextOperation = block.next.operation as Instance;
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

  protected override *changesOf(blocks: readonly TakenBlock[]): Generator<KeyValueChange> {
    for (const block of blocks) yield* changesOfBlock(block);
    for (const [account, counts] of lastCounts(blocks)) yield { key: countsKey(account), value: packCounts(counts) };
  }

  protected override forget(blocks: readonly TakenBlock[]): void {
    const written = new Map<Instance, number>();
    for (const block of blocks) {
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
    for (const [account, stored] of lastCounts(blocks)) {
      this.#storedCounts.delete(account);
      this.#storedCounts.set(account, stored);
      if (this.#counts.get(account) === stored) this.#counts.delete(account);
    }
    forgetOldest(this.#storedCounts, COUNTS_MAX);
  }

  protected override standBehind({ entry = 0, operation = 0 }: Readonly<Record<string, number>>): void {
    this.#nextEntry = entry;
    this.#nextOperation = operation;
    this.#counts.clear();
    this.#entries.clear();
    this.#entriesById.clear();
    this.#operations.clear();
    this.#removedOperations.clear();
    this.#storedCounts.clear();
  }

  #countsOf(account: Instance): Counts {
    const known = this.#counts.get(account) ?? this.#storedCounts.get(account);
    if (known !== undefined) return known;
    const bytes = this.store.get(countsKey(account));
    const counts = bytes === undefined ? NONE : unpackCounts(bytes);
    this.#storedCounts.set(account, counts);
    forgetOldest(this.#storedCounts, COUNTS_MAX);
    return counts;
  }

  #entryAt(account: Instance, sequence: number): Entry | undefined {
    const list = this.#entries.get(account);
    const first = list?.[0]?.sequence;
    if (first !== undefined && sequence >= first) return list?.[sequence - first];
    const bytes = this.store.get(entryKey(account, sequence));
    return bytes === undefined ? undefined : unpackEntry(account, sequence, bytes);
  }

  #operation(instance: Instance): KeptOperation | undefined {
    if (this.#removedOperations.has(instance)) return undefined;
    const recent = this.#operations.get(instance);
    if (recent !== undefined) return recent;
    const bytes = this.store.get(operationKey(instance));
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
    const bytes = this.store.get(entryIdKey(instance));
    if (bytes === undefined) return undefined;
    const { account, sequence } = unpackEntryPlace(bytes);
    return this.entryAt(account, sequence);
  }

  /** The entry before; 0 where there is none, or none any more. */
  entryBefore({ account, sequence }: Entry): Instance {
    const before = this.entryAt(account, sequence - 1);
    if (before !== undefined) return before.instance;
    const { total, recent } = this.earlier(account);
    const isOneBefore = sequence - 1 === total && total > this.#countsOf(account).removed;
    return isOneBefore ? recent : 0;
  }

  /** What the account had done before the history began: it is counted, and is not here. Zeros where nothing is missing. */
  earlier(account: Instance): Counts {
    const bytes = this.from > 1 ? this.store.get(earlierKey(account)) : undefined;
    return bytes === undefined ? NONE : unpackCounts(bytes);
  }

  /** The first operation that may be here. */
  get firstOperation(): Instance {
    return this.#earlierOperations;
  }

  operation(instance: Instance): KeptOperation | undefined {
    return this.#operation(instance);
  }

  /** Undefined where it is on the disk, or nowhere. */
  recentOperation(instance: Instance): KeptOperation | undefined {
    return this.#operations.get(instance);
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

  /** Entries of this type that are in memory, at most `count`, the newest first, from `newest` down. */
  recentOfType(account: Instance, type: number, newest: number, count: number): readonly Entry[] {
    const { removed } = this.#countsOf(account);
    const list = this.#entries.get(account) ?? [];
    const found = list.filter((entry) => entry.type === type && entry.sequence <= newest && entry.sequence > removed);
    return found.reverse().slice(0, count);
  }

  /** Positions of those before them, which are on the disk: of blocks that stay. */
  async storedOfType(account: Instance, type: number, newest: number, count: number): Promise<readonly number[]> {
    // Keys have one byte for it.
    if (type < 0 || type > TYPE_MAX) return [];
    const { removed } = this.#countsOf(account);
    const end = Math.min(newest + 1, this.#entries.get(account)?.[0]?.sequence ?? Number.POSITIVE_INFINITY);
    if (end <= removed + 1) return [];
    const stored = await this.store.newest(typeKey(account, type, removed + 1), typeKey(account, type, end), count);
    return stored.map(([key]) => sequenceOfTypeKey(key));
  }

  /** The next numbers of operations 1.11 and entries 2.9. */
  get numbers(): { readonly operations: Instance; readonly entries: Instance } {
    return { operations: this.#nextOperation, entries: this.#nextEntry };
  }

  /** What a block of the newest ones did; the counts it has left are those of now. */
  taken(id: BlockId): TakenBlock | undefined {
    return this.takenBlock(id);
  }
}

/** As the last of the blocks has left them. */
function lastCounts(blocks: readonly TakenBlock[]): Map<Instance, Counts> {
  const last = new Map<Instance, Counts>();
  for (const { after } of blocks) for (const [account, counts] of after) last.set(account, counts);
  return last;
}

function* changesOfBlock(taken: TakenBlock): Generator<KeyValueChange> {
  const { entries, operations, removedEntries, removedOperations } = taken;
  for (const operation of operations) yield { key: operationKey(operation.instance), value: packOperation(operation) };
  for (const entry of entries) {
    yield { key: entryKey(entry.account, entry.sequence), value: packEntry(entry) };
    yield { key: entryIdKey(entry.instance), value: packEntryPlace(entry) };
    yield { key: typeKey(entry.account, entry.type, entry.sequence), value: PRESENT };
  }
  for (const { account, sequence, instance, type } of removedEntries) {
    for (const key of [entryKey(account, sequence), entryIdKey(instance), typeKey(account, type, sequence)]) {
      yield { key, value: undefined };
    }
  }
  for (const { instance } of removedOperations) yield { key: operationKey(instance), value: undefined };
}
