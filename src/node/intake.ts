import type { ChainId } from '../crypto/digests.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { VerifiedTransaction } from '../protocol/verified.js';
import { verifyTransactions } from '../verify/signed.js';
import type { SignatureVerifier } from '../verify/verify.js';

interface Waiting {
  readonly transaction: SignedTransaction;
  readonly resolve: (verified: VerifiedTransaction) => void;
  readonly reject: (reason: unknown) => void;
}

/** Transactions whose signatures one batch holds. */
const BATCH_MAX = 256;
/** Fewer are not divided among batches: a message to a thread costs about as much as a signature. */
const BATCH_MIN = 16;
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

  constructor(verifier: SignatureVerifier, chainId: ChainId) {
    this.#verifier = verifier;
    this.#chainId = chainId;
    this.#batchesMax = BATCHES_PER_THREAD * Math.max(1, verifier.workers);
  }

  /** Resolves in the order of the calls; never rejects because of a signature. */
  verify(transaction: SignedTransaction): Promise<VerifiedTransaction> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ transaction, resolve, reject });
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
      const batch = this.#waiting.splice(0, Math.min(BATCH_MAX, Math.max(BATCH_MIN, share)));
      this.#underWay++;
      this.#last = this.#run(batch, this.#last);
    }
  }

  async #run(batch: readonly Waiting[], before: Promise<void>): Promise<void> {
    try {
      const transactions = batch.map((one) => one.transaction);
      const verified = await verifyTransactions(this.#verifier, this.#chainId, transactions);
      // With several threads a later batch may be done first; a client's transactions build on each other.
      await before;
      for (const [i, one] of batch.entries()) one.resolve(verified[i] as VerifiedTransaction);
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      this.#underWay--;
      this.#next();
    }
  }
}
