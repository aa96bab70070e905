import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { LIMITS } from '../../src/base/limits.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { encode } from '../../src/codec/binary.js';
import { blockId, blockNumFromId } from '../../src/crypto/digests.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { messageId } from '../../src/p2p/wire/messages.js';
import { signedBlock, signedBlockHeader } from '../../src/protocol/block.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { goldenBlocks } from '../support/golden.js';
import { Bench, SHORT_HEIGHT, type TestPeer } from './support/test-peer.js';

/** Whatever peers list, send and withhold: what the others have comes in, and takes a bounded room meanwhile. */

const BLOCK = 1001;
const TRANSACTION = 1000;
const golden = [...goldenBlocks()];
const ids = golden.map((_, i) => golden[i + 1]?.previous ?? '');
const idOf = (number: number): string => ids[number - 1] as string;
const HEAD = idOf(SHORT_HEIGHT);

/** The header is the true one; `size` bytes with what stands behind it. */
function payloadOf(id: string, size = 0): Uint8Array {
  const bytes = encode(signedBlock, golden[blockNumFromId(id) - 1] as never);
  return concatBytes(bytes, new Uint8Array(Math.max(0, size - bytes.length)), fromHex(id));
}

/** It has listed blocks up to this one. */
function ahead(bench: Bench, remote: string, last: number): TestPeer {
  const peer = bench.active(remote);
  peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [idOf(last)] });
  peer.ids([HEAD, ...ids.slice(SHORT_HEIGHT, last)]);
  return peer;
}

/** What it was asked for and has not been given out here yet. */
class Asked {
  readonly #peer: TestPeer;
  #seen = 0;

  constructor(peer: TestPeer) {
    this.#peer = peer;
  }

