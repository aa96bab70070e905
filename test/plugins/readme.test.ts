import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { QueryDoor } from '../../src/chain/doors.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { startNode } from '../../src/node/node.js';
import { nodeParts } from '../../src/node/parts/list.js';
import { loadPluginFolders, PLUGIN_ERRORS } from '../../src/node/parts/plugins.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { FOLLOWER_ERRORS } from '../../src/plugin/errors.js';
import { lineOf } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { projectPath } from '../support/paths.js';

/** The plugin that plugins/README.md has people write, in a project of theirs. */
function writeExample(folder: string): string {
  const code = /```js\n([\s\S]*?)```/.exec(readFileSync(projectPath('plugins/README.md'), 'utf8'))?.[1];
  const plugin = join(folder, 'transfer-counts');
  mkdirSync(plugin);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(projectPath('.'), join(folder, 'node_modules', 'trustnode'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(plugin, 'index.js'), code ?? '');
  return plugin;
}

const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'not refused',
    (error: unknown) => error,
  );

const ask = async (endpoint: string, params: unknown): Promise<unknown> => {
  const body = JSON.stringify({ id: 1, method: 'call', params });
  return ((await (await fetch(`http://${endpoint}/`, { method: 'POST', body })).json()) as { result: unknown }).result;
};

/** In the blocks themselves. */
function transfersOf(queries: QueryDoor): Map<number, number> {
  const counts = new Map<number, number>();
  for (let number = 1; number <= queries.head.number; number++) {
    for (const { operations } of queries.blockByNumber(number)?.transactions ?? []) {
      for (const [type, body] of operations) {
        if (type !== 0) continue;
        const { from } = body as unknown as { from: number };
        counts.set(from, (counts.get(from) ?? 0) + 1);
      }
    }
  }
  return counts;
}

t.test('the example of the README runs, is asked, and goes on after a restart', async (t) => {
  const folder = t.testdir();
  const plugin = writeExample(folder);
  const parts = nodeParts(await loadPluginFolders([plugin, plugin]));
  const line = {
    dev: 'true',
    'data-dir': join(folder, 'data'),
    plugins: `witness ${plugin}`,
    'rpc-endpoint': '127.0.0.1:0',
    'monitor-endpoint': '127.0.0.1:0',
    'verify-threads': '0',
    'transfer-counts-from': '1000',
  };
  const settings = loadSettings(lineOf(line), parts);
  const clock = new FakeClock(Date.now());
  for (const life of [1, 2]) {
    const log = new MemoryLog();
    const node = await startNode(settings, { clock, random: systemRandom, log }, undefined, parts);
    if (node === undefined) throw new Error('nobody stopped the start');
    const { plain, monitor } = node.endpoints;
    for (let i = 0; i < 5; i++) {
      clock.advance(3_000);
      await ask(plain as string, ['database', 'get_chain_id', []]);
    }
    const wanted = transfersOf(node.chain.queries);
    t.ok(
      [...wanted.values()].some((count) => count > 0),
      'the development network sends some',
    );
    for (let account = 0; account < 20; account++) {
      const sent = await ask(plain as string, ['transfers', 'sent', [`1.2.${account}`]]);
      t.equal(sent, 1000 + (wanted.get(account) ?? 0), `life ${life}, account ${account}`);
    }
    const metrics = await (await fetch(`http://${monitor}/metrics`)).text();
    t.match(metrics, 'trustnode_follower_blocks_behind{follower="transfer-counts"} 0');
    t.match(metrics, /trustnode_follower_records\{follower="transfer-counts"\} [1-9]/);
    t.equal(await node.stop(), true);
  }
  const missing = join(folder, 'none');
  t.match(await refusal(loadPluginFolders([missing])), { row: PLUGIN_ERRORS.plugin_missing });
});

t.test(
  'without the operation journal a plugin that reads it is refused by name, and the node runs without',
  async (t) => {
    const folder = t.testdir();
    const parts = nodeParts(await loadPluginFolders([writeExample(folder)]));
    const line = {
      dev: 'true',
      'data-dir': join(folder, 'data'),
      'operation-journal': 'false',
      'rpc-endpoint': '127.0.0.1:0',
      'verify-threads': '0',
    };
    const start = async (more: object) => {
      const settings = loadSettings(lineOf({ ...line, ...more }), parts);
      return startNode(
        settings,
        { clock: new FakeClock(Date.now()), random: systemRandom, log: new MemoryLog() },
        undefined,
        parts,
      );
    };
    const found = await refusal(start({ plugins: 'witness transfer-counts' }));
    t.match(found, { row: FOLLOWER_ERRORS.follower_needs_journal, data: { name: 'transfer-counts' } });
    const node = await start({ plugins: 'witness' });
    t.ok(node);
    t.equal(await node?.stop(), true);
  },
);
