import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';

/** Whole nodes with sockets between them: one makes blocks, the others get them. */

interface Info {
  readonly listening_on: string;
  readonly node_public_key: string;
  readonly node_id: string;
  readonly firewalled: string;
  readonly connection_count: number;
}

const network = <T>({ node }: DevNode, method: string, params: unknown[] = []): Promise<T> =>
  rpcCall<T>(node.endpoints.plain, 'call', ['network_node', method, params]);

const OPEN: Line = { 'enable-network-node-api': 'true', 'p2p-private-addresses': 'true' };
const FOLLOWS: Line = { ...OPEN, plugins: 'none' };

/** Time is theirs together; sockets take their own. */
async function passing(clock: FakeClock, what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(what, async () => {
    clock.advance(500);
    return done();
  });
}

const headOf = ({ node }: DevNode): string => node.chain.queries.head.id;

t.test('a node catches up with another one and follows it; what its clients send gets into blocks', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const clock = new FakeClock(Date.now());
  const a = await startDevNode(join(folder, 'a'), { ...OPEN, 'p2p-endpoint': '127.0.0.1:0' }, clock);
  for (let i = 0; i < 40; i++) {
    clock.advance(3000);
    await new Promise(setImmediate);
  }
  const { listening_on } = await network<Info>(a, 'get_info');
  t.match(listening_on, /^127\.0\.0\.1:\d+$/);
  t.ok(a.node.chain.queries.head.number >= 35);

  const line = { ...FOLLOWS, 'seed-node': listening_on };
  const b = await startDevNode(join(folder, 'b'), line, clock);
  await passing(clock, 'it catches up', () => b.node.chain.queries.head.number >= 35 && headOf(a) === headOf(b));

  const info = await network<Info>(b, 'get_info');
  t.match(info, { listening_on: '0.0.0.0:0', connection_count: 1, firewalled: 'firewalled' });
  t.match(info.node_public_key, /^0[23][0-9a-f]{64}$/);
  const peers = await network<{ host: string; info: Record<string, unknown> }[]>(b, 'get_connected_peers');
  t.match(peers, [
    { version: 0, host: listening_on, info: { inbound: false, subver: 'trustnode', platform: process.platform } },
  ]);
  t.match(Object.keys(peers[0]?.info ?? {}).slice(0, 4), ['addr', 'addrlocal', 'services', 'lastsend']);
  t.same(await network(b, 'get_banned_addresses'), []);
  t.match(await network(b, 'get_potential_peers'), [
    { endpoint: listening_on, last_connection_disposition: 'last_connection_succeeded' },
  ]);
  t.match(await network(b, 'get_advanced_node_parameters'), {
    desired_number_of_connections: 20,
    maximum_number_of_connections: 200,
    maximum_blocks_per_peer_during_syncing: 200,
  });
  await network(b, 'set_advanced_node_parameters', [{ maximum_number_of_connections: 7 }]);
  t.match(await network(b, 'get_advanced_node_parameters'), {
    desired_number_of_connections: 7,
    maximum_number_of_connections: 7,
  });

  const [from, to] = await rpcCall<{ id: string }[]>(b.node.endpoints.plain, 'lookup_account_names', [
    ['alice', 'bob'],
  ]);
  const transfer = { from: from?.id, to: to?.id, amount: { amount: 5, asset_id: '1.3.1' }, extensions: [] };
  const signed = await signedBy(b.node.endpoints.plain, DEV_ACCOUNTS[0]?.key, [[0, transfer]]);
  const body = signedTransaction.toJson(signed, NETWORK);
  const id = await rpcCall<string>(b.node.endpoints.plain, 'call', [2, 'broadcast_transaction', [body]]);
  await passing(clock, 'the transaction is in a block of both', async () => {
    const found = await rpcCall<object | null>(b.node.endpoints.plain, 'get_transaction_rows', [id]).catch(() => null);
    return found !== null && headOf(a) === headOf(b);
  });
  t.equal(a.node.chain.queries.isKnownTransaction(id), true);

  t.equal(await b.node.stop(), true);
  const config = JSON.parse(readFileSync(join(folder, 'b', 'data', 'p2p', 'node_config.json'), 'utf8'));
  t.match(config.private_key, /^[0-9a-f]{64}$/);
  const stored = JSON.parse(readFileSync(join(folder, 'b', 'data', 'p2p', 'peers.json'), 'utf8'));
  t.match(stored, [{ endpoint: listening_on }]);
  const again = await startDevNode(join(folder, 'b'), line, clock);
  await passing(clock, 'it is there again', () => headOf(a) === headOf(again));
  const { node_public_key } = await network<Info>(again, 'get_info');
  t.equal(node_public_key, info.node_public_key, 'known by the same key');
  await again.node.stop();
  await a.node.stop();
});

