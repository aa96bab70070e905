import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer, type Result } from '../support/buyers.js';
import { DesWorld, sell } from '../support/des-world.js';
import type { SourceServer } from '../support/source-server.js';

/** E24: buyers get nothing before the release point. E5: who sends no heartbeats is away after fifty seconds. */

const PATIENT = { 'source-timeout': '60', 'connect-timeout': '30', 'clock-skew': '60000', 'looks-per-second': '0' };
const PURCHASES_MAX = 20;

const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['seller-one'])) as [SourceServer];

for (const [releaseAt, early, late] of [
  ['included', ['sent'], ['included', 'final']],
  ['final', ['sent', 'included'], ['final']],
] as const) {
  t.test(`E24: released when it is ${releaseAt}`, async (t) => {
    const exchange = await world.exchange(t, { ...PATIENT, 'release-at': releaseAt });
    const { db, url } = exchange;
    await sell(db, { id: 1, members: [one] });
    await world.isThere(exchange, one, [1]);
    const buyer = new NodeBuyer(url, world.alice);
    const stateOf = async (id: string): Promise<string> => {
      const found = await db
        .selectFrom('payment')
        .innerJoin('des_leg', 'des_leg.signature', 'payment.signature')
        .select('state')
        .where('request_id', '=', id)
        .executeTakeFirst();
      return found?.state ?? '';
    };
    const seenEarly = new Set<string>();
    // A block may come so soon that nobody sees the states before it.
    for (let n = 0; n < PURCHASES_MAX && seenEarly.size < early.length; n++) {
      const created = await buyer.create(1, buyer.elements(await buyer.product(1), { name: `${n}` }));
      const { request_id: id } = created.body as { request_id: string };
      const last = await eventually(`the end of ${id}`, async () => {
        const before = await stateOf(id);
        const response = await fetch(`${url}/api/request/${id}`);
        if (response.status !== 200) throw new Error(await response.text());
        const result = (await response.json()) as Result;
        const after = await stateOf(id);
        if (before === after && (early as readonly string[]).includes(before)) {
          seenEarly.add(before);
          if (result.status !== 'IN_PROGRESS' || result.datasources.length > 0) t.fail(`shown at ${before}`);
        }
        return result.status === 'FINISHED' ? { result, after } : undefined;
      });
      t.ok((late as readonly string[]).includes(last.after), `shown at ${last.after}`);
      const [leg] = last.result.datasources as [Result['datasources'][number]];
      t.same(buyer.decrypt(leg), { echo: { name: `${n}` } });
    }
    t.same([...seenEarly].sort(), [...early].sort(), 'nothing was shown then');
  });
}

t.test('E5: a heartbeat is good for fifty seconds', async (t) => {
  const { db, url, clock } = await world.exchange(t, PATIENT);
  // Time stands still but where it is moved.
  const nowMs = Date.now();
  let movedMs = 0;
  clock.nowMs = () => nowMs + movedMs;
  await sell(db, { id: 1, members: [one] });
  t.match(await one.heartbeat(url, [1]), { status: 200, body: { account: one.id, products: [1] } });
  const buyer = new NodeBuyer(url, world.alice);
  const online = async (): Promise<number> => (await buyer.product(1)).onlineDatasources.length;
  movedMs = 49_000;
  t.equal(await online(), 1, 'after 49 seconds');
  movedMs = 51_000;
  t.equal(await online(), 0, 'after 51 seconds');
  t.match(await buyer.create(1, []), { body: { code: 'DATASOURCE_OFFLINE' } });
});
