import { transactionRecord } from '../../protocol/objects/chain.js';
import { defineObject, type ObjectOf, ordered, unique } from '../define.js';

/** Remembered until it expires, so that no transaction enters twice. */
export const transactionObject = defineObject(
  { ...transactionRecord, keep: 'sparse' },
  {
    trxId: unique((transaction) => transaction.trx_id, { fixed: true }),
    expiration: ordered([(transaction) => transaction.trx.expiration], { fixed: true }),
  },
);
export type TransactionObject = ObjectOf<typeof transactionObject>;
