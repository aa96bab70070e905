import {
  dataTransactionComplainOperation,
  dataTransactionCreateOperation,
  dataTransactionDatasourceUploadOperation,
  dataTransactionDatasourceValidateErrorOperation,
  dataTransactionUpdateOperation,
} from '../../../src/protocol/operations/data-market.js';
import {
  type DataTransactionObject,
  datasourceCopyrightObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  leagueObject,
  secondHandDataObject,
} from '../../../src/state/objects/data-market.js';
import { flat } from '../fee-rules.js';
import { must } from '../tables.js';
import { bytesOf, created, isMember } from './checks.js';
import { type AnyOwnRule, extension, type OwnModel, ownRule } from './model.js';
import { freeProduct, known, productOf, requestOf, says } from './products.js';

const OPEN = 0;
export const CONFIRMED = 1;
const REJECTED = 99;
const SOURCE = { asked: 0, uploaded: 1, paid: 2, failed: 99 } as const;

const isListed = (request: DataTransactionObject, source: number): boolean =>
  request.datasources_status.some(({ datasource }) => datasource === source);

function setSource(m: OwnModel, request: DataTransactionObject, source: number, status: number): void {
  m.change(dataTransactionObject, request.id, (o) => {
    o.datasources_status = o.datasources_status.map((one) => (one.datasource === source ? { ...one, status } : one));
  });
}

const create = ownRule(dataTransactionCreateOperation, {
  payer: (op) => op.requester,
  fee: flat(100),
  check(m, op) {
    must(isMember(m, op.requester, 'merchant'), 'requester_not_merchant');
    must(bytesOf(op.request_id) < 100, 'request_id_too_long');
    must(requestOf(m, op.request_id) === undefined, 'request_id_used');
    const product = productOf(m, op.product_id);
    must(product !== undefined, 'no such product');
    const league = op.league_id === undefined ? undefined : m.find(leagueObject, op.league_id);
    must(op.league_id === undefined || league !== undefined, 'request_league_missing');
    if (league !== undefined) must(league.members.includes(op.requester), 'requester_not_in_league');
    const contexts = (product.schema_contexts ?? []).filter(({ version }) => version === op.version);
    return () => {
      // All are read: one that is no JSON refuses wherever it stands.
      const isPrivate = contexts.map((one) => says(one, 'privacy')).includes(true);
      const sources = league === undefined ? [freeProduct(m, op.product_id).datasource] : league.members;
      const { request_id, product_id, version, params, create_date_time, requester, league_id } = op;
      const id = m.create(dataTransactionObject, {
        ...{ request_id, product_id, version, params, create_date_time, requester },
        ...(league_id === undefined ? {} : { league_id }),
        status: isPrivate ? OPEN : CONFIRMED,
        datasources_status: sources.map((datasource) => ({ datasource, status: SOURCE.asked })),
      });
      return created(20, id);
    };
  },
});

const update = ownRule(dataTransactionUpdateOperation, {
  payer: (op) => op.new_requester,
  fee: flat(0),
  check(m, op) {
    must(isMember(m, op.new_requester, 'data_transaction_member'), 'not_data_transaction_member');
    const request = known(m, op.request_id, 'request_missing');
    must(request.status === OPEN, 'request_decided');
    must([CONFIRMED, REJECTED].includes(op.new_status), 'request_status_unknown');
    return () => {
      m.change(dataTransactionObject, request.id, (o) => {
        o.status = op.new_status;
        if (op.new_memo !== undefined) o.memo = op.new_memo;
      });
      return undefined;
    };
  },
});

/** The first context of the version that says yes to it ends the search, so that no later one is read. */
function mustVerify(m: OwnModel, request: DataTransactionObject): boolean {
  const contexts = productOf(m, request.product_id)?.schema_contexts ?? [];
  return contexts.filter(({ version }) => version === request.version).some((one) => says(one, 'copyright_verify'));
}

/** Whoever brings it first owns it; from others it is second-hand. */
function claimCopyright(m: OwnModel, request: DataTransactionObject, source: number, hash: string): void {
  const { create_date_time, request_id: data_transaction_request_id } = request;
  const common = { copyright_hash: hash, data_transaction_request_id, create_date_time };
  const owner = m.where(datasourceCopyrightObject, (row) => row.copyright_hash === hash)?.datasource_account_id;
  if (owner === undefined)
    m.create(datasourceCopyrightObject, { ...common, datasource_account_id: source, product_id: 0n });
  else if (owner !== source) {
    const given = { ...common, datasource_account_id: owner, second_hand_datasource_id: source };
    m.create(secondHandDataObject, given);
  }
}

const upload = ownRule(dataTransactionDatasourceUploadOperation, {
  payer: (op) => op.requester,
  fee: flat(0),
  check(m, op) {
    must(isMember(m, op.requester, 'data_transaction_member'), 'not_data_transaction_member');
    const request = known(m, op.request_id, 'request_missing');
    must(isListed(request, op.datasource), 'upload_not_listed');
    must(request.status === CONFIRMED, 'upload_not_confirmed');
    return () => {
      const isVerified = mustVerify(m, request);
      setSource(m, request, op.datasource, SOURCE.uploaded);
      const hash = extension<{ copyright_hash?: string }>(op.extensions as never, 2)?.copyright_hash;
      if (isVerified && hash !== undefined) claimCopyright(m, request, op.datasource, hash);
      return undefined;
    };
  },
});

const sourceError = ownRule(dataTransactionDatasourceValidateErrorOperation, {
  payer: (op) => op.datasource,
  fee: flat(0),
  check(m, op) {
    must(isMember(m, op.datasource, 'datasource'), 'source_error_not_member');
    const request = known(m, op.request_id, 'source_error_request_missing');
    must(request.status === CONFIRMED, 'source_error_not_confirmed');
    for (const { datasource, status } of request.datasources_status)
      if (datasource === op.datasource) must(status === SOURCE.asked, 'source_error_too_late');
    return () => {
      setSource(m, request, op.datasource, SOURCE.failed);
      return undefined;
    };
  },
});

const complain = ownRule(dataTransactionComplainOperation, {
  payer: (op) => op.requester,
  fee: flat(0),
  check(m, op) {
    must(isMember(m, op.datasource, 'datasource'), 'complain_not_source');
    must(op.merchant_copyright_hash !== op.datasource_copyright_hash, 'complain_same_hash');
    const request = known(m, op.request_id, 'complain_request_missing');
    const isSecond = m.all(dataTransactionComplainObject).some((o) => o.data_transaction_request_id === op.request_id);
    must(!isSecond, 'complain_twice');
    must(request.requester === op.requester, 'complain_not_requester');
    const isPaid = request.datasources_status.some(
      ({ datasource, status }) => datasource === op.datasource && status === SOURCE.paid,
    );
    must(isPaid, 'complain_not_paid');
    return () => {
      const { requester, datasource, merchant_copyright_hash, datasource_copyright_hash, create_date_time } = op;
      const hashes = { merchant_copyright_hash, datasource_copyright_hash };
      const given = { requester, datasource, data_transaction_request_id: op.request_id, ...hashes, create_date_time };
      return created(24, m.create(dataTransactionComplainObject, given));
    };
  },
});

export const REQUEST_RULES: readonly AnyOwnRule[] = [create, update, upload, sourceError, complain];
