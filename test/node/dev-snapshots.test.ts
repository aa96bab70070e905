import { join } from 'node:path';
import t, { type Test } from 'tap';
import accountHistory from '../../plugins/account_history/index.js';
import accountHistoryKv from '../../plugins/account_history_kv/index.js';
import queryTxid from '../../plugins/query_txid/index.js';
import type { ChainEvent } from '../../src/chain/events.js';
import { nodeParts } from '../../src/node/parts/list.js';
import type { DevPort } from '../../src/rpc/ports.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { NodeProcess } from '../support/node-process.js';
import { rpcCall } from '../support/rpc-call.js';

/** A development chain goes back to a snapshot, with all that follows it. */

const PLUGINS = ['account_history', 'account_history_kv', 'query_txid'].join(' ');
const LINE = { plugins: `witness ${PLUGINS}`, 'enable-debug-api': 'true', 'max-ops-per-account': '1000' };
const PARTS = nodeParts([accountHistory, accountHistoryKv, queryTxid]);
const DAY = 86_400;

const dev = <T = { readonly head_block_number: number }>(
  { node }: Pick<DevNode, 'node'>,
  method: string,
  ...params: unknown[]
) => rpcCall<T>(node.endpoints.plain, 'call', ['dev', `dev_${method}`, params]);

const start = (folder: string, clock?: DevNode['clock']): Promise<DevNode> => startDevNode(folder, LINE, clock, PARTS);

const portOf = ({ node }: DevNode): DevPort => node.dev as DevPort;
const hashOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);
const headOf = ({ node }: DevNode) => node.chain.queries.head;

/** Set up, with some blocks behind it, and none by time. */
async function quietChain(t: Test, folder = t.testdir()): Promise<DevNode> {
  const chain = await start(folder);
  t.teardown(() => chain.node.stop());
  portOf(chain).setProducing(false);
  await portOf(chain).mine(10, 0);
  return chain;
}

/** What the histories have of an account: the newest operations, and how many there are. */
async function historyOf({ node }: Pick<DevNode, 'node'>, name: string): Promise<unknown> {
  const { plain } = node.endpoints;
  const [account] = await rpcCall<{ id: string }[]>(plain, 'lookup_account_names', [[name]]);
  const operations = await rpcCall<{ id: string }[]>(plain, 'call', [
    'history',
    'get_relative_account_history',
    [account?.id, 0, 100, 0],
  ]);
  const relative = await rpcCall<{ total_relative_ops_number: number }>(plain, 'get_account_relative_ops', [
    account?.id,
    1,
    100,
  ]);
  return { operations, total: relative.total_relative_ops_number };
}

const rowOf = ({ node }: DevNode, id: string): Promise<unknown> =>
  rpcCall(node.endpoints.plain, 'get_transaction_rows', [id]);

const countOf = (history: unknown): number => (history as { operations: unknown[] }).operations.length;

t.test('back over irreversible blocks: blocks, state, clock, histories', async (t) => {
  const folder = t.testdir();
  const chain = await quietChain(t, folder);
  portOf(chain).faucet('bob', 1n);
  await portOf(chain).mine(1, 0);
  const before = { hash: hashOf(chain), id: headOf(chain).id, status: portOf(chain).status() };
  const history = await historyOf(chain, 'bob');
  t.ok(countOf(history) > 0);
  const snapshot = await dev<number>(chain, 'snapshot');
  const lost = portOf(chain).faucet('bob', 777n);
  portOf(chain).faucet('bob', 778n);
  await portOf(chain).mine(120, 600);
  portOf(chain).increaseTime(30 * DAY);
  const { last_irreversible_block_num: irreversible } = await rpcCall<{ last_irreversible_block_num: number }>(
    chain.node.endpoints.plain,
    'get_dynamic_global_properties',
    [],
  );
  t.ok(irreversible > before.status.head_block_number, 'others are told that they stay');
  t.equal(countOf(await historyOf(chain, 'bob')), countOf(history) + 2);
  t.match(await rowOf(chain, lost), { operations: [[0, {}]] });
  const undone: number[] = [];
  const stop = chain.node.chain.blocks.subscribe((event: ChainEvent) => {
    if (event.kind === 'undone') undone.push(event.block.number);
  });
  t.match(await dev(chain, 'revert', snapshot), { producing: false });
  stop();
  t.equal(undone.length, 120, 'listeners hear of every block');
  t.equal(hashOf(chain), before.hash);
  t.equal(headOf(chain).id, before.id);
  t.same(portOf(chain).status(), before.status, 'the clock too');
  t.same(await historyOf(chain, 'bob'), history);
  t.equal(await rowOf(chain, lost), null, 'a transaction that has not been is not found');

  portOf(chain).faucet('bob', 5n);
  await portOf(chain).mine(70, 0);
  t.equal(countOf(await historyOf(chain, 'bob')), countOf(history) + 1);
  const after = { hash: hashOf(chain), history: await historyOf(chain, 'bob'), id: headOf(chain).id };
  await chain.node.stop();
  const again = await start(folder, chain.clock);
  t.teardown(() => again.node.stop());
  t.equal(headOf(again).id, after.id);
  t.equal(hashOf(again), after.hash);
  t.same(await historyOf(again, 'bob'), after.history);
});

