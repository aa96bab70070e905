import * as declared from '../../../api/market.js';
import { check, defineErrors } from '../../../base/errors.js';
import { Smallest } from '../../../base/smallest.js';
import type { Instance } from '../../../protocol/ids.js';
import type { ObjectDef, OrderedIndex, StateObject } from '../../../state/define.js';
import {
  type DataMarketCategoryObject,
  dataMarketCategoryObject,
  dataTransactionComplainObject,
  dataTransactionObject,
  type FreeDataProductObject,
  freeDataProductObject,
  HOME_PAGE,
  type LeagueDataProductObject,
  type LeagueObject,
  leagueDataProductObject,
  leagueObject,
  MARKET_TYPE,
  secondHandDataObject,
} from '../../../state/objects/data-market.js';
import { implement, type RpcContext } from '../../define.js';
import { ASSETS_MAX, LIST_ERRORS } from '../../limits.js';
import { eachFrom, eachOfGroup } from '../../objects/walk.js';
import { eachInPieces, type Pieces } from '../../pieces/pieces.js';
import type { ChainPort } from '../../ports.js';

export const DATA_MARKET_API_ERRORS = defineErrors({
  market_type_unknown: {
    text: 'data_market_type == 1 || data_market_type ==2: the data_market_type does not support',
  },
});

const HOME_LIMIT = 30;

/** The id is a left-over of the family: always 0.0.0. */
const NO_ID = '0.0.0';

interface Listed extends StateObject {
  readonly status: number;
}

interface Paging {
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
  { offset, limit, keyword: given, showAll }: Paging,
  eachListed: (visit: (object: Readonly<T>) => void) => Pieces<void>,
  texts: (object: Readonly<T>) => readonly string[],
): Pieces<Found<Readonly<T>>> {
  check(limit <= ASSETS_MAX, LIST_ERRORS.limit_100);
  const keyword = given.trim();
  let all = 0;
  const matching: Readonly<T>[] = [];
  yield* eachListed((object) => {
    all++;
    if (!showAll && object.status === 0) return;
    if (keyword === '' || texts(object).some((value) => value.includes(keyword))) matching.push(object);
  });
  const slice = offset <= matching.length ? matching.slice(offset, offset + limit) : matching;
  return { all, matching: matching.length, page: slice };
}

interface ListArguments {
  readonly data_market_category_id: Instance;
  readonly offset: number;
  readonly limit: number;
  readonly keyword: string;
  readonly show_all: boolean;
}

function paging(args: ListArguments): Paging {
  const { offset, limit, keyword, show_all: showAll } = args;
  return { offset, limit, keyword, showAll };
}

interface Dated extends StateObject {
  readonly create_date_time: number;
}

interface Period {
  readonly start_date_time: number;
  readonly end_date_time: number;
}

/** The accounts that most objects of a period name, with their number, in account order. */
function* topCounts<T extends Dated>(
  chain: ChainPort,
  index: OrderedIndex<T>,
  { start_date_time, end_date_time }: Period,
  accountOf: (object: Readonly<T>) => Instance,
  limit: number,
): Pieces<[Instance, bigint][]> {
  const counts = new Counts();
  const isInside = (object: Readonly<T>): boolean => object.create_date_time <= end_date_time;
  yield* eachFrom(chain, index, [start_date_time], isInside, (object) => counts.add(accountOf(object)));
  const most = new Smallest<readonly [Instance, number]>(limit, (a, b) => b[1] - a[1] || a[0] - b[0]);
  for (const page of counts.pages()) {
    for (const pair of page) most.put(pair);
    yield;
  }
  const sorted = [...most.values()].sort((a, b) => a[0] - b[0]);
  return sorted.map(([account, count]): [Instance, bigint] => [account, BigInt(count)]);
}

const PAGE_SIZE = 1024;

/** How often each account was named. A map of a million entries stands still for tens of milliseconds when it grows. */
class Counts {
  readonly #pages: (Uint32Array | undefined)[] = [];

