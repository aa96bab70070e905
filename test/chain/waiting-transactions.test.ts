import t from 'tap';
import { LIMITS } from '../../src/base/limits.js';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import type { ChainEvent } from '../../src/chain/events.js';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import { PRODUCE_ERRORS } from '../../src/chain/produce.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { SKIP } from '../../src/operations/define.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { ProcessedTransaction } from '../../src/protocol/transaction.js';
import { refused } from '../support/refused.js';
import { core, TestWorld, worldTest } from '../support/world.js';
import { accountKey, witnessKey } from '../support/world-genesis.js';

/**
 * A block that a node makes consists of trials that stand already, and what it has no room for is put off. Whatever is
 * wrong with that shows when the world closes: a second chain runs all blocks again and must have the same state.
 */

const FUNDED = { accounts: { alice: 100_000n, bob: 0n, carol: 0n } };
const transferOne = { from: 'alice', to: 'bob', amount: core(1) };
/** Room for seven transfers. */
const SMALL_BLOCKS = { ...FUNDED, parameters: { maximum_block_size: 1000 } };

const waiting = (w: TestWorld): number => w.chain.pending.transactions.length;

function applied(events: readonly ChainEvent[]) {
  return events.flatMap((event) => (event.kind === 'applied' ? [event] : []));
}

worldTest('the producer tells the same of its block as those who receive it', FUNDED, (t, w) => {
  const other = new TestWorld(FUNDED);
  const told: ChainEvent[] = [];
  const heard: ChainEvent[] = [];
  w.chain.blocks.subscribe((event) => told.push(event));
  other.chain.blocks.subscribe((event) => heard.push(event));
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'alice',
    expiration_time: w.now + 60,
    proposed_ops: [{ op: w.operation('transfer', transferOne) }],
  });
  w.pushAll([w.operation('transfer', transferOne), w.operation('transfer', { ...transferOne, to: 'carol' })]);
  w.push('transfer', { ...transferOne, amount: core(1000), to: 'bob' });
  w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['alice'] }, [
    'alice',
    'bob',
  ]);
  const { block } = w.block();
  other.chain.blocks.push({ block });
  const [mine] = applied(told);
  const [theirs] = applied(heard);
  t.ok(mine !== undefined && theirs !== undefined);
  t.same(mine?.operations, theirs?.operations, 'operations, results and their places in the block');
  t.same(
    mine?.operations.map(({ transaction, index, isVirtual }) => [transaction, index, isVirtual]),
    [
      [0, 0, false],
      [1, 0, false],
      [1, 1, false],
      [2, 0, false],
      [3, 0, false],
      [3, 0, true],
    ],
  );
  other.adopt([block]);
  other.close(t);
});

worldTest('a block that was not made leaves everything as it was', SMALL_BLOCKS, (t, w) => {
  for (let i = 0; i < 20; i++) w.push('transfer', transferOne);
  const { blocks, queries, pending } = w.chain;
  const ids = [...pending.ids];
  const request = {
    when: queries.slotTime(1),
    witness: queries.scheduledWitness(1),
    signer: { publicKey: accountKey('bob').publicKey, sign: () => new Uint8Array(65) },
  };
  refused(t, PRODUCE_ERRORS.produce_key, () => blocks.produce(request));
  t.same(pending.ids, ids);
  t.equal(blocks.head.number, 1);
  let made = 0;
  while (waiting(w) > 0) made += w.blockOfWhatFits().transactions.length;
  t.equal(made, 20);
});

worldTest('transactions get into blocks in their order, however many there are', SMALL_BLOCKS, (t, w) => {
  const order: string[] = [];
  const send = (count: number): void => {
    for (let i = 0; i < count; i++) {
      w.push('transfer', transferOne);
      order.push(w.chain.pending.ids.at(-1) as string);
    }
  };
  send(30);
  const taken: string[] = [];
  for (let i = 0; waiting(w) > 0; i++) {
    taken.push(...w.blockOfWhatFits().transactions.map((one) => one.id));
    // While others are put off, new ones come.
    if (i < 3) send(2);
    t.same(new Set([...taken, ...w.chain.pending.ids]), new Set(order), 'none is lost');
  }
  t.same(taken, order);
  t.equal(w.balance('bob'), BigInt(order.length));
});

