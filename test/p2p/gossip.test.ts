import t from 'tap';
import { concatBytes, fromHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { encode } from '../../src/codec/binary.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { messageId } from '../../src/p2p/wire/messages.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import { goldenBlocks } from '../support/golden.js';
import { packedBlocks } from './support/golden-chain.js';
import { Bench, SHORT_HEIGHT, type TestPeer } from './support/test-peer.js';

/** How long what is new is remembered, served, waited for and asked for. */

const [BLOCK, TRANSACTION] = [1001, 1000];
const golden = [...goldenBlocks()];
const recorded = golden.slice(0, 3).flatMap(({ transactions }) => transactions);
const transaction = (i: number): Uint8Array => encode(signedTransaction, recorded[i] as never);
const block = (number: number): Uint8Array =>
  concatBytes(packedBlocks(number)[0] as Uint8Array, fromHex(golden[number]?.previous ?? ''));

const askedOf = (peer: TestPeer): readonly string[] => peer.last('fetch_items')?.items_to_fetch ?? [];

/** Who says nothing is not a peer for long. */
function pass(bench: Bench, ms: number, peers: readonly TestPeer[]): void {
  for (let left = ms; left > 0; left -= 10_000) {
    bench.pass(Math.min(left, 10_000));
    for (const peer of peers) peer.say('current_time_request', { request_sent_time: 0n });
  }
}

/** A peer offers the block, and the chain takes it. */
function giveBlock(bench: Bench, from: TestPeer, number: number): void {
  const payload = block(number);
  from.announce(BLOCK, [messageId(payload)]);
  from.frame(BLOCK, payload);
  bench.machine.blockDecided(bench.now, bench.pushed.at(-1)?.ticket ?? 0, { kind: 'accepted' });
  bench.settle();
}

/** The peer offers the transaction; gives the ticket with which the chain was asked. */
function giveTransaction(bench: Bench, from: TestPeer): number {
  from.announce(TRANSACTION, [messageId(transaction(0))]);
  from.frame(TRANSACTION, transaction(0));
  return bench.transactions.at(-1)?.transactions[0]?.ticket ?? 0;
}

/** Whether the peer gets it that asks for it now. */
function isServed(peer: TestPeer, type: number, payload: Uint8Array): boolean {
  peer.say('fetch_items', { item_type: type, items_to_fetch: [messageId(payload)] });
  return peer.names().at(-1) === (type === BLOCK ? 'block' : 'trx');
}

t.test('what was announced is served for five blocks, a transaction for fifteen seconds as well', async (t) => {
  const bench = new Bench();
  const [giver, asker] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
  const peers = [giver, asker];
  bench.machine.transactionsDecided(bench.now, [{ ticket: giveTransaction(bench, giver), error: undefined }]);
  bench.settle();
  for (let i = 1; i <= 6; i++) giveBlock(bench, giver, SHORT_HEIGHT + i);
  t.same(
    [1, 2, 6].map((i) => isServed(asker, BLOCK, block(SHORT_HEIGHT + i))),
    [false, true, true],
  );
  t.ok(isServed(asker, TRANSACTION, transaction(0)), 'it is not old enough');
  const { cached_transaction_bytes: before } = bench.machine.held;
  pass(bench, 15_000, peers);
  giveBlock(bench, giver, SHORT_HEIGHT + 7);
  t.notOk(isServed(asker, TRANSACTION, transaction(0)));
  t.equal(before - bench.machine.held.cached_transaction_bytes, transaction(0).length, 'nor is it counted');

  const again = messageId(transaction(0));
  asker.announce(TRANSACTION, [again]);
  t.notSame(askedOf(asker), [again], 'it has it from here');
  pass(bench, P2P_LIMITS.inventory_ms, peers);
  asker.announce(TRANSACTION, [again]);
  t.same(askedOf(asker), [again], 'or it had, two minutes ago');
});

t.test('a block from a peer is announced to the others, and asked of nobody any more', async (t) => {
  const bench = new Bench();
  const [giver, other] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
  giveBlock(bench, giver, SHORT_HEIGHT + 1);
  const hash = messageId(block(SHORT_HEIGHT + 1));
  t.same(other.last('item_ids_inventory'), { item_type: BLOCK, item_hashes_available: [hash] });
  t.notOk(giver.names().includes('item_ids_inventory'));
  other.announce(BLOCK, [hash]);
  t.same(askedOf(other), []);
});

t.test('what the chain is looking at is asked of nobody else', async (t) => {
  const bench = new Bench();
  const [giver, other] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
  giveTransaction(bench, giver);
  other.announce(TRANSACTION, [messageId(transaction(0))]);
  const payload = block(SHORT_HEIGHT + 1);
  giver.announce(BLOCK, [messageId(payload)]);
  giver.frame(BLOCK, payload);
  other.announce(BLOCK, [messageId(payload)]);
  t.same(askedOf(other), []);
});

t.test('what is here is not asked for again, though nobody had to be told of it', async (t) => {
  const bench = new Bench();
  const peer = bench.active('8.8.8.8:1');
  giveBlock(bench, peer, SHORT_HEIGHT + 1);
  bench.machine.transactionsDecided(bench.now, [{ ticket: giveTransaction(bench, peer), error: undefined }]);
  bench.settle();
  const asked = (): number => peer.names().filter((name) => name === 'fetch_items').length;
  const before = asked();
  peer.announce(BLOCK, [messageId(block(SHORT_HEIGHT + 1))]);
  peer.announce(TRANSACTION, [messageId(transaction(0))]);
  t.equal(asked(), before);
});

t.test('what waits until a peer has sent something else is asked for, though not for ever', async (t) => {
  const bench = new Bench({ itemsPerRequest: 2 });
  const peer = bench.active('8.8.8.8:1');
  const hashes = [0, 1, 2, 3, 4].map((i) => messageId(transaction(i)));
  peer.announce(TRANSACTION, hashes);
  t.same(askedOf(peer), hashes.slice(0, 2));
  bench.pass(8000);
  for (const i of [0, 1]) peer.frame(TRANSACTION, transaction(i));
  t.same(askedOf(peer), hashes.slice(2, 4));
  bench.pass(8000);
  for (const i of [2, 3]) peer.frame(TRANSACTION, transaction(i));
  t.same(askedOf(peer), hashes.slice(2, 4), 'the last one it has forgotten itself');
  t.equal(bench.machine.held.wanted, 0);
});

t.test('what is announced again while it waits is young again', async (t) => {
  const bench = new Bench({ itemsPerRequest: 1 });
  const [peer, other] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
  const hashes = [0, 1, 2, 3].map((i) => messageId(transaction(i)));
  peer.announce(TRANSACTION, hashes.slice(0, 3));
  bench.pass(8000);
  peer.frame(TRANSACTION, transaction(0));
  other.announce(TRANSACTION, [...hashes.slice(3), ...hashes.slice(2, 3)]);
  t.same(askedOf(other), hashes.slice(3), 'it owes another one');
  bench.pass(8000);
  peer.frame(TRANSACTION, transaction(1));
  t.same(askedOf(peer), hashes.slice(2, 3));
});

t.test('a block that the chain has not taken is asked for again when it is announced again', async (t) => {
  const bench = new Bench();
  const [giver, other] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
  const payload = block(SHORT_HEIGHT + 1);
  giver.announce(BLOCK, [messageId(payload)]);
  giver.frame(BLOCK, payload);
  const error = new ChainError(FORK_ERRORS.block_too_old);
  const outcome = { kind: 'refused', error, isUnlinkable: false } as const;
  bench.machine.blockDecided(bench.now, bench.pushed.at(-1)?.ticket ?? 0, outcome);
  bench.settle();
  other.announce(BLOCK, [messageId(payload)]);
  t.same(askedOf(other), [messageId(payload)]);
});

t.test('what the chain says of a transaction counts once', async (t) => {
  const bench = new Bench();
  const peer = bench.active('8.8.8.8:1');
  const error = new ChainError(FORK_ERRORS.block_too_old);
  error.isStateless = true;
  const outcome = { ticket: giveTransaction(bench, peer), error };
  bench.machine.transactionsDecided(bench.now, [outcome]);
  const score = bench.machine.scoreOf('8.8.8.8');
  t.ok(score > 0);
  bench.machine.transactionsDecided(bench.now, [outcome]);
  t.equal(bench.machine.scoreOf('8.8.8.8'), score);
});

t.test('a transaction that the chain did not take is asked for again after a quarter of an hour', async (t) => {
  const bench = new Bench();
  const [giver, other] = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')];
  const error = new ChainError(FORK_ERRORS.block_too_old);
  bench.machine.transactionsDecided(bench.now, [{ ticket: giveTransaction(bench, giver), error }]);
  const hash = messageId(transaction(0));
  const passMinutes = (minutes: number): void => {
    for (let left = minutes; left > 0; left -= 1 / 4) {
      bench.pass(15_000, 5000);
      for (const peer of [giver, other]) peer.say('current_time_request', { request_sent_time: 0n });
    }
  };
  passMinutes(14);
  other.announce(TRANSACTION, [hash]);
  t.same(askedOf(other), []);
  passMinutes(2);
  other.announce(TRANSACTION, [hash]);
  t.same(askedOf(other), [hash]);
});

t.test('what only somebody had who has left is forgotten after a while', async (t) => {
  const bench = new Bench({ itemsPerRequest: 2 });
  const peer = bench.active('8.8.8.8:1');
  peer.announce(
    TRANSACTION,
    [0, 1, 2, 3, 4].map((i) => messageId(transaction(i))),
  );
  t.equal(bench.machine.held.wanted, 5);
  peer.hangUp();
  t.equal(bench.machine.held.wanted, 3);
  bench.pass(20_000);
  t.equal(bench.machine.held.wanted, 0);
});

t.test(
  'a block of this node is announced once and served, and one that a peer has given is not announced again',
  async (t) => {
    const bench = new Bench();
    const peers = [bench.active('8.8.8.8:1'), bench.active('8.8.4.4:1')] as const;
    const told = (peer: TestPeer) => peer.names().filter((name) => name === 'item_ids_inventory').length;
    const publish = (number: number): void => {
      bench.machine.publishBlock(bench.now, golden[number]?.previous ?? '', packedBlocks(number)[0] as Uint8Array);
      bench.settle();
    };
    for (let i = 0; i < 2; i++) publish(SHORT_HEIGHT + 1);
    for (const peer of peers) {
      t.equal(told(peer), 1);
      t.ok(isServed(peer, BLOCK, block(SHORT_HEIGHT + 1)));
    }
    giveBlock(bench, peers[0], SHORT_HEIGHT + 2);
    publish(SHORT_HEIGHT + 2);
    t.same(peers.map(told), [1, 2]);
  },
);
