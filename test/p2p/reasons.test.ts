import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { ChainError, type ErrorRow } from '../../src/base/errors.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { encode } from '../../src/codec/binary.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { REASONS, type ReasonCode } from '../../src/p2p/policy/reasons.js';
import { messageId, REJECTION } from '../../src/p2p/wire/messages.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { goldenBlocks } from '../support/golden.js';
import { packedBlocks } from './support/golden-chain.js';
import { Bench, SHORT_HEIGHT, type TestPeer } from './support/test-peer.js';

/** Every way in which this node ends a connection happens here once, and is told as its row says. */

const ADDRESS = '8.8.8.8:40000';
const golden = [...goldenBlocks()];
const ids = golden.map((_, i) => golden[i + 1]?.previous ?? '');
const idOf = (number: number): string => ids[number - 1] as string;
const HEAD = idOf(SHORT_HEIGHT);
const NEXT = SHORT_HEIGHT + 1;
const BLOCK = 1001;
const TRANSACTION = 1000;

const payload = (number: number, id = idOf(number)): Uint8Array =>
  concatBytes(packedBlocks(number)[0] as Uint8Array, fromHex(id));

/** It has sent its key. */
function begun(bench: Bench, remote = ADDRESS): TestPeer {
  const peer = bench.connect(remote) as TestPeer;
  peer.key();
  return peer;
}

/** All but the question for blocks is answered. */
function greeted(bench: Bench, remote = ADDRESS): TestPeer {
  const peer = begun(bench, remote);
  peer.hello();
  peer.say('connection_accepted', {});
  peer.say('address', { addresses: [] });
  return peer;
}

/** It has listed the next blocks. */
function ahead(bench: Bench, count = 1): TestPeer {
  const peer = greeted(bench);
  peer.ids([HEAD, ...ids.slice(SHORT_HEIGHT, SHORT_HEIGHT + count)]);
  return peer;
}

/** The chain refuses the block that was handed to it last. */
function refuse(bench: Bench, row: Partial<ErrorRow>, isStateless = false, isUnlinkable = false): void {
  refuseFor(
    bench,
    new ChainError({ ...FORK_ERRORS.block_too_old, kind: 'invalid', ...row }),
    isStateless,
    isUnlinkable,
  );
}

/** The same, for its transactions have not been signed. */
function refuseUnsigned(bench: Bench): void {
  const error = new ChainError(AUTHORITY_ERRORS.signature_duplicate);
  error.isOfSigners = true;
  refuseFor(bench, error, true, false);
}

function refuseFor(bench: Bench, error: ChainError, isStateless: boolean, isUnlinkable: boolean): void {
  error.isStateless = isStateless;
  bench.machine.blockDecided(bench.now, bench.pushed.at(-1)?.ticket ?? 0, { kind: 'refused', error, isUnlinkable });
  bench.settle();
}

/** The next block, offered as a new one and handed to the chain. */
function offered(bench: Bench): TestPeer {
  const peer = bench.active(ADDRESS);
  const block = payload(NEXT);
  peer.announce(BLOCK, [messageId(block)]);
  peer.frame(BLOCK, block);
  return peer;
}

