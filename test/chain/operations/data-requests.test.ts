import type { ErrorRow } from '../../../src/base/errors.js';
import { COMPLAIN_ERRORS } from '../../../src/operations/data-market/data-transaction-complain.js';
import { DATA_TRANSACTION_CREATE_ERRORS } from '../../../src/operations/data-market/data-transaction-create.js';
import { DATASOURCE_UPLOAD_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-upload.js';
import { DATASOURCE_ERROR_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-validate-error.js';
import { DATA_TRANSACTION_UPDATE_ERRORS } from '../../../src/operations/data-market/data-transaction-update.js';
import { DATA_MARKET_ERRORS } from '../../../src/operations/data-market/products.js';
import { ROLE_ERRORS } from '../../../src/operations/data-market/roles.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import { SCHEMA_JSON_ERRORS } from '../../../src/protocol/schema-json.js';
import {
  datasourceCopyrightObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  secondHandDataObject,
} from '../../../src/state/objects/data-market.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import {
  FREE_PRICE,
  FREE_PRODUCT,
  LEAGUE_PRODUCT,
  leagueRequest,
  MARKET_WORLD,
  openMarket,
  payment,
  request,
  requestOf,
  sourcesOf,
  upload,
} from '../../support/data-market.js';
import { holds } from '../../support/holds.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const CREATE = 'data_transaction_create';
const UPDATE = 'data_transaction_update';
const UPLOAD = 'data_transaction_datasource_upload';
const ERROR = 'data_transaction_datasource_validate_error';
const COMPLAIN = 'data_transaction_complain';
const VOID = [0, {}];

worldTest('data_transaction_create (55)', MARKET_WORLD, (t, w) => {
  openMarket(w);
  w.push(CREATE, request(w, 'used'));
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [ROLE_ERRORS.requester_not_merchant, request(w, 'r', { requester: 'alice' })],
    // Bytes count, not letters.
    [DATA_TRANSACTION_CREATE_ERRORS.request_id_too_long, request(w, 'é'.repeat(50))],
    [DATA_TRANSACTION_CREATE_ERRORS.request_id_used, request(w, 'used')],
    [DATA_TRANSACTION_CREATE_ERRORS.product_missing, request(w, 'r', { product_id: packObjectId(1, 17, 1) })],
    [DATA_MARKET_ERRORS.product_space_unknown, request(w, 'r', { product_id: packObjectId(7, 7, 0) })],
    // The reference has these if a plugin for histories runs.
    [DATA_MARKET_ERRORS.product_type_unknown, leagueRequest(w, 'r', { product_id: packObjectId(1, 11, 0) })],
    [DATA_MARKET_ERRORS.product_type_unknown, leagueRequest(w, 'r', { product_id: packObjectId(2, 9, 0) })],
    [DATA_TRANSACTION_CREATE_ERRORS.request_league_missing, leagueRequest(w, 'r', { league_id: 9 })],
    [DATA_TRANSACTION_CREATE_ERRORS.requester_not_in_league, leagueRequest(w, 'r', { requester: 'merchant' })],
    // Without a league the product is one of the free ones, whatever its type: there is no 1.17.5.
    [TABLE_ERRORS.object_missing, request(w, 'r', { product_id: packObjectId(1, 2, 5) })],
    [SCHEMA_JSON_ERRORS.schema_json, request(w, 'r', { version: 'broken' })],
    [FEE_ERRORS.fee_payment_negative, request(w, 'r', { fee: core(-1) })],
  ];
  for (const [row, given] of cases) w.refuse(t, row, CREATE, { ...given });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(CREATE, request(w, 'r'), ['alice']));

  const longest = 'x'.repeat(99);
  t.same(w.push(CREATE, request(w, longest, { create_date_time: w.now - 5 })), [1, packObjectId(1, 20, 1)]);
  const made = w.now - 5;
  w.block();
  const [one, two] = [w.id('source-one'), w.id('source-two')];
  t.same(requestOf(w, longest), {
    id: 1,
    request_id: longest,
    product_id: FREE_PRODUCT,
    version: 'open',
    params: 'what',
    status: 1,
    create_date_time: made,
    requester: w.id('merchant'),
    league_id: undefined,
    memo: '',
    datasources_status: [{ datasource: one, status: 0 }],
    product_pay: 0n,
    transaction_fee: 0n,
    commission: 0n,
  });
  for (const [version, status] of [
    ['private', 0],
    ['private-text', 0],
    ['verified', 1],
    ['another', 1],
  ] as const) {
    w.push(CREATE, request(w, version, { version }));
    t.equal(requestOf(w, version).status, status, version);
  }
  w.push(CREATE, leagueRequest(w, 'in league'));
  t.same(sourcesOf(w, 'in league'), [
    [one, 0],
    [two, 0],
  ]);
  t.equal(requestOf(w, 'in league').league_id, 0);
  // 1.18.0 stands for 1.17.0 here, and 1.2.0 as well; the latter has no schema contexts.
  w.push(CREATE, request(w, 'of a league product', { product_id: LEAGUE_PRODUCT, version: 'private' }));
  w.push(CREATE, request(w, 'of an account', { product_id: packObjectId(1, 2, 0), version: 'broken' }));
  t.equal(requestOf(w, 'of a league product').status, 0);
  holds(t, requestOf(w, 'of an account'), { status: 1, datasources_status: [{ datasource: one, status: 0 }] });
  w.block();
});

