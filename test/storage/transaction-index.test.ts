import { cpSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import t from 'tap';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import type { TransactionIndex } from '../../src/storage/transaction-index/transaction-index.js';
import { eventually } from '../support/eventually.js';
import { hash } from '../support/id-runs.js';
import { refused } from '../support/refused.js';
import { openIndex } from '../support/transaction-index.js';

const CHAIN = 'ab'.repeat(32);
const id = (block: number, position: number): string =>
  block.toString(16).padStart(20, '0') + position.toString(16).padStart(20, '0');
const ids = (block: number): string[] => [id(block, 0), id(block, 1), id(block, 2)];

const place = (block: number): { number: number; id: string } => ({ number: block, id: id(block, 999) });

function fill(index: TransactionIndex, from: number, to: number): void {
  for (let n = from; n <= to; n++) index.apply({ ...place(n), transactionIds: ids(n) });
}

const open = (folder: string, chain = CHAIN): TransactionIndex => openIndex(folder, chain);

/** What goes on in the background is done. */
const written = (index: TransactionIndex): Promise<void> => index.flush();

t.test('transactions are found before and after they are written', async (t) => {
  const index = open(t.testdir());
  fill(index, 1, 1300);
  t.equal(index.settle(900), undefined, 'too few to be worth a write');
  t.equal(index.storedNumber, 0);
  t.same(index.find(id(5, 2)), { block: 5, position: 2 });
  t.equal(index.settle(1250), undefined, 'nobody waits for a write');
  await written(index);
  t.equal(index.storedNumber, 1250);
  for (let n = 1; n <= 1300; n += 7) t.same(index.find(id(n, 1)), { block: n, position: 1 }, `block ${n}`);
  t.equal(index.find(id(1301, 0)), undefined);
  t.equal(index.find('00'), undefined);
  await index.close();
});

t.test('a block that was taken back is forgotten, the one in its place is found', async (t) => {
  const index = open(t.testdir());
  fill(index, 1, 5);
  index.undo(place(5));
  index.undo(place(4));
  t.equal(index.find(id(4, 0)), undefined);
  index.apply({ number: 4, id: id(4, 7), transactionIds: [id(5, 1)] });
  t.same(index.find(id(5, 1)), { block: 4, position: 0 });
  t.match(index.position, { number: 4, id: id(4, 7) });
  index.settle(4);
  t.throws(() => index.undo({ number: 4, id: id(4, 7) }), /invariant/, 'what stays is not taken back');
  await index.close();
});

t.test('however rarely it is asked, it finds what blocks have that came, went and were written', async (t) => {
  const step = fc.oneof(
    { arbitrary: fc.constant('apply' as const), weight: 5 },
    { arbitrary: fc.constantFrom('undo' as const, 'settle' as const, 'find' as const), weight: 3 },
  );
  const folder = t.testdir();
  let runs = 0;
  const property = fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
    const own = join(folder, `${++runs}`);
    mkdirSync(own);
    const index = open(own);
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
    await index.close();
  });
  await t.resolves(fc.assert(property, { numRuns: 300 }));
});

t.test('after a crash it knows how far it is, by number and id, and goes on there', async (t) => {
  const folder = t.testdir({ index: {}, copy: {} });
  const first = open(join(folder, 'index'));
  fill(first, 1, 40);
  first.settle(30);
  await written(first);
  cpSync(join(folder, 'index'), join(folder, 'copy'), { recursive: true });
  await first.close();
  const second = open(join(folder, 'copy'));
  t.same(second.position, place(30));
  t.equal(second.find(id(35, 0)), undefined, 'not written, not known');
  fill(second, 31, 45);
  t.same(second.find(id(29, 0)), { block: 29, position: 0 });
  t.same(second.find(id(45, 0)), { block: 45, position: 0 });
  t.throws(() => second.apply({ ...place(50), transactionIds: [] }), /invariant/);
  second.settle(44);
  await second.flush();
  t.equal(second.storedNumber, 44);
  await second.close();
});

t.test('what comes while some are written goes into the next run; who is far ahead has to wait', async (t) => {
  const index = open(t.testdir());
  fill(index, 1, 4000);
  t.equal(index.settle(1300), undefined);
  t.equal(index.settle(1350), undefined, 'one at a time');
  fill(index, 4001, 4002);
  const writing = index.settle(3900);
  t.ok(writing instanceof Promise, 'two writes worth of blocks are waited for');
  await writing;
  t.equal(index.storedNumber, 1300);
  index.settle(3910);
  await written(index);
  t.equal(index.storedNumber, 3910);
  t.same(index.find(id(4002, 2)), { block: 4002, position: 2 });
  await index.close();
});

