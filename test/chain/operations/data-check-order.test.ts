import type { ErrorRow } from '../../../src/base/errors.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { COMPLAIN_ERRORS } from '../../../src/operations/data-market/data-transaction-complain.js';
import { DATA_TRANSACTION_CREATE_ERRORS } from '../../../src/operations/data-market/data-transaction-create.js';
import { DATASOURCE_UPLOAD_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-upload.js';
import { DATASOURCE_ERROR_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-validate-error.js';
import { DATA_TRANSACTION_UPDATE_ERRORS } from '../../../src/operations/data-market/data-transaction-update.js';
import { FREE_PRODUCT_ERRORS } from '../../../src/operations/data-market/free-data-product-create.js';
import { LEAGUE_CREATE_ERRORS } from '../../../src/operations/data-market/league-create.js';
import { LEAGUE_LIST_ERRORS } from '../../../src/operations/data-market/league-lists.js';
import { PAY_DATA_ERRORS } from '../../../src/operations/data-market/pay-data-transaction.js';
import { DATA_MARKET_ERRORS } from '../../../src/operations/data-market/products.js';
import { ROLE_ERRORS } from '../../../src/operations/data-market/roles.js';
import { makeAsset } from '../../../src/protocol/asset.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import { SCHEMA_JSON_ERRORS } from '../../../src/protocol/schema-json.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import {
  FREE_PRICE,
  FREE_PRODUCT,
  LEAGUE_PRICE,
  leagueRequest,
  MARKET_WORLD,
  openMarket,
  payment,
  request,
  upload,
} from '../../support/data-market.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

/** Of several faults of an operation of the data market the first one is told, as clients of other nodes know it. */

type Case = readonly [row: ErrorRow, given: object];
type Refuse = Parameters<TestWorld['refuse']>[0];

const UNKNOWN_PRODUCT = packObjectId(1, 17, 9);

/** Each case has the fault of its row, and those of all rows after it that it can have at once. */
function refuseInOrder(t: Refuse, w: TestWorld, name: string, cases: readonly Case[]): void {
  for (const [row, given] of cases) w.refuse(t, row, name, { ...given });
}

worldTest('a request (55) with several faults', MARKET_WORLD, (t, w) => {
  openMarket(w);
  const long = 'x'.repeat(100);
  w.push('data_transaction_create', request(w, 'used'));
  const faults = { product_id: UNKNOWN_PRODUCT, league_id: 9, version: 'broken' };
  const outsider = { requester: 'merchant', version: 'broken' };
  refuseInOrder(t, w, 'data_transaction_create', [
    [ROLE_ERRORS.requester_not_merchant, request(w, long, { ...faults, requester: 'exchange' })],
    [ROLE_ERRORS.requester_not_merchant, request(w, 'used', { ...faults, requester: 'exchange' })],
    [DATA_TRANSACTION_CREATE_ERRORS.request_id_too_long, request(w, long, faults)],
    [DATA_TRANSACTION_CREATE_ERRORS.request_id_used, request(w, 'used', faults)],
    [DATA_TRANSACTION_CREATE_ERRORS.product_missing, request(w, 'r', faults)],
    [DATA_MARKET_ERRORS.product_space_unknown, request(w, 'r', { ...faults, product_id: packObjectId(9, 9, 9) })],
    [DATA_TRANSACTION_CREATE_ERRORS.request_league_missing, leagueRequest(w, 'r', { ...outsider, league_id: 9 })],
    [DATA_TRANSACTION_CREATE_ERRORS.requester_not_in_league, leagueRequest(w, 'r', outsider)],
  ]);
  // There is 1.18.1, whose description is broken, but no 1.17.1 to say who delivers.
  const broken = { version: 'v', schema_context: '{' };
  w.push('league_data_product_create', { issuer: 'alice', product_name: 'q', schema_contexts: [broken] });
  const second = { product_id: packObjectId(1, 18, 1), version: 'v' };
  w.refuse(t, SCHEMA_JSON_ERRORS.schema_json, 'data_transaction_create', request(w, 'r', second));
  w.refuse(t, TABLE_ERRORS.object_missing, 'data_transaction_create', request(w, 'r', { ...second, version: 'w' }));
});

worldTest('answers to requests (56, 59, 60) with several faults', MARKET_WORLD, (t, w) => {
  openMarket(w);
  w.push('data_transaction_create', request(w, 'open'));
  w.push('data_transaction_create', request(w, 'private', { version: 'private' }));
  const decision = (request_id: string, new_requester = 'exchange') => ({ request_id, new_requester, new_status: 5 });
  refuseInOrder(t, w, 'data_transaction_update', [
    [ROLE_ERRORS.not_data_transaction_member, decision('nobody', 'merchant')],
    [ROLE_ERRORS.not_data_transaction_member, decision('open', 'merchant')],
    [DATA_MARKET_ERRORS.request_missing, decision('nobody')],
    [DATA_TRANSACTION_UPDATE_ERRORS.request_decided, decision('open')],
    [DATA_TRANSACTION_UPDATE_ERRORS.request_status_unknown, decision('private')],
  ]);
  refuseInOrder(t, w, 'data_transaction_datasource_upload', [
    [ROLE_ERRORS.not_data_transaction_member, { ...upload('nobody', 'source-two'), requester: 'merchant' }],
    [ROLE_ERRORS.not_data_transaction_member, { ...upload('private', 'source-two'), requester: 'merchant' }],
    [DATA_MARKET_ERRORS.request_missing, upload('nobody', 'source-two')],
    [DATASOURCE_UPLOAD_ERRORS.upload_not_listed, upload('private', 'source-two')],
    [DATASOURCE_UPLOAD_ERRORS.upload_not_confirmed, upload('private', 'source-one')],
  ]);
  refuseInOrder(t, w, 'data_transaction_datasource_validate_error', [
    [DATASOURCE_ERROR_ERRORS.source_error_not_member, { request_id: 'nobody', datasource: 'merchant' }],
    [DATASOURCE_ERROR_ERRORS.source_error_not_member, { request_id: 'private', datasource: 'merchant' }],
    [DATASOURCE_ERROR_ERRORS.source_error_request_missing, { request_id: 'nobody', datasource: 'source-one' }],
  ]);
});

worldTest('a payment (57) with several faults', MARKET_WORLD, (t, w) => {
  openMarket(w);
  w.push('data_transaction_create', request(w, 'private', { version: 'private' }));
  w.push('data_transaction_create', request(w, 'waiting'));
  w.push('data_transaction_create', request(w, 'delivered'));
  w.push('data_transaction_create', leagueRequest(w, 'unlisted', { product_id: FREE_PRODUCT }));
  w.push('data_transaction_create', leagueRequest(w, 'in league'));
  w.push('data_transaction_datasource_upload', upload('delivered', 'source-one'));
  w.push('data_transaction_datasource_upload', upload('unlisted', 'source-two'));
  w.push('data_transaction_datasource_upload', upload('in league', 'source-two'));
  const amount = makeAsset(BigInt(FREE_PRICE), 99);
  const wrong = { amount: makeAsset(1n, 99) };
  refuseInOrder(t, w, 'pay_data_transaction', [
    [OPERATION_ERRORS.operation_fee_negative, payment('private', 'merchant', 'merchant', 0, { fee: core(-1) })],
    [OPERATION_ERRORS.from_equals_to, payment('private', 'merchant', 'merchant', 0)],
    [OPERATION_ERRORS.amount_not_positive, payment('private', 'merchant', 'source-two', 0)],
    [PAY_DATA_ERRORS.pay_request_not_confirmed, payment('private', 'merchant', 'source-two', 1, wrong)],
    [PAY_DATA_ERRORS.pay_source_not_uploaded, payment('waiting', 'merchant', 'source-one', 1, wrong)],
    [PAY_DATA_ERRORS.pay_product_not_in_league, payment('unlisted', 'source-one', 'source-two', 1, wrong)],
    [PAY_DATA_ERRORS.pay_wrong_league_price, payment('in league', 'source-one', 'source-two', 1, wrong)],
    [PAY_DATA_ERRORS.pay_wrong_free_price, payment('delivered', 'merchant', 'source-one', 1, wrong)],
    [TABLE_ERRORS.object_missing, payment('delivered', 'merchant', 'source-one', 1, { amount })],
  ]);
});

worldTest('a complaint (70) with several faults', { ...MARKET_WORLD, keepsSupply: false }, (t, w) => {
  openMarket(w);
  for (const [name, other] of [
    ['complained', 'source-two'],
    ['paid', 'source-two'],
    ['unpaid', 'source-two'],
  ] as const) {
    w.push('data_transaction_create', leagueRequest(w, name));
    w.push('data_transaction_datasource_upload', upload(name, other));
    if (name !== 'unpaid') w.push('pay_data_transaction', payment(name, 'source-one', other, LEAGUE_PRICE));
  }
  const complaint = (request_id: string, more: object = {}) => ({
    request_id,
    requester: 'source-one',
    datasource: 'source-two',
    merchant_copyright_hash: 'mine',
    datasource_copyright_hash: 'theirs',
    ...more,
  });
  w.push('data_transaction_datasource_validate_error', { request_id: 'unpaid', datasource: 'source-one' });
  // The other source of the league has delivered nothing, and need not have.
  w.create('data_transaction_complain', complaint('complained'));
  const same = { merchant_copyright_hash: 'theirs' };
  const stranger = { requester: 'alice', datasource: 'source-one' };
  refuseInOrder(t, w, 'data_transaction_complain', [
    [COMPLAIN_ERRORS.complain_not_source, complaint('nobody', { ...same, datasource: 'merchant' })],
    [COMPLAIN_ERRORS.complain_same_hash, complaint('nobody', same)],
    [COMPLAIN_ERRORS.complain_same_hash, complaint('complained', { ...stranger, ...same })],
    [COMPLAIN_ERRORS.complain_request_missing, complaint('nobody', stranger)],
    [COMPLAIN_ERRORS.complain_twice, complaint('complained', stranger)],
    [COMPLAIN_ERRORS.complain_not_requester, complaint('unpaid', stranger)],
    [COMPLAIN_ERRORS.complain_not_paid, complaint('unpaid')],
    [COMPLAIN_ERRORS.complain_not_paid, complaint('unpaid', { datasource: 'source-one' })],
    [COMPLAIN_ERRORS.complain_not_paid, complaint('paid', { datasource: 'source-one' })],
  ]);
});

worldTest('products and leagues (63, 65, 67) with several faults', MARKET_WORLD, (t, w) => {
  openMarket(w);
  const issuer = 'merchant';
  refuseInOrder(t, w, 'free_data_product_create', [
    [ROLE_ERRORS.issuer_not_lifetime, { issuer, datasource: 'merchant' }],
    [FREE_PRODUCT_ERRORS.product_source_not_member, { issuer: 'alice', datasource: 'merchant' }],
  ]);
  const extensions = [[5, { pocs_threshold: 0n }]];
  refuseInOrder(t, w, 'league_data_product_create', [
    [ROLE_ERRORS.issuer_not_lifetime, { issuer, extensions }],
    [LEAGUE_LIST_ERRORS.pocs_threshold_small, { issuer: 'alice', extensions }],
  ]);
  const lists = (thresholds: bigint[], bases: bigint[], weights: bigint[]) => ({
    extensions: [[4, { pocs_thresholds: thresholds, fee_bases: bases, product_pocs_weights: weights }]],
  });
  const league = { issuer, members: ['source-one'], data_products: [0], category_id: 9, ...lists([], [], []) };
  refuseInOrder(t, w, 'league_create', [
    [LEAGUE_CREATE_ERRORS.league_member_not_source, { ...league, members: ['merchant'], data_products: [9] }],
    [LEAGUE_CREATE_ERRORS.league_product_missing, { ...league, data_products: [9] }],
    [LEAGUE_LIST_ERRORS.league_thresholds_size, league],
    [LEAGUE_LIST_ERRORS.league_fee_bases_size, { ...league, ...lists([1n], [], []) }],
    [LEAGUE_LIST_ERRORS.league_weights_size, { ...league, ...lists([1n], [1n], []) }],
    [ROLE_ERRORS.issuer_not_lifetime, { ...league, ...lists([1n], [1n], [1n]) }],
    [LEAGUE_CREATE_ERRORS.league_category_missing, { ...league, ...lists([1n], [1n], [1n]), issuer: 'alice' }],
  ]);
});
