import { join } from 'node:path';
import t from 'tap';
import { flushInBackground, openStoredChain, type StoredChain } from '../../../src/node/chain/stored-chain.js';
import { BlockLog } from '../../../src/storage/block-log.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { STORAGE_FOLDERS } from '../../../src/storage/storage.js';
import { quietLog } from '../../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryFiles } from '../../support/memory-files.js';

/** How often the state is written while blocks come in. */

const BLOCKS = 120;

function opened(files: MemoryFiles): Promise<StoredChain> {
  const kv = new MemoryKv();
  return openStoredChain({
    dataDir: 'data',
    genesis: goldenGenesis(),
    log: quietLog,
    storage: { files, openKv: async () => kv },
  });
}

/** `ageSec`: of each block when it is applied. */
async function stored(ageSec: number): Promise<{ readonly node: StoredChain; readonly writes: number[] }> {
  const node = await opened(new MemoryFiles());
  let nowMs = 0;
  const stop = flushInBackground(
    node,
    (error) => {
      throw error;
    },
    () => nowMs,
  );
  const writes: number[] = [];
  for (const block of goldenBlocks()) {
    nowMs = 1000 * (block.timestamp + ageSec);
    node.chain.blocks.push({ block });
    // A write that has begun is over before the next block.
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
    const { number } = node.storage.objects.head ?? { number: 0 };
    if (number > (writes.at(-1) ?? 0)) writes.push(number);
    if (node.chain.queries.head.number === BLOCKS) break;
  }
  stop();
  return { node, writes };
}

t.test('at the head about once in twenty blocks, while catching up once in many more', async (t) => {
  const live = await stored(1);
  t.ok(live.writes.length >= 3, `written at ${live.writes.join(' ')}`);
  t.ok((live.node.storage.objects.savedHead?.number ?? 0) > BLOCKS / 2);
  const behind = await stored(3600);
  t.same(behind.writes, []);
  t.equal(behind.node.storage.objects.savedHead?.number, 0, 'and is not even encoded so early');
  await behind.node.close();
  t.ok((behind.node.storage.objects.head?.number ?? 0) > 0, 'a stop writes it');
  await live.node.close();
});

t.test('who was catching up writes as usual once it is level', async (t) => {
  const { node, writes } = await stored(3600);
  t.same(writes, []);
  const stop = flushInBackground(
    node,
    (error) => {
      throw error;
    },
    () => 1000 * node.chain.queries.head.time,
  );
  for (const block of [...goldenBlocks()].slice(BLOCKS, BLOCKS + 25)) {
    node.chain.blocks.push({ block });
    for (let i = 0; i < 20; i++) await new Promise(setImmediate);
  }
  t.ok((node.storage.objects.head?.number ?? 0) > 0);
  stop();
  await node.close();
});

t.test(
  'old blocks of one turn are written together, before one of them is called irreversible or when the turn ends',
  async (t) => {
    const files = new MemoryFiles();
    const node = await opened(files);
    const { chainId } = goldenGenesis();
    const written = (): number =>
      new BlockLog(files.clone(), join('data', STORAGE_FOLDERS.blockLog), chainId).headNumber;
    const failures: unknown[] = [];
    const stop = flushInBackground(
      node,
      (error) => failures.push(error),
      () => Number.MAX_SAFE_INTEGER,
    );
    let [waited, told] = [0, 0];
    node.chain.blocks.subscribe((event) => {
      if (event.kind !== 'irreversible') return;
      told++;
      if (written() < event.number) t.fail(`block ${event.number} is called irreversible, ${written()} are written`);
    });
    for (const block of goldenBlocks()) {
      node.chain.blocks.push({ block });
      const { number } = node.chain.queries.head;
      if (written() < number) waited++;
      if (number % 30 === 0) {
        await new Promise(setImmediate);
        t.equal(written(), number, 'the turn is over');
      }
      if (number === BLOCKS) break;
    }
    t.ok(waited > 20 && told > 20, `${waited} have waited, ${told} times it was told what stays`);
    // A disk that is full ends the node, and nothing of what waits is lost meanwhile.
    const more = [...goldenBlocks()].slice(BLOCKS, BLOCKS + 2);
    for (const block of more) node.chain.blocks.push({ block });
    t.ok(written() < BLOCKS + 2, 'some wait');
    files.room = 0;
    await new Promise(setImmediate);
    t.equal(failures.length, 1);
    files.room = Number.POSITIVE_INFINITY;
    stop();
    await node.close();
    t.equal(written(), BLOCKS + 2);
  },
);
