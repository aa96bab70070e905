import type { ErrorRow } from '../../../src/base/errors.js';
import { OPERATION_ERRORS } from '../../../src/operations/checks.js';
import { PAY_DATA_ERRORS } from '../../../src/operations/data-market/pay-data-transaction.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { ASSET_FLAG, makeAsset } from '../../../src/protocol/asset.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import { pocsObject } from '../../../src/state/objects/data-market.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { assetOptions } from '../../support/asset-options.js';
import {
  FREE_PRICE,
  LEAGUE_PRICE,
  leagueRequest,
  MARKET_FUNDS,
  MARKET_WORLD,
  openMarket,
  payment,
  request,
  sourcesOf,
  upload,
} from '../../support/data-market.js';
import { refused } from '../../support/refused.js';
import { core, type TestWorld, worldTest } from '../../support/world.js';

const PAY = 'pay_data_transaction';
/** Payments take one asset and give another, and part of the commission vanishes. */
const WORLD = { ...MARKET_WORLD, keepsSupply: false };
const withCommission = (given: object) => ({ ...WORLD, parameters: { extensions: [[3, given]] as never } });

function delivered(w: TestWorld, name: string): void {
  w.push('data_transaction_create', request(w, name));
  w.push('data_transaction_datasource_upload', upload(name, 'source-one'));
}

/** Asked for by source-one, delivered by source-two. */
function deliveredInLeague(w: TestWorld, name: string, more: object = {}): void {
  w.push('data_transaction_create', leagueRequest(w, name, more));
  w.push('data_transaction_datasource_upload', upload(name, 'source-two'));
}

worldTest('pay_data_transaction (57) is refused', WORLD, (t, w) => {
  openMarket(w);
  delivered(w, 'free');
  w.push('data_transaction_create', request(w, 'private', { version: 'private' }));
  w.push('data_transaction_create', leagueRequest(w, 'waiting'));
  deliveredInLeague(w, 'league');
  // Every product has its place in a league's list, or cannot be paid for.
  w.push('league_data_product_create', { issuer: 'alice', product_name: 'q' });
  deliveredInLeague(w, 'unlisted', { product_id: packObjectId(1, 18, 1) });
  w.block();
  const [free, league] = [FREE_PRICE, LEAGUE_PRICE];
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [OPERATION_ERRORS.operation_fee_negative, payment('free', 'merchant', 'source-one', free, { fee: core(-1) })],
    [OPERATION_ERRORS.from_equals_to, payment('free', 'merchant', 'merchant', free)],
    [OPERATION_ERRORS.amount_not_positive, payment('free', 'merchant', 'source-one', 0)],
    [PAY_DATA_ERRORS.pay_request_not_confirmed, payment('private', 'merchant', 'source-one', free)],
    [PAY_DATA_ERRORS.pay_source_not_uploaded, payment('free', 'merchant', 'source-two', free)],
    [PAY_DATA_ERRORS.pay_source_not_uploaded, payment('waiting', 'source-one', 'source-two', league)],
    [PAY_DATA_ERRORS.pay_product_not_in_league, payment('unlisted', 'source-one', 'source-two', league)],
    [PAY_DATA_ERRORS.pay_wrong_free_price, payment('free', 'merchant', 'source-one', free - 1)],
    [PAY_DATA_ERRORS.pay_wrong_league_price, payment('league', 'source-one', 'source-two', league + 1)],
    [
      TABLE_ERRORS.object_missing,
      payment('free', 'merchant', 'source-one', free, { amount: makeAsset(BigInt(free), 99) }),
    ],
  ];
  for (const [row, given] of cases) w.refuse(t, row, PAY, { ...given });
  const good = payment('free', 'merchant', 'source-one', free);
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(PAY, good, ['source-one']));
  w.push('transfer', { from: 'merchant', to: 'alice', amount: core(MARKET_FUNDS - BigInt(free) + 1n) });
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, PAY, good);
  w.block();
});

worldTest('pay_data_transaction (57) for what is no product of a league', WORLD, (t, w) => {
  openMarket(w);
  // The league lists 1.18.0. Requests may name any object that exists, but only a product of a league has a price there.
  for (const [name, product_id] of [
    ['free product', packObjectId(1, 17, 0)],
    ['account', packObjectId(1, 2, 0)],
  ] as const) {
    deliveredInLeague(w, name, { product_id });
    const given = payment(name, 'source-one', 'source-two', LEAGUE_PRICE);
    w.refuse(t, PAY_DATA_ERRORS.pay_product_not_in_league, PAY, given);
  }
  w.block();
});

