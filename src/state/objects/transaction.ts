import { struct } from '../../codec/struct.js';
import { transactionId } from '../../protocol/keys.js';
import { signedTransaction } from '../../protocol/transaction.js';
import { defineObject, type ObjectOf, ordered, unique } from '../define.js';

/** Remembered until it expires, so that no transaction enters twice. */
export const transactionObject = defineObject(
  {
    name: 'transaction',
    space: 2,
    type: 7,
    keep: 'sparse',
    schema: struct('transaction_object', { trx: signedTransaction, trx_id: transactionId }),
  },
  {
    trxId: unique((transaction) => transaction.trx_id, { fixed: true }),
    expiration: ordered([(transaction) => transaction.trx.expiration], { fixed: true }),
  },
);
export type TransactionObject = ObjectOf<typeof transactionObject>;