t.test('a restart just after it, and one while a snapshot stands', async (t) => {
  const folder = t.testdir();
  const chain = await quietChain(t, folder);
  const snapshot = portOf(chain).snapshot();
  const hash = hashOf(chain);
  const { id } = headOf(chain);
  await portOf(chain).mine(90, 600);
  portOf(chain).revert(snapshot);
  await chain.node.stop();
  const second = await start(folder, chain.clock);
  t.equal(headOf(second).id, id);
  t.equal(hashOf(second), hash);
  portOf(second).setProducing(false);
  const other = portOf(second).snapshot();
  portOf(second).faucet('carol', 9n);
  await portOf(second).mine(90, 0);
  const later = { hash: hashOf(second), id: headOf(second).id, history: await historyOf(second, 'carol') };
  await second.node.stop();
  const third = await start(folder, second.clock);
  t.teardown(() => third.node.stop());
  t.equal(headOf(third).id, later.id);
  t.equal(hashOf(third), later.hash);
  t.same(await historyOf(third, 'carol'), later.history);
  await t.rejects(dev(third, 'revert', other), /there is no snapshot 1 to go back to/, 'it has ended with the node');
});

t.test('snapshots are used once, and going back ends later ones', async (t) => {
  const chain = await quietChain(t);
  const numbers: number[] = [];
  const hashes: string[] = [];
  for (const amount of [1n, 2n, 3n]) {
    numbers.push(portOf(chain).snapshot());
    hashes.push(hashOf(chain));
    portOf(chain).faucet('bob', amount);
    await portOf(chain).mine(40, 0);
  }
  t.same(numbers, [1, 2, 3]);
  portOf(chain).revert(2);
  t.equal(hashOf(chain), hashes[1]);
  await t.rejects(dev(chain, 'revert', 2), /there is no snapshot 2/);
  await t.rejects(dev(chain, 'revert', 3), /there is no snapshot 3/);
  await portOf(chain).mine(5, 0);
  t.equal(portOf(chain).snapshot(), 4);
  portOf(chain).revert(1);
  t.equal(hashOf(chain), hashes[0]);
  await t.rejects(dev(chain, 'revert', 4), /there is no snapshot 4/);
  portOf(chain).snapshot();
  portOf(chain).snapshot();
  t.equal(await dev<number>(chain, 'dropSnapshots'), 2);
  await t.rejects(dev(chain, 'revert', 5), /there is no snapshot 5/);
  await portOf(chain).mine(40, 0);
  t.ok(headOf(chain).irreversible > headOf(chain).number - 10, 'what is irreversible is handed over again');
});

t.test('what waited waits again, what came later does not', async (t) => {
  const chain = await quietChain(t);
  const waiting = portOf(chain).faucet('bob', 41n);
  const snapshot = portOf(chain).snapshot();
  await portOf(chain).mine(3, 0);
  portOf(chain).faucet('bob', 42n);
  await portOf(chain).mine(60, 0);
  portOf(chain).faucet('bob', 43n);
  portOf(chain).revert(snapshot);
  t.same(
    portOf(chain)
      .pending()
      .map(({ id }) => id),
    [waiting],
  );
});

t.test('objects that were changed by hand afterwards are as before, also after a restart', async (t) => {
  const folder = t.testdir();
  const chain = await quietChain(t, folder);
  const change = (url: string) =>
    rpcCall(chain.node.endpoints.plain, 'call', [
      'debug',
      'debug_update_object',
      [{ id: '1.6.1', _action: 'update', url }],
    ]);
  await change('before');
  const first = portOf(chain).snapshot();
  const hash = hashOf(chain);
  await change('of the same block');
  const second = portOf(chain).snapshot();
  const between = hashOf(chain);
  await change('of the same block again');
  await portOf(chain).mine(60, 0);
  await change('of a later block');
  portOf(chain).revert(second);
  t.equal(hashOf(chain), between);
  // The same blocks come again, without what belonged to them.
  await portOf(chain).mine(60, 0);
  const [witness] = await rpcCall<{ url: string }[]>(chain.node.endpoints.plain, 'get_objects', [['1.6.1']]);
  t.equal(witness?.url, 'of the same block');
  await portOf(chain).mine(1, 0);
  portOf(chain).revert(first);
  t.equal(hashOf(chain), hash);
  await chain.node.stop();
  const again = await start(folder, chain.clock);
  t.teardown(() => again.node.stop());
  t.equal(hashOf(again), hash);
});

