import { join } from 'node:path';
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

function fill(index: TransactionIndex, from: number, to: number): void {
  for (let n = from; n <= to; n++) index.add(n, ids(n));
}

const STORES: readonly (readonly [name: string, open: (folder: string) => Promise<KeyValueStore>])[] = [
  ['memory', async () => new MemoryKv()],
  ['level', (folder) => LevelKv.open(join(folder, 'index'))],
];

for (const [name, open] of STORES) {
  t.test(`${name}: transactions are found before and after they are written`, async (t) => {
    const index = new TransactionIndex(await open(t.testdir()), CHAIN);
    fill(index, 1, 30);
    t.equal(index.settle(10), undefined, 'too few to be worth a write');
    t.same(index.find(id(5, 2)), { block: 5, position: 2 });
    await index.settle(25);
    t.equal(index.storedNumber, 25);
    for (let n = 1; n <= 30; n++) t.same(index.find(id(n, 1)), { block: n, position: 1 }, `block ${n}`);
    t.equal(index.find(id(31, 0)), undefined);
    t.equal(index.find('00'), undefined);
    await index.close();
  });
}

t.test('a block that was taken back is forgotten, the one in its place is found', async (t) => {
  const index = new TransactionIndex(new MemoryKv(), CHAIN);
  fill(index, 1, 5);
  index.undo(5);
  index.undo(4);
  t.equal(index.find(id(4, 0)), undefined);
  index.add(4, [id(5, 1)]);
  t.same(index.find(id(5, 1)), { block: 4, position: 0 });
  t.equal(index.headNumber, 4);
});

t.test('after a crash it knows how far it is and goes on there', async (t) => {
  const kv = new MemoryKv();
  const first = new TransactionIndex(kv, CHAIN);
  fill(first, 1, 40);
  await first.settle(30);
  const second = new TransactionIndex(kv.clone(), CHAIN);
  t.equal(second.storedNumber, 30);
  t.equal(second.find(id(35, 0)), undefined, 'not written, not known');
  fill(second, 28, 45);
  t.same(second.find(id(29, 0)), { block: 29, position: 0 });
  t.same(second.find(id(45, 0)), { block: 45, position: 0 });
  t.throws(() => second.add(50, []), /invariant/);
  second.settle(44);
  await second.flush();
  t.equal(second.storedNumber, 44);
});

t.test('what comes while a batch is written goes into the next one', async (t) => {
  const index = new TransactionIndex(new MemoryKv(), CHAIN);
  fill(index, 1, 60);
  const writing = index.settle(30);
  t.equal(index.settle(50), undefined, 'one at a time');
  fill(index, 61, 62);
  await writing;
  t.equal(index.storedNumber, 30);
  await index.settle(51);
  t.equal(index.storedNumber, 51);
  t.same(index.find(id(62, 2)), { block: 62, position: 2 });
});

t.test('an index of another chain is refused', async (t) => {
  const kv = new MemoryKv();
  const index = new TransactionIndex(kv, CHAIN);
  fill(index, 1, 3);
  index.settle(3);
  await index.flush();
  refused(t, STORAGE_ERRORS.storage_other_chain, () => new TransactionIndex(kv, 'cd'.repeat(32)));
  await kv.write([{ key: Uint8Array.of(0), value: Uint8Array.of(1, 2) }]);
  refused(t, STORAGE_ERRORS.storage_not_ours, () => new TransactionIndex(kv, CHAIN));
});
