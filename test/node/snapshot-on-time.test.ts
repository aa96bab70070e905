import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { SNAPSHOT } from '../../src/node/ports/snapshot-port.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { rpcCall } from '../support/rpc-call.js';

/** Calls that come back when the disk has done something, however long that takes. */
const WAITING = ['fsyncSync', 'fdatasyncSync', 'renameSync', 'rmSync', 'unlinkSync', 'mkdirSync'] as const;

t.test('while a snapshot is made, an old one removed, the main thread waits for no disk', async (t) => {
  const folder = t.testdir();
  const snapshots = join(folder, 'far', 'snapshots');
  const line = { 'state-snapshots-dir': snapshots, 'state-snapshot-keep': '1' };
  const { node, clock, log } = await startDevNode(folder, line);
  const called: string[] = [];
  const before = WAITING.map((name) => [name, fs[name]] as const);
  for (const [name, work] of before) {
    const noted = (...args: unknown[]): unknown => {
      called.push(name);
      return (work as (...args: unknown[]) => unknown)(...args);
    };
    Object.assign(fs, { [name]: noted });
  }
  syncBuiltinESMExports();
  t.teardown(() => {
    Object.assign(fs, Object.fromEntries(before));
    syncBuiltinESMExports();
  });
  fs.mkdirSync(join(folder, 'seen'));
  t.same(called.splice(0), ['mkdirSync'], 'it would be seen');
  for (let i = 0; i < 2; i++) {
    clock.advance(30_000);
    called.splice(0);
    const made = await rpcCall<{ snapshot_dir: string }>(node.endpoints.plain, 'create_snapshot', []);
    t.same(called, []);
    t.same(
      fs.readdirSync(snapshots).flatMap((name) => (SNAPSHOT.test(name) ? [join(snapshots, name)] : [])),
      [made.snapshot_dir],
      'it is the only one',
    );
  }
  t.equal(log.entries.filter(({ text }) => text === 'removed an old snapshot').length, 1);
  await node.stop();
});

t.test('a node that is stopped meanwhile ends when the snapshot is whole', async (t) => {
  const folder = t.testdir();
  const snapshots = join(folder, 'snapshots');
  const { node, log } = await startDevNode(folder, { 'state-snapshots-dir': snapshots });
  // Whether the answer still goes out is another matter.
  rpcCall(node.endpoints.plain, 'create_snapshot', []).catch(() => undefined);
  await eventually('it has begun', () => fs.existsSync(join(snapshots, 'object_database.tmp')));
  await node.stop();
  t.match(fs.readdirSync(snapshots).sort(), ['folder.lock', SNAPSHOT]);
  t.same(
    log.entries.filter(({ level }) => level === 'error'),
    [],
  );
});
