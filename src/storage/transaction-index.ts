import { fromHex, fromHexInto, toHex } from '../base/bytes.js';
import { check, invariant } from '../base/errors.js';
import { STORAGE_ERRORS } from './errors.js';
import type { KeyValueStore } from './kv.js';

/**
 * Format 2. Where every transaction of the chain stands, by id: 20 bytes of id to 4 bytes of block number and 4 bytes
 * of position, big-endian. Only blocks that stay are on disk; one record, written behind them, says up to which block, by
 * number and id. So a crash or a fork switch leaves nothing wrong behind: what is missing comes from the feed again.
 * Format 1 had no id in that record.
 */
const TRANSACTION_INDEX_FORMAT = 2;

export interface TransactionPlace {
  readonly block: number;
  /** Of the transaction in its block, from 0. */
  readonly position: number;
}

interface BlockPlace {
  readonly number: number;
  readonly id: string;
}

/** What the index takes of a block. */
interface IndexedBlock extends BlockPlace {
  readonly transactionIds: readonly string[];
}

/** More than a record of the block log has room for; 500 million blocks are left for the other half of a packed place. */
const POSITIONS = 2 ** 24;

const META_KEY = Uint8Array.of(0);
const ID_BYTES = 20;
const PLACE_BYTES = 8;
const CHAIN_BYTES = 32;
const OLD_META_BYTES = 8 + CHAIN_BYTES;
const META_BYTES = OLD_META_BYTES + ID_BYTES;

/** Blocks that stay, or their transactions, that are written together. */
const WRITE_BLOCKS = 200;
const WRITE_TRANSACTIONS = 20_000;

/** So many at a time are handed to the store, which keeps the main thread for a millisecond or two. */
const TRANSACTIONS_AT_ONCE = 256;

/** A follower of the chain: its methods are those of the contract in plugin/follower.ts. */
export class TransactionIndex {
  readonly name = 'transaction_index';
  readonly reads = 'blocks';
  readonly #kv: KeyValueStore;
  readonly #chain: Uint8Array;
  /** Blocks behind the stored ones, in order: some stay, the newest may be undone. */
  #blocks: IndexedBlock[] = [];
  /**
   * Of the transactions in the blocks up to `#placed`: a node that is asked for none need not sort them all in. Packed, since
   * objects of their own would be a third of what a transaction costs here.
   */
  readonly #places = new Map<string, number>();
  #placed: number;
  #stored: BlockPlace;
  #settled: number;
  #waitingTransactions = 0;
  #writing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** Refuses an index of another chain or of a newer format. `idOf`: asked for the block of an index of format 1. */
  constructor(kv: KeyValueStore, chainId: string, idOf: (number: number) => string | undefined) {
    this.#kv = kv;
    this.#chain = fromHex(chainId);
    this.#stored = this.#readMeta(chainId, idOf);
    this.#settled = this.#stored.number;
    this.#placed = this.#stored.number;
  }

