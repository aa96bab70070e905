import { check } from '../../../base/errors.js';
import { contentAnswer } from '../../../http/answers.js';
import { type Endpoint, endpoint, jsonEndpoint } from '../../common/endpoint.js';
import { findBan } from '../../exchange/bans.js';
import type { ProductRow } from '../../exchange/tables.js';
import {
  changeBody,
  listPath,
  logoPath,
  nothingBody,
  pagedQuery,
  pageGiven,
  productBody,
  productPath,
  saleBody,
  searchQuery,
  writeHeaders,
} from '../declared.js';
import { MARKET_ERRORS } from '../errors.js';
import { LOGO_TYPES, type Logo, readLogo } from '../logo.js';
import type { MarketParts } from '../parts.js';
import {
  createProduct,
  findProduct,
  keepLogo,
  leave,
  listProducts,
  membersOf,
  setOnSale,
  shownPrice,
  valuesOf,
} from '../products.js';
import { showSources } from '../sources.js';
import { answersOf, BODY_BYTES_MAX } from './docs.js';

/** What is sold. */

/** Looked at for whoever is known: unpacking a picture is work that nobody else may ask for. */
const logoOf = (text: string | undefined, { options }: MarketParts): Logo | undefined =>
  text === undefined || text === '' ? undefined : readLogo(text, options);

function createCall(parts: MarketParts): Endpoint {
  const { desk } = parts;
  return jsonEndpoint({
    summary: 'Publish a product',
    about:
      'The caller becomes its issuer and first member. voteThrehold is the share of members who must agree to changes; brieDesc and briefDesc, voteThrehold and voteThreshold are the same.',
    method: 'POST',
    pattern: '/market/product/create',
    headers: writeHeaders,
    bytesMax: BODY_BYTES_MAX,
    body: productBody(parts.billingAsset),
    answers: answersOf('Published'),
    run: (context) => {
      const { brieDesc, briefDesc, voteThrehold, voteThreshold, logoImgBase64, privacy, ...rest } = context.body;
      const threshold = voteThrehold ?? voteThreshold;
      check(threshold !== undefined, MARKET_ERRORS.market_params, { why: 'voteThrehold: it is missing' });
      return desk.changeByMerchant(context, async (trx, { merchant_id }) => {
        const logo = logoOf(logoImgBase64, parts);
        if (logo !== undefined) await keepLogo(trx, logo);
        const values = {
          ...rest,
          threshold,
          briefDesc: brieDesc ?? briefDesc ?? '',
          privacy: privacy ?? false,
          logo: logo?.name ?? '',
        };
        await createProduct(trx, values, merchant_id, desk.nowMs());
      });
    },
  });
}

function updateCall(parts: MarketParts): Endpoint {
  const { desk, votes } = parts;
  return jsonEndpoint({
    summary: 'Change a product',
    about: 'A vote of its members begins; the only member decides at once. What is left out stays as it is.',
    method: 'POST',
    pattern: '/market/product/:productId/update',
    path: productPath,
    headers: writeHeaders,
    bytesMax: BODY_BYTES_MAX,
    body: changeBody(parts.billingAsset),
    answers: answersOf('voteId, and expireAt in milliseconds'),
    run: (context) => {
      const { briefDesc, brieDesc, logoImgBase64, ...rest } = context.body;
      const brief = briefDesc ?? brieDesc;
      const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
      return desk.changeByMerchant(context, async (trx, { merchant_id }) => {
        const logo = logoOf(logoImgBase64, parts);
        if (logo !== undefined) await keepLogo(trx, logo);
        const changes = {
          ...given,
          ...(brief === undefined ? {} : { briefDesc: brief }),
          ...(logo === undefined ? {} : { logo: logo.name }),
        };
        return votes.askForChange(trx, context.path.productId, merchant_id, changes, desk.nowMs());
      });
    },
  });
}

function memberCalls({ desk }: MarketParts): readonly Endpoint[] {
  return [
    jsonEndpoint({
      summary: 'Take a product off sale, or put it on sale again',
      about: 'For its issuer. What was asked for before is still delivered.',
      method: 'POST',
      pattern: '/market/product/:productId/sale',
      path: productPath,
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: saleBody,
      answers: answersOf('Done'),
      run: (context) =>
        desk.changeByMerchant(context, (trx, { merchant_id }) =>
          setOnSale(trx, context.path.productId, merchant_id, context.body.onSale),
        ),
    }),
    jsonEndpoint({
      summary: 'Leave a product',
      about:
        'The caller sells it no longer. The last member takes it off sale; the issuer is followed by the longest-standing member.',
      method: 'POST',
      pattern: '/market/product/:productId/members/leave',
      path: productPath,
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: nothingBody,
      answers: answersOf('Left'),
      run: (context) =>
        desk.changeByMerchant(context, (trx, { merchant_id }) => leave(trx, context.path.productId, merchant_id)),
    }),
  ];
}

