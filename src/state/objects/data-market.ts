import { array, optional } from '../../codec/containers.js';
import { text, time, u8, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import {
  accountId,
  dataMarketCategoryId,
  type Instance,
  leagueDataProductId,
  leagueId,
  objectId,
} from '../../protocol/ids.js';
import { schemaContext } from '../../protocol/schema-context.js';
import { defineObject, group, type ObjectOf, ordered, several, unique } from '../define.js';

export const PRODUCT_STATUS = { initial: 0, online: 1, paused: 2 } as const;
export const MARKET_TYPE = { free: 1, league: 2 } as const;
export const DATA_TRANSACTION_STATUS = { initial: 0, confirmed: 1, rejected: 99 } as const;
export const DATASOURCE_STATUS = { initial: 0, uploaded: 1, paid: 2, noData: 3, error: 99 } as const;

/** The date of a recommendation that does not end. */
const RECOMMENDED = 0xffffffff;
export const HOME_PAGE = 1;
const SHOWN: readonly number[] = [HOME_PAGE];
const NOT_SHOWN: readonly number[] = [];

interface Recommendable {
  readonly recommend_expiration_date_time: number;
  readonly status: number;
}

function homePages({ recommend_expiration_date_time, status }: Recommendable): readonly number[] {
  return recommend_expiration_date_time === RECOMMENDED && status === PRODUCT_STATUS.online ? SHOWN : NOT_SHOWN;
}

export const dataMarketCategoryObject = defineObject(
  {
    name: 'data_market_category',
    space: 1,
    type: 16,
    schema: struct('data_market_category_object', {
      category_name: text,
      data_market_type: u8,
      order_num: u32,
      issuer: accountId,
      status: u8,
      create_date_time: time,
    }),
  },
  { typeOrder: ordered([(category) => category.data_market_type, (category) => category.order_num]) },
);
export type DataMarketCategoryObject = ObjectOf<typeof dataMarketCategoryObject>;

export const freeDataProductObject = defineObject(
  {
    name: 'free_data_product',
    space: 1,
    type: 17,
    schema: struct('free_data_product_object', {
      product_name: text,
      brief_desc: text,
      datasource: accountId,
      category_id: dataMarketCategoryId,
      price: u64,
      status: u8,
      icon: text,
      schema_contexts: array(schemaContext),
      issuer: accountId,
      parent_id: text,
      create_date_time: time,
      recommend_expiration_date_time: time,
      total: u64,
    }),
  },
  {
    category: group((product) => product.category_id),
    home: several((item) => homePages(item)),
  },
);
export type FreeDataProductObject = ObjectOf<typeof freeDataProductObject>;

export const leagueDataProductObject = defineObject(
  {
    name: 'league_data_product',
    space: 1,
    type: 18,
    schema: struct('league_data_product_object', {
      product_name: text,
      brief_desc: text,
      category_id: dataMarketCategoryId,
      refer_price: u64,
      status: u8,
      icon: text,
      schema_contexts: array(schemaContext),
      issuer: accountId,
      total: u64,
      create_date_time: time,
      pocs_threshold: u64,
    }),
  },
  { category: group((product) => product.category_id) },
);
export type LeagueDataProductObject = ObjectOf<typeof leagueDataProductObject>;

export const leagueObject = defineObject(
  {
    name: 'league',
    space: 1,
    type: 19,
    schema: struct('league_object', {
      league_name: text,
      brief_desc: text,
      data_products: array(leagueDataProductId),
      prices: array(u64),
      status: u8,
      category_id: dataMarketCategoryId,
      icon: text,
      issuer: accountId,
      create_date_time: time,
      recommend_expiration_date_time: time,
      total: u64,
      members: array(accountId),
      pocs_thresholds: array(u64),
      fee_bases: array(u64),
      product_pocs_weights: array(u64),
    }),
  },
  {
    categoryName: ordered([(league) => league.category_id, (league) => league.league_name]),
    home: several((item) => homePages(item)),
  },
);
export type LeagueObject = ObjectOf<typeof leagueObject>;

export const dataTransactionObject = defineObject(
  {
    name: 'data_transaction',
    space: 1,
    type: 20,
    keep: 'sparse',
    schema: struct('data_transaction_object', {
      request_id: text,
      /** A free data product or a league. */
      product_id: objectId,
      version: text,
      params: text,
      status: u8,
      create_date_time: time,
      requester: accountId,
      league_id: optional(leagueId),
      memo: text,
      datasources_status: array(
        struct('data_transaction_datasource_status_object', { datasource: accountId, status: u8 }),
      ),
      /** Always 0, as the next two. */
      product_pay: u64,
      transaction_fee: u64,
      commission: u64,
    }),
  },
  {
    requestId: unique((transaction) => transaction.request_id),
    /** Every block removes the oldest. */
    date: ordered([(transaction) => transaction.create_date_time]),
  },
);
export type DataTransactionObject = ObjectOf<typeof dataTransactionObject>;

export function pocsKey(league: Instance, account: Instance): string {
  return `${league}|${account}`;
}

export const pocsObject = defineObject(
  {
    name: 'pocs',
    space: 1,
    type: 21,
    schema: struct('pocs_object', { league_id: leagueId, account_id: accountId, total_sell: u64, total_buy: u64 }),
  },
  { leagueAccount: unique((pocs) => pocsKey(pocs.league_id, pocs.account_id)) },
);
export type PocsObject = ObjectOf<typeof pocsObject>;

export function sourceProductKey(account: Instance, product: bigint): string {
  return `${account}|${product}`;
}

export const datasourceCopyrightObject = defineObject(
  {
    name: 'datasource_copyright',
    space: 1,
    type: 22,
    keep: 'sparse',
    schema: struct('datasource_copyright_object', {
      copyright_hash: text,
      datasource_account_id: accountId,
      product_id: objectId,
      data_transaction_request_id: text,
      create_date_time: time,
    }),
  },
  {
    hash: unique((copyright) => copyright.copyright_hash),
    sourceProduct: group((copyright) => sourceProductKey(copyright.datasource_account_id, copyright.product_id)),
  },
);
export type DatasourceCopyrightObject = ObjectOf<typeof datasourceCopyrightObject>;

export const secondHandDataObject = defineObject(
  {
    name: 'second_hand_data',
    space: 1,
    type: 23,
    schema: struct('second_hand_data_object', {
      second_hand_datasource_id: accountId,
      copyright_hash: text,
      datasource_account_id: accountId,
      data_transaction_request_id: text,
      create_date_time: time,
    }),
  },
  { date: ordered([(found) => found.create_date_time]) },
);
export type SecondHandDataObject = ObjectOf<typeof secondHandDataObject>;

export const dataTransactionComplainObject = defineObject(
  {
    name: 'data_transaction_complain',
    space: 1,
    type: 24,
    schema: struct('data_transaction_complain_object', {
      requester: accountId,
      datasource: accountId,
      data_transaction_request_id: text,
      merchant_copyright_hash: text,
      datasource_copyright_hash: text,
      create_date_time: time,
    }),
  },
  {
    requestId: unique((complain) => complain.data_transaction_request_id),
    date: ordered([(complain) => complain.create_date_time]),
  },
);
export type DataTransactionComplainObject = ObjectOf<typeof dataTransactionComplainObject>;
