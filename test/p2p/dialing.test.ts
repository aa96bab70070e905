import t from 'tap';
import type { JsonObject } from '../../src/codec/json.js';
import { timeToText } from '../../src/codec/time.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import type { Peer } from '../../src/p2p/peer.js';
import type { MachineOptions } from '../../src/p2p/ports.js';
import { REJECTION } from '../../src/p2p/wire/messages.js';
import { Bench, type TestPeer } from './support/test-peer.js';

/** Whom this node connects to, whatever others and its own clock do. */

const HOUR_MS = 3_600_000;
const PEER = '9.9.9.9:6789';

t.test('a clock that is set back ends no waiting for the next dial', async (t) => {
  const bench = new Bench({ seeds: [PEER], kept: ['8.8.8.8:6789'] });
  bench.wallAheadMs = 8 * HOUR_MS;
  bench.pass(1000);
  const dials = bench.dials.splice(0);
  t.equal(dials.length, 2);
  for (const { id } of dials) bench.machine.gone(bench.now, id);
  bench.wallAheadMs = 0;
  bench.pass(P2P_LIMITS.dial_ms + 1000);
  t.same(bench.dials.map(({ endpoint }) => endpoint).sort(), ['8.8.8.8:6789', PEER]);
});

t.test('a peer that is always kept is in no danger of being forgotten for others', async (t) => {
  const bench = new Bench();
  for (let i = 0; i < P2P_LIMITS.addresses_max; i++) {
    const known = `11.${i >> 8}.${i & 255}.1:6789`;
    bench.machine.addresses.add(known);
    bench.machine.addresses.reached(known);
  }
  bench.machine.keepPeer(bench.now, PEER);
  const dialsOfIt = () => {
    bench.settle();
    const found = bench.dials.splice(0).filter(({ endpoint }) => endpoint === PEER);
    for (const { id } of found) bench.machine.gone(bench.now, id);
    return found.length;
  };
  t.equal(dialsOfIt(), 1);
  bench.pass(2 * P2P_LIMITS.dial_retry_ms);
  t.ok(dialsOfIt() >= 1, 'it is dialed again');
  t.equal(bench.machine.addresses.count, P2P_LIMITS.addresses_max);
});

t.test('a peer that is kept and has another address is kept there alone', async (t) => {
  const [before, bench] = ['8.8.8.8:6789', new Bench()];
  bench.machine.keepPeer(bench.now, before);
  bench.settle();
  bench.answer(0, 'peer').hangUp();
  bench.machine.keepPeer(bench.now, PEER, before);
  bench.settle();
  t.same(bench.machine.options.kept, [PEER]);
  t.notOk(bench.machine.isConnectedTo(PEER));
  bench.answer(1, 'peer').open();
  t.ok(bench.machine.isConnectedTo(PEER));
  bench.connect('7.7.7.7:50000')?.open({ inbound_port: 6789 });
  t.ok(bench.machine.isConnectedTo('7.7.7.7:6789'), 'by the port that it says it listens at, too');
  t.notOk(bench.machine.isConnectedTo(before));
});

t.test('those who come by themselves leave room for connections of this node’s own choice', async (t) => {
  const bench = new Bench({ connectionsMax: 40 });
  for (let i = 0; i < 60; i++) bench.connect(`8.${i}.8.8:4000`)?.open();
  bench.machine.addresses.add(PEER);
  bench.pass(1000);
  t.same(
    bench.dials.map(({ endpoint }) => endpoint),
    [PEER],
  );
  t.equal(bench.machine.activeCount, 40 - P2P_LIMITS.outbound_min);
});