worldTest(
  'several texts of one version: all are read at first, later none behind the first that decides',
  MARKET_WORLD,
  (t, w) => {
    openMarket(w);
    const text = (version: string, schema_context: string) => ({ version, schema_context });
    const issue = (schema_contexts: readonly object[]): bigint =>
      packObjectId(
        1,
        17,
        w.create('free_data_product_create', {
          issuer: 'alice',
          datasource: 'source-one',
          product_name: 'q',
          schema_contexts,
        }),
      );
    const product_id = issue([
      text('late', '{"privacy":false}'),
      text('late', '{"privacy":"true"}'),
      text('broken behind', '{"privacy":true}'),
      text('broken behind', '{"privacy":true} and more'),
      text('sources', '{"copyright_verify":true}'),
    ]);
    w.push(CREATE, request(w, 'late', { product_id, version: 'late' }));
    t.equal(requestOf(w, 'late').status, 0, 'one of them is enough');
    const broken = request(w, 'r', { product_id, version: 'broken behind' });
    w.refuse(t, SCHEMA_JSON_ERRORS.schema_json, CREATE, broken, 'the one behind it is read too');
    // The description is changed after the request, so that the delivery meets a text that is not JSON.
    w.push(CREATE, request(w, 'sources', { product_id, version: 'sources' }));
    const change = (...contexts: string[]) =>
      w.asCommittee('free_data_product_update', {
        free_data_product: Number(product_id & 0xffffn),
        new_schema_contexts: contexts.map((context) => text('sources', context)),
      });
    change('no JSON', '{"copyright_verify":true}');
    w.refuse(t, SCHEMA_JSON_ERRORS.schema_json, UPLOAD, upload('sources', 'source-one', 'hash'));
    change('{"copyright_verify":true}', 'no JSON');
    w.push(UPLOAD, upload('sources', 'source-one', 'hash'));
    w.block();
    t.equal(w.state.count(datasourceCopyrightObject), 1);
  },
);

worldTest('requests are forgotten after the hours that the network sets', MARKET_WORLD, (t, w) => {
  openMarket(w);
  w.push(CREATE, request(w, 'r'));
  w.block();
  w.advance(3600 - 60);
  t.equal(w.state.count(dataTransactionObject), 1);
  w.advance(120);
  w.block();
  t.equal(w.state.count(dataTransactionObject), 0);
  t.same(w.push(CREATE, request(w, 'r')), [1, packObjectId(1, 20, 1)], 'the name is free again');
  w.block();
});

worldTest('data_transaction_update (56)', MARKET_WORLD, (t, w) => {
  openMarket(w);
  for (const name of ['a', 'b']) w.push(CREATE, request(w, name, { version: 'private' }));
  w.push(CREATE, request(w, 'open'));
  w.block();
  const decide = (request_id: string, new_status: number, more: object = {}) => ({
    request_id,
    new_status,
    new_requester: 'exchange',
    ...more,
  });
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [ROLE_ERRORS.not_data_transaction_member, decide('a', 1, { new_requester: 'merchant' })],
    [DATA_MARKET_ERRORS.request_missing, decide('nobody', 1)],
    [DATA_TRANSACTION_UPDATE_ERRORS.request_decided, decide('open', 1)],
    [DATA_TRANSACTION_UPDATE_ERRORS.request_status_unknown, decide('a', 2)],
    [DATA_TRANSACTION_UPDATE_ERRORS.request_status_unknown, decide('a', 0)],
    [FEE_ERRORS.fee_payment_negative, decide('a', 1, { fee: core(-1) })],
  ];
  for (const [row, given] of cases) w.refuse(t, row, UPDATE, { ...given });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(UPDATE, decide('a', 1), ['merchant']));
  const before = requestOf(w, 'a');
  const expected = { ...before, status: 1, memo: 'yes' };
  t.same(w.push(UPDATE, decide('a', 1, { new_memo: 'yes' })), VOID);
  w.push(UPDATE, decide('b', 99));
  w.block();
  t.same(requestOf(w, 'a'), expected, 'status and memo, nothing else');
  holds(t, requestOf(w, 'b'), { status: 99, memo: '' });
  w.refuse(t, DATA_TRANSACTION_UPDATE_ERRORS.request_decided, UPDATE, decide('b', 1), 'a decision is final');
});

