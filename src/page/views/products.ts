import { amountText, decimalText, readUnits } from '../amounts.js';
import { field, form, h, link, select } from '../dom.js';
import { logoPath, type Search } from '../market.js';
import type { Page, View } from '../page.js';

/** What is for sale, by text, category, price and number of sellers. */

const LIMIT = 12;
const NOTHING: Search = { text: '', categoryId: '', shareStatus: '', priceMax: '', sort: '' };

/** The address keeps what was looked for, so that it can be passed on: `#/products/2?text=weather`. */
function readAddress(words: readonly string[]): { readonly wanted: Search; readonly page: number } {
  const [page = '', query = ''] = (words[0] ?? '').split('?');
  const given = new URLSearchParams(query);
  const known = Object.keys(NOTHING).map((name) => [name, given.get(name) ?? '']);
  return { wanted: Object.fromEntries(known) as Search, page: Math.max(1, Number.parseInt(page, 10) || 1) };
}

function addressOf(wanted: Search, page: number): string {
  const given = Object.entries(wanted).filter(([, value]) => value !== '');
  return `#/products/${page}${given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`}`;
}

async function searchForm(page: Page, wanted: Search): Promise<HTMLElement> {
  const { settings, market } = page;
  const categories = await market.categories();
  const text = h('input', { type: 'search', value: wanted.text, maxlength: 100, autocomplete: 'off' });
  const category = select(
    {},
    [['', 'All'], ...categories.map(({ categoryId, categoryName }) => [String(categoryId), categoryName] as const)],
    wanted.categoryId,
  );
  const share = select(
    {},
    [
      ['', 'Any'],
      ['1', 'One'],
      ['0', 'Several'],
    ],
    wanted.shareStatus,
  );
  const price = h('input', {
    inputmode: 'decimal',
    size: 8,
    value: wanted.priceMax === '' ? '' : decimalText(BigInt(wanted.priceMax), settings.precision),
  });
  const sort = select(
    {},
    [
      ['', 'Newest'],
      ['cheapest', 'Cheapest'],
      ['name', 'Name'],
    ],
    wanted.sort,
  );
  const look = async (): Promise<undefined> => {
    const next = {
      text: text.value.trim(),
      categoryId: category.value,
      shareStatus: share.value,
      priceMax: price.value.trim() === '' ? '' : String(readUnits(price.value, settings)),
      sort: sort.value,
    };
    page.go(addressOf(next, 1));
  };
  const out = form(
    'Search',
    look,
    field('Name or description', text),
    field('Category', category),
    field('Sellers', share),
    field(`Price up to (${settings.symbol})`, price),
    field('Order', sort),
  );
  out.classList.add('filters');
  out.setAttribute('role', 'search');
  return out;
}

export function logoOf(logoUrl: string, name: string): HTMLElement {
  const path = logoPath(logoUrl);
  if (path === undefined) return h('span', { class: 'logo', 'aria-hidden': 'true' }, name.slice(0, 1).toUpperCase());
  return h('img', { class: 'logo', src: path, alt: '', loading: 'lazy' });
}

function pages(wanted: Search, page: number, total: number): HTMLElement | undefined {
  const last = Math.ceil(total / LIMIT);
  if (last <= 1) return undefined;
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'Pages' },
    page > 1 && link(addressOf(wanted, page - 1), 'Previous'),
    h('span', {}, `Page ${page} of ${last}`),
    page < last && link(addressOf(wanted, page + 1), 'Next'),
  );
}

export const productsView: View = async (page, words) => {
  const { wanted, page: number } = readAddress(words);
  const [search, { data, total }] = await Promise.all([
    searchForm(page, wanted),
    page.market.search(wanted, number, LIMIT),
  ]);
  const cards = data.map((one) =>
    h(
      'li',
      { class: 'card product' },
      logoOf(one.logoUrl, one.productName),
      h('h2', {}, link(`#/product/${one.productId}`, one.productName)),
      h('p', { class: 'brief' }, one.briefDesc),
      h('p', { class: 'price' }, amountText(BigInt(one.price.amount), page.settings)),
    ),
  );
  const count = total ?? data.length;
  const found = h('p', { class: 'quiet', role: 'status' }, count === 1 ? '1 product' : `${count} products`);
  const more = pages(wanted, number, count);
  return { title: 'Products', body: [search, found, h('ul', { class: 'cards' }, ...cards), ...(more ? [more] : [])] };
};