t.test('room is left for as many as are missing, and for no others', (t) => {
  const crowd = (bench: Bench): number => {
    for (let i = 0; i < 12; i++) bench.connect(`8.${i}.8.8:4000`)?.open();
    return bench.machine.activeCount;
  };
  const own = () => {
    const bench = new Bench({ connectionsMax: 8 });
    for (const endpoint of [PEER, '9.2.2.2:6789']) bench.machine.addresses.add(endpoint);
    bench.pass(1000);
    const peers = bench.dials.map(({ endpoint }, i) => bench.answer(i, endpoint));
    for (const peer of peers) peer.open();
    return { bench, peers };
  };
  t.equal(crowd(own().bench), 8, 'nothing is missing');

  const { bench: ended, peers } = own();
  const [peer] = peers as [TestPeer];
  ended.lingering.add(peer.id);
  peer.hello();
  t.equal(peer.closedWith, 'hello_repeated');
  t.equal(crowd(ended), 7, 'one of two is over');

  const added = new Bench({ connectionsWanted: 0, connectionsMax: 8 });
  added.machine.addPeer(added.now, PEER);
  added.settle();
  added.answer(0, 'added').open();
  t.equal(crowd(added), 8, 'one more than is wanted gives nobody else another place');
  t.end();
});

t.test(
  'a peer that the operator adds is dialed although there are enough; others only where there is room',
  async (t) => {
    const added = new Bench({ connectionsWanted: 0 });
    added.machine.addPeer(added.now, PEER);
    added.settle();
    t.same(
      added.dials.map(({ endpoint }) => endpoint),
      [PEER],
    );
    const small = new Bench({ connectionsMax: 4 });
    for (let i = 0; i < 3; i++) small.active(`8.${i}.8.8:4000`);
    for (let i = 1; i <= 5; i++) small.machine.addresses.add(`9.${i}.1.1:6789`);
    small.pass(1000);
    t.equal(small.dials.length, 1, 'one more than those that are there');
  },
);

t.test('of what was stored only what can be dialed is taken up again', async (t) => {
  const record = (endpoint: string): JsonObject => ({
    endpoint,
    last_seen_time: timeToText(0),
    last_connection_disposition: 'never_attempted_to_connect',
    last_connection_attempt_time: timeToText(0),
    number_of_successful_connection_attempts: 0,
    number_of_failed_connection_attempts: 0,
  });
  const places = [PEER, '10.0.0.1:6789', '127.0.0.1:6789', '224.0.0.1:6789', '9.9.9.8:0'];
  for (const [allowPrivate, taken] of [
    [false, 1],
    [true, 3],
  ] as const) {
    const { addresses } = new Bench({ allowPrivate }).machine;
    addresses.load(places.map(record));
    t.same(
      [...addresses.records].map(({ endpoint }) => endpoint),
      places.slice(0, taken),
    );
  }
});

t.test('a node that tells of no peers has an empty list for who asks', async (t) => {
  for (const advertisePeers of [true, false]) {
    const bench = new Bench({ advertisePeers });
    const [asker] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
    asker.say('address_request', {});
    t.equal(asker.last('address')?.addresses.length, advertisePeers ? 2 : 0);
  }
});

t.test('of an address is remembered how often it was reached, how often not, and how that ended', async (t) => {
  const bench = new Bench();
  bench.machine.keepPeer(bench.now, PEER);
  bench.settle();
  bench.machine.gone(bench.now, bench.dials[0]?.id ?? 0);
  const stored = (index: number) => (bench.machine.storedPeers as readonly JsonObject[])[index];
  t.match(stored(0), {
    last_connection_disposition: 'last_connection_failed',
    number_of_successful_connection_attempts: 0,
    number_of_failed_connection_attempts: 1,
  });
  bench.pass(P2P_LIMITS.dial_retry_ms);
  bench.answer(1, 'peer').open();
  const now = timeToText(Math.floor(bench.now.wallMs / 1000));
  t.match(stored(0), {
    last_seen_time: now,
    last_connection_disposition: 'last_connection_succeeded',
    number_of_successful_connection_attempts: 1,
    number_of_failed_connection_attempts: 1,
  });
});

t.test('an address behind which this node finds itself is never dialed again', async (t) => {
  const own: (peer: TestPeer) => void = (peer) =>
    peer.hello({ user_data: [['node_id', { kind: 'text', value: 'aa'.repeat(33) }]] });
  const told: (peer: TestPeer) => void = (peer) => {
    peer.hello();
    const why = { reason_code: REJECTION.connectedToSelf, reason_string: 'me', remote_endpoint: PEER };
    peer.say('connection_rejected', { user_agent: 'test', core_protocol_version: 106, ...why });
  };
  for (const [happen, code] of [
    [own, REJECTION.connectedToSelf],
    [told, undefined],
  ] as const) {
    const bench = new Bench({ seeds: [PEER] });
    bench.pass(1000);
    const peer = bench.answer(0, 'itself');
    peer.key();
    happen(peer);
    t.equal(peer.last('connection_rejected')?.reason_code, code);
    bench.pass(2 * P2P_LIMITS.dial_retry_ms);
    t.equal(bench.dials.length, 1);
    t.notOk(bench.machine.addresses.isUsable(PEER), 'nor learned from others');
  }
});

