import t from 'tap';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { FIREWALL_RESULT, FIREWALLED, type Hello } from '../../src/p2p/wire/messages.js';
import { Bench, type TestPeer } from './support/test-peer.js';

/** Whether somebody can be reached from outside: asked for others with the help of others, and for this node itself. */

const NOBODY = { node_id: '00'.repeat(33), endpoint_to_check: '0.0.0.0:0' };

function opened(bench: Bench, remote: string, changes: Partial<Hello> = {}): TestPeer {
  const peer = bench.connect(remote) as TestPeer;
  peer.open(changes);
  return peer;
}

const questionsTo = (peer: TestPeer) =>
  peer.said.flatMap(({ name, message }) => (name === 'check_firewall' ? [message as typeof NOBODY] : []));
const answer = (peer: TestPeer, asked: typeof NOBODY | undefined, result: number): void =>
  peer.say('check_firewall_reply', {
    node_id: asked?.node_id ?? '',
    endpoint_checked: asked?.endpoint_to_check ?? '',
    result,
  });

/** Its own question is asked of the first peer, which is nobody's helper here. */
const bench = (): Bench => new Bench({ advertised: '8.8.1.1:6789' });

t.test('a peer that wants to be tried is tried by one after the other, until one knows', async (t) => {
  const net = bench();
  const asker = opened(net, '8.8.8.8:40000', { inbound_port: 6789 });
  const old = opened(net, '8.8.4.4:1', { core_protocol_version: 105 });
  const helpers = ['8.8.2.2:1', '8.8.3.3:1'].map((remote) => opened(net, remote));
  const [first, second] = helpers as [TestPeer, TestPeer];
  asker.say('check_firewall', NOBODY);
  const [asked] = questionsTo(first);
  t.match(asked, { endpoint_to_check: '8.8.8.8:6789' }, 'where it says that it listens');
  t.equal(asked?.node_id, net.machine.peers.get(asker.id)?.identity);
  t.same([questionsTo(old), questionsTo(second), questionsTo(asker)], [[], [], []]);
  asker.say('check_firewall', NOBODY);
  t.same(questionsTo(second), [], 'once at a time');
  answer(second, asked, FIREWALL_RESULT.connected);
  t.equal(asker.last('check_firewall_reply'), undefined, 'who was not asked has no say');

  answer(first, asked, FIREWALL_RESULT.unableToCheck);
  t.same(questionsTo(second), [asked]);
  answer(second, asked, FIREWALL_RESULT.unableToConnect);
  t.same(asker.last('check_firewall_reply'), {
    node_id: asked?.node_id,
    endpoint_checked: '8.8.8.8:6789',
    result: FIREWALL_RESULT.unableToConnect,
  });
});

t.test('with the port that it comes from, where that is the one it listens at', async (t) => {
  const net = bench();
  const asker = opened(net, '8.8.8.8:40000', { inbound_port: 6789, outbound_port: 6789 });
  const helper = opened(net, '8.8.2.2:1');
  asker.say('check_firewall', NOBODY);
  t.match(questionsTo(helper), [{ endpoint_to_check: '8.8.8.8:40000' }]);
});

t.test('where nobody is left who could try, the answer is that nobody could', async (t) => {
  const net = bench();
  const asker = opened(net, '8.8.8.8:40000');
  asker.say('check_firewall', NOBODY);
  t.match(asker.last('check_firewall_reply'), { result: FIREWALL_RESULT.unableToCheck });
  const [first, second] = ['8.8.2.2:1', '8.8.3.3:1'].map((remote) => opened(net, remote)) as [TestPeer, TestPeer];
  asker.say('check_firewall', NOBODY);
  first.hangUp();
  t.equal(questionsTo(second).length, 1, 'the helper has left');
  const other = opened(net, '8.8.5.5:1');
  t.same(questionsTo(other), []);
  answer(second, questionsTo(second)[0], FIREWALL_RESULT.connected);
  t.match(asker.last('check_firewall_reply'), { result: FIREWALL_RESULT.connected });
});

t.test('who helps one is not asked for another meanwhile, and who has left is told nothing', async (t) => {
  const net = bench();
  const askers = ['8.8.8.8:1', '8.8.7.7:1'].map((remote) => opened(net, remote)) as [TestPeer, TestPeer];
  const helper = opened(net, '8.8.2.2:1');
  askers[0].say('check_firewall', NOBODY);
  t.equal(questionsTo(askers[1]).length, 1);
  askers[1].say('check_firewall', NOBODY);
  t.equal(questionsTo(askers[0]).length, 1);
  t.equal(questionsTo(helper).length, 0);
  const third = opened(net, '8.8.6.6:1');
  third.say('check_firewall', NOBODY);
  t.equal(questionsTo(helper).length, 1, 'the one that has nothing to do');
  third.hangUp();
  answer(helper, questionsTo(helper)[0], FIREWALL_RESULT.connected);
  t.equal(helper.closedWith, undefined);
});

