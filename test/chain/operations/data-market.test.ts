import type { Test } from 'tap';
import { COMPLAIN_ERRORS } from '../../../src/operations/data-market/data-transaction-complain.js';
import { DATA_TRANSACTION_CREATE_ERRORS } from '../../../src/operations/data-market/data-transaction-create.js';
import { DATASOURCE_UPLOAD_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-upload.js';
import { PAY_DATA_ERRORS } from '../../../src/operations/data-market/pay-data-transaction.js';
import { ROLE_ERRORS } from '../../../src/operations/data-market/roles.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import {
  dataMarketCategoryObject,
  datasourceCopyrightObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  pocsObject,
} from '../../../src/state/objects/data-market.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

/** Rules of single checks are in test/unit/operations; here the market goes through blocks, undo and a second chain. */

const FUNDS = 10n ** 9n;
const WORLD = {
  accounts: {
    alice: FUNDS,
    'source-one': FUNDS,
    'source-two': FUNDS,
    merchant: FUNDS,
    exchange: FUNDS,
    'commission-account': 0n,
  },
  // Payments take one asset and give another, and part of the commission vanishes.
  keepsSupply: false,
};

const CONTEXT = { version: '1', schema_context: '{"privacy": false, "copyright_verify": true}' };

/** One free product, one of a league, a league of both sources. */
function openMarket(w: TestWorld): void {
  for (const name of ['source-one', 'source-two', 'merchant']) {
    const given = { account_to_upgrade: name, auth_referrer: 'alice' };
    w.push('account_upgrade_merchant', { ...given, upgrade_to_merchant_member: true });
    if (name === 'merchant') continue;
    w.push('account_upgrade_datasource', { ...given, upgrade_to_datasource_member: true });
  }
  w.asCommittee('account_upgrade_data_transaction_member', {
    account_to_upgrade: 'exchange',
    upgrade_to_data_transaction_member: true,
  });
  w.push('data_market_category_create', { category_name: 'c', data_market_type: 1, order_num: 3, issuer: 'alice' });
  const product = { issuer: 'alice', schema_contexts: [CONTEXT], product_name: 'p' };
  w.push('free_data_product_create', { ...product, datasource: 'source-one', price: 60_000n });
  w.push('league_data_product_create', { ...product, refer_price: 5n });
  w.push('league_create', {
    issuer: 'alice',
    league_name: 'l',
    members: [w.id('source-one'), w.id('source-two')],
    data_products: [0],
    prices: [30_000n],
  });
  w.block();
}

/** The requester says when it was made; by that it is forgotten later. */
const request = (w: TestWorld, request_id: string, more: object = {}) => ({
  request_id,
  create_date_time: w.now,
  product_id: packObjectId(1, 17, 0),
  version: '1',
  requester: 'merchant',
  ...more,
});
const upload = (request_id: string, datasource: string, copyright_hash: string | undefined = undefined) => ({
  request_id,
  requester: 'exchange',
  datasource,
  extensions: copyright_hash === undefined ? [] : [[2, { copyright_hash }]],
});
const pay = (request_id: string, from: string, to: string, amount: number) => ({
  request_id,
  from,
  to,
  amount: core(amount),
  fee: core(100),
});

function sees(t: Test, w: TestWorld): void {
  t.same(
    [dataMarketCategoryObject, freeDataProductObject, leagueDataProductObject, leagueObject].map((one) =>
      w.state.count(one),
    ),
    [1, 1, 1, 1],
  );
}

worldTest('a free product is asked for, delivered, paid and complained about (55, 59, 57, 70)', WORLD, (t, w) => {
  openMarket(w);
  sees(t, w);
  w.refuse(t, ROLE_ERRORS.requester_not_merchant, 'data_transaction_create', request(w, 'r', { requester: 'alice' }));
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('data_transaction_create', request(w, 'r'), ['alice']));
  w.push('data_transaction_create', request(w, 'r'));
  w.block();
  w.refuse(t, DATA_TRANSACTION_CREATE_ERRORS.request_id_used, 'data_transaction_create', request(w, 'r'));
  w.refuse(
    t,
    PAY_DATA_ERRORS.pay_source_not_uploaded,
    'pay_data_transaction',
    pay('r', 'merchant', 'source-one', 60_000),
  );
  w.refuse(
    t,
    DATASOURCE_UPLOAD_ERRORS.upload_not_listed,
    'data_transaction_datasource_upload',
    upload('r', 'source-two'),
  );
  w.push('data_transaction_datasource_upload', upload('r', 'source-one', 'hash'));
  w.block();
  t.equal(w.state.count(datasourceCopyrightObject), 1);
  w.refuse(t, PAY_DATA_ERRORS.pay_wrong_amount, 'pay_data_transaction', pay('r', 'merchant', 'source-one', 59_999));
  const before = w.balance('merchant');
  w.push('pay_data_transaction', pay('r', 'merchant', 'source-one', 60_000));
  w.block();
  t.equal(w.balance('merchant'), before - 60_100n);
  t.same([w.balance('source-one', 0), w.balance('commission-account', 0)], [54_000n, 5940n]);
  const complaint = {
    request_id: 'r',
    requester: 'merchant',
    datasource: 'source-one',
    merchant_copyright_hash: 'other',
  };
  w.push('data_transaction_complain', complaint);
  w.block();
  t.equal(w.state.count(dataTransactionComplainObject), 1);
  w.refuse(t, COMPLAIN_ERRORS.complain_twice, 'data_transaction_complain', complaint);
});

worldTest('a product of a league counts as contribution (55, 57)', WORLD, (t, w) => {
  openMarket(w);
  const more = { product_id: packObjectId(1, 18, 0), league_id: 0, requester: 'source-one' };
  for (const name of ['a', 'b']) {
    w.push('data_transaction_create', request(w, name, more));
    w.push('data_transaction_datasource_upload', upload(name, 'source-two'));
    w.push('pay_data_transaction', { ...pay(name, 'source-one', 'source-two', 30_000), fee: core(1000) });
    w.block();
  }
  const rows = [...w.state.all(pocsObject)].map(({ total_buy, total_sell }) => [total_buy, total_sell]);
  t.same(rows, [
    [2n, 0n],
    [0n, 2n],
  ]);
  w.advance(3600 + 60);
  w.block();
  t.equal(w.state.count(dataTransactionObject), 0, 'after an hour requests are forgotten');
  w.push('data_transaction_create', request(w, 'a', more));
  w.block();
});
