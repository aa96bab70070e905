import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decode } from '@ipld/dag-pb';
import { UnixFS } from 'ipfs-unixfs';
import t from 'tap';
import { openStorageDatabase } from '../../../src/services/storage/storage.js';
import { eventually } from '../../support/eventually.js';
import { Wire } from '../support/cut-off.js';
import { placeOf } from '../support/databases.js';
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