  add(account: Instance): void {
    const at = Math.floor(account / PAGE_SIZE);
    while (this.#pages.length <= at) this.#pages.push(undefined);
    const page = this.#pages[at] ?? new Uint32Array(PAGE_SIZE);
    this.#pages[at] = page;
    const place = account % PAGE_SIZE;
    page[place] = (page[place] as number) + 1;
  }

  /** The accounts of each page that were named, with their counts. */
  *pages(): Generator<[Instance, number][]> {
    for (const [at, page] of this.#pages.entries()) {
      const pairs: [Instance, number][] = [];
      for (const [i, count] of (page ?? []).entries()) if (count > 0) pairs.push([at * PAGE_SIZE + i, count]);
      yield pairs;
    }
  }
}

/** Statistics that the family promises and never computes. */
const alwaysZero = (): bigint => 0n;

function byIds<T extends StateObject>(definition: ObjectDef<T>) {
  return ({ node }: RpcContext, { ids }: { readonly ids: readonly Instance[] }) =>
    eachInPieces(ids, (one) => node.chain.state.find(definition, one));
}

export const statisticsMethods = implement(declared.statisticsMethods, {
  get_data_transaction_product_costs: alwaysZero,
  get_data_transaction_total_count: alwaysZero,
  get_merchants_total_count: alwaysZero,
  get_data_transaction_commission: alwaysZero,
  get_data_transaction_pay_fee: alwaysZero,
  get_data_transaction_product_costs_by_requester: alwaysZero,
  get_data_transaction_total_count_by_requester: alwaysZero,
  get_data_transaction_pay_fees_by_requester: alwaysZero,
  get_data_transaction_product_costs_by_product_id: alwaysZero,
  get_data_transaction_total_count_by_product_id: alwaysZero,
  list_data_transaction_complain_requesters: ({ node }, { limit, ...inside }) =>
    topCounts(node.chain, dataTransactionComplainObject.by.date, inside, ({ requester }) => requester, limit),
  list_data_transaction_complain_datasources: ({ node }, { limit, ...inside }) =>
    topCounts(node.chain, dataTransactionComplainObject.by.date, inside, ({ datasource }) => datasource, limit),
});

export const dataMarketMethods = implement(declared.dataMarketMethods, {
  list_home_free_data_products: ({ node }, { limit }) => {
    check(limit < HOME_LIMIT, LIST_ERRORS.limit_30);
    return [...node.chain.state.groupPage(freeDataProductObject.by.home, HOME_PAGE, 0, limit)];
  },
  list_home_leagues: ({ node }, { limit }) => {
    check(limit < HOME_LIMIT, LIST_ERRORS.limit_30);
    return [...node.chain.state.groupPage(leagueObject.by.home, HOME_PAGE, 0, limit)];
  },
  *list_data_market_categories({ node }, { data_market_type }) {
    const known = data_market_type === MARKET_TYPE.free || data_market_type === MARKET_TYPE.league;
    check(known, DATA_MARKET_API_ERRORS.market_type_unknown);
    const out: Readonly<DataMarketCategoryObject>[] = [];
    const isWanted = (category: Readonly<DataMarketCategoryObject>): boolean =>
      category.data_market_type === data_market_type;
    const { typeOrder } = dataMarketCategoryObject.by;
    yield* eachFrom(node.chain, typeOrder, [data_market_type], isWanted, (category) => void out.push(category));
    return out;
  },
  *list_free_data_products({ node }, args) {
    const { category } = freeDataProductObject.by;
    const found = yield* listCategory(
      paging(args),
      (visit) => eachOfGroup(node.chain, category, args.data_market_category_id, visit),
      (product: Readonly<FreeDataProductObject>) => [product.product_name, product.brief_desc],
    );
    return { id: NO_ID, total: BigInt(found.all), filtered_total: BigInt(found.matching), data: found.page };
  },
  *list_league_data_products({ node }, args) {
    const { category } = leagueDataProductObject.by;
    const found = yield* listCategory(
      paging(args),
      (visit) => eachOfGroup(node.chain, category, args.data_market_category_id, visit),
      (product: Readonly<LeagueDataProductObject>) => [product.product_name, product.brief_desc],
    );
    const total = args.keyword.trim() === '' ? 0 : found.all;
    return { id: NO_ID, total: BigInt(total), filtered_total: BigInt(found.page.length), data: found.page };
  },
  *list_leagues({ node }, args) {
    const category = args.data_market_category_id;
    const isListed = (league: Readonly<LeagueObject>): boolean => league.category_id === category;
    const found = yield* listCategory(
      paging(args),
      (visit) => eachFrom(node.chain, leagueObject.by.categoryName, [category], isListed, visit),
      (league: Readonly<LeagueObject>) => [league.league_name, league.brief_desc],
    );
    return { id: NO_ID, total: BigInt(found.all), filtered_total: BigInt(found.page.length), data: found.page };
  },
  get_data_market_categories: byIds(dataMarketCategoryObject),
  get_free_data_products: byIds(freeDataProductObject),
  get_league_data_products: byIds(leagueDataProductObject),
  get_leagues: byIds(leagueObject),
  get_data_transaction_by_request_id: ({ node }, { request_id }) =>
    node.chain.state.findBy(dataTransactionObject.by.requestId, request_id),
  list_data_transactions_by_requester: () => ({ id: NO_ID, total: 0n, data: [] }),
  list_second_hand_datasources: ({ node }, { limit, ...inside }) =>
    topCounts(
      node.chain,
      secondHandDataObject.by.date,
      inside,
      ({ second_hand_datasource_id }) => second_hand_datasource_id,
      Math.min(limit, ASSETS_MAX),
    ),
  list_total_second_hand_transaction_counts_by_datasource: ({ node }) =>
    BigInt(node.chain.state.count(secondHandDataObject)),
});
