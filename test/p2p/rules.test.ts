import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { encode } from '../../src/codec/binary.js';
import { timeToText } from '../../src/codec/time.js';
import { blockNumFromId } from '../../src/crypto/digests.js';
import { recordsFromJson } from '../../src/p2p/addresses/peer-record.js';
import { clockReading } from '../../src/p2p/clock.js';
import { ipKind } from '../../src/p2p/ip-range.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { Outbox } from '../../src/p2p/outbox.js';
import type { Peer } from '../../src/p2p/peer.js';
import { REASONS } from '../../src/p2p/policy/reasons.js';
import { TokenBucket } from '../../src/p2p/policy/token-bucket.js';
import type { ChainView } from '../../src/p2p/ports.js';
import { replyFrom, synopsisNumbers } from '../../src/p2p/sync/synopsis.js';
import { Traffic } from '../../src/p2p/traffic.js';
import { FIREWALLED, messageId, REJECTION } from '../../src/p2p/wire/messages.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { goldenBlocks } from '../support/golden.js';
import { readVectors } from '../support/vectors.js';
import { packedBlocks } from './support/golden-chain.js';
import { Bench, SHORT_HEIGHT, shortChain, type TestPeer } from './support/test-peer.js';

/** Each rule of the network that no recording shows, or that is stricter than the reference. */

interface Vectors {
  readonly synopsis: readonly {
    name: string;
    low: number;
    head: number;
    ref: number;
    firstPending?: number;
    pendingCount: number;
    block_numbers: number[];
  }[];
  readonly block_ids_reply: readonly {
    our_head: number;
    last_common_block: number;
    reply_first: number | null;
    reply_last: number | null;
    reply_count: number;
    total_remaining_item_count: number;
  }[];
  readonly clock: readonly Record<string, string>[];
}
const vectors = readVectors<Vectors>('p2p/vectors.json');

t.test('the synopsis of a chain', async (t) => {
  t.equal(vectors.synopsis.length, 11);
  for (const { name, low, head, ref, firstPending = 0, pendingCount, block_numbers } of vectors.synopsis) {
    const high = ref === 0 ? head : ref;
    const range = { high, low: Math.min(low, high), pendingFirst: firstPending, pendingCount };
    const { own, pending } = synopsisNumbers(range);
    t.same([...own, ...pending.map((position) => firstPending + position)], block_numbers, name);
  }
});

t.test('the answer to a synopsis', async (t) => {
  t.equal(vectors.block_ids_reply.length, 7);
  const idOf = (number: number) => number.toString(16).padStart(40, '0');
  for (const one of vectors.block_ids_reply) {
    const start = Math.max(1, one.last_common_block);
    const { ids, remaining } = replyFrom(start, one.our_head, P2P_LIMITS.ids_per_reply_max, idOf);
    t.equal(ids.length, one.reply_count);
    t.equal(remaining, one.total_remaining_item_count);
    if (one.reply_first !== null) t.equal(ids[0], idOf(one.reply_first));
    if (one.reply_last !== null) t.equal(ids[ids.length - 1], idOf(one.reply_last));
  }
});

t.test('what four times say', async (t) => {
  for (const one of vectors.clock) {
    const times = ['t1_request_sent', 't2_request_received', 't3_reply_transmitted', 't4_reply_received'];
    const [t1, t2, t3, t4] = times.map((name) => BigInt(one[name] as string)) as [bigint, bigint, bigint, bigint];
    const { offsetUs, roundTripUs } = clockReading(t1, t2, t3, t4);
    t.equal(String(offsetUs), one.clock_offset_us);
    t.equal(String(roundTripUs), one.round_trip_delay_us);
  }
});

const ADDRESS = '8.8.8.8:40000';
const blockPayload = (number: number): Uint8Array => {
  const bytes = packedBlocks(number)[0] as Uint8Array;
  return concatBytes(bytes, fromHex(goldenIds[number - 1] as string));
};
const golden = [...goldenBlocks()];
const goldenIds = golden.map((_, i) => golden[i + 1]?.previous ?? '');
const HEAD = goldenIds[SHORT_HEIGHT - 1] as string;
const next = (count: number): string[] => goldenIds.slice(SHORT_HEIGHT, SHORT_HEIGHT + count);

t.test('an opening has an end, however talkative the other side is', async (t) => {
  const bench = new Bench();
  const peer = bench.connect(ADDRESS) as TestPeer;
  peer.key();
  peer.hello();
  for (let i = 0; i < 10 && peer.closedWith === undefined; i++) {
    bench.pass(2000);
    peer.say('current_time_request', { request_sent_time: 0n });
  }
  t.equal(peer.closedWith, 'handshake_too_long');
  t.ok(bench.ms <= 20_000);
});

t.test('before it is active a peer has no say in anything but the opening', async (t) => {
  for (const [name, message] of [
    ['item_ids_inventory', { item_type: 1000, item_hashes_available: [] }],
    ['fetch_items', { item_type: 1001, items_to_fetch: [] }],
    ['get_current_connections_request', {}],
  ] as const) {
    const peer = new Bench().connect(ADDRESS) as TestPeer;
    peer.key();
    peer.hello();
    peer.say(name, message as never);
    t.equal(peer.closedWith, 'message_out_of_state', name);
    t.match(peer.last('closing_connection'), {
      closing_due_to_error: true,
      reason_for_closing: /\(message_out_of_state\)$/,
    });
  }
});

t.test('a node that takes no connections says so, and names no port', async (t) => {
  const peer = new Bench({ acceptIncoming: false }).connect(ADDRESS) as TestPeer;
  peer.key();
  peer.hello();
  t.equal(peer.last('connection_rejected')?.reason_code, REJECTION.notAccepting);
  t.equal(peer.last('hello')?.inbound_port, 0);
});

