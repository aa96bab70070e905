import t from 'tap';
import { PENDING_ERRORS } from '../../src/chain/pending.js';
import { encode } from '../../src/codec/binary.js';
import { BLOCK_BYTES_MAX, MESSAGE_BYTES_MAX, signedBlock } from '../../src/protocol/block.js';
import { processedTransaction } from '../../src/protocol/transaction.js';
import { refused } from '../support/refused.js';
import { core, TestWorld } from '../support/world.js';

/** What a block may hold, to the byte: a sum that has the limit already is one transaction too many. */

const FUNDED = { accounts: { alice: 100_000n, bob: 0n } };
/** A packed header without anything, and four bytes for the number of transactions. */
const EMPTY = 115;

/** So many transfers in one transaction. */
const pay = (w: TestWorld, count: number): number => {
  const one = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) });
  w.pushAll(Array.from({ length: count }, () => one));
  const { transactions } = w.chain.pending;
  return encode(processedTransaction, transactions.at(-1) as never).length;
};

/** Sizes of transactions with so many transfers each. */
function sizesOf(counts: readonly number[]): number[] {
  const w = new TestWorld(FUNDED);
  return counts.map((count) => pay(w, count));
}

const worldWith = (maximum_block_size: number): TestWorld =>
  new TestWorld({ ...FUNDED, parameters: { maximum_block_size } });
const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

t.test('a sum below the limit fits, the limit itself does not', async (t) => {
  for (const counts of [
    [10, 10],
    [1, 10, 2, 5],
    [3, 1, 1, 1, 1, 1, 1, 9],
  ]) {
    const whole = EMPTY + sum(sizesOf(counts));
    for (const [limit, inFirst] of [
      [whole + 1, counts.length],
      [whole, counts.length - 1],
      [whole - 1, counts.length - 1],
    ] as const) {
      const w = worldWith(limit);
      for (const count of counts) pay(w, count);
      const facts = w.blockOfWhatFits();
      t.equal(facts.transactions.length, inFirst, `${counts.join()} with a limit of ${limit}`);
      t.ok(encode(signedBlock, facts.block).length <= limit);
      t.equal(w.chain.pending.count, counts.length - inFirst);
      if (inFirst < counts.length) t.equal(w.blockOfWhatFits().transactions.length, 1, 'the next one has the rest');
      w.close(t);
    }
  }
});

t.test('what came before the first one that does not fit is in, what came after it waits behind it', async (t) => {
  // One of twelve transfers does not fit behind one of nine; those of one transfer would.
  const counts = [9, 12, 1, 1, 12, 1];
  const [nine, twelve, one] = sizesOf([9, 12, 1]) as [number, number, number];
  const w = worldWith(EMPTY + twelve + one + one + 1);
  t.ok(nine + twelve > twelve + 2 * one && nine + 2 * one < twelve + 2 * one);
  const ids = counts.map((count) => {
    pay(w, count);
    return w.chain.pending.ids.at(-1);
  });
  const blocks: (string | undefined)[][] = [];
  while (w.chain.pending.count > 0) blocks.push(w.blockOfWhatFits().transactions.map(({ id }) => id));
  t.same(blocks, [[ids[0]], [ids[1], ids[2], ids[3]], [ids[4], ids[5]]]);
  t.equal(w.balance('bob'), BigInt(sum(counts)));
  w.close(t);
});

t.test('the limit is that of the parameters in force when the block is made', async (t) => {
  const counts = [6, 6, 6, 6];
  const [size] = sizesOf([6]) as [number];
  const w = new TestWorld({ ...FUNDED, accounts: { ...FUNDED.accounts, alice: 10n ** 6n } });
  w.changeParameters({ maximum_block_size: 5120 });
  const fits = Math.ceil((5120 - EMPTY) / size) - 1;
  for (let round = 0; round < Math.ceil(fits / counts.length) + 1; round++) for (const count of counts) pay(w, count);
  t.equal(w.blockOfWhatFits().transactions.length, fits);
  while (w.chain.pending.count > 0) w.blockOfWhatFits();
  w.close(t);
});

/** A transaction of exactly so many bytes. */
function pushBytes(w: TestWorld, size: number): void {
  const least = 100_000;
  const of = (bytes: number) =>
    w.sign([w.operation('custom', { payer: 'alice', fee: core(10n ** 9n), data: new Uint8Array(bytes) })]);
  const other = encode(processedTransaction, { ...of(least), operation_results: [[0, {}]] } as never).length - least;
  w.chain.pending.push({ transaction: of(size - other) });
}

t.test('a block that could not travel is not made, whatever the parameters allow', async (t) => {
  // As in the genesis files of both live networks: a block of that size is too large for a message that names its id.
  const options = { accounts: { alice: 10n ** 12n, bob: 0n }, parameters: { maximum_block_size: MESSAGE_BYTES_MAX } };
  const first = 1_000_000;
  for (const [above, inFirst] of [
    [-1, 2],
    [0, 1],
    [19, 1],
  ] as const) {
    const w = new TestWorld(options);
    pushBytes(w, first);
    pushBytes(w, BLOCK_BYTES_MAX - EMPTY - first + above);
    t.equal(w.chain.pending.bytes, BLOCK_BYTES_MAX - EMPTY + above);
    const { block } = w.blockOfWhatFits();
    t.equal(block.transactions.length, inFirst, `${above}`);
    t.ok(encode(signedBlock, block).length + 20 <= MESSAGE_BYTES_MAX);
    w.close(t);
  }
  const w = new TestWorld(options);
  const data = { size: BLOCK_BYTES_MAX - EMPTY, limit: BLOCK_BYTES_MAX - EMPTY };
  refused(t, PENDING_ERRORS.pending_size, () => pushBytes(w, data.size), { data });
  w.close(t);
});
