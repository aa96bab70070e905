import { createHash } from 'node:crypto';
import fs, { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Json, parseJson } from '../../src/codec/json.js';
import { GENESIS_CHANGES, GENESIS_COPY, loadGenesis, NODE_GENESIS_ERRORS } from '../../src/node/chain/genesis.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { lineOf, startDevNode } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { projectPath } from '../support/paths.js';
import { refusedLater } from '../support/refused.js';
import { replace } from '../support/replaced.js';
import { runTrustnode } from '../support/run-trustnode.js';

/** The file beside the store that says what a private chain has made of its genesis file. */

const devGenesis = readFileSync(projectPath('genesis', 'dev.json'));
const CHANGED = { 'genesis-timestamp': '0', plugins: 'none' };

t.test('a start that is refused leaves the changes of the running chain alone', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'data', GENESIS_CHANGES);
  const first = await startDevNode(folder, CHANGED);
  const text = readFileSync(file, 'utf8');
  t.equal(
    (JSON.parse(text) as Record<string, Json>).genesis_sha256,
    createHash('sha256').update(devGenesis).digest('hex'),
  );
  for (const more of [{}, CHANGED]) {
    const second = startDevNode(folder, { plugins: 'none', ...more, 'resync-blockchain': 'true' }, new FakeClock(4e12));
    await refusedLater(t, STORAGE_ERRORS.storage_in_use, second);
    t.equal(readFileSync(file, 'utf8'), text);
  }
  await first.node.stop();
  const again = await startDevNode(folder, { plugins: 'none' }, first.clock);
  t.equal(again.node.chainId, first.node.chainId);
  await again.node.stop();
});

t.test('a run that ends while it keeps the genesis file leaves none, or all of it', async (t) => {
  const folder = t.testdir();
  const line = { 'data-dir': join(folder, 'data'), 'genesis-json': projectPath('genesis', 'dev.json') };
  const load = () => loadGenesis(loadSettings(lineOf(line)), 4e12);
  const first = load();
  const { writeFileSync: write } = fs;
  const restore = replace(t, fs, 'writeFileSync', ((to: fs.PathOrFileDescriptor, content: Uint8Array) => {
    write(to, content.subarray(0, content.length >> 1));
    throw new Error('killed');
  }) as typeof write);
  t.throws(() => first.keepCopy(), { message: 'killed' });
  restore();
  const copy = join(folder, 'data', GENESIS_COPY);
  t.notOk(existsSync(copy));
  load().keepCopy();
  t.same(readFileSync(copy), devGenesis);
  load();
});

t.test('changes go with one genesis file', async (t) => {
  const folder = t.testdir();
  const data = join(folder, 'data');
  const first = await startDevNode(folder, CHANGED);
  await first.node.stop();
  const other = join(folder, 'other.json');
  writeFileSync(other, `${devGenesis.toString('utf8')}\n`);
  const kept = readFileSync(join(data, GENESIS_COPY));
  rmSync(join(data, GENESIS_COPY));
  const args = ['start', '--data-dir', data, '--genesis-json', other, '--plugins', 'none', '--verify-threads', '0'];
  t.match((await runTrustnode(args)).stderr, /genesis_changes_differ/);
  t.match(
    (await runTrustnode(['state-hash', '--data-dir', data, '--genesis-json', other])).stderr,
    /genesis_changes_differ/,
  );
  writeFileSync(join(data, GENESIS_COPY), kept);
  const again = await startDevNode(folder, { plugins: 'none' }, first.clock);
  t.equal(again.node.chainId, first.node.chainId);
  await again.node.stop();
  // Whoever loses both files must not begin the stored chain at another time: its id would be the same.
  rmSync(join(data, GENESIS_COPY));
  rmSync(join(data, GENESIS_CHANGES));
  await refusedLater(t, NODE_GENESIS_ERRORS.genesis_change_late, startDevNode(folder, CHANGED, new FakeClock(2e12)));
  t.notOk(existsSync(join(data, GENESIS_CHANGES)));
});

t.test('a first start that fails leaves nothing that later ones stumble over', async (t) => {
  const folder = t.testdir();
  const data = join(folder, 'data');
  const path = join(folder, 'bad.json');
  // Only building the state tells that a chain of this time needs a core asset.
  const bad = parseJson(devGenesis.toString('utf8')) as Record<string, Json>;
  writeFileSync(
    path,
    JSON.stringify({ ...bad, initial_assets: [], initial_balances: [], initial_vesting_balances: [] }),
  );
  const args = ['start', '--data-dir', data, '--genesis-json', path, '--plugins', 'none', '--verify-threads', '0'];
  const failed = await runTrustnode([...args, '--genesis-timestamp', '0']);
  t.equal(failed.code, 1);
  t.match(failed.stderr, /genesis_core_asset_missing/);
  t.notOk(existsSync(join(data, GENESIS_CHANGES)));
  const next = await startDevNode(folder, { plugins: 'none' });
  t.equal(next.node.chainId, createHash('sha256').update(devGenesis).digest('hex'), 'another file may be used then');
  await next.node.stop();
});

t.test('a chain cannot begin behind the end of time', async (t) => {
  const folder = t.testdir();
  const late = startDevNode(folder, { plugins: 'none', 'genesis-timestamp': '4294967295' });
  await refusedLater(t, NODE_GENESIS_ERRORS.genesis_time_range, late);
  t.notOk(existsSync(join(folder, 'data', GENESIS_CHANGES)));
});