t.test('connections from one address and from one neighbourhood are limited', async (t) => {
  const bench = new Bench();
  let taken = 0;
  for (let i = 0; i < 20; i++) if (bench.connect(`8.8.8.8:${4000 + i}`) !== undefined) taken++;
  t.equal(taken, P2P_LIMITS.inbound_per_address_max);
  for (let i = 0; i < 40; i++) if (bench.connect(`8.8.8.${100 + i}:4000`) !== undefined) taken++;
  t.equal(taken, P2P_LIMITS.inbound_per_neighbourhood_max);
  t.not(bench.connect('8.8.9.1:4000'), undefined, 'others still get in');
  const dialing = new Bench();
  dialing.machine.addPeer(dialing.now, '8.8.8.8:6789');
  dialing.settle();
  for (let i = 0; i < P2P_LIMITS.inbound_per_address_max; i++)
    t.not(dialing.connect(`8.8.8.8:${4000 + i}`), undefined, 'what this node has dialed does not count');
  const leaving = new Bench();
  for (let i = 0; i < 2 * P2P_LIMITS.inbound_per_address_max; i++) {
    const peer = leaving.connect(`8.8.8.8:${4000 + i}`) as TestPeer;
    leaving.lingering.add(peer.id);
    peer.feed(new Uint8Array(33));
    t.ok(peer.closedWith, 'nor what is over, however long its socket stays');
  }
  const own = (allowPrivate: boolean) => {
    const net = new Bench({ allowPrivate });
    return Array.from({ length: 20 }, (_, i) => net.connect(`10.0.0.1:${4000 + i}`)).filter((one) => one).length;
  };
  t.same([own(true), own(false)], [20, P2P_LIMITS.inbound_per_address_max], 'a private network has many behind one');
  const local = new Bench();
  for (let i = 0; i < 2 * P2P_LIMITS.handshakes_per_address_burst; i++)
    t.not(local.connect(`127.0.0.1:${4000 + i}`), undefined);
});

t.test('a few more than are allowed are taken, so that they can be told; then nobody is', async (t) => {
  const bench = new Bench({ connectionsMax: 2 });
  const most = 2 + P2P_LIMITS.outbound_min;
  for (let i = 0; i < most; i++) t.not(bench.connect(`8.${i}.8.8:4000`), undefined);
  t.equal(bench.connect('9.9.9.9:4000'), undefined);
  t.same([...bench.machine.refusals], [['too_many_connections', 1]]);
});

t.test('after the goodbye nothing is said and nothing heard, and whoever stays is cut off', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  t.match(
    bench.told.find(({ text }) => text === 'connected'),
    { level: 'info', values: { peer: ADDRESS, inbound: true, program: 'test' } },
  );
  bench.stuck.add(peer.id);
  bench.lingering.add(peer.id);
  for (let i = 0; i <= P2P_LIMITS.unsent_messages_max; i++) peer.say('current_time_request', { request_sent_time: 7n });
  peer.hello();
  t.equal(peer.closedWith, 'hello_repeated');
  t.equal(peer.names().at(-1), 'closing_connection');
  const said = peer.names().length;
  for (let i = 0; i < said; i++) bench.machine.taken(bench.now, peer.id, 32);
  peer.say('address_request', {});
  bench.settle();
  t.equal(peer.names().length, said);
  const isCut = () => bench.ends.some(({ connection, afterSending }) => connection === peer.id && !afterSending);
  bench.pass(P2P_LIMITS.close_grace_ms - P2P_LIMITS.watch_ms);
  t.notOk(isCut());
  bench.pass(2 * P2P_LIMITS.watch_ms);
  t.ok(isCut());
  t.equal(bench.machine.closures.get('hello_repeated'), 1, 'and counted once');
});

t.test('whoever begins connections without end is not listened to, and does not keep others out', async (t) => {
  const bench = new Bench();
  const begin = (endpoint: string): boolean => {
    const peer = bench.connect(endpoint);
    peer?.hangUp();
    return peer !== undefined;
  };
  let taken = 0;
  for (let i = 0; i < 200; i++) if (begin(`8.8.8.8:${4000 + i}`)) taken++;
  t.equal(taken, P2P_LIMITS.handshakes_per_address_burst);
  t.equal(bench.machine.refusals.get('too_many_handshakes'), 200 - taken);
  t.ok(begin('8.8.4.4:4000'), 'another address is listened to');
  bench.pass(5000, 5000);
  taken = 0;
  for (let i = 0; i < 200; i++) if (begin(`8.8.8.8:${4000 + i}`)) taken++;
  t.equal(taken, 5 * P2P_LIMITS.handshakes_per_address_per_second, 'so many a second later');
  taken = 0;
  for (let i = 0; i < 1000; i++) if (begin(`9.${i >> 8}.${i & 255}.9:4000`)) taken++;
  t.ok(taken <= P2P_LIMITS.handshakes_burst, `${taken} of many addresses`);
});

t.test('an address that misbehaves is banned, for a while', async (t) => {
  const bench = new Bench();
  let tries = 0;
  for (; tries < 20; tries++) {
    const peer = bench.connect(ADDRESS, `peer ${tries}`);
    if (peer === undefined) break;
    peer.open();
    peer.frame(70_000, new Uint8Array(2));
    t.equal(peer.closedWith, 'message_unknown');
  }
  t.equal(tries, Math.ceil(P2P_LIMITS.score_ban / REASONS.message_unknown.penalty));
  t.match(bench.machine.bans, [{ address: '8.8.8.8', reason: 'message_unknown' }]);
  t.not(bench.connect('8.8.4.4:4000'), undefined, 'others are not');
  bench.pass(P2P_LIMITS.ban_ms + 1000, 60_000);
  t.not(bench.connect(ADDRESS), undefined);
});

t.test('a score halves with time; this machine and whom the operator keeps have none', async (t) => {
  const bench = new Bench({ kept: ['9.9.9.9:6789'] });
  const { reputation } = bench.machine;
  t.equal(reputation.blame('8.8.8.8', 80, 'test', 0), false, 'not banned for that yet');
  t.equal(Math.round(reputation.scoreOf('8.8.8.8', P2P_LIMITS.score_half_life_ms)), 40);
  t.equal(reputation.blame('8.8.8.8', P2P_LIMITS.score_ban - 81, 'test', 0), false);
  t.equal(reputation.blame('8.8.8.8', 1, 'test', 0), true);
  for (const ip of ['127.0.0.1', '9.9.9.9']) {
    t.equal(reputation.blame(ip, 1000, 'test', 0), false);
    t.equal(reputation.isBanned(ip, 0), false);
  }
});

