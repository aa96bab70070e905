import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { commandLine } from '../support/command-line.js';
import { startDevNode } from '../support/dev-node.js';

/** What can be read in the data directory of a node that runs, while it runs on. */

t.test('blocks are exported beside a node that makes more of them', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-beside-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const dev = await startDevNode(folder);
  t.teardown(() => dev.node.stop());
  dev.clock.advance(30_000);
  const { head } = dev.node.chain.queries;
  t.ok(head.number > 5);
  const file = join(folder, 'blocks.jsonl');
  const asked = ['export-blocks', '-', '-d', join(folder, 'data')];
  const { code, stdout, stderr } = await commandLine(asked);
  t.equal(code, 0, stderr);
  const lines = stdout.trim().split('\n');
  t.equal(lines.length, head.number);
  t.match(JSON.parse(lines.at(-1) ?? ''), { block_id: head.id });
  dev.clock.advance(6000);
  t.ok(dev.node.chain.queries.head.number > head.number, 'it goes on');
  const later = await commandLine([...asked, '--from', String(head.number + 1)]);
  t.match(JSON.parse(later.stdout.split('\n')[0] ?? ''), { previous: head.id });
  const beyond = await commandLine(['export-blocks', file, '-d', join(folder, 'data'), '--to', '9999']);
  t.equal(beyond.code, 1);
  t.match(beyond.stderr, /export_range: /);
  t.notOk(existsSync(file));
});
