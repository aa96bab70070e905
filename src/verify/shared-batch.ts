import { DIGEST_BYTES, RECOVERED_KEY_BYTES, SIGNATURE_BYTES, type SignatureBackend } from '../crypto/signature.js';
import type { Answers, SignatureBatch } from './verify.js';

/**
 * One batch, of one caller or of several, in memory that all threads see: two counters, the packed input, the packed output.
 * The input is copied once, on the way in; the answers are views. Every thread takes the next few items from the
 * common counter until none are left, so no thread is idle while another still has a pile.
 */

const COUNTER_BYTES = 8;
/** Index of the counter of items that are given out. */
const TAKEN = 0;
/** Index of the counter of items that are answered. */
const DONE = 1;

/** Items taken at a time: under a millisecond of native work, and very many times the cost of taking them. */
export const ITEMS_PER_GRAB = 16;

export class SharedBatch implements Answers {
  readonly memory: SharedArrayBuffer;
  readonly count: number;
  readonly #counters: Int32Array;
  readonly #digests: Uint8Array;
  readonly signatures: Uint8Array;
  readonly keys: Buffer;
  readonly statuses: Uint8Array;

  constructor(memory: SharedArrayBuffer, count: number) {
    this.memory = memory;
    this.count = count;
    let at = COUNTER_BYTES;
    const part = (bytes: number) => {
      at += bytes;
      return new Uint8Array(memory, at - bytes, bytes);
    };
    this.#counters = new Int32Array(memory, 0, 2);
    this.#digests = part(count * DIGEST_BYTES);
    this.signatures = part(count * SIGNATURE_BYTES);
    const keys = part(count * RECOVERED_KEY_BYTES);
    this.keys = Buffer.from(memory, keys.byteOffset, keys.length);
    this.statuses = part(count);
  }

  /** Of several callers, one after another; `count` is that of all their items. */
  static of(callers: readonly { readonly batch: SignatureBatch }[], count: number): SharedBatch {
    const itemBytes = DIGEST_BYTES + SIGNATURE_BYTES + RECOVERED_KEY_BYTES + 1;
    const shared = new SharedBatch(new SharedArrayBuffer(COUNTER_BYTES + count * itemBytes), count);
    let [digests, signatures] = [0, 0];
    for (const { batch } of callers) {
      shared.#digests.set(batch.digests, digests);
      shared.signatures.set(batch.signatures, signatures);
      digests += batch.digests.length;
      signatures += batch.signatures.length;
    }
    return shared;
  }

  /** Answers items until all of them are given out. */
  work(backend: SignatureBackend): void {
    for (;;) {
      const from = Atomics.add(this.#counters, TAKEN, ITEMS_PER_GRAB);
      if (from >= this.count) return;
      const to = Math.min(from + ITEMS_PER_GRAB, this.count);
      for (let i = from; i < to; i++) {
        this.statuses[i] = backend.recoverInto(this.#digests, this.signatures, i, this.keys);
      }
      Atomics.add(this.#counters, DONE, to - from);
    }
  }

  get isDone(): boolean {
    return Atomics.load(this.#counters, DONE) === this.count;
  }
}