  take(): string[] {
    const requests = this.#peer.said.filter(({ name }) => name === 'fetch_items');
    const fresh = requests.slice(this.#seen);
    this.#seen = requests.length;
    return fresh.flatMap(({ message }) => (message as { items_to_fetch: string[] }).items_to_fetch);
  }
}

const askedIn = (peer: TestPeer): readonly string[] => peer.last('fetch_items')?.items_to_fetch ?? [];

/** The chain takes everything; gives the numbers. */
function accept(bench: Bench): number[] {
  const numbers: number[] = [];
  for (let some = bench.pushed.splice(0); some.length > 0; some = bench.pushed.splice(0)) {
    for (const { ticket, number } of some) {
      numbers.push(number);
      bench.machine.blockDecided(bench.now, ticket, { kind: 'accepted' });
      bench.settle();
    }
  }
  return numbers;
}

const from = (first: number, last: number): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

t.test('large blocks that come long before their turn keep nobody from sending the next one', async (t) => {
  const bench = new Bench();
  const last = SHORT_HEIGHT + 250;
  const peers = ['8.8.8.8:1', '9.9.9.9:1'].map((remote) => ahead(bench, remote, last));
  const asked = peers.map((peer) => new Asked(peer));
  // Those that come first are the largest; of the others some are too large for the room that is left then.
  const sizeOf = (number: number) =>
    number > SHORT_HEIGHT + 200 ? 2_000_000 : number <= SHORT_HEIGHT + 5 ? 1_000_000 : 0;
  const taken: number[] = [];
  let held = 0;
  for (let round = 0; round < 40 && taken.length < 250; round++) {
    for (const i of [1, 0]) {
      for (const id of (asked[i] as Asked).take()) peers[i]?.frame(BLOCK, payloadOf(id, sizeOf(blockNumFromId(id))));
      held = Math.max(held, bench.machine.held.waiting_block_bytes);
    }
    taken.push(...accept(bench));
  }
  t.same(taken, from(SHORT_HEIGHT + 1, last), 'all of them, each once and in order');
  t.ok(held <= P2P_LIMITS.blocks_waiting_bytes_hard_max);
  t.same([peers[0]?.closedWith, peers[1]?.closedWith], [undefined, undefined]);
});

/** Says how many elements were looked at on walks over the list. */
function countedWalks(list: readonly string[], looked: () => void): string[] {
  const out = [...list];
  out[Symbol.iterator] = function* (this: string[]) {
    for (let i = 0; i < this.length; i++) {
      looked();
      yield this[i] as string;
    }
    return undefined;
  };
  return out;
}

t.test('what many have listed is not looked through for each of them with each block', async (t) => {
  const bench = new Bench();
  const [count, blocks] = [30, 300];
  const peers = Array.from({ length: count }, (_, i) => ahead(bench, `8.${i}.8.8:1`, SHORT_HEIGHT + blocks));
  const asked = peers.map((peer) => new Asked(peer));
  let looked = 0;
  for (const { sync } of bench.machine.activePeers()) sync.pending = countedWalks(sync.pending, () => looked++);
  const taken: number[] = [];
  for (const [i, peer] of peers.entries()) {
    for (const id of (asked[i] as Asked).take()) {
      peer.frame(BLOCK, payloadOf(id));
      taken.push(...accept(bench));
    }
  }
  t.same(taken, from(SHORT_HEIGHT + 1, SHORT_HEIGHT + blocks));
  t.ok(looked < 4 * count * blocks, `${looked} for ${blocks} blocks of ${count} peers`);
});

t.test('what somebody owed who is gone is asked of those who had nothing more to be asked for', async (t) => {
  const bench = new Bench();
  const last = SHORT_HEIGHT + 100;
  const [first, second] = ['8.8.8.8:1', '9.9.9.9:1'].map((remote) => ahead(bench, remote, last));
  t.equal(askedIn(first as TestPeer).length, 100);
  t.same(askedIn(second as TestPeer), []);
  first?.hangUp();
  t.equal(askedIn(second as TestPeer).length, 100);
});

t.test(
  'the block in whose place another one came is asked of those who had nothing more to be asked for',
  async (t) => {
    const bench = new Bench();
    const next = SHORT_HEIGHT + 1;
    const [first, second] = ['8.8.8.8:1', '9.9.9.9:1'].map((remote) => ahead(bench, remote, next));
    t.same([askedIn(first as TestPeer), askedIn(second as TestPeer)], [[idOf(next)], []]);
    first?.frame(BLOCK, concatBytes(encode(signedBlock, golden[next] as never), fromHex(idOf(next))));
    t.equal(first?.closedWith, 'sync_block_forged');
    t.same(askedIn(second as TestPeer), [idOf(next)]);
  },
);

interface Invented {
  readonly id: string;
  readonly payload: Uint8Array;
}

/** Blocks that nobody has signed, each on the one before. */
function invent(count: number, size: number): Invented[] {
  const made: Invented[] = [];
  let previous = HEAD;
  for (let number = SHORT_HEIGHT + 1; number <= SHORT_HEIGHT + count; number++) {
    const block = { ...golden[number - 1], previous, transaction_merkle_root: 'ff'.repeat(20), transactions: [] };
    const id = blockId(encode(signedBlockHeader, block as never), number);
    const bytes = encode(signedBlock, block as never);
    made.push({ id, payload: concatBytes(bytes, new Uint8Array(size - bytes.length), fromHex(id)) });
    previous = id;
  }
  return made;
}

/** It lists blocks that it has made up, and sends all but the first one that all others build on. */
function inventor(bench: Bench, remote: string, blocks: readonly Invented[]): TestPeer {
  const peer = bench.active(remote);
  const synopsis = { item_type: BLOCK, blockchain_synopsis: [blocks.at(-1)?.id ?? ''] };
  peer.say('fetch_blockchain_item_ids', synopsis);
  peer.ids([HEAD, ...blocks.map(({ id }) => id)]);
  // It says that it lacks blocks itself: then it need not have what it lists.
  peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [idOf(9)] });
  for (const { payload } of blocks.slice(1)) peer.frame(BLOCK, payload);
  return peer;
}