worldTest('data_transaction_datasource_upload (59)', MARKET_WORLD, (t, w) => {
  openMarket(w);
  w.push(CREATE, request(w, 'private', { version: 'private' }));
  w.push(CREATE, leagueRequest(w, 'plain'));
  w.push(CREATE, leagueRequest(w, 'verified', { version: 'verified', create_date_time: w.now - 7 }));
  const made = w.now - 7;
  w.block();
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [ROLE_ERRORS.not_data_transaction_member, { ...upload('plain', 'source-one'), requester: 'merchant' }],
    [DATA_MARKET_ERRORS.request_missing, upload('nobody', 'source-one')],
    [DATASOURCE_UPLOAD_ERRORS.upload_not_listed, upload('plain', 'merchant')],
    [DATASOURCE_UPLOAD_ERRORS.upload_not_confirmed, upload('private', 'source-one')],
    [FEE_ERRORS.fee_payment_negative, { ...upload('plain', 'source-one'), fee: core(-1) }],
  ];
  for (const [row, given] of cases) w.refuse(t, row, UPLOAD, { ...given });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(UPLOAD, upload('plain', 'source-one'), ['source-one']));
  const [one, two] = [w.id('source-one'), w.id('source-two')];
  t.same(w.push(UPLOAD, upload('plain', 'source-two', 'unread')), VOID);
  w.push(UPLOAD, upload('verified', 'source-one'));
  w.push(UPLOAD, { ...upload('verified', 'source-one'), extensions: [[2, { copyright_hash: undefined }]] });
  w.block();
  t.same(sourcesOf(w, 'plain'), [
    [one, 0],
    [two, 1],
  ]);
  t.equal(w.state.count(datasourceCopyrightObject), 0, 'neither without the flag nor without a hash');

  w.push(UPLOAD, upload('verified', 'source-one', 'hash'));
  w.push(UPLOAD, upload('verified', 'source-one', 'hash'));
  w.block();
  t.same(
    [...w.state.all(datasourceCopyrightObject)],
    [
      {
        id: 0,
        copyright_hash: 'hash',
        datasource_account_id: one,
        product_id: 0n,
        data_transaction_request_id: 'verified',
        create_date_time: made,
      },
    ],
  );
  t.equal(w.state.count(secondHandDataObject), 0, 'the owner may bring it again');
  w.push(UPLOAD, upload('verified', 'source-two', 'hash'));
  w.block();
  t.same(
    [...w.state.all(secondHandDataObject)],
    [
      {
        id: 0,
        second_hand_datasource_id: two,
        copyright_hash: 'hash',
        datasource_account_id: one,
        data_transaction_request_id: 'verified',
        create_date_time: made,
      },
    ],
  );
  t.equal(w.state.count(datasourceCopyrightObject), 1);
});

const PAID = { ...MARKET_WORLD, fees: true, accounts: { ...MARKET_WORLD.accounts, init0: 10n ** 9n } };

worldTest('datasource_copyright_clear (69)', PAID, (t, w) => {
  openMarket(w);
  w.push(CREATE, leagueRequest(w, 'r', { version: 'verified' }));
  for (const hash of ['one', 'two', 'three']) w.push(UPLOAD, upload('r', 'source-one', hash));
  w.push(UPLOAD, upload('r', 'source-two', 'four'));
  w.push('transfer', { from: 'alice', to: 0, amount: core(1_000_000) });
  w.block();
  const clear = (product_id: bigint, datasource_account = 'source-one') => ({ datasource_account, product_id });
  const name = 'datasource_copyright_clear';
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.push(name, clear(FREE_PRODUCT), []));
  const hashes = () => [...w.state.all(datasourceCopyrightObject)].map((copyright) => copyright.copyright_hash);
  w.asCommittee(name, clear(FREE_PRODUCT));
  w.block();
  t.same(hashes(), ['one', 'two', 'three', 'four'], 'copyrights name no product');
  const funds = w.balance('committee-account');
  w.asCommittee(name, clear(0n));
  w.block();
  t.same(hashes(), ['four'], 'all that match are gone, those of others stay');
  t.equal(w.balance('committee-account'), funds - 100_000n);
  w.push(UPLOAD, upload('r', 'source-two', 'two'));
  w.block();
  t.same(hashes(), ['four', 'two'], 'what is forgotten may belong to somebody else');
  t.equal(w.state.count(proposalObject), 0, 'all have run');
});

