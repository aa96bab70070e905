import { crashPoint } from '../../../base/crash-point.js';
import { type Endpoint, endpoint, jsonEndpoint } from '../../common/endpoint.js';
import {
  membersBody,
  notificationQuery,
  pagedQuery,
  pageGiven,
  productPath,
  readBody,
  signedHeaders,
  voteBody,
  votePath,
  votesPath,
  writeHeaders,
} from '../declared.js';
import { type Reading, showMembers } from '../merchants.js';
import { listNotifications, readNotifications } from '../notifications.js';
import type { MarketParts } from '../parts.js';
import type { VoteRow } from '../tables.js';
import { checkMayRead, findVote, listVotes, readValues } from '../votes.js';
import { answersOf, BODY_BYTES_MAX } from './docs.js';

/** Votes, and who is told of them. */

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 19);

function shownValues(json: string) {
  const { logo: _, ...values } = readValues(json);
  return values;
}

async function showVote(db: Reading, row: VoteRow) {
  const { vote_id, product_id, status, requester, type, created_ms, expire_ms } = row;
  const common = { voteId: vote_id, productId: product_id, status, requester, type };
  const times = { createDate: dateOf(created_ms), expireAt: expire_ms, reason: row.reason };
  if (type === 'UPDATE_PRODUCT') {
    return { ...common, from: shownValues(row.from_values), to: shownValues(row.to_values), ...times };
  }
  return { ...common, members: await showMembers(db, JSON.parse(row.members) as number[]), ...times };
}

function changeCalls({ desk, votes }: MarketParts): readonly Endpoint[] {
  return [
    jsonEndpoint({
      summary: 'Invite members to a product, or apply for it',
      about: 'A member invites merchants; anybody else applies for itself, whoever is named. A vote begins.',
      method: 'POST',
      pattern: '/market/product/:productId/members/add',
      path: productPath,
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: membersBody,
      answers: answersOf('voteId, and expireAt in milliseconds'),
      run: async (context) => {
        const { productId } = context.path;
        const wanted = context.body.members ?? [];
        const answer = await desk.changeByMerchant(context, (trx, { merchant_id }) =>
          votes.askForMembers(trx, productId, merchant_id, wanted, desk.nowMs()),
        );
        crashPoint('vote_recorded');
        return answer;
      },
    }),
    jsonEndpoint({
      summary: 'Vote',
      about: 'Once, by who was a member when the vote began.',
      method: 'POST',
      pattern: '/market/product/vote',
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: voteBody,
      answers: answersOf('Counted'),
      run: (context) =>
        desk.changeByMerchant(context, (trx, { merchant_id }) =>
          votes.vote(trx, context.body.voteId, merchant_id, context.body.agree === 1, desk.nowMs()),
        ),
    }),
    jsonEndpoint({
      summary: 'Mark notifications as read',
      about: 'Own ones.',
      method: 'POST',
      pattern: '/market/notification/read',
      headers: writeHeaders,
      bytesMax: BODY_BYTES_MAX,
      body: readBody,
      answers: answersOf('Marked'),
      run: (context) =>
        desk.changeByMerchant(context, (trx, { merchant_id }) =>
          readNotifications(trx, merchant_id, context.body.ids, desk.nowMs()),
        ),
    }),
  ];
}

function readCalls({ desk }: MarketParts): readonly Endpoint[] {
  return [
    endpoint({
      summary: 'Votes that the caller may see',
      about: 'Of products that it is a member of, and its own applications; the newest first.',
      methods: ['GET'],
      pattern: '/market/product/:productId/votes/:type',
      path: votesPath,
      query: pagedQuery,
      headers: signedHeaders,
      answers: answersOf('A page of votes, and how many there are'),
      run: (context) =>
        desk.forMerchant(context, async ({ merchant_id }) => {
          const { path, query } = context;
          const page = pageGiven(query.page, query.limit);
          const { rows, total } = await listVotes(desk.db, merchant_id, path.productId, path.type, page);
          const data = rows.map((row) => ({
            voteId: row.vote_id,
            productId: row.product_id,
            productName: row.name,
            createDate: dateOf(row.created_ms),
            status: row.status,
            requester: row.requester,
            type: row.type,
          }));
          return { data, total };
        }),
    }),
    endpoint({
      summary: 'One vote',
      about: 'Who wants in, or what is to change. price.amount and categoryId are numbers here.',
      methods: ['GET'],
      pattern: '/market/product/votes/:voteId',
      path: votePath,
      headers: signedHeaders,
      answers: answersOf('The vote'),
      run: (context) =>
        desk.forMerchant(context, async ({ merchant_id }) => {
          const row = await findVote(desk.db, context.path.voteId);
          await checkMayRead(desk.db, row, merchant_id);
          return { data: await showVote(desk.db, row) };
        }),
    }),
    endpoint({
      summary: 'Notifications of the caller',
      about: 'The newest first.',
      methods: ['GET'],
      pattern: '/market/notification/list',
      query: notificationQuery,
      headers: signedHeaders,
      answers: answersOf('A page of notifications, and how many there are'),
      run: (context) =>
        desk.forMerchant(context, ({ merchant_id }) => {
          const { page, limit, unread } = context.query;
          const isUnread = unread === '1' || unread === 'true';
          return listNotifications(desk.db, merchant_id, isUnread, pageGiven(page, limit));
        }),
    }),
  ];
}

export const voteCalls = (parts: MarketParts): readonly Endpoint[] => [...changeCalls(parts), ...readCalls(parts)];
