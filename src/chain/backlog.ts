import { fromHexInto, toHex } from '../base/bytes.js';
import { invariant } from '../base/errors.js';
import { decodeTrusted, encodeWith } from '../codec/binary.js';
import type { ChainId, TransactionId } from '../crypto/digests.js';
import { PUBLIC_KEY_BYTES } from '../crypto/public-key.js';
import { billedCpuTimeOfAll } from '../protocol/results.js';
import { processedTransaction } from '../protocol/transaction.js';
import { IdHash } from '../state/id-hash.js';
import { PlaceTable } from '../state/place-table.js';
import { TransactionFacts } from './facts.js';

/**
 * Transactions that wait for their turn, first in, first out. They are bytes in a few large buffers: hundreds of thousands
 * of them are nothing that the garbage collector has to walk through, and none becomes objects again before its turn.
 * Those that were taken back for a moment, at most a block or two of them, stand before all others and stay objects.
 * Each is found by its id, which stands nowhere but in its record.
 *
 * A record: its length (4 bytes), its expiration (4), the length of the transaction without signatures and results (4),
 * the time of contract calls that its results bill (4), its id (20), whether it still waits (1), how many keys have signed
 * it (1), their keys (33 each), the transaction as it stands in a block.
 */

const [EXPIRATION_AT, UNSIGNED_AT, CPU_AT, ID_AT, WAITS_AT, KEYS_AT, HEAD_BYTES] = [4, 8, 12, 16, 36, 37, 38];
const ID_BYTES = 20;
/** Nobody has recovered the keys yet, or a signature was bad: whoever wants them does it again. */
const NO_KEYS = 255;
const CHUNK_BYTES = 1024 * 1024;
/** Places are small integers for the engine: chunks take their numbers again after so many. */
const CHUNKS_MAX = 1024;
const NEVER = 0xffff_ffff;

interface Chunk {
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Records before it were taken out. */
  from: number;
  to: number;
  /** None of them expires before. */
  firstExpiration: number;
}

/** One that was taken back. */
interface Returned {
  readonly facts: TransactionFacts;
  waits: boolean;
}

export class Backlog {
  readonly #chainId: ChainId;
  /** The first one last. */
  #returned: Returned[] = [];
  readonly #returnedById = new Map<TransactionId, Returned>();
  #chunks: Chunk[] = [];
  readonly #chunkByNumber: (Chunk | undefined)[] = [];
  #nextNumber = 0;
  readonly #places = new PlaceTable();
  readonly #hash: IdHash;
  /** The one that is looked for. */
  #wanted = '';
  readonly #isIt = (place: number): boolean => idOf(this.#chunkOf(place), place % CHUNK_BYTES) === this.#wanted;
  #count = 0;
  #bytes = 0;
  #cpuUs = 0;

  constructor(chainId: ChainId, hash = new IdHash()) {
    this.#chainId = chainId;
    this.#hash = hash;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get count(): number {
    return this.#count;
  }

  has(id: TransactionId): boolean {
    return this.#returnedById.has(id) || this.#placeOf(id) !== undefined;
  }

  find(id: TransactionId): TransactionFacts | undefined {
    const returned = this.#returnedById.get(id);
    if (returned !== undefined) return returned.facts;
    const place = this.#placeOf(id);
    return place === undefined ? undefined : this.#read(this.#chunkOf(place), place % CHUNK_BYTES);
  }