t.test('a changed head stays changed when its snapshot is forgotten and the node starts again', async (t) => {
  const folder = t.testdir();
  const chain = await quietChain(t, folder);
  portOf(chain).snapshot();
  await rpcCall(chain.node.endpoints.plain, 'call', [
    'debug',
    'debug_update_object',
    [{ id: '1.6.1', _action: 'update', url: 'kept' }],
  ]);
  await portOf(chain).mine(30, 0);
  portOf(chain).dropSnapshots();
  await portOf(chain).mine(60, 0);
  const hash = hashOf(chain);
  await chain.node.stop();
  const again = await start(folder, chain.clock);
  t.teardown(() => again.node.stop());
  t.equal(hashOf(again), hash);
});

t.test('blocks at their time go on after it, also behind slots that were signed before', async (t) => {
  const folder = t.testdir();
  const chain = await start(folder);
  chain.clock.advance(60_000);
  const snapshot = portOf(chain).snapshot();
  portOf(chain).increaseTime(DAY);
  chain.clock.advance(60_000);
  const { head_block_number: number } = portOf(chain).revert(snapshot);
  chain.clock.advance(11_000);
  t.ok(headOf(chain).number > number, 'they come at once');
  t.same(chain.log.texts('error'), []);
  const next = portOf(chain).snapshot();
  portOf(chain).increaseTime(30 * DAY);
  chain.clock.advance(60_000);
  portOf(chain).revert(next);
  await chain.node.stop();
  const again = await start(folder, chain.clock);
  t.teardown(() => again.node.stop());
  const before = headOf(again).number;
  again.clock.advance(11_000);
  t.ok(headOf(again).number > before, 'after a restart too');
});

t.test('back to before the first block: the chain is set up again', async (t) => {
  const chain = await start(t.testdir());
  t.teardown(() => chain.node.stop());
  portOf(chain).setProducing(false);
  const snapshot = portOf(chain).snapshot();
  const hash = hashOf(chain);
  for (const _ of [1, 2]) {
    await portOf(chain).mine(10, 0);
    portOf(chain).faucet('bob', 1n);
  }
  portOf(chain).revert(snapshot);
  t.equal(headOf(chain).number, 0);
  t.equal(hashOf(chain), hash);
  await portOf(chain).mine(1, 0);
  await new Promise((resolve) => setImmediate(resolve));
  await portOf(chain).mine(5, 0);
  const [asset] = await rpcCall<{ symbol: string }[]>(chain.node.endpoints.plain, 'get_objects', [['1.3.1']]);
  t.equal(asset?.symbol, 'GXC');
});

t.test('killed just after it: the next start stands where the chain was taken back to', async (t) => {
  const folder = t.testdir();
  const options = ['--data-dir', join(folder, 'data'), '--rpc-endpoint', '127.0.0.1:0', '--verify-threads', '0'];
  const begin = async (): Promise<{ process: NodeProcess; node: { node: { endpoints: { plain: string } } } }> => {
    const process = new NodeProcess([
      'start',
      '--dev',
      ...options,
      '--plugins',
      `witness ${PLUGINS}`,
      '--max-ops-per-account',
      '1000',
      '--dev-block-ms',
      '0',
    ]);
    t.teardown(() => process.kill('SIGKILL'));
    const [, plain = ''] = await process.until(/http:\/\/(127\.0\.0\.1:\d+)/);
    await process.until(/the node is running/);
    return { process, node: { node: { endpoints: { plain } } } };
  };
  const first = await begin();
  const call = <T>(method: string, ...params: unknown[]) => dev<T>(first.node as never, method, ...params);
  await call('setProducing', false);
  await call('mine', 10, 0);
  await call('faucet', 'bob', 1);
  await call('mine', 40, 0);
  const snapshot = await call<number>('snapshot');
  const history = await historyOf(first.node as never, 'bob');
  await call('faucet', 'bob', 2);
  await call('mine', 100, 0);
  const { head_block_number: number } = await call<{ head_block_number: number }>('revert', snapshot);
  first.process.kill('SIGKILL');
  await first.process.finished;
  const second = await begin();
  const block = await dev<{ head_block_number: number }>(second.node as never, 'status');
  t.equal(block.head_block_number, number);
  t.same(await historyOf(second.node as never, 'bob'), history);
  const next = await dev<{ head_block_number: number }>(second.node as never, 'mine', 3, 0);
  t.equal(next.head_block_number, number + 3);
});
