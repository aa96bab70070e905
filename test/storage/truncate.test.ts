import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import '../../src/operations/index.js';
import { openStoredChain } from '../../src/node/chain/stored-chain.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { stateHash } from '../../src/state/state-hash.js';
import { BlockLog } from '../../src/storage/block-log.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { nodeFiles } from '../../src/storage/files.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import type { MemoryKv } from '../../src/storage/memory-kv.js';
import { ObjectStore } from '../../src/storage/object-store.js';
import { readOnlyFiles } from '../../src/storage/read-only-files.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { truncateBlocks } from '../../src/storage/truncate.js';
import { quietLog } from '../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { MemoryFiles } from '../support/memory-files.js';
import { refusedLater } from '../support/refused.js';
import { makeSample, SAMPLE_BLOCKS } from '../support/storage-sample.js';

const genesis = goldenGenesis();
const { chainId } = genesis;
const LOG_FOLDER = join('data', STORAGE_FOLDERS.blockLog);

const copyOf = (entries: MemoryKv['entries']): string[] => [...entries.keys()].sort();

t.test('a log behind a snapshot is never cut below the only state there is', async (t) => {
  const { files, kv, expected } = await makeSample();
  // The same blocks without the first ones, as a log that was begun on top of a snapshot has them.
  const whole = new BlockLog(files, LOG_FOLDER, chainId);
  const behind = new MemoryFiles();
  const log = new BlockLog(behind, LOG_FOLDER, chainId);
  for (const { number, id, bytes } of whole.walk(1)) if (number >= 8) log.append(id, bytes);
  log.close();
  const keys = copyOf(kv.entries);
  const cut = (number: number) =>
    truncateBlocks({ dataDir: 'data', chainId, definitions: OBJECTS, files: behind, openKv: async () => kv }, number);
  const size = behind.get(log.path).length;
  for (const number of [expected.stored, 5, 0]) await refusedLater(t, STORAGE_ERRORS.truncate_needs_state, cut(number));
  t.equal(behind.get(log.path).length, size, 'nothing is cut');
  t.same(copyOf(kv.entries), keys);
  t.same(await cut(expected.stored + 2), {
    from: SAMPLE_BLOCKS,
    to: expected.stored + 1,
    isStateDropped: false,
  });
});

t.test('a state that was stored on the way to the end of a log goes with that end', async (t) => {
  const folder = t.testdir();
  const dataDir = join(folder, 'node');
  const options = { dataDir, genesis, log: quietLog };
  const stored = await openStoredChain({ ...options, chain: { saveBlocks: 3 } });
  for (const block of goldenBlocks()) {
    stored.chain.blocks.push({ block });
    if (stored.chain.queries.head.number === SAMPLE_BLOCKS) break;
  }
  await stored.close();
  const storedReplayEnd = async (): Promise<number | undefined> => {
    const kv = await LevelKv.open(join(dataDir, STORAGE_FOLDERS.objects));
    const store = new ObjectStore(kv, chainId, OBJECTS);
    await store.close();
    return store.storedReplayEnd;
  };
  t.equal(await storedReplayEnd(), undefined);

  const interrupted = new AbortController();
  const { signal } = interrupted;
  const stopAtOnce = (detail: string): void => {
    if (detail.startsWith('applying')) interrupted.abort();
  };
  const replaying = await openStoredChain({ ...options, start: 'replay', signal, tell: stopAtOnce });
  t.equal(replaying.chain.blocks.head.number, 1, 'it was stopped on the way');
  await replaying.close();
  t.equal(await storedReplayEnd(), SAMPLE_BLOCKS);

  const lost = join(folder, 'lost');
  cpSync(dataDir, lost, { recursive: true });
  const log = new BlockLog(nodeFiles, join(lost, STORAGE_FOLDERS.blockLog), chainId);
  log.cut(SAMPLE_BLOCKS - 1);
  log.close();
  await refusedLater(t, STORAGE_ERRORS.block_log_gap, openStoredChain({ ...options, dataDir: lost }));

  const cut = await truncateBlocks({ dataDir, chainId, definitions: OBJECTS }, SAMPLE_BLOCKS);
  t.same(cut, { from: SAMPLE_BLOCKS, to: SAMPLE_BLOCKS - 1, isStateDropped: true });
  await (await openStoredChain(options)).close();
  t.equal(await storedReplayEnd(), undefined, 'one that came to the end goes on like any other');
});

t.test('the store stays locked until the log is cut, and the blocks that are left make the state again', async (t) => {
  const dataDir = t.testdir();
  const options = { dataDir, genesis, log: quietLog, chain: { saveBlocks: 3 } };
  const stored = await openStoredChain(options);
  let hash = '';
  for (const block of goldenBlocks()) {
    stored.chain.blocks.push({ block });
    if (stored.chain.queries.head.number === 10) hash = stored.chain.snapshots.withHeadState(stateHash);
    if (stored.chain.queries.head.number === SAMPLE_BLOCKS) break;
  }
  await stored.close();
  const events: string[] = [];
  const openKv = async (path: string): Promise<LevelKv> => {
    const kv = await LevelKv.open(path);
    const close = kv.close.bind(kv);
    kv.close = async () => {
      const log = BlockLog.openAsSource(readOnlyFiles, join(dataDir, STORAGE_FOLDERS.blockLog));
      events.push(`closed with block ${log.headNumber} in the log`);
      log.abandon();
      await close();
    };
    return kv;
  };
  const objects = join(dataDir, STORAGE_FOLDERS.objects);
  renameSync(objects, `${objects}.former`); // as a restore leaves it that is killed between two names
  const cut = await truncateBlocks({ dataDir, chainId, definitions: OBJECTS, openKv }, 11);
  t.same(cut, { from: SAMPLE_BLOCKS, to: 10, isStateDropped: true });
  t.same(events, ['closed with block 10 in the log']);
  const again = await openStoredChain(options);
  t.same([again.recovered.from, again.recovered.to], [1, 10]);
  t.equal(again.chain.snapshots.withHeadState(stateHash), hash);
  await again.close();
});
