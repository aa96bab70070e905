import { join } from 'node:path';
import t from 'tap';
import { encode } from '../../../src/codec/binary.js';
import { REPLAY_SKIP } from '../../../src/importer/recover.js';
import { feedLog } from '../../../src/node/chain/feed-log.js';
import { openStoredChain } from '../../../src/node/chain/stored-chain.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { FollowerInThread } from '../../../src/node/threads/follower-thread.js';
import { BlockFeed } from '../../../src/plugin/feed.js';
import type { FeedBlock, Follower } from '../../../src/plugin/follower.js';
import { FollowerHost } from '../../../src/plugin/host.js';
import { type SignedBlock, signedBlock } from '../../../src/protocol/block.js';
import { STORAGE_FOLDERS } from '../../../src/storage/storage.js';
import { quietLog } from '../../crash/quiet-log.js';
import { eventually } from '../../support/eventually.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { MemoryLog } from '../../support/memory-log.js';

/** A thread that cannot do what it is told says why, and never leaves anybody waiting. */

const source = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const folder = t.testdir();
const logs = { blockLogPath: join(folder, 'log'), journalPath: join(folder, 'journal'), chainId: '5a'.repeat(32) };

/** A follower that does what these methods say, in a program that does what `program` says. */
const follower = (methods: string, program = ''): string =>
  source(`export default (settings, world) => ({
    async begin() {
      return { name: 'told', reads: 'blocks', position: { number: 5, id: 'five' }, close() {}, ${methods} };
    },
    report: () => settings,
    async end() {},
    ${program}
  })`);

function begin(program: string, settings: unknown = 'settings', log = new MemoryLog(), hasFiles = true) {
  const reports: unknown[] = [];
  const chain = () => ({ head: 9, irreversible: 7 });
  const parts = { log, onReport: (report: unknown) => reports.push(report), chain };
  return {
    thread: new FollowerInThread({ program, settings, logs: hasFiles ? logs : undefined }, parts),
    reports,
    log,
  };
}

t.test('what a follower is, and what it is told', async (t) => {
  const { thread, reports, log } = begin(
    follower(`
      upTo: 'irreversible', beginsWith: ['other'],
      settle(number) {
        world.log.warn('settled', { number, chain: world.chain });
        this.position = { number, id: 'settled' };
      },
      undo(place) {
        throw new Error('not ' + place.number);
      },
    `),
    { known: 1 },
  );
  const one = await thread.begun;
  t.match(one, { name: 'told', reads: 'blocks', upTo: 'irreversible', beginsWith: ['other'], position: { number: 5 } });
  t.equal(one.skipTo, undefined, 'it has no such method');
  await one.settle(6);
  t.same(one.position, { number: 6, id: 'settled' });
  t.match(log.entries, [
    { level: 'warn', text: 'settled', values: { number: 6, chain: { head: 9, irreversible: 7 } } },
  ]);
  await t.rejects(Promise.resolve(one.undo({ number: 6, id: '' })), new Error('not 6'));
  t.same(reports.at(-1), { known: 1 });
  const bare = { number: 7, id: '', transactionIds: [], operations: [] } as unknown as FeedBlock;
  t.throws(() => one.apply(bare), /comes from the logs/, 'a block without bytes cannot go there');
  await one.close();
  await thread.end();
  await thread.end();
});

t.test('what it is handed of a snapshot', async (t) => {
  const { thread, log } = begin(
    follower(`
      async skipTo(place, carried) {
        this.position = place;
        if (carried === undefined) return;
        const keys = [];
        for await (const some of carried.entries) for (const [key] of some) keys.push(key[0]);
        world.log.info(keys.join(), carried.about);
        return 'so many: ' + keys.length;
      },
    `),
  );
  const one = await thread.begun;
  const value = Uint8Array.of(1);
  async function* entries() {
    yield [
      [Uint8Array.of(3), value],
      [Uint8Array.of(4), value],
    ] as const;
    yield [[Uint8Array.of(5), value]] as const;
  }
  const place = { number: 8, id: 'eight' };
  t.equal(await one.skipTo?.(place, { name: 'other', about: { entry: 3 }, entries: entries() }), 'so many: 3');
  t.match(log.entries, [{ text: '3,4,5', values: { entry: 3 } }]);
  t.same(one.position, place);
  t.equal(await one.skipTo?.(place), undefined);
  await thread.end();
});

t.test('one that refuses what it is handed keeps nobody waiting', async (t) => {
  const { thread } = begin(follower(`async skipTo() { throw new Error('it is of no use'); },`));
  const one = await thread.begun;
  async function* endless() {
    try {
      for (;;) yield [] as const;
    } finally {
      isOver = true;
    }
  }
  let isOver = false;
  const skipped = one.skipTo?.({ number: 8, id: '' }, { name: 'other', about: {}, entries: endless() });
  await t.rejects(Promise.resolve(skipped), new Error('it is of no use'));
  await eventually('nothing more is handed over', () => isOver || undefined);
  await thread.end();
});

