import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { stateIndexName } from '../../../plugins/search_db/names.js';
import { LevelKv } from '../../../src/storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../../src/storage/storage.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { GOLDEN_GENESIS_FILE, GoldenProcess } from '../../support/golden-process.js';
import { runTrustnode } from '../../support/run-trustnode.js';

/** `trustnode search verify` on the folder of a node that has begun with a snapshot. */

const TAKEN_AT = 60;
const LAST = 110;

t.test('numbers before the blocks of the folder are those of the snapshot', { skip: hasNoElastic }, async (t) => {
  const elastic = await testElastic();
  t.teardown(() => elastic.end());
  const folder = t.testdir();
  const snapshots = join(folder, 'snapshots');
  const own = join(folder, 'own');
  const first = await new GoldenProcess(own, [
    ...['--plugins', 'account_history', '--state-snapshots-dir', snapshots],
  ]).ready();
  await first.push(TAKEN_AT);
  const made = await first.call<{ head_block_num: number; snapshot_dir: string }>('database', 'create_snapshot', []);
  await first.end('SIGTERM');
  const packed = join(folder, 'packed');
  const pack = await runTrustnode(['snapshot', 'pack', made.snapshot_dir, packed, '--data-dir', own]);
  t.equal(pack.code, 0, pack.stderr);

  const other = join(folder, 'other');
  mkdirSync(other);
  const given = ['--data-dir', other, '--genesis-json', GOLDEN_GENESIS_FILE];
  const restored = await runTrustnode(['snapshot', 'restore', packed, ...given]);
  t.equal(restored.code, 0, restored.stderr);
  const prefix = elastic.prefix();
  const search = ['--searchdb-node-url', elastic.url, '--searchdb-index-prefix', prefix, '--searchdb-replicas', '0'];
  const node = await new GoldenProcess(other, ['--plugins', 'search_db', ...search]).ready();
  await node.push(LAST);
  const { last_irreversible_block_num: wanted } = await node.head();
  await eventually(
    'all of it is in the search database',
    async () => {
      const answer = await fetch(`${elastic.url}${stateIndexName(prefix)}/_doc/cursor`);
      const { _source: cursor } = (await answer.json()) as { _source?: { place: { number: number } } };
      return cursor?.place.number === wanted;
    },
    200,
  );

  const verify = ['search', 'verify', '--data-dir', other, ...search];
  await node.end('SIGTERM');
  // As a node has it that runs.
  const store = await LevelKv.open(join(other, STORAGE_FOLDERS.objects));
  const inUse = await runTrustnode(verify);
  t.match(inUse, { code: 1, stderr: 'and a running node has' });
  await store.close();
  const found = await runTrustnode(verify);
  t.equal(found.code, 0, found.stderr);
  const counts = { from: made.head_block_num + 1, missing: 0, different: 0, surplus: 0 };
  t.match(JSON.parse(found.stdout), counts);
  t.ok((JSON.parse(found.stdout) as { documents: number }).documents > 50, found.stdout);
  const named = await runTrustnode([...verify, '--snapshot', made.snapshot_dir]);
  t.match(JSON.parse(named.stdout), counts, 'the snapshot itself says the same');
});
