import { join } from 'node:path';
import t from 'tap';
import { ITEM_BLOCK } from '../../src/p2p/wire/messages.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { freePort } from '../support/free-port.js';
import { rpcCall } from '../support/rpc-call.js';
import { SocketPeer } from '../support/socket-peer.js';

/** What an operator is told of a network that is not as it should be. */

const OPEN: Line = {
  'enable-network-node-api': 'true',
  'p2p-private-addresses': 'true',
  'p2p-endpoint': '127.0.0.1:0',
};
const FOLLOWS: Line = { ...OPEN, plugins: 'none', 'monitor-endpoint': '127.0.0.1:0' };

async function readiness({ node }: DevNode): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://${node.endpoints.monitor}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

async function listening({ node }: DevNode): Promise<string> {
  const info = await rpcCall<{ listening_on: string }>(node.endpoints.plain, 'call', ['network_node', 'get_info', []]);
  return info.listening_on;
}

/** A chain with some blocks, so that a follower has something to be level with. */
async function producer(folder: string, clock: FakeClock): Promise<DevNode> {
  const node = await startDevNode(folder, OPEN, clock);
  for (let i = 0; i < 5; i++) {
    clock.advance(3000);
    await new Promise(setImmediate);
  }
  return node;
}

t.test('without a peer a node that expects one is not ready; with one it is, and without again', async (t) => {
  const folder = t.testdir({ a: {}, b: {}, c: {} });
  const clock = new FakeClock(Date.now());
  const a = await producer(join(folder, 'a'), clock);
  const port = await freePort();
  const lonely = await startDevNode(join(folder, 'b'), { ...FOLLOWS, 'seed-node': `127.0.0.1:${port}` }, clock);
  t.match(await readiness(lonely), { status: 503, text: /no peer is connected/ });
  await rpcCall(lonely.node.endpoints.plain, 'call', ['network_node', 'add_node', [await listening(a)]]);
  await eventually('it is ready', async () => {
    clock.advance(500);
    return (await readiness(lonely)).status === 200;
  });
  await a.node.stop();
  await eventually('it is not any more', async () => (await readiness(lonely)).status === 503);
  t.match((await readiness(lonely)).text, 'no peer is connected');

  // The first node of a network waits for others, and is ready all the same.
  const first = await startDevNode(join(folder, 'c'), FOLLOWS, clock);
  t.notMatch((await readiness(first)).text, 'no peer is connected');
  await first.node.stop();
  await lonely.node.stop();
});

t.test('a node that is far behind its peers is not ready', async (t) => {
  const LISTED = 1000;
  const clock = new FakeClock(Date.now());
  const node = await startDevNode(t.testdir(), FOLLOWS, clock);
  let questions = 0;
  const peer = await SocketPeer.open({
    endpoint: await listening(node),
    chainId: node.node.chainId,
    onMessage: (name) => {
      if (name === 'fetch_blockchain_item_ids') questions++;
    },
  });
  t.teardown(() => peer.close());
  // From now on it answers as it likes: with ids of blocks that it never gives.
  peer.isPolite = false;
  const before = questions;
  const ids = Array.from({ length: LISTED }, (_, i) => (i + 1).toString(16).padStart(8, '0') + 'ab'.repeat(16));
  const [last] = ids.slice(-1);
  peer.say('fetch_blockchain_item_ids', { item_type: ITEM_BLOCK, blockchain_synopsis: [last as string] });
  await eventually('the node has asked for ids', () => questions > before);
  peer.say('blockchain_item_ids_inventory', {
    total_remaining_item_count: 0,
    item_type: ITEM_BLOCK,
    item_hashes_available: ids,
  });
  await eventually('it says so', async () => /1000 blocks are still to be fetched/.test((await readiness(node)).text));
  t.equal((await readiness(node)).status, 503);
  await node.node.stop();
});

t.test('a clock that the peers disagree with is warned about, a small difference is not', async (t) => {
  const WARNING = 'the clocks of the peers differ from this one';
  const folder = t.testdir({ a: {}, b: {}, c: {} });
  const clock = new FakeClock(Date.now());
  const a = await producer(join(folder, 'a'), clock);
  const seed = await listening(a);
  for (const [name, behindMs] of [
    ['b', 2000],
    ['c', 300],
  ] as const) {
    const own = new FakeClock(clock.nowMs() - behindMs);
    const node = await startDevNode(join(folder, name), { ...FOLLOWS, 'seed-node': seed }, own);
    const pass = (ms: number): void => {
      clock.advance(ms);
      own.advance(ms);
    };
    await eventually('it has compared its clock with that of the peer', async () => {
      pass(100);
      const { text } = await fetchMetrics(node);
      return Math.abs(Number(/^trustnode_p2p_clock_offset_seconds (\S+)$/m.exec(text)?.[1] ?? 0)) > behindMs / 2000;
    });
    // Until the next look: peers that send blocks of the future are not there for long.
    for (let ms = 0; ms < 5000; ms += 1000) {
      pass(1000);
      await new Promise(setImmediate);
    }
    const said = node.log.entries.filter(({ text }) => text === WARNING);
    const { text } = await readiness(node);
    if (behindMs > 500) {
      t.equal(said.length, 1, 'it is warned');
      const ms = Number(said[0]?.values?.ms);
      t.ok(ms > behindMs - 500 && ms < behindMs + 500, `by ${ms} ms`);
      t.match(text, /the clock of this machine is [12]\.\d s behind those of its peers/);
    } else {
      t.equal(said.length, 0, 'nothing is said');
      t.notMatch(text, 'clock');
    }
    await node.node.stop();
  }
  await a.node.stop();
});

async function fetchMetrics({ node }: DevNode): Promise<{ text: string }> {
  const answer = await fetch(`http://${node.endpoints.monitor}/metrics`);
  return { text: await answer.text() };
}
