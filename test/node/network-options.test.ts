import { createConnection } from 'node:net';
import t from 'tap';
import { decodeMessage, type Hello, type Message } from '../../src/p2p/wire/messages.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { freePort } from '../support/free-port.js';
import { rpcCall } from '../support/rpc-call.js';
import { SocketPeer } from '../support/socket-peer.js';

/** Options of the network, as others see what they do. */

const OPEN: Line = {
  'enable-network-node-api': 'true',
  'p2p-private-addresses': 'true',
  'p2p-endpoint': '127.0.0.1:0',
  plugins: 'none',
};

async function listening({ node }: DevNode): Promise<string> {
  const info = await rpcCall<{ listening_on: string }>(node.endpoints.plain, 'call', ['network_node', 'get_info', []]);
  return info.listening_on;
}

t.test('p2p-accept-incoming = false: nobody listens on the endpoint', async (t) => {
  const endpoint = `127.0.0.1:${await freePort()}`;
  const dev = await startDevNode(t.testdir(), { ...OPEN, 'p2p-endpoint': endpoint, 'p2p-accept-incoming': 'false' });
  t.equal(await listening(dev), '0.0.0.0:0');
  const [host, port] = endpoint.split(':');
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const socket = createConnection({ host: host as string, port: Number(port) });
    socket.on('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.on('error', resolve);
  });
  t.equal(error?.code, 'ECONNREFUSED');
  await dev.node.stop();
});

t.test('p2p-advertise: peers are told this address, without it the one of the connection', async (t) => {
  for (const [more, address, port] of [
    [{ 'p2p-advertise': '203.0.113.7:6789' }, '203.0.113.7', 6789],
    [{}, '127.0.0.1', undefined],
  ] as const) {
    const dev = await startDevNode(t.testdir({}), { ...OPEN, ...more });
    const endpoint = await listening(dev);
    let hello: Hello | undefined;
    const peer = await SocketPeer.open({
      endpoint,
      chainId: dev.node.chainId,
      onMessage: (name, payload) => {
        if (name === 'hello') hello = decodeMessage('hello', payload);
      },
    });
    t.equal(hello?.inbound_address, address);
    t.equal(hello?.inbound_port, port ?? Number(endpoint.split(':')[1]));
    peer.close();
    await dev.node.stop();
  }
});

t.test('p2p-max-connections: one more is turned away, and is taken when another one goes', async (t) => {
  const dev = await startDevNode(t.testdir(), { ...OPEN, 'p2p-max-connections': '2' });
  const options = { endpoint: await listening(dev), chainId: dev.node.chainId };
  const peers = [await SocketPeer.open(options), await SocketPeer.open(options)];
  let rejection: Message<'connection_rejected'> | undefined;
  const late = new SocketPeer({
    ...options,
    onMessage: (name, payload) => {
      if (name === 'connection_rejected') rejection = decodeMessage('connection_rejected', payload);
    },
  });
  late.sendKey();
  await late.until('there are keys', () => late.hasKeys);
  late.sendHello();
  await late.until('it is told', () => rejection !== undefined);
  t.match(rejection, { reason_code: 4, reason_string: 'not accepting any more incoming connections' });
  late.close();
  peers[0]?.close();
  await peers[0]?.closed;
  const again = await SocketPeer.open(options);
  t.equal(again.isClosed, false);
  for (const peer of [...peers, again]) peer.close();
  await dev.node.stop();
});
