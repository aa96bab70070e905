import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { startDevNode } from '../support/dev-node.js';
import { rpcCall } from '../support/rpc-call.js';

const DEBUG = { 'enable-debug-api': 'true', plugins: 'none' };

t.test('debug_push_blocks reads the log of another node and leaves it as it is', async (t) => {
  const folder = t.testdir();
  const source = await startDevNode(join(folder, 'source'));
  source.clock.advance(15_000);
  t.ok(source.node.chain.queries.head.number >= 4);
  await source.node.stop();
  const log = join(folder, 'source', 'data', 'blockchain', 'block_log');
  // As somebody who is still writing leaves it for an instant; a node of its own would cut this.
  for (const name of ['blocks', 'index']) appendFileSync(join(log, name), 'half a record');
  const before = ['blocks', 'index'].map((name) => readFileSync(join(log, name)));

  const dev = await startDevNode(join(folder, 'target'), DEBUG, source.clock);
  t.teardown(() => dev.node.stop());
  const push = (from: string) => rpcCall(dev.node.endpoints.plain, 'call', ['debug', 'debug_push_blocks', [from, 100]]);
  await push(log);
  t.same(dev.node.chain.queries.head.id, source.node.chain.queries.head.id);
  const after = ['blocks', 'index'].map((name) => readFileSync(join(log, name)));
  t.same(after, before);
  const none = join(folder, 'none');
  await t.rejects(push(none), /no such file or folder/);
  t.notOk(existsSync(none), 'a typing error makes no folder');
});
