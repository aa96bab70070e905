import t from 'tap';
import { flushInBackground, openStoredChain, type StoredChain } from '../../../src/node/chain/stored-chain.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { quietLog } from '../../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryFiles } from '../../support/memory-files.js';

/** How often the state is written while blocks come in. */

const BLOCKS = 120;

/** `ageSec`: of each block when it is applied. */
async function stored(ageSec: number): Promise<{ readonly node: StoredChain; readonly writes: number[] }> {
  const kv = new MemoryKv();
  const node = await openStoredChain({
    dataDir: 'data',
    genesis: goldenGenesis(),
    log: quietLog,
    storage: { files: new MemoryFiles(), openKv: async () => kv },
  });
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