t.test('more messages or bytes than anybody needs end the connection', async (t) => {
  const talker = new Bench().active(ADDRESS);
  for (let i = 0; i <= P2P_LIMITS.messages_burst && talker.closedWith === undefined; i++)
    talker.frame(5018, new Uint8Array(0));
  t.equal(talker.closedWith, 'message_flood');
  const sender = new Bench().active(ADDRESS);
  for (let i = 0; i < 10 && sender.closedWith === undefined; i++) sender.frame(5018, new Uint8Array(2_000_000));
  t.equal(sender.closedWith, 'byte_flood');
});

t.test(
  'a reference that announces and fetches each transaction of a full chain by itself is not too much',
  async (t) => {
    const bench = new Bench();
    const peer = bench.active(ADDRESS);
    // Two megabytes every three seconds, some two hundred bytes each.
    for (let i = 0; i < 4 * 3500 && peer.closedWith === undefined; i++) {
      const hash = i.toString(16).padStart(40, '7');
      if (i % 2 === 0) peer.announce(1000, [hash]);
      else peer.say('fetch_items', { item_type: 1001, items_to_fetch: [HEAD] });
      if (i % 3500 === 0) bench.pass(1000, 1000);
    }
    t.equal(peer.closedWith, undefined);
    for (let i = 0; i <= 50_000 && peer.closedWith === undefined; i++) peer.announce(1000, []);
    t.equal(peer.closedWith, 'message_flood', 'that has an end, too');
  },
);

t.test('one that is not accepted yet, or never will be, is answered a few times', async (t) => {
  const bench = new Bench({ connectionsMax: 0 });
  const peer = bench.connect(ADDRESS) as TestPeer;
  peer.key();
  peer.hello();
  for (let i = 0; i < 100 && peer.closedWith === undefined; i++)
    peer.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: [] });
  t.equal(peer.closedWith, 'message_flood');
  const answers = peer.names().filter((name) => name === 'blockchain_item_ids_inventory').length;
  t.ok(answers < P2P_LIMITS.handshake_messages_max, `${answers} answers`);
});

t.test('a request for more items than a peer can need is refused, one for many is served as it is taken', async (t) => {
  const bench = new Bench();
  const greedy = bench.active(ADDRESS);
  greedy.say('fetch_items', { item_type: 1001, items_to_fetch: new Array(P2P_LIMITS.items_served_max + 1).fill(HEAD) });
  t.equal(greedy.closedWith, 'request_too_large');
  const slow = bench.active('8.8.4.4:4000');
  bench.stuck.add(slow.id);
  slow.say('fetch_items', { item_type: 1001, items_to_fetch: new Array(2000).fill(goldenIds[1]) });
  const sent = slow.names().filter((name) => name === 'block').length;
  t.ok(sent > 0 && sent <= P2P_LIMITS.unsent_messages_max, `${sent} of 2000 blocks were sent to who takes nothing`);
  const idle = bench.active('8.8.4.5:4000');
  bench.stuck.add(idle.id);
  const unknown = Array.from({ length: 1000 }, (_, i) => (i + 1).toString(16).padStart(40, 'a'));
  idle.say('fetch_items', { item_type: 1001, items_to_fetch: unknown });
  const small = idle.names().filter((name) => name === 'item_not_available').length;
  t.ok(small > 0 && small <= P2P_LIMITS.unsent_messages_max, `${small} of 1000 short messages`);
  t.equal(slow.closedWith, undefined);
  for (let i = 0; i < 12 && slow.closedWith === undefined; i++) {
    slow.say('fetch_items', { item_type: 1001, items_to_fetch: new Array(2000).fill(goldenIds[1]) });
  }
  t.equal(slow.closedWith, 'outbox_full');
});

t.test('who asks again and again for what is not here is put out before it costs much', async (t) => {
  const bench = new Bench();
  const asker = bench.active(ADDRESS);
  const unknown = Array.from({ length: 1000 }, (_, i) => (i + 1).toString(16).padStart(40, 'a'));
  asker.say('fetch_items', { item_type: 1000, items_to_fetch: unknown });
  t.equal(asker.closedWith, undefined, 'once is no harm');
  for (let i = 0; i < 10 && asker.closedWith === undefined; i++) {
    asker.say('fetch_items', { item_type: i % 2 === 0 ? 1001 : 1000, items_to_fetch: unknown });
  }
  t.equal(asker.closedWith, 'message_flood');
  const answers = asker.names().filter((name) => name === 'item_not_available').length;
  t.ok(answers > 1000 && answers <= P2P_LIMITS.messages_burst, `${answers} answers`);
});

t.test('blocks go before transactions to a peer that takes little', async (t) => {
  const outbox = new Outbox();
  const parcel = (type: number) => ({ type, bytes: 10, make: () => undefined });
  outbox.put('bulk', parcel(1));
  outbox.put('bulk', parcel(2));
  outbox.put('live', parcel(3));
  t.same([outbox.take()?.type, outbox.take()?.type, outbox.take()?.type, outbox.take()], [3, 1, 2, undefined]);
  t.equal(outbox.bytes, 0);
  const large = { ...parcel(4), bytes: P2P_LIMITS.outbox_bytes_max };
  t.ok(outbox.put('bulk', large), 'up to its bound');
  t.notOk(outbox.put('live', parcel(5)));
  outbox.clear();
  t.equal(outbox.bytes, 0);
  t.same(outbox.take(), undefined);
  const small = (type: number) => ({ ...parcel(type), bytes: 0 });
  for (let i = 0; i < P2P_LIMITS.outbox_entries_max; i++) if (!outbox.put('live', small(i))) t.fail(`no room for ${i}`);
  t.notOk(outbox.put('bulk', small(0)), 'and so many');
  for (let i = 0; i < P2P_LIMITS.outbox_entries_max; i++) if (outbox.take()?.type !== i) t.fail(`${i} in its turn`);
});

t.test('a list of ids that promises and never gives ends the connection', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  peer.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: ['ff'.repeat(20)] });
  for (let i = 0; i < 10 && peer.closedWith === undefined; i++) peer.ids([HEAD], 5);
  t.equal(peer.closedWith, 'ids_without_end');
  const long = bench.active('8.8.4.4:4000');
  long.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: ['ff'.repeat(20)] });
  long.ids(Array.from({ length: 2001 }, (_, i) => (SHORT_HEIGHT + i).toString(16).padStart(8, '0') + HEAD.slice(8)));
  t.equal(long.closedWith, 'ids_invalid');
});

