import { billText } from '../amounts.js';
import { dayChart, partOf } from '../charts.js';
import { facts, field, form, h, link, messageOf, problem, table } from '../dom.js';
import { signInFirst } from '../guard.js';
import type { Page, View } from '../page.js';

/** What I have spent: the last 30 days, a month, and all of it. */

interface Line {
  readonly productId: number;
  readonly productName: string;
  readonly transferCount: number;
  readonly unitPrice: number;
  readonly consumeAmount: number;
}

interface Sum {
  readonly date: number | null;
  readonly consumeAmount: number;
  readonly incomeAmount: number | null;
  readonly transferCount: number | null;
  readonly balance: number | null;
  readonly average: number | null;
}

const MINUTE_MS = 60_000;

/** As the market counts days and months. */
export const dayOf = (ms: number, { settings }: Page): string =>
  new Date(ms + settings.timeZone * MINUTE_MS).toISOString().slice(0, 10);

/** What came in needs a node with a history: without one the rest is shown all the same. */
async function part(load: () => Promise<readonly Node[]>): Promise<readonly Node[]> {
  try {
    return await load();
  } catch (error) {
    return [problem(messageOf(error))];
  }
}

function linesTable(page: Page, caption: string, lines: readonly Line[]): HTMLElement {
  if (lines.length === 0) return h('p', { class: 'quiet' }, `${caption}: nothing was bought.`);
  const sum = lines.reduce((all, { consumeAmount }) => all + consumeAmount, 0);
  return table(
    caption,
    [
      {
        name: 'Product',
        cell: ({ productId, productName }) => link(`#/product/${productId}`, productName || `Product ${productId}`),
      },
      { name: 'Answers', isNumber: true, cell: ({ transferCount }) => String(transferCount) },
      { name: 'Price today', isNumber: true, cell: ({ unitPrice }) => billText(unitPrice, page.settings) },
      { name: 'Paid', isNumber: true, cell: ({ consumeAmount }) => billText(consumeAmount, page.settings) },
      { name: 'Of all paid', cell: ({ consumeAmount }) => partOf(consumeAmount, sum) },
    ],
    lines,
  );
}

async function recent(page: Page): Promise<readonly Node[]> {
  const { data } = await page.market.get<readonly Sum[]>('/market/bill/recent');
  const days = [...data].reverse();
  const chart = (title: string, name: 'spent' | 'received', of: (day: Sum) => number): HTMLElement => {
    const bars = days.map((day) => ({ label: dayOf(day.date ?? 0, page).slice(5), amount: of(day) }));
    return dayChart(title, page.settings.symbol, bars, name);
  };
  // Each on a scale of its own: what comes in is much more than what one answer costs.
  return [
    chart('Spent in the last 30 days', 'spent', ({ consumeAmount }) => consumeAmount),
    chart('Came in, sales apart', 'received', ({ incomeAmount }) => incomeAmount ?? 0),
  ];
}

async function month(page: Page, date: string): Promise<readonly Node[]> {
  const { data: lines } = await page.market.get<{ readonly data: readonly Line[] }>(`/market/bill/month?date=${date}`);
  const sums = await part(async () => {
    const { data } = await page.market.get<Sum>(`/market/bill/monthTotal?date=${date}`);
    const entries = [
      ['Paid', billText(data.consumeAmount, page.settings)],
      ['Came in, sales apart', billText(data.incomeAmount ?? 0, page.settings)],
      ['Answers', String(data.transferCount)],
    ] as const;
    return [facts(...entries)];
  });
  return [...sums, linesTable(page, `By product in ${date}`, lines.data)];
}

async function all(page: Page): Promise<readonly Node[]> {
  const { data } = await page.market.get<{ readonly overview: Sum; readonly productList: readonly Line[] }>(
    '/market/bill/total',
  );
  const { consumeAmount, average, balance } = data.overview;
  return [
    facts(
      ['Paid', billText(consumeAmount, page.settings)],
      ['On a usual day', billText(average ?? 0, page.settings)],
      ['Balance now', billText(balance ?? 0, page.settings)],
    ),
    linesTable(page, 'By product since the beginning', data.productList),
  ];
}

function monthForm(page: Page, date: string): HTMLElement {
  const input = h('input', { type: 'month', value: date, required: true });
  const show = async (): Promise<undefined> => page.go(`#/bills/${input.value}`) as undefined;
  const out = form('Show', show, field('Month', input));
  out.classList.add('filters');
  return out;
}

export const billsView: View = signInFirst('Bills', async (page, [given = '']) => {
  const date = /^\d{4}-\d\d$/.test(given) ? given : dayOf(page.market.now(), page).slice(0, 7);
  const [days, lines, total] = await Promise.all([
    part(() => recent(page)),
    part(() => month(page, date)),
    part(() => all(page)),
  ]);
  return {
    title: 'Bills',
    body: [
      h('section', { class: 'card' }, ...days),
      h('section', { class: 'card' }, h('h2', {}, `Month ${date}`), monthForm(page, date), ...lines),
      h('section', { class: 'card' }, h('h2', {}, 'Since the beginning'), ...total),
    ],
  };
});