  #placeOf(id: TransactionId): number | undefined {
    this.#wanted = id;
    return this.#places.find(this.#hash.ofHex(id), this.#isIt);
  }

  #chunkOf(place: number): Chunk {
    const chunk = this.#chunkByNumber[Math.floor(place / CHUNK_BYTES)];
    invariant(chunk !== undefined, 'a place that was given stays until its record is taken');
    return chunk;
  }

  /** Of all of them, as they stand in blocks. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Time of contract calls that they bill. */
  get cpuUs(): number {
    return this.#cpuUs;
  }

  #add(size: number, cpuUs: number, sign: 1 | -1): void {
    this.#count += sign;
    this.#bytes += sign * size;
    this.#cpuUs += sign * cpuUs;
  }

  /** Before all others. */
  putBack(facts: TransactionFacts): void {
    const returned = { facts, waits: true };
    this.#returned.push(returned);
    this.#returnedById.set(facts.id, returned);
    this.#add(facts.size, cpuOf(facts), 1);
  }

  /** Behind all others. */
  append(facts: TransactionFacts): void {
    const { transaction } = facts;
    encodeWith(processedTransaction, transaction, (packed) => {
      const keys = facts.knownKeys(this.#chainId);
      const keyCount = keys === undefined || keys.length >= NO_KEYS ? NO_KEYS : keys.length;
      const headBytes = headBytesOf(keyCount);
      const length = headBytes + packed.length;
      const chunk = this.#chunkFor(length);
      const { bytes, view, to: at } = chunk;
      view.setUint32(at, length, true);
      view.setUint32(at + EXPIRATION_AT, transaction.expiration, true);
      view.setUint32(at + UNSIGNED_AT, facts.unsignedBytes, true);
      view.setUint32(at + CPU_AT, cpuOf(facts), true);
      fromHexInto(facts.id, bytes, at + ID_AT);
      bytes[at + WAITS_AT] = 1;
      bytes[at + KEYS_AT] = keyCount;
      if (keys !== undefined && keyCount !== NO_KEYS) {
        for (let i = 0; i < keyCount; i++)
          fromHexInto(keys[i] as string, bytes, at + HEAD_BYTES + i * PUBLIC_KEY_BYTES);
      }
      bytes.set(packed, at + headBytes);
      chunk.to += length;
      chunk.firstExpiration = Math.min(chunk.firstExpiration, transaction.expiration);
      this.#add(packed.length, cpuOf(facts), 1);
      this.#places.add(this.#hash.of(view, at + ID_AT), placeOf(chunk, at));
    });
  }

  #chunkFor(length: number): Chunk {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.bytes.length - last.to >= length) return last;
    const bytes = new Uint8Array(Math.max(CHUNK_BYTES, length));
    const number = this.#nextNumber;
    this.#nextNumber = (number + 1) % CHUNKS_MAX;
    invariant(this.#chunks[0]?.number !== number, 'what waits has room in the chunks that have a number');
    const chunk = { number, bytes, view: new DataView(bytes.buffer), from: 0, to: 0, firstExpiration: NEVER };
    this.#chunks.push(chunk);
    this.#chunkByNumber[number] = chunk;
    return chunk;
  }

  /** Nothing happens where none has this id. */
  remove(id: TransactionId): void {
    const returned = this.#returnedById.get(id);
    if (returned !== undefined) {
      this.#endReturned(returned);
      return;
    }
    const place = this.#placeOf(id);
    if (place !== undefined) this.#end(this.#chunkOf(place), place % CHUNK_BYTES);
  }

  #endReturned(returned: Returned): void {
    const { facts } = returned;
    returned.waits = false;
    if (this.#returnedById.get(facts.id) === returned) this.#returnedById.delete(facts.id);
    this.#add(facts.size, cpuOf(facts), -1);
  }

  #end(chunk: Chunk, at: number): void {
    chunk.bytes[at + WAITS_AT] = 0;
    this.#places.remove(this.#hash.of(chunk.view, at + ID_AT), placeOf(chunk, at));
    this.#add(sizeOf(chunk, at), chunk.view.getUint32(at + CPU_AT, true), -1);
  }

  /** Those that no block from `time` on can have any more. */
  removeExpired(time: number): void {
    for (const one of this.#returned) {
      if (one.waits && one.facts.transaction.expiration < time) this.#endReturned(one);
    }
    for (const chunk of this.#chunks) {
      if (chunk.firstExpiration >= time) continue;
      chunk.firstExpiration = NEVER;
      for (const at of waiting(chunk)) {
        const expiration = chunk.view.getUint32(at + EXPIRATION_AT, true);
        if (expiration < time) this.#end(chunk, at);
        else chunk.firstExpiration = Math.min(chunk.firstExpiration, expiration);
      }
    }
  }

  /** The first one, which is taken out. */
  take(): TransactionFacts | undefined {
    for (let one = this.#returned.pop(); one !== undefined; one = this.#returned.pop()) {
      if (!one.waits) continue;
      this.#endReturned(one);
      return one.facts;
    }
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      for (let at = chunk.from; at < chunk.to; at = chunk.from) {
        chunk.from = at + chunk.view.getUint32(at, true);
        if (chunk.bytes[at + WAITS_AT] !== 1) continue;
        const facts = this.#read(chunk, at);
        this.#end(chunk, at);
        return facts;
      }
      this.#chunks.shift();
      this.#chunkByNumber[chunk.number] = undefined;
    }
    return undefined;
  }

  /** In their order; they become objects one by one. */
  *all(): IterableIterator<TransactionFacts> {
    for (let i = this.#returned.length - 1; i >= 0; i--) {
      const one = this.#returned[i] as Returned;
      if (one.waits) yield one.facts;
    }
    for (const chunk of this.#chunks) for (const at of waiting(chunk)) yield this.#read(chunk, at);
  }

  #read(chunk: Chunk, at: number): TransactionFacts {
    const { bytes, view } = chunk;
    const keyCount = bytes[at + KEYS_AT] as number;
    const packed = bytes.subarray(at + headBytesOf(keyCount), at + view.getUint32(at, true));
    return TransactionFacts.of(
      {
        transaction: decodeTrusted(processedTransaction, packed),
        id: idOf(chunk, at),
        packedBytes: view.getUint32(at + UNSIGNED_AT, true),
        ...(keyCount === NO_KEYS ? {} : { keys: keysOf(chunk, at, keyCount), keyError: undefined }),
      },
      this.#chainId,
    );
  }

  clear(): void {
    this.#returned = [];
    this.#returnedById.clear();
    this.#chunks = [];
    this.#chunkByNumber.length = 0;
    this.#places.clear();
    this.#count = 0;
    this.#bytes = 0;
    this.#cpuUs = 0;
  }
}

const cpuOf = ({ transaction }: TransactionFacts): number => billedCpuTimeOfAll(transaction.operation_results);

const headBytesOf = (keyCount: number): number => HEAD_BYTES + (keyCount === NO_KEYS ? 0 : keyCount * PUBLIC_KEY_BYTES);

/** Where those records begin that still wait. */
function* waiting({ bytes, view, from, to }: Chunk): IterableIterator<number> {
  for (let at = from; at < to; at += view.getUint32(at, true)) if (bytes[at + WAITS_AT] === 1) yield at;
}

const idOf = ({ bytes }: Chunk, at: number): TransactionId => toHex(bytes.subarray(at + ID_AT, at + ID_AT + ID_BYTES));

const placeOf = ({ number }: Chunk, at: number): number => number * CHUNK_BYTES + at;

const sizeOf = ({ bytes, view }: Chunk, at: number): number =>
  view.getUint32(at, true) - headBytesOf(bytes[at + KEYS_AT] as number);

function keysOf({ bytes }: Chunk, at: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const from = at + HEAD_BYTES + i * PUBLIC_KEY_BYTES;
    return toHex(bytes.subarray(from, from + PUBLIC_KEY_BYTES));
  });
}
