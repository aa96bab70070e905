import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { ElasticServer, startCluster } from '../../services/elasticsearch/elastic.js';
import { cannotStartElastic } from '../../services/elasticsearch/tools.js';
import { eventually } from '../../support/eventually.js';
import { GOLDEN_LAST } from '../../support/golden.js';
import { openGolden, pushTo, SearchWorld } from './support/search-world.js';
import { ThreadedWorld } from './support/threaded-world.js';
import { isWhole } from './support/whole.js';

/** What can happen to servers, done to real ones of the test's own. */

const LAST = 110;
const GREEN_S = 240;
/** 300 for the long form. */
const STOPPED_SECONDS = Number(process.env.TRUSTNODE_SEARCH_STOPPED_SECONDS ?? 2);
const LOAD_MS = 20;
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

t.test('a server is killed in the middle of requests, and comes back', { skip: cannotStartElastic }, async (t) => {
  const server = await ElasticServer.start();
  t.teardown(() => server.remove());
  const stored = await openGolden();
  pushTo(stored, LAST);
  const { irreversible } = stored.chain.queries.head;
  const w = new SearchWorld(stored, server.url, { prefix: 'killed-', replayDocuments: 20 });
  const done = w.follow();
  await eventually('some documents are there', () => w.database.bulk.counts.documents > 60);
  await server.stop('SIGKILL');
  await eventually('it was noticed', () => w.database.retry.trouble);
  await server.start();
  await done;
  await w.close();
  await isWhole(t, stored, server.url, 'killed-', irreversible, 'all is there');
});

t.test('a server is stopped while blocks go on, and comes back', { skip: cannotStartElastic }, async (t) => {
  const server = await ElasticServer.start();
  t.teardown(() => server.remove());
  const stored = await openGolden();
  pushTo(stored, LAST);
  const w = new ThreadedWorld(stored, server.url, { prefix: 'stopped-' });
  await w.follow();
  const before = w.report?.block;
  await server.stop();
  const startMs = performance.now();
  for (let share = 0; share < 1; ) {
    share = Math.min(1, (performance.now() - startMs) / (STOPPED_SECONDS * 1000));
    // No push waits for anybody: it would not come back.
    pushTo(stored, LAST + Math.floor(share * (GOLDEN_LAST - LAST)));
    await pause(LOAD_MS);
  }
  await eventually('it was noticed', () => w.report?.trouble);
  t.equal(w.report?.block, before, 'nothing more is there');
  await server.start();
  await w.follow();
  await w.close();
  const { irreversible } = stored.chain.queries.head;
  t.match(w.report, { trouble: undefined, block: irreversible });
  await isWhole(t, stored, server.url, 'stopped-', irreversible, 'all is there');
});

t.test('one of three servers is killed, another one is started anew', { skip: cannotStartElastic }, async (t) => {
  const servers = await startCluster(3, { heapMb: 320 });
  t.teardown(() => Promise.all(servers.map((server) => server.remove())));
  const urls = servers.map(({ url }) => url);
  const [first, second] = servers as [ElasticServer, ElasticServer, ElasticServer];
  const stored = await openGolden();
  pushTo(stored, 40);
  const settings = { prefix: 'three-', replayDocuments: 20, replicas: 1 };
  const w = new SearchWorld(stored, urls, settings);
  /** Every document lies on two servers. */
  const isDouble = (): Promise<unknown> =>
    w.client.cluster.health(
      { wait_for_status: 'green', wait_for_nodes: '3', timeout: `${GREEN_S}s` },
      { requestTimeout: 2 * GREEN_S * 1000 },
    );
  await w.follow();
  // The servers copy a new index to a second one after a while. Whoever loses the only copy waits for it to come back.
  await isDouble();
  const before = w.database.bulk.counts.documents;
  pushTo(stored, 75);
  const done = w.follow();
  await eventually('some documents are there', () => w.database.bulk.counts.documents > before + 20);
  await first.stop('SIGKILL');
  await done;
  t.equal(w.database.cursor.place.number, stored.chain.queries.head.irreversible, 'two are enough');
  await first.start();
  await isDouble();
  pushTo(stored, 100);
  const more = w.follow();
  await second.stop();
  await more;
  await second.start();
  await isDouble();
  pushTo(stored, LAST);
  await w.follow();
  await w.close();
  await isWhole(t, stored, urls[2] as string, 'three-', stored.chain.queries.head.irreversible, 'all is there');
});

const DISK_BYTES = 48 << 20;

t.test('a full disk', { skip: cannotStartElastic || (!isRoot && 'only root makes a small disk') }, async (t) => {
  const disk = mkdtempSync(join(tmpdir(), 'trustnode-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', disk]);
  const server = await ElasticServer.prepare({ settings: { 'path.data': disk } });
  t.teardown(async () => {
    await server.remove();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true });
  });
  await server.start();
  const stored = await openGolden();
  pushTo(stored, LAST);
  const { irreversible } = stored.chain.queries.head;
  const w = new SearchWorld(stored, server.url, { prefix: 'full-', replayDocuments: 20 });
  const done = w.follow();
  await eventually('some documents are there', () => w.database.bulk.counts.documents > 60);
  const filler = join(disk, 'filler');
  t.throws(() => writeFileSync(filler, Buffer.alloc(DISK_BYTES)), { code: 'ENOSPC' }, 'the disk is full');
  await eventually('it was noticed', () => w.database.retry.trouble);
  rmSync(filler);
  // What an operator does when there is room again.
  await server.stop('SIGKILL');
  await server.start();
  await done;
  await w.close();
  await isWhole(t, stored, server.url, 'full-', irreversible, 'all is there');
});
