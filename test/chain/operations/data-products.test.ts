import type { ErrorRow } from '../../../src/base/errors.js';
import { LIMITS } from '../../../src/base/limits.js';
import { PENDING_ERRORS } from '../../../src/chain/pending.js';
import { FREE_PRODUCT_ERRORS } from '../../../src/operations/data-market/free-data-product-create.js';
import { LEAGUE_CREATE_ERRORS } from '../../../src/operations/data-market/league-create.js';
import { LEAGUE_LIST_ERRORS } from '../../../src/operations/data-market/league-lists.js';
import { LEAGUE_UPDATE_ERRORS } from '../../../src/operations/data-market/league-update.js';
import { ROLE_ERRORS } from '../../../src/operations/data-market/roles.js';
import { AUTHORITY_ERRORS } from '../../../src/protocol/authority-check.js';
import { packObjectId } from '../../../src/protocol/ids.js';
import {
  dataMarketCategoryObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import { proposalObject } from '../../../src/state/objects/proposal.js';
import { FEE_ERRORS } from '../../../src/state/rules/fee-checks.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { CONTEXTS, grantRoles, MARKET_WORLD } from '../../support/data-market.js';
import { nextBlock } from '../../support/next-block.js';
import { refused } from '../../support/refused.js';
import { core, worldTest } from '../../support/world.js';

const MADE = 1_600_000_000;
const RECOMMENDED = 1_800_000_000;

const CATEGORY = {
  category_name: 'category',
  data_market_type: 1,
  order_num: 3,
  issuer: 'alice',
  create_date_time: MADE,
};

worldTest('data_market_category_create (61) and data_market_category_update (62)', MARKET_WORLD, (t, w) => {
  const byBasic = { ...CATEGORY, issuer: 'basic' };
  w.refuse(t, ROLE_ERRORS.issuer_not_lifetime, 'data_market_category_create', byBasic);
  w.refuse(t, FEE_ERRORS.fee_payment_negative, 'data_market_category_create', { ...CATEGORY, fee: core(-1) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push('data_market_category_create', CATEGORY, ['basic']));
  t.same(w.push('data_market_category_create', CATEGORY), [1, packObjectId(1, 16, 0)]);
  w.block();
  const category = { ...CATEGORY, id: 0, issuer: w.id('alice'), status: 0 };
  t.same(w.state.get(dataMarketCategoryObject, 0), category);

  const update = { new_category_name: 'other', new_order_num: 9, new_status: 2, data_market_category: 0 };
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.push('data_market_category_update', update, []));
  const missing = { ...update, data_market_category: 9 };
  w.refuseProposed(t, TABLE_ERRORS.object_missing, 'data_market_category_update', missing);
  w.asCommittee('data_market_category_update', update);
  w.block();
  const updated = { ...category, category_name: 'other', order_num: 9, status: 2 };
  t.same(w.state.get(dataMarketCategoryObject, 0), updated);
  // The type of market is in the operation and goes nowhere.
  w.asCommittee('data_market_category_update', { data_market_category: 0, data_market_type: 2 });
  w.block();
  t.same(w.state.get(dataMarketCategoryObject, 0), updated, 'what is not given stays');
  t.equal(w.state.count(proposalObject), 0, 'both proposals have run');
});

const FREE = {
  product_name: 'product',
  brief_desc: 'brief',
  datasource: 'source-one',
  category_id: 0,
  price: 7n,
  icon: 'icon',
  schema_contexts: CONTEXTS,
  parent_id: 'parent',
  issuer: 'alice',
  create_date_time: MADE,
  recommend_expiration_date_time: RECOMMENDED,
};

worldTest('free_data_product_create (63) and free_data_product_update (64)', MARKET_WORLD, (t, w) => {
  grantRoles(w);
  const create = 'free_data_product_create';
  w.refuse(t, ROLE_ERRORS.issuer_not_lifetime, create, { ...FREE, issuer: 'basic' });
  w.refuse(t, FREE_PRODUCT_ERRORS.product_source_not_member, create, { ...FREE, datasource: 'merchant' });
  w.refuse(t, TABLE_ERRORS.object_missing, create, { ...FREE, datasource: 9_999 });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(create, FREE, ['source-one']));
  // Nobody looks whether the category is there.
  t.same(w.push(create, FREE), [1, packObjectId(1, 17, 0)]);
  w.block();
  const [issuer, datasource] = [w.id('alice'), w.id('source-one')];
  const product = { ...FREE, id: 0, issuer, datasource, status: 0, total: 0n };
  t.same(w.state.get(freeDataProductObject, 0), product);

  const update = {
    free_data_product: 0,
    new_product_name: 'other',
    new_brief_desc: 'other brief',
    new_datasource: 'merchant',
    new_category_id: 5,
    new_price: 8n,
    new_icon: 'other icon',
    new_schema_contexts: [],
    new_parent_id: 'other parent',
    new_status: 1,
    new_issuer: 'merchant',
    new_recommend_expiration_date_time: RECOMMENDED + 1,
  };
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.push('free_data_product_update', update, []));
  const missing = { ...update, free_data_product: 9 };
  w.refuseProposed(t, TABLE_ERRORS.object_missing, 'free_data_product_update', missing);
  w.asCommittee('free_data_product_update', update);
  w.block();
  const updated = {
    ...product,
    product_name: 'other',
    brief_desc: 'other brief',
    datasource: w.id('merchant'),
    category_id: 5,
    price: 8n,
    icon: 'other icon',
    schema_contexts: [],
    parent_id: 'other parent',
    status: 1,
    recommend_expiration_date_time: RECOMMENDED + 1,
  };
  t.same(w.state.get(freeDataProductObject, 0), updated, 'everything but the issuer');
  w.asCommittee('free_data_product_update', { free_data_product: 0 });
  w.block();
  t.same(w.state.get(freeDataProductObject, 0), updated, 'what is not given stays');
});

