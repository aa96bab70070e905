import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { decode } from '@ipld/dag-pb';
import { UnixFS } from 'ipfs-unixfs';
import { CID } from 'multiformats/cid';
import { Registry } from 'prom-client';
import t from 'tap';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { openDatabase } from '../../../src/services/common/database.js';
import { ContentStore } from '../../../src/services/content/content-store.js';
import { Handing } from '../../../src/services/content/handing.js';
import { kuboNode } from '../../../src/services/content/ipfs-node.js';
import { CONTENT_TABLES, type ContentTables } from '../../../src/services/content/tables.js';
import { openStorageDatabase } from '../../../src/services/storage/storage.js';
import { eventually } from '../../support/eventually.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { Wire } from '../support/cut-off.js';
import { emptyDatabaseFor, placeOf } from '../support/databases.js';
import { startKubo } from '../support/kubo.js';
import { PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startInProcess } from '../support/storage-service.js';

/** `--ipfs-api`: what was paid for is with an IPFS node as well, whole and pinned; nothing else is. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());
const where = { endpoint: chain.node.endpoint, provider: chain.node.bob };
/** Every run is new to a node that remembers. */
const salt = String(Date.now());

t.test('handed over block by block, also what it has missed', async (t) => {
  const kubo = await startKubo(t);
  const service = await startInProcess(t, where, { 'ipfs-api': kubo.url });
  const large = Buffer.alloc(600_000, salt);
  const { form } = await chain.requestFor(large);
  const stored = await post(`${service.url}/store`, formOf(form, large));
  t.match(stored, { code: 200 });
  const cid = stored.data?.cid ?? '';
  await eventually('it is pinned', () => kubo.isPinned(cid), 100);
  const root = decode((await kubo.block(cid)) ?? Buffer.alloc(0));
  const parts = await Promise.all(root.Links.map(({ Hash }) => kubo.block(String(Hash))));
  const bytes = parts.map((part) => UnixFS.unmarshal(decode(part ?? Buffer.alloc(0)).Data ?? Buffer.alloc(0)).data);
  t.ok(Buffer.concat(bytes.map((one) => one ?? Buffer.alloc(0))).equals(large), 'it has all of it');
  const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
  await eventually(
    'it is counted',
    async () => (await metrics()).includes('trustnode_ipfs_contents{state="pinned"} 1'),
    100,
  );

  kubo.isAway = true;
  const missed = await chain.request(`missed ${salt}`);
  const later = await post(`${service.url}/store`, formOf(missed.form, missed.data));
  t.match(later, { code: 200 }, 'nobody waits for it');
  await eventually(
    'it says so',
    async () => /does not take contents/.test(await (await fetch(`${service.url}/readyz`)).text()),
    100,
  );
  t.match(await metrics(), /trustnode_ipfs_contents\{state="waiting"\} 1/);
  kubo.isAway = false;
  await eventually('it has got it', () => kubo.isPinned(later.data?.cid ?? ''), 100);
  await eventually(
    'it says so',
    async () => !/does not take contents/.test(await (await fetch(`${service.url}/readyz`)).text()),
    100,
  );
});

t.test('not before it is paid', async (t) => {
  const kubo = await startKubo(t);
  const wire = await Wire.to(chain.node.endpoint);
  t.teardown(() => wire.close());
  const service = await startInProcess(t, { ...where, endpoint: wire.endpoint }, { 'ipfs-api': kubo.url });
  wire.loses = (text) => (text.includes('broadcast_transaction') ? 'request' : undefined);
  const { form, data } = await chain.request(`unpaid ${salt}`);
  const waiting = await post(`${service.url}/store`, formOf(form, data));
  t.match(waiting, { code: 409 });
  const db = await openStorageDatabase(await placeOf(service.dataDir));
  t.teardown(() => db.destroy());
  const { root: cid } = await db.selectFrom('content_root').select('root').executeTakeFirstOrThrow();
  t.equal(await kubo.block(cid), undefined, 'ten seconds later it has not a block of it');
  wire.loses = () => undefined;
  await eventually('it is paid, and pinned', () => kubo.isPinned(cid), 100);
  // What nobody keeps any more is taken back.
  for (const table of ['content_pin', 'content_block', 'content_root'] as const) {
    await db.deleteFrom(table).where('root', '=', cid).execute();
  }
  await eventually('it is not pinned any more', async () => !(await kubo.isPinned(cid)), 100);
});

t.test('what could not be read is looked at again, and what was stored once more', async (t) => {
  const kubo = await startKubo(t);
  const folder = t.testdir();
  const file = join(folder, 'content.db');
  const db = await openDatabase<ContentTables>((await emptyDatabaseFor(file)) ?? file, [CONTENT_TABLES]);
  t.teardown(() => db.destroy());
  const content = new ContentStore(join(folder, 'blocks'), db, systemClock);
  const bytes = Buffer.from(`unreadable ${salt}`);
  const store = (owner: string) => content.add(Readable.from([bytes]), owner);
  const { cid } = await store('one');
  await content.release('one');
  const name = Buffer.from(CID.parse(cid).multihash.digest).toString('hex');
  const path = join(folder, 'blocks', name.slice(0, 2), name);
  // A folder in its place: no damage, and not a missing file.
  rmSync(path);
  mkdirSync(path);
  const [log, clock] = [new MemoryLog(), new FakeClock()];
  const node = await kuboNode(kubo.url);
  const handing = new Handing({ db, content, node, registry: new Registry(), clock, log });
  handing.start();
  t.teardown(() => handing.stop());
  const told = () => log.texts('error').length;
  await eventually('the log knows', () => told() === 1);
  const round = () => eventually('a round is over', () => clock.timers > 0);
  await round();
  rmSync(path, { recursive: true });
  await store('two');
  clock.advance(1000);
  await round();
  t.notOk(await kubo.isPinned(cid), 'not at once');
  clock.advance(60_000);
  await eventually('it is pinned', () => kubo.isPinned(cid));
  t.equal(told(), 1);
});

t.test('what is damaged here keeps nothing else back', async (t) => {
  const kubo = await startKubo(t);
  const service = await startInProcess(t, where);
  const first = await chain.request(`damaged ${salt}`);
  const damaged = await post(`${service.url}/store`, formOf(first.form, first.data));
  const folder = join(service.dataDir, 'blocks');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => one.includes('/'))) {
    writeFileSync(join(folder, name), 'damaged');
  }
  const second = await chain.request(`whole ${salt}`);
  const whole = await post(`${service.url}/store`, formOf(second.form, second.data));
  await service.close();
  const other = await startInProcess(t, where, { 'data-dir': service.dataDir, 'ipfs-api': kubo.url });
  await eventually('the other one is pinned', () => kubo.isPinned(whole.data?.cid ?? ''), 100);
  t.equal(await kubo.isPinned(damaged.data?.cid ?? ''), false);
  await eventually('the log knows', () =>
    other.log.texts('error').includes('a content cannot be handed to the IPFS node'),
  );
});
