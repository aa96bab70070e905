import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { runTrustnode } from '../../support/run-trustnode.js';
import { keepOnFiles } from '../support/databases.js';
import { download, PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startStorageProcess } from '../support/storage-process.js';

/** `trustnode storage backup`, `restore` and `verify`, beside a service that runs and without it. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());
const folder = t.testdir();
const dataDir = join(folder, 'storage');
const copy = join(folder, 'copy');
const elsewhere = join(folder, 'elsewhere');
keepOnFiles(dataDir, elsewhere, join(folder, 'left'));
const running = await startStorageProcess({ ...chain.service, dataDir });
const blocksIn = (where: string): string[] =>
  readdirSync(join(where, 'blocks'), { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'));
const storage = (...args: readonly string[]) => runTrustnode(['storage', ...args]);

const words = ['short', 'x'.repeat(300_000)];
const ids: string[] = [];
for (const one of words) {
  const { form, data } = await chain.request(one);
  const { data: stored } = await post(`${running.url}/store`, formOf(form, data));
  ids.push(stored?.cid ?? '');
}

t.test('a copy beside the running service, put elsewhere, is the same storage', async (t) => {
  const { code, stderr } = await storage('backup', copy, '--data-dir', dataDir);
  t.equal(code, 0, stderr);
  const blocks = blocksIn(dataDir).length;
  t.match(stderr, new RegExp(`copy has the database of .* and ${blocks} blocks; 0 could not be copied`));
  t.same(blocksIn(copy).sort(), blocksIn(dataDir).sort());
  t.same(
    readdirSync(copy).filter((name) => name.includes('unfinished')),
    [],
  );
  t.match(
    (await storage('backup', copy, '--data-dir', dataDir)).stderr,
    /there is .* already/,
    'never over another one',
  );
  const late = await chain.request('after the copy');
  const { data: later } = await post(`${running.url}/store`, formOf(late.form, late.data));
  t.equal(await running.stop(), 0);
  const back = await storage('restore', copy, '--data-dir', elsewhere);
  t.equal(back.code, 0, back.stderr);
  t.match((await storage('verify', '--data-dir', elsewhere)).stderr, /^2 contents with \d+ blocks; 0 are not/);
  t.match((await storage('restore', copy, '--data-dir', elsewhere)).stderr, /there is .* already/);
  const restored = await startStorageProcess({ ...chain.service, dataDir: elsewhere });
  for (const [i, cid] of ids.entries()) t.equal(await download(restored.url, cid), words[i]);
  t.equal(await download(restored.url, later?.cid ?? ''), undefined, 'what came later is not in it');
  // The chain knows that it was paid: the same request says so instead of paying again.
  const before = await chain.balance();
  const again = await post(`${restored.url}/store`, formOf(late.form, late.data));
  t.equal(await chain.balance(), before, `${again.msg} ${again.hint}`);
  t.equal(await restored.stop(), 0);
});

t.test('what is damaged is told, and left out', async (t) => {
  const [damaged = '', missing = ''] = blocksIn(dataDir).filter((name) => !/\.new$/.test(name));
  writeFileSync(join(dataDir, 'blocks', damaged), 'damaged');
  rmSync(join(dataDir, 'blocks', missing));
  const found = await storage('verify', '--data-dir', dataDir);
  t.equal(found.code, 1);
  t.match(found.stdout, new RegExp(`the block ${damaged.slice(3)} is damaged`));
  t.match(found.stdout, new RegExp(`the block ${missing.slice(3)} is missing`));
  t.match(found.stderr, /2 are not as they were stored/);
  const target = join(folder, 'poorer');
  const { code, stdout, stderr } = await storage('backup', target, '--data-dir', dataDir);
  t.equal(code, 1);
  t.equal(stdout.trim().split('\n').length, 2);
  t.match(stderr, /2 could not be copied/);
  t.notOk(existsSync(join(target, 'blocks', damaged)));
  const whole = blocksIn(target);
  t.ok(whole.length > 0, 'all the others are there');
  for (const name of whole) {
    t.same(readFileSync(join(target, 'blocks', name)), readFileSync(join(dataDir, 'blocks', name)));
  }
});

t.test('copies that cannot be', async (t) => {
  t.match((await storage('backup')).stderr, /the action backup needs a folder/);
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  const none = await storage('restore', empty, '--data-dir', join(folder, 'new'));
  t.equal(none.code === 0, false);
  t.match(none.stderr, /there is no such file/);
  writeFileSync(join(empty, 'storage.db'), 'no database');
  const bad = await storage('restore', empty, '--data-dir', join(folder, 'new'));
  t.equal(bad.code === 0, false);
  t.match(bad.stderr, /cannot open the database/);
  t.notOk(existsSync(join(folder, 'new', 'storage.db')));
  const left = join(folder, 'left');
  mkdirSync(left);
  // Of a database that was killed, and taken away without it.
  writeFileSync(join(left, 'storage.db-wal'), 'log');
  t.match((await storage('restore', copy, '--data-dir', left)).stderr, /there is .*storage\.db-wal already/);
  rmSync(join(left, 'storage.db-wal'));
  // Of a copy that was killed.
  for (const end of ['', '-wal', '-shm']) writeFileSync(join(left, `storage.db.unfinished${end}`), 'half');
  const again = await storage('restore', copy, '--data-dir', left);
  t.equal(again.code, 0, again.stderr);
  t.match((await storage('verify', '--data-dir', left)).stderr, /^2 contents with \d+ blocks; 0 are not/);
});