worldTest('a new transaction may build on one that was put off', SMALL_BLOCKS, (t, w) => {
  for (let i = 0; i < 16; i++) w.push('transfer', transferOne);
  w.push('transfer', { from: 'alice', to: 'carol', amount: core(500) });
  w.blockOfWhatFits();
  t.equal(w.balance('carol'), 0n, 'it is put off');
  const all = waiting(w);
  w.push('transfer', { from: 'carol', to: 'bob', amount: core(100) });
  t.equal(waiting(w), all + 1);
  t.equal(w.balance('carol') > 0n, true, 'now it counts');
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, 'transfer', { from: 'carol', to: 'bob', amount: core(500) });
  while (waiting(w) > 0) w.blockOfWhatFits();
  t.equal(w.balance('bob'), 116n);
});

worldTest('what is older stays in front, also when it is tried again', SMALL_BLOCKS, (t, w) => {
  const order: string[] = [];
  const send = (count: number): void => {
    for (let i = 0; i < count; i++) {
      w.push('transfer', transferOne);
      order.push(w.chain.pending.ids.at(-1) as string);
    }
  };
  send(20);
  const taken = w.blockOfWhatFits().transactions.map((one) => one.id);
  send(3);
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, 'transfer', { from: 'carol', to: 'bob', amount: core(500) });
  t.same([...taken, ...w.chain.pending.ids], order);
  while (waiting(w) > 0) taken.push(...w.blockOfWhatFits().transactions.map((one) => one.id));
  t.same(taken, order);
});

worldTest('a question, or a refusal behind more than a block, does not try what was put off', SMALL_BLOCKS, (t, w) => {
  for (let i = 0; i < 16; i++) w.push('transfer', transferOne);
  w.push('transfer', { from: 'alice', to: 'carol', amount: core(500) });
  for (let i = 0; i < 3; i++) w.push('transfer', transferOne);
  w.blockOfWhatFits();
  const transaction = w.sign([w.operation('transfer', { from: 'carol', to: 'bob', amount: core(1) })]);
  refused(t, TRANSFER_ERRORS.transfer_balance, () => w.chain.pending.dryRun({ transaction }));
  t.equal(w.balance('carol'), 0n);
  for (let i = 0; i < 30; i++) w.push('transfer', transferOne);
  w.blockOfWhatFits();
  t.equal(w.balance('carol') > 0n, true, 'its turn has come');
  w.push('transfer', { from: 'carol', to: 'bob', amount: core(1) });
  const count = waiting(w);
  w.refuse(t, TRANSFER_ERRORS.transfer_balance, 'transfer', { from: 'carol', to: 'bob', amount: core(500) });
  t.equal(waiting(w), count);
  while (waiting(w) > 0) w.blockOfWhatFits();
});

worldTest('a question leaves nothing behind, whatever waits', SMALL_BLOCKS, (t, w) => {
  const balances = (): bigint[] => ['alice', 'bob', 'carol'].map((name) => w.balance(name));
  const ask = (when: string): void => {
    const before = balances();
    const transaction = w.sign([w.operation('transfer', { from: 'alice', to: 'carol', amount: core(500) })]);
    const { operation_results } = w.chain.pending.dryRun({ transaction }) as ProcessedTransaction;
    t.equal(operation_results.length, 1, when);
    t.same(balances(), before, when);
  };
  ask('nothing waits');
  w.push('transfer', transferOne);
  ask('the next block has room for all');
  for (let i = 1; i < 20; i++) w.push('transfer', transferOne);
  ask('some wait behind the next block');
  w.blockOfWhatFits();
  ask('and more are put off');
  while (waiting(w) > 0) w.blockOfWhatFits();
  t.equal(w.balance('bob'), 20n);
  t.equal(w.balance('carol'), 0n);
});

worldTest('one that was put off is known, counted and no second time taken', SMALL_BLOCKS, (t, w) => {
  const transactions = Array.from({ length: 20 }, () => w.sign([w.operation('transfer', transferOne)]));
  for (const transaction of transactions) w.chain.pending.push({ transaction });
  const { pending, queries } = w.chain;
  const before = pending.bytes;
  const made = w.blockOfWhatFits();
  t.equal(pending.bytes, before - made.transactions.reduce((sum, one) => sum + one.size, 0));
  // First the last ones, which nobody has tried again since the block: the first refusal has them all tried.
  for (const [i, id] of [...pending.ids.entries()].reverse()) {
    t.ok(pending.has(id) && queries.isKnownTransaction(id));
    const transaction = transactions[made.transactions.length + i];
    if (transaction === undefined) throw new Error('they are in their order');
    refused(t, TRANSACTION_ERRORS.transaction_duplicate, () => pending.push({ transaction }), { data: { trx_id: id } });
  }
  t.equal(waiting(w), 20 - made.transactions.length);
  while (waiting(w) > 0) w.blockOfWhatFits();
});

