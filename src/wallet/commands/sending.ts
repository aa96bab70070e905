import { ChainError, check } from '../../base/errors.js';
import { confirmTransaction, type TransactionStatus, TransactionWatch } from '../../client/confirmation.js';
import type { JsonObject } from '../../codec/json.js';
import { text, time, u32 } from '../../codec/scalars.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { CHECK_ERRORS, NODE_ERRORS, SENDING_ERRORS } from '../errors.js';
import { idOf } from '../transactions.js';
import type { Wallet } from '../wallet.js';
import { type CommandTable, command } from './define.js';

/**
 * What becomes of a transaction that was sent, and sending it again. All of it goes by the id, which is made of what the
 * transaction does and of nothing else: the same transaction is never carried out twice.
 */

const RESULT = 'transaction_status';

const ADVICE: Readonly<Record<TransactionStatus['state'], string>> = {
  waiting: 'no block has it yet; sending the same transaction again is safe',
  included: 'a block has it; a fork switch can still take that block back',
  irreversible: 'it is done for ever',
  late: 'wait: this branch can no longer take it, but one of another branch still may have',
  expired: 'no block can take it any more and nothing of it was done: it can be made anew',
};

function statusJson(tx: SignedTransaction, status: TransactionStatus): JsonObject {
  const { state, ...place } = status;
  return { id: idOf(tx), state, ...place, expiration: time.toJson(tx.expiration), advice: ADVICE[state] };
}

const statusOf = (wallet: Wallet, tx: SignedTransaction): Promise<TransactionStatus> =>
  new TransactionWatch(wallet.chain.client, tx).poll();

/** The node's words for a transaction that it has already. */
const isKnownAlready = (error: unknown): boolean =>
  error instanceof ChainError && error.row === NODE_ERRORS.node_refused && /duplicated trx/.test(error.message);

const WAIT_SECONDS_MAX = 3600;

export const sendingCommands = {
  get_transaction_status: command({
    params: { tx: signedTransaction },
    result: RESULT,
    help: 'Where a transaction stands: waiting, included, irreversible, late or expired. Looks at blocks from the one that it names on.',
    run: async (wallet, { tx }) => statusJson(tx, await statusOf(wallet, tx)),
  }),
  wait_for_transaction: command({
    params: { tx: signedTransaction, until: text, seconds: u32 },
    result: RESULT,
    help: 'Waits until a transaction is in a block ("block") or nothing can take it back ("irreversible"), or until none can take it, but no longer than so many seconds. Answers how it stands then.',
    examples: ['wait_for_transaction {"operations":[]} "irreversible" 120'],
    run: async (wallet, { tx, until, seconds }) => {
      check(until === 'block' || until === 'irreversible', CHECK_ERRORS.wait_until, { until });
      check(seconds <= WAIT_SECONDS_MAX, CHECK_ERRORS.wait_seconds, { seconds, most: WAIT_SECONDS_MAX });
      const signal = AbortSignal.timeout(seconds * 1000);
      return statusJson(tx, await confirmTransaction(wallet.chain.client, tx, { until, signal }));
    },
  }),
  resend_transaction: command({
    params: { tx: signedTransaction },
    result: RESULT,
    acts: true,
    help: 'Sends a transaction again if no block has it, and answers how it stands. It is the same one with the same id: never a second payment.',
    run: async (wallet, { tx }) => {
      const status = await statusOf(wallet, tx);
      check(status.state !== 'expired', SENDING_ERRORS.sending_expired, () => ({
        id: idOf(tx),
        expiration: time.toJson(tx.expiration),
      }));
      if (status.state !== 'waiting') return statusJson(tx, status);
      try {
        await wallet.transactions.broadcast(tx);
      } catch (error) {
        if (!isKnownAlready(error)) throw error;
      }
      return statusJson(tx, await statusOf(wallet, tx));
    },
  }),
} satisfies CommandTable;
