import { passingBytes } from '../base/bytes.js';
import { type ChainError, check, defineErrors } from '../base/errors.js';
import type { PublicKey } from '../crypto/public-key.js';
import {
  DIGEST_BYTES,
  RECOVERED_KEY_BYTES,
  SIGNATURE_BYTES,
  SIGNATURE_ERRORS,
  SIGNATURE_STATUS,
  type SignatureStatus,
  signatureError,
} from '../crypto/signature.js';

export const VERIFY_ERRORS = defineErrors({
  verify_batch_uneven: {
    kind: 'bug',
    text: 'batch of ${digestBytes} digest bytes and ${signatureBytes} signature bytes does not hold pairs',
  },
  verifier_closed: { kind: 'limit', text: 'signature verifier is closed' },
  verifier_worker_failed: { kind: 'environment', text: 'a thread of the signature verifier has failed: ${reason}' },
});

/** Packed pairs: 32 bytes of digest and 65 bytes of signature each. Must not be changed before the answer is there. */
export interface SignatureBatch {
  readonly digests: Uint8Array;
  readonly signatures: Uint8Array;
}

/** A batch that is packed pair by pair. */
export class BatchWriter implements SignatureBatch {
  readonly digests: Uint8Array;
  readonly signatures: Uint8Array;
  /** Pairs that are packed. */
  count = 0;

  /** `room`: how many pairs there will be. */
  constructor(room: number) {
    this.digests = passingBytes(room * DIGEST_BYTES);
    this.signatures = passingBytes(room * SIGNATURE_BYTES);
  }

  /** Where the digest of the next pair has to be written before `sign`. */
  get digestAt(): number {
    return this.count * DIGEST_BYTES;
  }

  add(digest: Uint8Array, signatures: readonly Uint8Array[]): void {
    check(digest.length === DIGEST_BYTES, SIGNATURE_ERRORS.digest_length_wrong, { actual: digest.length });
    for (const signature of signatures) {
      const { length } = signature;
      check(length === SIGNATURE_BYTES, SIGNATURE_ERRORS.signature_length_wrong, { actual: length });
      this.digests.set(digest, this.digestAt);
      this.signatures.set(signature, this.count * SIGNATURE_BYTES);
      this.count++;
    }
  }

  /** So many signatures, which stand there one after another, are of the digest that was written last. */
  sign(bytes: Uint8Array, at: number, count: number): void {
    const { digests, signatures, digestAt: first } = this;
    const to = this.count * SIGNATURE_BYTES;
    // By hand: a view of so few bytes would take longer.
    for (let i = 0; i < count * SIGNATURE_BYTES; i++) signatures[to + i] = bytes[at + i] as number;
    for (let i = 1; i < count; i++) digests.copyWithin(first + i * DIGEST_BYTES, first, first + DIGEST_BYTES);
    this.count += count;
  }
}

/** Number of pairs of a well-formed batch. */
export function countBatch({ digests, signatures }: SignatureBatch): number {
  const count = digests.length / DIGEST_BYTES;
  check(Number.isInteger(count) && signatures.length === count * SIGNATURE_BYTES, VERIFY_ERRORS.verify_batch_uneven, {
    digestBytes: digests.length,
    signatureBytes: signatures.length,
  });
  return count;
}

/** What was found out about pairs, perhaps those of many batches. */
export interface Answers {
  readonly signatures: Uint8Array;
  /** Node's own kind gives the text of one key without a view of that key. */
  readonly keys: Buffer;
  readonly statuses: Uint8Array;
}

/** Answer to a batch. A bad signature is the error of its own item; the others of the batch have their keys. */
export class RecoveredKeys {
  readonly count: number;
  readonly #answers: Answers;
  /** The first of this batch among all pairs. */
  readonly #from: number;

  constructor(answers: Answers, from: number, count: number) {
    this.#answers = answers;
    this.#from = from;
    this.count = count;
  }

  /** Of a batch without pairs. */
  static none(): RecoveredKeys {
    const nothing = Buffer.alloc(0);
    return new RecoveredKeys({ signatures: nothing, keys: nothing, statuses: nothing }, 0, 0);
  }

  /** Throws the item's error where its signature is bad. */
  keyAt(index: number): PublicKey {
    const error = this.errorAt(index);
    if (error !== undefined) throw error;
    const at = (this.#from + index) * RECOVERED_KEY_BYTES;
    return this.#answers.keys.toString('hex', at, at + RECOVERED_KEY_BYTES);
  }

  errorAt(index: number): ChainError | undefined {
    const at = this.#from + index;
    const status = this.#answers.statuses[at] as number;
    if (status === SIGNATURE_STATUS.ok) return undefined;
    return signatureError(status, this.#answers.signatures[at * SIGNATURE_BYTES] as number);
  }
}

/** Answers one by one, in the caller's thread. */
export function recoverAll(
  batch: SignatureBatch,
  recover: (index: number, keys: Uint8Array) => SignatureStatus,
): RecoveredKeys {
  const count = countBatch(batch);
  const keys = Buffer.alloc(count * RECOVERED_KEY_BYTES);
  const statuses = Uint8Array.from({ length: count }, (_, i) => recover(i, keys));
  return new RecoveredKeys({ signatures: batch.signatures, keys, statuses }, 0, count);
}

/** Recovers keys of signatures, here or in threads. Holds no state of the chain. */
export interface SignatureVerifier {
  /** Threads; zero when the work is done in the caller's. */
  readonly workers: number;
  /** Name of the curve library. */
  readonly backend: string;
  /** Batches that have not been handed to a thread, where there are threads. */
  readonly waiting?: number;
  /** Rejects when the verifier is closed or broken, never because of a signature. */
  recover(batch: SignatureBatch): Promise<RecoveredKeys>;
  /** Finishes what is under way, refuses what waits, and leaves no thread behind. */
  close(): Promise<void>;
}
