import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { stateHash } from '../../src/state/state-hash.js';
import { commandLine } from '../support/command-line.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { rpcCall } from '../support/rpc-call.js';

/** What can be read in the data directory of a node that runs, while it runs on. */

interface Beside {
  readonly folder: string;
  readonly data: string;
  readonly dev: DevNode;
}

async function startBeside(t: Test, line: Line = {}): Promise<Beside> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-beside-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const dev = await startDevNode(folder, line);
  t.teardown(() => dev.node.stop());
  dev.clock.advance(30_000);
  return { folder, dev, data: join(folder, 'data') };
}

t.test('blocks are exported beside a node that makes more of them', async (t) => {
  const { folder, dev } = await startBeside(t);
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

t.test('the state of the last irreversible block is hashed, written and profiled on beside it', async (t) => {
  const { folder, data, dev } = await startBeside(t);
  const { chain } = dev.node;
  const { irreversible } = chain.queries.head;
  const id = chain.queries.blockIdOf(irreversible);
  t.ok(irreversible > 0 && irreversible < chain.queries.head.number);
  const hashed = await commandLine(['state-hash', '-d', data, '--json']);
  t.match(hashed, { code: 0, stderr: `last irreversible block, ${irreversible}` });
  const said = JSON.parse(hashed.stdout) as { block: number; block_id: string; state_hash: string };
  t.match(said, { block: irreversible, block_id: id });
  t.not(said.state_hash, chain.snapshots.withHeadState(stateHash), 'which is not the head');

  const exported = await commandLine(['export-state', '-', '-d', data, '--with-ids', '1.2']);
  t.equal(exported.code, 0, exported.stderr);
  t.match(exported.stdout, /"name":"alice"/);
  const profiled = await commandLine(['contract', 'profile', 'alice', 'hi', '{}', '--account', 'bob', '-d', data]);
  t.match(profiled, { code: 1, stderr: /profile_contract: account alice is no contract/ });
  t.same(readdirSync(join(data, 'state-copies')), [], 'each has removed its copy, also the one that failed');

  const earlier = await commandLine(['state-hash', '-d', data, '--at-block', '1']);
  t.match(earlier, { code: 1, stderr: /beside_at_block: / });
  t.match((await commandLine(['state-hash', '-d', data])).code, 0, 'and the node goes on');

  const { clock } = dev;
  await dev.node.stop();
  const stopped = await commandLine(['state-hash', '-d', data, '--at-block', String(irreversible), '--json']);
  t.same(JSON.parse(stopped.stdout), said, 'the same as of the stopped node at that block');
  const again = await startDevNode(folder, {}, clock);
  t.teardown(() => again.node.stop());
});

t.test('copies that nobody has removed do not pile up', async (t) => {
  const { folder, data, dev } = await startBeside(t);
  const { plain } = dev.node.endpoints;
  const copies = join(data, 'state-copies');
  const made: string[] = [];
  for (let i = 0; i < 6; i++) {
    made.push((await rpcCall<{ snapshot_dir: string }>(plain, 'copy_state', [])).snapshot_dir);
  }
  t.equal(new Set(made).size, 6);
  const left = readdirSync(copies);
  t.equal(left.length, 4);
  t.ok(made.at(-1)?.endsWith(`/${left.toSorted().at(-1)}`), 'the newest is there');
  const both = await Promise.all([rpcCall(plain, 'copy_state', []), rpcCall(plain, 'copy_state', [])]);
  t.strictNotSame(both[0], both[1], 'each has its own');
  await dev.node.stop();
  const again = await startDevNode(folder, {}, dev.clock);
  t.teardown(() => again.node.stop());
  t.notOk(existsSync(copies), 'a start removes them');
});

t.test('a process that holds the directory and makes no copy is named', async (t) => {
  const { data } = await startBeside(t);
  rmSync(join(data, 'operator.sock'));
  const asked = await commandLine(['state-hash', '-d', data]);
  t.match(asked, { code: 1, stderr: /beside_refused: a node runs on .* no node answers at/ });
});
