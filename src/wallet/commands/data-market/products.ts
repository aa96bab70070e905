import { check } from '../../../base/errors.js';
import { operationOf } from '../../../client/operations.js';
import { array } from '../../../codec/containers.js';
import { bool, f64, text, u8, u64 } from '../../../codec/scalars.js';
import { EXTENSION_TAG, type Extensions } from '../../../protocol/extensions.js';
import { type SchemaContext, schemaContext } from '../../../protocol/objects/data-market.js';
import {
  freeDataProductCreateOperation,
  freeDataProductUpdateOperation,
  leagueDataProductCreateOperation,
  leagueDataProductUpdateOperation,
} from '../../../protocol/operations/data-market.js';
import { CHECK_ERRORS } from '../../errors.js';
import { act, BROADCAST, SIGNED_TRANSACTION } from '../common.js';
import { type CommandTable, command } from '../define.js';
import { propose } from '../proposals.js';
import { found, idOf, instanceOf, PRICE_UNIT, passed, recommendUntil, SEARCH } from './common.js';

/** Data products: those that anybody sells, and those of leagues. */

/** Prices are typed in whole units with a fraction. Quirk: what lies below the smallest unit is cut, not rounded. */
const priceOf = (units: number): bigint => BigInt(Math.trunc(units * PRICE_UNIT));

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

export const productCommands = {
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
} satisfies CommandTable;
