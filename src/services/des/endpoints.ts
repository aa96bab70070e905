import { check } from '../../base/errors.js';
import { type Json, parseJson } from '../../codec/json.js';
import { publicKeyToText } from '../../crypto/public-key.js';
import { RateBuckets } from '../../http/rate-buckets.js';
import { writeJson } from '../../trade/json.js';
import { type Endpoint, endpoint, jsonEndpoint } from '../common/endpoint.js';
import { answer, inDatabase } from './answers.js';
import {
  accountQuery,
  createAnswer,
  createBody,
  errorAnswer,
  heartbeatAnswer,
  heartbeatBody,
  productAnswer,
  productPath,
  productVersionPath,
  requestPath,
  statusAnswer,
} from './declared.js';
import { DES_ERRORS } from './errors.js';
import type { Heartbeats } from './heartbeats.js';
import { findOffer } from './products.js';
import type { RequestParts, Requests } from './requests.js';

/** The calls of the exchange. */

const HEARTBEAT_BYTES = 65_536;
const CREATE_BYTES = 2_097_152;
const BURST = 5;

const json = (schema: object): Record<string, Record<string, unknown>> => ({ 'application/json': { ...schema } });
const WRONG = { about: 'What is wrong, by its name', content: json(errorAnswer.json) };
const NOT_THERE = { about: 'There is no such thing', content: json(errorAnswer.json) };
const TOO_MUCH = { about: 'Too much at once', content: json(errorAnswer.json) };

export interface EndpointParts extends RequestParts {
  readonly heartbeats: Heartbeats;
  readonly requests: Requests;
}

function heartbeatEndpoint({ heartbeats }: EndpointParts): Endpoint {
  return jsonEndpoint({
    summary: 'A source says that it is there',
    about:
      'At its start and every 30 seconds: it is asked until 50 seconds after the last one. Signed with its active key over account|products|queryUrl|timestamp, products as JSON, without queryUrl where there is none; account|timestamp and account|products|timestamp are taken as well and do not cover queryUrl.',
    method: 'POST',
    pattern: '/api/datasource/heartbeat',
    bytesMax: HEARTBEAT_BYTES,
    body: heartbeatBody,
    answers: {
      200: { about: 'It is online', content: json(heartbeatAnswer.json) },
      400: WRONG,
      401: WRONG,
      429: TOO_MUCH,
    },
    run: async ({ body }) => answer(await inDatabase(() => heartbeats.take(body))),
  });
}

/** Public clients read samples as scalars. */
function describedParameters(text: string): Json {
  const parameters = parseJson(text) as { readonly [name: string]: { readonly sample?: Json } };
  return Object.fromEntries(
    Object.entries(parameters).map(([name, one]) => {
      const { sample } = one;
      const isPlain = sample === null || typeof sample !== 'object';
      return [name, isPlain ? one : { ...one, sample: writeJson(sample) }];
    }),
  ) as Json;
}

async function productOf(parts: EndpointParts, productId: number): Promise<Json> {
  const { db, clock, accounts, exchange, options, keyPrefix } = parts;
  const { product, members } = await findOffer(db, productId, clock.nowMs());
  const online = members.filter(({ url }) => url !== undefined);
  const keys = await Promise.all(online.map(({ account }) => accounts.find(account)));
  const asset = `1.3.${product.asset}`;
  const own = `1.2.${exchange}`;
  return {
    product: {
      productId: product.product_id,
      productName: product.name,
      briefDesc: product.brief,
      privacy: product.privacy,
      categoryId: product.category_id,
      issuer: product.issuer,
      datasources: members.map(({ account }) => `1.2.${account}`),
      price: { amount: BigInt(product.units), asset_id: asset, assetId: asset },
      input: describedParameters(product.input),
      output: describedParameters(product.output),
      version: product.version,
    },
    des: { account_id: own, accountId: own, percent: options.percent },
    onlineDatasources: online.flatMap(({ account }, i) => {
      const key = keys[i]?.keys[0]?.[0];
      const id = `1.2.${account}`;
      return key === undefined ? [] : [{ account_id: id, accountId: id, publicKey: publicKeyToText(key, keyPrefix) }];
    }),
  };
}