t.test('made up blocks of which the first never comes hold up nobody, and fill a part of the room', async (t) => {
  const bench = new Bench();
  const blocks = invent(200, 510_000);
  const liar = inventor(bench, '66.6.6.6:1', blocks);
  const held = bench.machine.held.waiting_block_bytes;
  t.ok(held > 0 && held <= P2P_LIMITS.blocks_waiting_per_peer_bytes_max, `${held} bytes`);
  const last = SHORT_HEIGHT + 300;
  const peer = ahead(bench, '8.8.8.8:1', last);
  const asked = new Asked(peer);
  const taken: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (const id of asked.take()) peer.frame(BLOCK, payloadOf(id));
    taken.push(...accept(bench));
  }
  t.same(taken, from(SHORT_HEIGHT + 1, last), 'although the liar is still there');
  t.equal(liar.closedWith, undefined);
  t.equal(bench.machine.held.waiting_block_bytes, held);
});

t.test('what only those have listed who will not go on takes no room', async (t) => {
  const blocks = invent(20, 100_000);
  const happens: Readonly<Record<string, (peer: TestPeer, bench: Bench) => void>> = {
    'it has hung up': (peer) => peer.hangUp(),
    'it says that it has not got the first one': (peer) =>
      peer.say('item_not_available', { item_type: BLOCK, item_hash: blocks[0]?.id ?? '' }),
    'it has changed over to another branch': (peer, bench) => {
      bench.machine.peers.get(peer.id)?.sync.idRequests.push({ synopsis: [HEAD], atMs: 0 });
      peer.ids([HEAD, ...ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + 3)]);
    },
  };
  for (const [what, happen] of Object.entries(happens)) {
    const bench = new Bench();
    const peer = inventor(bench, '66.6.6.6:1', blocks);
    t.ok(bench.machine.held.waiting_block_bytes > 1_000_000, what);
    happen(peer, bench);
    t.equal(bench.machine.held.waiting_block_bytes, 0, what);
  }
});

t.test('nor what somebody has sent who is asked anew', async (t) => {
  const bench = new Bench();
  const peer = ahead(bench, '8.8.8.8:1', SHORT_HEIGHT + 5);
  for (const number of [SHORT_HEIGHT + 3, SHORT_HEIGHT + 1]) peer.frame(BLOCK, payloadOf(idOf(number)));
  t.ok(bench.machine.held.waiting_block_bytes > 0);
  const error = new ChainError({ ...FORK_ERRORS.block_too_old, kind: 'limit' });
  const ticket = bench.pushed[0]?.ticket ?? 0;
  bench.machine.blockDecided(bench.now, ticket, { kind: 'refused', error, isUnlinkable: false });
  bench.settle();
  t.equal(bench.machine.held.waiting_block_bytes, 0);
});

t.test('blocks are asked of a peer that owed something else when it listed them, once that is here', async (t) => {
  const transaction = golden.flatMap(({ transactions }) => transactions)[0];
  const packed = encode(signedTransaction, transaction as never);
  const answers: Readonly<Record<string, readonly [number, Uint8Array, (peer: TestPeer) => void]>> = {
    'a transaction': [TRANSACTION, packed, (peer) => peer.frame(TRANSACTION, packed)],
    'a block': [BLOCK, payloadOf(idOf(SHORT_HEIGHT)), (peer) => peer.frame(BLOCK, payloadOf(idOf(SHORT_HEIGHT)))],
    'that it has not got it': [
      TRANSACTION,
      packed,
      (peer) => peer.say('item_not_available', { item_type: TRANSACTION, item_hash: messageId(packed) }),
    ],
  };
  for (const [what, [type, payload, answer]] of Object.entries(answers)) {
    const bench = new Bench();
    const peer = bench.active('8.8.8.8:1');
    peer.announce(type, [messageId(payload)]);
    const asked = new Asked(peer);
    t.same(asked.take(), [messageId(payload)], what);
    peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [idOf(SHORT_HEIGHT + 3)] });
    peer.ids([HEAD, ...ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + 3)]);
    t.same(asked.take(), [], 'it owes that yet');
    answer(peer);
    t.same(asked.take(), ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + 3), what);
  }
});

