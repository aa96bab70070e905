import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import type { ChainView } from '../../src/p2p/ports.js';
import { messageId } from '../../src/p2p/wire/messages.js';
import { goldenBlocks } from '../support/golden.js';
import { packedBlocks } from './support/golden-chain.js';
import { Bench, SHORT_HEIGHT, shortChain, type TestPeer } from './support/test-peer.js';

/** What a client of this node was told is accepted reaches peers that were not there then. */

const ID = 'ab'.repeat(20);
const ADDRESS = '8.8.8.8:4000';
/** Two looks of the machine. */
const MOMENT_MS = 2 * P2P_LIMITS.watch_ms;

const blocks = [...goldenBlocks()];
const idOf = (number: number): string => blocks[number]?.previous ?? '';
const recorded = blocks.flatMap(({ transactions }) => transactions)[0];
if (recorded === undefined) throw new Error('the recorded chain has transactions');

interface Waiting {
  readonly bench: Bench;
  readonly ids: Set<string>;
}

/** A machine without peers, whose client has given it a transaction that lives for so many seconds. */
function withOneTransaction(seconds: number): Waiting {
  const ids = new Set([ID]);
  const view = Object.create(shortChain().view, { isWaiting: { value: (id: string) => ids.has(id) } }) as ChainView;
  const bench = new Bench({}, shortChain(), view);
  const expiration = Math.floor(bench.now.wallMs / 1000) + seconds;
  bench.machine.publishTransaction(bench.now, ID, { ...recorded, expiration } as never);
  bench.settle();
  return { bench, ids };
}

const toldOf = (peer: TestPeer): number =>
  peer.said.filter(
    ({ name, message }) => name === 'item_ids_inventory' && (message as { item_type: number }).item_type === 1000,
  ).length;

t.test('a peer that comes later hears of it, gets it, and hears of it once', async (t) => {
  const { bench } = withOneTransaction(3600);
  const peer = bench.active(ADDRESS);
  t.equal(toldOf(peer), 0, 'not while it connects');
  bench.pass(MOMENT_MS);
  t.equal(toldOf(peer), 1);
  const [told] = peer.last('item_ids_inventory')?.item_hashes_available ?? [];
  peer.say('fetch_items', { item_type: 1000, items_to_fetch: [told as string] });
  const payload = peer.last('trx') as unknown as Uint8Array;
  t.equal(messageId(payload), told, 'the very bytes that were announced');
  bench.pass(10 * MOMENT_MS);
  t.equal(toldOf(peer), 1);
});

t.test('a peer that comes when others do not have it any more gets it from here', async (t) => {
  const { bench } = withOneTransaction(3600);
  const first = bench.active(ADDRESS);
  bench.pass(MOMENT_MS);
  for (let i = 1; i <= P2P_LIMITS.cache_block_ages; i++) {
    bench.pass(MOMENT_MS);
    const block = concatBytes(packedBlocks(SHORT_HEIGHT + i)[0] as Uint8Array, fromHex(idOf(SHORT_HEIGHT + i)));
    first.announce(1001, [messageId(block)]);
    first.frame(1001, block);
    bench.machine.blockDecided(bench.now, bench.pushed.at(-1)?.ticket ?? 0, { kind: 'accepted' });
    bench.settle();
  }
  t.equal(bench.machine.held.cached_transaction_bytes, 0);
  const later = bench.active('8.8.4.4:4000');
  bench.pass(MOMENT_MS);
  const told = later.last('item_ids_inventory')?.item_hashes_available ?? [];
  t.equal(told.length, 1);
  later.say('fetch_items', { item_type: 1000, items_to_fetch: told });
  t.ok(later.last('trx'));
});

t.test('a peer hears of it again after two minutes, whether it says anything itself or not', async (t) => {
  const { bench } = withOneTransaction(3600);
  const peer = bench.active(ADDRESS);
  const passFor = (ms: number): void => {
    for (let left = ms; left > 0; left -= 10_000) {
      bench.pass(Math.min(left, 10_000));
      peer.say('current_time_request', { request_sent_time: 0n });
    }
  };
  bench.pass(MOMENT_MS);
  passFor(P2P_LIMITS.inventory_ms - 10_000);
  t.equal(toldOf(peer), 1);
  passFor(20_000);
  t.equal(toldOf(peer), 2);
});

t.test('a peer that still lacks blocks hears nothing', async (t) => {
  const { bench } = withOneTransaction(3600);
  const lacks = bench.connect(ADDRESS) as TestPeer;
  lacks.key();
  lacks.hello();
  lacks.say('connection_accepted', {});
  lacks.say('address', { addresses: [] });
  bench.pass(MOMENT_MS);
  t.equal(lacks.names().includes('fetch_blockchain_item_ids'), true, 'it is active');
  t.equal(toldOf(lacks), 0);
  lacks.level();
  bench.pass(MOMENT_MS);
  t.equal(toldOf(lacks), 1);
});

t.test('what is in a block is not told of, until the block is undone', async (t) => {
  const { bench, ids } = withOneTransaction(3600);
  ids.clear();
  const peer = bench.active(ADDRESS);
  bench.pass(MOMENT_MS);
  t.equal(toldOf(peer), 0);
  ids.add(ID);
  bench.pass(MOMENT_MS);
  t.equal(toldOf(peer), 1);
});

t.test('what has expired is forgotten', async (t) => {
  const { bench } = withOneTransaction(10);
  t.ok(bench.machine.held.own_transaction_bytes > 0);
  bench.pass(12_000);
  const peer = bench.active(ADDRESS);
  bench.pass(MOMENT_MS);
  t.equal(toldOf(peer), 0);
  t.equal(bench.machine.held.own_transaction_bytes, 0);
});

t.test('it has its bounds', async (t) => {
  const { bench } = withOneTransaction(3600);
  const expiration = Math.floor(bench.now.wallMs / 1000) + 3600;
  const large = { ...recorded, expiration, signatures: Array.from({ length: 100 }, () => recorded.signatures[0]) };
  for (let i = 0; i < P2P_LIMITS.own_transactions_max + 10; i++) {
    bench.machine.publishTransaction(bench.now, toHex(Buffer.from(String(i).padStart(20, '0'))), {
      ...large,
      ref_block_prefix: i,
    } as never);
  }
  const { own_transaction_bytes } = bench.machine.held;
  t.ok(own_transaction_bytes <= P2P_LIMITS.own_transactions_bytes_max, `${own_transaction_bytes} bytes`);
  t.ok(own_transaction_bytes > P2P_LIMITS.own_transactions_bytes_max / 2);
});
