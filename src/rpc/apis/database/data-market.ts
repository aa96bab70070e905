import { check, defineErrors } from '../../../base/errors.js';
import { array, pair } from '../../../codec/containers.js';
import { bool, text, time, u8, u32, u64 } from '../../../codec/scalars.js';
import { struct } from '../../../codec/struct.js';
import type { Type } from '../../../codec/type.js';
import {
  accountId,
  dataMarketCategoryId,
  freeDataProductId,
  type Instance,
  leagueDataProductId,
  leagueId,
} from '../../../protocol/ids.js';
import type { ObjectDef, StateObject } from '../../../state/define.js';
import {
  dataMarketCategoryObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
  MARKET_TYPE,
  secondHandDataObject,
} from '../../../state/objects/data-market.js';
import { method } from '../../define.js';
import { eachObject, objectsWhere } from '../../objects/walk.js';
import { eachInPieces, type Pieces, sortInPieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';
import { nullable, objectOf } from '../../types.js';
import { ASSETS_MAX, LIST_ERRORS } from './limits.js';

export const DATA_MARKET_API_ERRORS = defineErrors({
  market_type_unknown: {
    text: 'data_market_type == 1 || data_market_type ==2: the data_market_type does not support',
  },
});

const HOME_LIMIT = 30;
/** What a recommendation that does not end carries. */
const RECOMMENDED = 0xffffffff;
const ONLINE = 1;

/** The id is a left-over of the family: always 0.0.0. */
const NO_ID = '0.0.0';

function page<T extends StateObject>(definition: ObjectDef<T>) {
  return struct(`${definition.name}_page`, {
    id: text,
    total: u64,
    filtered_total: u64,
    data: array(objectOf(definition)),
  });
}

const requesterPage = struct('data_transaction_page', {
  id: text,
  total: u64,
  data: array(objectOf(dataTransactionObject)),
});

interface Listed extends StateObject {
  readonly category_id: Instance;
  readonly status: number;
}

interface Paging {
  readonly category: Instance;
  readonly offset: number;
  readonly limit: number;
  readonly keyword: string;
  readonly showAll: boolean;
}

interface Found<T> {
  readonly all: number;
  readonly matching: number;
  readonly page: T[];
}

/** Quirk kept: an offset behind the end gives the whole list. */
function* listCategory<T extends Listed>(
  chain: ChainPort,
  definition: ObjectDef<T>,
  paging: Paging,
  texts: (object: Readonly<T>) => readonly string[],
  order?: (a: Readonly<T>, b: Readonly<T>) => number,
): Pieces<Found<Readonly<T>>> {
  check(paging.limit <= ASSETS_MAX, LIST_ERRORS.limit_100);
  const keyword = paging.keyword.trim();
  let all = 0;
  const found: Readonly<T>[] = [];
  yield* eachObject(chain, definition, (object) => {
    if (object.category_id !== paging.category) return;
    all++;
    if (!paging.showAll && object.status === 0) return;
    if (keyword === '' || texts(object).some((value) => value.includes(keyword))) found.push(object);
  });
  const matching = order === undefined ? found : yield* sortInPieces(found, order);
  const { offset, limit } = paging;
  const slice = offset <= matching.length ? matching.slice(offset, offset + limit) : matching;
  return { all, matching: matching.length, page: slice };
}

const listParams = {
  data_market_category_id: dataMarketCategoryId,
  offset: u32,
  limit: u32,
  order_by: text,
  keyword: text,
  show_all: bool,
};

interface ListArguments {
  readonly data_market_category_id: Instance;
  readonly offset: number;
  readonly limit: number;
  readonly keyword: string;
  readonly show_all: boolean;
}

function paging(args: ListArguments): Paging {
  const { data_market_category_id: category, offset, limit, keyword, show_all: showAll } = args;
  return { category, offset, limit, keyword, showAll };
}

function byIds<T extends StateObject>(definition: ObjectDef<T>, id: Type<Instance>, about: string) {
  return method({
    about,
    params: { ids: array(id) },
    result: array(nullable(objectOf(definition))),
    run: ({ node }, { ids }) => {
      return eachInPieces(ids, (one) => node.chain.state.find(definition, one));
    },
  });
}

interface Dated {
  readonly create_date_time: number;
}

function between<T extends Dated & StateObject>(
  chain: ChainPort,
  definition: ObjectDef<T>,
  start: number,
  end: number,
): Pieces<Readonly<T>[]> {
  return objectsWhere(chain, definition, ({ create_date_time: at }) => at >= start && at <= end);
}

/** The accounts with the highest counts, in account order. */
function topCounts(accounts: readonly Instance[], limit: number): [Instance, bigint][] {
  const counts = new Map<Instance, bigint>();
  for (const account of accounts) counts.set(account, (counts.get(account) ?? 0n) + 1n);
  return [...counts]
    .sort((a, b) => (a[1] === b[1] ? a[0] - b[0] : a[1] > b[1] ? -1 : 1))
    .slice(0, limit)
    .sort((a, b) => a[0] - b[0]);
}

const period = { start_date_time: time, end_date_time: time };
const counts = array(pair(accountId, u64));

/** Statistics that the family promises and never computes. */
function alwaysZero<P extends Record<string, Type<never> | Type<string> | Type<number>>>(params: P) {
  return method({ about: 'Always 0; kept for clients that ask.', params, result: u64, run: () => 0n });
}

export const statisticsMethods = {
  get_data_transaction_product_costs: alwaysZero(period),
  get_data_transaction_total_count: alwaysZero(period),
  get_merchants_total_count: alwaysZero({}),
  get_data_transaction_commission: alwaysZero(period),
  get_data_transaction_pay_fee: alwaysZero(period),
  get_data_transaction_product_costs_by_requester: alwaysZero({ requester: text, ...period }),
  get_data_transaction_total_count_by_requester: alwaysZero({ requester: text, ...period }),
  get_data_transaction_pay_fees_by_requester: alwaysZero({ requester: text, ...period }),
  get_data_transaction_product_costs_by_product_id: alwaysZero({ product_id: text, ...period }),
  get_data_transaction_total_count_by_product_id: alwaysZero({ product_id: text, ...period }),
  list_data_transaction_complain_requesters: method({
    about: 'Who complained most often in a period, with the number of complaints.',
    params: { ...period, limit: u8 },
    result: counts,
    *run({ node }, { start_date_time, end_date_time, limit }) {
      const complaints = yield* between(node.chain, dataTransactionComplainObject, start_date_time, end_date_time);
      return topCounts(
        complaints.map(({ requester }) => requester),
        limit,
      );
    },
  }),
  list_data_transaction_complain_datasources: method({
    about: 'Who was complained of most often in a period, with the number of complaints.',
    params: { ...period, limit: u8 },
    result: counts,
    *run({ node }, { start_date_time, end_date_time, limit }) {
      const complaints = yield* between(node.chain, dataTransactionComplainObject, start_date_time, end_date_time);
      return topCounts(
        complaints.map(({ datasource }) => datasource),
        limit,
      );
    },
  }),
};

const recommended = (object: { readonly recommend_expiration_date_time: number; readonly status: number }): boolean =>
  object.recommend_expiration_date_time === RECOMMENDED && object.status === ONLINE;

export const dataMarketMethods = {
  list_home_free_data_products: method({
    about: 'Free data products that are recommended and online; limit below 30.',
    params: { limit: u32 },
    result: array(objectOf(freeDataProductObject)),
    *run({ node }, { limit }) {
      check(limit < HOME_LIMIT, LIST_ERRORS.limit_30);
      return (yield* objectsWhere(node.chain, freeDataProductObject, recommended)).slice(0, limit);
    },
  }),
  list_home_leagues: method({
    about: 'Leagues that are recommended and online; limit below 30.',
    params: { limit: u32 },
    result: array(objectOf(leagueObject)),
    *run({ node }, { limit }) {
      check(limit < HOME_LIMIT, LIST_ERRORS.limit_30);
      return (yield* objectsWhere(node.chain, leagueObject, recommended)).slice(0, limit);
    },
  }),
  list_data_market_categories: method({
    about: 'Categories of the market for free products (1) or leagues (2), by their order number.',
    params: { data_market_type: u32 },
    result: array(objectOf(dataMarketCategoryObject)),
    run: ({ node }, { data_market_type }) => {
      const known = data_market_type === MARKET_TYPE.free || data_market_type === MARKET_TYPE.league;
      check(known, DATA_MARKET_API_ERRORS.market_type_unknown);
      return [...node.chain.state.all(dataMarketCategoryObject)]
        .filter((category) => category.data_market_type === data_market_type)
        .sort((a, b) => a.order_num - b.order_num);
    },
  }),
  list_free_data_products: method({
    about: 'Free data products of a category; a keyword is looked for in name and short description.',
    params: listParams,
    result: page(freeDataProductObject),
    *run({ node }, args) {
      const found = yield* listCategory(node.chain, freeDataProductObject, paging(args), (product) => [
        product.product_name,
        product.brief_desc,
      ]);
      return { id: NO_ID, total: BigInt(found.all), filtered_total: BigInt(found.matching), data: found.page };
    },
  }),
  list_league_data_products: method({
    about: 'League data products of a category. The total is only counted when a keyword is given.',
    params: listParams,
    result: page(leagueDataProductObject),
    *run({ node }, args) {
      const found = yield* listCategory(node.chain, leagueDataProductObject, paging(args), (product) => [
        product.product_name,
        product.brief_desc,
      ]);
      const total = args.keyword.trim() === '' ? 0 : found.all;
      return { id: NO_ID, total: BigInt(total), filtered_total: BigInt(found.page.length), data: found.page };
    },
  }),
  list_leagues: method({
    about: 'Leagues of a category by name; a keyword is looked for in name and short description.',
    params: listParams,
    result: page(leagueObject),
    *run({ node }, args) {
      const found = yield* listCategory(
        node.chain,
        leagueObject,
        paging(args),
        (league) => [league.league_name, league.brief_desc],
        (a, b) => (a.league_name < b.league_name ? -1 : a.league_name > b.league_name ? 1 : a.id - b.id),
      );
      return { id: NO_ID, total: BigInt(found.all), filtered_total: BigInt(found.page.length), data: found.page };
    },
  }),
  get_data_market_categories: byIds(
    dataMarketCategoryObject,
    dataMarketCategoryId,
    'Categories of the data market by id; null where there is none.',
  ),
  get_free_data_products: byIds(
    freeDataProductObject,
    freeDataProductId,
    'Free data products by id; null where there is none.',
  ),
  get_league_data_products: byIds(
    leagueDataProductObject,
    leagueDataProductId,
    'League data products by id; null where there is none.',
  ),
  get_leagues: byIds(leagueObject, leagueId, 'Leagues by id; null where there is none.'),
  get_data_transaction_by_request_id: method({
    about: 'The data transaction of a request, or null.',
    params: { request_id: text },
    result: nullable(objectOf(dataTransactionObject)),
    run: ({ node }, { request_id }) => node.chain.state.findBy(dataTransactionObject.by.requestId, request_id),
  }),
  list_data_transactions_by_requester: method({
    about: 'Always an empty page; kept for clients that ask.',
    params: { requester: text, limit: u32 },
    result: requesterPage,
    run: () => ({ id: NO_ID, total: 0n, data: [] }),
  }),
  list_second_hand_datasources: method({
    about: 'Who sold second-hand data most often in a period, with the number of cases.',
    params: { ...period, limit: u32 },
    result: counts,
    *run({ node }, { start_date_time, end_date_time, limit }) {
      const cases = yield* between(node.chain, secondHandDataObject, start_date_time, end_date_time);
      return topCounts(
        cases.map(({ second_hand_datasource_id }) => second_hand_datasource_id),
        Math.min(limit, ASSETS_MAX),
      );
    },
  }),
  list_total_second_hand_transaction_counts_by_datasource: method({
    about: 'Number of all second-hand cases, whatever the period and the data source.',
    params: { ...period, datasource_account: accountId },
    result: u64,
    run: ({ node }) => BigInt(node.chain.state.count(secondHandDataObject)),
  }),
};