t.test('the chain is given as many bytes at a time as the importer takes, and room to spare', async (t) => {
  const bench = new Bench();
  const size = 1_500_000;
  const peer = ahead(bench, '8.8.8.8:1', SHORT_HEIGHT + 30);
  for (const id of askedIn(peer)) peer.frame(BLOCK, payloadOf(id, size));
  const most = Math.floor(P2P_LIMITS.blocks_processing_bytes_max / size);
  t.equal(bench.pushed.length, most);
  t.ok(most * size < LIMITS.import_bytes_max);
  t.same(accept(bench), from(SHORT_HEIGHT + 1, SHORT_HEIGHT + 30), 'the others as soon as there is room');
  t.equal(peer.closedWith, undefined);
});

t.test('what comes behind a block that this node could not take is nobody’s fault', async (t) => {
  for (const kind of ['limit', 'environment', 'bug'] as const) {
    const bench = new Bench();
    const last = SHORT_HEIGHT + 5;
    const peers = ['8.8.8.8:1', '9.9.9.9:1'].map((remote) => ahead(bench, remote, last));
    for (const id of askedIn(peers[0] as TestPeer)) peers[0]?.frame(BLOCK, payloadOf(id));
    const [first, ...behind] = bench.pushed.splice(0);
    const own = new ChainError({ ...FORK_ERRORS.block_too_old, kind });
    const refuse = (ticket: number, error: ChainError, isUnlinkable: boolean) =>
      bench.machine.blockDecided(bench.now, ticket, { kind: 'refused', error, isUnlinkable });
    refuse(first?.ticket ?? 0, own, false);
    // A third one has listed the same in the meantime.
    peers.push(ahead(bench, '7.7.7.7:1', last));
    for (const { ticket } of behind) refuse(ticket, new ChainError(FORK_ERRORS.block_unlinkable), true);
    bench.settle();
    for (const peer of peers) t.equal(peer.closedWith, undefined, kind);
    t.same(
      peers.map(({ id }) => bench.machine.peers.get(id)?.sync.processing.size),
      [0, 0, 0],
      'nothing is waited for any more',
    );
    t.same(askedIn(peers[2] as TestPeer), [idOf(SHORT_HEIGHT + 1)], 'the third one is asked for the first');
    peers[2]?.frame(BLOCK, payloadOf(idOf(SHORT_HEIGHT + 1)));
    t.same(accept(bench), from(SHORT_HEIGHT + 1, last), 'and has the others here already');
    bench.pass(P2P_LIMITS.sync_retry_ms + 2000);
    for (const peer of peers) t.ok(peer.names().filter((name) => name === 'fetch_blockchain_item_ids').length > 1);
  }
});

t.test('who sends all but the next block, one after the other, is not waited for', async (t) => {
  const bench = new Bench();
  const last = SHORT_HEIGHT + 100;
  const dripping = ahead(bench, '66.6.6.6:1', last);
  const other = ahead(bench, '8.8.8.8:1', last);
  const [next, ...rest] = askedIn(dripping);
  t.same([next, askedIn(other)], [idOf(SHORT_HEIGHT + 1), []]);
  for (const id of rest.reverse().slice(0, 6)) {
    bench.pass(2000);
    dripping.frame(BLOCK, payloadOf(id));
  }
  t.equal(askedIn(other)[0], next);
  for (const id of askedIn(other)) other.frame(BLOCK, payloadOf(id));
  t.same(accept(bench), from(SHORT_HEIGHT + 1, last));
  t.same([dripping.closedWith, other.closedWith], [undefined, undefined]);
});

t.test('a slow peer that sends in order is left alone', async (t) => {
  const bench = new Bench();
  const last = SHORT_HEIGHT + 20;
  const slow = ahead(bench, '66.6.6.6:1', last);
  const other = ahead(bench, '8.8.8.8:1', last);
  for (const id of askedIn(slow)) {
    bench.pass(4000);
    slow.frame(BLOCK, payloadOf(id));
    other.say('current_time_request', { request_sent_time: 0n });
  }
  t.same(askedIn(other), []);
  t.same(accept(bench), from(SHORT_HEIGHT + 1, last));
});

