import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import type { KeyValueStore } from '../../src/storage/kv.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { TransactionIndex } from '../../src/storage/transaction-index.js';
import { refused } from '../support/refused.js';

const CHAIN = 'ab'.repeat(32);
const id = (block: number, position: number): string =>
  block.toString(16).padStart(20, '0') + position.toString(16).padStart(20, '0');
const ids = (block: number): string[] => [id(block, 0), id(block, 1), id(block, 2)];

const place = (block: number): { number: number; id: string } => ({ number: block, id: id(block, 999) });

function fill(index: TransactionIndex, from: number, to: number): void {
  for (let n = from; n <= to; n++) index.apply({ ...place(n), transactionIds: ids(n) });
}

const open = (kv: KeyValueStore, chain = CHAIN): TransactionIndex =>
  new TransactionIndex(kv, chain, (number) => id(number, 999));

/** What goes on in the background is done. */
const written = (index: TransactionIndex): Promise<void> => index.flush();

const STORES: readonly (readonly [name: string, open: (folder: string) => Promise<KeyValueStore>])[] = [
  ['memory', async () => new MemoryKv()],
  ['level', (folder) => LevelKv.open(join(folder, 'index'))],
];

for (const [name, store] of STORES) {
  t.test(`${name}: transactions are found before and after they are written`, async (t) => {
    const index = open(await store(t.testdir()));
    fill(index, 1, 300);
    t.equal(index.settle(100), undefined, 'too few to be worth a write');
    t.equal(index.storedNumber, 0);
    t.same(index.find(id(5, 2)), { block: 5, position: 2 });
    t.equal(index.settle(250), undefined, 'nobody waits for a write');
    await written(index);
    t.equal(index.storedNumber, 250);
    for (let n = 1; n <= 300; n += 7) t.same(index.find(id(n, 1)), { block: n, position: 1 }, `block ${n}`);
    t.equal(index.find(id(301, 0)), undefined);
    t.equal(index.find('00'), undefined);
    await index.close();
  });
}

t.test('a block that was taken back is forgotten, the one in its place is found', async (t) => {
  const index = open(new MemoryKv());
  fill(index, 1, 5);
  index.undo(place(5));
  index.undo(place(4));
  t.equal(index.find(id(4, 0)), undefined);
  index.apply({ number: 4, id: 'other', transactionIds: [id(5, 1)] });
  t.same(index.find(id(5, 1)), { block: 4, position: 0 });
  t.match(index.position, { number: 4, id: 'other' });
  index.settle(4);
  t.throws(() => index.undo({ number: 4, id: 'other' }), /invariant/, 'what stays is not taken back');
});

t.test('however rarely it is asked, it finds what blocks have that came, went and were written', async (t) => {
  const step = fc.oneof(
    { arbitrary: fc.constant('apply' as const), weight: 5 },
    { arbitrary: fc.constantFrom('undo' as const, 'settle' as const, 'find' as const), weight: 3 },
  );
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const index = open(new MemoryKv());
    const blocks: string[][] = [];
    let [settled, made] = [0, 0];
    const check = () => {
      for (let n = 1; n <= made; n++) {
        const block = blocks.findIndex((list) => list.includes(id(n, 0))) + 1;
        const expected = block === 0 ? undefined : { block, position: 0 };
        if (JSON.stringify(index.find(id(n, 0))) !== JSON.stringify(expected)) throw new Error(`${n}: ${block}`);
      }
    };
    for (const what of steps) {
      if (what === 'apply') {
        blocks.push(ids(++made));
        index.apply({ ...place(blocks.length), transactionIds: ids(made) });
      } else if (what === 'undo' && blocks.length > settled) {
        index.undo({ number: blocks.length, id: '' });
        blocks.pop();
      } else if (what === 'settle') {
        settled = Math.max(settled, blocks.length - 2);
        index.settle(settled);
        await index.flush();
      } else if (what === 'find') check();
    }
    check();
  });
  await t.resolves(fc.assert(property, { numRuns: 300 }));
});

t.test('after a crash it knows how far it is, by number and id, and goes on there', async (t) => {
  const kv = new MemoryKv();
  const first = open(kv);
  fill(first, 1, 40);
  first.settle(30);
  await written(first);
  const second = open(kv.clone());
  t.same(second.position, place(30));
  t.equal(second.find(id(35, 0)), undefined, 'not written, not known');
  fill(second, 31, 45);
  t.same(second.find(id(29, 0)), { block: 29, position: 0 });
  t.same(second.find(id(45, 0)), { block: 45, position: 0 });
  t.throws(() => second.apply({ ...place(50), transactionIds: [] }), /invariant/);
  second.settle(44);
  await second.flush();
  t.equal(second.storedNumber, 44);
});

t.test('what comes while a batch is written goes into the next one; who is far ahead has to wait', async (t) => {
  const index = open(new MemoryKv());
  fill(index, 1, 1000);
  t.equal(index.settle(300), undefined);
  t.equal(index.settle(350), undefined, 'one at a time');
  fill(index, 1001, 1002);
  const writing = index.settle(900);
  t.ok(writing instanceof Promise, 'two writes worth of blocks are waited for');
  await writing;
  t.equal(index.storedNumber, 300);
  index.settle(910);
  await written(index);
  t.equal(index.storedNumber, 910);
  t.same(index.find(id(1002, 2)), { block: 1002, position: 2 });
});

t.test('a write that fails is told with the next call, and nothing is written any more', async (t) => {
  const kv = new MemoryKv();
  const index = open(kv);
  fill(index, 1, 600);
  const { write } = kv;
  kv.write = () => Promise.reject(new Error('no room'));
  t.equal(index.settle(300), undefined);
  await t.rejects(index.flush(), { message: 'no room' });
  kv.write = write;
  t.throws(() => index.settle(310), { message: 'no room' });
  await index.close();
  t.equal(kv.entries.size, 0);
});

t.test('without the oldest blocks it begins behind them', async (t) => {
  const kv = new MemoryKv();
  const index = open(kv);
  index.skipTo(place(40));
  fill(index, 41, 70);
  index.settle(65);
  await written(index);
  t.same(open(kv).position, place(65));
  t.equal(index.find(id(30, 0)), undefined);
});

t.test('an index of another chain is refused, one of format 1 goes on', async (t) => {
  const kv = new MemoryKv();
  const index = open(kv);
  fill(index, 1, 3);
  index.settle(3);
  await index.flush();
  refused(t, STORAGE_ERRORS.storage_other_chain, () => open(kv, 'cd'.repeat(32)));
  const meta = kv.get(Uint8Array.of(0)) as Uint8Array;
  const old = meta.slice(0, 40);
  old[3] = 1;
  await kv.write([{ key: Uint8Array.of(0), value: old }]);
  const opened = open(kv);
  t.same(opened.position, place(3), 'the chain says which block that was');
  t.same(opened.find(id(2, 1)), { block: 2, position: 1 });
  old[3] = 3;
  await kv.write([{ key: Uint8Array.of(0), value: old }]);
  refused(t, STORAGE_ERRORS.storage_newer_version, () => open(kv));
  await kv.write([{ key: Uint8Array.of(0), value: Uint8Array.of(1, 2) }]);
  refused(t, STORAGE_ERRORS.storage_not_ours, () => open(kv));
});
