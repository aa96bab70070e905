import { LIMITS } from '../../../src/base/limits.js';
import { Bugs } from '../../../src/chain/bugs.js';
import { newContext } from '../../../src/chain/context.js';
import { TransactionFacts } from '../../../src/chain/facts.js';
import { PENDING_ERRORS, PendingTransactions } from '../../../src/chain/pending.js';
import { encode } from '../../../src/codec/binary.js';
import { SKIP } from '../../../src/operations/define.js';
import { TRANSFER_ERRORS } from '../../../src/operations/transfer/transfer-checks.js';
import { signedBlock } from '../../../src/protocol/block.js';
import { VOID_RESULT } from '../../../src/protocol/results.js';
import type { ChainState } from '../../../src/state/chain-state.js';
import { testEngine } from '../../support/engine.js';
import { refused } from '../../support/refused.js';
import { core, TestWorld, worldTest } from '../../support/world.js';

const people = { accounts: { alice: 1_000_000n, bob: 0n } };
const give = { from: 'alice', to: 'bob', amount: core(1) };

worldTest('pending transactions stand in their order and go with the block that has them', people, (t, w) => {
  for (let i = 0; i < 3; i++) w.push('transfer', give);
  const { ids } = w.chain.pending;
  t.equal(ids.length, 3);
  t.ok(w.chain.pending.bytes > 0);
  const { block, bytes, transactions } = w.block();
  t.same(
    transactions.map(({ id }) => id),
    ids,
  );
  t.same(bytes, encode(signedBlock, block), 'packed while they waited');
  t.equal(w.chain.pending.has(ids[0] as string), false);
  t.equal(w.chain.pending.bytes, 0);
});

worldTest(
  'every block is packed while its transactions wait, also behind others and after they stepped aside',
  people,
  (t, w) => {
    for (const stepAside of [false, false, true, true]) {
      for (let i = 0; i < 2; i++) w.push('transfer', give);
      if (stepAside) w.chain.snapshots.withHeadState(() => undefined);
      w.push('transfer', give);
      const { block, transactions } = w.block();
      t.equal(transactions.length, 3);
      t.same(w.chain.queries.blockBytes(w.chain.blocks.head.number), encode(signedBlock, block));
    }
  },
);

const narrow = { ...people, parameters: { maximum_block_size: 600 } };

worldTest('what had to wait and became impossible meanwhile is dropped', narrow, (t, w) => {
  w.block();
  for (let i = 0; i < 9; i++) {
    const operations = [w.operation('transfer', { ...give, amount: core(i + 1) })];
    w.chain.pending.push({ transaction: w.signChanged(operations, { expiration: w.now + 4 }) });
  }
  const first = w.blockOfWhatFits();
  const waiting = w.chain.pending.transactions.length;
  t.ok(first.transactions.length > 0 && waiting > 0, 'some had to wait');
  const second = w.blockOfWhatFits();
  t.ok(second.transactions.length < waiting, 'the next block takes some of them');
  t.equal(w.chain.pending.transactions.length, 0, 'the others have expired with it');
});

const wide = { ...people, parameters: { maximum_block_size: 1_000_000_000 } };

worldTest('one node takes only so much', wide, (t, w) => {
  const transaction = w.sign([w.operation('transfer', give)]);
  const big = { ...transaction, signatures: Array.from({ length: 30_000 }, () => new Uint8Array(65)) };
  let taken = 0;
  refused(t, PENDING_ERRORS.pending_full, () => {
    for (; taken < 100; taken++) {
      const one = { ...big, expiration: transaction.expiration + taken };
      w.chain.pending.push({ transaction: one }, SKIP.transactionSignatures);
    }
  });
  t.ok(taken > 0 && w.chain.pending.bytes <= LIMITS.pending_bytes_max);
  w.chain.pending.clear();
  t.equal(w.chain.pending.transactions.length, 0);
});

worldTest(
  'what undone blocks held and what waited are the same transaction only once, also when both are put off',
  narrow,
  (t, w) => {
    const transactions = Array.from({ length: 9 }, (_, i) =>
      TransactionFacts.of(
        { transaction: w.sign([w.operation('transfer', { ...give, amount: core(i + 1) })]) },
        w.chain.chainId,
      ),
    );
    const context = (skip: number) =>
      newContext({
        skip,
        engine: testEngine(),
        contractTimeUsMax: 0,
        blockId: (number) => w.chain.queries.blockIdOf(number),
      });
    const bugs = new Bugs(({ error }) => {
      throw error;
    });
    w.chain.snapshots.withHeadState((state) => {
      const waiting = new PendingTransactions({
        state: state as ChainState,
        chainId: w.chain.chainId,
        newContext: context,
        bugs,
      });
      // Half of them wait already, in the opposite order.
      for (const facts of transactions.slice(4).reverse()) waiting.push(facts, SKIP.none);
      waiting.suspend();
      waiting.restore(transactions, SKIP.none);
      t.same(
        Array.from(waiting.all(), ({ id }) => id),
        [...transactions.slice(0, 4), ...transactions.slice(4).reverse()].map(({ id }) => id),
      );
      t.equal(waiting.count, transactions.length);
      waiting.clear();
      t.equal(waiting.count + waiting.bytes, 0);
    });
  },
);

const transfers = (w: TestWorld, count: number): TransactionFacts[] =>
  Array.from({ length: count }, () =>
    TransactionFacts.of({ transaction: w.sign([w.operation('transfer', give)]) }, w.chain.chainId),
  );

function transferBytes(): number {
  const w = new TestWorld(people);
  const [facts] = transfers(w, 1) as [TransactionFacts];
  return facts.withResults(w.chain.chainId, [VOID_RESULT]).size;
}

// Nine fill a block, together with its header, and have less bytes than a block may have.
const eight = { ...people, parameters: { maximum_block_size: 9 * transferBytes() + 60 } };

worldTest('what was put off because it fills a block is not tried again for each refusal', eight, (t, w) => {
  const { chainId } = w.chain;
  let trials = 0;
  const bugs = new Bugs(({ error }) => {
    throw error;
  });
  w.chain.snapshots.withHeadState((state) => {
    const context = (skip: number) => {
      trials++;
      return newContext({ skip, engine: testEngine(), contractTimeUsMax: 0, blockId: () => undefined });
    };
    const waiting = new PendingTransactions({ state: state as ChainState, chainId, newContext: context, bugs });
    for (const facts of transfers(w, 8 + 9)) waiting.push(facts, SKIP.none);
    const transaction = w.sign([w.operation('transfer', { ...give, amount: core(10n ** 12n) })]);
    trials = 0;
    for (let i = 0; i < 5; i++) {
      const facts = TransactionFacts.of({ transaction }, chainId);
      refused(t, TRANSFER_ERRORS.transfer_balance, () => waiting.push(facts, SKIP.none));
    }
    t.equal(trials, 5);
    t.equal(waiting.count, 8 + 9);
    waiting.clear();
  });
});