t.test('what a node without peers has accepted gets into a block once it has some', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const clock = new FakeClock(Date.now());
  const a = await startDevNode(join(folder, 'a'), { ...OPEN, 'p2p-endpoint': '127.0.0.1:0' }, clock);
  for (let i = 0; i < 10; i++) {
    clock.advance(3000);
    await new Promise(setImmediate);
  }
  const { listening_on: first } = await network<Info>(a, 'get_info');
  const b = await startDevNode(
    join(folder, 'b'),
    { ...FOLLOWS, 'p2p-endpoint': '127.0.0.1:0', 'seed-node': first },
    clock,
  );
  await passing(clock, 'it catches up', () => b.node.chain.queries.head.number >= 8 && headOf(a) === headOf(b));
  await a.node.stop();
  await passing(clock, 'nobody is left', async () => (await network<Info>(b, 'get_info')).connection_count === 0);

  const at = b.node.endpoints.plain;
  const [from, to] = await rpcCall<{ id: string }[]>(at, 'lookup_account_names', [['alice', 'bob']]);
  const transfer = { from: from?.id, to: to?.id, amount: { amount: 7, asset_id: '1.3.1' }, extensions: [] };
  const signed = await signedBy(at, DEV_ACCOUNTS[0]?.key, [[0, transfer]]);
  const body = signedTransaction.toJson(signed, NETWORK);
  const id = await rpcCall<string>(at, 'call', [2, 'broadcast_transaction', [body]]);

  const { listening_on } = await network<Info>(b, 'get_info');
  const again = await startDevNode(join(folder, 'a'), { ...OPEN, 'seed-node': listening_on }, clock);
  await passing(clock, 'a block has it', () => again.node.chain.queries.isKnownTransaction(id));
  await again.node.stop();
  await b.node.stop();
});

t.test('without an address, seeds and peers there is no network', async (t) => {
  const dev = await startDevNode(t.testdir(), { 'enable-network-node-api': 'true' });
  t.match(await network(dev, 'get_info'), { listening_on: '0.0.0.0:0', connection_count: 0 });
  await t.rejects(network(dev, 'add_node', ['127.0.0.1:1']), /without a peer-to-peer network/);
  await dev.node.stop();
});

t.test('a peer of another chain is named with both chains; an unreadable list of peers is no obstacle', async (t) => {
  const folder = t.testdir({ a: {}, b: { data: { p2p: { 'peers.json': 'no list' } } } });
  const clock = new FakeClock(Date.now());
  const a = await startDevNode(join(folder, 'a'), { ...OPEN, 'p2p-endpoint': '127.0.0.1:0' }, clock);
  const { listening_on } = await network<Info>(a, 'get_info');
  const line = { ...FOLLOWS, 'seed-node': listening_on, 'genesis-timestamp': '30' };
  const b = await startDevNode(join(folder, 'b'), line, clock);
  t.not(b.node.chainId, a.node.chainId);
  const told = () => b.log.entries.find(({ text }) => text === 'a peer belongs to another chain');
  await passing(clock, 'it is told', () => told() !== undefined);
  t.match(told()?.values, { peer: listening_on, own: b.node.chainId, theirs: a.node.chainId });
  t.ok(b.log.entries.some(({ text }) => text === 'known peers cannot be read'));
  await b.node.stop();
  await a.node.stop();
});

t.test('an address in use and a key file that holds none end the start with one clear line', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const a = await startDevNode(join(folder, 'a'), { ...OPEN, 'p2p-endpoint': '127.0.0.1:0' });
  const { listening_on } = await network<Info>(a, 'get_info');
  await t.rejects(startDevNode(join(folder, 'b'), { 'p2p-endpoint': listening_on }), /cannot listen for peers on/);
  await a.node.stop();
  writeFileSync(join(folder, 'a', 'data', 'p2p', 'node_config.json'), '{}');
  await t.rejects(startDevNode(join(folder, 'a'), { 'p2p-endpoint': '127.0.0.1:0' }), /holds no private key/);
});