worldTest('pay_data_transaction (57) for a product that is gone', WORLD, (t, w) => {
  openMarket(w);
  const transfer = { op: w.operation('transfer', { from: 'alice', to: 'merchant', amount: core(1) }) };
  const proposal = { fee_paying_account: 'alice', expiration_time: w.now + 6000, proposed_ops: [transfer] };
  const product = { issuer: 'alice', datasource: 'source-one', price: BigInt(FREE_PRICE) };
  const id = w.create('proposal_create', proposal);
  t.equal(w.create('free_data_product_create', product), id, 'there is a free product of that number, with a price');
  w.push('data_transaction_create', request(w, 'gone', { product_id: packObjectId(1, 10, id) }));
  w.push('data_transaction_datasource_upload', upload('gone', 'source-one'));
  w.push('proposal_delete', { fee_paying_account: 'alice', proposal: id });
  w.block();
  w.refuse(t, PAY_DATA_ERRORS.pay_product_missing, PAY, payment('gone', 'merchant', 'source-one', FREE_PRICE));
});

worldTest('pay_data_transaction (57): the place in a league is the first one, and has 16 bits', WORLD, (t, w) => {
  openMarket(w);
  for (let i = 0; i < 2; i++) w.push('league_data_product_create', { issuer: 'alice', product_name: 'q' });
  const ROUND = 65_536;
  const given = { issuer: 'alice', members: ['source-one', 'source-two'], league_name: 'wide' };
  const zeros = new Array<number>(ROUND).fill(0);
  const wrapping = w.create('league_create', { ...given, data_products: [...zeros, 1], prices: [777n] });
  const full = w.create('league_create', { ...given, data_products: zeros, prices: [888n] });
  const short = w.create('league_create', { ...given, data_products: [0, 1], prices: [999n] });
  const twice = w.create('league_create', { ...given, data_products: [0, 1, 1], prices: [1n, 222n, 333n] });
  const second = { product_id: packObjectId(1, 18, 1) };
  deliveredInLeague(w, 'wraps', { ...second, league_id: wrapping });
  deliveredInLeague(w, 'end wraps', { ...second, league_id: full });
  deliveredInLeague(w, 'listed twice', { ...second, league_id: twice });
  deliveredInLeague(w, 'no price', { ...second, league_id: short });
  w.push(PAY, payment('wraps', 'source-one', 'source-two', 777));
  w.push(PAY, payment('end wraps', 'source-one', 'source-two', 888));
  w.push(PAY, payment('listed twice', 'source-one', 'source-two', 222));
  const unpaid = payment('no price', 'source-one', 'source-two', 999);
  w.refuse(t, PAY_DATA_ERRORS.pay_price_missing, PAY, unpaid, 'fewer prices than products');
  w.block();
});

worldTest('pay_data_transaction (57) in an asset with lists and restrictions', WORLD, (t, w) => {
  openMarket(w);
  delivered(w, 'a');
  const asset = w.create('asset_create', { issuer: 'alice', symbol: 'THING', common_options: assetOptions() });
  const amount = makeAsset(BigInt(FREE_PRICE), asset);
  w.push('asset_issue', { issuer: 'alice', asset_to_issue: amount, issue_to_account: 'merchant' });
  const change = (flags: number, whitelist_authorities: number[] = []) => {
    const core_exchange_rate = { base: core(1), quote: makeAsset(1n, asset) };
    const new_options = assetOptions({ core_exchange_rate, flags, whitelist_authorities });
    w.push('asset_update', { issuer: 'alice', asset_to_update: asset, new_options });
  };
  const list = (name: string) =>
    w.push('account_whitelist', { authorizing_account: 'alice', account_to_list: name, new_listing: 1 });
  const given = payment('a', 'merchant', 'source-one', FREE_PRICE, { amount });
  change(ASSET_FLAG.transfer_restricted);
  w.refuse(t, PAY_DATA_ERRORS.pay_restricted, PAY, given);
  change(ASSET_FLAG.white_list, [w.id('alice')]);
  w.refuse(t, TRANSFER_ERRORS.transfer_from_unauthorized, PAY, given);
  list('merchant');
  w.refuse(t, TRANSFER_ERRORS.transfer_to_unauthorized, PAY, given);
  list('source-one');
  w.push(PAY, given);
  w.block();
  t.equal(w.balance('merchant', asset), 0n);
  t.same([w.balance('source-one', asset), w.balance('source-one', 0)], [0n, 54_000n], 'what comes is always 1.3.0');
});

worldTest(
  'pay_data_transaction (57) moves the price, less the commission',
  { ...WORLD, accounts: { ...WORLD.accounts, 'commission-account': 0n } },
  (t, w) => {
    openMarket(w);
    delivered(w, 'a');
    w.block();
    const before = w.balance('merchant');
    t.same(w.push(PAY, payment('a', 'merchant', 'source-one', FREE_PRICE)), [2, makeAsset(100n, 0)]);
    w.block();
    t.equal(w.balance('merchant'), before - 60_100n);
    t.same([w.balance('source-one'), w.balance('source-one', 0)], [MARKET_FUNDS, 54_000n]);
    t.equal(w.balance('commission-account', 0), 5940n, 'a hundredth of the commission is reserved');
    t.same(sourcesOf(w, 'a'), [[w.id('source-one'), 2]]);
    t.equal(w.state.count(pocsObject), 0, 'contributions belong to leagues');
    const again = payment('a', 'merchant', 'source-one', FREE_PRICE);
    w.refuse(t, PAY_DATA_ERRORS.pay_source_not_uploaded, PAY, again, 'it is paid once');
  },
);

