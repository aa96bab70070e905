import { type ChainError, check, defineErrors } from '../base/errors.js';
import type { PublicKey } from '../crypto/public-key.js';
import {
  DIGEST_BYTES,
  RECOVERED_KEY_BYTES,
  SIGNATURE_BYTES,
  SIGNATURE_ERRORS,
  SIGNATURE_STATUS,
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
    this.digests = new Uint8Array(room * DIGEST_BYTES);
    this.signatures = new Uint8Array(room * SIGNATURE_BYTES);
  }

  /** Where the digest of the next pair has to be written before `sign`. */
  get digestAt(): number {
    return this.count * DIGEST_BYTES;
  }

  add(digest: Uint8Array, signatures: readonly Uint8Array[]): void {
    check(digest.length === DIGEST_BYTES, SIGNATURE_ERRORS.digest_length_wrong, { actual: digest.length });
    if (signatures.length === 0) return;
    this.digests.set(digest, this.digestAt);
    this.sign(signatures);
  }

  /** All of these sign the digest that was written last. */
  sign(signatures: readonly Uint8Array[]): void {
    const first = this.digestAt;
    for (let i = 0; i < signatures.length; i++) {
      const signature = signatures[i] as Uint8Array;
      const { length } = signature;
      check(length === SIGNATURE_BYTES, SIGNATURE_ERRORS.signature_length_wrong, { actual: length });
      if (i > 0) this.digests.copyWithin(this.digestAt, first, first + DIGEST_BYTES);
      this.signatures.set(signature, this.count * SIGNATURE_BYTES);
      this.count++;
    }
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

/** Answer to a batch. A bad signature is the error of its own item; the others of the batch have their keys. */
export class RecoveredKeys {
  readonly count: number;
  readonly #signatures: Uint8Array;
  /** Node's own kind gives the text of one key without a view of that key. */
  readonly #keys: Buffer;
  readonly #statuses: Uint8Array;

  constructor(batch: SignatureBatch, keys: Uint8Array, statuses: Uint8Array) {
    this.count = statuses.length;
    this.#signatures = batch.signatures;
    this.#keys = Buffer.from(keys.buffer, keys.byteOffset, keys.length);
    this.#statuses = statuses;
  }

  /** Of a batch without pairs. */
  static none(batch: SignatureBatch): RecoveredKeys {
    return new RecoveredKeys(batch, new Uint8Array(0), new Uint8Array(0));
  }

  /** Throws the item's error where its signature is bad. */
  keyAt(index: number): PublicKey {
    const error = this.errorAt(index);
    if (error !== undefined) throw error;
    return this.#keys.toString('hex', index * RECOVERED_KEY_BYTES, (index + 1) * RECOVERED_KEY_BYTES);
  }

  errorAt(index: number): ChainError | undefined {
    const status = this.#statuses[index] as number;
    if (status === SIGNATURE_STATUS.ok) return undefined;
    return signatureError(status, this.#signatures[index * SIGNATURE_BYTES] as number);
  }
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
