import t from 'tap';
import { AccountHistory } from '../../../plugins/account_history/history.js';
import { openStoredChain } from '../../../src/node/chain/stored-chain.js';
import { forkBlocks } from '../../rpc/support/recorded-notices.js';
import { FaultyProxy } from '../../services/elasticsearch/faulty-proxy.js';
import { testElastic } from '../../services/elasticsearch/for-tests.js';
import { hasNoElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { FollowedChain } from '../../support/followed-chain.js';
import { GOLDEN_LAST, goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryDisk } from '../../support/memory-disk.js';
import { MemoryLog } from '../../support/memory-log.js';
import { emptyStore } from '../../support/plugin-store.js';
import { restoredDisk } from '../../support/restored-disk.js';
import { openGolden, pushTo, SearchWorld } from './support/search-world.js';
import { ThreadedWorld } from './support/threaded-world.js';
import { dice, isWhole } from './support/whole.js';

/** The follower where the node has it: in a thread, which gets blocks as bytes or reads the logs by itself. */

const LAST = 110;

t.test('search_db in its thread', { skip: hasNoElastic }, async (t) => {
  const server = await testElastic();
  t.teardown(() => server.end());

  await t.test('far behind it reads the logs by itself, at the head it is handed what is new', async (t) => {
    const dataDir = t.testdir();
    const genesis = goldenGenesis();
    const stored = await openStoredChain({ dataDir, genesis, log: new MemoryLog(), chain: { saveBlocks: 1 } });
    pushTo(stored, GOLDEN_LAST - 20);
    await stored.storage.flush();
    const prefix = server.prefix();
    const w = new ThreadedWorld(stored, server.url, { prefix, dataDir });
    await w.follow();
    const { irreversible } = stored.chain.queries.head;
    t.equal(w.status?.position.number, irreversible);
    t.ok(w.readHere < 110, `the main thread has read ${w.readHere} of ${irreversible} blocks`);
    const readHere = w.readHere;
    pushTo(stored, GOLDEN_LAST);
    await w.follow();
    t.ok(w.readHere - readHere < 20, 'what is new is in memory');
    t.match(w.log.texts('info'), []);
    t.ok((w.status?.records ?? 0) > 1000, 'operations are counted');
    await w.close();
    t.match(w.report, { trouble: undefined, block: stored.chain.queries.head.irreversible, retries: 0, reduced: 0 });
    await isWhole(t, stored, server.url, prefix, stored.chain.queries.head.irreversible, 'all is there');
    await stored.close();
  });

  await t.test('it is killed before and after every request', async (t) => {
    const stored = await openGolden();
    pushTo(stored, LAST);
    const { irreversible } = stored.chain.queries.head;
    const prefix = server.prefix();
    const roll = dice(1);
    let lives = 0;
    let position = 0;
    while (position < irreversible) {
      let left = 1 + roll(16 + 4 * lives);
      const isAfter = roll(2) === 0;
      let killed: Promise<void> | undefined;
      const proxy = await FaultyProxy.start(server.url, {
        fault: () => {
          if (--left > 0) return 'none';
          killed ??= w.kill();
          return isAfter ? 'cut after' : 'cut before';
        },
      });
      const w = new ThreadedWorld(stored, proxy.url, { prefix, options: { 'searchdb-bulk-replay': '80' } });
      await w.follow().catch(() => undefined);
      await (killed ?? w.close());
      await proxy.close();
      position = Math.max(position, w.report?.block ?? 0);
      lives++;
    }
    t.ok(lives > 2, `${lives} lives`);
    await isWhole(t, stored, server.url, prefix, irreversible, 'all is there');
  });

  await t.test('blocks that may be undone are taken back', async (t) => {
    const own = await openGolden();
    const branch = [...forkBlocks().values()];
    const common = Math.min(...forkBlocks().keys()) - 1;
    pushTo(own, GOLDEN_LAST);
    const prefix = server.prefix();
    const options = { 'searchdb-head': 'true', 'searchdb-start-after-block': String(common - 5) };
    const w = new ThreadedWorld(own, server.url, { prefix, options });
    await w.follow();
    for (const block of branch) own.chain.blocks.push({ block });
    await w.follow();
    await w.close();
    const checked = new SearchWorld(own, server.url, { prefix, startAfterBlock: common - 5 });
    const { missing, different, surplus } = await checked.verify(own.chain.queries.head.number);
    t.same({ missing, different, surplus }, { missing: 0, different: 0, surplus: 0 });
    await checked.client.close();
  });

  await t.test('behind a snapshot it is handed what accounts have done before', async (t) => {
    const first = await FollowedChain.open(goldenGenesis(), new MemoryDisk(goldenGenesis()));
    const added = first.host.add(
      new AccountHistory(emptyStore(), { accounts: undefined, operationsMax: 5, isPartial: true }),
    );
    first.push([...goldenBlocks()], 60);
    await added.caughtUp();
    const disk = await restoredDisk(first, t.testdir());
    await first.close();
    const stored = await openGolden(disk);
    pushTo(stored, LAST);
    const prefix = server.prefix();
    const w = new ThreadedWorld(stored, server.url, { prefix });
    await w.follow();
    await w.close();
    const checked = new SearchWorld(stored, server.url, { prefix });
    const verified = await checked.verify(stored.chain.queries.head.irreversible);
    t.match(verified, { missing: 0, different: 0, surplus: 0 });
    t.ok(verified.documents > 50, `${verified.documents} documents, numbered as before the snapshot`);
    await checked.client.close();

    // One that says no while it is handed them keeps nobody waiting.
    const earlier = await openGolden();
    pushTo(earlier, 20);
    const gap = server.prefix();
    const other = new ThreadedWorld(earlier, server.url, { prefix: gap });
    await other.follow();
    await other.close();
    const behind = new ThreadedWorld(stored, server.url, { prefix: gap });
    await t.rejects(behind.follow(), /has the blocks up to \d+, and this node begins behind a snapshot with block/);
    await behind.close();
  });

  await t.test('a database that does not answer is told of, and holds nobody up', async (t) => {
    const stored = await openGolden();
    pushTo(stored, 40);
    const proxy = await FaultyProxy.start(server.url, { fault: () => 500 });
    const w = new ThreadedWorld(stored, proxy.url, { prefix: server.prefix() });
    await eventually('the trouble is told', () => w.report?.trouble);
    t.match(w.report?.trouble, /as the test wants it/);
    // The line comes behind the report, from another thread.
    await eventually('and logged', () => w.log.texts('warn')[0]);
    t.match(w.log.texts('warn'), ['the search database does not take what it is given, the node goes on']);
    await w.kill();
    await proxy.close();
  });

  await t.test('one that belongs to another chain is refused by name', async (t) => {
    const stored = await openGolden();
    pushTo(stored, 40);
    const prefix = server.prefix();
    const foreign = new SearchWorld(stored, server.url, { prefix, chain: '00'.repeat(32) });
    await foreign.follow();
    await foreign.close();
    const w = new ThreadedWorld(stored, server.url, { prefix });
    await t.rejects(w.follow(), /^ChainError: .*holds the histories of chain 0000/);
    await w.close();
  });
});
