import t from 'tap';
import type { ErrorRow } from '../../../src/base/errors.js';
import { INT_ERRORS, U64_MAX } from '../../../src/base/int.js';
import type { Json } from '../../../src/codec/json.js';
import { COMPLAIN_ERRORS } from '../../../src/operations/data-market/data-transaction-complain.js';
import { DATA_TRANSACTION_CREATE_ERRORS } from '../../../src/operations/data-market/data-transaction-create.js';
import { DATASOURCE_UPLOAD_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-upload.js';
import { DATASOURCE_ERROR_ERRORS } from '../../../src/operations/data-market/data-transaction-datasource-validate-error.js';
import { DATA_TRANSACTION_UPDATE_ERRORS } from '../../../src/operations/data-market/data-transaction-update.js';
import { FREE_PRODUCT_ERRORS } from '../../../src/operations/data-market/free-data-product-create.js';
import { LEAGUE_CREATE_ERRORS } from '../../../src/operations/data-market/league-create.js';
import { LEAGUE_LIST_ERRORS } from '../../../src/operations/data-market/league-lists.js';
import { LEAGUE_UPDATE_ERRORS } from '../../../src/operations/data-market/league-update.js';
import { PAY_DATA_ERRORS } from '../../../src/operations/data-market/pay-data-transaction.js';
import { DATA_MARKET_ERRORS } from '../../../src/operations/data-market/products.js';
import { ROLE_ERRORS } from '../../../src/operations/data-market/roles.js';
import { OPERATIONS_47_84 } from '../../../src/operations/list-47-84.js';
import { PROPOSAL_ONLY_ERRORS } from '../../../src/operations/proposal-only.js';
import { registerDefinitions } from '../../../src/operations/registered.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { commissionExtension } from '../../../src/protocol/extensions.js';
import { MAINNET_FORKS } from '../../../src/protocol/forks.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import { SCHEMA_JSON_ERRORS } from '../../../src/protocol/schema-json.js';
import { accountObject } from '../../../src/state/objects/account.js';
import {
  dataMarketCategoryObject,
  datasourceCopyrightObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  pocsKey,
  pocsObject,
  secondHandDataObject,
} from '../../../src/state/objects/data-market.js';
import { FOREVER } from '../../../src/state/rules/accounts.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { BareWorld } from '../../support/bare-world.js';
import { refused } from '../../support/refused.js';

registerDefinitions(Object.assign([], Object.fromEntries(OPERATIONS_47_84.map((entry) => [entry.tag, entry]))));

const FUNDS = 10_000_000_000n;
const id = (account: number): string => `1.2.${account}`;

/** A market with one product of each kind; prices: free 60000, league 30000. */
function market(headTime?: number) {
  const world = new BareWorld(headTime);
  const core = `1.3.${world.state.coreAsset}`;
  const issuer = world.account('issuer', { membership_expiration_date: FOREVER }, FUNDS);
  const source = { merchant_expiration_date: FOREVER, datasource_expiration_date: FOREVER };
  const s1 = world.account('source-one', source, FUNDS);
  const s2 = world.account('source-two', source, FUNDS);
  const merchant = world.account('merchant', { merchant_expiration_date: FOREVER }, FUNDS);
  const exchange = world.account('exchange', { data_transaction_member_expiration_date: FOREVER }, FUNDS);
  const run = (tag: number, json: Record<string, Json>, amount = 1_000_000) =>
    world.run(tag, { fee: { amount, asset_id: core }, ...json });
  const propose = (tag: number, json: Record<string, Json>) =>
    world.run(tag, { fee: { amount: 0, asset_id: core }, ...json }, { proposed: true, issuedByContract: true });

  const contexts = [
    { version: '1', schema_context: '{"privacy": "true", "copyright_verify": true}' },
    { version: '2', schema_context: '{"privacy": false, copyright_verify}' },
    { version: '3', schema_context: '{"privacy": false, "copyright_verify": true}' },
  ];
  run(61, { category_name: 'c', data_market_type: 1, order_num: 3, issuer: id(issuer) });
  run(63, { product_name: 'f', datasource: id(s1), issuer: id(issuer), price: 60_000, schema_contexts: contexts });
  run(65, { product_name: 'l', issuer: id(issuer), refer_price: 5, schema_contexts: contexts });
  const league = { issuer: id(issuer), members: [id(s1), id(s2)], data_products: ['1.18.0'], prices: [30_000] };
  run(67, league);

  const request = (request_id: string, more: Record<string, Json> = {}) =>
    run(55, { request_id, product_id: '1.17.0', version: '3', requester: id(merchant), ...more }, 100);
  const upload = (request_id: string, datasource: number, hash?: string) =>
    run(59, {
      request_id,
      requester: id(exchange),
      datasource: id(datasource),
      extensions: hash === undefined ? [] : [[2, { copyright_hash: hash }]],
    });
  const pay = (request_id: string, from: number, to: number, amount: number, fee = 100) =>
    run(57, { request_id, from: id(from), to: id(to), amount: { amount, asset_id: core } }, fee);
  const stored = (request_id: string) => world.state.findBy(dataTransactionObject.by.requestId, request_id);
  return { world, core, issuer, s1, s2, merchant, exchange, run, propose, league, request, upload, pay, stored };
}

t.test('products, categories and leagues', (t) => {
  const { world, run, propose, issuer, s1, merchant, league } = market();
  t.match(world.state.get(dataMarketCategoryObject, 0), { category_name: 'c', order_num: 3, status: 0, issuer });
  t.match(world.state.get(leagueObject, 0), {
    pocs_thresholds: [0n, 0n],
    fee_bases: [1n, 1n],
    product_pocs_weights: [1n],
  });

  const cases: readonly [number, Record<string, Json>, ErrorRow][] = [
    [61, { issuer: id(merchant) }, ROLE_ERRORS.issuer_not_lifetime],
    [63, { issuer: id(merchant), datasource: id(s1) }, ROLE_ERRORS.issuer_not_lifetime],
    [63, { issuer: id(issuer), datasource: id(merchant) }, FREE_PRODUCT_ERRORS.product_source_not_member],
    [65, { issuer: id(merchant) }, ROLE_ERRORS.issuer_not_lifetime],
    [65, { issuer: id(issuer), extensions: [[5, {}]] }, LEAGUE_LIST_ERRORS.pocs_threshold_small],
    [67, { ...league, members: [id(merchant)] }, LEAGUE_CREATE_ERRORS.league_member_not_source],
    [67, { ...league, issuer: id(merchant) }, ROLE_ERRORS.issuer_not_lifetime],
    [67, { ...league, extensions: [[4, { fee_bases: [1, 1] }]] }, LEAGUE_LIST_ERRORS.league_thresholds_size],
    [67, { ...league, extensions: [[4, { pocs_thresholds: [1, 1] }]] }, LEAGUE_LIST_ERRORS.league_fee_bases_size],
    [
      67,
      { ...league, extensions: [[4, { pocs_thresholds: [1, 1], fee_bases: [1, 1] }]] },
      LEAGUE_LIST_ERRORS.league_weights_size,
    ],
  ];
  for (const [tag, json, row] of cases) refused(t, row, () => run(tag, json));
  t.throws(() => run(67, { ...league, data_products: ['1.18.9'] }), 'unknown product');
  t.throws(() => run(67, { ...league, category_id: '1.16.9' }), 'unknown category');

  for (const tag of [58, 62, 64, 66, 68, 69]) {
    refused(t, PROPOSAL_ONLY_ERRORS.not_inside_proposal, () => run(tag, {}), `${tag} outside a proposal`);
  }
  propose(62, { new_category_name: 'new', new_status: 1 });
  t.match(world.state.get(dataMarketCategoryObject, 0), { category_name: 'new', order_num: 3, status: 1 });
  propose(64, { new_price: 7, new_issuer: id(merchant) });
  t.match(world.state.get(freeDataProductObject, 0), { price: 7n, issuer, product_name: 'f' });
  propose(66, { new_refer_price: 8, extensions: [[5, { pocs_threshold: 4 }]] });
  t.match(world.state.get(leagueDataProductObject, 0), { refer_price: 8n, pocs_threshold: 4n });
  propose(68, { new_members: [id(s1)], new_data_products: ['1.18.0'], new_prices: [9] });
  t.match(world.state.get(leagueObject, 0), { members: [s1], prices: [9n], pocs_thresholds: [0n] });
  refused(t, LEAGUE_UPDATE_ERRORS.league_update_lists_missing, () => propose(68, { new_prices: [9] }));
  propose(58, { account_to_upgrade: id(merchant), upgrade_to_data_transaction_member: true });
  t.equal(world.state.get(accountObject, merchant).data_transaction_member_expiration_date, FOREVER);
  t.end();
});

t.test('a request from its start to a complaint', (t) => {
  const { world, run, request, upload, pay, stored, s1, s2, merchant, exchange, issuer } = market();
  refused(t, ROLE_ERRORS.requester_not_merchant, () => request('r', { requester: id(issuer) }));
  refused(t, DATA_TRANSACTION_CREATE_ERRORS.request_id_too_long, () => request('x'.repeat(100)));
  refused(t, DATA_TRANSACTION_CREATE_ERRORS.product_missing, () => request('r', { product_id: '1.17.1' }));
  refused(t, DATA_TRANSACTION_CREATE_ERRORS.requester_not_in_league, () => request('r', { league_id: '1.19.0' }));
  t.throws(() => request('r', { version: '2' }), 'a schema context that is not JSON');
  t.same(request('private', { version: '1' }), [1, packObjectId(1, 20, 0)]);
  t.match(stored('private'), { status: 0, datasources_status: [{ datasource: s1, status: 0 }] });
  refused(t, DATA_TRANSACTION_CREATE_ERRORS.request_id_used, () => request('private'));

  const decide = (status: number, from = exchange) =>
    run(56, { request_id: 'private', new_status: status, new_requester: id(from), new_memo: 'yes' });
  refused(t, DATASOURCE_UPLOAD_ERRORS.upload_not_confirmed, () => upload('private', s1));
  refused(t, PAY_DATA_ERRORS.pay_request_not_confirmed, () => pay('private', merchant, s1, 60_000));
  refused(t, ROLE_ERRORS.not_data_transaction_member, () => decide(1, merchant));
  refused(t, DATA_TRANSACTION_UPDATE_ERRORS.request_status_unknown, () => decide(2));
  decide(1);
  refused(t, DATA_TRANSACTION_UPDATE_ERRORS.request_decided, () => decide(99));
  t.match(stored('private'), { status: 1, memo: 'yes' });

  refused(t, DATASOURCE_UPLOAD_ERRORS.upload_not_listed, () => upload('private', s2));
  refused(t, PAY_DATA_ERRORS.pay_source_not_uploaded, () => pay('private', merchant, s1, 60_000));
  upload('private', s1, 'hash');
  refused(t, DATASOURCE_ERROR_ERRORS.source_error_too_late, () =>
    run(60, { request_id: 'private', datasource: id(s1) }),
  );
  refused(t, PAY_DATA_ERRORS.pay_wrong_free_price, () => pay('private', merchant, s1, 59_999));
  t.match(world.state.get(datasourceCopyrightObject, 0), { copyright_hash: 'hash', product_id: 0n });

  const complain = (more: Record<string, Json> = {}) =>
    run(70, {
      request_id: 'private',
      requester: id(merchant),
      datasource: id(s1),
      merchant_copyright_hash: 'x',
      ...more,
    });
  refused(t, COMPLAIN_ERRORS.complain_not_paid, () => complain());
  t.same(pay('private', merchant, s1, 60_000), [2, { amount: 100n, asset_id: 0 }]);
  refused(t, COMPLAIN_ERRORS.complain_same_hash, () => complain({ merchant_copyright_hash: '' }));
  refused(t, COMPLAIN_ERRORS.complain_not_requester, () => complain({ requester: id(issuer) }));
  t.same(complain(), [1, packObjectId(1, 24, 0)]);
  refused(t, COMPLAIN_ERRORS.complain_twice, () => complain());
  refused(t, DATA_MARKET_ERRORS.request_missing, () => upload('unknown', s1));
  t.end();
});

t.test('requests to one league share what none of its members has answered', (t) => {
  const { world, run, request, stored, s1, s2 } = market();
  for (const name of ['a', 'b']) request(name, { product_id: '1.18.0', league_id: '1.19.0', requester: id(s1) });
  const untouched = [
    { datasource: s1, status: 0 },
    { datasource: s2, status: 0 },
  ];
  t.same(stored('a')?.datasources_status, untouched);
  t.equal(stored('a')?.datasources_status, stored('b')?.datasources_status);
  const other = world.account('source-three', { datasource_expiration_date: FOREVER }, FUNDS);
  run(60, { request_id: 'a', datasource: id(other) });
  t.equal(stored('a')?.datasources_status, stored('b')?.datasources_status, 'nor does one whom nobody has asked');
  run(60, { request_id: 'a', datasource: id(s2) });
  t.same(stored('a')?.datasources_status, [untouched[0], { datasource: s2, status: 99 }]);
  t.same(stored('b')?.datasources_status, untouched, 'an answer to one says nothing of another');
  t.end();
});

t.test('the texts of a product are read once, however often they are asked for', (t) => {
  const { world, request, propose, s1 } = market();
  let reads = 0;
  let looks = 0;
  const context = (version: string, text: string) => ({
    get version() {
      looks++;
      return version;
    },
    get schema_context() {
      reads++;
      return text;
    },
  });
  const bad = context('bad', '{"privacy":');
  const contexts = [context('one', '{"privacy":true}'), context('one', '{}'), bad];
  world.create(freeDataProductObject, { datasource: s1, schema_contexts: contexts });
  const ask = (name: string, version: string) => request(name, { product_id: '1.17.1', version });
  ask('a', 'one');
  ask('b', 'one');
  t.equal(reads, 2, 'both texts of the version');
  ask('c', 'unknown');
  t.match(
    ['a', 'b', 'c'].map((name) => world.state.findBy(dataTransactionObject.by.requestId, name)?.status),
    [0, 0, 1],
  );
  const { schema_json } = SCHEMA_JSON_ERRORS;
  for (const name of ['d', 'e']) {
    refused(t, schema_json, () => ask(name, 'bad'), { data: { expected: 'a value', position: 11 } });
  }
  t.equal(reads, 3, 'nor is one that is no JSON');
  t.equal(looks, contexts.length, 'all for one look at each version');
  propose(64, { free_data_product: '1.17.1', new_schema_contexts: [{ version: 'bad', schema_context: '{}' }] });
  ask('d', 'bad');
  t.match(world.state.findBy(dataTransactionObject.by.requestId, 'd'), { status: 1 }, 'new texts are read');
  t.end();
});

t.test('the second source of the same data is noted; copyrights are cleared all at once', (t) => {
  const { world, request, upload, propose, s1, s2 } = market();
  request('a', { product_id: '1.18.0', league_id: '1.19.0', requester: id(s1) });
  upload('a', s1, 'hash');
  upload('a', s1, 'hash');
  t.equal(world.state.count(secondHandDataObject), 0, 'the owner again');
  upload('a', s2, 'hash');
  t.match(world.state.get(secondHandDataObject, 0), { second_hand_datasource_id: s2, datasource_account_id: s1 });
  t.same(propose(69, { datasource_account: id(s1), product_id: '1.17.0' }), [0, {}]);
  t.equal(world.state.count(datasourceCopyrightObject), 1);
  t.same(propose(69, { datasource_account: id(s1), product_id: '0.0.0' }), [0, {}]);
  t.equal(world.state.count(datasourceCopyrightObject), 0);
  t.end();
});

t.test('a payment arrives in 1.3.0, less the commission', (t) => {
  const { world, request, upload, pay, s1, merchant } = market();
  const receiver = world.account('commission-account');
  request('a');
  upload('a', s1);
  const before = world.balance(merchant);
  pay('a', merchant, s1, 60_000);
  t.equal(world.balance(merchant), before - 60_100n);
  t.equal(world.balance(s1, 0), 54_000n);
  t.equal(world.balance(receiver, 0), 5940n, 'one percent of the commission is reserved');
  t.same(pay('unknown', merchant, s1, 1, 5), [0, {}], 'unknown requests cost the fee alone');
  request('b');
  upload('b', s1);
  const dear = Number(FUNDS);
  refused(t, PAY_DATA_ERRORS.pay_wrong_free_price, () => pay('b', merchant, s1, dear));
  world.run(78, {
    fee: { amount: 200_000, asset_id: '1.3.1' },
    from: id(merchant),
    to: id(s1),
    amount: {
      amount: Number(world.balance(merchant)) - 250_000,
      asset_id: '1.3.1',
    },
  });
  refused(t, TRANSFER_ERRORS.transfer_balance, () => pay('b', merchant, s1, 60_000));
  t.end();
});

t.test('contribution to a league changes the fee', (t) => {
  const { world, request, upload, pay, s1, s2 } = market();
  const buy = (name: string, fee: number) => {
    request(name, { product_id: '1.18.0', league_id: '1.19.0', requester: id(s1) });
    upload(name, s2);
    return pay(name, s1, s2, 30_000, fee);
  };
  t.same(buy('a', 1000), [2, { amount: 1000n, asset_id: 0 }], 'no contribution yet');
  t.match(world.state.findBy(pocsObject.by.leagueAccount, pocsKey(0, s1)), { id: 0, total_buy: 1n, total_sell: 0n });
  t.match(world.state.findBy(pocsObject.by.leagueAccount, pocsKey(0, s2)), { id: 1, total_buy: 0n, total_sell: 1n });
  const before = world.balance(s1);
  t.same(buy('b', 1000), [2, { amount: 2000n, asset_id: 0 }], 'who only buys pays double');
  t.equal(world.balance(s1), before - 2000n - 30_000n - 100n);

  const { state } = world;
  const pocs = state.get(pocsObject, 0);
  state.modify(pocsObject, pocs, (o) => {
    o.total_sell = 5n;
  });
  // 999 - trunc(999 * (5 - 2) / 7)
  t.same(buy('c', 999), [2, { amount: 571n, asset_id: 0 }], 'who sells pays less');
  state.modify(pocsObject, pocs, (o) => {
    o.total_buy = 9n;
  });
  const league = state.get(leagueObject, 0);
  state.modify(leagueObject, league, (o) => {
    o.fee_bases = [3n, 7n];
  });
  // (1001 - trunc(1001 * (5 - 9) / 14)) * 3
  t.same(buy('d', 1001), [2, { amount: 3861n, asset_id: 0 }], 'the base of the place of the product counts');
  state.modify(leagueObject, league, (o) => {
    o.pocs_thresholds = [100n, 0n];
  });
  t.same(buy('e', 1001), [2, { amount: 1001n, asset_id: 0 }], 'below the threshold nothing changes');
  t.match(pocs, { total_sell: 5n, total_buy: 11n });
  state.modify(leagueObject, league, (o) => {
    o.pocs_thresholds = [17n, 0n];
  });
  t.same(buy('f', 1001), [2, { amount: 1001n, asset_id: 0 }], 'one below the threshold');
  // (1001 - trunc(1001 * (5 - 12) / 17)) * 3
  t.same(buy('g', 1001), [2, { amount: 4239n, asset_id: 0 }], 'exactly the threshold');
  state.modify(pocsObject, pocs, (o) => {
    o.total_sell = o.total_buy;
  });
  t.same(buy('h', 1001), [2, { amount: 1001n, asset_id: 0 }], 'the base is for those who bought more than they sold');
  state.modify(leagueObject, league, (o) => {
    o.fee_bases = [0n, 7n];
  });
  // 1001 - trunc(1001 * (13 - 14) / 27)
  t.same(buy('i', 1001), [2, { amount: 1038n, asset_id: 0 }], 'a base of 0 does not count');

  state.modify(leagueObject, league, (o) => {
    o.data_products = [7, 0];
    o.prices = [1n, 30_000n];
    o.pocs_thresholds = [0n];
    o.fee_bases = [3n];
    o.product_pocs_weights = [5n, 7n];
  });
  const bought = pocs.total_buy;
  buy('j', 0);
  t.equal(pocs.total_buy, bought + 1n, 'quirk: the length of the thresholds guards the weights');
  state.modify(leagueObject, league, (o) => {
    o.pocs_thresholds = [0n, 0n];
  });
  buy('k', 0);
  t.equal(pocs.total_buy, bought + 8n);
  const other = state.get(pocsObject, 1);
  state.modify(pocsObject, other, (o) => {
    o.total_sell = U64_MAX - 4n;
  });
  state.modify(pocsObject, pocs, (o) => {
    o.total_buy = U64_MAX;
  });
  buy('wrap', 0);
  t.same([pocs.total_buy, other.total_sell], [6n, 2n], 'both wrap around');
  state.modify(pocsObject, pocs, (o) => {
    o.total_buy = 0n;
    o.total_sell = 0n;
  });
  refused(t, INT_ERRORS.divide_by_zero, () => buy('l', 0), 'nothing bought and nothing sold');
  t.end();
});

t.test('before fork 1001 fees do not change and the commission is ten percent', (t) => {
  for (const [headTime, secondFee, commission] of [
    [MAINNET_FORKS.HF_1001 - 1, 1000n, 6000n],
    [MAINNET_FORKS.HF_1001, 2000n, 30_000n],
  ] as const) {
    const { world, request, upload, pay, s1, s2 } = market(headTime);
    world.setParameterExtension([3, { ...commissionExtension.default(), league_data_market_commission_percent: 5000 }]);
    for (const [name, amount] of [
      ['a', 1000n],
      ['b', secondFee],
    ] as const) {
      request(name, { product_id: '1.18.0', league_id: '1.19.0', requester: id(s1) });
      upload(name, s2);
      t.same(pay(name, s1, s2, 30_000, 1000), [2, { amount, asset_id: 0 }]);
    }
    t.equal(world.balance(0), commission, 'the committee gets all of the commission');
  }
  t.end();
});

t.test('since fork 1003 the commission has an account of its own, less what is reserved', (t) => {
  for (const [headTime, committee, own] of [
    [MAINNET_FORKS.HF_1003 - 1, 6000n, 0n],
    [MAINNET_FORKS.HF_1003, 0n, 5940n],
  ] as const) {
    const { world, request, upload, pay, s1, merchant } = market(headTime);
    const receiver = world.account('commission-account');
    request('a');
    upload('a', s1);
    pay('a', merchant, s1, 60_000);
    t.same([world.balance(0), world.balance(receiver)], [committee, own]);
  }
  t.end();
});

t.test('quirk: contributions are counted in 64 bits, and their difference is read with a sign', (t) => {
  const { world, request, upload, pay, s1, s2 } = market();
  const league = world.state.get(leagueObject, 0);
  const pocs = world.create(pocsObject, { league_id: 0, account_id: s1 });
  let count = 0;
  const buy = (fee: number, bought: bigint, sold: bigint, least = 0n, base = 1n) => {
    const name = `request ${count++}`;
    request(name, { product_id: '1.18.0', league_id: '1.19.0', requester: id(s1) });
    upload(name, s2);
    world.state.modify(pocsObject, pocs, (o) => Object.assign(o, { total_buy: bought, total_sell: sold }));
    world.state.modify(leagueObject, league, (o) => Object.assign(o, { pocs_thresholds: [least], fee_bases: [base] }));
    const result = pay(name, s1, s2, 30_000, fee);
    return result[0] === 2 ? result[1].amount : undefined;
  };
  const half = 2n ** 63n;
  // 1000 - trunc(1000 * 2 / 4)
  t.equal(buy(1000, half + 1n, half + 3n, 4n), 500n, 'the sum is 4');
  t.equal(buy(1000, half + 1n, half + 3n, 5n), 1000n, 'which is below 5');
  // 10 - trunc(10 * 4 / -2)
  t.equal(buy(10, 2n * half - 3n, 1n), 30n, 'the sum is -2, the difference 4');
  // 10 - trunc(10 * -1 / -1)
  t.equal(buy(10, 0n, 2n * half - 1n), 0n, 'both are -1');
  // 1001 - trunc(1001 * -7 / 17)
  t.equal(buy(1001, 12n, 5n), 1413n, 'a base of 1 changes nothing');
  t.equal(buy(1001, 12n, 5n, 0n, 2n), 2826n, 'the smallest base that does');
  refused(t, FEE_ERRORS.fee_payment_negative, () => buy(10, 1n, 0n, 0n, 2n * half - 1n), 'a base of -1');
  t.equal(buy(0, 1n, 0n, 0n, 2n * half - 1n), 0n);
  t.end();
});

t.test('a product whose place lies behind the last threshold goes by a threshold of its own', (t) => {
  const { world, run, request, upload, pay, issuer, s1, s2 } = market();
  const { state } = world;
  run(65, { product_name: 'other', issuer: id(issuer), extensions: [[5, { pocs_threshold: 4 }]] });
  // There is one threshold for each member, and it is looked for by the place of the product.
  state.modify(leagueObject, state.get(leagueObject, 0), (o) =>
    Object.assign(o, { data_products: [0, 1], prices: [1n, 30_000n], pocs_thresholds: [50n], fee_bases: [3n] }),
  );
  const pocs = world.create(pocsObject, { league_id: 0, account_id: s1 });
  const buy = (name: string, bought: bigint, sold: bigint) => {
    request(name, { product_id: '1.18.1', league_id: '1.19.0', requester: id(s1) });
    upload(name, s2);
    state.modify(pocsObject, pocs, (o) => Object.assign(o, { total_buy: bought, total_sell: sold }));
    return pay(name, s1, s2, 30_000, 1000);
  };
  t.same(buy('below', 1n, 2n), [2, { amount: 1000n, asset_id: 0 }]);
  // 1000 - trunc(1000 * (3 - 1) / 4)
  t.same(buy('reached', 1n, 3n), [2, { amount: 500n, asset_id: 0 }]);
  // 1000 - trunc(1000 * (1 - 3) / 4)
  t.same(buy('buyer', 3n, 1n), [2, { amount: 1500n, asset_id: 0 }], 'no base has its place either');
  t.end();
});
