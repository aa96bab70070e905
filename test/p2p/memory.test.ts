import t from 'tap';
import { HashLog } from '../../src/p2p/gossip/hash-log.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import type { Variant } from '../../src/p2p/wire/variant.js';
import { collectGarbage } from '../support/collect-garbage.js';
import { goldenBlocks } from '../support/golden.js';
import { Bench, SHORT_HEIGHT, type TestPeer } from './support/test-peer.js';

/** What a peer can make this node keep. */

const ADDRESS = '8.8.8.8:40000';
const blocks = [...goldenBlocks()];
const idOf = (number: number): string => blocks[number]?.previous ?? '';

t.test('announcements of one who is busy giving blocks pile up nowhere', async (t) => {
  const bench = new Bench();
  const peer = bench.connect(ADDRESS) as TestPeer;
  peer.key();
  peer.hello();
  peer.say('connection_accepted', {});
  peer.say('address', { addresses: [] });
  peer.ids(Array.from({ length: 200 }, (_, i) => idOf(SHORT_HEIGHT + i)));
  let count = 0;
  for (let i = 0; i < 14; i++) {
    peer.announce(
      1001,
      Array.from({ length: 10_000 }, () => (count++).toString(16).padStart(40, '7')),
    );
    bench.pass(100);
  }
  const gossip = bench.machine.peers.get(peer.id)?.gossip;
  t.equal(peer.closedWith, undefined);
  t.ok(
    gossip !== undefined && gossip.queues[1001].length <= P2P_LIMITS.inventory_per_peer_max,
    `${gossip?.queues[1001].length} wait`,
  );
});

t.test('those who announce what nobody has take no room from those who announce what they have', async (t) => {
  for (const type of [1000, 1001]) {
    const bench = new Bench();
    const liars = [1, 2, 3].map((i) => bench.active(`6.6.${i}.6:4000`));
    for (const [i, liar] of liars.entries()) {
      const begin = i * P2P_LIMITS.wanted_max;
      const hashes = Array.from({ length: P2P_LIMITS.wanted_max }, (_, k) => `${begin + k}`.padStart(40, '7'));
      liar.announce(type, hashes);
    }
    const { wanted } = bench.machine.held;
    t.ok(wanted < P2P_LIMITS.wanted_max, `${wanted} wanted`);
    const peer = bench.active(ADDRESS);
    const hash = '8'.repeat(40);
    peer.announce(type, [hash]);
    t.same(peer.last('fetch_items'), { item_type: type, items_to_fetch: [hash] });
    const announcers = [...bench.machine.activePeers()];
    bench.pass(2 * P2P_LIMITS.item_reply_ms);
    t.equal(bench.machine.held.wanted, 0, 'all of it is forgotten');
    for (const { gossip } of announcers) t.same(gossip.wanted, { 1000: 0, 1001: 0 });
  }
});

t.test('what a peer has announced goes with it', async (t) => {
  const bench = new Bench();
  const [first, second] = [bench.active(ADDRESS), bench.active('8.8.4.4:4000')];
  const hashes = Array.from({ length: 100 }, (_, i) => `${i}`.padStart(40, '7'));
  // They are wanted yet when it is gone: another one has them.
  for (const peer of [first, second]) peer.announce(1001, hashes);
  const kept = new WeakRef(bench.machine.peers.get(first.id)?.gossip as object);
  first.hangUp();
  // What a reference was asked for lives until the end of the turn.
  await new Promise(setImmediate);
  collectGarbage();
  t.equal(kept.deref(), undefined);
  t.ok(bench.machine.held.wanted > 0, 'whatever others have yet');
});

t.test('a hello has the size of one', async (t) => {
  const bench = new Bench();
  const peer = bench.connect(ADDRESS) as TestPeer;
  peer.key();
  const list: Variant = { kind: 'array', value: new Array<Variant>(P2P_LIMITS.hello_bytes_max).fill({ kind: 'null' }) };
  peer.hello({ user_data: [['a', list]] });
  t.equal(peer.closedWith, 'hello_invalid');
  const usual = bench.active('8.8.4.4:4000');
  t.equal(usual.closedWith, undefined);
});

t.test('one hash more than there is room for does not cost a walk over all that are gone', async (t) => {
  const log = new HashLog();
  for (let i = 0; i <= 100; i++) log.add(`${i}`, i);
  log.keep(100);
  t.equal(log.size, 75, 'room for more than the next one');
  t.same([log.has('25'), log.has('26'), log.has('100')], [false, true, true]);
});
