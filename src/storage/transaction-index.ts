import { fromHex } from '../base/bytes.js';
import { check, invariant } from '../base/errors.js';
import { STORAGE_ERRORS } from './errors.js';
import type { KeyValueChange, KeyValueStore } from './kv.js';

/**
 * Format 1. Where every transaction of the chain stands, by id: 20 bytes of id to 4 bytes of block number and 4 bytes
 * of position, big-endian. Only irreversible blocks are on disk; one record, written behind them, says up to which
 * block. So a crash or a fork switch leaves nothing wrong behind: what is missing is read from the block log.
 */
export const TRANSACTION_INDEX_FORMAT = 1;

export interface TransactionPlace {
  readonly block: number;
  /** Of the transaction in its block, from 0. */
  readonly position: number;
}

const META_KEY = Uint8Array.of(0);
const ID_BYTES = 20;
const CHAIN_BYTES = 32;
const META_BYTES = 8 + CHAIN_BYTES;

/** Irreversible blocks, or their transactions, that are written together. */
const WRITE_BLOCKS = 20;
const WRITE_TRANSACTIONS = 20_000;

/** So many at a time are handed to the store, which keeps the main thread for about 10 ms. */
const BATCH_TRANSACTIONS = 2000;

interface Waiting {
  readonly number: number;
  readonly ids: readonly string[];
}

export class TransactionIndex {
  readonly #kv: KeyValueStore;
  readonly #chain: Uint8Array;
  /** Blocks behind the stored ones, in order: some irreversible, the newest not. */
  #blocks: Waiting[] = [];
  readonly #places = new Map<string, TransactionPlace>();
  #stored: number;
  #irreversible: number;
  #waitingTransactions = 0;
  #writing: Promise<void> | undefined;

  /** Refuses an index of another chain or of a newer format. */
  constructor(kv: KeyValueStore, chainId: string) {
    this.#kv = kv;
    this.#chain = fromHex(chainId);
    this.#stored = this.#readMeta(chainId);
    this.#irreversible = this.#stored;
  }

  #readMeta(chainId: string): number {
    const bytes = this.#kv.get(META_KEY);
    if (bytes === undefined) return 0;
    const { path } = this.#kv;
    check(bytes.length === META_BYTES, STORAGE_ERRORS.storage_not_ours, { path, kind: 'transaction index' });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const found = view.getUint32(0);
    const known = TRANSACTION_INDEX_FORMAT;
    check(found <= known, STORAGE_ERRORS.storage_newer_version, { path, found, known });
    const chain = Buffer.from(bytes.subarray(8)).toString('hex');
    check(chain === chainId, STORAGE_ERRORS.storage_other_chain, { path, found: chain, wanted: chainId });
    return view.getUint32(4);
  }

  /** Last block that is on disk. */
  get storedNumber(): number {
    return this.#stored;
  }

  /** Last block that the index knows. */
  get headNumber(): number {
    return this.#blocks.at(-1)?.number ?? this.#irreversible;
  }

  find(id: string): TransactionPlace | undefined {
    const recent = this.#places.get(id);
    if (recent !== undefined || id.length !== 2 * ID_BYTES) return recent;
    const bytes = this.#kv.get(fromHex(id));
    if (bytes === undefined) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return { block: view.getUint32(0), position: view.getUint32(4) };
  }

  /** The next block of the chain with the ids of its transactions. Blocks that are known already are left out. */
  add(number: number, ids: readonly string[]): void {
    if (number <= this.headNumber) return;
    invariant(number === this.headNumber + 1, 'blocks come to the transaction index in order');
    this.#blocks.push({ number, ids });
    this.#waitingTransactions += ids.length;
    for (const [position, id] of ids.entries()) this.#places.set(id, { block: number, position });
  }

  /** A fork switch has taken back the newest block. */
  undo(number: number): void {
    const last = this.#blocks.at(-1);
    if (last === undefined || last.number !== number) return;
    this.#blocks.pop();
    this.#waitingTransactions -= last.ids.length;
    for (const id of last.ids) this.#places.delete(id);
  }

  /** Blocks up to this one stay. A promise when enough has come together to be written. */
  settle(number: number): Promise<void> | undefined {
    this.#irreversible = Math.max(this.#irreversible, Math.min(number, this.headNumber));
    const isDue = this.#irreversible - this.#stored >= WRITE_BLOCKS || this.#waitingTransactions >= WRITE_TRANSACTIONS;
    return isDue && this.#writing === undefined ? this.flush() : undefined;
  }

  /** Writes all irreversible blocks. */
  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
    if (this.#irreversible === this.#stored) return;
    this.#writing = this.#write(this.#irreversible).finally(() => {
      this.#writing = undefined;
    });
    await this.#writing;
  }

  async #write(upTo: number): Promise<void> {
    const settled = this.#blocks.filter(({ number }) => number <= upTo);
    let batch: KeyValueChange[] = [];
    for (const { number, ids } of settled) {
      for (const [position, id] of ids.entries()) {
        batch.push({ key: fromHex(id), value: packPlace(number, position) });
        if (batch.length < BATCH_TRANSACTIONS) continue;
        // The last record says what is there: until then these are written again after a crash.
        await this.#kv.write(batch);
        batch = [];
      }
    }
    batch.push({ key: META_KEY, value: this.#meta(upTo) });
    await this.#kv.write(batch);
    this.#stored = upTo;
    this.#blocks = this.#blocks.filter(({ number }) => number > upTo);
    for (const { ids } of settled) {
      this.#waitingTransactions -= ids.length;
      for (const id of ids) this.#places.delete(id);
    }
  }

  #meta(number: number): Uint8Array {
    const bytes = new Uint8Array(META_BYTES);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, TRANSACTION_INDEX_FORMAT);
    view.setUint32(4, number);
    bytes.set(this.#chain, 8);
    return bytes;
  }

  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      await this.#kv.close();
    }
  }
}

function packPlace(block: number, position: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, block);
  view.setUint32(4, position);
  return bytes;
}
