import { check } from '../../base/errors.js';
import { array, optional } from '../../codec/containers.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { bool, f64, text, time, u8, u32, u64 } from '../../codec/scalars.js';
import type { Type } from '../../codec/type.js';
import { asset } from '../../protocol/asset.js';
import { EXTENSION_TAG, type Extensions } from '../../protocol/extensions.js';
import {
  accountId,
  dataMarketCategoryId,
  freeDataProductId,
  leagueDataProductId,
  leagueId,
  objectId,
} from '../../protocol/ids.js';
import { type SchemaContext, schemaContext } from '../../protocol/objects/data-market.js';
import {
  dataMarketCategoryCreateOperation,
  dataMarketCategoryUpdateOperation,
  dataTransactionComplainOperation,
  dataTransactionCreateOperation,
  dataTransactionDatasourceUploadOperation,
  dataTransactionDatasourceValidateErrorOperation,
  dataTransactionUpdateOperation,
  freeDataProductCreateOperation,
  freeDataProductUpdateOperation,
  leagueCreateOperation,
  leagueDataProductCreateOperation,
  leagueDataProductUpdateOperation,
  leagueUpdateOperation,
  payDataTransactionOperation,
} from '../../protocol/operations/data-market.js';
import { accountIdText, type ChainView } from '../chain-view.js';
import { CHECK_ERRORS, LOOKUP_ERRORS } from '../errors.js';
import { operationOf } from '../operations.js';
import type { Wallet } from '../wallet.js';
import { act, BROADCAST, SIGNED_TRANSACTION } from './common.js';
import { type AnyCommand, type CommandTable, command } from './define.js';
import { propose } from './proposals.js';

const PRICE_UNIT = 100_000;
/** Recommended for ever, or not at all. */
const recommendUntil = (isRecommended: boolean): number => (isRecommended ? 0xffff_ffff : 0);

/** Prices are typed in whole units with a fraction. Quirk: what lies below the smallest unit is cut, not rounded. */
const priceOf = (units: number): bigint => BigInt(Math.trunc(units * PRICE_UNIT));

const leaguePrices = (units: readonly bigint[]): bigint[] => units.map((one) => one * BigInt(PRICE_UNIT));

const idOf = async (wallet: Wallet, name: string): Promise<number> => (await wallet.chain.account(name)).id;

type Kind = 'category' | 'free' | 'product' | 'league';
const KINDS = {
  category: { id: dataMarketCategoryId, type: 16, missing: LOOKUP_ERRORS.category_unknown },
  free: { id: freeDataProductId, type: 17, missing: LOOKUP_ERRORS.free_product_unknown },
  product: { id: leagueDataProductId, type: 18, missing: LOOKUP_ERRORS.league_product_unknown },
  league: { id: leagueId, type: 19, missing: LOOKUP_ERRORS.league_unknown },
} as const;

/** An object of the data market. What is no such id is as unknown as an id that nothing has. */
async function found(chain: ChainView, kind: Kind, id: string): Promise<JsonObject> {
  const { type, missing } = KINDS[kind];
  const isId = new RegExp(`^1\\.${type}\\.\\d{1,15}$`).test(id);
  check(isId, missing, { id });
  return chain.objectOr(id, missing);
}

/** Its number, once it is known to be there. */
async function instanceOf(wallet: Wallet, kind: Kind, id: string): Promise<number> {
  await found(wallet.chain, kind, id);
  return KINDS[kind].id.fromJson(id);
}

const pocsOfLeague = (thresholds: bigint[], bases: bigint[], weights: bigint[]): Extensions => [
  [
    EXTENSION_TAG.pocs_threshold_league,
    { pocs_thresholds: thresholds, fee_bases: bases, product_pocs_weights: weights },
  ],
];
const pocsOfProduct = (threshold: bigint): Extensions => [
  [EXTENSION_TAG.pocs_threshold_league_product, { pocs_threshold: threshold }],
];

const schemas = array(schemaContext);

/** New schemas behind the old ones; one of a version that there is takes its place. */
function withSchemas(old: readonly SchemaContext[], added: readonly SchemaContext[]): SchemaContext[] {
  const all = new Map(old.map((schema) => [schema.version, schema]));
  for (const schema of added) all.set(schema.version, schema);
  return [...all.values()];
}

/** A query that goes to the node as it is typed. */
function passed(
  method: string,
  params: Readonly<Record<string, Type<never>>>,
  result: string,
  help: string,
): AnyCommand {
  return command({
    params,
    result,
    help,
    run: (wallet, args) => {
      const given = Object.entries(params).map(([name, type]) =>
        (type as Type<unknown>).toJson((args as Record<string, unknown>)[name], wallet.network),
      );
      return wallet.chain.ask(method, ...given);
    },
  });
}