worldTest('pay_data_transaction (57) for an unknown request costs the fee alone', WORLD, (t, w) => {
  const before = w.balance('merchant');
  t.same(w.push(PAY, payment('nobody', 'merchant', 'alice', 5, { fee: core(3) })), [0, {}]);
  w.block();
  t.same([w.balance('merchant'), w.balance('alice')], [before - 3n, MARKET_FUNDS]);
});

worldTest(
  'pay_data_transaction (57) with commissions of the chain parameters',
  withCommission({
    league_data_market_commission_percent: 2000,
    free_data_market_commission_percent: 500,
    commission_account: 'nobody-has-this-name',
    reserve_percent: 5000,
  }),
  (t, w) => {
    openMarket(w);
    delivered(w, 'free');
    deliveredInLeague(w, 'league');
    w.block();
    const before = w.balance('committee-account', 0);
    w.push(PAY, payment('free', 'merchant', 'source-one', FREE_PRICE));
    w.block();
    t.equal(w.balance('source-one', 0), 57_000n);
    t.equal(w.balance('committee-account', 0), before + 1500n, 'without such an account the committee has it');
    w.push(PAY, payment('league', 'source-one', 'source-two', LEAGUE_PRICE));
    w.block();
    t.equal(w.balance('source-two', 0), 24_000n);
    t.equal(w.balance('committee-account', 0), before + 1500n + 3000n);
  },
);

/** Rows of contributions: account, bought, sold. */
const contributions = (w: TestWorld) =>
  [...w.state.all(pocsObject)].map(({ id, league_id, account_id, total_buy, total_sell }) => [
    id,
    league_id,
    account_id,
    total_buy,
    total_sell,
  ]);

worldTest('pay_data_transaction (57) within a league: contributions change the fee', WORLD, (t, w) => {
  openMarket(w);
  const [one, two] = [w.id('source-one'), w.id('source-two')];
  const buy = (name: string, buyer: string, seller: string, fee: number) => {
    w.push('data_transaction_create', leagueRequest(w, name, { requester: buyer }));
    w.push('data_transaction_datasource_upload', upload(name, seller));
    const before = w.balance(buyer);
    const result = w.push(PAY, payment(name, buyer, seller, LEAGUE_PRICE, { fee: core(fee) }));
    w.block();
    t.equal(
      before - w.balance(buyer),
      BigInt(LEAGUE_PRICE) + feeOf(result),
      `${name}: the fee is what the result says`,
    );
    return feeOf(result);
  };
  const feeOf = (result: unknown): bigint => (result as [2, { amount: bigint }])[1].amount;
  t.equal(buy('a', 'source-one', 'source-two', 1000), 1000n, 'nobody has contributed yet');
  t.same(contributions(w), [
    [0, 0, one, 1n, 0n],
    [1, 0, two, 0n, 1n],
  ]);
  // 1000 - trunc(1000 * (0 - 1) / 1)
  t.equal(buy('b', 'source-one', 'source-two', 1000), 2000n, 'who only buys pays double');
  t.equal(buy('c', 'source-two', 'source-one', 1000), 0n, 'who only sells pays nothing');
  t.same(contributions(w), [
    [0, 0, one, 2n, 1n],
    [1, 0, two, 1n, 2n],
  ]);
  const lists = (threshold: bigint, base: bigint, weight: bigint) =>
    w.asCommittee('league_update', {
      league: 0,
      new_members: [one, two],
      new_data_products: [0],
      extensions: [[4, { pocs_thresholds: [threshold, 0n], fee_bases: [base, 1n], product_pocs_weights: [weight] }]],
    });
  lists(4n, 3n, 5n);
  w.block();
  t.equal(buy('d', 'source-one', 'source-two', 1001), 1001n, 'three are below the threshold');
  t.same(contributions(w), [
    [0, 0, one, 7n, 1n],
    [1, 0, two, 1n, 7n],
  ]);
  // (1001 - trunc(1001 * (1 - 7) / 8)) * 3
  t.equal(buy('e', 'source-one', 'source-two', 1001), 5253n, 'the base counts for those who buy more than they sell');
  // 1001 - trunc(1001 * (12 - 1) / 13)
  t.equal(buy('f', 'source-two', 'source-one', 1001), 154n, 'and for nobody else');
  // With a threshold of 0 the product's own one counts.
  w.asCommittee('league_data_product_update', { league_data_product: 0, extensions: [[5, { pocs_threshold: 99n }]] });
  lists(0n, 3n, 5n);
  w.block();
  t.equal(buy('g', 'source-one', 'source-two', 700), 700n);
});
