import { check, defineErrors } from '../../base/errors.js';
import { dataTransactionComplainOperation } from '../../protocol/operations/data-market.js';
import { dataTransactionComplainObject } from '../../state/objects/data-market.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { DATASOURCE_STATUS, getRequest } from './products.js';
import { checkDatasource } from './roles.js';

export const COMPLAIN_ERRORS = defineErrors({
  complain_not_source: {
    text: 'datasource_account.is_datasource_member(): ',
    hint: 'the account complained about is no data source',
  },
  complain_same_hash: {
    text: 'op.merchant_copyright_hash != op.datasource_copyright_hash: ',
    hint: 'there is nothing to complain about while both hashes are the same',
  },
  complain_request_missing: {
    text: 'dto != data_transaction_idx.end(): data_transaction_object not found, request_id: ${request_id}',
  },
  complain_twice: { text: 'dtc == dtc_idx.end(): data_transaction_complain_object exists!' },
  complain_not_requester: { text: 'dto->requester == op.requester: requester not in data_transaction' },
  complain_not_paid: {
    text: 'iter != dto->datasources_status.end(): datasource not in datasource_status list, or datasource_status not payed',
  },
});

/** A merchant says that what it got is not what the data source had announced. */
export const dataTransactionComplain = defineOperation({
  ...dataTransactionComplainOperation,
  payer: (op) => op.requester,
  validate() {},
  evaluate(s, op) {
    checkDatasource(s, op.datasource, COMPLAIN_ERRORS.complain_not_source);
    const differ = op.merchant_copyright_hash !== op.datasource_copyright_hash;
    check(differ, COMPLAIN_ERRORS.complain_same_hash);
    const request = getRequest(s, op.request_id, COMPLAIN_ERRORS.complain_request_missing);
    const former = s.findBy(dataTransactionComplainObject.by.requestId, op.request_id);
    check(former === undefined, COMPLAIN_ERRORS.complain_twice);
    check(request.requester === op.requester, COMPLAIN_ERRORS.complain_not_requester);
    const isPaid = request.datasources_status.some(
      (entry) => entry.datasource === op.datasource && entry.status === DATASOURCE_STATUS.paid,
    );
    check(isPaid, COMPLAIN_ERRORS.complain_not_paid);
  },
  apply(s, op) {
    const created = s.create(dataTransactionComplainObject, {
      requester: op.requester,
      datasource: op.datasource,
      data_transaction_request_id: op.request_id,
      merchant_copyright_hash: op.merchant_copyright_hash,
      datasource_copyright_hash: op.datasource_copyright_hash,
      create_date_time: op.create_date_time,
    });
    return createdResult(dataTransactionComplainObject, created.id);
  },
});
