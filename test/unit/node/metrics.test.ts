import { Registry } from 'prom-client';
import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import type { ChainEvent } from '../../../src/chain/events.js';
import { IMPORTER_ERRORS } from '../../../src/importer/importer.js';
import { NodeMetrics } from '../../../src/node/runtime/metrics.js';

const lines = async (metrics: NodeMetrics): Promise<readonly string[]> => {
  const registry = new Registry();
  for (const one of metrics.all) registry.registerMetric(one);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('trustnode_chain_block'));
};

const applied = (transactions: number): ChainEvent =>
  ({ kind: 'applied', block: { block: { transactions: Array.from({ length: transactions }) } } }) as ChainEvent;

t.test('what each block moves is on the page of figures whenever it is asked for', async (t) => {
  const metrics = new NodeMetrics();
  const before = await lines(metrics);
  t.ok(before.includes('trustnode_chain_block_duration_seconds_count 0'));
  t.ok(before.includes('trustnode_chain_block_transactions_total 0'));
  const times = [2, 20, 5000];
  const listener = metrics.listener(() => times.shift() as number);
  for (const count of [3, 0, 4]) listener(applied(count));
  const outcome = { id: '', number: 1, isApplied: true, hasSwitched: false };
  metrics.importListener({ kind: 'own' }, outcome);
  metrics.importListener({ kind: 'peer', name: 'a' }, outcome);
  metrics.importListener({ kind: 'peer', name: 'b' }, outcome);
  metrics.importListener({ kind: 'peer', name: 'b' }, { ...outcome, isApplied: false });
  metrics.importListener({ kind: 'peer', name: 'b' }, { error: new ChainError(IMPORTER_ERRORS.importer_closed) });
  metrics.importListener({ kind: 'peer', name: 'b' }, { error: new Error('a bug') });
  for (let asked = 0; asked < 2; asked++) {
    const page = await lines(metrics);
    for (const line of [
      'trustnode_chain_block_duration_seconds_bucket{le="0.001"} 0',
      'trustnode_chain_block_duration_seconds_bucket{le="0.0025"} 1',
      'trustnode_chain_block_duration_seconds_bucket{le="2.5"} 2',
      'trustnode_chain_block_duration_seconds_bucket{le="+Inf"} 3',
      'trustnode_chain_block_duration_seconds_sum 5.022',
      'trustnode_chain_block_transactions_total 7',
      'trustnode_chain_blocks_imported_total{origin="own",outcome="applied"} 1',
      'trustnode_chain_blocks_imported_total{origin="peer",outcome="applied"} 2',
      'trustnode_chain_blocks_imported_total{origin="peer",outcome="kept"} 1',
      'trustnode_chain_blocks_imported_total{origin="peer",outcome="limit"} 1',
      'trustnode_chain_blocks_imported_total{origin="peer",outcome="bug"} 1',
    ]) {
      t.ok(page.includes(line), line);
    }
  }
});
