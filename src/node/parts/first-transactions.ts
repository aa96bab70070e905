import { ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Chain } from '../../chain/chain.js';
import { parseJson } from '../../codec/json.js';
import { definePart } from '../../plugin/part.js';
import { signedTransaction } from '../../protocol/transaction.js';
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

function pushAll({ pending, queries }: Chain, path: string): number {
  const text = nodeFiles.readText(path);
  const { network } = queries.state;
  const unreadable = FIRST_TRANSACTION_ERRORS.first_transactions_unreadable;
  check(text !== undefined, unreadable, { path, reason: 'there is no such file' });
  const attempt = <T>(row: typeof unreadable, values: { readonly number?: number }, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      throw new ChainError(row, { path, reason: error.message, ...values });
    }
  };
  const list = attempt(unreadable, {}, () => parseJson(text));
  check(Array.isArray(list), unreadable, { path, reason: 'it is no list' });
  const transactions = attempt(unreadable, {}, () => list.map((one) => signedTransaction.fromJson(one, network)));
  transactions.forEach((transaction, i) => {
    const row = FIRST_TRANSACTION_ERRORS.first_transaction_refused;
    attempt(row, { number: i + 1 }, () => pending.push({ transaction }));
  });
  return transactions.length;
}