const IN_LEAGUE = {
  product_name: 'product',
  brief_desc: 'brief',
  category_id: 0,
  refer_price: 7n,
  icon: 'icon',
  schema_contexts: CONTEXTS,
  create_date_time: MADE,
  issuer: 'alice',
};
const withThreshold = (pocs_threshold: bigint) => ({ extensions: [[5, { pocs_threshold }]] });

worldTest('league_data_product_create (65) and league_data_product_update (66)', MARKET_WORLD, (t, w) => {
  const create = 'league_data_product_create';
  w.refuse(t, ROLE_ERRORS.issuer_not_lifetime, create, { ...IN_LEAGUE, issuer: 'basic' });
  w.refuse(t, LEAGUE_LIST_ERRORS.pocs_threshold_small, create, { ...IN_LEAGUE, ...withThreshold(0n) });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(create, IN_LEAGUE, ['basic']));
  t.same(w.push(create, IN_LEAGUE), [1, packObjectId(1, 18, 0)]);
  t.same(w.push(create, { ...IN_LEAGUE, ...withThreshold(4n) }), [1, packObjectId(1, 18, 1)]);
  w.block();
  const product = { ...IN_LEAGUE, id: 0, issuer: w.id('alice'), status: 0, total: 0n, pocs_threshold: 0n };
  t.same(w.state.get(leagueDataProductObject, 0), product);
  t.same(w.state.get(leagueDataProductObject, 1), { ...product, id: 1, pocs_threshold: 4n });

  const update = {
    league_data_product: 1,
    new_product_name: 'other',
    new_brief_desc: 'other brief',
    new_category_id: 5,
    new_refer_price: 8n,
    new_status: 1,
    new_icon: 'other icon',
    new_schema_contexts: [],
  };
  const change = 'league_data_product_update';
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.push(change, update, []));
  w.refuseProposed(t, LEAGUE_LIST_ERRORS.pocs_threshold_small, change, { ...update, ...withThreshold(0n) });
  w.refuseProposed(t, TABLE_ERRORS.object_missing, change, { ...update, league_data_product: 9 });
  w.asCommittee(change, update);
  w.asCommittee(change, { league_data_product: 0, ...withThreshold(6n) });
  w.block();
  t.same(w.state.get(leagueDataProductObject, 1), {
    id: 1,
    product_name: 'other',
    brief_desc: 'other brief',
    category_id: 5,
    refer_price: 8n,
    status: 1,
    icon: 'other icon',
    schema_contexts: [],
    issuer: w.id('alice'),
    total: 0n,
    create_date_time: MADE,
    pocs_threshold: 4n,
  });
  t.same(w.state.get(leagueDataProductObject, 0), { ...product, pocs_threshold: 6n }, 'what is not given stays');
});

const lists = (pocs_thresholds: bigint[], fee_bases: bigint[], product_pocs_weights: bigint[]) => ({
  extensions: [[4, { pocs_thresholds, fee_bases, product_pocs_weights }]],
});
/** For two members and one product. */
const LISTS_OF_WRONG_SIZE: readonly (readonly [ErrorRow, object])[] = [
  [LEAGUE_LIST_ERRORS.league_thresholds_size, lists([1n], [1n, 1n], [1n])],
  [LEAGUE_LIST_ERRORS.league_fee_bases_size, lists([1n, 1n], [1n, 1n, 1n], [1n])],
  [LEAGUE_LIST_ERRORS.league_weights_size, lists([1n, 1n], [1n, 1n], [1n, 1n])],
];

worldTest(
  'a transaction gives leagues no more members than this node takes in; a block of others may',
  MARKET_WORLD,
  (t, w) => {
    grantRoles(w);
    w.push('data_market_category_create', CATEGORY);
    w.block();
    const league = (count: number) => ({ issuer: 'alice', members: new Array<string>(count).fill('source-one') });
    const most = LIMITS.pending_league_members_max;
    w.refuse(t, PENDING_ERRORS.pending_league_members, 'league_create', league(most + 1));
    const allowed = w.create('league_create', league(most));
    w.block();
    const more = w.sign([w.operation('league_create', league(most + 1))]);
    const block = nextBlock(w, {
      transactions: [{ ...more, operation_results: [[1, packObjectId(1, 19, allowed + 1)]] }],
    });
    w.chain.blocks.push({ block });
    w.adopt([block]);
    t.equal(w.state.get(leagueObject, allowed + 1).members.length, most + 1);
  },
);

