import { billText } from '../amounts.js';
import { facts, h, link, messageOf, problem, table, time } from '../dom.js';
import { exchangeOf } from '../exchange.js';
import { signInFirst } from '../guard.js';
import type { Page, View } from '../page.js';
import { delivered } from './delivered.js';

/** What I bought, and what was delivered. */

const LIMIT = 20;

interface Bought {
  readonly id: number;
  readonly requestId: string;
  readonly productId: number;
  readonly productName: string;
  readonly amount: number;
  readonly gmtCreated: number;
}

interface Paid {
  readonly fromAccount: string;
  readonly toAccount: string;
  readonly gmtCreated: number;
  readonly txid: string | null;
}

export const purchasesView: View = signInFirst('Purchases', async (page, [given = '']) => {
  const number = Math.max(1, Number.parseInt(given, 10) || 1);
  const { data, total } = await page.market.get<readonly Bought[]>(
    `/market/dataexchange/log?pageNo=${number}&pageSize=${LIMIT}`,
  );
  if (data.length === 0) return { title: 'Purchases', body: [h('p', {}, 'Nothing was bought yet.')] };
  const last = Math.ceil((total ?? data.length) / LIMIT);
  return {
    title: 'Purchases',
    body: [
      table(
        'One line for each source that was paid, the newest first',
        [
          { name: 'When', cell: ({ gmtCreated }) => time(gmtCreated) },
          {
            name: 'Product',
            cell: ({ productId, productName }) => link(`#/product/${productId}`, productName || `Product ${productId}`),
          },
          { name: 'Paid', isNumber: true, cell: ({ amount }) => billText(amount, page.settings) },
          {
            name: 'Data',
            cell: ({ requestId, productId, id }) =>
              h(
                'a',
                { href: `#/purchase/${requestId}/${productId}`, 'aria-label': `Read the data of purchase ${id}` },
                'Read',
              ),
          },
        ],
        data,
      ),
      h(
        'nav',
        { class: 'pages', 'aria-label': 'Pages' },
        number > 1 && link(`#/purchases/${number - 1}`, 'Newer'),
        number < last && link(`#/purchases/${number + 1}`, 'Older'),
      ),
    ],
  };
});

/** The exchange keeps what was delivered for some days, still sealed. */
async function dataOf(page: Page, requestId: string, productId: string): Promise<HTMLElement> {
  const buyer = exchangeOf(page);
  if (buyer === undefined) return problem('The operator of this market has named no exchange');
  try {
    // What was paid is shown whether or not its product is still there to compare it with.
    const product = productId === '' ? undefined : await buyer.product(Number(productId)).catch(() => undefined);
    return delivered(await buyer.result(requestId, product));
  } catch (error) {
    return problem(`The data cannot be read any more: ${messageOf(error)}`);
  }
}

export const purchaseView: View = signInFirst('Purchase', async (page, [requestId = '', productId = '']) => {
  if (!/^[\w-]{1,64}$/.test(requestId)) throw new Error('There is no such purchase');
  const { data } = await page.market.get<readonly Paid[]>(`/market/dataexchange/detail?requestId=${requestId}`);
  return {
    title: 'Purchase',
    body: [
      ...data.map(({ fromAccount, toAccount, gmtCreated, txid }) =>
        facts(
          ['Source', h('code', {}, fromAccount)],
          ['Buyer', h('code', {}, toAccount)],
          ['When', time(gmtCreated)],
          ['Transaction', h('code', {}, txid ?? '–')],
        ),
      ),
      await dataOf(page, requestId, productId),
    ],
  };
});
