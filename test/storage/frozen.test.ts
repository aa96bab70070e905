import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t from 'tap';
import '../../src/operations/index.js';
import { openStoredChain } from '../../src/node/chain/stored-chain.js';
import { stateHash } from '../../src/state/state-hash.js';
import { BLOCK_LOG_FORMAT } from '../../src/storage/block-record.js';
import { OBJECT_STORE_FORMAT } from '../../src/storage/object-store.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { quietLog } from '../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { MemoryFiles } from '../support/memory-files.js';
import { projectPath } from '../support/paths.js';
import { entriesFromText, entriesToText, makeSample } from '../support/storage-sample.js';

/**
 * Every format that ever went to a disk has a frozen sample. A change of format adds a folder, with
 * `node dist/test/storage/frozen.test.js --write`, and removes none.
 */
const ROOT = projectPath('test', 'vectors', 'storage');
const NEWEST = `v${Math.max(BLOCK_LOG_FORMAT, OBJECT_STORE_FORMAT)}`;
const LOG_FILES = ['blocks', 'index'] as const;
const inLog = (name: string): string => join('data', STORAGE_FOLDERS.blockLog, name);

const made = await makeSample();

if (process.argv.includes('--write')) {
  const folder = join(ROOT, NEWEST);
  mkdirSync(folder, { recursive: true });
  for (const name of LOG_FILES) writeFileSync(join(folder, `${name}.gz`), gzipSync(made.files.get(inLog(name))));
  writeFileSync(join(folder, 'objects.gz'), gzipSync(entriesToText(made.kv)));
  writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(made.expected, null, 2)}\n`);
}

const unzipped = (folder: string, name: string): Buffer => gunzipSync(readFileSync(join(ROOT, folder, `${name}.gz`)));

t.strictSame(readdirSync(ROOT).sort(), ['v1'], 'every folder has its test below');

t.test('v1: what it holds is read, and the node goes on from there', async (t) => {
  const expected = JSON.parse(readFileSync(join(ROOT, 'v1', 'expected.json'), 'utf8')) as typeof made.expected;
  const files = new MemoryFiles();
  for (const name of LOG_FILES) files.contents.set(inLog(name), unzipped('v1', name));
  const kv = entriesFromText(unzipped('v1', 'objects').toString('utf8'));
  const options = {
    dataDir: 'data',
    genesis: goldenGenesis(),
    log: quietLog,
    storage: { files, openKv: async () => kv },
  };
  const stored = await openStoredChain(options);
  t.strictSame(stored.recovered.from, expected.stored + 1);
  t.equal(stored.chain.queries.head.number, expected.head);
  t.equal(stored.chain.snapshots.withHeadState(stateHash), expected.stateHash);
  t.strictSame(stored.storage.repair, { indexed: 0 });
  for (const block of goldenBlocks()) {
    const { number } = stored.chain.queries.head;
    if (number === expected.head + 5) break;
    if (Number.parseInt(block.previous.slice(0, 8), 16) === number) stored.chain.blocks.push({ block });
  }
  t.equal(stored.chain.queries.head.number, expected.head + 5);
  await stored.close();
});

t.test('what is written today is the newest format, byte for byte', (t) => {
  for (const name of LOG_FILES) t.ok(made.files.get(inLog(name)).equals(unzipped(NEWEST, name)), name);
  t.equal(entriesToText(made.kv), unzipped(NEWEST, 'objects').toString('utf8'), 'objects');
  t.end();
});
