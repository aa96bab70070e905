import t from 'tap';
import { ITEM_BLOCK, MESSAGES } from '../../src/p2p/wire/messages.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { rpcCall } from '../support/rpc-call.js';
import { SocketPeer } from '../support/socket-peer.js';

/** The figures of each peer and of catching up, as a monitor reads them. */

const LISTED = 1000;
/** From one look at the progress to the next. */
const LOOK_MS = 10_000;

t.test('each peer has its figures, catching up has its own, and they go when the peer goes', async (t) => {
  const { node, clock, log } = await startDevNode(t.testdir(), {
    'enable-network-node-api': 'true',
    'p2p-private-addresses': 'true',
    'p2p-endpoint': '127.0.0.1:0',
    plugins: 'none',
    'monitor-endpoint': '127.0.0.1:0',
  });
  const { listening_on: endpoint } = await rpcCall<{ listening_on: string }>(node.endpoints.plain, 'call', [
    'network_node',
    'get_info',
    [],
  ]);
  const series = async (): Promise<Map<string, number>> => {
    const text = await (await fetch(`http://${node.endpoints.monitor}/metrics`)).text();
    return new Map(
      [...text.matchAll(/^trustnode_p2p_(\S+) (\S+)$/gm)].map(([, name, value]) => [name ?? '', Number(value)]),
    );
  };
  let questions = 0;
  const open = (): Promise<SocketPeer> =>
    SocketPeer.open({
      endpoint,
      chainId: node.chainId,
      onMessage: (name) => {
        if (name === 'fetch_blockchain_item_ids') questions++;
      },
    });
  const peer = await open();
  t.teardown(() => peer.close());
  const named = `{peer="127.0.0.1:${peer.socket.localPort}"}`;
  const first = await series();
  t.equal(first.get('peers'), 1);
  t.equal(first.get('blocks_behind'), 0);
  t.ok((first.get(`peer_bytes_sent${named}`) ?? 0) > 200, 'a hello and more');
  t.ok((first.get(`peer_bytes_received${named}`) ?? 0) > 200);
  t.ok((first.get(`peer_round_trip_seconds${named}`) ?? -1) >= 0);
  t.equal(first.get(`peer_blocks_listed${named}`), 0);
  t.equal(first.get(`peer_score${named}`), 0);
  t.ok([...first.keys()].some((name) => name.startsWith('held{kind=')));

  // Just before the next look at the progress it lists blocks that the node lacks.
  clock.advance(LOOK_MS - 500);
  peer.isPolite = false;
  const before = questions;
  const ids = Array.from({ length: LISTED }, (_, i) => (i + 1).toString(16).padStart(8, '0') + 'ab'.repeat(16));
  peer.say('fetch_blockchain_item_ids', { item_type: ITEM_BLOCK, blockchain_synopsis: ids.slice(-1) });
  await eventually('the node has asked for ids', () => questions > before);
  peer.say('blockchain_item_ids_inventory', {
    total_remaining_item_count: 0,
    item_type: ITEM_BLOCK,
    item_hashes_available: ids,
  });
  await eventually('it is behind', async () => (await series()).get('blocks_behind') === LISTED);
  t.equal((await series()).get(`peer_blocks_listed${named}`), LISTED);
  clock.advance(500);
  const said = log.entries.filter(({ text }) => text === 'catching up with the network');
  t.match(said, [{ level: 'info', module: 'p2p', values: { behind: LISTED, blocksPerSec: Number, left: String } }]);
  t.ok((await series()).has('blocks_per_second') && (await series()).has('seconds_left'));

  // What it has to answer for stays with its address when it has gone.
  peer.frame(MESSAGES.fetch_items.type, Uint8Array.from([1]));
  await peer.closed;
  await eventually(
    'it has no figures any more',
    async () => ![...(await series()).keys()].some((name) => name.endsWith(named)),
  );
  const after = await series();
  t.equal(after.get('peers'), 0);
  t.equal(after.get('blocks_behind'), 0);
  t.equal(after.get('connections_ended{reason="message_unreadable"}'), 1);
  await node.stop();
});
