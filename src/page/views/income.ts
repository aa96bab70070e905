import { billText } from '../amounts.js';
import { dayChart, partOf } from '../charts.js';
import { facts, h, link, table, time } from '../dom.js';
import { signInFirst } from '../guard.js';
import type { View } from '../page.js';
import { dayOf } from './bills.js';

/** What I sold and earned. */

interface Line {
  readonly productId: number;
  readonly productName: string;
  readonly buyer: string;
  readonly transferCount: number;
  readonly paidAmount: number;
  readonly incomeAmount: number;
}

interface Income {
  readonly paidAmount: number;
  readonly incomeAmount: number;
  readonly transferCount: number;
  readonly lines: readonly Line[];
}

interface Day {
  readonly date: number;
  readonly incomeAmount: number;
}

interface Sale {
  readonly fromAccount: string;
  readonly toAccount: string;
  readonly gmtCreated: number;
  readonly requestId: string;
  readonly txid: string | null;
}

const SALES_MAX = 100;

export const incomeView: View = signInFirst('Income', async (page) => {
  const { settings, market, user } = page;
  const [{ data }, { data: recent }, { data: details }] = await Promise.all([
    market.get<Income>('/market/income'),
    market.get<readonly Day[]>('/market/income/recent'),
    market.get<readonly Sale[]>('/market/dataexchange/detail'),
  ]);
  const sales = details.filter(({ fromAccount }) => fromAccount === user?.account).slice(0, SALES_MAX);
  const totals = facts(
    ['Buyers paid', billText(data.paidAmount, settings)],
    ['Your income', billText(data.incomeAmount, settings)],
    ['Answers sold', String(data.transferCount)],
  );
  if (data.lines.length === 0) return { title: 'Income', body: [totals, h('p', {}, 'Nothing was sold yet.')] };
  const days = [...recent].reverse().map(({ date, incomeAmount }) => ({
    label: dayOf(date, page).slice(5),
    amount: incomeAmount,
  }));
  return {
    title: 'Income',
    body: [
      totals,
      h('section', { class: 'card' }, dayChart('Earned in the last 30 days', settings.symbol, days, 'received')),
      table(
        'By product and buyer',
        [
          { name: 'Product', cell: ({ productId, productName }) => link(`#/product/${productId}`, productName) },
          { name: 'Buyer', cell: ({ buyer }) => h('code', {}, buyer) },
          { name: 'Answers', isNumber: true, cell: ({ transferCount }) => String(transferCount) },
          { name: 'Paid', isNumber: true, cell: ({ paidAmount }) => billText(paidAmount, settings) },
          { name: 'Your income', isNumber: true, cell: ({ incomeAmount }) => billText(incomeAmount, settings) },
          { name: 'Of all income', cell: ({ incomeAmount }) => partOf(incomeAmount, data.incomeAmount) },
        ],
        data.lines,
      ),
      table(
        'The latest sales',
        [
          { name: 'When', cell: ({ gmtCreated }) => time(gmtCreated) },
          { name: 'Buyer', cell: ({ toAccount }) => h('code', {}, toAccount) },
          { name: 'Transaction', cell: ({ txid }) => h('code', {}, txid ?? '–') },
        ],
        sales,
      ),
    ],
  };
});
