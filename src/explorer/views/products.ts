import { h, table } from '../../page/dom.js';
import type { Int } from '../answers.js';
import { group } from '../names.js';
import type { Page, View } from '../page.js';
import { pager, quiet, section } from '../parts.js';
import { href } from '../routes.js';

/** The data market as the chain knows it: categories, and products of one. */

const PRODUCTS_A_PAGE = 25;
const FREE = 1;
const LEAGUE = 2;

interface Category {
  readonly id: string;
  readonly category_name: string;
  readonly issuer: string;
}

interface Product {
  readonly id: string;
  readonly product_name?: string;
  readonly league_name?: string;
  readonly brief_desc: string;
  readonly issuer: string;
  readonly datasource?: string;
  readonly price?: Int;
  /** Of a product that only leagues sell: what it is about. */
  readonly refer_price?: Int;
  readonly total: Int;
}

interface ProductPage {
  readonly total: Int;
  readonly filtered_total: Int;
  readonly data: readonly Product[];
}

/** As the operator has named it; undefined: no market. */
function marketAddress(): string | undefined {
  const given = document.querySelector('meta[name=market]')?.getAttribute('content') ?? '';
  return /^https?:/i.test(given) ? given : undefined;
}

/** Where the market sells what has this name; its products have numbers of its own. */
function marketLink(text: string, name?: string): HTMLElement | undefined {
  const market = marketAddress();
  if (market === undefined) return undefined;
  const found = name === undefined ? 'products' : `products/1?${new URLSearchParams({ text: name })}`;
  return h('a', { href: `${market}/#/${found}`, rel: 'noreferrer' }, text);
}

/** `#/products`, `#/products/1.16.N`, `#/products/1.16.N/PAGE` */
export const productsView: View = async (page, [category, pageWord = '1']) => {
  if (category !== undefined) return categoryView(page, category, Math.max(1, Math.trunc(Number(pageWord)) || 1));
  const [free, leagues] = await Promise.all([
    page.node.call<Category[]>('list_data_market_categories', FREE),
    page.node.call<Category[]>('list_data_market_categories', LEAGUE),
  ]);
  await page.names.prepare(free, leagues);
  const listed = (caption: string, list: readonly Category[]): HTMLElement =>
    list.length === 0
      ? quiet('There are none.')
      : table(
          caption,
          [
            {
              name: 'Category',
              cell: ({ id, category_name: name }: Category) => h('a', { href: href('products', id) }, name),
            },
            { name: 'Id', cell: ({ id }) => h('a', { href: href('object', id) }, id) },
            { name: 'Issuer', cell: ({ issuer }) => page.names.link(issuer) },
          ],
          list,
        );
  return {
    title: 'Data market',
    body: [
      quiet('What is written on the chain; markets beside it know more, see their own pages.'),
      ...(marketAddress() === undefined ? [] : [h('p', {}, marketLink('Open the market'))]),
      section('Categories of products', listed('Categories of products', free)),
      section('Categories of leagues', listed('Categories of leagues', leagues)),
    ],
  };
};

async function categoryView(page: Page, category: string, at: number): ReturnType<View> {
  const args = [category, (at - 1) * PRODUCTS_A_PAGE, PRODUCTS_A_PAGE, '', '', true] as const;
  const ask = (method: string): Promise<ProductPage | undefined> => page.node.tryCall<ProductPage>(method, ...args);
  const [free, leagues, leagueProducts] = await Promise.all([
    ask('list_free_data_products'),
    ask('list_leagues'),
    ask('list_league_data_products'),
  ]);
  const lists = [free, leagues, leagueProducts].map((one) => one?.data ?? []);
  await page.names.prepare(category, lists);
  const kinds = ['Products', 'Leagues', 'Products of leagues'];
  const shown = lists.flatMap((list, i) =>
    list.length === 0 ? [] : [section(kinds[i] ?? '', listed(page, `${kinds[i]} in this category`, list))],
  );
  const isFull = lists.some(({ length }) => length === PRODUCTS_A_PAGE);
  return {
    title: page.names.name(category),
    body: [
      h('p', {}, h('a', { href: '#/products' }, 'All categories')),
      ...(shown.length === 0 ? [quiet('There is nothing in this category.')] : shown),
      pager(
        { text: 'Earlier ones', href: at > 1 ? href('products', category, at - 1) : undefined },
        { text: 'More', href: isFull ? href('products', category, at + 1) : undefined },
      ),
    ],
  };
}

function listed(page: Page, caption: string, list: readonly Product[]): HTMLElement {
  return table(
    caption,
    [
      {
        name: 'Name',
        cell: (one: Product) => h('a', { href: href('object', one.id) }, one.product_name ?? one.league_name ?? one.id),
      },
      { name: 'In short', cell: ({ brief_desc: text }) => text },
      {
        name: 'Price',
        isNumber: true,
        cell: ({ price, refer_price }) => {
          const amount = price ?? refer_price;
          return amount === undefined ? '' : page.names.amount({ amount, asset_id: page.core });
        },
      },
      { name: 'Sold', isNumber: true, cell: ({ total }) => group(total) },
      { name: 'Issuer', cell: ({ issuer }) => page.names.link(issuer) },
      ...(marketAddress() === undefined
        ? []
        : [{ name: 'Market', cell: (one: Product) => marketLink('look there', one.product_name ?? one.league_name) }]),
    ],
    list,
  );
}
