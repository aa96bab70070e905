import { packObjectId } from '../../../src/protocol/ids.js';
import {
  type DataTransactionObject,
  dataMarketCategoryObject,
  datasourceCopyrightObject,
  dataTransactionObject,
  freeDataProductObject,
  leagueDataProductObject,
  leagueObject,
} from '../../../src/state/objects/data-market.js';
import {
  isDatasource,
  isDataTransactionMember,
  isLifetimeMember,
  isMerchant,
} from '../../../src/state/rules/accounts.js';
import type { Kind, Scene } from './scene.js';

const context = (version: string, schema_context: string) => ({ version, schema_context });
/** Versions of a product's description, by what the chain reads in them. */
const CONTEXTS = [
  context('open', '{"privacy": false}'),
  context('private', '{"privacy": true}'),
  context('verified', '{"copyright_verify": true}'),
  context('broken', '{"privacy": '),
];

type Request = Readonly<DataTransactionObject>;

const lifetime = (scene: Scene): number =>
  scene.accountWhere((one) => one.id > 5 && isLifetimeMember(one))?.id ?? scene.user();
const source = (scene: Scene): number | undefined => scene.accountWhere(isDatasource)?.id;
const member = (scene: Scene): number | undefined => scene.accountWhere(isDataTransactionMember)?.id;
const anyOf = (count: number, scene: Scene): number => scene.random.below(Math.max(count, 1));
const price = (scene: Scene): bigint => (scene.random.chance(0.05) ? (1n << 64n) - 1n : scene.amount(200_000));

const categoryCreate: Kind = {
  name: 'data_market_category_create',
  weight: 2,
  make: (scene) =>
    scene.op('data_market_category_create', {
      category_name: 'c',
      data_market_type: 1,
      order_num: 1,
      issuer: lifetime(scene),
    }),
};

const categoryUpdate: Kind = {
  name: 'data_market_category_update',
  weight: 1,
  byCommittee: true,
  make: (scene) =>
    scene.op('data_market_category_update', {
      data_market_category: anyOf(scene.state.count(dataMarketCategoryObject), scene),
      data_market_type: 1,
      new_order_num: scene.random.below(9),
    }),
};

const freeProduct: Kind = {
  name: 'free_data_product_create',
  weight: 3,
  make(scene) {
    const datasource = source(scene);
    if (datasource === undefined) return undefined;
    const contexts = scene.few(CONTEXTS, 0.6);
    return scene.op(this.name, {
      issuer: lifetime(scene),
      datasource,
      product_name: 'p',
      schema_contexts: contexts,
      price: price(scene),
    });
  },
};

const freeProductUpdate: Kind = {
  name: 'free_data_product_update',
  weight: 1,
  byCommittee: true,
  make: (scene) =>
    scene.op('free_data_product_update', {
      free_data_product: anyOf(scene.state.count(freeDataProductObject), scene),
      new_price: price(scene),
      new_datasource: source(scene),
    }),
};

const leagueProduct: Kind = {
  name: 'league_data_product_create',
  weight: 3,
  make: (scene) =>
    scene.op('league_data_product_create', {
      issuer: lifetime(scene),
      product_name: 'p',
      schema_contexts: scene.few(CONTEXTS, 0.6),
      refer_price: price(scene),
      extensions: scene.random.chance(0.5) ? [[5, { pocs_threshold: scene.amount(5) }]] : [],
    }),
};

const leagueProductUpdate: Kind = {
  name: 'league_data_product_update',
  weight: 1,
  byCommittee: true,
  make: (scene) =>
    scene.op('league_data_product_update', {
      league_data_product: anyOf(scene.state.count(leagueDataProductObject), scene),
      new_schema_contexts: scene.few(CONTEXTS, 0.5),
      extensions: [[5, { pocs_threshold: scene.amount(5) }]],
    }),
};

interface Lists {
  readonly members: number[];
  readonly products: number[];
  readonly prices: bigint[];
  readonly extensions: unknown[];
}

/** Now and then with fewer prices than products. */
function lists(scene: Scene): Lists | undefined {
  const sources = [...new Set(Array.from({ length: 3 }, () => source(scene)))].filter((one) => one !== undefined);
  const count = scene.state.count(leagueDataProductObject);
  if (sources.length === 0 || count === 0) return undefined;
  const products = Array.from({ length: scene.random.between(1, 4) }, () => scene.random.below(count));
  const prices = scene.few(products, 0.95).map(() => price(scene));
  const rules = {
    pocs_thresholds: sources.map(() => scene.amount(4) - 1n),
    fee_bases: sources.map(() => scene.amount(3) - 1n),
    product_pocs_weights: products.map(() => scene.amount(5)),
  };
  return { members: sources, products, prices, extensions: scene.random.chance(0.5) ? [[4, rules]] : [] };
}

const leagueCreate: Kind = {
  name: 'league_create',
  weight: 3,
  make(scene) {
    const found = lists(scene);
    if (found === undefined) return undefined;
    const { members, products: data_products, prices, extensions } = found;
    const category_id = anyOf(scene.state.count(dataMarketCategoryObject), scene);
    return scene.op(this.name, {
      issuer: lifetime(scene),
      league_name: 'l',
      members,
      data_products,
      prices,
      extensions,
      category_id,
    });
  },
};

