import { ChainError, defineErrors } from '../base/errors.js';
import { forgetOldest } from '../base/forget-oldest.js';
import { encode } from '../codec/binary.js';
import { transactionId } from '../crypto/digests.js';
import type { ProcessedTransaction, SignedTransaction } from '../protocol/transaction.js';
import { transaction as transactionType } from '../protocol/transaction.js';
import { RPC_ERRORS } from './errors.js';
import type { AppliedBlock, ChainNotice, RpcPorts, TransactionPlace } from './ports.js';

export const CONFIRMATION_ERRORS = defineErrors({
  confirmation_expired: {
    code: 3030000,
    name: 'transaction_exception',
    title: 'transaction validation exception',
    text: 'transaction ${id} expired before a block took it',
  },
  confirmation_waiters: { text: 'this node waits for ${count} transactions already and takes no more at the moment' },
});

export function idOfTransaction(transaction: SignedTransaction): string {
  return transactionId(encode(transactionType, transaction));
}

/** What `broadcast_transaction_synchronous` answers and its callback form sends. */
export interface Confirmation {
  readonly id: string;
  readonly block_num: number;
  readonly trx_num: number;
  readonly trx: ProcessedTransaction;
}

interface Waiter {
  readonly expiration: number;
  /** Told again when a fork switch has taken the transaction back and another block has it. */
  readonly repeats?: boolean;
  included(confirmation: Confirmation): void;
  refused(error: ChainError): void;
}

/** Newest transactions whose place a node without an index on disk remembers. */
const RECENT_MAX = 200_000;
const WAITERS_MAX = 50_000;

/** Where transactions went: recent ones by id, and who waits for one to be taken into a block. */
export class Confirmations {
  readonly #node: RpcPorts;
  /** In the order of arrival, so the first key is the oldest. */
  readonly #recent = new Map<string, TransactionPlace>();
  readonly #waiters = new Map<string, Waiter[]>();
  /** Those who were told of a block that may still be taken back. */
  readonly #told = new Map<string, { readonly number: number; readonly list: Waiter[] }>();
  #waiting = 0;

  constructor(node: RpcPorts) {
    this.#node = node;
  }

  get waiting(): number {
    return this.#waiting;
  }

  find(id: string): TransactionPlace | undefined {
    return this.#recent.get(id) ?? this.#node.transactions?.find(id);
  }

  /** Register before the transaction is pushed: a block may follow at once. The function that comes back takes it out. */
  wait(id: string, waiter: Waiter): () => void {
    if (this.#waiting >= WAITERS_MAX)
      throw new ChainError(CONFIRMATION_ERRORS.confirmation_waiters, { count: this.#waiting });
    const list = this.#waiters.get(id);
    if (list === undefined) this.#waiters.set(id, [waiter]);
    else list.push(waiter);
    this.#waiting++;
    return () => this.#forget(id, waiter);
  }

  #forget(id: string, waiter: Waiter): void {
    for (const [list, map] of [
      [this.#waiters.get(id), this.#waiters],
      [this.#told.get(id)?.list, this.#told],
    ] as const) {
      const at = list?.indexOf(waiter) ?? -1;
      if (list === undefined || at < 0) continue;
      list.splice(at, 1);
      this.#waiting--;
      if (list.length === 0) map.delete(id);
    }
  }

  follow(notice: ChainNotice): void {
    if (notice.kind === 'applied') this.#applied(notice.block);
    else if (notice.kind === 'undone') this.#undone(notice.block);
    else if (notice.kind === 'irreversible') this.#irreversible(notice.number);
  }

  #applied({ number, block, transactionIds }: AppliedBlock): void {
    block.transactions.forEach((transaction, position) => {
      const id = transactionIds[position] as string;
      if (this.#node.transactions === undefined) this.#recent.set(id, { block: number, position });
      const list = this.#waiters.get(id);
      if (list === undefined) return;
      this.#waiters.delete(id);
      const repeating = list.filter(({ repeats }) => repeats === true);
      this.#waiting -= list.length - repeating.length;
      if (repeating.length > 0) this.#told.set(id, { number, list: repeating });
      for (const waiter of list) waiter.included({ id, block_num: number, trx_num: position, trx: transaction });
    });
    forgetOldest(this.#recent, RECENT_MAX);
    this.#expire(block.timestamp);
  }

  #undone({ transactionIds }: AppliedBlock): void {
    for (const id of transactionIds) {
      this.#recent.delete(id);
      const told = this.#told.get(id);
      if (told === undefined) continue;
      this.#told.delete(id);
      this.#waiters.set(id, [...told.list, ...(this.#waiters.get(id) ?? [])]);
    }
  }

  #irreversible(upTo: number): void {
    for (const [id, { number, list }] of this.#told) {
      if (number > upTo) continue;
      this.#told.delete(id);
      this.#waiting -= list.length;
    }
  }

  /** Nothing that has expired by the head's time can be taken any more: waiting on would never end. */
  #expire(now: number): void {
    for (const [id, list] of this.#waiters) {
      for (const waiter of list.filter((one) => one.expiration < now)) {
        this.#forget(id, waiter);
        waiter.refused(new ChainError(CONFIRMATION_ERRORS.confirmation_expired, { id }));
      }
    }
  }

  close(): void {
    const closing = new ChainError(RPC_ERRORS.rpc_connection_closed);
    for (const list of this.#waiters.values()) for (const waiter of list) waiter.refused(closing);
    this.#waiters.clear();
    this.#told.clear();
    this.#waiting = 0;
  }
}
