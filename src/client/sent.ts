import { defineErrors, fail } from '../base/errors.js';
import type { Network } from '../codec/type.js';
import { type ProcessedTransaction, processedTransaction, type SignedTransaction } from '../protocol/transaction.js';
import type { NodeClient } from './client.js';
import { confirmTransaction, type TransactionStatus } from './confirmation.js';
import { type RpcConnection, RpcConnectionError } from './connection.js';
import { LastingConnection } from './lasting-connection.js';
import { type Plain, toPlain } from './plain.js';
import { idOfTransaction } from './transactions.js';

/** Sends a transaction and finds out what has become of it, whatever happens to the connection meanwhile. */

export const SENT_ERRORS = defineErrors({
  client_expired: {
    text: 'transaction ${id} can no longer be taken by any block',
    hint: 'nothing of it was done; it can be made anew',
  },
  client_aborted: { text: 'nobody waits for transaction ${id} any more; it may still be taken by a block' },
});

export interface SendOptions {
  /** How far to wait; `block` if it says nothing. `sent`: only until a node has taken it. */
  readonly until?: 'sent' | 'block' | 'irreversible';
  /** Told of each change on the way, also when a fork switch takes its block back. */
  readonly onChange?: (status: TransactionStatus) => void;
  readonly signal?: AbortSignal;
  readonly pollMs?: number;
}

export interface Receipt {
  /** Of the transaction. */
  readonly id: string;
  readonly state: 'sent' | 'included' | 'irreversible';
  /** These are undefined until a block has taken it, the transaction also where the node went away right after that. */
  readonly block_num: number | undefined;
  readonly block_id: string | undefined;
  /** With the fees that were paid, and what each operation resulted in. */
  readonly transaction: Plain<ProcessedTransaction> | undefined;
  /** Ids of the objects that its operations have made, in their order. */
  readonly created: readonly string[];
}

const POLL_MS = 500;

interface Way {
  readonly client: NodeClient;
  readonly connection: RpcConnection;
  readonly network: Network;
}

const tell = async ({ client }: Way, trx: SignedTransaction): Promise<void> => {
  await client.network_broadcast.broadcast_transaction({ trx });
};

const onlyLost = (error: unknown): undefined => {
  if (!(error instanceof RpcConnectionError)) throw error;
};

export async function sendTransaction(way: Way, trx: SignedTransaction, options: SendOptions = {}): Promise<Receipt> {
  const id = idOfTransaction(trx);
  const { until = 'block', pollMs = POLL_MS, onChange, signal } = options;
  if (until === 'sent') {
    await tell(way, trx);
    return { id, state: 'sent', block_num: undefined, block_id: undefined, transaction: undefined, created: [] };
  }
  // A node forgets what waits when it is killed: what no block has taken is sent anew to whoever is there now. The same
  // transaction twice is one, so that it may be there is no trouble, but for the first time: then it is somebody else's.
  const again = (): Promise<void> => tell(way, trx).catch(() => undefined);
  await tell(way, trx).catch(onlyLost);
  const { connection } = way;
  const stop = connection instanceof LastingConnection ? connection.onEachFurther(again) : undefined;
  try {
    const status = await confirmTransaction(way.client, trx, {
      until,
      pollMs,
      ...(onChange === undefined ? {} : { onChange }),
      ...(signal === undefined ? {} : { signal }),
      onTrouble: async (error) => {
        onlyLost(error);
        await again();
      },
    });
    return await receiptOf(way, id, status);
  } finally {
    stop?.();
  }
}

async function receiptOf({ client, network }: Way, id: string, status: TransactionStatus): Promise<Receipt> {
  if (status.state === 'expired') fail(SENT_ERRORS.client_expired, { id });
  if (status.state !== 'included' && status.state !== 'irreversible') fail(SENT_ERRORS.client_aborted, { id });
  const { state, block_num, block_id } = status;
  // What has become of it is known, also where the connection is lost just now: a failure would have it made again.
  const block = await client.database.get_block({ block_num }).catch(onlyLost);
  const found = block?.transactions[block.transaction_ids.indexOf(id)];
  // A fork switch has just taken the block back: the next question would say so, and this one has its answer.
  const transaction = found && toPlain(processedTransaction, found, network);
  const created = transaction?.operation_results.flatMap((result) => (result[0] === 1 ? [result[1]] : [])) ?? [];
  return { id, state, block_num, block_id, transaction, created };
}
