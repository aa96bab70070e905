import { join } from 'node:path';
import t, { type Test } from 'tap';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { accountId } from '../../../src/protocol/ids.js';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import { Buyer } from '../../../src/trade/buyer.js';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer } from '../support/buyers.js';
import { Wire } from '../support/cut-off.js';
import { placeOf, placeWords } from '../support/databases.js';
import { type ServiceProcess, startService } from '../support/des-process.js';
import { DesWorld, PRICE, sell } from '../support/des-world.js';
import { keptIn } from '../support/kept-files.js';
import type { SourceServer } from '../support/source-server.js';

/** E20, E21, E22: an exchange that is killed between its steps, and a node that is away: one charge, and data for it. */

const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['seller-one'])) as [SourceServer];

/** More than the exchange wants at least, by what a slow machine takes. */
const LIFETIME_SEC = 90;

interface Shop {
  readonly dataDir: string;
  start(more?: { readonly crashPoint?: string; readonly node?: string }): Promise<ServiceProcess>;
  /** The source, for that exchange. */
  there(url: string): Promise<void>;
  buy(url: string): Promise<string>;
}

async function shop(t: Test): Promise<Shop> {
  const dataDir = join(t.testdir(), 'exchange');
  const db = await openExchangeDatabase(await placeOf(dataDir));
  t.teardown(() => db.destroy());
  await sell(db, { id: 1, members: [one] });
  const times = ['--lease', '3600', '--source-timeout', '60', '--connect-timeout', '30', '--clock-skew', '60000'];
  return {
    dataDir,
    start: async ({ crashPoint, node = world.node.endpoint } = {}) => {
      const wanted = { service: 'des', variable: 'TRUSTNODE_DES_KEY', account: world.bob.id, wif: world.bob.wif };
      const point = crashPoint === undefined ? {} : { crashPoint };
      const more = [...times, ...(await placeWords(dataDir)), '--private-sources'];
      return startService({ ...wanted, ...point, node: `http://${node}` }, ...more);
    },
    there: (url) => world.isThere({ url, db }, one, [1]),
    buy: async (url) => {
      await world.isThere({ url, db }, one, [1]);
      const buyer = new NodeBuyer(url, world.alice);
      const elements = buyer.elements(await buyer.product(1), { name: 'x' });
      const created = await buyer.create(1, elements).catch(() => undefined);
      if (created !== undefined) return (created.body as { request_id: string }).request_id;
      // It was killed before it could answer: the request is there, as the same one again would find.
      const { request_id } = await db.selectFrom('des_request').select('request_id').executeTakeFirstOrThrow();
      return request_id;
    },
  };
}

async function paidOnce(t: Test, url: string, id: string, before: bigint): Promise<void> {
  const buyer = new NodeBuyer(url, world.alice);
  const result = await buyer.result(id, 300_000);
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS', txid: /^[0-9a-f]{40}$/ }] });
  t.same(buyer.decrypt(result.datasources[0] as (typeof result.datasources)[number]), { echo: { name: 'x' } });
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE), 'paid once');
}

for (const crashPoint of [
  'leg_stored',
  'leg_asked',
  'leg_answered',
  'content_pinned',
  'payment_ready',
  'payment_signed',
  'payment_taken',
] as const) {
  t.test(`killed at ${crashPoint}`, async (t) => {
    const { start, buy } = await shop(t);
    const before = await world.balance(world.alice.id);
    const armed = await start({ crashPoint });
    const id = await buy(armed.url);
    t.match(await armed.process.finished, { signal: 'SIGKILL' });
    const next = await start();
    await paidOnce(t, next.url, id, before);
    t.equal(await next.stop(), 0, 'an orderly end');
  });
}

t.test('E21: an authorization that ends while nobody works on it', async (t) => {
  const { start, dataDir, there } = await shop(t);
  const before = await world.balance(world.alice.id);
  const armed = await start({ crashPoint: 'payment_ready' });
  await there(armed.url);
  const own = { account: accountId.fromJson(world.alice.id), key: PrivateKey.fromWif(world.alice.wif) };
  const buyer = new Buyer({ exchange: armed.url, ...own });
  const beganSec = await world.headTime();
  const id = await buyer.ask(await buyer.product(1), { name: 'x' }, { lifetimeSec: LIFETIME_SEC });
  t.match(await armed.process.finished, { signal: 'SIGKILL' });
  const kept = () => keptIn(join(dataDir, 'blocks')).length;
  t.ok(kept() > 0, 'what the source has answered is stored');
  const ended = beganSec + LIFETIME_SEC;
  await eventually('the end of the authorization', async () => (await world.headTime()) > ended, 200);
  const next = await start();
  const { deliveries } = await new Buyer({ exchange: next.url, ...own }).wait(id, 300_000);
  const [{ status, comment, data, txid } = {}] = deliveries;
  t.match({ status, comment }, { status: 'FAIL', comment: 'AUTHORIZATION_EXPIRED' });
  t.same([data, txid], [undefined, undefined], 'nothing of it is shown');
  t.equal(await world.balance(world.alice.id), before, 'nothing is paid');
  t.equal(await next.stop(), 0);
  const db = await openExchangeDatabase(await placeOf(dataDir));
  t.teardown(() => db.destroy());
  t.same(await db.selectFrom('content_pin').selectAll().execute(), [], 'nothing is pinned');
});

t.test('E22: a node that goes away when the payment is sent', async (t) => {
  const wire = await Wire.to(world.node.endpoint);
  t.teardown(() => wire.close());
  const { start, buy } = await shop(t);
  const before = await world.balance(world.alice.id);
  const running = await start({ node: wire.endpoint });
  let left = 3;
  wire.loses = (text) => (text.includes('broadcast_transaction') && left-- > 0 ? 'answer' : undefined);
  await paidOnce(t, running.url, await buy(running.url), before);
  t.equal(await running.stop(), 0);
});

t.test('two of them on one database', async (t) => {
  const { start, buy } = await shop(t);
  const both = [await start(), await start()] as const;
  const before = await world.balance(world.alice.id);
  const ids = [await buy(both[0].url), await buy(both[1].url)];
  for (const [i, id] of ids.entries()) {
    // Each tells of what the other one has done.
    const result = await new NodeBuyer(both[1 - i]?.url ?? '', world.alice).result(id, 300_000);
    t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS' }] });
  }
  t.equal(before - (await world.balance(world.alice.id)), BigInt(2 * PRICE));
  t.same(await eventually('their end', () => Promise.all(both.map((one) => one.stop()))), [0, 0]);
});