t.test('a clock that is behind the own head is nobody else’s fault', async (t) => {
  const bench = new Bench();
  bench.wallAheadMs = 1000 * (bench.chain.view.head.time - 86_400) - bench.now.wallMs;
  for (let i = 0; i < 5; i++) {
    const peer = ahead(bench, ADDRESS, 1);
    t.equal(peer.closedWith, 'block_of_the_future');
  }
  t.same(bench.machine.bans, []);
  const ends = bench.told.filter(({ values }) => values.reason === 'block_of_the_future');
  t.ok(ends.length === 5 && ends.every(({ level }) => level === 'info'), 'an operator reads why nobody stays');
});

t.test('who has another block at a checkpoint is told so and left, without a score', async (t) => {
  const chain = shortChain();
  const [first, second] = next(2) as [string, string];
  const view: ChainView = Object.create(chain.view, {
    checkpointOf: { value: (number: number) => (number === blockNumFromId(second) ? second : undefined) },
  }) as ChainView;
  const bench = new Bench({}, chain, view);
  const other = second.slice(0, 8) + 'ee'.repeat(16);
  const liar = bench.connect(ADDRESS) as TestPeer;
  liar.key();
  liar.hello();
  liar.say('connection_accepted', {});
  liar.say('address', { addresses: [] });
  liar.ids([HEAD, first, other]);
  t.equal(liar.closedWith, 'checkpoint_mismatch');
  t.equal(bench.machine.scoreOf('8.8.8.8'), 0);
  t.equal(ahead(bench, '8.8.4.4:4000', 2).closedWith, undefined, 'the checkpoint itself is welcome');
});

/** A peer that has more blocks, asked for them. */
function ahead(bench: Bench, remote: string, count: number): TestPeer {
  const peer = bench.connect(remote) as TestPeer;
  peer.key();
  peer.hello();
  peer.say('connection_accepted', {});
  peer.say('address', { addresses: [] });
  peer.ids([HEAD, ...next(count)]);
  return peer;
}

const askedOf = (peer: TestPeer): readonly string[] => peer.last('fetch_items')?.items_to_fetch ?? [];

t.test('blocks are asked of several peers, each once; what one withholds is asked of the others', async (t) => {
  const bench = new Bench();
  const a = ahead(bench, ADDRESS, 300);
  const b = ahead(bench, '8.8.4.4:4000', 300);
  t.same(askedOf(a), next(200));
  t.same(askedOf(b), next(300).slice(200));
  const c = ahead(bench, '8.8.2.2:4000', 300);
  t.same(askedOf(c), [], 'nothing is left to ask');
  bench.pass(P2P_LIMITS.sync_slow_ms + 2000);
  t.ok(askedOf(c).length > 0, 'a slow one is not waited for');
  const block = blockPayload(SHORT_HEIGHT + 1);
  a.frame(1001, block);
  t.equal(a.closedWith, undefined, 'what comes late is not taken for unasked');
  bench.pass(P2P_LIMITS.sync_block_ms + 2000);
  t.equal(a.closedWith, 'blocks_late');
});

t.test('blocks go to the chain in their order, whatever order they come in', async (t) => {
  const bench = new Bench();
  const peer = ahead(bench, ADDRESS, 5);
  for (const offset of [3, 2, 5, 4]) peer.frame(1001, blockPayload(SHORT_HEIGHT + offset));
  t.same(bench.pushed, []);
  peer.frame(1001, blockPayload(SHORT_HEIGHT + 1));
  t.same(
    bench.pushed.map(({ number }) => number - SHORT_HEIGHT),
    [1, 2, 3, 4, 5],
  );
  const questions = () => peer.names().filter((name) => name === 'fetch_blockchain_item_ids').length;
  const before = questions();
  for (const { ticket } of bench.pushed) {
    t.equal(questions(), before, 'what is left is waited for');
    bench.machine.blockDecided(bench.now, ticket, { kind: 'accepted' });
    bench.settle();
  }
  t.equal(questions(), before + 1, 'then it is asked whether that was all');
});

t.test('only what is invalid is held against who sent it', async (t) => {
  for (const [kind, reason] of [
    ['invalid', 'sync_block_invalid'],
    ['limit', undefined],
    ['environment', undefined],
    ['bug', undefined],
  ] as const) {
    const bench = new Bench();
    const peer = ahead(bench, ADDRESS, 1);
    peer.frame(1001, blockPayload(SHORT_HEIGHT + 1));
    const error = new ChainError({ ...FORK_ERRORS.block_too_old, kind });
    const ticket = bench.pushed[0]?.ticket ?? 0;
    bench.machine.blockDecided(bench.now, ticket, { kind: 'refused', error, isUnlinkable: false });
    bench.settle();
    t.equal(peer.closedWith, reason, kind);
    if (reason !== undefined) continue;
    const before = peer.names().length;
    bench.pass(P2P_LIMITS.sync_retry_ms + 2000);
    t.ok(peer.names().slice(before).includes('fetch_blockchain_item_ids'), 'it is tried again after a while');
    peer.ids([bench.machine.chain.head.id, ...next(1)]);
    t.ok(peer.names().slice(before).includes('fetch_items'));
    peer.frame(1001, blockPayload(SHORT_HEIGHT + 1));
    t.equal(bench.pushed.length, 2, 'and taken when it comes');
  }
});

t.test('blocks that do not link are nobody’s malice', async (t) => {
  const bench = new Bench();
  const peer = ahead(bench, ADDRESS, 1);
  peer.frame(1001, blockPayload(SHORT_HEIGHT + 1));
  const error = new ChainError(FORK_ERRORS.block_unlinkable);
  bench.machine.blockDecided(bench.now, bench.pushed[0]?.ticket ?? 0, { kind: 'refused', error, isUnlinkable: true });
  bench.settle();
  t.equal(peer.closedWith, 'sync_block_unlinkable');
  t.equal(bench.machine.reputation.scoreOf('8.8.8.8', bench.ms), 0);
});

