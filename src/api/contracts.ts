import { U64_MAX } from '../base/int.js';
import { array, withDefault } from '../codec/containers.js';
import { bool, text, u64 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import { objectId } from '../protocol/ids.js';
import { signedTransaction } from '../protocol/transaction.js';
import { declareMethod } from './define.js';
import { callback, foundObject, json, nothing } from './types.js';

export const objectMethods = {
  get_objects: declareMethod({
    about: 'Objects by id, in the order asked; null for an instance that does not exist.',
    params: { ids: array(objectId) },
    result: array(foundObject),
  }),
};

export const tableParams = struct('get_table_rows_params', {
  lower_bound: u64,
  /** Rows with this key are not in the answer. */
  upper_bound: withDefault(u64, () => U64_MAX),
  limit: withDefault(u64, () => 10n),
  index_position: withDefault(text, () => '1'),
  reverse: bool,
});

export const rowsPage = struct('table_rows', { rows: array(json), more: bool });

export const contractTableMethods = {
  get_table_objects: declareMethod({
    about: 'Rows of a contract’s table by numbers: code is the contract’s id, the scope is ignored.',
    params: { code: u64, scope: u64, table: u64, lower: u64, upper: u64, limit: u64 },
    result: array(json),
  }),
  get_table_rows_ex: declareMethod({
    about:
      'Rows of a contract’s table by primary or secondary key: lower_bound included, upper_bound not. More is true when rows of the range are left.',
    params: { contract: text, table: text, params: tableParams },
    result: rowsPage,
  }),
  get_table_rows: declareMethod({
    about: 'Rows of a contract’s table whose primary keys lie in start up to start + limit.',
    params: { contract: text, table: text, start: u64, limit: u64 },
    result: rowsPage,
  }),
  serialize_contract_call_args: declareMethod({
    about: 'Packs the arguments of a contract’s action, given as JSON text, by its ABI. Empty for an unknown contract.',
    params: { contract: text, method: text, json: text },
    result: text,
  }),
  serialize_transaction: declareMethod({
    about: 'Packed bytes of a transaction with its signatures.',
    params: { trx: signedTransaction },
    result: text,
  }),
};

export const contractMethods = {
  get_contract_tables: declareMethod({
    about: 'Names of the tables that a contract’s ABI lists. Empty for an unknown contract.',
    params: { contract: text },
    result: array(text),
  }),
  serialize_contract_params: declareMethod({
    about: 'As serialize_contract_call_args, with the arguments as they are instead of JSON text.',
    params: { contract: text, method: text, args: json },
    result: text,
  }),
};

export const subscriptionMethods = {
  set_subscribe_callback: declareMethod({
    about:
      'Sends changes of objects that this connection asks for from now on. With notify_remove_create also every object that is created or removed.',
    params: { cb: callback, notify_remove_create: bool },
    result: nothing,
  }),
  set_data_transaction_subscribe_callback: declareMethod({
    about: 'Sends every data transaction that a pending transaction touches.',
    params: { cb: callback, notify_remove_create: bool },
    result: nothing,
  }),
  set_data_transaction_products_subscribe_callback: declareMethod({
    about: 'As set_data_transaction_subscribe_callback, for some products only.',
    params: { cb: callback, ids: array(objectId) },
    result: nothing,
  }),
  set_pending_transaction_callback: declareMethod({
    about: 'Sends every transaction that the node accepts.',
    params: { cb: callback },
    result: nothing,
  }),
  set_block_applied_callback: declareMethod({
    about: 'Sends the id of every block that the node applies.',
    params: { cb: callback },
    result: nothing,
  }),
  cancel_all_subscriptions: declareMethod({
    about: 'Ends the subscriptions to objects and data transactions; those to blocks and pending transactions stay.',
    params: {},
    result: nothing,
  }),
  unsubscribe_data_transaction_callback: declareMethod({
    about: 'Ends the subscription to data transactions.',
    params: {},
    result: nothing,
  }),
};
