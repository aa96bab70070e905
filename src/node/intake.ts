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

/**
 * Transactions on their way in. While the threads work on one batch the next one gathers, so that a flood of single
 * transactions costs few messages between threads, and a single one does not wait.
 */
export class TransactionIntake {
  readonly #verifier: SignatureVerifier;
  readonly #chainId: ChainId;
  readonly #batchesMax: number;
  #waiting: Waiting[] = [];
  #underWay = 0;

  constructor(verifier: SignatureVerifier, chainId: ChainId) {
    this.#verifier = verifier;
    this.#chainId = chainId;
    this.#batchesMax = Math.max(1, verifier.workers);
  }

  /** Resolves in the order of the calls within a batch; never rejects because of a signature. */
  verify(transaction: SignedTransaction): Promise<VerifiedTransaction> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ transaction, resolve, reject });
      this.#next();
    });
  }

  #next(): void {
    if (this.#underWay >= this.#batchesMax || this.#waiting.length === 0) return;
    const batch = this.#waiting.slice(0, BATCH_MAX);
    this.#waiting = this.#waiting.slice(BATCH_MAX);
    this.#underWay++;
    void this.#run(batch);
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    try {
      const transactions = batch.map((one) => one.transaction);
      const verified = await verifyTransactions(this.#verifier, this.#chainId, transactions);
      for (const [i, one] of batch.entries()) one.resolve(verified[i] as VerifiedTransaction);
    } catch (error) {
      for (const one of batch) one.reject(error);
    } finally {
      this.#underWay--;
      this.#next();
    }
  }
}
