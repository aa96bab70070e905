import { check, defineErrors } from '../../base/errors.js';
import { EXTENSION_TAG, findExtension } from '../../protocol/extensions.js';
import type { Instance } from '../../protocol/ids.js';
import { dataTransactionDatasourceUploadOperation } from '../../protocol/operations/data-market.js';
import { VOID_RESULT } from '../../protocol/results.js';
import {
  type DataTransactionObject,
  datasourceCopyrightObject,
  dataTransactionObject,
  secondHandDataObject,
} from '../../state/objects/data-market.js';
import type { WriteState } from '../../state/views.js';
import { defineOperation } from '../define.js';
import {
  DATA_MARKET_ERRORS,
  DATASOURCE_STATUS,
  getRequest,
  hasSchemaFlag,
  REQUEST_STATUS,
  withStatus,
} from './products.js';
import { checkDataTransactionMember } from './roles.js';

export const DATASOURCE_UPLOAD_ERRORS = defineErrors({
  upload_not_listed: {
    text: 'iter != dto->datasources_status.end(): datasource account is not found datasources status!',
  },
  upload_not_confirmed: {
    text: 'data_transaction_status_confirmed == dto->status: data_transaction status ${status} != 1',
  },
});

/** The first source of some data owns it; whoever brings the same data later is noted as second hand. */
function recordHash(s: WriteState, request: Readonly<DataTransactionObject>, source: Instance, hash: string): void {
  const owned = s.findBy(datasourceCopyrightObject.by.hash, hash);
  const { request_id, create_date_time } = request;
  if (owned === undefined) {
    s.create(datasourceCopyrightObject, {
      copyright_hash: hash,
      datasource_account_id: source,
      // Never filled by the chain.
      product_id: 0n,
      data_transaction_request_id: request_id,
      create_date_time,
    });
  } else if (owned.datasource_account_id !== source) {
    s.create(secondHandDataObject, {
      second_hand_datasource_id: source,
      copyright_hash: hash,
      datasource_account_id: owned.datasource_account_id,
      data_transaction_request_id: request_id,
      create_date_time,
    });
  }
}

/** A data source has delivered. */
export const dataTransactionDatasourceUpload = defineOperation({
  ...dataTransactionDatasourceUploadOperation,
  payer: (op) => op.requester,
  validate() {},
  evaluate(s, op) {
    checkDataTransactionMember(s, op.requester);
    const request = getRequest(s, op.request_id, DATA_MARKET_ERRORS.request_missing);
    const isListed = request.datasources_status.some((entry) => entry.datasource === op.datasource);
    check(isListed, DATASOURCE_UPLOAD_ERRORS.upload_not_listed);
    const { status } = request;
    check(status === REQUEST_STATUS.confirmed, DATASOURCE_UPLOAD_ERRORS.upload_not_confirmed, { status });
    return request;
  },
  apply(s, op, request) {
    s.modify(dataTransactionObject, request, (o) => {
      o.datasources_status = withStatus(o, op.datasource, DATASOURCE_STATUS.uploaded);
    });
    const isVerified = hasSchemaFlag(s, request.product_id, request.version, 'copyright_verify', 'until_set');
    if (!isVerified) return VOID_RESULT;
    const hash = findExtension(op.extensions, EXTENSION_TAG.copyright_hash)?.copyright_hash;
    // The reference uses an absent hash as if it were there; here nothing is recorded without one.
    if (hash !== undefined) recordHash(s, request, op.datasource, hash);
    return VOID_RESULT;
  },
});
