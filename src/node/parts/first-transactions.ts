import { ChainError, check, defineErrors, type ErrorRow, FAMILY } from '../../base/errors.js';
import type { Chain } from '../../chain/chain.js';
import { parseJson } from '../../codec/json.js';
import type { Network } from '../../codec/type.js';
import { definePart } from '../../plugin/part.js';
import { type SignedTransaction, signedTransaction } from '../../protocol/transaction.js';
import { nodeFiles } from '../../storage/files.js';
import { absolute, firstTransactionOptions } from '../settings/options.js';
import { chainPart } from './chain.js';

export const FIRST_TRANSACTION_ERRORS = defineErrors({
  first_transactions_unreadable: {
    ...FAMILY.invalidArgument,
    text: 'option first-transactions: ${path} is no JSON list of signed transactions: ${reason}',
  },
  first_transaction_refused: {
    ...FAMILY.invalidArgument,
    text: 'option first-transactions: transaction ${number} of ${path} is refused: ${reason}',
  },
});

/** Opened before block production: what it leaves waiting is in block 1. */
export const firstTransactionsPart = definePart({
  name: 'first transactions',
  needs: { chain: chainPart },
  options: { title: 'Chain', table: firstTransactionOptions },
  logModule: 'node',
  open({ needs: { chain }, options, log }) {
    const given = options['first-transactions'];
    if (given === undefined) return { value: undefined };
    const path = absolute(given);
    if (chain.chain.queries.head.number > 0) {
      log.info('the chain has begun, the first transactions are passed over', { path });
      return { value: undefined };
    }
    const count = pushAll(chain.chain, path);
    log.info('transactions wait for the first block', { count, path });
    return { value: undefined };
  },
});

/** What is refused here is no list of transactions, whatever the chain says of them. */
export function readFirstTransactions(path: string, network: Network): readonly SignedTransaction[] {
  const text = nodeFiles.readText(path);
  const unreadable = FIRST_TRANSACTION_ERRORS.first_transactions_unreadable;
  check(text !== undefined, unreadable, { path, reason: 'there is no such file' });
  const list = attempt(unreadable, { path }, () => parseJson(text));
  check(Array.isArray(list), unreadable, { path, reason: 'it is no list' });
  return attempt(unreadable, { path }, () => list.map((one) => signedTransaction.fromJson(one, network)));
}

function pushAll({ pending, queries }: Chain, path: string): number {
  const transactions = readFirstTransactions(path, queries.state.network);
  transactions.forEach((transaction, i) => {
    const row = FIRST_TRANSACTION_ERRORS.first_transaction_refused;
    attempt(row, { path, number: i + 1 }, () => pending.push({ transaction }));
  });
  return transactions.length;
}

interface Attempted {
  readonly path: string;
  readonly number?: number;
}

function attempt<T>(row: ErrorRow, values: Attempted, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new ChainError(row, { reason: error.message, ...values });
  }
}