const transactions = golden.slice(0, 3).flatMap(({ transactions: list }) => list);
const transactionPayload = (i: number): Uint8Array => encode(signedTransaction, transactions[i] as never);

t.test('several transactions are asked for at once and handed on together', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  const payloads = Array.from({ length: 40 }, (_, i) => transactionPayload(i));
  peer.announce(1000, payloads.map(messageId));
  t.equal(askedOf(peer).length, 32);
  const other = bench.active('8.8.4.4:4000');
  for (const payload of payloads.slice(0, 32)) peer.frame(1000, payload);
  const tickets = bench.transactions.flatMap((wish) => wish.transactions.map(({ ticket }) => ticket));
  t.equal(tickets.length, 32);
  bench.machine.transactionsDecided(
    bench.now,
    tickets.map((ticket) => ({ ticket, error: undefined })),
  );
  bench.settle();
  t.equal(other.names().filter((name) => name === 'item_ids_inventory').length, 1, 'one announcement for all');
  t.equal(other.last('item_ids_inventory')?.item_hashes_available.length, 32);
  t.equal(peer.names().includes('item_ids_inventory'), false, 'nobody is told what it has told');
});

t.test('a transaction that no state could cure costs its sender, any other refusal nobody', async (t) => {
  for (const isStateless of [true, false]) {
    const bench = new Bench();
    const peer = bench.active(ADDRESS);
    peer.announce(1000, [messageId(transactionPayload(0))]);
    peer.frame(1000, transactionPayload(0));
    const error = new ChainError(FORK_ERRORS.block_too_old);
    error.isStateless = isStateless;
    const ticket = bench.transactions[0]?.transactions[0]?.ticket ?? 0;
    bench.machine.transactionsDecided(bench.now, [{ ticket, error }]);
    t.equal(bench.machine.reputation.scoreOf('8.8.8.8', bench.ms) > 0, isStateless);
    t.equal(peer.closedWith, undefined);
  }
});

t.test('what a silent peer has announced is asked of another one', async (t) => {
  const bench = new Bench();
  const hash = messageId(transactionPayload(0));
  const a = bench.active(ADDRESS);
  const b = bench.active('8.8.4.4:4000');
  a.announce(1000, [hash]);
  b.announce(1000, [hash]);
  t.same([askedOf(a), askedOf(b)], [[hash], []]);
  bench.pass(P2P_LIMITS.item_reply_ms + 4000);
  t.equal(a.closedWith, 'item_late');
  t.same(askedOf(b), [hash]);
});

t.test('announcements without end find no more room', async (t) => {
  const bench = new Bench();
  const peers = Array.from({ length: 100 }, (_, i) => bench.active(`8.${i}.8.8:4000`));
  const share = Math.floor(P2P_LIMITS.inventory_total_max / 100);
  const flooder = peers[0] as TestPeer;
  for (let i = 0; i < 10; i++) {
    const hashes = Array.from({ length: 1000 }, (_, j) => (i * 1000 + j).toString(16).padStart(40, '7'));
    flooder.announce(1000, hashes);
    bench.pass(4000);
  }
  const offered = bench.machine.peers.get(flooder.id)?.gossip.offered.size ?? 0;
  t.ok(offered <= Math.max(share, P2P_LIMITS.inventory_per_peer_min), `${offered} are remembered`);
});

t.test('addresses: only those that were asked for, that can be reached, and not too many from one place', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  const entry = (remote_endpoint: string, firewalled: number = FIREWALLED.notFirewalled) => ({
    remote_endpoint,
    last_seen_time: 0,
    latency_us: 0n,
    node_id: '00'.repeat(33),
    direction: 2,
    firewalled,
  });
  const known = () => [...bench.machine.addresses.records].map(({ endpoint }) => endpoint);
  peer.say('address', { addresses: [entry('1.1.1.1:6789')] });
  t.same(known(), [], 'nobody has asked');
  bench.pass(P2P_LIMITS.addresses_ms + 2000, 1000);
  t.ok(peer.closedWith !== undefined);
  const asked = bench.connect('8.8.4.4:4000') as TestPeer;
  asked.key();
  asked.hello();
  asked.say('connection_accepted', {});
  asked.say('address', {
    addresses: [
      entry('1.1.1.1:6789'),
      entry('1.1.1.2:6789', FIREWALLED.firewalled),
      entry('10.0.0.1:6789'),
      entry('127.0.0.1:6789'),
      entry('224.0.0.1:6789'),
      entry('1.1.1.3:0'),
      ...Array.from({ length: 200 }, (_, i) => entry(`2.${i}.1.1:6789`)),
    ],
  });
  t.equal(known().includes('1.1.1.1:6789'), true);
  for (const bad of ['1.1.1.2:6789', '10.0.0.1:6789', '127.0.0.1:6789', '224.0.0.1:6789', '1.1.1.3:0']) {
    t.equal(known().includes(bad), false, bad);
  }
  t.equal(known().length, P2P_LIMITS.addresses_per_source_max);
  const { addresses, peers } = bench.machine;
  const learn = (): void => addresses.learn('3.3.3.3:6789', peers.get(asked.id) as Peer);
  learn();
  t.notOk(known().includes('3.3.3.3:6789'), 'there are enough from there');
  addresses.reached('1.1.1.1:6789');
  learn();
  t.ok(known().includes('3.3.3.3:6789'), 'one that was reached counts for itself');
  t.same(['8.8.8.8', '10.1.1.1', '127.0.0.1', '0.0.0.0'].map(ipKind), ['public', 'private', 'loopback', 'unusable']);
});

