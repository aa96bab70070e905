import { fromHexInto, toHex } from '../base/bytes.js';
import { invariant } from '../base/errors.js';
import { decodeTrusted, encodeWith } from '../codec/binary.js';
import type { ChainId, TransactionId } from '../crypto/digests.js';
import { PUBLIC_KEY_BYTES } from '../crypto/public-key.js';
import { billedCpuTimeOfAll } from '../protocol/results.js';
import { processedTransaction } from '../protocol/transaction.js';
import { TransactionFacts } from './facts.js';

/**
 * Transactions that wait for their turn, first in, first out. They are bytes in a few large buffers: hundreds of thousands
 * of them are nothing that the garbage collector has to walk through, and none becomes objects again before its turn.
 * Those that were taken back for a moment, at most a block or two of them, stand before all others and stay objects.
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

/** Where one stands: for whoever keeps it by its id. */
export type BacklogPlace = number | Returned;

export class Backlog {
  readonly #chainId: ChainId;
  /** The first one last. */
  #returned: Returned[] = [];
  #chunks: Chunk[] = [];
  #nextNumber = 0;
  #count = 0;
  #bytes = 0;
  #cpuUs = 0;

  constructor(chainId: ChainId) {
    this.#chainId = chainId;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
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
  putBack(facts: TransactionFacts): BacklogPlace {
    const returned = { facts, waits: true };
    this.#returned.push(returned);
    this.#add(facts.size, cpuOf(facts), 1);
    return returned;
  }

  /** Behind all others. */
  append(facts: TransactionFacts): BacklogPlace {
    const { transaction } = facts;
    return encodeWith(processedTransaction, transaction, (packed) => {
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
      return chunk.number * CHUNK_BYTES + at;
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
    return chunk;
  }

  /** The one at this place waits no longer. Its size. */
  remove(place: BacklogPlace): number {
    if (typeof place !== 'number') {
      place.waits = false;
      this.#add(place.facts.size, cpuOf(place.facts), -1);
      return place.facts.size;
    }
    const number = Math.floor(place / CHUNK_BYTES);
    const chunk = this.#chunks.find((one) => one.number === number);
    invariant(chunk !== undefined, 'a place that was given stays until its record is taken');
    return this.#end(chunk, place % CHUNK_BYTES);
  }

  #end(chunk: Chunk, at: number): number {
    const size = sizeOf(chunk, at);
    chunk.bytes[at + WAITS_AT] = 0;
    this.#add(size, chunk.view.getUint32(at + CPU_AT, true), -1);
    return size;
  }

  /** Those that no block from `time` on can have any more, each by its id and size. */
  removeExpired(time: number, tell: (id: TransactionId, size: number) => void): void {
    for (const one of this.#returned) {
      if (one.waits && one.facts.transaction.expiration < time) tell(one.facts.id, this.remove(one));
    }
    for (const chunk of this.#chunks) {
      if (chunk.firstExpiration >= time) continue;
      chunk.firstExpiration = NEVER;
      for (const at of waiting(chunk)) {
        const expiration = chunk.view.getUint32(at + EXPIRATION_AT, true);
        if (expiration < time) tell(idOf(chunk, at), this.#end(chunk, at));
        else chunk.firstExpiration = Math.min(chunk.firstExpiration, expiration);
      }
    }
  }

  /** The first one, which is taken out. */
  take(): TransactionFacts | undefined {
    for (let one = this.#returned.pop(); one !== undefined; one = this.#returned.pop()) {
      if (!one.waits) continue;
      this.remove(one);
      return one.facts;
    }
    for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
      const at = waiting(chunk).next().value;
      if (at !== undefined) {
        const facts = this.#read(chunk, at);
        this.#end(chunk, at);
        chunk.from = at + chunk.view.getUint32(at, true);
        return facts;
      }
      this.#chunks.shift();
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
    this.#chunks = [];
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

const sizeOf = ({ bytes, view }: Chunk, at: number): number =>
  view.getUint32(at, true) - headBytesOf(bytes[at + KEYS_AT] as number);

function keysOf({ bytes }: Chunk, at: number, count: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const from = at + HEAD_BYTES + i * PUBLIC_KEY_BYTES;
    return toHex(bytes.subarray(from, from + PUBLIC_KEY_BYTES));
  });
}
