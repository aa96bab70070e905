import { array, optional } from '../../codec/containers.js';
import { text, time, u8, u32, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../asset.js';
import { extensions } from '../extensions.js';
import { accountId, dataMarketCategoryId, freeDataProductId, leagueDataProductId, leagueId, objectId } from '../ids.js';
import { schemaContext } from '../objects/data-market.js';
import { declareOperation, flatFee } from './declare.js';

const STALE_FEE = 1_000_000n;

export const staleDataMarketCategoryCreateOperation = declareOperation({
  tag: 47,
  name: 'stale_data_market_category_create',
  schema: struct('stale_data_market_category_create', {
    category_name: text,
    data_market_type: u8,
    order_num: u32,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
  }),
  fee: flatFee(STALE_FEE),
});

export const staleDataMarketCategoryUpdateOperation = declareOperation({
  tag: 48,
  name: 'stale_data_market_category_update',
  schema: struct('stale_data_market_category_update', {
    new_category_name: optional(text),
    new_order_num: optional(u32),
    data_market_category: dataMarketCategoryId,
    data_market_type: u8,
    fee: asset,
    new_issuer: optional(accountId),
    new_status: optional(u8),
  }),
  fee: flatFee(STALE_FEE),
});

export const staleFreeDataProductCreateOperation = declareOperation({
  tag: 49,
  name: 'stale_free_data_product_create',
  schema: struct('stale_free_data_product_create', {
    product_name: text,
    brief_desc: text,
    datasource: accountId,
    category_id: dataMarketCategoryId,
    price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    parent_id: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
  }),
  fee: flatFee(STALE_FEE),
});

export const staleFreeDataProductUpdateOperation = declareOperation({
  tag: 50,
  name: 'stale_free_data_product_update',
  schema: struct('stale_free_data_product_update', {
    free_data_product: freeDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_datasource: optional(accountId),
    new_category_id: optional(dataMarketCategoryId),
    new_price: optional(u64),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    new_parent_id: optional(text),
    new_status: optional(u8),
    new_issuer: optional(accountId),
    new_recommend_expiration_date_time: optional(time),
    fee: asset,
  }),
  fee: flatFee(STALE_FEE),
});

export const staleLeagueDataProductCreateOperation = declareOperation({
  tag: 51,
  name: 'stale_league_data_product_create',
  schema: struct('stale_league_data_product_create', {
    product_name: text,
    brief_desc: text,
    category_id: dataMarketCategoryId,
    refer_price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    fee: asset,
    create_date_time: time,
    issuer: accountId,
  }),
  fee: flatFee(STALE_FEE),
});

export const staleLeagueDataProductUpdateOperation = declareOperation({
  tag: 52,
  name: 'stale_league_data_product_update',
  schema: struct('stale_league_data_product_update', {
    league_data_product: leagueDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_category_id: optional(dataMarketCategoryId),
    new_refer_price: optional(u64),
    new_status: optional(u8),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    fee: asset,
    new_issuer: optional(accountId),
  }),
  fee: flatFee(STALE_FEE),
});

export const staleLeagueCreateOperation = declareOperation({
  tag: 53,
  name: 'stale_league_create',
  schema: struct('stale_league_create', {
    league: leagueId,
    league_name: text,
    brief_desc: text,
    data_products: array(leagueDataProductId),
    prices: array(u64),
    category_id: dataMarketCategoryId,
    icon: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
  }),
  fee: flatFee(STALE_FEE),
});

export const staleLeagueUpdateOperation = declareOperation({
  tag: 54,
  name: 'stale_league_update',
  schema: struct('stale_league_update', {
    league: leagueId,
    new_league_name: optional(text),
    new_brief_desc: optional(text),
    new_data_products: optional(array(leagueDataProductId)),
    new_prices: optional(array(u64)),
    new_status: optional(u8),
    new_category_id: optional(dataMarketCategoryId),
    new_icon: optional(text),
    new_issuer: optional(accountId),
    fee: asset,
    new_recommend_expiration_date_time: optional(time),
  }),
  fee: flatFee(STALE_FEE),
});

export const dataTransactionCreateOperation = declareOperation({
  tag: 55,
  name: 'data_transaction_create',
  schema: struct('data_transaction_create', {
    request_id: text,
    product_id: objectId,
    version: text,
    params: text,
    fee: asset,
    requester: accountId,
    create_date_time: time,
    league_id: optional(leagueId),
    extensions: extensions,
  }),
  fee: flatFee(100n),
});

export const dataTransactionUpdateOperation = declareOperation({
  tag: 56,
  name: 'data_transaction_update',
  schema: struct('data_transaction_update', {
    request_id: text,
    new_status: u8,
    fee: asset,
    new_requester: accountId,
    new_memo: optional(text),
    extensions: extensions,
  }),
  fee: flatFee(0n),
});

export const payDataTransactionOperation = declareOperation({
  tag: 57,
  name: 'pay_data_transaction',
  schema: struct('pay_data_transaction', {
    fee: asset,
    from: accountId,
    to: accountId,
    amount: asset,
    request_id: text,
    extensions: extensions,
  }),
  fee: flatFee(100n),
});

export const dataTransactionDatasourceUploadOperation = declareOperation({
  tag: 59,
  name: 'data_transaction_datasource_upload',
  schema: struct('data_transaction_datasource_upload', {
    request_id: text,
    requester: accountId,
    datasource: accountId,
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(0n),
});

export const dataTransactionDatasourceValidateErrorOperation = declareOperation({
  tag: 60,
  name: 'data_transaction_datasource_validate_error',
  schema: struct('data_transaction_datasource_validate_error', {
    request_id: text,
    datasource: accountId,
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(0n),
});

export const dataMarketCategoryCreateOperation = declareOperation({
  tag: 61,
  name: 'data_market_category_create',
  schema: struct('data_market_category_create', {
    category_name: text,
    data_market_type: u8,
    order_num: u32,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
});

export const dataMarketCategoryUpdateOperation = declareOperation({
  tag: 62,
  name: 'data_market_category_update',
  schema: struct('data_market_category_update', {
    new_category_name: optional(text),
    new_order_num: optional(u32),
    data_market_category: dataMarketCategoryId,
    data_market_type: u8,
    fee: asset,
    new_status: optional(u8),
    extensions: extensions,
  }),
  fee: flatFee(0n),
});

export const freeDataProductCreateOperation = declareOperation({
  tag: 63,
  name: 'free_data_product_create',
  schema: struct('free_data_product_create', {
    product_name: text,
    brief_desc: text,
    datasource: accountId,
    category_id: dataMarketCategoryId,
    price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    parent_id: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
});

export const freeDataProductUpdateOperation = declareOperation({
  tag: 64,
  name: 'free_data_product_update',
  schema: struct('free_data_product_update', {
    free_data_product: freeDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_datasource: optional(accountId),
    new_category_id: optional(dataMarketCategoryId),
    new_price: optional(u64),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    new_parent_id: optional(text),
    new_status: optional(u8),
    new_issuer: optional(accountId),
    new_recommend_expiration_date_time: optional(time),
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
});

export const leagueDataProductCreateOperation = declareOperation({
  tag: 65,
  name: 'league_data_product_create',
  schema: struct('league_data_product_create', {
    product_name: text,
    brief_desc: text,
    category_id: dataMarketCategoryId,
    refer_price: u64,
    icon: text,
    schema_contexts: array(schemaContext),
    fee: asset,
    create_date_time: time,
    issuer: accountId,
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
});

export const leagueDataProductUpdateOperation = declareOperation({
  tag: 66,
  name: 'league_data_product_update',
  schema: struct('league_data_product_update', {
    league_data_product: leagueDataProductId,
    new_product_name: optional(text),
    new_brief_desc: optional(text),
    new_category_id: optional(dataMarketCategoryId),
    new_refer_price: optional(u64),
    new_status: optional(u8),
    new_icon: optional(text),
    new_schema_contexts: optional(array(schemaContext)),
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
});

export const leagueCreateOperation = declareOperation({
  tag: 67,
  name: 'league_create',
  schema: struct('league_create', {
    league: leagueId,
    league_name: text,
    brief_desc: text,
    data_products: array(leagueDataProductId),
    prices: array(u64),
    category_id: dataMarketCategoryId,
    icon: text,
    fee: asset,
    issuer: accountId,
    create_date_time: time,
    recommend_expiration_date_time: time,
    members: array(accountId),
    extensions: extensions,
  }),
  fee: flatFee(1_000_000n),
});

export const leagueUpdateOperation = declareOperation({
  tag: 68,
  name: 'league_update',
  schema: struct('league_update', {
    league: leagueId,
    new_league_name: optional(text),
    new_brief_desc: optional(text),
    new_data_products: optional(array(leagueDataProductId)),
    new_prices: optional(array(u64)),
    new_status: optional(u8),
    new_category_id: optional(dataMarketCategoryId),
    new_icon: optional(text),
    new_issuer: optional(accountId),
    fee: asset,
    new_recommend_expiration_date_time: optional(time),
    new_members: optional(array(accountId)),
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
});

export const datasourceCopyrightClearOperation = declareOperation({
  tag: 69,
  name: 'datasource_copyright_clear',
  schema: struct('datasource_copyright_clear', {
    datasource_account: accountId,
    product_id: objectId,
    fee: asset,
    extensions: extensions,
  }),
  fee: flatFee(100_000n),
});

export const dataTransactionComplainOperation = declareOperation({
  tag: 70,
  name: 'data_transaction_complain',
  schema: struct('data_transaction_complain', {
    request_id: text,
    requester: accountId,
    datasource: accountId,
    fee: asset,
    merchant_copyright_hash: text,
    datasource_copyright_hash: text,
    create_date_time: time,
    extensions: extensions,
  }),
  fee: flatFee(0n),
});
