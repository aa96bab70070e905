import { getBigEndian, putBigEndian } from '../../src/base/big-endian.js';
import { equalBytes } from '../../src/base/bytes.js';
import { forgetOldest } from '../../src/base/forget-oldest.js';
import { TRUSTED_RULES } from '../../src/codec/decode-rules.js';
import { Reader } from '../../src/codec/reader.js';
import { Writer } from '../../src/codec/writer.js';
import type { BlockId } from '../../src/crypto/digests.js';
import { historyAccounts } from '../../src/operations/impact.js';
import type { KeyValue, KeyValueChange } from '../../src/plugin/api.js';
import { CARRIED_COUNTS, readCarriedCount } from '../../src/plugin/carried-counts.js';
import type { Carried, FeedBlock, FeedOperation } from '../../src/plugin/follower.js';
import { type CarriedPart, type StoredData, StoredFollower, type Taken } from '../../src/plugin/stored-follower.js';
import { formatObjectId, type Instance, packObjectId } from '../../src/protocol/ids.js';
import { type Operation, operation as operationType } from '../../src/protocol/operation-slot.js';

/**
 * op_entry.db, format 1. Keys are texts: `1.2.42_7` for the seventh operation of account 1.2.42. The value is the one that
 * the reference keeps: id 2.31.n (u64), block, transaction, operation in it (u32 each), the key as a text, the position
 * (u32), whether it is one that contracts issue, and the operation. Where that stands literally in the block a transfer of nothing
 * stands here instead. Ours besides: the cursor under byte 0, the number of operations of each account under byte 1
 * and 6 bytes of its instance, and under byte 2 instead how many of them came before a snapshot and are not here.
 */
export const FORMAT = 1;

const ENTRY_SPACE = 2;
const ENTRY_TYPE = 31;

/** Quirk: those that contracts issue are called virtual, and no others, also where a transaction has one. */
const BY_CONTRACT: ReadonlySet<number> = new Set([78, 79]);

export interface RelativeEntry {
  readonly instance: Instance;
  readonly account: Instance;
  readonly sequence: number;
  readonly block: number;
  readonly transaction: number;
  readonly index: number;
  readonly isVirtual: boolean;
  /** Undefined: it stands in the block. */
  readonly operation: Operation | undefined;
}

export interface TakenEntries extends Taken {
  records: number;
  readonly entries: RelativeEntry[];
  /** Numbers of operations that the block has changed. */
  readonly before: Map<Instance, number>;
  readonly after: Map<Instance, number>;
}

const TOTALS_MAX = 50_000;

/** Of whose operations a snapshot speaks. */
const ALL = 'all';

export const opIndex = (account: Instance, sequence: number): string => `${formatObjectId(1, 2, account)}_${sequence}`;

const encoder = new TextEncoder();
const entryKey = (account: Instance, sequence: number): Uint8Array => encoder.encode(opIndex(account, sequence));

const TOTAL = 1;
const EARLIER = 2;
const INSTANCE_BYTES = 6;
const TOTAL_BYTES = 4;

function countKey(kind: typeof TOTAL | typeof EARLIER, account: Instance): Uint8Array {
  const bytes = new Uint8Array(1 + INSTANCE_BYTES);
  bytes[0] = kind;
  putBigEndian(bytes, 1, INSTANCE_BYTES, account);
  return bytes;
}

const unpackTotal = (bytes: Uint8Array | undefined): number =>
  bytes === undefined ? 0 : getBigEndian(bytes, 0, TOTAL_BYTES);

function packTotal(total: number): Uint8Array {
  const bytes = new Uint8Array(TOTAL_BYTES);
  putBigEndian(bytes, 0, TOTAL_BYTES, total);
  return bytes;
}

/** A packed transfer of nothing, which is none that can have been applied. */
const LITERAL = new Uint8Array(23);
const writer = new Writer();

/** Valid until the next one is packed. */
function packRelativeEntry(entry: RelativeEntry): Uint8Array {
  writer.clear();
  writer.u64(packObjectId(ENTRY_SPACE, ENTRY_TYPE, entry.instance));
  writer.u32(entry.block);
  writer.u32(entry.transaction);
  writer.u32(entry.index);
  const key = entryKey(entry.account, entry.sequence);
  writer.varint(key.length);
  writer.raw(key);
  writer.u32(entry.sequence);
  writer.u8(entry.isVirtual ? 1 : 0);
  if (entry.operation === undefined) writer.raw(LITERAL);
  else operationType.write(writer, entry.operation);
  return writer.peek();
}

function unpackRelativeEntry(account: Instance, bytes: Uint8Array): RelativeEntry {
  const reader = new Reader(bytes, TRUSTED_RULES);
  reader.need(operationType.depth);
  const instance = Number(reader.u64() & 0xffff_ffff_ffffn);
  const [block, transaction, index] = [reader.u32(), reader.u32(), reader.u32()];
  reader.text();
  const sequence = reader.u32();
  const isVirtual = reader.u8() === 1;
  const isLiteral = equalBytes(bytes.subarray(reader.position), LITERAL);
  const operation = isLiteral ? undefined : operationType.read(reader);
  return { instance, account, sequence, block, transaction, index, isVirtual, operation };
}

/** Operations of accounts by their position, each as small as can be: most stand in the blocks already. */
export class RelativeHistory extends StoredFollower<TakenEntries> {
  readonly name = 'account_history_kv';
  readonly reads = 'operations';
  readonly beginsWith = ['account_history_kv', 'account_history'];
  #nextEntry: Instance;
  readonly #totals = new Map<Instance, number>();
  readonly #entries = new Map<string, RelativeEntry>();
  readonly #storedTotals = new Map<Instance, number>();

