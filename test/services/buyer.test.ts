import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import t, { type Test } from 'tap';
import type { Json } from '../../src/codec/json.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { BUYER_ERRORS, Buyer, type BuyerOptions, type Product } from '../../src/trade/buyer.js';
import { writeJson } from '../../src/trade/json.js';
import { sealPacket } from '../../src/trade/packets.js';
import { refusedLater } from '../support/refused.js';
import { replace } from '../support/replaced.js';

/** What a buyer makes of exchanges that are away for a while, and of sources that deliver what nobody can read. */

const buyerKey = PrivateKey.fromSeed('buyer');
const sellerKey = PrivateKey.fromSeed('seller');
const NONCE = '459573139542560';
const ID = 'ab'.repeat(32);
const NOW_MS = 1_790_000_000_000;
const HOUR_MS = 3_600_000;

type Answer = (response: ServerResponse) => void;

const json =
  (value: Json, status = 200): Answer =>
  (response) =>
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(writeJson(value));

/** Gives one answer after another; the last one again and again. */
async function exchangeWith(
  t: Test,
  answers: readonly [Answer, ...Answer[]],
  options: Partial<BuyerOptions> = {},
  bodies: string[] = [],
): Promise<Buyer> {
  const left = [...answers];
  const server = createServer(async (request, response) => {
    bodies.push(await text(request));
    const answer = left.length > 1 ? left.shift() : left[0];
    answer?.(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const exchange = `http://127.0.0.1:${port}`;
  return new Buyer({ exchange, account: 17, key: buyerKey, ...options });
}

const leg = (source: number, data: string): Json => ({
  status: 'SUCCESS',
  comment: '',
  datasource: `1.2.${source}`,
  datasourcePublicKey: publicKeyToText(sellerKey.publicKey, 'GXC'),
  nonce: NONCE,
  data,
  txid: '1'.repeat(40),
});

const finished = (...datasources: Json[]): Answer =>
  json({ status: 'FINISHED', total: datasources.length, datasources });
const honest = leg(18, sealPacket(sellerKey, buyerKey.publicKey, NONCE, '{"name":"Iron"}'));

t.test('a source that delivers what cannot be read, beside one that is honest', async (t) => {
  const others = [
    leg(19, 'ab'.repeat(32)),
    leg(20, sealPacket(sellerKey, buyerKey.publicKey, NONCE, 'no JSON')),
    leg(21, 'ab'),
  ];
  const buyer = await exchangeWith(t, [finished(...others, honest)]);
  const { deliveries } = await buyer.result(ID);
  t.same(deliveries.at(-1)?.data, { name: 'Iron' });
  for (const { status, txid, data, comment } of deliveries.slice(0, -1)) {
    t.match({ status, txid }, { status: 'SUCCESS', txid: /^1{40}$/ }, 'it was paid');
    t.equal(data, undefined);
    t.match(comment, /^what it has delivered cannot be read: ./);
  }
});

t.test('what is delivered is compared with what the product describes, and handed out all the same', async (t) => {
  const output = {
    name: { type: 'string' },
    mass: { type: 'number' },
    note: { type: 'string', required: false },
    odd: 5,
  };
  const sealed = (value: Json): string => sealPacket(sellerKey, buyerKey.publicKey, NONCE, writeJson(value));
  const found: readonly [Json, readonly string[]][] = [
    [{ name: 'Iron', mass: 55.8, odd: [1], more: 1 }, []],
    [{ name: 26, odd: 1, note: false }, ['name has to be a text', 'mass is missing', 'note has to be a text']],
    [{ name: null, mass: 2n ** 70n, odd: null }, ['name is missing', 'odd is missing']],
    [['Iron'], ['it has to have name, mass, note, odd']],
    [null, ['it has to have name, mass, note, odd']],
  ];
  const buyer = await exchangeWith(t, [finished(...found.map(([value], i) => leg(20 + i, sealed(value))))]);
  const { deliveries } = await buyer.wait(ID, 0, { output });
  t.same(
    deliveries.map(({ data, warnings }) => [data, warnings]),
    found,
  );
  const unknown = await buyer.result(ID);
  t.ok(
    unknown.deliveries.every(({ warnings }) => warnings.length === 0),
    'where nobody knows the product',
  );
  for (const none of [{}, undefined])
    t.same((await buyer.result(ID, none && { output: none })).deliveries[1]?.warnings, []);
});

const passing: readonly [string, Answer][] = [
  ['hangs up', (response) => void response.destroy()],
  ['is behind a proxy that knows nothing', (response) => response.writeHead(502).end('<html>Bad Gateway</html>')],
  ['has a database that is locked', json({ code: 'UNKNOWN_ERROR', message: 'locked' }, 500)],
  ['has too much to do', json({ code: 'RATE_LIMITED', message: 'later' }, 429)],
];

const PRODUCT: Product = {
  id: 1,
  name: 'Elements',
  about: '',
  version: 1,
  price: { units: 5n, asset: 1 },
  input: {},
  output: {},
  exchange: { account: 16, percent: 0 },
  online: [{ account: 18, key: sellerKey.publicKey }],
};

t.test(
  'an exchange whose answer to a request gets lost is asked again for the same one, which is paid once',
  async (t) => {
    for (const [what, answer] of passing) {
      const bodies: string[] = [];
      const buyer = await exchangeWith(t, [answer, answer, json({ request_id: ID })], {}, bodies);
      t.equal(await buyer.ask(PRODUCT, { symbol: 'Fe' }), ID, what);
      t.equal(bodies.length, 3);
      t.equal(new Set(bodies).size, 1, 'the same authorizations');
      const away = await exchangeWith(t, [answer]);
      const why =
        what === 'has too much to do'
          ? /^the exchange refuses: RATE_LIMITED/
          : /has taken the request is not known, and it may be paid/;
      await t.rejects(away.ask(PRODUCT, {}, { patienceMs: 0 }), { message: why }, what);
    }
    const poor = await exchangeWith(t, [
      passing[0]?.[1] as Answer,
      json({ code: 'BALANCE_NOT_ENOUGH', message: '5' }, 400),
    ]);
    await t.rejects(poor.ask(PRODUCT, {}), { message: 'the exchange refuses: BALANCE_NOT_ENOUGH: 5' });
  },
);

t.test('who asks the same twice in one millisecond asks twice', async (t) => {
  const bodies: string[] = [];
  const buyer = await exchangeWith(t, [json({ request_id: ID })], { now: () => NOW_MS }, bodies);
  await Promise.all([1, 2, 3].map(() => buyer.ask(PRODUCT, { symbol: 'Fe' })));
  const signatures = bodies.map((body) => /"signatures":\["(\w+)"\]/.exec(body)?.[1]);
  t.equal(new Set(signatures).size, 3, 'by three authorizations');

  const times = [NOW_MS, NOW_MS - HOUR_MS];
  const corrected: string[] = [];
  const set = await exchangeWith(t, [json({ request_id: ID })], { now: () => times.shift() ?? 0 }, corrected);
  await set.ask(PRODUCT, {});
  await set.ask(PRODUCT, {});
  const [before, after] = corrected.map((body) => Number(/"expiration":(\d+)/.exec(body)?.[1]));
  t.equal((before ?? 0) - (after ?? 0), HOUR_MS / 1000, 'a clock that was set back is believed');
});

t.test('a clock that is off gives way to that of the exchange, and a better one does not', async (t) => {
  const laterMs = Date.now() + HOUR_MS;
  const ahead: Answer = (response) =>
    response.writeHead(200, { Date: new Date(laterMs).toUTCString() }).end(JSON.stringify({ request_id: ID }));
  const expirations = async (options: Partial<BuyerOptions>): Promise<readonly number[]> => {
    const bodies: string[] = [];
    const buyer = await exchangeWith(t, [ahead], options, bodies);
    for (const symbol of ['Fe', 'Cu']) await buyer.ask(PRODUCT, { symbol });
    return bodies.map((body) => Number(/"expiration":(\d+)/.exec(body)?.[1]));
  };
  const [before = 0, after = 0] = await expirations({});
  t.ok(after - before > HOUR_MS / 2000, 'whoever has heard of it goes by it');
  const [first, second] = await expirations({ now: () => NOW_MS });
  t.equal(first, second);
  const [own = 0, same = 0] = await expirations({ chainTimeMs: async () => Date.now() });
  t.ok(same - own < HOUR_MS / 2000, 'nor does one that the chain bears out');
  const [here = 0, there = 0] = await expirations({ chainTimeMs: async () => laterMs });
  t.ok(there - here > HOUR_MS / 2000, 'the chain may bear out the exchange');
  const neither = expirations({ chainTimeMs: async () => laterMs + HOUR_MS });
  await t.rejects(neither, { message: /by the exchange .* and by the chain .*: nothing is signed/ });
});

t.test('who buys the same again while nobody knows of the first request means that one', async (t) => {
  const [gone, busy, ended] = [passing[0]?.[1], passing[3]?.[1], json({ request_id: ID })] as [Answer, Answer, Answer];
  const foreign: Answer = (response) => response.writeHead(200).end('<html>Sign in to this network</html>');
  for (const lost of [gone, foreign, json({ hello: 1 })]) {
    const bodies: string[] = [];
    const buyer = await exchangeWith(t, [lost, busy, ended], undefined, bodies);
    const asking = { message: /has taken the request is not known, and it may be paid/ };
    const briefly = { patienceMs: 0, sources: 1 };
    await t.rejects(buyer.ask(PRODUCT, { symbol: 'Fe' }, briefly), asking);
    await t.rejects(buyer.ask(PRODUCT, { symbol: 'Fe' }, briefly), asking, 'too much to do is no answer to the first');
    t.equal(await buyer.ask({ ...PRODUCT, online: [] }, { symbol: 'Fe' }, briefly), ID, 'whoever is online now');
    t.equal(new Set(bodies).size, 1, 'the same authorizations');
    await buyer.ask(PRODUCT, { symbol: 'Fe' }, briefly);
    t.equal(new Set(bodies).size, 2, 'and then it is another purchase');
  }
  const bodies: string[] = [];
  const refusal = json({ code: 'PARAM_INVALID', message: 'too late' }, 400);
  const buyer = await exchangeWith(t, [gone, ended, refusal, ended], undefined, bodies);
  await t.rejects(buyer.ask(PRODUCT, { symbol: 'Fe' }, { patienceMs: 0 }));
  await buyer.ask(PRODUCT, { symbol: 'Cu' }, { patienceMs: 0 });
  t.equal(new Set(bodies).size, 2, 'another wish is another purchase');
  await t.rejects(buyer.ask(PRODUCT, { symbol: 'Fe' }, { patienceMs: 0 }), { message: /too late/ });
  await buyer.ask(PRODUCT, { symbol: 'Fe' }, { patienceMs: 0 });
  t.equal(new Set(bodies).size, 3, 'what the exchange refuses it does not have');
});

t.test(
  'what was asked for at a higher price, or of more sources, is not asked for again by who allows less',
  async (t) => {
    const gone = passing[0]?.[1] as Answer;
    const bodies: string[] = [];
    const buyer = await exchangeWith(t, [gone, json({ request_id: ID })], { now: () => NOW_MS }, bodies);
    const two = { ...PRODUCT, online: [18, 19].map((account) => ({ account, key: sellerKey.publicKey })) };
    await t.rejects(buyer.ask(two, {}, { patienceMs: 0, unitsMax: 10n }));
    const cheaper = { ...two, price: { units: 3n, asset: 1 } };
    for (let i = 0; i < 2; i++) {
      await t.rejects(buyer.ask(cheaper, {}, { unitsMax: 6n }), {
        message:
          'the same was asked for before and not answered: it may be paid until 2026-09-21T14:43:20.000Z and costs up to 10 of 1.3.1, and at most 6 may be spent',
      });
    }
    t.equal(bodies.length, 1, 'nothing is sent');
    t.equal(await buyer.ask(cheaper, {}, { unitsMax: 10n }), ID);
    t.equal(new Set(bodies).size, 1, 'who allows as much means that one');
  },
);

t.test('an exchange that is away while it is waited for', async (t) => {
  for (const [what, answer] of passing) {
    const buyer = await exchangeWith(t, [answer, finished(honest)]);
    t.match(await buyer.wait(ID), { isFinished: true, deliveries: [{ data: { name: 'Iron' } }] }, what);
    const away = await exchangeWith(t, [answer]);
    await t.rejects(away.wait(ID, 0), { message: new RegExp(`the request ${ID} is not known`) }, what);
  }
});

t.test('an exchange that is started again while its product is asked for', async (t) => {
  const offer = json({
    product: { productName: 'Elements', briefDesc: '', version: 1, price: { amount: 5, asset_id: '1.3.1' } },
    des: { account_id: '1.2.16', percent: 0 },
    onlineDatasources: [{ account_id: '1.2.18', publicKey: publicKeyToText(sellerKey.publicKey, 'GXC') }],
  });
  for (const [what, answer] of passing) {
    const bodies: string[] = [];
    const buyer = await exchangeWith(t, [answer, offer, json({ request_id: ID }), finished(honest)], {}, bodies);
    t.match(await buyer.buy(1, {}), { isFinished: true, deliveries: [{ data: { name: 'Iron' } }] }, what);
    t.same(bodies.slice(0, 2), ['', ''], 'nothing is signed before it is back');
    t.equal(bodies.length, 4);
    const hasty = await exchangeWith(t, [answer, offer]);
    await t.rejects(hasty.buy(1, {}, { patienceMs: 0 }), what);
  }
});

t.test('what does not pass is said at once', async (t) => {
  const unknown = await exchangeWith(t, [json({ code: 'NOT_FOUND', message: 'there is no such request' }, 404)]);
  await t.rejects(unknown.wait(ID), { message: 'the exchange refuses: NOT_FOUND: there is no such request' });
  const page = await exchangeWith(t, [(response) => response.writeHead(200).end('<html>')]);
  await t.rejects(page.product(1), { message: /answers something else than is agreed upon: it is no JSON/ });
});

t.test('an exchange that takes questions and never answers', async (t) => {
  const silent = await exchangeWith(t, [() => undefined], { timeoutMs: 50 });
  await t.rejects(silent.product(1), { message: /^the exchange at http\S+ does not answer: / });
});

t.test('a clock that is set changes nothing about how long a buyer is patient', async (t) => {
  const { now } = Date;
  let hours = 0;
  replace(t, Date, 'now', () => now() + hours * HOUR_MS);
  const later =
    (answer: Answer): Answer =>
    (response) => {
      hours++;
      answer(response);
    };
  const [[, hangsUp]] = passing as [(typeof passing)[number]];
  const waiting = await exchangeWith(t, [later(hangsUp), finished(honest)]);
  t.match(await waiting.wait(ID), { isFinished: true });
  const asking = await exchangeWith(t, [later(hangsUp), json({ request_id: ID })]);
  t.equal(await asking.ask(PRODUCT, {}), ID);
});

t.test('no more is asked for than may be spent on all sources together, and nothing of oneself', async (t) => {
  const bodies: string[] = [];
  const buyer = await exchangeWith(t, [json({ request_id: ID })], { keyOf: async () => sellerKey.publicKey }, bodies);
  const own = { account: 17, key: buyerKey.publicKey };
  const online = [own, ...[18, 19].map((account) => ({ account, key: sellerKey.publicKey }))];
  const product: Product = { ...PRODUCT, price: { units: 5n, asset: 1 }, online };
  await refusedLater(t, BUYER_ERRORS.buyer_price, buyer.ask(product, {}, { unitsMax: 9n }));
  await refusedLater(t, BUYER_ERRORS.buyer_offline, buyer.ask({ ...product, online: [own] }, {}));
  const liar = { account: 19, key: buyerKey.publicKey };
  await refusedLater(t, BUYER_ERRORS.buyer_key, buyer.ask({ ...product, online: [own, liar] }, {}));
  t.same(bodies, [], 'nothing was signed for anybody');
  t.equal(await buyer.ask(product, {}, { unitsMax: 10n }), ID);
  const sent = JSON.parse(bodies[0] ?? '') as readonly { readonly requestParams: { readonly to: string } }[];
  t.same(
    sent.map(({ requestParams }) => requestParams.to),
    ['1.2.18', '1.2.19'],
  );
  t.equal(await buyer.ask(product, {}, { sources: 1, unitsMax: 5n }), ID, 'fewer sources cost less');
});
