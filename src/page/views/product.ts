import { amountText } from '../amounts.js';
import { facts, h, messageOf, problem, table } from '../dom.js';
import { exchangeOf } from '../exchange.js';
import type { Descriptors, Market, ProductDetail } from '../market.js';
import type { Page, View } from '../page.js';
import { buyPart } from './buy.js';
import { membersPart } from './members.js';
import { logoOf } from './products.js';

/** Who sells it, and whose accounts of them are there now, or why that is not known. */
interface Sellers {
  readonly sources: Awaited<ReturnType<Market['sources']>>;
  readonly online: ReadonlySet<string> | string;
}

/** Sources tell the exchange every 30 seconds that they are there. */
const LOOK_MS = 15_000;

/** One product: what is asked, what comes back, what it costs, who sells it and how well. */

const sampleText = (sample: unknown): string =>
  sample === undefined ? '' : typeof sample === 'string' ? sample : JSON.stringify(sample);

function descriptorTable(caption: string, descriptors: Descriptors, isInput: boolean): HTMLElement {
  const rows = Object.entries(descriptors);
  if (rows.length === 0) return h('p', { class: 'quiet' }, `${caption}: nothing`);
  return table(
    caption,
    [
      {
        name: 'Name',
        cell: ([name, { required }]) => h('strong', {}, isInput && required ? `${name} (required)` : name),
      },
      { name: 'Type', cell: ([, { type }]) => type },
      { name: 'What it is', cell: ([, { desc }]) => desc ?? '' },
      { name: 'Sample', cell: ([, { sample }]) => h('code', {}, sampleText(sample)) },
    ],
    rows,
  );
}

const durationText = (ms: number): string => (ms < 100 ? 'below 0.1 s' : `${(ms / 1000).toFixed(1)} s`);

function sourcesPart({ sources, online }: Sellers): readonly HTMLElement[] {
  const state = (account: string): string =>
    typeof online === 'string' ? 'not known' : online.has(account) ? 'online' : 'away';
  return [
    ...(typeof online === 'string' ? [problem(`Who is online cannot be told: ${online}`)] : []),
    table(
      'Who sells it, and how well it was answered in the last 30 days',
      [
        { name: 'Source', cell: ({ merchantName, merchantId }) => merchantName || `Merchant ${merchantId}` },
        { name: 'Account', cell: ({ accountId }) => h('code', {}, accountId) },
        { name: 'Now', cell: ({ accountId }) => h('span', { class: `state ${state(accountId)}` }, state(accountId)) },
        { name: 'Delivered', isNumber: true, cell: ({ asked, delivered }) => `${delivered} of ${asked}` },
        {
          name: 'Usual time',
          isNumber: true,
          cell: ({ medianAnswerMs: ms }) => (ms === null ? '–' : durationText(ms)),
        },
      ],
      sources,
    ),
  ];
}

async function onlineOf(page: Page, id: string): Promise<ReadonlySet<string> | string> {
  const buyer = exchangeOf(page);
  if (buyer === undefined) return 'the operator has named no exchange';
  try {
    return new Set((await buyer.product(Number(id))).online.map(({ account }) => `1.2.${account}`));
  } catch (error) {
    return messageOf(error);
  }
}

async function sellersOf(page: Page, id: string): Promise<Sellers> {
  const [sources, online] = await Promise.all([page.market.sources(id), onlineOf(page, id)]);
  return { sources, online };
}

/** Sources come and go while somebody reads: whoever buys chooses among those that are there now. */
async function follow(look: () => Promise<void>, left: AbortSignal): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    if (left.aborted) return;
    // A look that fails leaves what is shown, and the next one may not.
    if (!document.hidden) await look().catch(() => undefined);
  }
}

function head(page: Page, product: ProductDetail, category: string): HTMLElement {
  return h(
    'div',
    { class: 'head' },
    logoOf(product.logoUrl, product.productName),
    h('p', { class: 'lead' }, product.briefDesc),
    facts(
      ['Price of one answer', amountText(BigInt(product.price.amount), page.settings)],
      ['Category', category],
      ['Version', String(product.version)],
      ['Members', String(product.members.length)],
      ['Changes need', `${Math.round(product.voteThreshold * 100)} % of the members`],
      ['On sale', product.onSale ? 'yes' : 'no'],
      ['Consent of the person', product.privacy ? 'needed' : 'not needed'],
    ),
  );
}

export const productView: View = async (page, [id = ''], left) => {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new Error('There is no such product');
  const [product, categories, sellers] = await Promise.all([
    page.market.product(id),
    page.market.categories(),
    sellersOf(page, id),
  ]);
  const category = categories.find(({ categoryId }) => String(categoryId) === product.categoryId);
  const members = await membersPart(page, id, product);
  const buying = buyPart(page, id, product);
  const sourcesRoom = h('div', {});
  let shown = '';
  const show = (now: Sellers): void => {
    const { sources, online } = now;
    const made = JSON.stringify([sources, typeof online === 'string' ? online : [...online]]);
    if (made === shown) return;
    shown = made;
    sourcesRoom.replaceChildren(...sourcesPart(now));
    buying.setOnline(typeof online === 'string' ? new Set() : online);
  };
  show(sellers);
  void follow(async () => show(await sellersOf(page, id)), left);
  return {
    title: product.productName,
    body: [
      head(page, product, category?.categoryName ?? ''),
      h(
        'section',
        {},
        h('h2', {}, 'Questions and answers'),
        descriptorTable('What you give', product.input, true),
        descriptorTable('What you get', product.output, false),
      ),
      buying.element,
      h('section', {}, h('h2', {}, 'Sources'), sourcesRoom),
      ...members,
    ],
  };
};
