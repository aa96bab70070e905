import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import t from 'tap';
import { DiskWatch } from '../../src/node/runtime/disk.js';
import { startMetrics } from '../../src/node/runtime/start-metrics.js';
import { StartStage } from '../../src/node/runtime/start-stage.js';
import { accountObject } from '../../src/state/objects/account.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { startDevNode } from '../support/dev-node.js';
import { projectPath } from '../support/paths.js';

/** What a monitor is told beside what the parts count by themselves. */

async function figuresOf(monitor: string | undefined): Promise<Map<string, number>> {
  const text = await (await fetch(`http://${monitor}/metrics`)).text();
  return new Map([...text.matchAll(/^trustnode_(\S+) (\S+)$/gm)].map(([, name = '', value]) => [name, Number(value)]));
}

t.test('version, participation, missed blocks of every witness, queues and disk', async (t) => {
  const folder = t.testdir();
  const line = { 'monitor-endpoint': '127.0.0.1:0' };
  const first = await startDevNode(folder, line);
  first.clock.advance(30_000);
  await first.node.stop();
  // Nobody makes blocks for a minute: the next one finds its slots empty.
  first.clock.advance(60_000);
  const dev = await startDevNode(folder, line, first.clock);
  t.teardown(() => dev.node.stop());
  dev.clock.advance(6_000);

  const figures = await figuresOf(dev.node.endpoints.monitor);
  const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { version: string };
  t.equal(figures.get(`build_info{version="${version}",node="${process.version}"}`), 1);
  t.equal(figures.get('starting'), 0);

  const { queries } = dev.node.chain;
  t.equal(figures.get('chain_participation_ratio'), queries.participation() / 10_000);
  t.ok((figures.get('chain_participation_ratio') ?? 1) < 0.95, 'of 1, not of 100 or 10,000');
  const missed = [...figures].filter(([name]) => name.startsWith('chain_witness_missed_blocks{'));
  const counted = queries.state.single(globalPropertyObject).active_witnesses.map((id) => {
    const witness = queries.state.get(witnessObject, id);
    const { name } = queries.state.get(accountObject, witness.witness_account);
    return [`chain_witness_missed_blocks{witness="1.6.${id}",account="${name}"}`, Number(witness.total_missed)];
  });
  t.same(missed, counted, 'each active witness, by the count of the chain');
  t.ok(missed.length > 1 && missed.some(([, count]) => count > 1));

  t.equal(figures.get('import_queue_blocks'), 0);
  t.equal(figures.get('import_queue_bytes'), 0);
  t.equal(figures.get('signature_queue_calls'), 0);
  for (const part of ['block_log', 'object_database', 'operation_journal', 'witness']) {
    t.ok((figures.get(`disk_used_bytes{part="${part}"}`) ?? 0) > 0, part);
  }
  const [free = 0, size = 0] = [figures.get('disk_free_bytes'), figures.get('disk_size_bytes')];
  t.ok(free > 0 && size >= free);
});

t.test('the disk is looked at by parts, files that vanish have no bytes, and not at every question', async (t) => {
  const dataDir = t.testdir({
    'config.ini': 'abc',
    'genesis.json': '{}',
    blockchain: { block_log: { one: '1234', deep: { two: '12' } }, lifetime: '24' },
    p2p: { 'peers.json': '[]' },
  });
  let ms = 0;
  let room = { freeBytes: 7, totalBytes: 9 };
  const watch = new DiskWatch(dataDir, { monotonicMs: () => ms }, async () => room);
  t.same(Object.fromEntries(await watch.parts()), { block_log: 6, p2p: 2, other: 7 });
  t.same(await watch.room(), room);
  room = { freeBytes: 1, totalBytes: 9 };
  t.same(await watch.room(), room, 'what is left is asked for anew: it may be gone in seconds');
  writeFileSync(join(dataDir, 'p2p', 'peers.json'), '[1,2,3]');
  ms = 29_999;
  t.equal((await watch.parts()).get('p2p'), 2);
  ms = 30_000;
  t.equal((await watch.parts()).get('p2p'), 7);
  const nowhere = new DiskWatch(join(dataDir, 'gone'), { monotonicMs: () => 0 }, async () => room);
  t.same((await nowhere.parts()).size, 0);
});

t.test('a replay shows how far it is, and no longer once something else begins', async (t) => {
  const stage = new StartStage();
  const registry = new Registry();
  for (const metric of startMetrics(stage)) registry.registerMetric(metric);
  const shown = async (): Promise<string[]> => (await registry.metrics()).match(/^trustnode_replay\S* \S+$/gm) ?? [];
  stage.begin('storage');
  stage.tell('applying blocks of the log, 5 of 20', { number: 5, last: 20 });
  t.same(await shown(), ['trustnode_replay_block 5', 'trustnode_replay_last_block 20']);
  stage.begin('rpc');
  t.same(await shown(), ['trustnode_replay_block 0', 'trustnode_replay_last_block 0']);
});