t.test('ranges of addresses, to both of their ends', async (t) => {
  const ranges: readonly (readonly [kind: string, first: string, last: string])[] = [
    ['private', '10.0.0.0', '10.255.255.255'],
    ['private', '172.16.0.0', '172.31.255.255'],
    ['private', '192.168.0.0', '192.168.255.255'],
    ['private', '100.64.0.0', '100.127.255.255'],
    ['private', '169.254.0.0', '169.254.255.255'],
    ['unusable', '192.0.0.0', '192.0.0.255'],
    ['unusable', '192.0.2.0', '192.0.2.255'],
    ['unusable', '198.18.0.0', '198.19.255.255'],
    ['unusable', '198.51.100.0', '198.51.100.255'],
    ['unusable', '203.0.113.0', '203.0.113.255'],
    ['unusable', '224.0.0.0', '255.255.255.255'],
  ];
  for (const [kind, first, last] of ranges) t.same([first, last].map(ipKind), [kind, kind], first);
  const around = ['9.255.255.255', '11.0.0.0', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0'];
  for (const ip of [...around, '198.17.255.255', '198.20.0.0', '223.255.255.255']) t.equal(ipKind(ip), 'public', ip);
});

t.test('this node keeps connections of its own choice, in different neighbourhoods', async (t) => {
  for (const [place, expected] of [
    [(i: number) => `9.9.${i}.1:6789`, P2P_LIMITS.outbound_per_neighbourhood_max],
    [(i: number) => `9.${i}.1.1:6789`, P2P_LIMITS.outbound_min],
  ] as const) {
    const bench = new Bench();
    for (let i = 0; i < 30; i++) bench.active(`8.${i}.8.8:4000`);
    for (let i = 1; i <= 50; i++) bench.machine.addresses.add(place(i));
    bench.pass(1000);
    t.equal(bench.dials.length, expected, `${place(1)}: although many have come by themselves`);
  }
});

t.test(
  'an address that fails is left alone for longer and longer, but by a node that has hardly any peer',
  async (t) => {
    const bench = new Bench({ seeds: ['9.9.9.9:6789'] });
    const few = gapsOfDials(bench, 300);
    t.ok(few.length >= 8 && few.every((ms) => ms === P2P_LIMITS.dial_retry_ms), few.join(' '));
    const peers = Array.from({ length: P2P_LIMITS.connections_few }, (_, i) => bench.active(`8.${i}.8.8:4000`));
    const gaps = gapsOfDials(bench, 4000, peers);
    t.ok(gaps.length >= 2);
    for (let i = 1; i < gaps.length; i++) t.ok((gaps[i] as number) > (gaps[i - 1] as number), `${gaps[i]} ms`);
    t.match(bench.machine.storedPeers, [
      { endpoint: '9.9.9.9:6789', last_connection_disposition: 'last_connection_failed' },
    ]);
    t.equal(recordsFromJson(bench.machine.storedPeers).length, 1);
  },
);

/** Milliseconds between dials, each of which fails at once. */
function gapsOfDials(bench: Bench, seconds: number, peers: readonly TestPeer[] = []): number[] {
  const at: number[] = [];
  for (let i = 0; i < seconds; i++) {
    bench.pass(1000);
    // Who says nothing is not a peer for long.
    if (i % 10 === 0) for (const peer of peers) peer.say('address_request', {});
    const dial = bench.dials.splice(0)[0];
    if (dial === undefined) continue;
    at.push(bench.ms);
    bench.machine.gone(bench.now, dial.id);
  }
  return at.slice(1).map((ms, i) => ms - (at[i] as number));
}

t.test('whoever wants to know whether it can be reached costs no connection to anywhere', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  const ask = (endpoint_to_check: string) =>
    peer.say('check_firewall', { node_id: '02'.repeat(33), endpoint_to_check });
  ask('10.0.0.1:80');
  t.equal(peer.last('check_firewall_reply')?.result, 0, 'not inside of private networks');
  for (let i = 0; i < 20; i++) ask(`9.9.${i}.9:80`);
  t.equal(bench.dials.length, P2P_LIMITS.probes_per_minute, 'and seldom elsewhere');
  const other = new Bench();
  const [asker, target] = [other.active(ADDRESS), '9.9.9.9:80'];
  const resultOf = (endpoint_to_check: string) => {
    asker.say('check_firewall', { node_id: '02'.repeat(33), endpoint_to_check });
    return asker.last('check_firewall_reply')?.result;
  };
  other.active(target);
  t.equal(resultOf(target), 0, 'nor a second one to where there is one');
  other.machine.setLimits(other.now, 2, 2);
  t.equal(resultOf('9.9.9.8:80'), 0, 'nor one more than there may be');
  t.same(other.dials, []);
});

t.test('the question whether this node can be reached is asked once in a while', async (t) => {
  const bench = new Bench();
  const asked = (remote: string) => bench.active(remote).names().includes('check_firewall');
  t.same([asked('8.8.8.8:1'), asked('8.8.4.4:1')], [true, false]);
  t.equal(
    new Bench({ listenPort: 0, acceptIncoming: false }).active(ADDRESS).names().includes('check_firewall'),
    false,
  );
});

t.test('fewer connections are allowed from now on', async (t) => {
  const bench = new Bench();
  const peers = Array.from({ length: 5 }, (_, i) => bench.active(`8.${i}.8.8:4000`));
  bench.machine.setLimits(bench.now, 20, 3);
  bench.settle();
  t.same(
    peers.map(({ closedWith }) => closedWith),
    [undefined, undefined, undefined, 'too_many_connections', 'too_many_connections'],
  );
  t.match(bench.machine.options, { connectionsWanted: 3, connectionsMax: 3 });
});

t.test('every reason has a text that says it to people, and a code', async (t) => {
  for (const [code, { text, penalty }] of Object.entries(REASONS)) {
    t.ok(text.length > 5 && /^[a-z_]+$/.test(code) && penalty <= P2P_LIMITS.score_ban, code);
  }
  // What a reference node may do without ill will.
  for (const code of [
    'sync_block_unlinkable',
    'block_of_the_future',
    'block_too_old',
    'inactive',
    'peer_gone',
  ] as const) {
    t.equal(REASONS[code].penalty, 0, code);
  }
});

t.test('so much per second, and a burst', async (t) => {
  const bucket = new TokenBucket(10, 20, 0);
  t.same([bucket.take(20, 0), bucket.take(1, 0), bucket.take(5, 500), bucket.take(1, 500)], [true, false, true, false]);
});

t.test('rates of the last minute, quarter and hour', async (t) => {
  const traffic = new Traffic();
  for (let minute = 0; minute < 30; minute++) traffic.add(6000, minute * 60_000);
  t.same(traffic.rates(29 * 60_000), { oneMinute: 100, fifteenMinutes: 100, oneHour: 50 });
  t.same(traffic.rates(200 * 60_000), { oneMinute: 0, fifteenMinutes: 0, oneHour: 0 });
});