worldTest('one that was put off too long has expired', SMALL_BLOCKS, (t, w) => {
  for (let i = 0; i < 20; i++) w.push('transfer', transferOne);
  const late = w.signChanged([w.operation('transfer', transferOne)], { expiration: w.now + 1 });
  w.chain.pending.push({ transaction: late });
  while (waiting(w) > 0) w.blockOfWhatFits();
  t.equal(w.balance('bob'), 20n);
});

worldTest('what was put off waits until the last second of its time, and no longer', SMALL_BLOCKS, (t, w) => {
  for (let i = 0; i < 20; i++) w.push('transfer', transferOne);
  const next = w.chain.queries.slotTime(1);
  const [over, just] = [next - 1, next].map((expiration) =>
    w.chain.pending.push({ transaction: w.signChanged([w.operation('transfer', transferOne)], { expiration }) }),
  );
  const [overId, justId] = w.chain.pending.ids.slice(-2) as [string, string];
  t.ok(over && just && overId !== justId);
  w.blockOfWhatFits();
  t.equal(w.now, next);
  t.equal(w.chain.pending.has(overId), false);
  t.equal(w.chain.pending.has(justId), true);
  while (waiting(w) > 0) w.blockOfWhatFits();
});

t.test('of transactions that fail after a block only so many are tried before the others have to wait', async (t) => {
  const options = { accounts: { alice: 0n, bob: 0n, carol: 1000n } };
  const w = new TestWorld(options);
  const other = new TestWorld(options);
  const more = 50;
  const count = LIMITS.pending_failures_max + 1 + more;
  for (let i = 0; i < count; i++) w.push('transfer', { from: 'carol', to: 'bob', amount: core(1) });
  other.push('transfer', { from: 'carol', to: 'alice', amount: core(1000) });
  const { block } = other.block();
  w.chain.blocks.push({ block });
  w.adopt([block]);
  while (w.chain.pending.tryMore());
  t.equal(waiting(w), more, 'nobody pays for those that failed');
  w.blockOfWhatFits();
  t.equal(waiting(w), 0, 'after the next block they are tried as well');
  t.equal(w.balance('bob'), 0n);
  w.close(t);
  other.close(t);
});

/** More than are tried again in one go, and fewer than a block has room for. */
const MANY = 600;

/** Somebody else's block, which has none of what waits here. */
function otherBlock(w: TestWorld): SignedBlock {
  const other = new TestWorld(FUNDED);
  const { block } = other.block();
  w.chain.blocks.push({ block });
  w.adopt([block]);
  return block;
}

worldTest('what waits through a block has its effects again after so many slices', FUNDED, (t, w) => {
  for (let i = 0; i < MANY; i++) w.push('transfer', transferOne);
  const { ids } = w.chain.pending;
  otherBlock(w);
  const first = w.balance('bob');
  t.ok(first > 0n && first < BigInt(MANY), 'some of them at once');
  t.same(w.chain.pending.ids, ids, 'all of them wait');
  t.equal(w.chain.pending.tryMore(), true);
  t.ok(w.balance('bob') > first && w.balance('bob') < BigInt(MANY), 'some more');
  while (w.chain.pending.tryMore());
  t.equal(w.balance('bob'), BigInt(MANY));
  t.same(w.chain.pending.ids, ids, 'in their order');
  t.equal(w.chain.pending.tryMore(), false);
  t.equal(w.block().transactions.length, MANY);
});

worldTest('who makes a block does not wait for slices, nor does who builds on one of them', FUNDED, (t, w) => {
  for (let i = 0; i < MANY; i++) w.push('transfer', transferOne);
  w.push('transfer', { from: 'alice', to: 'carol', amount: core(500) });
  otherBlock(w);
  t.equal(w.balance('carol'), 0n, 'it has not had its turn');
  w.push('transfer', { from: 'carol', to: 'bob', amount: core(100) });
  t.equal(w.balance('bob'), BigInt(MANY + 100), 'all before it had');
  otherBlock(w);
  t.equal(w.balance('carol'), 0n);
  const made = w.block();
  t.equal(made.transactions.length, MANY + 2);
});

worldTest('what comes between two slices comes after what was there', FUNDED, (t, w) => {
  for (let i = 0; i < MANY; i++) w.push('transfer', transferOne);
  otherBlock(w);
  const order = [...w.chain.pending.ids];
  for (let more = true; more; more = w.chain.pending.tryMore()) {
    w.push('transfer', { ...transferOne, to: 'carol' });
    order.push(w.chain.pending.ids.at(-1) as string);
  }
  t.ok(order.length > MANY + 1);
  t.same(w.chain.pending.ids, order);
  t.equal(w.balance('bob') + w.balance('carol'), BigInt(order.length));
  t.same(
    w.block().transactions.map(({ id }) => id),
    order,
  );
});