  constructor(data: StoredData, entriesAtOnce: number) {
    super(data, { blocks: 20, records: entriesAtOnce });
    this.#nextEntry = data.cursor.next.entry ?? 0;
  }

  protected override next(): Readonly<Record<string, number>> {
    return { entry: this.#nextEntry };
  }

  protected override carried(): CarriedPart {
    return { about: { accounts: ALL }, ...CARRIED_COUNTS };
  }

  protected override beginWith(carried: Carried | undefined): string | undefined {
    this.#nextEntry = 0;
    if (carried === undefined) return 'no snapshot says what accounts have done before: operations are counted from 0';
    const { accounts, entry = 0 } = carried.about;
    if (accounts !== ALL) return `the snapshot counts accounts ${accounts} alone: operations are counted from 0`;
    this.#nextEntry = Number(entry);
    return undefined;
  }

  protected override changesFrom(given: KeyValue): KeyValueChange[] {
    const { account, total } = readCarriedCount(given);
    const value = packTotal(total);
    return [
      { key: countKey(TOTAL, account), value },
      { key: countKey(EARLIER, account), value },
    ];
  }

  protected override take({ number, id, operations }: FeedBlock): TakenEntries {
    const next = this.next();
    const taken: TakenEntries = { number, id, entries: [], before: new Map(), after: new Map(), records: 0, next };
    for (const one of operations) {
      for (const account of historyAccounts(one.operation, one.result)) this.#add(taken, account, one);
    }
    taken.records = taken.entries.length;
    return taken;
  }

  #add(taken: TakenEntries, account: Instance, one: FeedOperation): void {
    const before = this.total(account);
    const sequence = before + 1;
    const isVirtual = BY_CONTRACT.has(one.operation[0]);
    const entry: RelativeEntry = {
      instance: this.#nextEntry++,
      account,
      sequence,
      block: taken.number,
      transaction: one.transaction,
      index: one.index,
      isVirtual,
      operation: isVirtual || one.virtual > 0 ? one.operation : undefined,
    };
    taken.entries.push(entry);
    this.#entries.set(opIndex(account, sequence), entry);
    if (!taken.before.has(account)) taken.before.set(account, before);
    taken.after.set(account, sequence);
    this.#totals.set(account, sequence);
  }

  protected override takeBack(taken: TakenEntries): void {
    this.#nextEntry = taken.next.entry as Instance;
    for (const { account, sequence } of taken.entries) this.#entries.delete(opIndex(account, sequence));
    for (const [account, total] of taken.before) {
      if (this.#storedTotals.get(account) === total) this.#totals.delete(account);
      else this.#totals.set(account, total);
    }
  }

  protected override *changesOf(blocks: readonly TakenEntries[]): Generator<KeyValueChange> {
    for (const { entries } of blocks) {
      for (const entry of entries) {
        yield { key: entryKey(entry.account, entry.sequence), value: packRelativeEntry(entry) };
      }
    }
    for (const [account, total] of lastTotals(blocks)) yield { key: countKey(TOTAL, account), value: packTotal(total) };
  }

  protected override forget(blocks: readonly TakenEntries[]): void {
    for (const { entries } of blocks) {
      for (const { account, sequence } of entries) this.#entries.delete(opIndex(account, sequence));
    }
    for (const [account, total] of lastTotals(blocks)) {
      this.#storedTotals.delete(account);
      this.#storedTotals.set(account, total);
      if (this.#totals.get(account) === total) this.#totals.delete(account);
    }
    forgetOldest(this.#storedTotals, TOTALS_MAX);
  }

  protected override standBehind({ entry = 0 }: Readonly<Record<string, number>>): void {
    this.#nextEntry = entry;
    this.#totals.clear();
    this.#entries.clear();
    this.#storedTotals.clear();
  }

  /** Operations that the account's history counts. */
  total(account: Instance): number {
    const known = this.#totals.get(account) ?? this.#storedTotals.get(account);
    if (known !== undefined) return known;
    const total = unpackTotal(this.store.get(countKey(TOTAL, account)));
    this.#storedTotals.set(account, total);
    forgetOldest(this.#storedTotals, TOTALS_MAX);
    return total;
  }

  /** Operations of the account that came before the history began: they are counted, and are not here. */
  earlier(account: Instance): number {
    return this.from === 1 ? 0 : unpackTotal(this.store.get(countKey(EARLIER, account)));
  }

  /** Undefined for one that was before the history began. */
  entryAt(account: Instance, sequence: number): RelativeEntry | undefined {
    const recent = this.#entries.get(opIndex(account, sequence));
    if (recent !== undefined) return recent;
    const bytes = this.store.get(entryKey(account, sequence));
    return bytes === undefined ? undefined : unpackRelativeEntry(account, bytes);
  }

  /** Accounts whose number of operations the block has changed, and what it was; undefined: it is none of the newest ones. */
  totalsBefore(block: BlockId): ReadonlyMap<Instance, number> | undefined {
    return this.takenBlock(block)?.before;
  }
}

/** As the last of the blocks has left them. */
function lastTotals(blocks: readonly TakenEntries[]): Map<Instance, number> {
  const last = new Map<Instance, number>();
  for (const { after } of blocks) for (const [account, total] of after) last.set(account, total);
  return last;
}
