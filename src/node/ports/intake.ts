import { check, defineErrors } from '../../base/errors.js';
import { LIMITS } from '../../base/limits.js';
import type { ChainId } from '../../crypto/digests.js';
import { SIGNATURE_BYTES } from '../../crypto/signature.js';
import type { SignedTransaction } from '../../protocol/transaction.js';
import type { VerifiedTransaction } from '../../protocol/verified.js';
import { type PackedTransaction, packTransaction, verifyPacked } from '../../verify/signed.js';
import type { SignatureVerifier } from '../../verify/verify.js';

export const INTAKE_ERRORS = defineErrors({
  intake_full: {
    kind: 'limit',
    text: 'this node has ${count} transactions of ${bytes} bytes to check and takes no more at the moment',
  },
});

export interface IntakeLimits {
  readonly transactions: number;
  readonly bytes: number;
}

const INTAKE_LIMITS: IntakeLimits = { transactions: LIMITS.intake_transactions_max, bytes: LIMITS.intake_bytes_max };

interface Waiting {
  readonly bytes: number;
  readonly packed: PackedTransaction;
  readonly take: (verified: VerifiedTransaction) => void;
  readonly reject: (reason: unknown) => void;
}

/** Transactions whose signatures one batch holds. */
const BATCH_MAX = 256;
/** Fewer are not divided among batches: a message to a thread costs about as much as a signature. */
const BATCH_MIN = 16;
/** Signatures of one batch, unless one transaction alone has more. */
const SIGNATURES_MAX = 1024;
/** Whoever waited goes on with its transaction in the same turn of the event loop; after so long the others get theirs. */
const TURN_MS = 10;
/** The next batch lies ready when a thread has finished one while the main thread is busy. */
const BATCHES_PER_THREAD = 2;

/**
 * Transactions on their way in. What arrives in one turn of the event loop goes to the threads together, and while they
 * work on one batch the next one gathers: a flood of single transactions costs few messages between threads.
 */
export class TransactionIntake {
  readonly #verifier: SignatureVerifier;
  readonly #chainId: ChainId;
  readonly #batchesMax: number;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #isGathering = false;
  /** Done when the newest batch is. */
  #last: Promise<void> = Promise.resolve();
  readonly #limits: IntakeLimits;
  /** Transactions inside, and their bytes. */
  #count = 0;
  #bytes = 0;

  constructor(verifier: SignatureVerifier, chainId: ChainId, limits: IntakeLimits = INTAKE_LIMITS) {
    this.#limits = limits;
    this.#verifier = verifier;
    this.#chainId = chainId;
    this.#batchesMax = BATCHES_PER_THREAD * Math.max(1, verifier.workers);
  }

  /**
   * Gives it to `use` as soon as its keys are known, in the order of the calls, whatever is wrong with a signature. Refuses
   * what there is no room for, and then nothing has happened.
   */
  verify<R>(transaction: SignedTransaction, use: (verified: VerifiedTransaction) => R): Promise<R> {
    return new Promise((resolve, reject) => {
      const take = (verified: VerifiedTransaction): void => {
        try {
          resolve(use(verified));
        } catch (error) {
          reject(error);
        }
      };
      const full = () => ({ count: this.#count, bytes: this.#bytes });
      check(this.#count < this.#limits.transactions, INTAKE_ERRORS.intake_full, full);
      // Here and not with the others of its batch: who sends a large one spends its own time on it.
      const packed = packTransaction(this.#chainId, transaction);
      const bytes = packed.packedBytes + SIGNATURE_BYTES * transaction.signatures.length;
      // One alone is always taken; how large it may be is for others to say.
      const fits = this.#count === 0 || this.#bytes + bytes <= this.#limits.bytes;
      check(fits, INTAKE_ERRORS.intake_full, full);
      this.#count++;
      this.#bytes += bytes;
      this.#waiting.push({ packed, bytes, take, reject });
      if (this.#isGathering || this.#underWay >= this.#batchesMax) return;
      this.#isGathering = true;
      setImmediate(() => {
        this.#isGathering = false;
        this.#next();
      });
    });
  }

  /** Divides what waits among the free places: while the main thread applies one half, the threads have the other. */
  #next(): void {
    while (this.#underWay < this.#batchesMax && this.#waiting.length > 0) {
      const share = Math.ceil(this.#waiting.length / (this.#batchesMax - this.#underWay));
      const batch = this.#take(Math.min(BATCH_MAX, Math.max(BATCH_MIN, share)));
      this.#underWay++;
      this.#last = this.#run(batch, this.#last);
    }
  }

  #take(countMax: number): Waiting[] {
    let count = 0;
    let signatures = 0;
    for (const { packed } of this.#waiting) {
      signatures += packed.transaction.signatures.length;
      if (count === countMax || (count > 0 && signatures > SIGNATURES_MAX)) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  async #run(batch: readonly Waiting[], before: Promise<void>): Promise<void> {
    try {
      const packed = batch.map((one) => one.packed);
      const verified = await verifyPacked(this.#verifier, packed);
      // With several threads a later batch may be done first; a client's transactions build on each other.
      await before;
      let end = performance.now() + TURN_MS;
      for (const [i, one] of batch.entries()) {
        this.#leave(one);
        one.take(verified[i] as VerifiedTransaction);
        await undefined;
        if (performance.now() < end) continue;
        await new Promise(setImmediate);
        end = performance.now() + TURN_MS;
      }
    } catch (error) {
      for (const one of batch) {
        this.#leave(one);
        one.reject(error);
      }
    } finally {
      this.#underWay--;
      this.#next();
    }
  }

  #leave({ bytes }: Waiting): void {
    this.#count--;
    this.#bytes -= bytes;
  }
}
