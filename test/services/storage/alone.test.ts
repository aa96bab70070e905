import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { PaidStorage } from '../support/paid-storage.js';
import { startStorageProcess } from '../support/storage-process.js';
import { startInProcess } from '../support/storage-service.js';

/** Two storages on one data directory: the second one would clear away what is being uploaded to the first. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());

t.test('refused by name while the first one is there, and taken up at once when it was killed', async (t) => {
  const folder = t.testdir();
  const dataDir = join(folder, 'storage');
  const first = await startStorageProcess({ ...chain.service, dataDir });
  const [spool] = readdirSync(dataDir).filter((name) => name.startsWith('upload'));
  t.ok(spool, 'the folder of uploads');
  const upload = join(dataDir, spool ?? '', 'half');
  writeFileSync(upload, 'half of a file');
  const where = { endpoint: chain.node.endpoint, provider: chain.node.bob };
  await t.rejects(startInProcess(t, where, { 'data-dir': dataDir }), {
    key: 'instance_alone',
    message: /^another storage \(process \d+ on \S+\) works on this database already, and there can be one alone$/,
  });
  const own = { 'data-dir': dataDir, database: join(folder, 'own.db') };
  await t.rejects(startInProcess(t, where, own), {
    key: 'folder_taken',
    message: `the data directory ${dataDir} is that of another storage that is alive`,
  });
  t.ok(existsSync(upload), 'and neither has cleared anything away');
  first.process.kill('SIGKILL');
  await first.process.finished;
  const second = await startInProcess(t, where, { 'data-dir': dataDir });
  t.notOk(existsSync(upload), 'what a crash has left goes');
  await t.rejects(startInProcess(t, where, own), { key: 'folder_taken', message: /another storage/ });
  await second.close();
  await t.rejects(startInProcess(t, where, own), { key: 'content_other_database', message: /another database/ });
  const third = await startInProcess(t, where, { 'data-dir': dataDir });
  await third.close();
});
