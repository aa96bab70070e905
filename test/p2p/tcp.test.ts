import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import type { Logger } from '../../src/base/world.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { NetworkDriver } from '../../src/p2p/driver.js';
import { Machine } from '../../src/p2p/machine.js';
import { PacedTraffic } from '../../src/p2p/paced-traffic.js';
import { dialTcp, type Listener, listenTcp } from '../../src/p2p/tcp.js';
import { silentLog } from '../sim/silent-log.js';
import { eventually } from '../support/eventually.js';
import { GoldenChain } from './support/golden-chain.js';

/** The same machine over real sockets. */

interface Node {
  readonly chain: GoldenChain;
  readonly machine: Machine;
  readonly driver: NetworkDriver;
  readonly listener: Listener;
}

const paced = (): PacedTraffic => new PacedTraffic(() => systemClock.monotonicMs(), setImmediate);

async function open(height: number, seeds: readonly string[], log: Logger = silentLog): Promise<Node> {
  const chain = new GoldenChain(height);
  const traffic = paced();
  const listener = await listenTcp('127.0.0.1:0', traffic);
  const machine = new Machine(
    {
      nodeKey: PrivateKey.fromBytes(systemRandom.bytes(32)),
      nodeId: Buffer.from(systemRandom.bytes(33)).toString('hex'),
      userAgent: 'trustnode/test',
      platform: 'linux',
      listenPort: listener.port,
      acceptIncoming: true,
      advertisePeers: true,
      allowPrivate: true,
      connectionsWanted: 20,
      connectionsMax: 200,
      seeds,
      kept: [],
      allowedPeers: [],
      itemsPerRequest: 32,
      random: (count) => systemRandom.bytes(count),
    },
    chain.view,
    { wallMs: systemClock.nowMs(), monotonicMs: systemClock.monotonicMs() },
  );
  const driver = new NetworkDriver({
    machine,
    clock: systemClock,
    log,
    dial: (endpoint, events) => dialTcp(endpoint, events, traffic),
    pushBlock: async ({ block }) => chain.pushBlock(block),
    pushTransactions: async (list) =>
      list.map(({ ticket, transaction }) => ({ ticket, error: chain.pushTransaction(transaction) })),
    storePeers: () => undefined,
    fail: (error) => {
      throw error;
    },
  });
  driver.start();
  listener.serve(driver);
  return { chain, machine, driver, listener };
}

const close = async ({ driver, listener }: Node): Promise<void> => {
  const closed = listener.close();
  await driver.close(1000);
  await closed;
};

t.test('two nodes over sockets: one catches up with the other, and both say goodbye', async (t) => {
  const full = await open(250, []);
  const empty = await open(0, [full.listener.endpoint]);
  await eventually('it catches up', () => empty.chain.view.head.number === 250);
  t.equal(empty.chain.view.head.id, full.chain.view.head.id);
  t.equal(full.machine.activeCount, 1);
  await close(empty);
  await eventually('the other one notices', () => full.machine.peers.size === 0);
  t.same([...full.machine.closures.keys()], ['peer_closing']);
  await close(full);
  t.equal(full.driver.connections + empty.driver.connections, 0);
});

t.test('nobody listens there', async (t) => {
  const listener = await listenTcp('127.0.0.1:0', paced());
  const nowhere = listener.endpoint;
  await listener.close();
  const lines: unknown[] = [];
  const node = await open(0, [nowhere], { ...silentLog, info: (text, values) => lines.push([text, values]) });
  await eventually('the dial fails', () => node.machine.addresses.find(nowhere)?.failed === 1);
  t.same(lines, [['a peer cannot be reached', { peer: nowhere, why: 'ECONNREFUSED' }]]);
  t.equal(node.machine.peers.size, 0);
  await close(node);
});

t.test('an address in use is one clear line', async (t) => {
  const listener = await listenTcp('127.0.0.1:0', paced());
  await t.rejects(listenTcp(listener.endpoint, paced()), {
    message: new RegExp(`^this node cannot listen for peers on ${listener.endpoint}: `),
  });
  await t.rejects(listenTcp(listener.endpoint, paced()), ChainError);
  await listener.close();
});

/** Somebody connects; the bytes that come are passed over. */
async function knock({ port }: Listener) {
  const socket = connect({ host: '127.0.0.1', port });
  const closed = once(socket, 'close');
  await once(socket, 'connect');
  return { socket, closed };
}

t.test('who connects before the network is served waits for it, or for its end', async (t) => {
  const early = await listenTcp('127.0.0.1:0', paced());
  const [waits, node] = [await knock(early), await open(0, [])];
  early.serve(node.driver);
  const [key] = (await once(waits.socket, 'data')) as [Uint8Array];
  t.equal(key.length, 33, 'what a connection begins with');
  await node.driver.close(1000);
  await waits.closed;
  const late = await knock(early);
  late.socket.resume();
  await late.closed;
  t.pass('nobody is taken any more');
  await Promise.all([early.close(), node.listener.close()]);

  const unserved = await listenTcp('127.0.0.1:0', paced());
  const left = await knock(unserved);
  left.socket.resume();
  await Promise.all([unserved.close(), left.closed]);
});

t.test('whoever has said all is left, whatever was still to be said to him', async () => {
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => {
    const events = { opened: () => undefined, data: () => undefined, closed: () => resolve() };
    const more = new Uint8Array(64 << 20);
    dialTcp(`127.0.0.1:${port}`, events, paced()).write(more, () => undefined);
  });
  server.close();
});
