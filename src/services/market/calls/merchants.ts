import { type Endpoint, endpoint, jsonEndpoint } from '../../common/endpoint.js';
import { bindBody, categoryBody, nothingBody, profileBody, signedHeaders, writeHeaders } from '../declared.js';
import { bind, setProfile } from '../merchants.js';
import type { MarketParts } from '../parts.js';
import { exportOf, forget } from '../personal-data.js';
import { createCategory, productsOf } from '../products.js';
import { answersOf, BODY_BYTES_MAX } from './docs.js';

/** Binding, profiles, categories, and what becomes of a merchant's data. */

export function merchantCalls({ desk, callers, votes, options }: MarketParts): readonly Endpoint[] {
  return [
    jsonEndpoint({
      summary: 'Bind an account to a merchant',
      about:
        'One account for one merchant. The account signs accountId|merchantId|serviceUrl|timestamp; the same pair again changes the address where its source is asked.',
      method: 'POST',
      pattern: '/market/account/bind',
      bytesMax: BODY_BYTES_MAX,
      body: bindBody(options['private-urls']),
      answers: answersOf('Bound'),
      run: (context) => {
        const { accountId: account, ...rest } = context.body;
        const binding = { account, ...rest };
        return desk.change(
          () => callers.checkBinding(context, binding),
          (trx) => bind(trx, binding, desk.nowMs()),
        );
      },
    }),
    jsonEndpoint({
      summary: 'Create a category',
      about: 'For administrators.',
      method: 'POST',
      pattern: '/market/category/create',
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: categoryBody,
      answers: answersOf('categoryId and categoryName'),
      run: (context) => desk.changeByAdmin(context, (trx) => createCategory(trx, context.body.categoryName)),
    }),
    endpoint({
      summary: 'All categories',
      about: 'For everybody.',
      methods: ['GET'],
      pattern: '/market/category/list',
      answers: answersOf('categoryId and categoryName of each'),
      run: (context) =>
        desk.forAll(context, async () => {
          const rows = await desk.db.selectFrom('category').selectAll().orderBy('category_id').execute();
          return {
            data: rows.map(({ category_id, name }) => ({ categoryId: category_id, categoryName: name })),
            total: rows.length,
          };
        }),
    }),
    jsonEndpoint({
      summary: 'Fill in the profile of a merchant',
      about: 'For administrators: what votes and e-mails show. What is left out stays as it is.',
      method: 'POST',
      pattern: '/market/merchant/profile',
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: profileBody,
      answers: answersOf('Kept'),
      run: (context) =>
        desk.changeByAdmin(context, (trx) => {
          const { merchantId, ...profile } = context.body;
          return setProfile(trx, merchantId, profile);
        }),
    }),
    endpoint({
      summary: 'The caller as a merchant',
      about: 'Its number, where its source is asked, its profile, and the products that it sells.',
      methods: ['GET'],
      pattern: '/market/merchant/self',
      headers: signedHeaders,
      answers: answersOf('Number, address, profile and products'),
      run: (context) =>
        desk.forMerchant(context, async (merchant) => ({
          data: {
            merchantId: merchant.merchant_id,
            accountId: `1.2.${merchant.account}`,
            serviceUrl: merchant.service_url,
            merchantName: merchant.merchant_name,
            authorizerName: merchant.authorizer_name,
            retryAt: merchant.banned_until_ms,
            products: await productsOf(desk.db, merchant.merchant_id),
          },
        })),
    }),
    endpoint({
      summary: 'All that the market keeps of the caller',
      about: 'Binding, profile, products, votes, notifications, e-mails, what was bought and sold.',
      methods: ['GET'],
      pattern: '/market/merchant/export',
      headers: signedHeaders,
      answers: answersOf('All of it'),
      run: (context) => desk.forMerchant(context, async (merchant) => ({ data: await exportOf(desk.db, merchant) })),
    }),
    jsonEndpoint({
      summary: 'Delete the data of the caller',
      about:
        'Binding, profile, e-mail, logo and notifications go, and the caller leaves its products. Rows of payments keep account and transaction id.',
      method: 'POST',
      pattern: '/market/merchant/delete',
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: nothingBody,
      answers: answersOf('Deleted'),
      run: (context) => desk.changeByMerchant(context, (trx, merchant) => forget(trx, votes, merchant, desk.nowMs())),
    }),
  ];
}
