import { defineErrors, fail } from '../base/errors.js';
import { type BlockId, refBlockPrefix, type TransactionId } from '../crypto/digests.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { NodeClient } from './client.js';
import { idOfTransaction } from './transactions.js';

/**
 * Follows a transaction that was sent: into a block, out of it again when a fork switch takes the block back, to where
 * nothing can take it back any more, or to where no block can take it. Only what every node of the family answers is
 * asked, so it works with any of them and also for transactions of yesterday.
 */

export const CONFIRMATION_ERRORS = defineErrors({
  client_blocks_missing: {
    kind: 'environment',
    text: 'this node lacks blocks ${from} to ${to}, and one of them may have transaction ${id}',
    hint: 'a node that has all blocks knows; before it was asked the transaction must not be made anew',
  },
});

export type TransactionStatus =
  /** In no block yet; the next one can take it. */
  | { readonly state: 'waiting' }
  /** In a block that a fork switch can still take back. */
  | {
      readonly state: 'included';
      readonly block_num: number;
      readonly block_id: BlockId;
      readonly confirmations: number;
    }
  | { readonly state: 'irreversible'; readonly block_num: number; readonly block_id: BlockId }
  /** No block of this branch can take it any more, but one of another branch still may. */
  | { readonly state: 'late' }
  /** No block will ever take it: nothing was done, and it can be made anew. */
  | { readonly state: 'expired' };

/** After these nothing changes any more. */
export const isFinal = ({ state }: TransactionStatus): boolean => state === 'irreversible' || state === 'expired';

type Asked = Pick<NodeClient, 'database'>;

interface SeenBlock {
  readonly number: number;
  readonly id: BlockId;
  readonly time: number;
  readonly holds: boolean;
}

const UNKNOWN: BlockId = '';

/** Numbers of the blocks that a transaction names are kept in so many bits. */
const REFERENCE_RANGE = 0x1_0000;

/** The newest block whose number ends like the one that the transaction names. */
function referenceBlock({ ref_block_num }: SignedTransaction, head: number): number {
  const behind = (((head - ref_block_num) % REFERENCE_RANGE) + REFERENCE_RANGE) % REFERENCE_RANGE;
  return Math.max(0, head - behind);
}

export class TransactionWatch {
  readonly id: TransactionId;
  readonly #database: Asked['database'];
  readonly #transaction: SignedTransaction;
  /** One branch from the block that the transaction names on; what is irreversible is forgotten but for the last one. */
  #branch: SeenBlock[] = [];
  /** Blocks that might have it and that the node lacks, as one does that has begun with a snapshot. */
  #missing: { readonly from: number; readonly to: number } | undefined;

  constructor({ database }: Asked, transaction: SignedTransaction) {
    this.#database = database;
    this.#transaction = transaction;
    this.id = idOfTransaction(transaction);
  }

  /** How it stands now. */
  async poll(): Promise<TransactionStatus> {
    const { head_block_number, last_irreversible_block_num } = await this.#database.get_dynamic_global_properties();
    if (this.#branch.length === 0) await this.#begin(head_block_number);
    await this.#followForks();
    await this.#read(head_block_number, last_irreversible_block_num);
    const status = this.#status(head_block_number, last_irreversible_block_num);
    this.#forget(last_irreversible_block_num);
    return status;
  }

  async #begin(head: number): Promise<void> {
    const { expiration, ref_block_prefix } = this.#transaction;
    let likely: SeenBlock | undefined;
    let number = referenceBlock(this.#transaction, head);
    // Numbers end alike again and again. What is days old names none of the newest such blocks, and behind those it would
    // not be found: who takes it for expired does it a second time.
    for (; number > 0; number -= REFERENCE_RANGE) {
      const block = await this.#block(number);
      if (block === undefined) break;
      if (refBlockPrefix(block.id) === ref_block_prefix) {
        likely = block;
        break;
      }
      if (likely !== undefined) break;
      // It may name a block of another branch, which is not here.
      if (block.time <= expiration) likely = block;
    }
    // There is no block 0, and a node may have begun later: what comes next is then taken as it is.
    this.#branch = [likely ?? { number: Math.max(0, number), id: UNKNOWN, time: 0, holds: false }];
  }

  async #block(number: number): Promise<(SeenBlock & { readonly previous: BlockId }) | undefined> {
    const block = await this.#database.get_block({ block_num: number });
    if (block === undefined) return undefined;
    const { block_id, previous, timestamp, transaction_ids } = block;
    return { number, id: block_id, previous, time: timestamp, holds: transaction_ids.includes(this.id) };
  }

