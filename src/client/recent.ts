import type { TransactionId } from '../crypto/digests.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import { idOfTransaction } from './transactions.js';

/** So long an id is remembered, in the chain's time. */
const REMEMBERED_SEC = 120;

/**
 * What was made a short time ago. The same payment twice on one head would be one transaction, and the chain would take it
 * once: whoever makes it again means another one.
 */
export class RecentTransactions {
  readonly #made = new Map<TransactionId, number>();

  /** With its own expiry, or as many seconds later as it takes to be none of those. `time` is that of the head. */
  distinct(tx: SignedTransaction, time: number): SignedTransaction {
    for (const [id, made] of this.#made) if (made + REMEMBERED_SEC < time) this.#made.delete(id);
    for (let later = 0; ; later++) {
      const candidate = { ...tx, expiration: tx.expiration + later };
      const id = idOfTransaction(candidate);
      if (this.#made.has(id)) continue;
      this.#made.set(id, time);
      return candidate;
    }
  }
}
