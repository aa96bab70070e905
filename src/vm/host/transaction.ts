import { defineErrors, fail } from '../../base/errors.js';
import type { CurrentTransaction } from '../../operations/contract/engine.js';
import type { HostCall } from '../host-call.js';
import { copyOut } from './action.js';
import { host } from './define.js';

export const TRANSACTION_HOST_ERRORS = defineErrors({
  contract_no_transaction: { text: 'trx != nullptr: current transaction not set' },
});

/** While a proposal is executed by expiry there is none; the reference would crash in some of these functions. */
function transaction(call: HostCall): CurrentTransaction {
  return call.host.chain.transaction() ?? fail(TRANSACTION_HOST_ERRORS.contract_no_transaction);
}

export const TRANSACTION_FUNCTIONS = [
  host('transaction_size', '> i', 100, (call) => transaction(call).packed().length),
  host('read_transaction', 'P > i', 100, (call, pointer: number, length: number) =>
    copyOut(call, transaction(call).packed(), pointer, length),
  ),
  host('expiration', '> I', 0, (call) => BigInt(transaction(call).expirationSec)),
  host('tapos_block_num', '> i', 0, (call) => transaction(call).refBlockNum),
  host('tapos_block_prefix', '> I', 0, (call) => BigInt(transaction(call).refBlockPrefix)),
];