t.test('what this node is told of itself counts where it has asked, and is said in later hellos', async (t) => {
  const net = new Bench();
  const peer = opened(net, '8.8.8.8:1');
  t.same(questionsTo(peer), [NOBODY]);
  const told = { node_id: 'aa'.repeat(33), endpoint_to_check: '8.8.1.1:7000' };
  const stranger = opened(net, '8.8.4.4:1');
  answer(stranger, told, FIREWALL_RESULT.connected);
  t.equal(net.machine.firewallState, FIREWALLED.unknown, 'nobody has asked');
  answer(peer, told, FIREWALL_RESULT.unableToCheck);
  t.equal(net.machine.firewallState, FIREWALLED.unknown);
  t.same(questionsTo(opened(net, '8.8.5.5:1')), [], 'not again so soon');
  net.pass(P2P_LIMITS.firewall_ms, 60_000);
  const later = opened(net, '8.8.6.6:1');
  t.same(questionsTo(later), [NOBODY]);
  answer(later, told, FIREWALL_RESULT.connected);
  t.equal(net.machine.firewallState, FIREWALLED.notFirewalled);
  const next = opened(net, '8.8.7.7:1');
  t.match(next.last('hello'), { inbound_address: '8.8.1.1', inbound_port: 7000 });
  t.same(questionsTo(next), [], 'it is known');

  const shut = new Bench();
  const one = opened(shut, '8.8.8.8:1');
  answer(one, told, FIREWALL_RESULT.unableToConnect);
  t.equal(shut.machine.firewallState, FIREWALLED.firewalled);
});

t.test('what is said of another is no answer: a helper may be late, when the one that asked has left', async (t) => {
  const net = bench();
  const helper = opened(net, '8.8.2.2:1');
  const gone = opened(net, '8.8.8.8:40000', { inbound_port: 6789 });
  gone.say('check_firewall', NOBODY);
  const [before] = questionsTo(helper);
  gone.hangUp();
  const asker = opened(net, '8.8.7.7:40000', { inbound_port: 6789 });
  asker.say('check_firewall', NOBODY);
  const [, asked] = questionsTo(helper);
  t.match(asked, { endpoint_to_check: '8.8.7.7:6789' });
  answer(helper, before, FIREWALL_RESULT.connected);
  t.equal(asker.last('check_firewall_reply'), undefined);
  answer(helper, { ...NOBODY, endpoint_to_check: '8.8.7.7:6789' }, FIREWALL_RESULT.connected);
  t.equal(asker.last('check_firewall_reply'), undefined, 'of no node');
  answer(helper, asked, FIREWALL_RESULT.unableToConnect);
  t.match(asker.last('check_firewall_reply'), { result: FIREWALL_RESULT.unableToConnect });
});

t.test('what this node is told of itself is about it, and about where it could be dialed', async (t) => {
  const self = 'aa'.repeat(33);
  const stateAfter = (node_id: string, endpoint_to_check: string, isDialed = false): number => {
    const net = new Bench({ seeds: isDialed ? ['8.8.8.8:6789'] : [] });
    if (isDialed) net.pass(1000);
    const peer = isDialed ? net.answer(0, 'dialed') : opened(net, '8.8.8.8:1');
    if (isDialed) peer.open();
    t.same(questionsTo(peer), [NOBODY]);
    answer(peer, { node_id, endpoint_to_check }, FIREWALL_RESULT.connected);
    return net.machine.firewallState;
  };
  const { unknown, notFirewalled } = FIREWALLED;
  t.equal(stateAfter(self, '8.8.1.1:7000'), notFirewalled, 'a router may have another port for it');
  t.equal(stateAfter('bb'.repeat(33), '8.8.1.1:6789'), unknown, 'of another node');
  for (const nowhere of ['0.0.0.0:0', '8.8.1.1:0', '224.0.0.1:6789', '10.0.0.1:6789'])
    t.equal(stateAfter(self, nowhere), unknown, nowhere);
  t.equal(stateAfter(self, '8.8.1.1:6789', true), notFirewalled);
  t.equal(stateAfter(self, '8.8.1.1:7000', true), unknown, 'whom it has dialed was told its port');
});

t.test(
  'what this node tries for others it tells, and keeps no connection with; nobody else is turned away for it',
  async (t) => {
    const net = new Bench({ advertised: '8.8.1.1:6789', connectionsMax: 2 });
    const asker = opened(net, '8.8.8.8:40000');
    const tryFor = (endpoint_to_check: string): void => {
      asker.say('check_firewall', { node_id: '02'.repeat(33), endpoint_to_check });
    };
    const told = (endpoint_checked: string, result: number): void => {
      t.match(asker.last('check_firewall_reply'), { node_id: '02'.repeat(33), endpoint_checked, result });
    };
    tryFor('9.9.9.9:80');
    net.machine.gone(net.now, net.dials[0]?.id ?? 0, 'ECONNREFUSED');
    net.settle();
    told('9.9.9.9:80', FIREWALL_RESULT.unableToConnect);
    const lines = net.told.filter(({ text }) => text === 'a peer cannot be reached');
    t.same(lines, [], 'it is none of its peers');

    tryFor('9.9.8.8:80');
    const reached = net.answer(1, 'reached');
    const other = opened(net, '8.8.4.4:1');
    t.ok(other.names().includes('connection_accepted'), 'the second of two');
    other.hangUp();
    reached.key();
    told('9.9.8.8:80', FIREWALL_RESULT.connected);
    t.same([reached.closedWith, reached.names()], ['probe_done', []], 'without a word more');

    tryFor('9.9.7.7:80');
    const silent = net.answer(2, 'silent');
    net.pass(P2P_LIMITS.probe_ms + P2P_LIMITS.watch_ms);
    told('9.9.7.7:80', FIREWALL_RESULT.unableToConnect);
    t.equal(silent.closedWith, 'probe_failed');
  },
);
