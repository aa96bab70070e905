import { check } from '../../base/errors.js';
import { contentAnswer } from '../../http/answers.js';
import type { Header } from '../../http/handler.js';
import { type Endpoint, endpoint, formEndpoint } from '../common/endpoint.js';
import { type ContentStore, parseCid } from '../content/content-store.js';
import { ok, PREFIXES } from './answers.js';
import { cidPath, gatewayQuery, providerAnswer, storeAnswer, storeFields } from './declared.js';
import { STORAGE_ERRORS } from './errors.js';
import { FOR_EVER, gatewayAnswer } from './gateway.js';
import type { StorageOptions } from './options.js';
import type { Store } from './store.js';

/** The calls of paid storage. */

/** Texts and boundaries of a form beside its file. */
const FORM_BYTES = 65_536;
const CID_CHARS_MAX = 64;

const binary = { type: 'string', format: 'binary' };
const json = (schema: object): Record<string, Record<string, unknown>> => ({ 'application/json': { ...schema } });
const NOTHING_HERE = { about: 'Nothing is stored here under this id', content: json(storeAnswer.json) };

const CODES = `Whatever the result, the status is 200 and the body has its number: 200 ok, 400 PARAM_INVALID,
401 DATA_SIGN_FAILURE, 402 BALANCE_NO_ENOUGH, 404 REQ_EXPIRATION, 405 DATA_MD5_INVALID, 406 ACCOUNT_NO_EXIT,
407 DATA_OVER_SIZE, 408 AMOUNT_INVALID, 409 REQ_PROCESSING, 500 STORE_FAIL, 500 CHAIN_FAIL. The same request given again
is never a second payment.`.replaceAll('\n', ' ');

export interface EndpointParts {
  readonly options: StorageOptions;
  readonly provider: number;
  readonly store: Store;
  readonly content: ContentStore;
}

function providerEndpoint({ options, provider }: EndpointParts): Endpoint {
  return endpoint({
    summary: 'Who stores here, and what it costs',
    about: 'The account to be paid and its fees for each 1024 bytes.',
    methods: ['GET', 'POST'],
    pattern: '/provider',
    prefixes: PREFIXES,
    answers: { 200: { about: 'The provider', content: json(providerAnswer.json) } },
    run: () =>
      ok({
        account_id: `1.2.${provider}`,
        name: options['provider-name'],
        description: options['provider-description'],
        fees: options.fee.map(({ asset, units }) => ({ fee_per_kbytes: Number(units), asset_id: `1.3.${asset}` })),
      }),
  });
}

function storeEndpoint({ options, store }: EndpointParts): Endpoint {
  return formEndpoint({
    summary: 'Store a file and pay for it',
    about: `A form with the file and a transfer to the provider that the payer has signed. ${CODES}`,
    pattern: '/store',
    prefixes: PREFIXES,
    bytesMax: options['data-bytes-max'] + FORM_BYTES,
    fields: storeFields,
    file: 'data',
    answers: {
      200: { about: 'The result, by its code', content: json(storeAnswer.json) },
      429: { about: 'Too much at once', content: json(storeAnswer.json) },
    },
    run: async ({ request, body }) => ok(await store.store(request.header('content-type'), body, request.caller)),
  });
}

function dataEndpoint({ content }: EndpointParts): Endpoint {
  return endpoint({
    summary: 'Download a stored file',
    about: 'The bytes as they were stored, by content id. Single ranges and If-None-Match are understood.',
    methods: ['GET'],
    pattern: '/data/:cid',
    prefixes: PREFIXES,
    path: cidPath,
    answers: { 200: { about: 'The file', content: { 'application/octet-stream': binary } }, 404: NOTHING_HERE },
    run: async ({ request, path: { cid } }) => {
      const root = cid.length > CID_CHARS_MAX ? undefined : parseCid(cid);
      const found = root === undefined ? undefined : await content.find(cid);
      check(root !== undefined && found !== undefined, STORAGE_ERRORS.storage_no_data);
      // What is missing altogether is told while there is still a status to tell it with.
      await content.readBlock(root);
      const headers: Header[] = [...FOR_EVER, ['Content-Disposition', `attachment; filename="${cid}.baas"`]];
      return contentAnswer(request, found, headers);
    },
  });
}

function gatewayEndpoint({ content }: EndpointParts): Endpoint {
  return endpoint({
    summary: 'Blocks of stored files, for IPFS clients',
    about:
      'A trustless gateway: format=raw gives one block, format=car the block and all below it (dag-scope=block: it alone). The Accept header may say so instead.',
    methods: ['GET'],
    pattern: '/ipfs/:cid',
    path: cidPath,
    query: gatewayQuery,
    answers: {
      200: {
        about: 'Blocks',
        content: { 'application/vnd.ipld.raw': binary, 'application/vnd.ipld.car': binary },
      },
      404: NOTHING_HERE,
      406: { about: 'Neither of the two forms was asked for', content: json(storeAnswer.json) },
    },
    run: ({ request, path: { cid }, query }) => gatewayAnswer(content, request, cid, query),
  });
}

export const storageEndpoints = (parts: EndpointParts): readonly Endpoint[] => [
  providerEndpoint(parts),
  storeEndpoint(parts),
  dataEndpoint(parts),
  gatewayEndpoint(parts),
];
