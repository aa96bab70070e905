import { array, optional } from '../../codec/containers.js';
import { text, time, u8, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import type { ValueOf } from '../../codec/type.js';
import { accountId, dataMarketCategoryId, leagueDataProductId, leagueId, objectId } from '../ids.js';
import { declareObject } from './declare.js';

/** One version of a data product's description: JSON text, of which the chain reads two flags. */
export const schemaContext = struct('schema_context', { version: text, schema_context: text });
export type SchemaContext = ValueOf<typeof schemaContext>;

export const dataMarketCategoryRecord = declareObject({
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
});

export const freeDataProductRecord = declareObject({
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
});

export const leagueDataProductRecord = declareObject({
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
});

export const leagueRecord = declareObject({
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
});

export const dataTransactionRecord = declareObject({
  name: 'data_transaction',
  space: 1,
  type: 20,
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
});

export const pocsRecord = declareObject({
  name: 'pocs',
  space: 1,
  type: 21,
  schema: struct('pocs_object', { league_id: leagueId, account_id: accountId, total_sell: u64, total_buy: u64 }),
});

export const datasourceCopyrightRecord = declareObject({
  name: 'datasource_copyright',
  space: 1,
  type: 22,
  schema: struct('datasource_copyright_object', {
    copyright_hash: text,
    datasource_account_id: accountId,
    product_id: objectId,
    data_transaction_request_id: text,
    create_date_time: time,
  }),
});

export const secondHandDataRecord = declareObject({
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
});

export const dataTransactionComplainRecord = declareObject({
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
});
