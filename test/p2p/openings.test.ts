import t from 'tap';
import type { JsonObject } from '../../src/codec/json.js';
import { type MessageName, REJECTION } from '../../src/p2p/wire/messages.js';
import { Bench, type TestPeer } from './support/test-peer.js';

/** What is answered to whom while a connection opens. */

const PEER = '9.9.9.9:6789';
const ADDRESS = '8.8.8.8:4000';

/** The machine has dialed PEER, and whoever has the name takes it up. */
function dialed(bench: Bench, name = 'dialed'): TestPeer {
  bench.machine.addPeer(bench.now, PEER);
  bench.settle();
  return bench.answer(0, name);
}

/** Up to its hello, and that it accepts. */
function greeted(peer: TestPeer): TestPeer {
  peer.key();
  peer.hello();
  peer.say('connection_accepted', {});
  return peer;
}

t.test('a node that takes no connections makes some', async (t) => {
  const peer = greeted(dialed(new Bench({ acceptIncoming: false })));
  t.ok(peer.names().includes('connection_accepted'));
});

t.test('who is connected is not connected to a second time, whoever has dialed', async (t) => {
  const bench = new Bench();
  bench.active(ADDRESS, 'one');
  const again = dialed(bench, 'one');
  again.key();
  again.hello();
  t.equal(again.last('connection_rejected')?.reason_code, REJECTION.alreadyConnected);
});

t.test('who has turned this node away does not take it all the same', async (t) => {
  const peer = dialed(new Bench());
  peer.key();
  peer.hello();
  peer.say('connection_rejected', {
    user_agent: 'test',
    core_protocol_version: 106,
    remote_endpoint: PEER,
    reason_code: REJECTION.notAccepting,
    reason_string: '',
  });
  t.equal(peer.closedWith, undefined, 'it may still tell addresses');
  peer.say('connection_accepted', {});
  t.equal(peer.closedWith, 'message_out_of_state');
});

t.test('of an address is remembered that it has turned this node away', async (t) => {
  const bench = new Bench();
  const peer = dialed(bench);
  peer.key();
  peer.hello();
  const says = { user_agent: 'test', core_protocol_version: 106, remote_endpoint: PEER, reason_string: '' };
  peer.say('connection_rejected', { ...says, reason_code: REJECTION.notAccepting });
  const [record] = bench.machine.storedPeers as readonly JsonObject[];
  t.equal(record?.last_connection_disposition, 'last_connection_rejected');
});

t.test('only who is accepted is asked whether this node can be reached', async (t) => {
  for (const [allowedPeers, isAsked] of [
    [[], true],
    [['bb'.repeat(33)], false],
  ] as const) {
    const peer = greeted(new Bench({ allowedPeers }).connect(ADDRESS) as TestPeer);
    t.ok(peer.names().includes('address_request'));
    t.equal(peer.names().includes('check_firewall'), isAsked);
  }
});

t.test('before its hello nobody has a say', async (t) => {
  const nobody = { node_id: '00'.repeat(33) };
  const messages: readonly ((peer: TestPeer) => void)[] = [
    (peer) => peer.say('address_request', {}),
    (peer) => peer.say('address', { addresses: [] }),
    (peer) => peer.say('check_firewall', { ...nobody, endpoint_to_check: '0.0.0.0:0' }),
    (peer) => peer.say('check_firewall_reply', { ...nobody, endpoint_checked: '0.0.0.0:0', result: 2 }),
    (peer) => peer.say('current_time_request', { request_sent_time: 0n }),
    (peer) => {
      const times = { request_sent_time: 0n, request_received_time: 0n, reply_transmitted_time: 0n };
      peer.say('current_time_reply', times);
    },
    (peer) => peer.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: [] }),
    (peer) => peer.announce(1001, []),
    (peer) => peer.ids([]),
    (peer) => peer.say('fetch_items', { item_type: 1001, items_to_fetch: [] }),
    (peer) => peer.say('item_not_available', { item_type: 1001, item_hash: '00'.repeat(20) }),
    (peer) => peer.say('get_current_connections_request', {}),
  ];
  for (const [i, say] of messages.entries()) {
    const peer = new Bench().connect(ADDRESS) as TestPeer;
    peer.key();
    say(peer);
    t.equal(peer.closedWith, 'message_out_of_state', String(i));
    const answers: readonly MessageName[] = ['hello', 'closing_connection'];
    t.same(peer.names(), answers);
  }
});
