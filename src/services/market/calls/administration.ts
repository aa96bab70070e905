import { type Endpoint, endpoint, jsonEndpoint } from '../../common/endpoint.js';
import type { BanRow } from '../../exchange/tables.js';
import {
  ban,
  deleteCategory,
  dropMail,
  liftBan,
  listBans,
  listLosses,
  listMails,
  renameCategory,
  retryMail,
  settleLoss,
} from '../administration.js';
import {
  allowAccountBody,
  allowProductBody,
  banAccountBody,
  banProductBody,
  categoryIdBody,
  lossQuery,
  mailBody,
  outboxQuery,
  pageGiven,
  renameBody,
  settleBody,
  signedHeaders,
  writeHeaders,
} from '../declared.js';
import type { MarketParts } from '../parts.js';
import type { Desk } from './desk.js';
import { answersOf, BODY_BYTES_MAX } from './docs.js';

/** The calls of administrators: accounts that option `admin` names, by signed calls as everybody else. */

const CHANGE = { method: 'POST', headers: writeHeaders, bytesMax: BODY_BYTES_MAX } as const;

function categoryCalls(desk: Desk): readonly Endpoint[] {
  return [
    jsonEndpoint({
      ...CHANGE,
      summary: 'Rename a category',
      about: 'For administrators.',
      pattern: '/market/admin/category/rename',
      body: renameBody,
      answers: answersOf('Renamed'),
      run: (context) =>
        desk.changeByAdmin(context, (trx) => renameCategory(trx, context.body.categoryId, context.body.categoryName)),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Delete a category',
      about: 'For administrators; one that no product is in.',
      pattern: '/market/admin/category/delete',
      body: categoryIdBody,
      answers: answersOf('Deleted'),
      run: (context) => desk.changeByAdmin(context, (trx) => deleteCategory(trx, context.body.categoryId)),
    }),
  ];
}

function banCalls(desk: Desk): readonly Endpoint[] {
  const row = (kind: BanRow['kind'], id: number, reason: string, by_account: number): BanRow => ({
    ...{ kind, id, reason, by_account },
    since_ms: desk.nowMs(),
  });
  return [
    endpoint({
      summary: 'Accounts and products that are banned',
      about: 'For administrators, the newest ban first.',
      methods: ['GET'],
      pattern: '/market/admin/bans',
      headers: signedHeaders,
      answers: answersOf('Each with reason, administrator and time'),
      run: (context) =>
        desk.forAdmin(context, async () => {
          const data = await listBans(desk.db);
          return { data, total: data.length };
        }),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Ban an account',
      about:
        'For administrators. It changes nothing in the market any more, the exchange takes no requests of it and asks its source no more; what was asked for before is still delivered.',
      pattern: '/market/admin/ban/account',
      body: banAccountBody,
      answers: answersOf('Banned'),
      run: (context) =>
        desk.changeByAdmin(context, (trx, admin) =>
          ban(trx, row('account', context.body.accountId, context.body.reason, admin)),
        ),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Ban a product',
      about:
        'For administrators. It is in no list and nobody can buy it; what was asked for before is still delivered.',
      pattern: '/market/admin/ban/product',
      body: banProductBody,
      answers: answersOf('Banned'),
      run: (context) =>
        desk.changeByAdmin(context, (trx, admin) =>
          ban(trx, row('product', context.body.productId, context.body.reason, admin)),
        ),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Lift the ban of an account',
      about: 'For administrators.',
      pattern: '/market/admin/allow/account',
      body: allowAccountBody,
      answers: answersOf('Lifted'),
      run: (context) => desk.changeByAdmin(context, (trx) => liftBan(trx, 'account', context.body.accountId)),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Lift the ban of a product',
      about: 'For administrators.',
      pattern: '/market/admin/allow/product',
      body: allowProductBody,
      answers: answersOf('Lifted'),
      run: (context) => desk.changeByAdmin(context, (trx) => liftBan(trx, 'product', context.body.productId)),
    }),
  ];
}

function lossCalls(desk: Desk): readonly Endpoint[] {
  return [
    endpoint({
      summary: 'Payments that were lost after their data was handed out',
      about: 'For administrators: those that nobody has looked after yet, or with settled=1 the others.',
      methods: ['GET'],
      pattern: '/market/admin/lost',
      headers: signedHeaders,
      query: lossQuery,
      answers: answersOf('A page of them, and how many there are'),
      run: (context) =>
        desk.forAdmin(context, () => {
          const { page, limit, settled } = context.query;
          return listLosses(desk.db, settled === '1', pageGiven(page, limit));
        }),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Settle a lost payment',
      about: 'For administrators: it stays lost, with a note of what was done about it.',
      pattern: '/market/admin/lost/settle',
      body: settleBody,
      answers: answersOf('Settled'),
      run: (context) => desk.changeByAdmin(context, (trx, admin) => settleLoss(trx, context.body, admin, desk.nowMs())),
    }),
  ];
}

function outboxCalls(desk: Desk): readonly Endpoint[] {
  return [
    endpoint({
      summary: 'E-mails of this market',
      about: 'For administrators: all of them, or those of one state, the newest first, without their texts.',
      methods: ['GET'],
      pattern: '/market/admin/outbox',
      headers: signedHeaders,
      query: outboxQuery,
      answers: answersOf('A page of them, and how many there are'),
      run: (context) =>
        desk.forAdmin(context, () => {
          const { page, limit, state } = context.query;
          return listMails(desk.db, state, pageGiven(page, limit));
        }),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Send an e-mail now',
      about: 'For administrators: one that waits, was given up or was dropped gets all its tries once more.',
      pattern: '/market/admin/outbox/retry',
      body: mailBody,
      answers: answersOf('It is due now'),
      run: (context) => desk.changeByAdmin(context, (trx) => retryMail(trx, context.body.id, desk.nowMs())),
    }),
    jsonEndpoint({
      ...CHANGE,
      summary: 'Drop an e-mail',
      about: 'For administrators: one that waits or was given up is not sent.',
      pattern: '/market/admin/outbox/drop',
      body: mailBody,
      answers: answersOf('Dropped'),
      run: (context) => desk.changeByAdmin(context, (trx) => dropMail(trx, context.body.id, desk.nowMs())),
    }),
  ];
}

export const administrationCalls = ({ desk }: MarketParts): readonly Endpoint[] => [
  endpoint({
    summary: 'Whether the caller is an administrator',
    about: 'For whoever shows a page.',
    methods: ['GET'],
    pattern: '/market/admin/self',
    headers: signedHeaders,
    answers: answersOf('isAdmin'),
    run: (context) => desk.forAccount(context, async (account) => ({ data: { isAdmin: desk.isAdmin(account) } })),
  }),
  ...categoryCalls(desk),
  ...banCalls(desk),
  ...lossCalls(desk),
  ...outboxCalls(desk),
];