  #readMeta(chainId: string, idOf: (number: number) => string | undefined): BlockPlace {
    const bytes = this.#kv.get(META_KEY);
    if (bytes === undefined) return { number: 0, id: '' };
    const { path } = this.#kv;
    const isOld = bytes.length === OLD_META_BYTES;
    check(isOld || bytes.length === META_BYTES, STORAGE_ERRORS.storage_not_ours, { path, kind: 'transaction index' });
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const found = view.getUint32(0);
    const known = TRANSACTION_INDEX_FORMAT;
    check(found <= known, STORAGE_ERRORS.storage_newer_version, { path, found, known });
    const chain = toHex(bytes.subarray(8, OLD_META_BYTES));
    check(chain === chainId, STORAGE_ERRORS.storage_other_chain, { path, found: chain, wanted: chainId });
    const number = view.getUint32(4);
    return { number, id: isOld ? (idOf(number) ?? '') : toHex(bytes.subarray(OLD_META_BYTES)) };
  }

  /** Last block that is on disk. */
  get storedNumber(): number {
    return this.#stored.number;
  }

  get position(): BlockPlace {
    return this.#blocks.at(-1) ?? this.#stored;
  }

  find(id: string): TransactionPlace | undefined {
    this.#place();
    const recent = this.#places.get(id);
    if (recent !== undefined) return { block: Math.floor(recent / POSITIONS), position: recent % POSITIONS };
    if (id.length !== 2 * ID_BYTES) return undefined;
    const bytes = this.#kv.get(fromHex(id));
    if (bytes === undefined) return undefined;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    return { block: view.getUint32(0), position: view.getUint32(4) };
  }

  apply({ number, id, transactionIds }: IndexedBlock): void {
    invariant(number === this.position.number + 1, 'blocks come to the transaction index in order');
    this.#blocks.push({ number, id, transactionIds });
    this.#waitingTransactions += transactionIds.length;
  }

  #place(): void {
    const { number: newest } = this.position;
    for (const { number, transactionIds } of this.#blocks.slice(this.#blocks.length - (newest - this.#placed))) {
      let place = number * POSITIONS;
      for (const id of transactionIds) this.#places.set(id, place++);
    }
    this.#placed = newest;
  }

  #forget({ number, transactionIds }: IndexedBlock): void {
    this.#waitingTransactions -= transactionIds.length;
    if (number > this.#placed) return;
    for (const id of transactionIds) this.#places.delete(id);
  }

  undo({ number }: BlockPlace): void {
    const last = this.#blocks.pop();
    invariant(last?.number === number && number > this.#settled, 'the newest block that may be undone is undone');
    this.#forget(last);
    this.#placed = Math.min(this.#placed, number - 1);
  }

  /** The blocks before are not there; transactions in them are not found. */
  skipTo(place: BlockPlace): void {
    invariant(this.#blocks.length === 0, 'blocks are left out before any is taken');
    this.#stored = place;
    this.#settled = place.number;
    this.#placed = place.number;
  }

  /** Writes in the background when enough has come together; whoever is faster than that has to wait. */
  settle(number: number): Promise<void> | undefined {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#settled = Math.max(this.#settled, Math.min(number, this.position.number));
    if (!this.#isDue(1)) return undefined;
    const writing = this.#writing ?? this.#flush();
    if (this.#isDue(2)) return writing;
    writing.catch(() => undefined);
    return undefined;
  }

  #isDue(times: number): boolean {
    if (this.#settled === this.#stored.number) return false;
    const isMany = this.#waitingTransactions >= times * WRITE_TRANSACTIONS;
    return isMany || this.#settled - this.#stored.number >= times * WRITE_BLOCKS;
  }

  /** Writes all blocks that stay. */
  async flush(): Promise<void> {
    await this.#writing;
    await this.#flush();
  }

  async #flush(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#settled === this.#stored.number) return;
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
    const settled = this.#blocks.filter(({ number }) => number <= upTo);
    const last = settled.at(-1);
    if (last === undefined) return;
    const batch = this.#kv.batch();
    try {
      // The batch takes copies.
      const [key, value] = [new Uint8Array(ID_BYTES), new Uint8Array(PLACE_BYTES)];
      const place = new DataView(value.buffer);
      let count = 0;
      for (const { number, transactionIds } of settled) {
        place.setUint32(0, number);
        for (let position = 0; position < transactionIds.length; position++) {
          fromHexInto(transactionIds[position] as string, key, 0);
          place.setUint32(4, position);
          batch.add({ key, value });
          if (++count % TRANSACTIONS_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
        }
      }
      batch.add({ key: META_KEY, value: this.#meta(last) });
      await batch.write();
    } finally {
      await batch.close();
    }
    this.#stored = { number: last.number, id: last.id };
    this.#blocks = this.#blocks.filter(({ number }) => number > upTo);
    for (const block of settled) this.#forget(block);
    this.#placed = Math.max(this.#placed, last.number);
  }

  #meta({ number, id }: BlockPlace): Uint8Array {
    const bytes = new Uint8Array(META_BYTES);
    const view = new DataView(bytes.buffer);
    view.setUint32(0, TRANSACTION_INDEX_FORMAT);
    view.setUint32(4, number);
    bytes.set(this.#chain, 8);
    bytes.set(fromHex(id), OLD_META_BYTES);
    return bytes;
  }

  async close(): Promise<void> {
    try {
      if (this.#failure === undefined) await this.flush();
    } finally {
      await this.#kv.close();
    }
  }
}