t.test('who comes by himself and says that it is this node has no address that leads here', async (t) => {
  const bench = new Bench();
  const why = { reason_code: REJECTION.connectedToSelf, reason_string: 'me', remote_endpoint: PEER };
  const says = bench.connect(PEER);
  says?.key();
  says?.hello();
  says?.say('connection_rejected', { user_agent: 'test', core_protocol_version: 106, ...why });
  t.equal(says?.closedWith, 'rejected_by_peer');
  const claims = bench.connect('9.9.8.8:6789');
  claims?.key();
  claims?.hello({ user_data: [['node_id', { kind: 'text', value: 'aa'.repeat(33) }]] });
  t.equal(claims?.last('connection_rejected')?.reason_code, REJECTION.connectedToSelf);
  for (const endpoint of [PEER, '9.9.8.8:6789']) t.ok(bench.machine.addresses.isUsable(endpoint), endpoint);
});

t.test(
  'a dial that fails is told: once where the operator has named the peer, else for who looks closer',
  async (t) => {
    const named = '8.8.8.8:6789';
    const bench = new Bench({ seeds: [PEER], kept: [named] });
    const failures = (): readonly [string, unknown][] => {
      const found = bench.told.filter(({ text }) => text === 'a peer cannot be reached');
      bench.told.length = 0;
      return found.map(({ level, values }): [string, unknown] => [level, values]).sort();
    };
    bench.settle();
    bench.pass(1000);
    for (const { id } of bench.dials.splice(0)) bench.machine.gone(bench.now, id, 'ECONNREFUSED');
    bench.settle();
    t.same(failures(), [
      ['info', { peer: named, why: 'ECONNREFUSED' }],
      ['info', { peer: PEER, why: 'ECONNREFUSED' }],
    ]);
    bench.pass(P2P_LIMITS.dial_retry_ms + P2P_LIMITS.dial_ms);
    t.equal(bench.dials.length, 2);
    bench.pass(P2P_LIMITS.handshake_idle_ms);
    t.same(failures(), [
      ['debug', { peer: named, why: 'no answer' }],
      ['debug', { peer: PEER, why: 'no answer' }],
    ]);
    bench.machine.addresses.reached(named);
    bench.pass(3 * P2P_LIMITS.dial_retry_ms);
    const missed = failures().filter(([level]) => level === 'info');
    t.same(missed, [['info', { peer: named, why: 'no answer' }]], 'it had been reached');
  },
);

t.test(
  'an address that has worked is not forgotten for newer ones; private ones are for those who want them',
  async (t) => {
    const bench = new Bench({ allowPrivate: true });
    const { addresses } = bench.machine;
    addresses.add(PEER);
    addresses.reached(PEER);
    bench.pass(1000);
    for (let i = 0; i < P2P_LIMITS.addresses_max; i++) addresses.add(`11.${i >> 8}.${i & 255}.1:6789`);
    t.equal(addresses.count, P2P_LIMITS.addresses_max);
    t.ok(addresses.find(PEER));
    const usable = (of: Bench) =>
      ['10.0.0.1:6789', '127.0.0.1:6789', '224.0.0.1:6789', '8.8.8.8:6789', '8.8.8.8:0'].map((endpoint) =>
        of.machine.addresses.isUsable(endpoint),
      );
    t.same(usable(bench), [true, true, false, true, false]);
    t.same(usable(new Bench()), [false, false, false, true, false]);
  },
);