function productEndpoint(parts: EndpointParts): Endpoint {
  const perSecond = parts.options['products-per-second'];
  const rate = new RateBuckets({ perSecond, burst: Math.max(1, BURST * perSecond) }, parts.clock);
  return endpoint({
    summary: 'What a product is, what it costs, and who sells it at the moment',
    about: 'Parameters are encrypted for each of onlineDatasources with its publicKey.',
    methods: ['GET'],
    pattern: '/api/product/:product_id',
    path: productPath,
    answers: { 200: { about: 'The product', content: json(productAnswer.json) }, 404: NOT_THERE, 429: TOO_MUCH },
    run: async ({ request: { caller }, path }) => {
      check(caller.isLocal || rate.take(caller.countedAs), DES_ERRORS.des_rate, { whom: 'this address' });
      return answer(await inDatabase(() => productOf(parts, path.product_id)));
    },
  });
}

function createEndpoints({ requests }: EndpointParts): readonly Endpoint[] {
  const shared = {
    summary: 'Ask for data',
    about:
      'One element for each source that is to be asked, each with its own authorization: the buyer pays once for each source that delivers. The same authorizations again are the same request.',
    method: 'POST',
    bytesMax: CREATE_BYTES,
    body: createBody,
    answers: {
      200: { about: 'Recorded; the sources are being asked', content: json(createAnswer.json) },
      400: WRONG,
      401: WRONG,
      403: WRONG,
      404: NOT_THERE,
      429: TOO_MUCH,
      504: { about: 'The chain does not answer', content: json(errorAnswer.json) },
    },
  } as const;
  return [
    jsonEndpoint({
      ...shared,
      pattern: '/api/request/create/:product_id',
      path: productPath,
      run: async ({ path, body }) =>
        answer({ request_id: await inDatabase(() => requests.create(path.product_id, undefined, body)) }),
    }),
    jsonEndpoint({
      ...shared,
      summary: 'Ask for data, of this version of the product alone',
      pattern: '/api/request/create/:product_id/:version',
      path: productVersionPath,
      run: async ({ path, body }) =>
        answer({ request_id: await inDatabase(() => requests.create(path.product_id, path.version, body)) }),
    }),
  ];
}

function statusEndpoint({ requests }: EndpointParts): Endpoint {
  return endpoint({
    summary: 'What has become of a request',
    about: 'FINISHED when every source is decided. Whoever knows the id may read it: the answers are encrypted.',
    methods: ['GET'],
    pattern: '/api/request/:request_id',
    path: requestPath,
    answers: { 200: { about: 'The request', content: json(statusAnswer.json) }, 404: NOT_THERE, 429: TOO_MUCH },
    run: async ({ path }) => answer(await inDatabase(() => requests.status(path.request_id))),
  });
}

function keyEndpoint({ accounts, keyPrefix }: EndpointParts): Endpoint {
  return endpoint({
    summary: 'The active key of an account',
    about: 'A text in JSON.',
    methods: ['GET'],
    pattern: '/api/datasource/activePublicKey',
    query: accountQuery,
    answers: { 200: { about: 'The key', content: json({ type: 'string' }) }, 400: WRONG },
    run: async ({ query: { accountId: id } }) => {
      const key = (await accounts.find(id))?.keys[0]?.[0];
      check(key !== undefined, DES_ERRORS.des_account, { why: `there is no account 1.2.${id}` });
      return answer(publicKeyToText(key, keyPrefix));
    },
  });
}

export const desEndpoints = (parts: EndpointParts): readonly Endpoint[] => [
  productEndpoint(parts),
  ...createEndpoints(parts),
  statusEndpoint(parts),
  heartbeatEndpoint(parts),
  keyEndpoint(parts),
];