worldTest('league_create (67) and league_update (68)', MARKET_WORLD, (t, w) => {
  grantRoles(w);
  const given = {
    league: 3,
    league_name: 'league',
    brief_desc: 'brief',
    data_products: [0],
    prices: [5n, 6n],
    category_id: 0,
    icon: 'icon',
    issuer: 'alice',
    create_date_time: MADE,
    recommend_expiration_date_time: RECOMMENDED,
    members: [w.id('source-one'), w.id('source-two')],
  };
  const create = 'league_create';
  w.push('league_data_product_create', IN_LEAGUE);
  w.refuse(t, LEAGUE_CREATE_ERRORS.league_category_missing, create, given);
  w.push('data_market_category_create', CATEGORY);
  w.block();
  const cases: readonly (readonly [ErrorRow, object])[] = [
    [LEAGUE_CREATE_ERRORS.league_member_not_source, { members: ['source-one', 'merchant'] }],
    [TABLE_ERRORS.object_missing, { members: [9_999, 'source-one'] }],
    [LEAGUE_CREATE_ERRORS.league_product_missing, { data_products: [0, 1] }],
    ...LISTS_OF_WRONG_SIZE,
    [ROLE_ERRORS.issuer_not_lifetime, { issuer: 'basic' }],
    [LEAGUE_CREATE_ERRORS.league_category_missing, { category_id: 1 }],
  ];
  for (const [row, more] of cases) w.refuse(t, row, create, { ...given, ...more });
  refused(t, AUTHORITY_ERRORS.active_auth_missing, () => w.push(create, given, ['source-one']));
  t.same(w.push(create, given), [1, packObjectId(1, 19, 0)]);
  t.same(w.push(create, { ...given, ...lists([2n, 3n], [4n, 5n], [6n]) }), [1, packObjectId(1, 19, 1)]);
  w.block();
  const { league: _unused, ...kept } = given;
  const league = { ...kept, id: 0, issuer: w.id('alice'), status: 0, total: 0n };
  const plain = { pocs_thresholds: [0n, 0n], fee_bases: [1n, 1n], product_pocs_weights: [1n] };
  const own = { pocs_thresholds: [2n, 3n], fee_bases: [4n, 5n], product_pocs_weights: [6n] };
  t.same(w.state.get(leagueObject, 0), { ...league, ...plain });
  t.same(w.state.get(leagueObject, 1), { ...league, id: 1, ...own });

  const both = { league: 1, new_members: given.members, new_data_products: [0] };
  const change = 'league_update';
  refused(t, AUTHORITY_ERRORS.committee_approval_invalid, () => w.push(change, both, []));
  const refusals: readonly (readonly [ErrorRow, object])[] = [
    [LEAGUE_UPDATE_ERRORS.league_update_lists_missing, { league: 1, new_members: given.members }],
    [LEAGUE_UPDATE_ERRORS.league_update_lists_missing, { league: 1, new_data_products: [0] }],
    ...LISTS_OF_WRONG_SIZE.map(([row, more]) => [row, { ...both, ...more }] as const),
    [TABLE_ERRORS.object_missing, { ...both, league: 9 }],
  ];
  for (const [row, more] of refusals) w.refuseProposed(t, row, change, { ...more });
  w.asCommittee(change, both);
  w.block();
  t.same(w.state.get(leagueObject, 1), { ...league, id: 1, ...plain }, 'the lists are always made anew');
  w.asCommittee(change, {
    league: 1,
    new_league_name: 'other',
    new_brief_desc: 'other brief',
    // Neither of them is looked up.
    new_data_products: [8, 9],
    new_members: [w.id('merchant')],
    new_prices: [7n],
    new_status: 1,
    new_category_id: 5,
    new_icon: 'other icon',
    new_issuer: 'merchant',
    new_recommend_expiration_date_time: RECOMMENDED + 1,
    ...lists([2n], [3n], [4n, 5n]),
  });
  w.block();
  t.same(w.state.get(leagueObject, 1), {
    id: 1,
    league_name: 'other',
    brief_desc: 'other brief',
    data_products: [8, 9],
    prices: [7n],
    status: 1,
    category_id: 5,
    icon: 'other icon',
    issuer: w.id('alice'),
    create_date_time: MADE,
    recommend_expiration_date_time: RECOMMENDED + 1,
    total: 0n,
    members: [w.id('merchant')],
    pocs_thresholds: [2n],
    fee_bases: [3n],
    product_pocs_weights: [4n, 5n],
  });
  t.same(w.state.get(leagueObject, 0), { ...league, ...plain }, 'the other league is as it was');
});