worldTest('behind a full block at most another one keeps its effects', SMALL_BLOCKS, (t, w) => {
  const effects = (): number => Number(w.balance('bob'));
  let longest = 0;
  for (let i = 0; i < 60; i++) {
    w.push('transfer', transferOne);
    longest = Math.max(longest, effects());
  }
  t.ok(longest > 7 && longest < 20, `${longest} at most`);
  t.equal(waiting(w), 60);
  let made = 0;
  while (waiting(w) > 0) made += w.blockOfWhatFits().transactions.length;
  t.equal(made, 60);
});

worldTest('a signer must sign with the key that it says it has', FUNDED, (t, w) => {
  const { blocks, queries } = w.chain;
  const witness = queries.scheduledWitness(1);
  const { publicKey } = witnessKey(`init${witness - 1}`);
  const sign = (digest: Uint8Array) => signatureBackend().sign(digest, accountKey('bob'));
  const request = { when: queries.slotTime(1), witness, signer: { publicKey, sign } };
  refused(t, PRODUCE_ERRORS.produce_key, () => blocks.produce(request));
  t.equal(blocks.head.number, 1);
});

worldTest('a block without the signature of its witness asks nobody for one, with whatever key', FUNDED, (t, w) => {
  const { blocks, queries } = w.chain;
  const { head } = blocks;
  const sign = (): Uint8Array => {
    throw new Error('nobody is asked');
  };
  const signer = { publicKey: accountKey('bob').publicKey, sign };
  const request = { when: queries.slotTime(1), witness: queries.scheduledWitness(1), signer };
  const { block } = blocks.produce(request, SKIP.witnessSignature);
  t.same(block.witness_signature, new Uint8Array(65));
  t.equal(blocks.head.number, head.number + 1);
  blocks.popTo(head.number);
});

worldTest('what others put into a block waits no longer', SMALL_BLOCKS, (t, w) => {
  const other = new TestWorld(SMALL_BLOCKS);
  const transactions = Array.from({ length: 20 }, () => w.sign([w.operation('transfer', transferOne)]));
  for (const transaction of transactions) w.chain.pending.push({ transaction });
  // The other node has the same ones in the opposite order.
  for (const transaction of [...transactions].reverse()) other.chain.pending.push({ transaction });
  const blocks: SignedBlock[] = [];
  while (waiting(other) > 0) {
    const { block } = other.blockOfWhatFits();
    w.chain.blocks.push({ block });
    blocks.push(block);
    t.equal(waiting(w), waiting(other));
  }
  w.adopt(blocks);
  other.close(t);
});

worldTest('a transaction that no block has room for is refused', SMALL_BLOCKS, (t, w) => {
  const many = (count: number) => Array.from({ length: count }, () => w.operation('transfer', transferOne));
  refused(t, PENDING_ERRORS.pending_size, () => w.pushAll(many(40)), { data: { limit: 885 } });
  t.equal(waiting(w), 0);
  t.equal(w.balance('bob'), 0n);
  w.pushAll(many(10));
  w.block();
});

t.test('a transaction must be smaller than the room in an empty block, by a byte', async (t) => {
  const big = (w: TestWorld) => w.pushAll(Array.from({ length: 10 }, () => w.operation('transfer', transferOne)));
  const wide = new TestWorld(FUNDED);
  big(wide);
  const EMPTY_BLOCK = 115;
  const room = EMPTY_BLOCK + wide.chain.pending.bytes;
  const narrow = new TestWorld({ ...FUNDED, parameters: { maximum_block_size: room } });
  refused(t, PENDING_ERRORS.pending_size, () => big(narrow), { data: { size: room - EMPTY_BLOCK } });
  const enough = new TestWorld({ ...FUNDED, parameters: { maximum_block_size: room + 1 } });
  big(enough);
  t.ok(enough.block().size <= room + 1, 'and the next block has it');
  for (const world of [wide, narrow, enough]) world.close(t);
});

