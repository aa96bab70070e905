import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import '../../src/operations/index.js';
import { openStoredChain } from '../../src/node/chain/stored-chain.js';
import { stateHash } from '../../src/state/state-hash.js';
import { BLOCK_LOG_FORMAT, JOURNAL_FORMAT } from '../../src/storage/log-kind.js';
import { OBJECT_STORE_FORMAT } from '../../src/storage/object-store.js';
import { quietLog } from '../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { forgetWithFolder } from '../support/memory-files.js';
import { entriesToText, FROZEN, FROZEN_FILES, frozenStorage, makeSample } from '../support/storage-sample.js';

/**
 * Every format that ever went to a disk has a frozen sample. A change of format adds a folder, with
 * `node dist/test/storage/frozen.test.js --write`, and removes none.
 */
const NEWEST = `v${Math.max(BLOCK_LOG_FORMAT, OBJECT_STORE_FORMAT, JOURNAL_FORMAT)}`;
const LOG_FILES = Object.values(FROZEN_FILES);

const made = await makeSample();

if (process.argv.includes('--write')) {
  const folder = join(FROZEN, NEWEST);
  mkdirSync(folder, { recursive: true });
  for (const [name, path] of Object.entries(FROZEN_FILES)) {
    writeFileSync(join(folder, `${name}.gz`), gzipSync(made.files.get(path)));
  }
  writeFileSync(join(folder, 'objects.gz'), gzipSync(entriesToText(made.kv)));
  writeFileSync(join(folder, 'expected.json'), `${JSON.stringify(made.expected, null, 2)}\n`);
}

t.strictSame(readdirSync(FROZEN).sort(), ['v1', 'v2'], 'every folder has its test below');

for (const version of ['v1', 'v2'] as const) {
  t.test(`${version}: what it holds is read, and the node goes on from there`, async (t) => {
    const text = readFileSync(join(FROZEN, version, 'expected.json'), 'utf8');
    const expected = JSON.parse(text) as typeof made.expected;
    const { files, kv } = frozenStorage(version);
    if (version === 'v1') forgetWithFolder(files, kv);
    const options = {
      dataDir: 'data',
      genesis: goldenGenesis(),
      log: quietLog,
      storage: { files, openKv: async () => kv },
    };
    const stored = await openStoredChain(options);
    // Version 1 had no operation journal; all blocks are applied again to write it.
    t.strictSame(stored.recovered.from, version === 'v1' ? 1 : expected.stored + 1);
    t.equal(stored.chain.queries.head.number, expected.head);
    t.equal(stored.chain.snapshots.withHeadState(stateHash), expected.stateHash);
    t.strictSame(stored.storage.repair, { indexed: 0 });
    t.equal(stored.storage.journal.head.operations, made.expected.operations);
    for (const block of goldenBlocks()) {
      const { number } = stored.chain.queries.head;
      if (number === expected.head + 5) break;
      if (Number.parseInt(block.previous.slice(0, 8), 16) === number) stored.chain.blocks.push({ block });
    }
    t.equal(stored.chain.queries.head.number, expected.head + 5);
    await stored.close();
  });
}

t.test('what is written today is the newest format, byte for byte', (t) => {
  const newest = frozenStorage(NEWEST);
  for (const path of LOG_FILES) t.ok(made.files.get(path).equals(newest.files.get(path)), path);
  t.equal(entriesToText(made.kv), entriesToText(newest.kv), 'objects');
  t.end();
});
