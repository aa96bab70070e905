import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { StoredBodies } from '../../src/chain/block-bodies.js';
import { Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { networkView } from '../../src/node/chain/network-view.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { asRemembered, type RememberedTransaction, transactionObject } from '../../src/state/objects/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { core, TestWorld, worldTest } from '../support/world.js';

/** Of remembered transactions the state has little more than the ids; where their bodies are found. */

const people = { accounts: { alice: 1_000_000n, bob: 0n } };
const give = (i: number) => ({ from: 'alice', to: 'bob', amount: core(i + 1) });

class CountedBlocks extends MemoryBlockStore {
  asked = 0;

  override byNumber(number: number) {
    this.asked++;
    return super.byNumber(number);
  }
}

function remembered(chain: Chain, id: string): RememberedTransaction {
  const found = chain.queries.state.findBy(transactionObject.by.trxId, id);
  if (found === undefined) throw new Error(`${id} is not remembered`);
  return asRemembered(found);
}

const bodyOf = (chain: Chain, id: string): SignedTransaction => {
  const { ref_block_num, ref_block_prefix, expiration, operations, extensions, signatures } = remembered(chain, id).trx;
  return { ref_block_num, ref_block_prefix, expiration, operations, extensions, signatures };
};

const narrow = { ...people, parameters: { maximum_block_size: 600 } };

worldTest('bodies are found with what waits, whether the next block has room for it or not', narrow, (t, w) => {
  w.block();
  const isTried = (id: string): boolean => w.state.findBy(transactionObject.by.trxId, id) !== undefined;
  const sent: SignedTransaction[] = [];
  let tried = 0;
  for (let i = 0; i < 9; i++) {
    const transaction = w.sign([w.operation('transfer', give(i))]);
    sent.push(transaction);
    w.chain.pending.push({ transaction });
    const { ids } = w.chain.pending;
    const inState = ids.filter(isTried);
    for (const id of inState) t.same(bodyOf(w.chain, id), sent[ids.indexOf(id)]);
    tried = Math.max(tried, inState.length);
  }
  const { transactions } = w.blockOfWhatFits();
  t.ok(transactions.length > 0 && transactions.length < tried, 'a block has some of them');
  t.same(
    transactions.map(({ id }) => bodyOf(w.chain, id)),
    sent.slice(0, transactions.length),
  );
});

/** A chain whose blocks cannot be undone as soon as each of three witnesses has made one on top. */
function chainOverBlocks(from: TestWorld): { chain: Chain; blocks: CountedBlocks } {
  const blocks = new CountedBlocks();
  return { chain: new Chain({ genesis: from.genesis, engine: testEngine(), blocks, saveBlocks: 1 }), blocks };
}

function twentyBlocks(t: Test, witnesses = 3): { w: TestWorld; ids: string[][]; sent: Map<string, SignedTransaction> } {
  const w = new TestWorld({ ...people, witnesses });
  t.teardown(() => w.chain.pending.clear());
  const sent = new Map<string, SignedTransaction>();
  const ids = Array.from({ length: 12 }, (_, n) => {
    for (let i = 0; i < 3; i++) {
      const operations = [w.operation('transfer', give(3 * n + i))];
      w.chain.pending.push({ transaction: w.signChanged(operations, { expiration: w.now + 3000 }) });
    }
    const made = w.block().transactions;
    for (const { id, transaction } of made) {
      const { operation_results: _, ...body } = transaction;
      sent.set(id, body);
    }
    return made.map(({ id }) => id);
  });
  return { w, ids, sent };
}

t.test('bodies are read from the block store once their block stays, and not before', async (t) => {
  const { w, ids, sent } = twentyBlocks(t);
  const { chain, blocks } = chainOverBlocks(w);
  for (let number = 1; number <= w.chain.blocks.head.number; number++) {
    const block = w.chain.queries.blockByNumber(number);
    if (block !== undefined) chain.blocks.push({ block });
  }
  const first = w.chain.blocks.head.number - ids.length + 1;
  const { irreversible, number: head } = chain.blocks.head;
  t.ok(irreversible > first && irreversible < head);
  blocks.asked = 0;
  for (const [i, some] of ids.entries()) {
    const isStored = first + i <= irreversible;
    const before = blocks.asked;
    for (const id of some) {
      t.equal(remembered(chain, id).storedBlock, isStored ? first + i : undefined);
      t.same(bodyOf(chain, id), sent.get(id));
    }
    t.equal(blocks.asked - before, isStored ? 1 : 0, 'a block is read once for neighbours');
  }
  const view = networkView({ queries: chain.queries, pending: chain.pending, genesisTime: 0 });
  t.equal(view.transactionBytes(ids[0]?.[0] as string), undefined, 'no peer makes us look through an old block');
  t.ok(view.transactionBytes(ids.at(-1)?.[0] as string));
});

function toldWhenUndone(t: Test, chain: Chain, sent: ReadonlyMap<string, SignedTransaction>): string[] {
  const told: string[] = [];
  chain.blocks.subscribe((event) => {
    if (event.kind !== 'undone') return;
    for (const { definition, value } of event.changed) {
      if (definition !== transactionObject || value === undefined) continue;
      const { trx_id, trx } = asRemembered(value);
      told.push(trx_id);
      t.same(trx.operations, sent.get(trx_id)?.operations);
    }
  });
  return told;
}

t.test('who is told of an undone block finds the bodies of what it held', async (t) => {
  const { w, ids, sent } = twentyBlocks(t);
  const told = toldWhenUndone(t, w.chain, sent);
  w.chain.blocks.popTo(w.chain.blocks.head.number - 2);
  t.same(told.sort(), ids.slice(-2).flat().sort());
  // The others refer to a block that is no more.
  for (const id of ids.at(-2) as string[]) t.same(bodyOf(w.chain, id), sent.get(id));
});

/** So many that nothing becomes irreversible in these tests. */
const MANY = 27;
/** Blocks that are in memory. */
const HELD = 3;

t.test(
  'of the blocks that may be undone all but the newest rest in the block store, and come back from there',
  async (t) => {
    const { w, ids, sent } = twentyBlocks(t, MANY);
    const { chain, blocks } = chainOverBlocks(w);
    const all = Array.from({ length: w.chain.blocks.head.number }, (_, i) => w.chain.queries.blockByNumber(i + 1));
    const push = (from: number): void => {
      for (const block of all.slice(from)) if (block !== undefined) chain.blocks.push({ block });
    };
    push(0);
    const head = all.length;
    const first = head - ids.length + 1;
    t.equal(chain.blocks.head.irreversible, 0);
    blocks.asked = 0;
    for (const [i, some] of ids.entries()) {
      const before = blocks.asked;
      for (const id of some) {
        t.equal(remembered(chain, id).storedBlock, first + i <= head - HELD ? first + i : undefined);
        t.same(bodyOf(chain, id), sent.get(id));
      }
      t.equal(blocks.asked - before, first + i <= head - HELD ? 1 : 0);
    }
    const hash = chain.snapshots.withHeadState(stateHash);
    const told = toldWhenUndone(t, chain, sent);
    chain.blocks.popTo(first);
    t.same(told.sort(), ids.slice(1).flat().sort(), 'bodies of what is undone are found');
    push(first);
    t.equal(chain.snapshots.withHeadState(stateHash), hash);
    for (const id of ids.flat()) t.same(bodyOf(chain, id), sent.get(id));
  },
);

t.test(
  'whoever asks for the bodies of a stored block one by one has it read once, though others come in between',
  async (t) => {
    const { w } = twentyBlocks(t);
    const { number } = w.chain.blocks.head;
    const [older, newer] = [number - 1, number].map((one) => w.chain.queries.blockByNumber(one));
    const read: number[] = [];
    const stored = new StoredBodies({
      bytesOf(one) {
        read.push(one);
        return w.chain.queries.blockBytes(one);
      },
    });
    for (const position of [0, 1, 1, 2]) {
      t.same(stored.transaction(number, position), newer?.transactions[position]);
      stored.forget();
    }
    t.same(read, [number]);
    t.equal(stored.transaction(number, 3), undefined);
    t.same(stored.transaction(number, 1), newer?.transactions[1], 'as well as one before');
    t.same(stored.transaction(number - 1, 2), older?.transactions[2]);
    t.same(read, [number, number, number - 1]);
    stored.forget();
    stored.forget();
    t.same(stored.transaction(number - 1, 2), older?.transactions[2]);
    t.equal(read.length, 4, 'it is not kept for who asks no more');
    t.equal(stored.transaction(number + 1, 0), undefined, 'a block that is not there');
    stored.transaction(number, 0);
    stored.lose(number - 1);
    stored.transaction(number, 1);
    t.equal(read.length, 6);
    stored.lose(number);
    stored.transaction(number, 1);
    t.equal(read.length, 7, 'what may be another block by now is read again');
  },
);