  /** Takes back what is no longer on the node's branch. */
  async #followForks(): Promise<void> {
    for (let last = this.#last; this.#branch.length > 1; last = this.#last) {
      if ((await this.#block(last.number))?.id === last.id) return;
      this.#branch.pop();
    }
  }

  get #last(): SeenBlock {
    return this.#branch[this.#branch.length - 1] as SeenBlock;
  }

  /** A block can take it while the one before is not younger than its expiry. */
  get #isOver(): boolean {
    return this.#last.time > this.#transaction.expiration;
  }

  async #read(head: number, irreversible: number): Promise<void> {
    while (this.#last.number < head && !this.#branch.some(({ holds }) => holds) && !this.#isOver) {
      const number = this.#last.number + 1;
      const next = await this.#block(number);
      if (next === undefined && number < head && number <= irreversible) {
        await this.#pass(number, head);
        continue;
      }
      // A fork switch between two questions: the next poll sees it whole.
      if (next === undefined || (this.#last.id !== UNKNOWN && next.previous !== this.#last.id)) return;
      this.#branch.push(next);
    }
  }

  /** Goes to the last block before those that the node has. Waiting would not bring what it lacks. */
  async #pass(from: number, head: number): Promise<void> {
    let [to, has] = [from, head];
    while (has - to > 1) {
      const middle = Math.floor((to + has) / 2);
      if ((await this.#block(middle)) === undefined) to = middle;
      else has = middle;
    }
    this.#missing = { from, to };
    this.#branch.push({ number: to, id: UNKNOWN, time: 0, holds: false });
  }

  #status(head: number, irreversible: number): TransactionStatus {
    const found = this.#branch.find(({ holds }) => holds);
    if (found !== undefined) {
      const { number: block_num, id: block_id } = found;
      if (block_num <= irreversible) return { state: 'irreversible', block_num, block_id };
      return { state: 'included', block_num, block_id, confirmations: Math.max(1, head - block_num + 1) };
    }
    if (!this.#isOver) return { state: 'waiting' };
    if (this.#last.number > irreversible) return { state: 'late' };
    if (this.#missing !== undefined) fail(CONFIRMATION_ERRORS.client_blocks_missing, { id: this.id, ...this.#missing });
    return { state: 'expired' };
  }

  /** No branch differs below the last irreversible block. */
  #forget(irreversible: number): void {
    while (this.#branch.length > 1 && (this.#branch[1] as SeenBlock).number <= irreversible) {
      if ((this.#branch[0] as SeenBlock).holds) return;
      this.#branch.shift();
    }
  }
}

export interface ConfirmOptions {
  /** `block`: any block; `irreversible` if it says nothing. */
  readonly until?: 'block' | 'irreversible';
  /** Between two questions. */
  readonly pollMs?: number;
  /** Told each time that the state, or the block, is another one. */
  readonly onChange?: (status: TransactionStatus) => void;
  /** A question that failed: throw to give up, return to ask again. Without it the failure is thrown. */
  readonly onTrouble?: (error: unknown, inARow: number) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

const POLL_MS = 1000;

const isEnough = (status: TransactionStatus, until: ConfirmOptions['until']): boolean =>
  isFinal(status) || (until === 'block' && status.state === 'included');

function placeOf(status: TransactionStatus): string {
  return 'block_id' in status ? `${status.state} ${status.block_id}` : status.state;
}

/** Waits until it is in a block, irreversible, or can never be. With a signal the last known status comes at once. */
export async function confirmTransaction(
  client: Asked,
  transaction: SignedTransaction,
  { until = 'irreversible', pollMs = POLL_MS, onChange, onTrouble, signal }: ConfirmOptions = {},
): Promise<TransactionStatus> {
  const watch = new TransactionWatch(client, transaction);
  let status: TransactionStatus = { state: 'waiting' };
  let place = '';
  let failed = 0;
  while (signal?.aborted !== true) {
    try {
      status = await watch.poll();
      failed = 0;
    } catch (error) {
      if (onTrouble === undefined) throw error;
      failed++;
      await onTrouble(error, failed);
    }
    if (placeOf(status) !== place) {
      place = placeOf(status);
      onChange?.(status);
    }
    if (isEnough(status, until)) break;
    await pause(pollMs, signal);
  }
  return status;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
  });
}