t.test('what came together while nothing became irreversible is written in several runs', async (t) => {
  const folder = t.testdir();
  const index = open(folder);
  const many = (block: number): string[] => Array.from({ length: 9000 }, (_, position) => id(block, position));
  for (let block = 1; block <= 5; block++) index.apply({ ...place(block), transactionIds: many(block) });
  index.settle(5);
  await written(index);
  t.same(readdirSync(folder).sort(), ['blocks-1-2.ids', 'blocks-3-4.ids', 'blocks-5-5.ids']);
  t.equal(index.storedNumber, 5);
  for (let block = 1; block <= 5; block++) t.same(index.find(id(block, 8999)), { block, position: 8999 });
  await index.close();
});

t.test('what may still be undone makes no writes of its own, and nobody waits for it', async (t) => {
  const folder = t.testdir();
  const index = open(folder);
  const many = (block: number): string[] => Array.from({ length: 2000 }, (_, position) => id(block, position));
  for (let block = 1; block <= 60; block++) {
    index.apply({ ...place(block), transactionIds: many(block) });
    t.equal(index.settle(block - 40), undefined, `block ${block}`);
    const stays = block - 40;
    if (stays > 0 && stays % 9 === 0) await eventually('a run is written', () => index.storedNumber === stays);
  }
  await written(index);
  t.same(readdirSync(folder).sort(), ['blocks-1-9.ids', 'blocks-10-18.ids', 'blocks-19-20.ids']);
  await index.close();
});

t.test('whoever wants all to be written waits for others that do, also for one that comes in between', async (t) => {
  const index = open(t.testdir());
  fill(index, 1, 4000);
  index.settle(1300);
  const settled = Promise.resolve(index.settle(3500)).then(() => index.settle(3600));
  await Promise.all([settled, index.flush(), index.flush()]);
  t.equal(index.storedNumber, 3600);
  t.match(index.position, place(4000));
  for (let n = 1; n <= 4000; n += 37) t.same(index.find(id(n, 1)), { block: n, position: 1 });
  await index.close();
});

t.test('of ids that are as different as hashes are those that wait are found, before and after a write', async (t) => {
  const index = open(t.testdir());
  const of = (block: number): string[] => [hash(`${block} 0`), hash(`${block} 1`), hash(`${block} 2`)];
  for (let n = 1; n <= 1300; n++) index.apply({ ...place(n), transactionIds: of(n) });
  const check = (from: number): void => {
    for (let block = from; block <= 1300; block++) {
      for (const [position, one] of of(block).entries()) t.same(index.find(one), { block, position });
    }
  };
  check(1);
  index.settle(1250);
  await written(index);
  check(1240);
  t.equal(index.find(hash('none')), undefined);
  await index.close();
});

t.test('a write that fails is told with the next call, and nothing is written any more', async (t) => {
  const folder = t.testdir();
  const index = open(folder);
  fill(index, 1, 1600);
  const inTheWay = join(folder, 'blocks-1-1300.ids.tmp');
  mkdirSync(inTheWay);
  t.equal(index.settle(1300), undefined);
  const isTold = { message: /blocks-1-1300.ids: a file is where|blocks-1-1300.ids: .*EISDIR/ };
  await t.rejects(index.flush(), isTold);
  rmdirSync(inTheWay);
  t.throws(() => index.settle(1310), isTold);
  t.same(index.find(id(7, 1)), { block: 7, position: 1 }, 'what it has taken it knows');
  await index.close();
  t.same(readdirSync(folder), []);
});

t.test('without the oldest blocks it begins behind them', async (t) => {
  const folder = t.testdir();
  const index = open(folder);
  index.skipTo(place(40));
  fill(index, 41, 70);
  index.settle(65);
  await index.close();
  const again = open(folder);
  t.same(again.position, place(65));
  t.equal(again.find(id(30, 0)), undefined);
  t.same(again.find(id(41, 0)), { block: 41, position: 0 });
  await again.close();
});

t.test('an index of another chain, of a newer format or of another program is refused', async (t) => {
  const folder = t.testdir();
  const index = open(folder);
  fill(index, 1, 3);
  index.settle(3);
  await index.close();
  const path = join(folder, 'blocks-1-3.ids');
  refused(t, STORAGE_ERRORS.storage_other_chain, () => open(folder, 'cd'.repeat(32)));
  const bytes = readFileSync(path);
  const changed = (at: number, value: number): void => {
    const other = Buffer.from(bytes);
    other[at] = value;
    other.writeUInt32BE(crc32(other.subarray(0, 4092)), 4092);
    writeFileSync(path, other);
  };
  changed(11, 4);
  refused(t, STORAGE_ERRORS.storage_newer_version, () => open(folder), { data: { path, found: 4, known: 3 } });
  changed(0, 0x55);
  refused(t, STORAGE_ERRORS.storage_not_ours, () => open(folder), { data: { path, kind: 'transaction index' } });
  changed(11, 3);
  const found = open(folder);
  t.same(found.position, place(3));
  await found.close();
});
