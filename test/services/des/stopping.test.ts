import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openExchangeDatabase } from '../../../src/services/des/des.js';
import { eventually } from '../../support/eventually.js';
import { NodeBuyer } from '../support/buyers.js';
import { Wire } from '../support/cut-off.js';
import { placeOf, placeWords } from '../support/databases.js';
import { type ServiceProcess, startService } from '../support/des-process.js';
import { DesWorld, PRICE, sell } from '../support/des-world.js';
import { honest, type SourceServer } from '../support/source-server.js';

/** An exchange that is told to end while requests are open hands them over: nobody waits until its lease would be over. */

const world = await DesWorld.start(t);
const [one] = (await world.sources(t, ['stopping-seller'])) as [SourceServer];

/** Longer than any test: whoever waits for it is found. */
const LEASE_SEC = 3600;
/** A try every two seconds, for a minute, is thirty of them. */
const TRIES_LEFT = 5;

async function shop(t: Test) {
  const dataDir = join(t.testdir(), 'exchange');
  const db = await openExchangeDatabase(await placeOf(dataDir));
  t.teardown(() => db.destroy());
  await sell(db, { id: 1, members: [one] });
  const { id: account, wif } = world.bob;
  const times = [
    '--lease',
    `${LEASE_SEC}`,
    '--source-timeout',
    '60',
    '--connect-timeout',
    '30',
    '--clock-skew',
    '60000',
  ];
  const more = [...times, ...(await placeWords(dataDir)), '--private-sources'];
  const start = (node = world.node.endpoint): Promise<ServiceProcess> =>
    startService({ service: 'des', variable: 'TRUSTNODE_DES_KEY', account, wif, node: `http://${node}` }, ...more);
  const create = async (url: string): Promise<string> => {
    await world.isThere({ url, db }, one, [1]);
    const buyer = new NodeBuyer(url, world.alice);
    const created = await buyer.create(1, buyer.elements(await buyer.product(1), { name: 'x' }));
    return (created.body as { request_id: string }).request_id;
  };
  const payment = () => db.selectFrom('payment').selectAll().executeTakeFirstOrThrow();
  return { start, create, payment };
}

async function paidOnce(t: Test, url: string, id: string, before: bigint): Promise<void> {
  const buyer = new NodeBuyer(url, world.alice);
  const result = await buyer.result(id, 300_000);
  t.match(result, { status: 'FINISHED', datasources: [{ status: 'SUCCESS', txid: /^[0-9a-f]{40}$/ }] });
  t.equal(before - (await world.balance(world.alice.id)), BigInt(PRICE), 'paid once');
}

t.test('while a source is asked', async (t) => {
  const { start, create, payment } = await shop(t);
  const before = await world.balance(world.alice.id);
  const both = [await start(), await start()] as const;
  one.questions.length = 0;
  // The first question is never answered.
  one.behaviour = () => {
    one.behaviour = honest;
  };
  const id = await create(both[0].url);
  await eventually('the question', () => one.questions.length === 1);
  const { lease_owner } = await payment();
  t.equal(await both[0].stop(), 0, 'an orderly end');
  await paidOnce(t, both[1].url, id, before);
  t.equal(one.questions.length, 2, 'asked anew by the other one');
  t.not((await payment()).lease_owner, lease_owner, 'which has it now');
  t.equal(await both[1].stop(), 0);
});

t.test('while a payment waits for a node that is away', async (t) => {
  const wire = await Wire.to(world.node.endpoint);
  t.teardown(() => wire.close());
  const { start, create, payment } = await shop(t);
  const before = await world.balance(world.alice.id);
  const running = await start(wire.endpoint);
  wire.loses = (text) => (text.includes('broadcast_transaction') ? 'request' : undefined);
  const id = await create(running.url);
  const attempts = async (): Promise<number> => (await payment()).attempts;
  await eventually('a second try', async () => (await attempts()) >= 2);
  const tries = await attempts();
  t.equal(await running.stop(), 0, 'an orderly end');
  t.ok((await attempts()) < tries + TRIES_LEFT, 'it does not go on until its patience ends');
  t.match(await payment(), { state: 'signed', lease_until_ms: 0 });
  const next = await start();
  await paidOnce(t, next.url, id, before);
  t.equal(await next.stop(), 0);
});
