import type { TransactionId } from '../../crypto/digests.js';
import { P2P_LIMITS } from '../limits.js';
import type { ItemHash } from '../wire/messages.js';

export interface OwnTransaction {
  readonly hash: ItemHash;
  readonly payload: Uint8Array;
  /** Seconds since 1970: no block takes it from then on. */
  readonly expiration: number;
}

/**
 * What clients of this node were told is accepted. It was announced to whoever was there then; those that come later
 * have to hear of it too, or a client of a node without peers waits for a block that nobody makes.
 */
export class OwnTransactions {
  readonly #byId = new Map<TransactionId, OwnTransaction>();
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(id: TransactionId, transaction: OwnTransaction): void {
    if (this.#byId.has(id)) return;
    this.#byId.set(id, transaction);
    this.#bytes += transaction.payload.length;
    const { own_transactions_max, own_transactions_bytes_max } = P2P_LIMITS;
    // The oldest have had the most time to get around.
    for (const oldest of this.#byId.keys()) {
      if (this.#byId.size <= own_transactions_max && this.#bytes <= own_transactions_bytes_max) return;
      this.#drop(oldest);
    }
  }

  #drop(id: TransactionId): void {
    this.#bytes -= this.#byId.get(id)?.payload.length ?? 0;
    this.#byId.delete(id);
  }

  dropExpired(nowSec: number): void {
    for (const [id, { expiration }] of this.#byId) if (expiration <= nowSec) this.#drop(id);
  }

  /** Those that are in no block; one whose block was undone is among them again. */
  *waiting(isWaiting: (id: TransactionId) => boolean): Iterable<OwnTransaction> {
    for (const [id, transaction] of this.#byId) if (isWaiting(id)) yield transaction;
  }
}