t.test('a program that cannot be loaded', async (t) => {
  const { thread } = begin(source('throw new Error("it cannot be loaded")'));
  await t.rejects(thread.begun, new Error('it cannot be loaded'));
  await thread.end();
});

t.test('a follower that cannot begin', async (t) => {
  const { thread } = begin(follower('', `async begin() { throw new Error('nobody is there'); },`));
  await t.rejects(thread.begun, new Error('nobody is there'));
  await thread.end();
});

t.test('one that waits gives up when it is told to', async (t) => {
  const waits = `begin: () => new Promise((_, reject) => {
    world.signal.addEventListener('abort', () => reject(new Error('given up')));
    world.tell();
  }),`;
  const { thread, reports } = begin(follower('', waits));
  while (reports.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  thread.giveUp();
  await t.rejects(thread.begun, new Error('given up'));
  await thread.end();
});

t.test('where there are no files every block comes from here, and stays here as well', async (t) => {
  const apply = 'apply({ number, id }) { this.position = { number, id }; },';
  const { thread } = begin(follower(apply), 'settings', new MemoryLog(), false);
  const one = await thread.begun;
  t.equal(one.advance, undefined);
  const block = encode(signedBlock, [...goldenBlocks()][0] as SignedBlock);
  const given = { number: 6, id: 'six', block, transactionIds: [] };
  await one.apply({ ...given, operations: [], packed: () => given } as unknown as FeedBlock);
  t.same(one.position, { number: 6, id: 'six' });
  t.ok(block.length > 0, 'others read it, too');
  await thread.end();
});

t.test('a thread that breaks: why, also for whoever asks later', async (t) => {
  const { thread } = begin(
    follower(
      `settle() { setImmediate(() => { throw new Error('out of its mind'); }); return new Promise(() => {}); },`,
    ),
  );
  const one = await thread.begun;
  for (let i = 0; i < 2; i++) {
    await t.rejects(Promise.resolve(one.settle(6)), new Error('out of its mind'));
  }
  await thread.end();
});

t.test('blocks that are not in the files', async (t) => {
  const { thread } = begin(follower(''));
  const one = await thread.begun;
  await t.rejects(Promise.resolve(one.advance?.(6)), /blocks that stay are in the files/);
  await thread.end();
});

t.test('a thread that ends', async (t) => {
  const { thread } = begin(follower('settle() { process.exit(7); },'));
  const one: Follower = await thread.begun;
  await t.rejects(Promise.resolve(one.settle(6)), new Error('the thread of the follower has ended'));
  await t.rejects(Promise.resolve(one.settle(6)), new Error('the thread of the follower has ended'), 'and again');
  await thread.end();
});

t.test('one that reads blocks alone needs no operation journal, neither far behind nor at the head', async (t) => {
  const blocks = [...goldenBlocks()].slice(0, 40);
  const dataDir = t.testdir();
  const stored = await openStoredChain({
    dataDir,
    genesis: goldenGenesis(),
    log: quietLog,
    storage: { journal: false },
  });
  for (const block of blocks.slice(0, 30)) stored.chain.blocks.push({ block }, REPLAY_SKIP);
  await stored.storage.flush();
  const feed = new BlockFeed(stored.chain.blocks, feedLog(stored.storage));
  const log = new MemoryLog();
  const host = new FollowerHost({ feed, clock: systemClock, log });
  const told: unknown[] = [];
  const thread = new FollowerInThread(
    {
      program: source(`export default function () {
        const seen = [];
        return {
          async begin() {
            return {
              name: 'reader', reads: 'blocks', position: { number: 0, id: '' },
              apply({ number, id, block, transactionIds }) {
                seen.push([number, block.transactions.length === transactionIds.length]);
                this.position = { number, id };
              },
              undo() {}, settle() {}, close() {},
            };
          },
          report: () => seen,
          async end() {},
        };
      }`),
      settings: {},
      logs: {
        blockLogPath: join(dataDir, STORAGE_FOLDERS.blockLog),
        journalPath: join(dataDir, STORAGE_FOLDERS.journal),
        chainId: stored.chain.chainId,
      },
    },
    {
      log,
      onReport: (report: unknown) => told.push(report),
      chain: () => ({ head: feed.headNumber, irreversible: feed.irreversibleNumber }),
    },
  );
  const added = host.add(await thread.begun);
  await added.caughtUp();
  t.match(added.status, { state: 'live', position: { number: 30 }, reason: undefined });
  for (const block of blocks.slice(30)) stored.chain.blocks.push({ block });
  await eventually('it has them', () => {
    const { position, state } = added.status;
    return position.number === 40 || state === 'failed';
  });
  const transactions = blocks.reduce((sum, one) => sum + one.transactions.length, 0);
  t.equal(added.status.records, transactions, 'it counts transactions');
  t.same(
    told.at(-1),
    blocks.map((_, i) => [i + 1, true]),
  );
  await host.close();
  await thread.end();
  await stored.close();
});
