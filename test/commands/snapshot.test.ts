import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { SNAPSHOT } from '../../src/node/ports/snapshot-port.js';
import { stateHash } from '../../src/state/state-hash.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { projectPath } from '../support/paths.js';
import { rpcCall } from '../support/rpc-call.js';
import { runTrustnode } from '../support/run-trustnode.js';

/** A snapshot on its way from one node to another, as people carry it. */

interface Snapshots {
  readonly folder: string;
  /** The same one, as a folder and packed. */
  readonly path: string;
  readonly file: string;
  readonly here: readonly string[];
}

/** Its blocks do not lead from the beginning to a state: the one that it has is all there is. */
async function survivesKills(t: Test, data: string, snapshot: string, state: string): Promise<void> {
  const restored = (point: string) =>
    runTrustnode(['snapshot', 'restore', snapshot, '--replace', '--data-dir', data], '', {
      TRUSTNODE_CRASH_POINT: point,
    });
  for (const point of ['state_set_aside', 'state_replaced']) {
    t.match(await restored(point), { code: null, stdout: '', stderr: '' }, point);
    t.equal((await runTrustnode(['state-hash', '--data-dir', data])).stdout, state, point);
    const left = readdirSync(join(data, 'blockchain')).filter((name) => name.startsWith('object_database'));
    t.same(left, ['object_database'], point);
  }
  t.match(await restored('state_set_aside'), { code: null });
  t.match(await restored('state_set_aside'), { code: null }, 'a second one takes the former one back first');
  t.equal((await runTrustnode(['state-hash', '--data-dir', data])).stdout, state);
}

async function refusesOtherChain(t: Test, { folder, path, file }: Snapshots): Promise<void> {
  const genesis = projectPath('test', 'vectors', 'golden', 'main', 'genesis.json');
  const elsewhere = ['--data-dir', join(folder, 'three'), '--genesis-json', genesis];
  t.match(await runTrustnode(['snapshot', 'verify', file, ...elsewhere]), { code: 1, stderr: 'is of chain' });
  t.match(await runTrustnode(['snapshot', 'verify', path, ...elsewhere]), { code: 1, stderr: 'chain' });
}

async function refusesDamaged(t: Test, { folder, path, file, here }: Snapshots): Promise<void> {
  const bytes = readFileSync(file);
  const cut = join(folder, 'cut');
  writeFileSync(cut, bytes.subarray(0, bytes.length - 100));
  t.match(await runTrustnode(['snapshot', 'verify', cut, ...here]), {
    code: 1,
    stderr: `the snapshot ${cut} is damaged`,
  });
  writeFileSync(cut, 'something else');
  t.match(await runTrustnode(['snapshot', 'verify', cut, ...here]), { code: 1, stderr: cut });
  const damaged = join(folder, 'damaged');
  cpSync(path, damaged, { recursive: true });
  for (const name of readdirSync(damaged).filter((one) => /\.(ldb|log)$/.test(one))) {
    const content = readFileSync(join(damaged, name));
    for (let at = 200; at < content.length; at += 997) content[at] = (content[at] ?? 0) ^ 0x55;
    writeFileSync(join(damaged, name), content);
  }
  t.equal((await runTrustnode(['snapshot', 'verify', damaged, ...here])).code, 1);
}

/** Two nodes with one folder would take each other their snapshots away. */
async function refusesNeighbour(t: Test, folder: string, snapshots: string): Promise<void> {
  const neighbour = startDevNode(folder, { 'state-snapshots-dir': snapshots });
  neighbour.then(({ node }) => node.stop()).catch(() => undefined);
  await t.rejects(neighbour, /is where another node that is running keeps its snapshots/);
}

