import { array, pair } from '../codec/containers.js';
import { bool, text, time, u8, u32, u64 } from '../codec/scalars.js';
import { type Fields, struct } from '../codec/struct.js';
import type { PlainType } from '../codec/type.js';
import {
  accountId,
  assetId,
  dataMarketCategoryId,
  freeDataProductId,
  type Instance,
  leagueDataProductId,
  leagueId,
  objectId,
} from '../protocol/ids.js';
import { assetRecord } from '../protocol/objects/accounts-and-assets.js';
import {
  dataMarketCategoryRecord,
  dataTransactionRecord,
  freeDataProductRecord,
  leagueDataProductRecord,
  leagueRecord,
  pocsRecord,
} from '../protocol/objects/data-market.js';
import { type ObjectDeclaration, objectOf } from '../protocol/objects/declare.js';
import { declareMethod } from './define.js';
import { nullable } from './types.js';

const asset = objectOf(assetRecord);

export const assetMethods = {
  get_assets: declareMethod({
    about: 'Assets by id, in the order asked; null where there is none.',
    params: { ids: array(assetId) },
    result: array(nullable(asset)),
  }),
  list_assets: declareMethod({
    about: 'Assets from a symbol on, ascending and including it; at most 100.',
    params: { lower_bound_symbol: text, limit: u32 },
    result: array(asset),
  }),
  lookup_asset_symbols: declareMethod({
    about: 'Assets by exact symbol or by id, in the order asked; null where there is none.',
    params: { symbols_or_ids: array(text) },
    result: array(nullable(asset)),
  }),
  get_pocs_object: declareMethod({
    about: 'Proof of contribution of an account in a league, or null.',
    params: { league_id: leagueId, account_id: accountId, product_id: objectId },
    result: nullable(objectOf(pocsRecord)),
  }),
};

/** Statistics that the family promises and never computes. */
function alwaysZero<P extends Fields>(params: P) {
  return declareMethod({ about: 'Always 0; kept for clients that ask.', params, result: u64 });
}

const period = { start_date_time: time, end_date_time: time };

const counts = array(pair(accountId, u64));

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
  list_data_transaction_complain_requesters: declareMethod({
    about: 'Who complained most often in a period, with the number of complaints.',
    params: { ...period, limit: u8 },
    result: counts,
  }),
  list_data_transaction_complain_datasources: declareMethod({
    about: 'Who was complained of most often in a period, with the number of complaints.',
    params: { ...period, limit: u8 },
    result: counts,
  }),
};

const listParams = {
  data_market_category_id: dataMarketCategoryId,
  offset: u32,
  limit: u32,
  order_by: text,
  keyword: text,
  show_all: bool,
};

function page<F extends Fields>(declaration: ObjectDeclaration<F>) {
  return struct(`${declaration.name}_page`, {
    id: text,
    total: u64,
    filtered_total: u64,
    data: array(objectOf(declaration)),
  });
}

function byIds<F extends Fields>(declaration: ObjectDeclaration<F>, id: PlainType<Instance>, about: string) {
  return declareMethod({ about, params: { ids: array(id) }, result: array(nullable(objectOf(declaration))) });
}

const requesterPage = struct('data_transaction_page', {
  id: text,
  total: u64,
  data: array(objectOf(dataTransactionRecord)),
});

export const dataMarketMethods = {
  list_home_free_data_products: declareMethod({
    about: 'Free data products that are recommended and online; limit below 30.',
    params: { limit: u32 },
    result: array(objectOf(freeDataProductRecord)),
  }),
  list_home_leagues: declareMethod({
    about: 'Leagues that are recommended and online; limit below 30.',
    params: { limit: u32 },
    result: array(objectOf(leagueRecord)),
  }),
  list_data_market_categories: declareMethod({
    about: 'Categories of the market for free products (1) or leagues (2), by their order number.',
    params: { data_market_type: u32 },
    result: array(objectOf(dataMarketCategoryRecord)),
  }),
  list_free_data_products: declareMethod({
    about: 'Free data products of a category; a keyword is looked for in name and short description.',
    params: listParams,
    result: page(freeDataProductRecord),
  }),
  list_league_data_products: declareMethod({
    about: 'League data products of a category. The total is only counted when a keyword is given.',
    params: listParams,
    result: page(leagueDataProductRecord),
  }),
  list_leagues: declareMethod({
    about: 'Leagues of a category by name; a keyword is looked for in name and short description.',
    params: listParams,
    result: page(leagueRecord),
  }),
  get_data_market_categories: byIds(
    dataMarketCategoryRecord,
    dataMarketCategoryId,
    'Categories of the data market by id; null where there is none.',
  ),
  get_free_data_products: byIds(
    freeDataProductRecord,
    freeDataProductId,
    'Free data products by id; null where there is none.',
  ),
  get_league_data_products: byIds(
    leagueDataProductRecord,
    leagueDataProductId,
    'League data products by id; null where there is none.',
  ),
  get_leagues: byIds(leagueRecord, leagueId, 'Leagues by id; null where there is none.'),
  get_data_transaction_by_request_id: declareMethod({
    about: 'The data transaction of a request, or null.',
    params: { request_id: text },
    result: nullable(objectOf(dataTransactionRecord)),
  }),
  list_data_transactions_by_requester: declareMethod({
    about: 'Always an empty page; kept for clients that ask.',
    params: { requester: text, limit: u32 },
    result: requesterPage,
  }),
  list_second_hand_datasources: declareMethod({
    about: 'Who sold second-hand data most often in a period, with the number of cases.',
    params: { ...period, limit: u32 },
    result: counts,
  }),
  list_total_second_hand_transaction_counts_by_datasource: declareMethod({
    about: 'Number of all second-hand cases, whatever the period and the data source.',
    params: { ...period, datasource_account: accountId },
    result: u64,
  }),
};