t.test('an address that always fails is left alone for an hour, and no longer', async (t) => {
  const bench = new Bench();
  const { addresses } = bench.machine;
  const peers = Array.from({ length: P2P_LIMITS.connections_few }, (_, i) => bench.active(`8.${i}.8.8:4000`));
  addresses.add(PEER);
  for (let i = 0; i < 1000; i++) addresses.dialFailed(PEER);
  addresses.dialed(PEER);
  /** Nobody has been silent meanwhile. */
  const later = (ms: number): number => {
    bench.ms += ms;
    for (const peer of peers) peer.say('address_request', {});
    bench.pass(1000);
    return bench.dials.length;
  };
  t.equal(later(HOUR_MS - 2000), 0);
  t.equal(later(P2P_LIMITS.dial_ms), 1);
});

t.test('what fewer connections leave for those of its own choice, it makes', async (t) => {
  const bench = new Bench({ connectionsMax: 12 });
  const peers = Array.from({ length: 9 }, (_, i) => bench.active(`8.${i}.8.8:4000`));
  bench.machine.setLimits(bench.now, 8, 8);
  bench.settle();
  peers[0]?.hangUp();
  bench.machine.addresses.add(PEER);
  bench.pass(1000);
  bench.answer(0, 'dialed').open();
  t.ok(bench.machine.isConnectedTo(PEER));
  t.equal(bench.machine.activeCount, 8);
});

t.test('of a list of addresses a thousand count, and one that is told again was seen now', async (t) => {
  const bench = new Bench();
  const peer = bench.active('8.8.8.8:4000');
  const tell = (endpoints: readonly string[]): void => {
    bench.machine.addresses.ask(peerOf(bench, peer));
    const addresses = endpoints.map((remote_endpoint) => ({
      remote_endpoint,
      last_seen_time: 0,
      latency_us: 0n,
      node_id: '00'.repeat(33),
      direction: 0,
      firewalled: 2,
    }));
    peer.say('address', { addresses });
  };
  const unusable = Array.from({ length: P2P_LIMITS.addresses_per_message_max - 1 }, () => '10.0.0.1:6789');
  tell([...unusable, PEER, '9.9.8.8:6789']);
  const seen = () =>
    (bench.machine.storedPeers as readonly JsonObject[]).map(({ endpoint, last_seen_time }) => [
      endpoint,
      last_seen_time,
    ]);
  const now = () => timeToText(Math.floor(bench.now.wallMs / 1000));
  const first = now();
  t.same(seen(), [[PEER, first]]);
  bench.ms += 5000;
  tell([PEER]);
  t.same(seen(), [[PEER, now()]]);
  t.not(now(), first);
});

t.test('what was seen longest ago makes room, also where more was stored than there is room for', async (t) => {
  const bench = new Bench();
  const { addresses } = bench.machine;
  const others = Array.from({ length: P2P_LIMITS.addresses_max }, (_, i) => `11.${i >> 8}.${i & 255}.1:6789`);
  addresses.add(PEER);
  bench.pass(1000);
  for (const endpoint of others) addresses.add(endpoint);
  t.equal(addresses.find(PEER), undefined);
  t.equal(addresses.count, others.length);
  const started = new Bench().machine.addresses;
  started.load([
    storedPeer(PEER, { last_seen_time: timeToText(1) }),
    ...others.map((endpoint) => storedPeer(endpoint)),
  ]);
  t.equal(started.find(PEER), undefined);
  t.equal(started.count, others.length);
});

t.test('an address that is banned is not dialed, and is told of, until its time is over', async (t) => {
  const banned = (): Bench => {
    const made = new Bench();
    while (made.machine.bans.length === 0) made.connect('9.9.9.9:40000')?.feed(new Uint8Array(33));
    return made;
  };
  const shown = banned();
  shown.ms += P2P_LIMITS.ban_ms;
  shown.pass(1000);
  t.same(shown.machine.bans, []);
  const bench = banned();
  bench.machine.addresses.add(PEER);
  bench.pass(P2P_LIMITS.dial_ms);
  t.same(bench.dials, []);
  bench.ms += P2P_LIMITS.ban_ms;
  bench.pass(1000);
  t.match(bench.dials, [{ endpoint: PEER }]);
});

