import { check, defineErrors } from '../../base/errors.js';
import { dataTransactionUpdateOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { dataTransactionObject } from '../../state/objects/data-market.js';
import { defineOperation } from '../define.js';
import { DATA_MARKET_ERRORS, getRequest, REQUEST_STATUS } from './products.js';
import { checkDataTransactionMember } from './roles.js';

export const DATA_TRANSACTION_UPDATE_ERRORS = defineErrors({
  request_decided: { text: 'data_transaction_status_init == dto->status: previoud status must be 0' },
  request_status_unknown: {
    text: '((data_transaction_status_confirmed == op.new_status) || (data_transaction_status_user_rejected == op.new_status)): new_status cannot out of {1,99}',
  },
});

/** The consent of the person whose data is asked for, brought by a data-transaction member. */
export const dataTransactionUpdate = defineOperation({
  ...dataTransactionUpdateOperation,
  payer: (op) => op.new_requester,
  validate() {},
  evaluate(s, op) {
    checkDataTransactionMember(s, op.new_requester);
    const request = getRequest(s, op.request_id, DATA_MARKET_ERRORS.request_missing);
    check(request.status === REQUEST_STATUS.initial, DATA_TRANSACTION_UPDATE_ERRORS.request_decided);
    const decides = op.new_status === REQUEST_STATUS.confirmed || op.new_status === REQUEST_STATUS.rejected;
    check(decides, DATA_TRANSACTION_UPDATE_ERRORS.request_status_unknown);
    return request;
  },
  apply(s, op, request) {
    s.modify(dataTransactionObject, request, (o) => {
      o.status = op.new_status;
      if (op.new_memo !== undefined) o.memo = op.new_memo;
    });
    return VOID_RESULT;
  },
});