function readCalls({ desk, logoUrl }: MarketParts): readonly Endpoint[] {
  const shown = (row: ProductRow) => ({
    productName: row.name,
    logoUrl: logoUrl(row.logo),
    briefDesc: row.brief,
    privacy: row.privacy === 1,
    price: shownPrice(row),
  });
  return [
    endpoint({
      summary: 'Products that are on sale',
      about: 'By category (0: all) and shareStatus (1: of one seller, 0: of several), the newest first.',
      methods: ['GET'],
      pattern: '/market/product/list/:categoryId/:shareStatus',
      path: listPath,
      query: pagedQuery,
      answers: answersOf('A page of products, and how many there are'),
      run: (context) =>
        desk.forAll(context, async () => {
          const { page, limit } = context.query;
          const { rows, total } = await listProducts(desk.db, context.path, pageGiven(page, limit));
          return { data: rows.map((row) => ({ productId: row.product_id, ...shown(row) })), total };
        }),
    }),
    endpoint({
      summary: 'Products that are on sale, by what they are',
      about:
        'A text finds those that have it in name or description. Sorted by newest (so unless said), cheapest or name.',
      methods: ['GET'],
      pattern: '/market/product/search',
      query: searchQuery,
      answers: answersOf('A page of products, and how many there are'),
      run: (context) =>
        desk.forAll(context, async () => {
          const { page, limit, shareStatus, ...wanted } = context.query;
          const share = shareStatus === undefined ? undefined : Number(shareStatus);
          const { rows, total } = await listProducts(
            desk.db,
            { ...wanted, shareStatus: share },
            pageGiven(page, limit),
          );
          const data = rows.map((row) => ({
            productId: row.product_id,
            categoryId: row.category_id,
            createdAt: row.created_ms,
            ...shown(row),
          }));
          return { data, total };
        }),
    }),
    endpoint({
      summary: 'One product',
      about: 'price.amount and categoryId are texts here.',
      methods: ['GET'],
      pattern: '/market/product/:productId',
      path: productPath,
      answers: answersOf('The product'),
      run: (context) =>
        desk.forAll(context, async () => {
          const row = await findProduct(desk.db, context.path.productId);
          const { input, output } = valuesOf(row);
          const members = await membersOf(desk.db, row.product_id);
          const data = {
            ...shown(row),
            categoryId: String(row.category_id),
            input,
            output,
            version: row.version,
            onSale: row.on_sale === 1 && (await findBan(desk.db, 'product', row.product_id)) === undefined,
            voteThreshold: row.threshold / 10_000,
            issuer: row.issuer,
            members,
            shareStatus: members.length > 1 ? 0 : 1,
          };
          return { data };
        }),
    }),
    endpoint({
      summary: 'How well the sources of a product answer',
      about:
        'Of the last 30 days: how often each was asked, how often it delivered, and the middle of its answer times.',
      methods: ['GET'],
      pattern: '/market/product/:productId/sources',
      path: productPath,
      answers: answersOf('One entry for each member'),
      run: (context) =>
        desk.forAll(context, async () => {
          const data = await showSources(desk.db, context.path.productId, desk.nowMs());
          return { data, total: data.length };
        }),
    }),
  ];
}

/** A stored picture is only ever a picture. */
const PICTURE_HEADERS = [
  ['Cache-Control', 'public, max-age=31536000, immutable'],
  ['X-Content-Type-Options', 'nosniff'],
  ['Content-Security-Policy', "default-src 'none'; sandbox"],
] as const;

function logoCall({ desk }: MarketParts): Endpoint {
  return endpoint({
    summary: 'A logo',
    about: 'Under the hash of its bytes.',
    methods: ['GET'],
    pattern: '/market/static/logo/:file',
    path: logoPath,
    answers: { 200: { about: 'The picture' }, 404: { about: 'There is none' } },
    run: async ({ request, path: { file } }) => {
      const [, extension = ''] = /^[0-9a-f]{64}\.([a-z]{3,4})$/.exec(file) ?? [];
      const row =
        extension === ''
          ? undefined
          : await desk.db.selectFrom('logo').select('content').where('name', '=', file).executeTakeFirst();
      check(row !== undefined, MARKET_ERRORS.market_not_found, { what: 'such logo' });
      const bytes = Buffer.from(row.content, 'base64');
      const content = {
        bytes: bytes.length,
        type: LOGO_TYPES[extension] as string,
        tag: file,
        read: async function* (from: number, to: number) {
          yield bytes.subarray(from, to);
        },
      };
      return contentAnswer(request, content, PICTURE_HEADERS);
    },
  });
}

export const productCalls = (parts: MarketParts): readonly Endpoint[] => [
  createCall(parts),
  updateCall(parts),
  ...memberCalls(parts),
  ...readCalls(parts),
  logoCall(parts),
];