t.test('who asks for the connections is told what came and what went, by minute, quarter and hour', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  const rates = () => {
    peer.say('get_current_connections_request', {});
    const { current_connections: _, ...found } = peer.last('get_current_connections_reply') ?? {};
    return found as Readonly<Record<string, number>>;
  };
  const before = rates();
  for (let i = 0; i < 1800; i++) peer.say('current_time_request', { request_sent_time: 0n });
  const after = rates();
  const least = Object.fromEntries(Object.keys(after).map((name) => [name, (after[name] ?? 0) - (before[name] ?? 0)]));
  // A question is 8 bytes in a frame of 16, its answer 24 in one of 32. Of the rest there is less than half of that.
  for (const [name, ofQuestions] of [
    ['one_minute', 480],
    ['fifteen_minutes', 32],
    ['one_hour', 8],
  ] as const) {
    const [down = 0, up = 0] = [least[`download_rate_${name}`], least[`upload_rate_${name}`]];
    t.ok(down >= ofQuestions && down < 1.5 * ofQuestions, `${name}: ${down} came`);
    t.ok(up >= 2 * ofQuestions && up < 3 * ofQuestions, `${name}: ${up} went`);
  }
});

t.test(
  'who asks for the connections is told who is behind them, and of which block they are known to know',
  async (t) => {
    const bench = new Bench();
    const text = (value: string) => ({ kind: 'text', value }) as const;
    const peer = bench.connect(ADDRESS) as TestPeer;
    peer.open({
      user_data: [
        ['bitness', text('64')],
        ['platform', text('linux')],
        ['graphene_git_revision_sha', text('ab')],
        ['graphene_git_revision_unix_timestamp', { kind: 'unsigned', value: 0n }],
        ['fc_git_revision_unix_timestamp', { kind: 'unsigned', value: 1_555_404_240n }],
        ['somewhere', text('else')],
      ],
    });
    const data = () => {
      peer.say('get_current_connections_request', {});
      return peer
        .last('get_current_connections_reply')
        ?.current_connections[0]?.user_data.map(
          ([name, value]) => `${name}: ${value.kind} ${'value' in value ? value.value : ''}`,
        );
    };
    const who = [
      'graphene_git_revision_sha: text ab',
      'graphene_git_revision_unix_timestamp: text 1970-01-01T00:00:00',
      'fc_git_revision_unix_timestamp: text 2019-04-16T08:44:00',
      'platform: text linux',
      'bitness: unsigned 64',
      'user_agent: text test',
    ];
    const nothing = [
      ...who,
      `last_known_block_hash: text ${'0'.repeat(40)}`,
      'last_known_block_number: unsigned 0',
      'last_known_block_time: text 1970-01-01T00:00:00',
    ];
    t.same(data(), nothing);

    const block = blockPayload(SHORT_HEIGHT + 1);
    peer.announce(1001, [messageId(block)]);
    peer.frame(1001, block);
    bench.machine.blockDecided(bench.now, bench.pushed[0]?.ticket ?? 0, { kind: 'accepted' });
    t.same(data(), [
      ...who,
      `last_known_block_hash: text ${next(1)[0]}`,
      `last_known_block_number: unsigned ${SHORT_HEIGHT + 1}`,
      `last_known_block_time: text ${timeToText(golden[SHORT_HEIGHT]?.timestamp ?? 0)}`,
    ]);
    peer.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: ['ff'.repeat(20)] });
    t.same(data(), nothing, 'it has something that is not here: what is common is asked anew');
  },
);

t.test('a machine that has just looked after everything wants to be woken later', async (t) => {
  const bench = new Bench();
  for (let i = 0; i < 4; i++) {
    bench.pass(P2P_LIMITS.watch_ms, P2P_LIMITS.watch_ms);
    t.equal(bench.machine.nextWakeupMs, bench.ms + P2P_LIMITS.watch_ms);
  }
});

t.test(
  'clocks: the middle one of those who have answered; a peer is asked at the start and when it is silent',
  async (t) => {
    const bench = new Bench();
    bench.active(ADDRESS);
    t.equal(bench.machine.clockOffsetMs, undefined, 'nobody has answered');
    const offsets = [5000, -1000, 2000];
    const peers = offsets.map((ms, i) => {
      const peer = bench.active(`8.${i}.8.8:4000`);
      const there = BigInt(1000 * (bench.now.wallMs + ms));
      const asked = peer.last('current_time_request')?.request_sent_time;
      t.equal(asked, BigInt(1000 * bench.now.wallMs));
      const times = { request_received_time: there, reply_transmitted_time: there };
      peer.say('current_time_reply', { request_sent_time: asked ?? 0n, ...times });
      return peer;
    });
    t.equal(bench.machine.clockOffsetMs, 2000);
    const [peer] = peers as [TestPeer];
    const questions = () => peer.names().filter((name) => name === 'current_time_request').length;
    const intervalMs = 1000 * bench.chain.view.blockIntervalSec;
    bench.pass(P2P_LIMITS.keepalive_intervals * intervalMs);
    t.equal(questions(), 1);
    bench.pass(2 * P2P_LIMITS.watch_ms);
    t.equal(questions(), 3, 'with every look');
    peer.say('address_request', {});
    bench.pass(2 * P2P_LIMITS.watch_ms);
    t.equal(questions(), 3);
    bench.pass(P2P_LIMITS.inactivity_intervals * intervalMs - 2 * P2P_LIMITS.watch_ms);
    t.equal(peer.closedWith, undefined, 'not a moment too soon');
    bench.pass(P2P_LIMITS.watch_ms);
    t.equal(peer.closedWith, 'inactive');
  },
);

/** What the last question of this node for the time gets from a clock that is so much ahead. */
function tellTime(bench: Bench, peer: TestPeer, aheadMs: number): void {
  const there = BigInt(1000 * (bench.now.wallMs + aheadMs));
  const asked = peer.last('current_time_request')?.request_sent_time ?? 0n;
  peer.say('current_time_reply', {
    request_sent_time: asked,
    request_received_time: there,
    reply_transmitted_time: there,
  });
}

