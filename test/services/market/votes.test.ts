import t from 'tap';
import { type MarketClient, product, type VoteBegun } from '../support/market-client.js';
import { boundMerchants, MarketChain, publish, startMarketInProcess } from '../support/market-service.js';

/** Votes of the members of a product, against a real node, on a clock that the test moves. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const accounts = await chain.accounts(14);
const DAY_MS = 86_400_000;
const LIFETIME_MS = 2 * DAY_MS;

const vote = (client: MarketClient, voteId: number, agree: 0 | 1) =>
  client.post('/market/product/vote', { agree, voteId });
const invite = (client: MarketClient, id: number, members: readonly number[]) =>
  client.post<VoteBegun>(`/market/product/${id}/members/add`, { members });
const statusOf = async (client: MarketClient, voteId: number) =>
  (await client.get<{ status: string }>(`/market/product/votes/${voteId}`)).data.status;
const list = async (client: MarketClient, type: number, id: number | 'all' = 'all') =>
  (await client.get<Record<string, unknown>[]>(`/market/product/${id}/votes/${type}`)).data;

const market = await startMarketInProcess(t, chain);
const { merchants } = await boundMerchants(market, chain, accounts.slice(0, 13));
const merchant = (number: number): MarketClient => merchants[number - 1] as MarketClient;
const [one, two, three] = merchants as [MarketClient, MarketClient, MarketClient];

t.test('ten members, of whom seven have to agree', async (t) => {
  const id = await publish(one);
  const ten = [2, 3, 4, 5, 6, 7, 8, 9, 10];
  const begun = await invite(one, id, ten);
  t.match(begun, { code: 1, data: { voteId: Number } });
  t.equal(await statusOf(one, begun.data.voteId), 'PASS', 'the only member decides at once');
  t.match(await one.get(`/market/product/list/0/0`), { total: 1 });

  const passing = (await invite(two, id, [11])).data.voteId;
  for (const number of [3, 4, 5, 6, 7]) t.match(await vote(merchant(number), passing, 1), { code: 1 });
  t.equal(await statusOf(two, passing), 'INPROGRESS', 'six with the one who has asked');
  t.match(await vote(merchant(8), passing, 1), { code: 1 });
  t.equal(await statusOf(two, passing), 'PASS', 'at the seventh');
  t.match(await vote(merchant(9), passing, 1), { status: 409, code: 1008, msg: 'VOTE_CLOSED' });
  t.match(await merchant(11).get(`/market/product/votes/${passing}`), { code: 1 }, 'a member now');
  t.match(await merchant(11).post(`/market/product/${id}/members/leave`), { code: 1 });

  const failing = (await invite(two, id, [12])).data.voteId;
  for (const number of [3, 4, 5]) await vote(merchant(number), failing, 0);
  t.equal(await statusOf(two, failing), 'INPROGRESS');
  await vote(merchant(6), failing, 0);
  t.equal(await statusOf(two, failing), 'REJECT', 'at the fourth against it seven can no longer agree');
  t.match(await merchant(12).get(`/market/product/votes/${failing}`), { code: 1004 }, 'no member');

  // Told: nine of its beginning, ten of its end.
  const kinds = async (client: MarketClient) =>
    (await client.get<{ kind: string; voteId: number }[]>('/market/notification/list?limit=100')).data
      .filter(({ voteId }) => voteId === failing)
      .map(({ kind }) => kind)
      .sort();
  t.same(await kinds(three), ['VOTE_CLOSED', 'VOTE_CREATED']);
  t.same(await kinds(two), ['VOTE_CLOSED'], 'who has asked knows of its beginning');
});

t.test('invitations that are none', async (t) => {
  const id = await publish(one);
  await invite(one, id, [2]);
  t.match(await invite(one, id, [777]), { status: 403, code: 1005 }, 'nobody is bound to it');
  t.match(await invite(one, id, [1, 2]), { status: 400, code: 1001 }, 'members already');
  t.match(await invite(one, id, []), { code: 1001 });
  t.match(await invite(one, id, [2, 3]), { code: 1 });
  t.match(await invite(two, id, [3, 4]), { status: 409, code: 1007 }, 'a vote runs on one of them');
  t.match(await invite(one, 999, [3]), { status: 404, code: 1006 });
});

t.test('applications, of which five in a row may be rejected', async (t) => {
  const ids = [];
  for (let i = 0; i < 6; i++) ids.push(await publish(one));
  const apply = (id: number) => invite(two, id, [5, 6]);
  let last = 0;
  for (const id of ids.slice(0, 5)) {
    const { data } = await apply(id);
    last = data.voteId;
    t.match(await two.get(`/market/product/votes/${data.voteId}`), {
      data: { type: 'APPLY', requester: 2, members: [{ merchantId: 2 }] },
    });
    t.match(await apply(id), { status: 409, code: 1007 }, 'one at a time');
    if (id !== ids[0]) await vote(one, data.voteId, 0);
  }
  t.match(await vote(two, last, 1), { status: 403, code: 1004 }, 'who applies does not vote');
  t.match(await apply(ids[5] as number), { code: 1 }, 'four rejections and one that runs');
  const begun = market.clock.nowMs();
  market.clock.move(LIFETIME_MS);
  const banned = await apply(ids[4] as number);
  t.match(banned, { status: 403, code: 1010, msg: 'APPLY_BANNED', data: { retryAt: Number } });
  const { retryAt } = banned.data as unknown as { retryAt: number };
  t.ok(retryAt > begun && retryAt <= begun + LIFETIME_MS + 3 * DAY_MS, 'three days after the fifth ended');
  market.clock.move(retryAt - market.clock.nowMs() - 60_000);
  t.match(await apply(ids[4] as number), { code: 1010 }, 'a minute too early');
  market.clock.move(60_001);
  t.match(await apply(ids[4] as number), { code: 1 }, 'three days later');
});

t.test('who votes, when, and how often', async (t) => {
  const id = await publish(one, { voteThrehold: 1 });
  await invite(one, id, [2, 3]);
  // Only the first three: the requester's own ballot counts, the others are missing.
  const { voteId, expireAt } = (await invite(one, id, [4])).data;
  t.ok(Math.abs(expireAt - market.clock.nowMs() - LIFETIME_MS) < 60_000);
  t.match(await vote(two, voteId, 1), { code: 1, msg: 'success' });
  t.match(await vote(two, voteId, 1), { status: 409, code: 1009, msg: 'ALREADY_VOTED' });
  t.match(await vote(one, voteId, 1), { code: 1009 }, 'who has asked has agreed');
  t.match(await vote(merchant(9), voteId, 1), { status: 403, code: 1004 });
  t.match(await vote(two, 99_999, 1), { status: 404, code: 1006 });
  t.match(await two.post('/market/product/vote', { agree: 2, voteId }), { code: 1001 });
  market.clock.move(expireAt - market.clock.nowMs());
  t.equal(await statusOf(one, voteId), 'REJECT', 'read when it ends');
  t.match(await vote(three, voteId, 1), { status: 409, code: 1008 });
  t.match(await three.get(`/market/product/votes/${voteId}`), { data: { reason: 'EXPIRED' } });
});

t.test('how votes are shown', async (t) => {
  const id = await publish(one, { voteThrehold: 1 });
  await invite(one, id, [2]);
  const changes = { productName: 'Tomorrow', price: { amount: 5, assetId: '1.3.1' }, categoryId: 1 };
  const update = (await one.post<VoteBegun>(`/market/product/${id}/update`, changes)).data.voteId;
  t.match(await one.post(`/market/product/${id}/update`, changes), { status: 409, code: 1007 });
  t.match(await three.post(`/market/product/${id}/update`, changes), { status: 403, code: 1004 });
  const add = (await invite(two, id, [3, 4])).data.voteId;
  const apply = (await invite(merchant(5), id, [])).data.voteId;
  const { data } = await one.get<Record<string, unknown>>(`/market/product/votes/${update}`);
  const before = product() as Record<string, unknown>;
  t.match(data, { voteId: update, productId: id, status: 'INPROGRESS', requester: 1, type: 'UPDATE_PRODUCT' });
  t.same(data.from, {
    productName: before.productName,
    briefDesc: before.brieDesc,
    price: before.price,
    categoryId: 1,
    privacy: false,
    input: before.input,
    output: before.output,
  });
  t.match(data.to, { productName: 'Tomorrow', briefDesc: before.brieDesc, price: { amount: 5 }, categoryId: 1 });
  const empty = { authorizerName: '', merchantName: '', logoUrl: '', merchantAddress: '' };
  t.match(await one.get(`/market/product/votes/${add}`), {
    data: {
      type: 'ADD_MEMBER',
      requester: 2,
      members: [
        { merchantId: 3, ...empty },
        { merchantId: 4, ...empty },
      ],
    },
  });
  t.match(await merchant(5).get(`/market/product/votes/${apply}`), { data: { type: 'APPLY', requester: 5 } });
  const [newest] = await list(one, 0, id);
  t.same(Object.keys(newest ?? {}).sort(), [
    ...['createDate', 'productId', 'productName', 'requester', 'status', 'type', 'voteId'],
  ]);
  t.match(newest, { voteId: apply, type: 'APPLY', createDate: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/ });
  const numbers = async (client: MarketClient, type: number) => (await list(client, type, id)).map((row) => row.voteId);
  t.same(await numbers(one, 0), [apply, add], 'running and not voted on');
  t.same(await numbers(one, 3), [update], 'running and voted on');
  t.same(await numbers(merchant(5), 0), [apply], 'of the applicant');
  t.same((await numbers(one, 1)).length, 1, 'the invitation that began it');
  t.same(await numbers(three, 0), [], 'a stranger sees none');
  t.ok((await list(one, 0)).length >= 2, 'of all products');
  t.match(await vote(two, update, 1), { code: 1 });
  t.match(await one.get(`/market/product/${id}`), {
    data: { productName: 'Tomorrow', price: { amount: '5' }, version: 2 },
  });
  await vote(one, apply, 0);
  t.same(await numbers(one, 2), [apply], 'rejected');
  t.match(await one.get(`/market/product/${id}/votes/4`), { status: 400, code: 1001 });
});

t.test('notifications', async (t) => {
  const all = await three.get<{ id: number; kind: string }[]>('/market/notification/list?limit=100&unread=1');
  t.ok(all.data.length > 1);
  t.match(all.data[0], { voteType: String, status: String, expireAt: Number, createdAt: Number, readAt: null });
  const [first] = all.data;
  t.match(await three.post('/market/notification/read', { ids: [first?.id] }), { code: 1 });
  const left = await three.get<{ id: number }[]>('/market/notification/list?limit=100&unread=1');
  t.equal(left.total, (all.total ?? 0) - 1);
  t.match(await two.post('/market/notification/read', { ids: [first?.id] }), { status: 404, code: 1006 }, 'of another');
});
