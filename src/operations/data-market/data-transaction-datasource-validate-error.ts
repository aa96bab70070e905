import { check, defineErrors } from '../../base/errors.js';
import { dataTransactionDatasourceValidateErrorOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { dataTransactionObject } from '../../state/objects/data-market.js';
import { defineOperation } from '../define.js';
import { DATASOURCE_STATUS, getRequest, REQUEST_STATUS, withStatus } from './products.js';
import { checkDatasource } from './roles.js';

export const DATASOURCE_ERROR_ERRORS = defineErrors({
  source_error_not_member: {
    text: 'account.is_datasource_member(): ',
    hint: 'the account is no data source',
  },
  source_error_request_missing: {
    text: 'dto != dt_index.indices().get<by_request_id>().end(): ',
    hint: 'there is no request ${request_id}',
  },
  source_error_not_confirmed: {
    text: 'data_transaction_status_confirmed == dto->status: data_transaction status ${status} != 1',
  },
  source_error_too_late: {
    text: 'data_transaction_datasource_status_init == status_obj.status: datasources_status status must be 0',
  },
});

/** A data source says that it cannot deliver. One that is not asked at all may say so too, without effect. */
export const dataTransactionDatasourceValidateError = defineOperation({
  ...dataTransactionDatasourceValidateErrorOperation,
  payer: (op) => op.datasource,
  validate() {},
  evaluate(s, op) {
    checkDatasource(s, op.datasource, DATASOURCE_ERROR_ERRORS.source_error_not_member);
    const request = getRequest(s, op.request_id, DATASOURCE_ERROR_ERRORS.source_error_request_missing);
    const isConfirmed = request.status === REQUEST_STATUS.confirmed;
    check(isConfirmed, DATASOURCE_ERROR_ERRORS.source_error_not_confirmed, { status: request.status });
    for (const { datasource, status } of request.datasources_status) {
      const isOpen = datasource !== op.datasource || status === DATASOURCE_STATUS.initial;
      check(isOpen, DATASOURCE_ERROR_ERRORS.source_error_too_late);
    }
    return request;
  },
  apply(s, op, request) {
    s.modify(dataTransactionObject, request, (o) => {
      o.datasources_status = withStatus(o, op.datasource, DATASOURCE_STATUS.error);
    });
    return VOID_RESULT;
  },
});