/** Each gives the connection that is ended, or what ended it where there is no peer. */
const HAPPENS: Readonly<Partial<Record<ReasonCode, (bench: Bench) => TestPeer | string | undefined>>> = {
  key_invalid(bench) {
    const peer = bench.connect(ADDRESS) as TestPeer;
    peer.feed(new Uint8Array(33));
    return peer;
  },
  hello_invalid(bench) {
    const peer = begun(bench);
    peer.hello({ signed_shared_secret: new Uint8Array(65) });
    return peer;
  },
  hello_signature(bench) {
    const peer = begun(bench);
    peer.hello({ node_public_key: `02${'11'.repeat(32)}` });
    return peer;
  },
  hello_repeated(bench) {
    const peer = begun(bench);
    peer.hello();
    peer.hello();
    return peer;
  },
  different_chain(bench) {
    const peer = begun(bench);
    peer.hello({ chain_id: 'ab'.repeat(32) });
    return peer;
  },
  rejected_by_us(bench) {
    bench.active('8.8.4.4:1', 'twin');
    const peer = bench.connect(ADDRESS, 'twin') as TestPeer;
    peer.key();
    peer.hello();
    peer.say('connection_accepted', {});
    peer.say('address', { addresses: [] });
    return peer;
  },
  double_connection(bench) {
    bench.machine.addPeer(bench.now, '9.9.9.9:6789');
    bench.settle();
    bench.pass(P2P_LIMITS.watch_ms);
    const came = bench.connect(ADDRESS, 'twin') as TestPeer;
    const dialed = bench.answer(0, 'twin');
    for (const peer of [came, dialed]) {
      peer.key();
      peer.hello();
    }
    for (const peer of [came, dialed]) {
      peer.say('connection_accepted', {});
      peer.say('address', { addresses: [] });
    }
    return came;
  },
  rejected_by_peer(bench) {
    const peer = begun(bench);
    peer.hello();
    const told = { reason_code: REJECTION.notAccepting, reason_string: 'full', remote_endpoint: ADDRESS };
    peer.say('connection_rejected', { user_agent: 'test', core_protocol_version: 106, ...told });
    peer.say('address', { addresses: [] });
    return peer;
  },
  rejected_too_late(bench) {
    const peer = bench.active(ADDRESS);
    const told = { reason_code: REJECTION.notAccepting, reason_string: 'full', remote_endpoint: ADDRESS };
    peer.say('connection_rejected', { user_agent: 'test', core_protocol_version: 106, ...told });
    return peer;
  },
  handshake_idle(bench) {
    const peer = bench.connect(ADDRESS) as TestPeer;
    bench.pass(P2P_LIMITS.handshake_idle_ms + 2 * P2P_LIMITS.watch_ms);
    return peer;
  },
  handshake_too_long(bench) {
    const peer = begun(bench);
    peer.hello();
    for (let i = 0; i < 10 && peer.closedWith === undefined; i++) {
      bench.pass(2000);
      peer.say('current_time_request', { request_sent_time: 0n });
    }
    return peer;
  },
  dial_failed(bench) {
    bench.machine.addPeer(bench.now, '9.9.9.9:6789');
    bench.settle();
    bench.pass(P2P_LIMITS.handshake_idle_ms + 2 * P2P_LIMITS.watch_ms);
    return bench.closed.get(bench.dials[0]?.id ?? 0);
  },
  probe_done(bench) {
    const asker = bench.active(ADDRESS);
    asker.say('check_firewall', { node_id: '02'.repeat(33), endpoint_to_check: '9.9.9.9:80' });
    const found = bench.answer(0, 'probed');
    found.key();
    found.hello();
    found.say('connection_accepted', {});
    found.say('address', { addresses: [] });
    return found;
  },
  probe_failed(bench) {
    const asker = bench.active(ADDRESS);
    asker.say('check_firewall', { node_id: '02'.repeat(33), endpoint_to_check: '9.9.9.9:80' });
    const found = bench.answer(0, 'probed');
    bench.pass(P2P_LIMITS.probe_ms + 2 * P2P_LIMITS.watch_ms);
    return found;
  },
  frame_too_large(bench) {
    const peer = bench.active(ADDRESS);
    peer.plain(concatBytes(Uint8Array.of(1, 0, 0, 0x20, 0xe9, 3, 0, 0), new Uint8Array(8)));
    return peer;
  },
  message_unreadable(bench) {
    const peer = bench.active(ADDRESS);
    peer.frame(5004, Uint8Array.of(1));
    return peer;
  },
  message_out_of_state(bench) {
    const peer = begun(bench);
    peer.announce(TRANSACTION, []);
    return peer;
  },
  message_unknown(bench) {
    const peer = bench.active(ADDRESS);
    peer.frame(77, new Uint8Array(0));
    return peer;
  },
  block_unrequested(bench) {
    const peer = bench.active(ADDRESS);
    peer.frame(BLOCK, payload(NEXT));
    return peer;
  },
  transaction_unrequested(bench) {
    const peer = bench.active(ADDRESS);
    const [first] = golden.flatMap(({ transactions }) => transactions);
    peer.frame(TRANSACTION, encode(signedTransaction, first as never));
    return peer;
  },
  message_flood(bench) {
    const peer = bench.active(ADDRESS);
    for (let i = 0; i <= P2P_LIMITS.messages_burst && peer.closedWith === undefined; i++)
      peer.frame(5050, new Uint8Array(0));
    return peer;
  },
  byte_flood(bench) {
    const peer = bench.active(ADDRESS);
    for (let i = 0; i < 20 && peer.closedWith === undefined; i++) peer.frame(5050, new Uint8Array(1024 * 1024));
    return peer;
  },
  request_too_large(bench) {
    const peer = bench.active(ADDRESS);
    peer.say('fetch_items', {
      item_type: BLOCK,
      items_to_fetch: new Array(P2P_LIMITS.items_served_max + 1).fill(HEAD),
    });
    return peer;
  },
  item_type_unknown(bench) {
    const peer = bench.active(ADDRESS);
    peer.announce(1002, [HEAD]);
    const asking = bench.active('8.8.4.4:1');
    asking.say('fetch_items', { item_type: 1002, items_to_fetch: [HEAD] });
    return asking.closedWith === peer.closedWith ? peer : asking;
  },
  ids_invalid(bench) {
    const peer = greeted(bench);
    peer.ids([HEAD, idOf(NEXT + 1)]);
    return peer;
  },
  ids_too_many(bench) {
    const peer = greeted(bench);
    peer.ids([HEAD, idOf(NEXT)], 2 ** 31);
    return peer;
  },
  ids_without_end(bench) {
    const peer = bench.active(ADDRESS);
    peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: ['ff'.repeat(20)] });
    for (let i = 0; i < 10 && peer.closedWith === undefined; i++) peer.ids([HEAD], 5);
    return peer;
  },
  ids_late(bench) {
    const peer = greeted(bench);
    bench.pass(P2P_LIMITS.ids_reply_ms + 2 * P2P_LIMITS.watch_ms);
    return peer;
  },
  blocks_late(bench) {
    const peer = ahead(bench);
    bench.pass(P2P_LIMITS.sync_block_ms + 2 * P2P_LIMITS.watch_ms);
    return peer;
  },
  block_withheld(bench) {
    const peer = ahead(bench);
    peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [HEAD] });
    peer.say('item_not_available', { item_type: BLOCK, item_hash: idOf(NEXT) });
    return peer;
  },
  fork_unreachable(bench) {
    const peer = ahead(bench);
    // While it lacks blocks itself it may not have what it lists; then it turns out to lack nothing.
    peer.say('item_not_available', { item_type: BLOCK, item_hash: idOf(NEXT) });
    if (peer.closedWith !== undefined) return peer;
    peer.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [HEAD] });
    return peer;
  },
  sync_block_invalid(bench) {
    const peer = ahead(bench);
    peer.frame(BLOCK, payload(NEXT));
    refuse(bench, {});
    return peer;
  },
  sync_block_unsigned(bench) {
    const peer = ahead(bench);
    peer.frame(BLOCK, payload(NEXT));
    refuseUnsigned(bench);
    return peer;
  },
  sync_block_forged(bench) {
    const peer = ahead(bench);
    peer.frame(BLOCK, payload(NEXT + 1, idOf(NEXT)));
    return peer;
  },
  sync_block_unlinkable(bench) {
    const peer = ahead(bench);
    peer.frame(BLOCK, payload(NEXT));
    refuse(bench, FORK_ERRORS.block_unlinkable, false, true);
    return peer;
  },
  invalid_block_listed(bench) {
    const peer = ahead(bench);
    const other = bench.active('8.8.4.4:1');
    other.say('fetch_blockchain_item_ids', { item_type: BLOCK, blockchain_synopsis: [idOf(NEXT)] });
    other.ids([HEAD, idOf(NEXT)]);
    peer.frame(BLOCK, payload(NEXT));
    refuse(bench, {});
    return other;
  },
  block_invalid(bench) {
    const peer = offered(bench);
    refuse(bench, {});
    return peer;
  },
  block_forged(bench) {
    const peer = offered(bench);
    refuse(bench, {}, true);
    return peer;
  },
  block_unsigned(bench) {
    const peer = offered(bench);
    refuseUnsigned(bench);
    return peer;
  },
  peer_closing(bench) {
    const peer = bench.active(ADDRESS);
    peer.say('closing_connection', { reason_for_closing: 'bye', closing_due_to_error: false, error: undefined });
    return peer;
  },
  shutting_down(bench) {
    const peer = bench.active(ADDRESS);
    bench.machine.shutDown(bench.now);
    bench.settle();
    return peer;
  },
};