const leagueUpdate: Kind = {
  name: 'league_update',
  weight: 1,
  byCommittee: true,
  make(scene) {
    const found = lists(scene);
    if (found === undefined) return undefined;
    const { members: new_members, products: new_data_products, prices: new_prices, extensions } = found;
    const league = anyOf(scene.state.count(leagueObject), scene);
    return scene.op(this.name, { league, new_members, new_data_products, new_prices, extensions });
  },
};

const request: Kind = {
  name: 'data_transaction_create',
  weight: 6,
  make(scene) {
    const { random, state } = scene;
    const league = random.chance(0.5) ? scene.some(leagueObject) : undefined;
    const requester = league === undefined ? scene.accountWhere(isMerchant)?.id : scene.one(league.members);
    if (requester === undefined) return undefined;
    const count = state.count(league === undefined ? freeDataProductObject : leagueDataProductObject);
    const listed = league === undefined ? undefined : scene.one(league.data_products);
    const product_id = packObjectId(1, league === undefined ? 17 : 18, listed ?? anyOf(count, scene));
    return scene.op(this.name, {
      request_id: `request ${scene.unique()}`,
      product_id: random.chance(0.03) ? packObjectId(1, random.below(30), 0) : product_id,
      version: random.pick(['open', 'open', 'private', 'verified', 'broken']),
      params: 'what',
      requester,
      create_date_time: random.chance(0.05) ? random.below(2 ** 32) : scene.now,
      league_id: league?.id,
    });
  },
};

function requestWhere(scene: Scene, isWanted: (one: Request) => boolean): Request | undefined {
  return scene.one([...scene.state.all(dataTransactionObject)].filter(isWanted)) ?? scene.some(dataTransactionObject);
}

const decide: Kind = {
  name: 'data_transaction_update',
  weight: 4,
  make(scene) {
    const found = requestWhere(scene, ({ status }) => status === 0);
    const new_requester = member(scene);
    if (found === undefined || new_requester === undefined) return undefined;
    return scene.op(this.name, {
      request_id: found.request_id,
      new_requester,
      new_status: scene.random.chance(0.9) ? 1 : 99,
    });
  },
};

const upload: Kind = {
  name: 'data_transaction_datasource_upload',
  weight: 6,
  make(scene) {
    const found = requestWhere(
      scene,
      ({ status, datasources_status }) => status === 1 && datasources_status.some((one) => one.status === 0),
    );
    const requester = member(scene);
    const listed = scene.one(found?.datasources_status ?? []);
    if (found === undefined || requester === undefined || listed === undefined) return undefined;
    const extensions = scene.random.chance(0.6) ? [[2, { copyright_hash: `hash ${scene.random.below(5)}` }]] : [];
    return scene.op(this.name, { request_id: found.request_id, requester, datasource: listed.datasource, extensions });
  },
};

const cannotDeliver: Kind = {
  name: 'data_transaction_datasource_validate_error',
  weight: 2,
  make(scene) {
    const found = requestWhere(scene, ({ status }) => status === 1);
    const datasource = scene.one(found?.datasources_status ?? [])?.datasource ?? source(scene);
    if (found === undefined || datasource === undefined) return undefined;
    return scene.op(this.name, { request_id: found.request_id, datasource });
  },
};

function priceOf(scene: Scene, { product_id, league_id }: Request): bigint {
  const instance = Number(product_id & 0xffff_ffff_ffffn);
  if (league_id === undefined) return scene.state.find(freeDataProductObject, instance)?.price ?? 1n;
  const league = scene.state.get(leagueObject, league_id);
  return league.prices[league.data_products.indexOf(instance)] ?? 1n;
}

const pay: Kind = {
  name: 'pay_data_transaction',
  weight: 7,
  make(scene) {
    const found = requestWhere(scene, ({ datasources_status }) => datasources_status.some((one) => one.status === 1));
    const delivered = found?.datasources_status.find((one) => one.status === 1);
    if (found === undefined || delivered === undefined) return undefined;
    const amount = scene.core(BigInt.asIntN(64, priceOf(scene, found)));
    const from = found.requester === delivered.datasource ? scene.user() : found.requester;
    return scene.op(this.name, {
      from,
      to: delivered.datasource,
      amount,
      request_id: found.request_id,
      fee: scene.core(100),
    });
  },
};

const complain: Kind = {
  name: 'data_transaction_complain',
  weight: 3,
  make(scene) {
    const found = requestWhere(scene, ({ datasources_status }) => datasources_status.some((one) => one.status === 2));
    const paid = found?.datasources_status.find((one) => one.status === 2);
    if (found === undefined || paid === undefined) return undefined;
    return scene.op(this.name, {
      request_id: found.request_id,
      requester: found.requester,
      datasource: paid.datasource,
      merchant_copyright_hash: 'a',
      datasource_copyright_hash: 'b',
    });
  },
};

const clearCopyright: Kind = {
  name: 'datasource_copyright_clear',
  weight: 1,
  byCommittee: true,
  make(scene) {
    const owner = scene.some(datasourceCopyrightObject)?.datasource_account_id ?? scene.user();
    const product_id = scene.random.chance(0.5) ? 0n : packObjectId(1, 17, 0);
    return scene.op(this.name, { datasource_account: owner, product_id });
  },
};

export const MARKET_KINDS: readonly Kind[] = [
  categoryCreate,
  categoryUpdate,
  freeProduct,
  freeProductUpdate,
  leagueProduct,
  leagueProductUpdate,
  leagueCreate,
  leagueUpdate,
  request,
  decide,
  upload,
  cannotDeliver,
  pay,
  complain,
  clearCopyright,
];