t.test('every quarter of an hour everybody is asked for addresses, once', async (t) => {
  const bench = new Bench();
  const peer = bench.active('8.8.8.8:4000');
  const before = peer.names().length;
  /** Nobody has been silent meanwhile. */
  const askedAfter = (ms: number): number => {
    bench.ms += ms;
    peer.say('address_request', {});
    bench.pass(2000);
    return peer
      .names()
      .slice(before)
      .filter((name) => name === 'address_request').length;
  };
  t.equal(askedAfter(P2P_LIMITS.addresses_ms - 10_000), 0);
  for (let i = 0; i < 5; i++) t.equal(askedAfter(8000), 1);
  t.equal(askedAfter(P2P_LIMITS.addresses_ms), 2);
});

t.test('what has worked is dialed first, and no more at once than a few', async (t) => {
  const known = Array.from({ length: 40 }, (_, i) => storedPeer(`11.${i}.1.1:6789`));
  known.push(storedPeer(PEER, { last_connection_disposition: 'last_connection_succeeded' }));
  const dialsOf = (options: Partial<MachineOptions>): readonly string[] => {
    const bench = new Bench(options);
    bench.machine.addresses.load(known);
    bench.pass(1000);
    return bench.dials.map(({ endpoint }) => endpoint);
  };
  t.same(dialsOf({ connectionsWanted: 1 }), [PEER]);
  t.equal(dialsOf({}).length, P2P_LIMITS.dials_at_once);
});

t.test('what is tried for others and what is over takes no place of a connection of its own', async (t) => {
  const bench = new Bench({ connectionsWanted: 1 });
  const asker = bench.active('8.8.8.8:4000');
  asker.say('check_firewall', { node_id: '02'.repeat(33), endpoint_to_check: '9.1.1.1:80' });
  const dials = () => bench.dials.map(({ endpoint }) => endpoint);
  t.same(dials(), ['9.1.1.1:80']);
  bench.machine.addresses.add(PEER);
  bench.pass(1000);
  t.same(dials().slice(1), [PEER]);
  const peer = bench.answer(1, 'own');
  peer.open();
  bench.lingering.add(peer.id);
  peer.hello();
  t.equal(peer.closedWith, 'hello_repeated');
  bench.machine.addresses.add('9.2.2.2:6789');
  bench.pass(P2P_LIMITS.dial_ms, 5000);
  t.same(dials().slice(2, 3), ['9.2.2.2:6789']);
});

t.test('how long a connection took to come about is not held against who is there then', async (t) => {
  const bench = new Bench({ seeds: [PEER] });
  bench.pass(P2P_LIMITS.handshake_idle_ms - 1000);
  const peer = bench.answer(0, 'far away');
  bench.pass(P2P_LIMITS.handshake_idle_ms - 1000);
  t.equal(peer.closedWith, undefined);
  bench.pass(P2P_LIMITS.watch_ms + 1000);
  t.equal(peer.closedWith, 'handshake_idle');
});

/** As it lies in the file of known peers. */
function storedPeer(endpoint: string, changes: JsonObject = {}): JsonObject {
  return {
    endpoint,
    last_seen_time: timeToText(2),
    last_connection_disposition: 'never_attempted_to_connect',
    last_connection_attempt_time: timeToText(0),
    number_of_successful_connection_attempts: 0,
    number_of_failed_connection_attempts: 0,
    ...changes,
  };
}

t.test('what is known of an address outlasts a restart, but for when it was tried last', async (t) => {
  const bench = new Bench();
  bench.machine.addresses.add(PEER);
  bench.machine.addresses.reached(PEER);
  bench.pass(2000);
  bench.machine.addresses.dialed(PEER);
  for (let i = 0; i < 3; i++) bench.machine.addresses.dialFailed(PEER);
  const attempt = timeToText(Math.floor(bench.now.wallMs / 1000));
  const known = {
    number_of_successful_connection_attempts: 1,
    number_of_failed_connection_attempts: 3,
    last_connection_disposition: 'last_connection_failed',
  };
  t.match(bench.machine.storedPeers, [{ endpoint: PEER, last_connection_attempt_time: attempt, ...known }]);
  const again = new Bench();
  again.machine.addresses.load(bench.machine.storedPeers);
  t.match(again.machine.storedPeers, [{ endpoint: PEER, last_connection_attempt_time: timeToText(0), ...known }]);
  again.pass(1000);
  t.match(again.dials, [{ endpoint: PEER }], 'all may be tried at once');
});

const peerOf = (bench: Bench, { id }: TestPeer) => bench.machine.peers.get(id) as Peer;
