import type { ChainError } from '../../base/errors.js';
import { confirmTransaction, type TransactionStatus } from '../../client/confirmation.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { isNodeGone } from '../node-link.js';
import { idOf } from '../transactions.js';
import type { Wallet } from '../wallet.js';

/** Tells somebody what becomes of a transaction that they have sent. */

export type WaitFor = 'none' | 'block' | 'irreversible';

function wordsOf(status: TransactionStatus): string {
  switch (status.state) {
    case 'waiting':
      return 'waits for a block';
    case 'included':
      return `is in block ${status.block_num}`;
    case 'irreversible':
      return `is irreversible in block ${status.block_num}`;
    case 'late':
      return 'is in no block and has expired here; another branch may still have it';
    case 'expired':
      return 'has expired: no block can take it any more, nothing of it was done';
  }
}

/** Questions in a row that a node may leave without an answer. */
const PATIENCE = 60;

export interface Following {
  readonly until: Exclude<WaitFor, 'none'>;
  say(line: string): void;
  readonly signal: AbortSignal;
  readonly pollMs?: number;
}

/** False when it can never be in a block. A node that is away is asked again for a while. */
export async function followTransaction(wallet: Wallet, tx: SignedTransaction, given: Following): Promise<boolean> {
  const id = idOf(tx);
  let wasIncluded = false;
  const status = await confirmTransaction(wallet.chain.client, tx, {
    until: given.until,
    signal: given.signal,
    ...(given.pollMs === undefined ? {} : { pollMs: given.pollMs }),
    onChange: (now) => {
      const back = wasIncluded && now.state === 'waiting' ? 'was taken back by a fork switch and ' : '';
      wasIncluded ||= now.state === 'included';
      given.say(`transaction ${id} ${back}${wordsOf(now)}\n`);
    },
    onTrouble: (error, inARow) => {
      if (!isNodeGone(error) || inARow > PATIENCE) throw error;
    },
  });
  if (given.signal.aborted) given.say(`transaction ${id} is no longer waited for\n`);
  return status.state !== 'expired';
}

/** A transaction that was on its way when the node went: what it is, and how to find out. "" where nothing is unsure. */
export function unsureText(wallet: Wallet, sent: readonly SignedTransaction[], refusal: ChainError): string {
  const [last] = sent.slice(-1);
  if (last === undefined || !isNodeGone(refusal)) return '';
  const json = JSON.stringify(signedTransaction.toJson(last, wallet.network));
  return `transaction ${idOf(last)} may or may not have arrived. get_transaction_status tells; resend_transaction sends the same one again, which is never a second payment:\n${json}\n`;
}
