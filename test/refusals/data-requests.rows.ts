import type { JsonObject } from '../../src/codec/json.js';
import { COMPLAIN_ERRORS as COMPLAIN } from '../../src/operations/data-market/data-transaction-complain.js';
import { DATA_TRANSACTION_CREATE_ERRORS as CREATE } from '../../src/operations/data-market/data-transaction-create.js';
import { DATASOURCE_UPLOAD_ERRORS as UPLOAD } from '../../src/operations/data-market/data-transaction-datasource-upload.js';
import { DATASOURCE_ERROR_ERRORS as SOURCE_ERROR } from '../../src/operations/data-market/data-transaction-datasource-validate-error.js';
import { DATA_TRANSACTION_UPDATE_ERRORS as UPDATE } from '../../src/operations/data-market/data-transaction-update.js';
import { DATA_MARKET_ERRORS as MARKET } from '../../src/operations/data-market/products.js';
import { ROLE_ERRORS } from '../../src/operations/data-market/roles.js';
import { SCHEMA_JSON_ERRORS } from '../../src/protocol/schema-json.js';
import { coins, freeMarket } from '../support/free-market.js';
import { assertion, type Refusal } from './define.js';

const { w, issuer, one, two, merchant, exchange, request, upload, pay } = freeMarket();
w.give(9, 1, 10n ** 6n);
request('open');
request('private', { version: 'private' });
request('done');
upload('done');
pay('done', coins(60_000));
request('told');
upload('told');
pay('told', coins(60_000));

const ask = (more: JsonObject) => () => request('new', more);
const decide =
  (request_id: string, more: JsonObject = {}) =>
  () =>
    w.run(56, { request_id, new_requester: exchange, new_status: 1, ...more });
const bring =
  (request_id: string, more: JsonObject = {}) =>
  () =>
    upload(request_id, more);
const fail = (request_id: string, datasource: string) => () => w.run(60, { request_id, datasource });
const complain =
  (request_id: string, more: JsonObject = {}) =>
  () =>
    w.run(70, { request_id, requester: merchant, datasource: one, merchant_copyright_hash: 'mine', ...more });
complain('told')();

const inLeague = { product_id: '1.18.0', league_id: '1.19.0' };
const longId = 'x'.repeat(100);
const NOT_FOUND = '_db.find_object(op.product_id): product id not found, product_id';

export const refusals: readonly Refusal[] = [
  assertion(
    ROLE_ERRORS.requester_not_merchant,
    'db().get(op.requester).is_merchant_member(): ',
    ask({ requester: issuer, request_id: longId }),
  ),
  assertion(
    CREATE.request_id_too_long,
    `op.request_id.size() < max_size_request_id: request_id ${longId} too long, must <= 100`,
    ask({ request_id: longId }),
  ),
  assertion(
    CREATE.request_id_used,
    'maybe_found == data_transaction_idx.end(): request_id already exists!',
    ask({ request_id: 'open', product_id: '1.17.9' }),
  ),
  assertion(CREATE.product_missing, `${NOT_FOUND} 1.17.9`, ask({ product_id: '1.17.9', league_id: '1.19.9' })),
  assertion(CREATE.product_missing, `${NOT_FOUND} 1.2.999`, ask({ product_id: '1.2.999' })),
  assertion(MARKET.product_type_unknown, 'tmp: ', ask({ product_id: '1.11.0' })),
  assertion(MARKET.product_type_unknown, 'tmp: ', ask({ product_id: '2.9.0' })),
  assertion(MARKET.product_space_unknown, '_index[space_id].size() > type_id: ', ask({ product_id: '7.1.0' })),
  {
    row: CREATE.request_league_missing,
    code: 0,
    name: 'exception',
    message: 'unspecified: league_id not found',
    raise: ask({ ...inLeague, league_id: '1.19.9' }),
  },
  assertion(
    CREATE.requester_not_in_league,
    'iter != obj->members.end(): requester 1.2.9 is not league member!',
    ask(inLeague),
  ),
  {
    row: SCHEMA_JSON_ERRORS.schema_json,
    code: 13,
    name: 'std_exception',
    // The words of the reference's parser are not known.
    message: 'Standard Exception: schema_context: the end of the text expected at byte 17',
    raise: ask({ version: 'broken' }),
  },

  assertion(
    ROLE_ERRORS.not_data_transaction_member,
    'account.is_data_transaction_member(): ',
    decide('nobody', { new_requester: merchant }),
  ),
  assertion(MARKET.request_missing, 'dto != data_transaction_idx.end(): ', decide('nobody', { new_status: 2 })),
  assertion(
    UPDATE.request_decided,
    'data_transaction_status_init == dto->status: previoud status must be 0',
    decide('open', { new_status: 2 }),
  ),
  assertion(
    UPDATE.request_status_unknown,
    '((data_transaction_status_confirmed == op.new_status) || (data_transaction_status_user_rejected == op.new_status)): new_status cannot out of {1,99}',
    decide('private', { new_status: 2 }),
  ),

  assertion(
    ROLE_ERRORS.not_data_transaction_member,
    'account.is_data_transaction_member(): ',
    bring('nobody', { requester: merchant }),
  ),
  assertion(MARKET.request_missing, 'dto != data_transaction_idx.end(): ', bring('nobody')),
  assertion(
    UPLOAD.upload_not_listed,
    'iter != dto->datasources_status.end(): datasource account is not found datasources status!',
    bring('private', { datasource: two }),
  ),
  assertion(
    UPLOAD.upload_not_confirmed,
    'data_transaction_status_confirmed == dto->status: data_transaction status 0 != 1',
    bring('private'),
  ),

  assertion(SOURCE_ERROR.source_error_not_member, 'account.is_datasource_member(): ', fail('nobody', merchant)),
  assertion(
    SOURCE_ERROR.source_error_request_missing,
    'dto != dt_index.indices().get<by_request_id>().end(): ',
    fail('nobody', one),
  ),
  assertion(
    SOURCE_ERROR.source_error_not_confirmed,
    'data_transaction_status_confirmed == dto->status: data_transaction status 0 != 1',
    fail('private', one),
  ),
  assertion(
    SOURCE_ERROR.source_error_too_late,
    'data_transaction_datasource_status_init == status_obj.status: datasources_status status must be 0',
    fail('done', one),
  ),

  assertion(
    COMPLAIN.complain_not_source,
    'datasource_account.is_datasource_member(): ',
    complain('nobody', { datasource: merchant, merchant_copyright_hash: '' }),
  ),
  assertion(
    COMPLAIN.complain_same_hash,
    'op.merchant_copyright_hash != op.datasource_copyright_hash: ',
    complain('nobody', { merchant_copyright_hash: '' }),
  ),
  assertion(
    COMPLAIN.complain_request_missing,
    'dto != data_transaction_idx.end(): data_transaction_object not found, request_id: nobody',
    complain('nobody'),
  ),
  assertion(
    COMPLAIN.complain_twice,
    'dtc == dtc_idx.end(): data_transaction_complain_object exists!',
    complain('told', { requester: issuer }),
  ),
  assertion(
    COMPLAIN.complain_not_requester,
    'dto->requester == op.requester: requester not in data_transaction',
    complain('open', { requester: issuer }),
  ),
  assertion(
    COMPLAIN.complain_not_paid,
    'iter != dto->datasources_status.end(): datasource not in datasource_status list, or datasource_status not payed',
    complain('open'),
  ),
];