worldTest('data_transaction_datasource_validate_error (60)', MARKET_WORLD, (t, w) => {
  openMarket(w);
  w.push(CREATE, request(w, 'private', { version: 'private' }));
  w.push(CREATE, request(w, 'free'));
  w.push(CREATE, leagueRequest(w, 'league'));
  w.push(UPLOAD, upload('league', 'source-two'));
  w.block();
  const complain = (request_id: string, datasource: string, more: object = {}) => ({ request_id, datasource, ...more });
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [DATASOURCE_ERROR_ERRORS.source_error_not_member, complain('league', 'merchant')],
    [DATASOURCE_ERROR_ERRORS.source_error_request_missing, complain('nobody', 'source-one')],
    [DATASOURCE_ERROR_ERRORS.source_error_not_confirmed, complain('private', 'source-one')],
    [DATASOURCE_ERROR_ERRORS.source_error_too_late, complain('league', 'source-two')],
    [FEE_ERRORS.fee_payment_negative, complain('league', 'source-one', { fee: core(-1) })],
  ];
  for (const [row, given] of cases) w.refuse(t, row, ERROR, { ...given });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () =>
    w.push(ERROR, complain('league', 'source-one'), ['source-two']),
  );
  t.same(w.push(ERROR, complain('league', 'source-one')), VOID);
  t.same(w.push(ERROR, complain('free', 'source-two')), VOID, 'whoever is not asked may say so too');
  w.block();
  const [one, two] = [w.id('source-one'), w.id('source-two')];
  t.same(sourcesOf(w, 'league'), [
    [one, 99],
    [two, 1],
  ]);
  t.same(sourcesOf(w, 'free'), [[one, 0]]);
  const again = complain('league', 'source-one');
  w.refuse(t, DATASOURCE_ERROR_ERRORS.source_error_too_late, ERROR, again, 'once is enough');
});

worldTest('data_transaction_complain (70)', { ...MARKET_WORLD, keepsSupply: false }, (t, w) => {
  openMarket(w);
  const delivered = (name: string): void => {
    w.push(CREATE, request(w, name));
    w.push(UPLOAD, upload(name, 'source-one'));
  };
  delivered('paid');
  delivered('unpaid');
  w.push('pay_data_transaction', payment('paid', 'merchant', 'source-one', FREE_PRICE));
  w.block();
  const complaint = (request_id: string, more: object = {}) => ({
    request_id,
    requester: 'merchant',
    datasource: 'source-one',
    merchant_copyright_hash: 'mine',
    datasource_copyright_hash: 'theirs',
    create_date_time: 1_600_000_000,
    ...more,
  });
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [COMPLAIN_ERRORS.complain_not_source, complaint('paid', { datasource: 'exchange' })],
    [COMPLAIN_ERRORS.complain_same_hash, complaint('paid', { merchant_copyright_hash: 'theirs' })],
    [COMPLAIN_ERRORS.complain_request_missing, complaint('nobody')],
    [COMPLAIN_ERRORS.complain_not_requester, complaint('paid', { requester: 'alice' })],
    [COMPLAIN_ERRORS.complain_not_paid, complaint('unpaid')],
    [COMPLAIN_ERRORS.complain_not_paid, complaint('paid', { datasource: 'source-two' })],
    [FEE_ERRORS.fee_payment_negative, complaint('paid', { fee: core(-1) })],
  ];
  for (const [row, given] of cases) w.refuse(t, row, COMPLAIN, { ...given });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(COMPLAIN, complaint('paid'), ['source-one']));
  t.same(w.push(COMPLAIN, complaint('paid')), [1, packObjectId(1, 24, 0)]);
  w.block();
  t.same(w.state.get(dataTransactionComplainObject, 0), complaintObject(w));
  w.refuse(t, COMPLAIN_ERRORS.complain_twice, COMPLAIN, complaint('paid'));
});

const complaintObject = (w: TestWorld) => ({
  id: 0,
  requester: w.id('merchant'),
  datasource: w.id('source-one'),
  data_transaction_request_id: 'paid',
  merchant_copyright_hash: 'mine',
  datasource_copyright_hash: 'theirs',
  create_date_time: 1_600_000_000,
});