/** Those that need more than one step stand with their rules. */
const WITH_THEIR_RULES: readonly ReasonCode[] = [
  'banned',
  'block_of_the_future',
  'block_too_old',
  'checkpoint_mismatch',
  'inactive',
  'item_late',
  'outbox_full',
  'peer_gone',
  'too_many_connections',
  'too_many_handshakes',
];

/** One that was only tried is no connection; where two ends are one case, both are. */
const COUNTED: Readonly<Partial<Record<ReasonCode, number>>> = { probe_done: 0, probe_failed: 0, item_type_unknown: 2 };

for (const [code, happen] of Object.entries(HAPPENS)) {
  t.test(code, async (t) => {
    const bench = new Bench();
    const ended = happen(bench);
    if (typeof ended === 'string' || ended === undefined) {
      t.equal(ended, code);
      return;
    }
    t.equal(ended.closedWith, code);
    const { text, manner } = REASONS[code as ReasonCode];
    const told = ended.last('closing_connection');
    if (manner === 'silent') t.equal(told, undefined, 'nothing can be told');
    else t.match(told, { reason_for_closing: `${text} (${code})`, closing_due_to_error: manner === 'fault' });
    t.equal(bench.machine.closures.get(code as ReasonCode) ?? 0, COUNTED[code as ReasonCode] ?? 1, 'and counted');
  });
}

t.test('the log names, at its usual level, who took part and is left for something it did', async (t) => {
  const bench = new Bench();
  const level = (reason: ReasonCode) =>
    bench.told.find(({ text, values }) => text === 'a connection has ended' && values.reason === reason)?.level;
  ahead(bench);
  bench.pass(P2P_LIMITS.sync_block_ms + 2 * P2P_LIMITS.watch_ms);
  t.equal(level('blocks_late'), 'info');

  begun(bench, '8.8.4.4:40000').hello({ signed_shared_secret: new Uint8Array(65) });
  t.equal(level('hello_invalid'), 'debug', 'it never took part');

  const polite = bench.active('9.9.9.9:40000');
  polite.say('closing_connection', { reason_for_closing: 'bye', closing_due_to_error: false, error: undefined });
  t.equal(level('peer_closing'), 'debug', 'it did nothing wrong');
});

t.test('all are here', async (t) => {
  t.same([...Object.keys(HAPPENS), ...WITH_THEIR_RULES].sort(), Object.keys(REASONS).sort());
});