t.test('clocks: one that is set while a connection lasts is heard of, however talkative the peer is', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  tellTime(bench, peer, 0);
  const questions = () => peer.names().filter((name) => name === 'current_time_request').length;
  for (let ms = 0; ms < P2P_LIMITS.time_ms; ms += P2P_LIMITS.watch_ms) {
    t.equal(questions(), 1);
    bench.pass(P2P_LIMITS.watch_ms);
    peer.say('address_request', {});
  }
  t.equal(questions(), 2);
  tellTime(bench, peer, 3000);
  t.equal(bench.machine.clockOffsetMs, 3000);
});

t.test('clocks: a peer that is left at once has told its time, which counts while no other is there', async (t) => {
  const bench = new Bench();
  for (const aheadMs of [-20_000, -30_000]) {
    const peer = bench.active(ADDRESS);
    tellTime(bench, peer, aheadMs);
    peer.hangUp();
    t.equal(bench.machine.clockOffsetMs, aheadMs, 'the newest of an address');
  }
  const other = bench.active('8.4.8.8:4000');
  t.equal(bench.machine.clockOffsetMs, -30_000, 'this one has not said anything yet');
  tellTime(bench, other, 10);
  t.equal(bench.machine.clockOffsetMs, 10);
  other.hangUp();
  bench.pass(P2P_LIMITS.left_clock_ms);
  t.equal(bench.machine.clockOffsetMs, undefined, 'that was long ago');
});

t.test('a time is that of sending, however long the answer waited', async (t) => {
  const bench = new Bench();
  const peer = bench.active(ADDRESS);
  bench.stuck.add(peer.id);
  for (let i = 0; i <= P2P_LIMITS.unsent_messages_max; i++) peer.say('current_time_request', { request_sent_time: 7n });
  const sent = peer.names().length;
  const receivedMs = bench.now.wallMs;
  bench.ms += 1234;
  bench.machine.taken(bench.now, peer.id, 32);
  bench.settle();
  t.equal(peer.names().length, sent + 1);
  t.same(peer.last('current_time_reply'), {
    request_sent_time: 7n,
    request_received_time: BigInt(1000 * receivedMs),
    reply_transmitted_time: BigInt(1000 * (receivedMs + 1234)),
  });
});

t.test('keys may come in pieces, with the first message behind them', async (t) => {
  const bench = new Bench();
  const peer = bench.connect(ADDRESS) as TestPeer;
  peer.key((bytes) => [bytes.subarray(0, 1), bytes.subarray(1, 20), bytes.subarray(20)]);
  peer.hello();
  t.ok(peer.names().includes('connection_accepted'));
});

t.test(
  'who comes here and asks for ids need not wait for addresses; whoever was turned away waits in vain',
  async (t) => {
    for (const [code, expected] of [
      [undefined, true],
      [REJECTION.notAccepting, false],
    ] as const) {
      const bench = new Bench();
      const peer = bench.connect(ADDRESS) as TestPeer;
      peer.key();
      peer.hello();
      const told = { reason_code: code ?? 0, reason_string: 'full', remote_endpoint: ADDRESS };
      if (code !== undefined)
        peer.say('connection_rejected', { user_agent: 'test', core_protocol_version: 106, ...told });
      peer.say('fetch_blockchain_item_ids', { item_type: 1001, blockchain_synopsis: [HEAD] });
      t.equal(bench.machine.activeCount === 1, expected);
      t.equal(peer.names().includes('address_request'), !expected);
      t.same(peer.last('blockchain_item_ids_inventory')?.item_hashes_available, [HEAD], 'it is answered all the same');
    }
  },
);

t.test(
  'who says twice that it accepts this node is asked for addresses once, also where that came before its hello',
  async (t) => {
    const peer = new Bench().connect(ADDRESS) as TestPeer;
    const questions = () => peer.names().filter((name) => name === 'address_request').length;
    peer.key();
    peer.say('connection_accepted', {});
    t.equal(questions(), 0);
    peer.hello();
    t.equal(questions(), 1);
    peer.say('connection_accepted', {});
    t.equal(questions(), 1);
    t.equal(peer.closedWith, undefined);
  },
);

t.test('the log warns of the chain of a stranger once', async (t) => {
  const bench = new Bench();
  for (let i = 0; i < 2; i++) {
    const peer = bench.connect(`8.8.8.8:${4000 + i}`) as TestPeer;
    peer.key();
    peer.hello({ chain_id: 'ab'.repeat(32) });
    t.match(peer.last('connection_rejected'), { reason_code: REJECTION.differentChain });
  }
  const told = bench.told.filter(({ text }) => text === 'a peer belongs to another chain');
  t.same(
    told.map(({ level }) => level),
    ['warn', 'debug'],
  );
});

t.test('a block may be ahead of the clock by less than five seconds', async (t) => {
  const number = SHORT_HEIGHT + 1;
  for (const [aheadSec, reason] of [
    [4, undefined],
    [5, 'block_of_the_future'],
  ] as const) {
    const bench = new Bench();
    const time = golden[number - 1]?.timestamp ?? 0;
    bench.wallAheadMs = 1000 * (time - aheadSec) - bench.now.wallMs;
    const peer = bench.active(ADDRESS);
    peer.announce(1001, [messageId(blockPayload(number))]);
    peer.frame(1001, blockPayload(number));
    t.equal(peer.closedWith, reason);
    t.equal(bench.pushed.length, reason === undefined ? 1 : 0);
  }
});

t.test('an old block of the chain is nothing new, a recent one no harm', async (t) => {
  const { permanent } = shortChain().view;
  for (const [number, reason] of [
    [permanent, 'block_too_old'],
    [permanent + 1, undefined],
  ] as const) {
    const bench = new Bench();
    const peer = bench.active(ADDRESS);
    peer.announce(1001, [messageId(blockPayload(number))]);
    t.same(askedOf(peer), [messageId(blockPayload(number))]);
    peer.frame(1001, blockPayload(number));
    t.equal(peer.closedWith, reason);
    t.same(bench.pushed, []);
  }
});

t.test('the short chain is what the others are measured against', async (t) => {
  t.equal(shortChain().view.head.id, HEAD);
});