t.test('a slow peer whose blocks nobody else has is asked for more all the same', async (t) => {
  const bench = new Bench();
  const last = SHORT_HEIGHT + 2;
  const slow = ahead(bench, '8.8.8.8:1', last);
  const asked = new Asked(slow);
  bench.pass(P2P_LIMITS.sync_slow_ms + P2P_LIMITS.watch_ms);
  for (const id of asked.take()) slow.frame(BLOCK, payloadOf(id));
  t.same(accept(bench), [last - 1, last]);
  slow.ids([HEAD, ...ids.slice(SHORT_HEIGHT, last + 2)]);
  t.same(asked.take().slice(-2), ids.slice(last, last + 2));
});

/** A peer that has opened the connection and has asked for nothing yet. */
function opened(bench: Bench): TestPeer {
  const peer = bench.connect('8.8.8.8:4000') as TestPeer;
  peer.key();
  peer.hello();
  peer.say('connection_accepted', {});
  peer.say('address', { addresses: [] });
  return peer;
}

t.test('who lists what it does not have and needs nothing more is left', async (t) => {
  const bench = new Bench();
  const peer = opened(bench);
  const { id } = bench.machine.chain.head;
  const next = idOf(SHORT_HEIGHT + 1);
  peer.ids([id, next]);
  peer.say('item_not_available', { item_type: 1001, item_hash: next });
  t.equal(peer.closedWith, undefined, 'it may lack what this node has');
  peer.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: [id] });
  t.same(peer.last('blockchain_item_ids_inventory')?.item_hashes_available, [id]);
  t.equal(peer.closedWith, 'fork_unreachable');
});

t.test(
  'no more blocks are promised than there are seconds since the last one that is common, and an hour',
  async (t) => {
    for (const [more, reason] of [
      [0, undefined],
      [1, 'ids_too_many'],
    ] as const) {
      const bench = new Bench();
      const peer = opened(bench);
      const { id, time } = bench.machine.chain.head;
      const most = Math.floor(bench.now.wallMs / 1000) + P2P_LIMITS.future_blocks_sec - time;
      peer.ids([id, idOf(SHORT_HEIGHT + 1)], most - 1 + more);
      t.equal(peer.closedWith, reason);
    }
  },
);

t.test('who did not have what it had listed is asked again once it begins anew', async (t) => {
  const bench = new Bench();
  const peer = opened(bench);
  const [next, later] = [idOf(SHORT_HEIGHT + 1), payloadOf(idOf(SHORT_HEIGHT + 3))];
  peer.ids([HEAD, next]);
  peer.say('item_not_available', { item_type: BLOCK, item_hash: next });
  peer.announce(BLOCK, [messageId(later)]);
  peer.frame(BLOCK, later);
  const error = new ChainError(FORK_ERRORS.block_unlinkable);
  const outcome = { kind: 'refused', error, isUnlinkable: true } as const;
  bench.machine.blockDecided(bench.now, bench.pushed.at(-1)?.ticket ?? 0, outcome);
  bench.settle();
  peer.ids([HEAD, ...ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + 3)]);
  t.same(askedIn(peer), ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + 3));
});

t.test('blocks that were asked for are no flood, however large they are', async (t) => {
  const bench = new Bench();
  const peer = ahead(bench, '8.8.8.8:4000', SHORT_HEIGHT + 5);
  const size = Math.ceil((1.2 * P2P_LIMITS.unrequested_bytes_burst) / 5);
  for (const id of ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + 5)) peer.frame(BLOCK, payloadOf(id, size));
  t.equal(peer.closedWith, undefined);
  t.same(accept(bench), from(SHORT_HEIGHT + 1, SHORT_HEIGHT + 5));
});
