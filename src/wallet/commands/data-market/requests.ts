import { check } from '../../../base/errors.js';
import { operationOf } from '../../../client/operations.js';
import { optional } from '../../../codec/containers.js';
import { text, u8, u32 } from '../../../codec/scalars.js';
import { asset } from '../../../protocol/asset.js';
import { EXTENSION_TAG } from '../../../protocol/extensions.js';
import { accountId, leagueId, objectId } from '../../../protocol/ids.js';
import {
  dataTransactionComplainOperation,
  dataTransactionCreateOperation,
  dataTransactionDatasourceUploadOperation,
  dataTransactionDatasourceValidateErrorOperation,
  dataTransactionUpdateOperation,
  payDataTransactionOperation,
} from '../../../protocol/operations/data-market.js';
import { CHECK_ERRORS } from '../../errors.js';
import { act, BROADCAST, SIGNED_TRANSACTION } from '../common.js';
import { type CommandTable, command } from '../define.js';
import { any, idOf, passed } from './common.js';

/** Data transactions, from the request to the complaint. */

export const requestCommands = {
  data_transaction_create: command({
    params: {
      request_id: text,
      product_id: objectId,
      league_id: optional(leagueId),
      version: text,
      params: text,
      requester: text,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Asks for data: a request for a product, in a league or not, with its parameters.',
    run: async (wallet, { broadcast, requester, ...members }) => {
      const operation = operationOf(dataTransactionCreateOperation, {
        ...members,
        requester: await idOf(wallet, requester),
        create_date_time: wallet.nowSec(),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_update: command({
    params: { request_id: text, new_status: u8, new_requester: text, new_memo: optional(text), ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Confirms a request (status 1) or refuses it (99).',
    run: async (wallet, { request_id, new_status, new_requester, new_memo, broadcast }) => {
      check(new_status === 1 || new_status === 99, CHECK_ERRORS.request_status);
      const operation = operationOf(dataTransactionUpdateOperation, {
        request_id,
        new_status,
        new_requester: await idOf(wallet, new_requester),
        new_memo,
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  pay_data_transaction: command({
    params: { from: text, to: text, amount: asset, request_id: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Pays a data source for a request.',
    run: async (wallet, { from, to, amount, request_id, broadcast }) => {
      const operation = operationOf(payDataTransactionOperation, {
        from: await idOf(wallet, from),
        to: await idOf(wallet, to),
        amount,
        request_id,
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_datasource_upload: command({
    params: {
      request_id: text,
      requester: text,
      datasource: text,
      copyright_hash: optional(text),
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Says that a data source has delivered, with the hash of what it delivered.',
    run: async (wallet, { request_id, requester, datasource, copyright_hash, broadcast }) => {
      const operation = operationOf(dataTransactionDatasourceUploadOperation, {
        request_id,
        requester: await idOf(wallet, requester),
        datasource: await idOf(wallet, datasource),
        extensions: copyright_hash === undefined ? [] : [[EXTENSION_TAG.copyright_hash, { copyright_hash }]],
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_datasource_validate_error: command({
    params: { request_id: text, datasource: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Says that a data source could not check a request.',
    run: async (wallet, { request_id, datasource, broadcast }) => {
      const operation = operationOf(dataTransactionDatasourceValidateErrorOperation, {
        request_id,
        datasource: await idOf(wallet, datasource),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_complain_datasource: command({
    params: {
      request_id: text,
      requester: accountId,
      datasource: accountId,
      merchant_copyright_hash: text,
      datasource_copyright_hash: text,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Complains that what a data source delivered is not what its hash says.',
    run: (wallet, { broadcast, ...members }) =>
      act(wallet, [operationOf(dataTransactionComplainOperation, { ...members, create_date_time: wallet.nowSec() })], {
        broadcast,
      }),
  }),
  list_data_transactions_by_requester: passed(
    'list_data_transactions_by_requester',
    { requester: any(text), limit: any(u32) },
    'search_results',
    'Requests of an account.',
  ),
  get_data_transaction_by_request_id: passed(
    'get_data_transaction_by_request_id',
    { request_id: any(text) },
    'optional<data_transaction_object>',
    'A request by its id.',
  ),
} satisfies CommandTable;
