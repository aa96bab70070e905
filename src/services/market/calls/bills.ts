import type { Instance } from '../../../protocol/ids.js';
import { type Endpoint, endpoint } from '../../common/endpoint.js';
import { detailQuery, logQuery, monthQuery, pageGiven, signedHeaders, spanQuery } from '../declared.js';
import type { Decimal } from '../json-text.js';
import type { MarketParts } from '../parts.js';
import { answersOf } from './docs.js';

/** What the caller has bought, sold and paid. */

const CREATED = ['gmtCreatedFrom', 'gmtCreatedTo'] as const;

function logCalls({ desk, bills }: MarketParts): readonly Endpoint[] {
  return [
    endpoint({
      summary: 'What the caller has bought',
      about: 'One entry for each source that was paid, the newest first. Days are those of the time zone of bills.',
      methods: ['GET'],
      pattern: '/market/dataexchange/log',
      query: logQuery,
      headers: signedHeaders,
      answers: answersOf('A page of purchases, and how many there are'),
      run: (context) =>
        desk.forAccount(context, (account) => {
          const { gmtCreatedFrom, gmtCreatedTo, productId, pageNo, pageSize } = context.query;
          const span = bills.spanOf(gmtCreatedFrom, gmtCreatedTo, CREATED);
          return bills.log(account, productId, span, pageGiven(pageNo, pageSize));
        }),
    }),
    endpoint({
      summary: 'Who has delivered to whom, and by which transaction it was paid',
      about: 'Of purchases and sales of the caller, at most 1000. fromAccount is the source, toAccount the buyer.',
      methods: ['GET'],
      pattern: '/market/dataexchange/detail',
      query: detailQuery,
      headers: signedHeaders,
      answers: answersOf('The entries'),
      run: (context) =>
        desk.forAccount(context, async (account) => {
          const { gmtCreatedFrom, gmtCreatedTo, toAccount, requestId, txid } = context.query;
          const wanted = {
            ...(toAccount === undefined ? {} : { buyer: toAccount }),
            ...(requestId === undefined ? {} : { requestId }),
            ...(txid === undefined ? {} : { txid: txid.toLowerCase() }),
          };
          return { data: await bills.detail(account, wanted, bills.spanOf(gmtCreatedFrom, gmtCreatedTo, CREATED)) };
        }),
    }),
    endpoint({
      summary: 'What the caller has earned',
      about: 'By product and buyer: what was paid, and what of it the caller got.',
      methods: ['GET'],
      pattern: '/market/income',
      query: spanQuery,
      headers: signedHeaders,
      answers: answersOf('Sums, and lines by product and buyer'),
      run: (context) =>
        desk.forAccount(context, async (account) => {
          const { from, to } = context.query;
          return { data: await bills.earned(account, bills.spanOf(from, to, ['from', 'to'])) };
        }),
    }),
    endpoint({
      summary: 'What the caller has earned in the last 30 days',
      about: 'One entry for each day, the newest first; date is its beginning.',
      methods: ['GET'],
      pattern: '/market/income/recent',
      headers: signedHeaders,
      answers: answersOf('30 days'),
      run: (context) =>
        desk.forAccount(context, async (account) => ({ data: await bills.earnedRecently(account, desk.nowMs()) })),
    }),
  ];
}

function billCalls({ desk, bills, income, balanceOf }: MarketParts): readonly Endpoint[] {
  const balance = async (account: Instance): Promise<Decimal> => bills.money(await balanceOf(account));
  return [
    endpoint({
      summary: 'The month by product',
      about: 'unitPrice is the price of today, consumeAmount what was paid.',
      methods: ['GET'],
      pattern: '/market/bill/month',
      query: monthQuery,
      headers: signedHeaders,
      answers: answersOf('An envelope in the envelope, with one line for each product'),
      run: (context) =>
        desk.forAccount(context, async (account) => {
          const data = await bills.productLines(account, bills.monthOf(context.query.date), false);
          return { data: { code: 0, msg: null, data, total: null } };
        }),
    }),
    endpoint({
      summary: 'The month as a whole',
      about: 'incomeAmount is what was sent to the account, sales apart; it needs a node with account_history_kv.',
      methods: ['GET'],
      pattern: '/market/bill/monthTotal',
      query: monthQuery,
      headers: signedHeaders,
      answers: answersOf('Sums of the month'),
      run: (context) =>
        desk.forAccount(context, async (account) => {
          const month = bills.monthOf(context.query.date);
          await income.read(account);
          const { units, count } = await bills.consumed(account, month);
          const data = {
            date: null,
            consumeAmount: bills.money(units),
            incomeAmount: bills.money(await bills.recharged(account, month)),
            transferCount: count,
            balance: await balance(account),
            average: null,
          };
          return { data };
        }),
    }),
    endpoint({
      summary: 'The last 30 days',
      about:
        'One entry for each day, the newest first; date is its beginning. It needs a node with account_history_kv.',
      methods: ['GET'],
      pattern: '/market/bill/recent',
      headers: signedHeaders,
      answers: answersOf('30 days'),
      run: (context) =>
        desk.forAccount(context, async (account) => {
          await income.read(account);
          return { data: await bills.recent(account, desk.nowMs()) };
        }),
    }),
    endpoint({
      summary: 'Since the beginning',
      about: 'average is of each day since the first purchase.',
      methods: ['GET'],
      pattern: '/market/bill/total',
      headers: signedHeaders,
      answers: answersOf('Sums, and one line for each product'),
      run: (context) =>
        desk.forAccount(context, async (account) => {
          const { units } = await bills.consumed(account, {});
          const overview = {
            date: null,
            consumeAmount: bills.money(units),
            incomeAmount: null,
            transferCount: null,
            balance: await balance(account),
            average: await bills.average(account, units, desk.nowMs()),
          };
          return { data: { overview, productList: await bills.productLines(account, {}, true) } };
        }),
    }),
  ];
}

export const allBillCalls = (parts: MarketParts): readonly Endpoint[] => [...logCalls(parts), ...billCalls(parts)];
