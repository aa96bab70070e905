import t from 'tap';
import { networkView } from '../../../src/node/chain/network-view.js';
import { flushInBackground, openStoredChain } from '../../../src/node/chain/stored-chain.js';
import { ChainFeed } from '../../../src/node/network/chain-feed.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { quietLog } from '../../crash/quiet-log.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryFiles } from '../../support/memory-files.js';

t.test('a block is announced and can be served before anything of it is synced to the disk', async (t) => {
  const files = new MemoryFiles();
  const kv = new MemoryKv();
  const stored = await openStoredChain({
    dataDir: 'data',
    genesis: goldenGenesis(),
    log: quietLog,
    storage: { files, openKv: async () => kv },
  });
  const { chain } = stored;
  const view = networkView({ queries: chain.queries, pending: chain.pending, genesisTime: 0 });
  const syncsOf = (): number => files.syncs + files.syncsLater;
  const announced: { readonly id: string; readonly isServed: boolean; readonly syncs: number }[] = [];
  const before = syncsOf();
  const feed = new ChainFeed({
    importer: { import: async () => t.fail('nobody has sent one') as never },
    pushTransaction: async () => t.fail('nobody has sent one') as never,
    publishBlock: (id) =>
      announced.push({ id, isServed: view.blockBytes(id) !== undefined, syncs: syncsOf() - before }),
    publishTransaction: () => undefined,
  });
  chain.blocks.subscribe((event) => feed.listen(event));
  const ids: string[] = [];
  for (const block of goldenBlocks()) {
    chain.blocks.push({ block });
    ids.push(chain.queries.head.id);
    await new Promise(setImmediate);
    if (ids.length === 10) break;
  }
  t.same(
    announced,
    ids.map((id) => ({ id, isServed: true, syncs: 0 })),
  );
  // The disk follows in its own time.
  const stop = flushInBackground(stored, (error) => t.fail(String(error)));
  for (const block of [...goldenBlocks()].slice(10, 80)) {
    chain.blocks.push({ block });
    await new Promise(setImmediate);
  }
  await stored.storage.flush();
  t.ok(syncsOf() > before);
  stop();
  await stored.close();
});
