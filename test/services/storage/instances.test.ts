import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { eventually } from '../../support/eventually.js';
import { emptyDatabaseFor } from '../support/databases.js';
import { startKubo } from '../support/kubo.js';
import { download, FEE, PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startStorageProcess } from '../support/storage-process.js';
import { startInProcess } from '../support/storage-service.js';

/** Several storages on one database: what one has stored all of them give out, and each file is paid once. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());
const where = { endpoint: chain.node.endpoint, provider: chain.node.bob };

async function shared(t: Test) {
  const folder = t.testdir();
  const database = (await emptyDatabaseFor(join(folder, 'shared'))) ?? join(folder, 'shared.db');
  return { folder, database, of: (name: string) => ({ 'data-dir': join(folder, name), database }) };
}

t.test('a folder of blocks for all of them', async (t) => {
  const { folder, of } = await shared(t);
  const blocks = join(folder, 'blocks');
  const [first, second] = [
    await startInProcess(t, where, { ...of('first'), blocks }),
    await startInProcess(t, where, { ...of('second'), blocks }),
  ];
  const metrics = await (await fetch(`${second.url}/metrics`)).text();
  t.match(metrics, /^trustnode_service_instances\{service="storage"\} 2$/m);
  const before = await chain.balance();
  const { form, data } = await chain.request('asked for at both');
  const answers = await Promise.all([first, second].map(({ url }) => post(`${url}/store`, formOf(form, data))));
  t.match(answers[0], { code: 200 });
  t.same(answers[1], answers[0], 'the same request is one payment');
  t.equal(await chain.balance(), before - FEE);
  for (const { url } of [first, second]) t.equal(await download(url, answers[0]?.data?.cid ?? ''), 'asked for at both');
  await t.rejects(startInProcess(t, where, of('third')), {
    key: 'instance_disagrees',
    message: /with the folder of blocks [0-9a-f]{16}, and this one would with the folder of blocks [0-9a-f]{16}$/,
  });
});

t.test('what one was killed at another one brings to its end', async (t) => {
  const { folder, database, of } = await shared(t);
  const blocks = join(folder, 'blocks');
  const other = await startInProcess(t, where, { ...of('other'), blocks, lease: '2' });
  for (const [crashPoint, isPromised] of [
    ['content_pinned', false],
    ['payment_ready', true],
    ['payment_signed', true],
    ['payment_taken', true],
  ] as const) {
    const wanted = { ...chain.service, dataDir: join(folder, crashPoint), database, crashPoint };
    const armed = await startStorageProcess(wanted, '--blocks', blocks);
    const before = await chain.balance();
    const { form, data } = await chain.request(`left at ${crashPoint}`);
    await t.rejects(post(`${armed.url}/store`, formOf(form, data)), 'no answer comes');
    t.match(await armed.process.finished, { signal: 'SIGKILL' });
    // Nobody asks again: what was promised is paid all the same.
    const isPaid = async () => (await chain.balance()) === before - FEE;
    if (isPromised) await eventually(`${crashPoint}: another one pays`, isPaid, 400);
    const again = await post(`${other.url}/store`, formOf(form, data));
    t.match(again, { code: 200 }, crashPoint);
    t.equal(await download(other.url, again.data?.cid ?? ''), `left at ${crashPoint}`);
    t.equal(await chain.balance(), before - FEE, `${crashPoint}: once`);
  }
});

t.test('an IPFS node for all of them, and a folder of blocks for each', async (t) => {
  const { of } = await shared(t);
  const [kubo, another] = [await startKubo(t), await startKubo(t)];
  const ipfs = { 'ipfs-api': kubo.url };
  const [first, second] = [
    await startInProcess(t, where, { ...of('first'), ...ipfs }),
    await startInProcess(t, where, { ...of('second'), ...ipfs }),
  ];
  // New to a node that remembers.
  const salt = String(Date.now());
  const large = Buffer.alloc(600_000, salt);
  const { form } = await chain.requestFor(large);
  const stored = await post(`${first.url}/store`, formOf(form, large));
  const cid = stored.data?.cid ?? '';
  const response = await fetch(`${second.url}/data/${cid}`);
  t.ok(Buffer.from(await response.arrayBuffer()).equals(large), 'at once from the other one');
  const car = await fetch(`${second.url}/ipfs/${cid}?format=car`);
  t.ok((await car.arrayBuffer()).byteLength > large.length, 'as blocks, too');
  const folder = join(first.dataDir, 'blocks');
  for (const name of readdirSync(folder).filter((one) => one.length === 2))
    rmSync(join(folder, name), { recursive: true });
  t.equal((await fetch(`${first.url}/data/${cid}`)).status, 200, 'what the own folder has lost is there as well');
  kubo.isAway = true;
  const missed = await chain.request(`by one that ends ${salt}`);
  const later = await post(`${first.url}/store`, formOf(missed.form, missed.data));
  await first.close();
  kubo.isAway = false;
  await eventually('left to who has it', () =>
    second.log.texts('info').some((text) => /not in this folder/.test(text)),
  );
  t.equal((await fetch(`${second.url}/data/${later.data?.cid}`)).status, 503, 'nobody can give it out now');
  await startInProcess(t, where, { ...of('first'), ...ipfs });
  t.equal(
    await download(second.url, later.data?.cid ?? ''),
    `by one that ends ${salt}`,
    'back, with what it has stored',
  );
  t.same(second.log.texts('error'), []);

  // What the node answers in place of a block is not believed; a real one lies to nobody.
  if (process.env.TRUSTNODE_TEST_IPFS_API !== undefined) return;
  kubo.lies = true;
  t.equal((await fetch(`${second.url}/data/${cid}`)).status, 503);
  kubo.lies = false;

  for (const line of [of('third'), { ...of('third'), 'ipfs-api': another.url }]) {
    await t.rejects(startInProcess(t, where, line), {
      key: 'instance_disagrees',
      message: /with the folder of blocks [0-9a-f]{16} and IPFS node \w+, and this one would with/,
    });
  }
});

t.test('a data directory is of one alone', async (t) => {
  const { folder } = await shared(t);
  const dataDir = join(folder, 'storage');
  const first = await startStorageProcess({ ...chain.service, dataDir });
  const upload = join(dataDir, 'uploads', 'half');
  mkdirSync(join(dataDir, 'uploads'), { recursive: true });
  writeFileSync(upload, 'half of a file');
  const own = { 'data-dir': dataDir, database: join(folder, 'own.db') };
  for (const line of [{ 'data-dir': dataDir }, own]) {
    await t.rejects(startInProcess(t, where, line), {
      key: 'folder_taken',
      message: `the data directory ${dataDir} is that of another storage that is alive`,
    });
  }
  t.ok(existsSync(upload), 'and neither has cleared anything away');
  first.process.kill('SIGKILL');
  await first.process.finished;
  const second = await startInProcess(t, where, { 'data-dir': dataDir });
  t.notOk(existsSync(upload), 'what a crash has left goes');
  await second.close();
  await t.rejects(startInProcess(t, where, own), { key: 'content_other_database', message: /another database/ });
  const third = await startInProcess(t, where, { 'data-dir': dataDir });
  await third.close();
});