const any = <V>(type: Type<V>): Type<never> => type as unknown as Type<never>;

const PERIOD = { start_date_time: any(time), end_date_time: any(time) } as const;
const SEARCH = {
  data_market_category_id: any(text),
  offset: any(u32),
  limit: any(u32),
  order_by: any(text),
  keyword: any(text),
  show_all: any(bool),
} as const;

/** Sums of money: the node counts the smallest units, people whole ones. */
function inUnits(method: string, before: Readonly<Record<string, Type<never>>>, help: string): AnyCommand {
  const asked = passed(method, { ...before, ...PERIOD }, 'uint64', help);
  return {
    ...asked,
    run: async (wallet: Wallet, args: Record<string, unknown>): Promise<Json> =>
      u64.toJson(BigInt(String(await asked.run(wallet, args))) / BigInt(PRICE_UNIT)),
  };
}

export const dataMarketCommands = {
  create_data_market_category: command({
    params: { category_name: text, data_market_type: u8, order_num: u32, issuer: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a category of the data market: type 1 for free products, 2 for those of leagues.',
    run: async (wallet, { category_name, data_market_type, order_num, issuer, broadcast }) => {
      check(data_market_type === 1 || data_market_type === 2, CHECK_ERRORS.category_type);
      const operation = operationOf(dataMarketCategoryCreateOperation, {
        category_name,
        data_market_type,
        order_num,
        issuer: await idOf(wallet, issuer),
        create_date_time: wallet.nowSec(),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  propose_data_market_category_update: command({
    params: {
      proposing_account: text,
      category: text,
      new_category_name: text,
      new_order_num: u32,
      new_status: u8,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes another name, place or status (0 or 1) for a category.',
    run: async (wallet, { proposing_account, category, new_category_name, new_order_num, new_status, broadcast }) => {
      check(new_status === 0 || new_status === 1, CHECK_ERRORS.category_status);
      const payer = await idOf(wallet, proposing_account);
      const before = await found(wallet.chain, 'category', category);
      const operation = operationOf(dataMarketCategoryUpdateOperation, {
        new_category_name,
        new_order_num,
        data_market_category: dataMarketCategoryId.fromJson(category),
        // Ours: the reference sends whatever stood in its memory.
        data_market_type: Number(before.data_market_type ?? 0),
        new_status,
      });
      return propose(wallet, { payer, operations: [operation], broadcast });
    },
  }),
  create_free_data_product: command({
    params: {
      product_name: text,
      brief_desc: text,
      datasource_account: text,
      category_id: text,
      price: f64,
      icon: text,
      schema_contexts: schemas,
      parent_id: text,
      issuer: text,
      recommend: bool,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Offers a data product that everybody may buy.',
    run: async (wallet, args) => {
      const category = await instanceOf(wallet, 'category', args.category_id);
      if (args.parent_id !== '') await found(wallet.chain, 'free', args.parent_id);
      const operation = operationOf(freeDataProductCreateOperation, {
        product_name: args.product_name,
        brief_desc: args.brief_desc,
        datasource: await idOf(wallet, args.datasource_account),
        category_id: category,
        price: priceOf(args.price),
        icon: args.icon,
        schema_contexts: args.schema_contexts,
        parent_id: args.parent_id,
        issuer: await idOf(wallet, args.issuer),
        create_date_time: wallet.nowSec(),
        recommend_expiration_date_time: recommendUntil(args.recommend),
      });
      return act(wallet, [operation], { broadcast: args.broadcast });
    },
  }),
  propose_free_data_product_update: command({
    params: {
      proposing_account: text,
      free_data_product: text,
      new_product_name: text,
      new_brief_desc: text,
      new_datasource: text,
      new_category_id: text,
      new_price: f64,
      new_icon: text,
      new_schema_contexts: schemas,
      new_parent_id: text,
      new_status: u8,
      new_recommend: bool,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes a change of a free data product; new schemas are added to the old ones.',
    run: async (wallet, args) => {
      check(args.new_status <= 2, CHECK_ERRORS.product_status);
      const payer = await idOf(wallet, args.proposing_account);
      const product = await instanceOf(wallet, 'free', args.free_data_product);
      const before = await found(wallet.chain, 'free', args.free_data_product);
      const old = wallet.chain.read(schemas, 'get_objects', before.schema_contexts ?? []);
      const operation = operationOf(freeDataProductUpdateOperation, {
        free_data_product: product,
        new_product_name: args.new_product_name,
        new_brief_desc: args.new_brief_desc,
        new_datasource: await idOf(wallet, args.new_datasource),
        new_category_id: await instanceOf(wallet, 'category', args.new_category_id),
        new_price: priceOf(args.new_price),
        new_icon: args.new_icon,
        new_schema_contexts: withSchemas(old, args.new_schema_contexts),
        new_parent_id: args.new_parent_id === '' ? undefined : args.new_parent_id,
        new_status: args.new_status,
        new_recommend_expiration_date_time: recommendUntil(args.new_recommend),
      });
      return propose(wallet, { payer, operations: [operation], broadcast: args.broadcast });
    },
  }),
  create_league_data_product: command({
    params: {
      product_name: text,
      brief_desc: text,
      category_id: text,
      refer_price: f64,
      icon: text,
      schema_contexts: schemas,
      issuer: text,
      pocs_threshold: u64,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a data product that leagues offer.',
    run: async (wallet, args) => {
      const operation = operationOf(leagueDataProductCreateOperation, {
        product_name: args.product_name,
        brief_desc: args.brief_desc,
        category_id: await instanceOf(wallet, 'category', args.category_id),
        refer_price: priceOf(args.refer_price),
        icon: args.icon,
        schema_contexts: args.schema_contexts,
        create_date_time: wallet.nowSec(),
        issuer: await idOf(wallet, args.issuer),
        extensions: pocsOfProduct(args.pocs_threshold),
      });
      return act(wallet, [operation], { broadcast: args.broadcast });
    },
  }),
  propose_league_data_product_update: command({
    params: {
      proposing_account: text,
      league_data_product: text,
      new_product_name: text,
      new_brief_desc: text,
      new_category_id: text,
      new_refer_price: f64,
      new_icon: text,
      new_schema_contexts: schemas,
      new_status: u8,
      new_pocs_threshold: u64,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes a change of a league data product; new schemas are added to the old ones.',
    run: async (wallet, args) => {
      check(args.new_status <= 2, CHECK_ERRORS.product_status);
      const payer = await idOf(wallet, args.proposing_account);
      const product = await instanceOf(wallet, 'product', args.league_data_product);
      const before = await found(wallet.chain, 'product', args.league_data_product);
      const old = wallet.chain.read(schemas, 'get_objects', before.schema_contexts ?? []);
      const operation = operationOf(leagueDataProductUpdateOperation, {
        league_data_product: product,
        new_product_name: args.new_product_name,
        new_brief_desc: args.new_brief_desc,
        new_category_id: await instanceOf(wallet, 'category', args.new_category_id),
        new_refer_price: priceOf(args.new_refer_price),
        new_status: args.new_status,
        new_icon: args.new_icon,
        new_schema_contexts: withSchemas(old, args.new_schema_contexts),
        extensions: pocsOfProduct(args.new_pocs_threshold),
      });
      return propose(wallet, { payer, operations: [operation], broadcast: args.broadcast });
    },
  }),
  create_league: command({
    params: {
      league_name: text,
      brief_desc: text,
      members: array(accountId),
      data_products: array(leagueDataProductId),
      prices: array(u64),
      category_id: text,
      icon: text,
      issuer: text,
      pocs_thresholds: array(u64),
      fee_bases: array(u64),
      pocs_weights: array(u64),
      recommend: bool,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Makes a league whose members trade the given products among themselves; one price for each product.',
    run: async (wallet, args) => {
      check(args.data_products.length === args.prices.length, CHECK_ERRORS.league_sizes);
      const operation = operationOf(leagueCreateOperation, {
        league_name: args.league_name,
        brief_desc: args.brief_desc,
        data_products: args.data_products,
        prices: leaguePrices(args.prices),
        category_id: await instanceOf(wallet, 'category', args.category_id),
        icon: args.icon,
        issuer: await idOf(wallet, args.issuer),
        create_date_time: wallet.nowSec(),
        recommend_expiration_date_time: recommendUntil(args.recommend),
        members: args.members,
        extensions: pocsOfLeague(args.pocs_thresholds, args.fee_bases, args.pocs_weights),
      });
      return act(wallet, [operation], { broadcast: args.broadcast });
    },
  }),
  propose_league_update: command({
    params: {
      proposing_account: text,
      league: text,
      new_league_name: text,
      new_brief_desc: text,
      new_members: array(accountId),
      new_data_products: array(leagueDataProductId),
      new_prices: array(u64),
      new_category_id: text,
      new_icon: text,
      new_status: u8,
      new_pocs_thresholds: array(u64),
      new_fee_bases: array(u64),
      new_pocs_weights: array(u64),
      new_recommend: bool,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Proposes a change of a league: all that is given replaces what was.',
    run: async (wallet, args) => {
      check(args.new_data_products.length === args.new_prices.length, CHECK_ERRORS.league_sizes);
      const payer = await idOf(wallet, args.proposing_account);
      const operation = operationOf(leagueUpdateOperation, {
        league: await instanceOf(wallet, 'league', args.league),
        new_league_name: args.new_league_name,
        new_brief_desc: args.new_brief_desc,
        new_data_products: args.new_data_products,
        new_prices: leaguePrices(args.new_prices),
        new_status: args.new_status,
        new_category_id: await instanceOf(wallet, 'category', args.new_category_id),
        new_icon: args.new_icon,
        new_recommend_expiration_date_time: recommendUntil(args.new_recommend),
        new_members: args.new_members,
        extensions: pocsOfLeague(args.new_pocs_thresholds, args.new_fee_bases, args.new_pocs_weights),
      });
      return propose(wallet, { payer, operations: [operation], broadcast: args.broadcast });
    },
  }),
  data_transaction_create: command({
    params: {
      request_id: text,
      product_id: objectId,
      league_id: optional(leagueId),
      version: text,
      params: text,
      requester: text,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Asks for data: a request for a product, in a league or not, with its parameters.',
    run: async (wallet, { broadcast, requester, ...members }) => {
      const operation = operationOf(dataTransactionCreateOperation, {
        ...members,
        requester: await idOf(wallet, requester),
        create_date_time: wallet.nowSec(),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_update: command({
    params: { request_id: text, new_status: u8, new_requester: text, new_memo: optional(text), ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Confirms a request (status 1) or refuses it (99).',
    run: async (wallet, { request_id, new_status, new_requester, new_memo, broadcast }) => {
      check(new_status === 1 || new_status === 99, CHECK_ERRORS.request_status);
      const operation = operationOf(dataTransactionUpdateOperation, {
        request_id,
        new_status,
        new_requester: await idOf(wallet, new_requester),
        new_memo,
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  pay_data_transaction: command({
    params: { from: text, to: text, amount: asset, request_id: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Pays a data source for a request.',
    run: async (wallet, { from, to, amount, request_id, broadcast }) => {
      const operation = operationOf(payDataTransactionOperation, {
        from: await idOf(wallet, from),
        to: await idOf(wallet, to),
        amount,
        request_id,
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_datasource_upload: command({
    params: {
      request_id: text,
      requester: text,
      datasource: text,
      copyright_hash: optional(text),
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Says that a data source has delivered, with the hash of what it delivered.',
    run: async (wallet, { request_id, requester, datasource, copyright_hash, broadcast }) => {
      const operation = operationOf(dataTransactionDatasourceUploadOperation, {
        request_id,
        requester: await idOf(wallet, requester),
        datasource: await idOf(wallet, datasource),
        extensions: copyright_hash === undefined ? [] : [[EXTENSION_TAG.copyright_hash, { copyright_hash }]],
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_datasource_validate_error: command({
    params: { request_id: text, datasource: text, ...BROADCAST },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Says that a data source could not check a request.',
    run: async (wallet, { request_id, datasource, broadcast }) => {
      const operation = operationOf(dataTransactionDatasourceValidateErrorOperation, {
        request_id,
        datasource: await idOf(wallet, datasource),
      });
      return act(wallet, [operation], { broadcast });
    },
  }),
  data_transaction_complain_datasource: command({
    params: {
      request_id: text,
      requester: accountId,
      datasource: accountId,
      merchant_copyright_hash: text,
      datasource_copyright_hash: text,
      ...BROADCAST,
    },
    result: SIGNED_TRANSACTION,
    acts: true,
    help: 'Complains that what a data source delivered is not what its hash says.',
    run: (wallet, { broadcast, ...members }) =>
      act(wallet, [operationOf(dataTransactionComplainOperation, { ...members, create_date_time: wallet.nowSec() })], {
        broadcast,
      }),
  }),
  get_data_market_category: command({
    params: { category_id: text },
    result: 'data_market_category_object',
    help: 'A category by its id.',
    run: (wallet, { category_id }) => found(wallet.chain, 'category', category_id),
  }),
  get_free_data_product: command({
    params: { product_id: text },
    result: 'free_data_product_object',
    help: 'A free data product by its id.',
    run: (wallet, { product_id }) => found(wallet.chain, 'free', product_id),
  }),
  get_league_data_product: command({
    params: { product_id: text },
    result: 'league_data_product_object',
    help: 'A league data product by its id.',
    run: (wallet, { product_id }) => found(wallet.chain, 'product', product_id),
  }),
  get_league: command({
    params: { league_id: text },
    result: 'league_object',
    help: 'A league by its id.',
    run: (wallet, { league_id }) => found(wallet.chain, 'league', league_id),
  }),
  get_pocs_object: command({
    params: { league_id: leagueId, account: text, product_id: objectId },
    result: 'optional<pocs_object>',
    help: 'What an account has contributed to a league with a product.',
    run: async (wallet, { league_id, account, product_id }) =>
      wallet.chain.ask(
        'get_pocs_object',
        leagueId.toJson(league_id),
        accountIdText(await idOf(wallet, account)),
        objectId.toJson(product_id),
      ),
  }),
  list_data_market_categories: passed(
    'list_data_market_categories',
    { data_market_type: any(u32) },
    'vector<data_market_category_object>',
    'The categories of a type.',
  ),
  list_free_data_products: passed(
    'list_free_data_products',
    SEARCH,
    'search_results',
    'Free data products of a category.',
  ),
  list_league_data_products: passed(
    'list_league_data_products',
    SEARCH,
    'search_results',
    'League data products of a category.',
  ),
  list_leagues: passed('list_leagues', SEARCH, 'search_results', 'Leagues of a category.'),
  list_data_transactions_by_requester: passed(
    'list_data_transactions_by_requester',
    { requester: any(text), limit: any(u32) },
    'search_results',
    'Requests of an account.',
  ),
  get_data_transaction_by_request_id: passed(
    'get_data_transaction_by_request_id',
    { request_id: any(text) },
    'optional<data_transaction_object>',
    'A request by its id.',
  ),
  list_second_hand_datasources: passed(
    'list_second_hand_datasources',
    { ...PERIOD, limit: any(u32) },
    'map<account_id,uint64>',
    'Data sources that sold what others had sold before.',
  ),
  list_total_second_hand_transaction_counts_by_datasource: command({
    params: { start_date_time: time, end_date_time: time, datasource_account: text },
    result: 'uint32',
    help: 'How often a data source sold what others had sold before.',
    run: async (wallet, { start_date_time, end_date_time, datasource_account }) =>
      wallet.chain.ask(
        'list_total_second_hand_transaction_counts_by_datasource',
        time.toJson(start_date_time),
        time.toJson(end_date_time),
        accountIdText(await idOf(wallet, datasource_account)),
      ),
  }),
  list_data_transaction_complain_requesters: passed(
    'list_data_transaction_complain_requesters',
    { ...PERIOD, limit: any(u8) },
    'map<account_id,uint64>',
    'Accounts that complained.',
  ),
  list_data_transaction_complain_datasources: passed(
    'list_data_transaction_complain_datasources',
    { ...PERIOD, limit: any(u8) },
    'map<account_id,uint64>',
    'Data sources that were complained about.',
  ),
  get_data_transaction_product_costs: inUnits('get_data_transaction_product_costs', {}, 'What was paid for data.'),
  get_data_transaction_commission: inUnits('get_data_transaction_commission', {}, 'Commissions of the platform.'),
  get_data_transaction_pay_fee: inUnits('get_data_transaction_pay_fee', {}, 'Fees of data transactions.'),
  get_data_transaction_total_count: passed(
    'get_data_transaction_total_count',
    PERIOD,
    'uint64',
    'How many data transactions there were.',
  ),
  get_merchants_total_count: passed('get_merchants_total_count', {}, 'uint64', 'How many merchants there are.'),
  get_data_transaction_product_costs_by_requester: inUnits(
    'get_data_transaction_product_costs_by_requester',
    { requester: any(text) },
    'What an account paid for data.',
  ),
  get_data_transaction_total_count_by_requester: passed(
    'get_data_transaction_total_count_by_requester',
    { requester: any(text), ...PERIOD },
    'uint64',
    'How many data transactions an account made.',
  ),
  get_data_transaction_pay_fees_by_requester: inUnits(
    'get_data_transaction_pay_fees_by_requester',
    { requester: any(text) },
    'Fees that an account paid for data transactions.',
  ),
  get_data_transaction_product_costs_by_product_id: inUnits(
    'get_data_transaction_product_costs_by_product_id',
    { product_id: any(text) },
    'What was paid for a product.',
  ),
  get_data_transaction_total_count_by_product_id: passed(
    'get_data_transaction_total_count_by_product_id',
    { product_id: any(text), ...PERIOD },
    'uint64',
    'How many data transactions a product had.',
  ),
} satisfies CommandTable;