t.test('list, verify, pack, restore, and go on', async (t) => {
  const folder = t.testdir();
  const snapshots = join(folder, 'snapshots');
  const unfinished = join(snapshots, 'object_database.tmp');
  mkdirSync(unfinished, { recursive: true });
  const dev = await startDevNode(join(folder, 'one'), {
    'state-snapshots-dir': snapshots,
    'state-snapshot-every': '7',
    'state-snapshot-keep': '1',
  });
  t.notOk(existsSync(unfinished), 'of a node that was killed while it made one');
  mkdirSync(unfinished);
  await refusesNeighbour(t, join(folder, 'neighbour'), snapshots);
  t.ok(existsSync(unfinished), 'what the first one is making');
  dev.clock.advance(30_000);
  const answer = await rpcCall<{ head_block_num: number }>(dev.node.endpoints.plain, 'create_snapshot', []);
  t.equal(answer.head_block_num, dev.node.chain.queries.head.irreversible, 'of what nobody can undo');
  const made = () => dev.log.entries.filter(({ text }) => text === 'snapshot written').length;
  const before = made();
  dev.clock.advance(21_000);
  await eventually('one is made by itself', () => made() > before);
  dev.clock.advance(15_000);
  const data = join(folder, 'one', 'data');
  const hash = dev.node.chain.snapshots.withHeadState(stateHash);
  const { head } = dev.node.chain.queries;
  // Before the snapshot is looked at, so that any file will do.
  const running = await runTrustnode([
    'snapshot',
    'restore',
    join(data, 'config.ini'),
    '--replace',
    '--data-dir',
    data,
  ]);
  t.match(running, { code: 1, stdout: '', stderr: 'storage_in_use' }, 'nobody takes the state of a node that runs');
  await dev.node.stop();

  const here = ['--data-dir', data];
  const path = join(snapshots, readdirSync(snapshots).find((name) => SNAPSHOT.test(name)) as string);
  const listed = JSON.parse((await runTrustnode(['snapshot', 'list', snapshots])).stdout);
  t.match(listed, { path, kind: 'folder', block_id: path.slice(-40) });
  const verified = await runTrustnode(['snapshot', 'verify', path, ...here]);
  t.equal(verified.code, 0, verified.stderr);
  const [snapshotHash = ''] = verified.stdout.split(' ');
  t.equal(verified.stdout, `${snapshotHash} block ${listed.block} ${listed.block_id}\n`);
  const file = join(folder, 'packed');
  const packed = await runTrustnode(['snapshot', 'pack', path, file, ...here]);
  t.equal(packed.stdout, verified.stdout, packed.stderr);
  t.equal((await runTrustnode(['snapshot', 'verify', file, ...here])).stdout, verified.stdout);
  t.match(JSON.parse((await runTrustnode(['snapshot', 'list', folder])).stdout), {
    kind: 'packed',
    block: listed.block,
    state_hash: snapshotHash,
  });

  for (const one of [path, file]) {
    const { stdout } = await runTrustnode(['snapshot', 'list', one]);
    t.match(JSON.parse(stdout), { path: one, block: listed.block }, 'one by itself');
  }
  const wrong = await runTrustnode(['snapshot', 'list', join(data, 'genesis.json')]);
  t.match(wrong, { code: 1, stdout: '', stderr: 'genesis.json' });
  t.notMatch(wrong.stderr, /ENOTDIR/);

  const server = createServer((_, response) => response.end(readFileSync(file)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/packed`;
  const genesis = ['--genesis-json', join(data, 'genesis.json')];
  const there = ['--data-dir', join(folder, 'two', 'data'), ...genesis];
  const blind = await runTrustnode(['snapshot', 'restore', url, ...there]);
  t.match(blind, { code: 1, stderr: 'is believed only with --state-hash' });
  const other = await runTrustnode(['snapshot', 'restore', url, '--state-hash', '00'.repeat(32), ...there]);
  t.match(other, { code: 1, stderr: `has the state hash ${snapshotHash}, and given is 0000` });
  const bare = await runTrustnode(['snapshot', 'restore', path, ...there]);
  t.match(bare, { code: 1, stderr: /snapshot_block_missing.*\n.*trustnode snapshot pack/ });
  t.notOk(existsSync(join(folder, 'two')), 'what is refused leaves nothing behind');
  const restored = await runTrustnode(['snapshot', 'restore', url, '--state-hash', snapshotHash, ...there]);
  t.equal(restored.stdout, verified.stdout, restored.stderr);
  t.match(await runTrustnode(['snapshot', 'restore', file, ...there]), { code: 1, stderr: 'has a state already' });
  const blocks = join(folder, 'blocks');
  await runTrustnode(['export-blocks', blocks, '--from', String(listed.block + 1), ...here]);
  const imported = await runTrustnode(['import-blocks', blocks, '--data-dir', join(folder, 'two', 'data')]);
  t.equal(imported.code, 0, imported.stderr);
  const state = await runTrustnode(['state-hash', '--data-dir', join(folder, 'two', 'data')]);
  t.equal(state.stdout, `${hash} block ${head.number} ${head.id}\n`, 'the same state in the end');

  const left = join(data, 'blockchain', 'object_database.tmp');
  mkdirSync(left);
  t.equal((await runTrustnode(['state-hash', ...here])).stdout, state.stdout);
  t.notOk(existsSync(left), 'of a restore that was killed');
  const replaced = await runTrustnode(['snapshot', 'restore', path, '--replace', ...here]);
  t.equal(replaced.stdout, verified.stdout, replaced.stderr);
  t.equal((await runTrustnode(['state-hash', ...here])).stdout, state.stdout, 'its own blocks lead on');
  await survivesKills(t, join(folder, 'two', 'data'), file, state.stdout);

  await refusesDamaged(t, { folder, path, file, here });
  await refusesOtherChain(t, { folder, path, file, here });
});

t.test('a folder or file that is not there is named, and nothing is made', async (t) => {
  const folder = t.testdir();
  const absent = join(folder, 'absent');
  const to = join(folder, 'packed');
  const genesis = ['--genesis-json', projectPath('test', 'vectors', 'golden', 'main', 'genesis.json')];
  const data = ['--data-dir', join(folder, 'data'), ...genesis];
  for (const line of [
    ['verify', absent],
    ['pack', absent, to],
    ['restore', absent],
  ]) {
    const refused = await runTrustnode(['snapshot', ...line, ...data]);
    t.match(refused, { code: 1, stderr: `${absent}: there is no such file or folder` }, line.join(' '));
  }
  const empty = join(folder, 'empty');
  mkdirSync(empty);
  for (const line of [
    ['verify', empty],
    ['pack', empty, to],
  ]) {
    const refused = await runTrustnode(['snapshot', ...line, ...data]);
    t.match(refused, { code: 1, stderr: `${empty} holds no state` }, line.join(' '));
  }
  t.same(readdirSync(folder), ['empty']);
});