worldTest('a trial that left out checks does not get into a block that wants them', FUNDED, (t, w) => {
  const transaction = { ...w.sign([w.operation('transfer', transferOne)]), signatures: [] };
  const { blocks, pending, queries } = w.chain;
  const witness = queries.scheduledWitness(1);
  const key = witnessKey(`init${witness - 1}`);
  const sign = (digest: Uint8Array) => signatureBackend().sign(digest, key);
  const request = { when: queries.slotTime(1), witness, signer: { publicKey: key.publicKey, sign } };
  // Nothing may come between the trial and the block: it would be tried again, with all checks.
  pending.push({ transaction }, SKIP.transactionSignatures);
  t.equal(waiting(w), 1);
  const made = blocks.produce(request);
  t.equal(made.transactions.length, 0);
  t.equal(waiting(w), 0);
  w.adopt([made.block]);
});

worldTest('a block that leaves out a check has what was tried without that one alone', FUNDED, (t, w) => {
  w.block();
  const { blocks, pending, queries } = w.chain;
  const operations = (amount: number) => [w.operation('transfer', { ...transferOne, amount: core(amount) })];
  const unsigned = { ...w.sign(operations(1)), signatures: [] };
  pending.push({ transaction: unsigned }, SKIP.transactionSignatures);
  pending.push({ transaction: w.signChanged(operations(2), { ref_block_prefix: 1 }) }, SKIP.taposCheck);
  const witness = queries.scheduledWitness(1);
  const key = witnessKey(`init${witness - 1}`);
  const sign = (digest: Uint8Array) => signatureBackend().sign(digest, key);
  const request = { when: queries.slotTime(1), witness, signer: { publicKey: key.publicKey, sign } };
  const { head } = blocks;
  const made = blocks.produce(request, SKIP.transactionSignatures);
  t.same(
    made.block.transactions.map(({ operations }) => operations),
    [operations(1)],
  );
  t.equal(waiting(w), 0);
  blocks.popTo(head.number);
  pending.clear();
});

t.test('what was put off and is impossible meanwhile goes when the others are tried for a new one', async (t) => {
  const options = { ...SMALL_BLOCKS, accounts: { alice: 100_000n, bob: 0n, carol: 10n } };
  const w = new TestWorld(options);
  const base = new TestWorld(options);
  for (let i = 0; i < 11; i++) w.push('transfer', transferOne);
  w.push('transfer', { from: 'carol', to: 'bob', amount: core(10) });
  base.push('transfer', { from: 'carol', to: 'alice', amount: core(10) });
  w.chain.blocks.push({ block: base.block().block });
  t.equal(waiting(w), 12, 'the next block has no room for the last ones, which nobody has tried');
  const transaction = w.sign([w.operation('transfer', { from: 'carol', to: 'bob', amount: core(5) })]);
  refused(t, TRANSFER_ERRORS.transfer_balance, () => w.chain.pending.push({ transaction }));
  t.equal(waiting(w), 11);
  while (waiting(w) > 0) base.chain.blocks.push({ block: w.blockOfWhatFits().block });
  t.equal(base.balance('bob'), 11n);
});

t.test('what was put off survives a switch of branches', async (t) => {
  const w = new TestWorld(SMALL_BLOCKS);
  const base = new TestWorld(SMALL_BLOCKS);
  // The first one's time ends with the head of the other branch, and not before it.
  const operations = [w.operation('transfer', transferOne)];
  w.chain.pending.push({ transaction: w.signChanged(operations, { expiration: w.chain.queries.slotTime(3) }) });
  for (let i = 1; i < 20; i++) w.push('transfer', transferOne);
  w.blockOfWhatFits();
  // The other branch skips the slot and is longer.
  for (const missed of [1, 0]) w.chain.blocks.push({ block: base.block(missed).block });
  t.equal(w.chain.blocks.head.id, base.chain.blocks.head.id);
  t.equal(waiting(w), 20, 'also those of the undone block');
  while (waiting(w) > 0) base.chain.blocks.push({ block: w.blockOfWhatFits().block });
  t.equal(w.balance('bob'), 20n);
  t.equal(base.balance('bob'), 20n);
});

t.test('what an undone block held and the new branch refuses is gone for good', async (t) => {
  const w = new TestWorld(FUNDED);
  const base = new TestWorld(FUNDED);
  const all = core(100_000);
  w.push('transfer', { from: 'alice', to: 'bob', amount: all });
  w.block();
  base.push('transfer', { from: 'alice', to: 'carol', amount: all });
  for (const missed of [1, 0]) w.chain.blocks.push({ block: base.block(missed).block });
  t.equal(w.chain.blocks.head.id, base.chain.blocks.head.id);
  t.equal(waiting(w), 0, 'alice has nothing left');
  base.push('transfer', { from: 'carol', to: 'alice', amount: all });
  w.chain.blocks.push({ block: base.block().block });
  t.equal(w.balance('alice'), 100_000n);
  t.equal(waiting(w), 0, 'nobody tries it again');
});
