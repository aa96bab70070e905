import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { IdRuns } from '../../src/storage/transaction-index/id-runs.js';
import { WaitingIds } from '../../src/storage/transaction-index/waiting-ids.js';
import { eventually } from '../support/eventually.js';
import { addRun as add, hasFound as found, hash, idsOf, openRuns as open } from '../support/id-runs.js';
import { refused } from '../support/refused.js';

/** All of many runs, each of one block, in a folder. */
async function filled(folder: string, blocks: number, count: number): Promise<IdRuns> {
  const runs = open(folder);
  for (let block = 1; block <= blocks; block++) await add(runs, block, idsOf(block, count));
  return runs;
}

const files = (folder: string): string[] => readdirSync(folder).sort();

t.test('four runs become one, again and again, and nothing is lost on the way', async (t) => {
  const folder = t.testdir();
  const runs = await filled(folder, 21, 700);
  const merged = ['blocks-1-16.ids', 'blocks-17-20.ids', 'blocks-21-21.ids'];
  await eventually('all that can be is merged', () => files(folder).join() === merged.join());
  for (let block = 1; block <= 21; block++) t.ok(found(runs, block, 700), `block ${block}`);
  t.equal(runs.find(fromHex(hash('none'))), undefined);
  t.same(runs.position, { number: 21, id: hash('block 21') });
  await runs.close();
  const again = open(folder);
  t.same(again.position, { number: 21, id: hash('block 21') });
  for (let block = 1; block <= 21; block++) t.ok(found(again, block, 700), `block ${block}, opened again`);
  await again.close();
});

t.test('what would become too large to be copied again stays as it is', async (t) => {
  const folder = t.testdir();
  const runs = open(folder, 40);
  for (let block = 1; block <= 4; block++) await add(runs, block, idsOf(block, 10));
  for (let block = 5; block <= 9; block++) await add(runs, block, idsOf(block, block === 9 ? 1 : 11));
  const left = ['blocks-1-4.ids', ...[5, 6, 7, 8, 9].map((block) => `blocks-${block}-${block}.ids`)];
  await eventually('40 entries are merged, 44 are not', () => files(folder).join() === left.join());
  for (let block = 1; block <= 8; block++) t.ok(found(runs, block, 10), `block ${block}`);
  await runs.close();
});

t.test('whatever the ids, the newest place of each is found, before and after runs are merged', async (t) => {
  const folder = t.testdir();
  // Few of them, so that blocks share some; alike at the beginning, as only somebody who wants harm would make them.
  const alike = fc.tuple(fc.constantFrom('00', 'ff', '7f'), fc.integer({ min: 0, max: 40 })).map(([byte, number]) => {
    return byte.repeat(16) + number.toString(16).padStart(8, '0');
  });
  const spread = fc.integer({ min: 0, max: 40 }).map((number) => hash(`${number}`));
  const block = fc.uniqueArray(fc.oneof(alike, spread), { maxLength: 30 });
  let count = 0;
  const property = fc.asyncProperty(fc.array(block, { maxLength: 12 }), async (blocks) => {
    const own = join(folder, `${++count}`);
    mkdirSync(own);
    const runs = open(own);
    const known = new Map<string, string>();
    const check = (): void => {
      for (const [id, place] of known) if (JSON.stringify(runs.find(fromHex(id))) !== place) throw new Error(id);
    };
    for (const [i, ids] of blocks.entries()) {
      await add(runs, i + 1, ids);
      for (const [position, id] of ids.entries()) known.set(id, JSON.stringify({ block: i + 1, position }));
      check();
    }
    await eventually('merged', () => files(own).length <= 2 * 3);
    check();
    await runs.close();
  });
  await t.resolves(fc.assert(property, { numRuns: 60 }));
});

t.test('of ids that stand in a row of blocks written together the newest place counts too', async (t) => {
  const runs = open(t.testdir());
  const waiting = new WaitingIds();
  const [twice, once] = [hash('twice'), hash('once')];
  waiting.push(1, [twice, once]);
  waiting.push(2, [twice]);
  t.same(waiting.find(fromHex(twice)), { block: 2, position: 0 });
  await runs.add(1, { number: 2, id: hash('2') }, waiting.sorted(3));
  t.same(runs.find(fromHex(twice)), { block: 2, position: 0 });
  t.same(runs.find(fromHex(once)), { block: 1, position: 1 });
  await runs.close();
});

t.test('a start removes what a crash has left: halves of files, and runs that were merged already', async (t) => {
  const folder = t.testdir({ before: {}, now: {} });
  const [before, now] = [join(folder, 'before'), join(folder, 'now')];
  const runs = await filled(now, 3, 10);
  cpSync(now, before, { recursive: true });
  await add(runs, 4, idsOf(4, 10));
  await add(runs, 5, idsOf(5, 10));
  const merged = ['blocks-1-4.ids', 'blocks-5-5.ids'];
  await eventually('merged', () => files(now).join() === merged.join());
  await runs.close();
  for (const name of files(before)) copyFileSync(join(before, name), join(now, name));
  writeFileSync(join(now, 'blocks-6-6.ids.tmp'), 'half');
  writeFileSync(join(now, 'notes.txt'), 'of somebody');
  const again = open(now);
  t.same(files(now), [...merged, 'notes.txt']);
  for (let block = 1; block <= 5; block++) t.ok(found(again, block, 10), `block ${block}`);
  await again.close();
  IdRuns.clear(now);
  t.same(files(now), ['notes.txt'], 'what is not of the index stays, whatever is done with it');
});

t.test('behind a file that somebody has removed nothing counts', async (t) => {
  const folder = t.testdir();
  await (await filled(folder, 3, 10)).close();
  rmSync(join(folder, 'blocks-2-2.ids'));
  const runs = open(folder);
  t.same(runs.position, { number: 1, id: hash('block 1') });
  t.same(files(folder), ['blocks-1-1.ids']);
  await add(runs, 2, idsOf(2, 10));
  await runs.close();
  rmSync(join(folder, 'blocks-1-1.ids'));
  const none = open(folder);
  t.equal(none.position, undefined, 'without the first one none');
  t.same(files(folder), []);
  await none.close();
});

t.test('a close in the middle of a merge gives it up, and the next life makes it', async (t) => {
  const folder = t.testdir();
  const runs = await filled(folder, 4, 20_000);
  await runs.close();
  t.notOk(files(folder).some((name) => name.endsWith('.tmp')));
  const again = open(folder);
  for (let block = 1; block <= 4; block++) t.ok(found(again, block, 100), `block ${block}`);
  await eventually('merged', () => files(folder).join() === 'blocks-1-4.ids');
  for (let block = 1; block <= 4; block++) t.ok(found(again, block, 100), `block ${block}, merged`);
  await again.close();
});

const about = { advice: 'Start again: the index is rebuilt from the block log then' };

t.test('a changed byte anywhere is found by whoever reads it, and the next start builds that part again', async (t) => {
  const folder = t.testdir({ whole: {}, broken: {} });
  const [whole, broken] = [join(folder, 'whole'), join(folder, 'broken')];
  await (await filled(whole, 2, 400)).close();
  const name = 'blocks-2-2.ids';
  const bytes = readFileSync(join(whole, name));
  t.equal(bytes.length, 4 * 4096 + 4 * 4);
  const path = join(broken, name);
  const sorted = idsOf(2, 400).sort();
  for (let at = 4096; at < 4 * 4096; at += 997) {
    cpSync(whole, broken, { recursive: true });
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    writeFileSync(path, changed);
    const runs = open(broken);
    const page = Math.floor(at / 4096);
    const reason = `page ${page} is not what was written`;
    const id = fromHex(sorted[(page - 1) * 146 + 70] as string);
    refused(t, STORAGE_ERRORS.database_damaged, () => runs.find(id), { data: { path, reason, ...about } });
    await runs.close();
    const again = open(broken);
    t.equal(again.position?.number, 1);
    await again.close();
  }
});

const raise = (error: unknown): never => {
  throw error;
};

t.test('ids that are alike at the beginning are found in whatever page they are', async (t) => {
  const runs = open(t.testdir());
  const alike = (i: number): string => `5a5a5a5a${hash(`${i}`).slice(8)}`;
  const ids = Array.from({ length: 1000 }, (_, i) => (i % 4 === 0 ? hash(`${i}`) : alike(i)));
  await add(runs, 1, ids);
  for (const [position, id] of ids.entries()) t.same(runs.find(fromHex(id)), { block: 1, position }, id);
  for (const id of ['00'.repeat(20), 'ff'.repeat(20), '5a'.repeat(20), alike(1001)]) {
    t.equal(runs.find(fromHex(id)), undefined);
  }
  await runs.close();
});

t.test('a changed list of pages is found by the start', async (t) => {
  const folder = t.testdir();
  await (await filled(folder, 1, 400)).close();
  const path = join(folder, 'blocks-1-1.ids');
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(4 * 4096 + 5) ^ 1, 4 * 4096 + 5);
  writeFileSync(path, bytes);
  const data = { path, reason: 'its list of pages is not what was written', ...about };
  refused(t, STORAGE_ERRORS.database_damaged, () => open(folder), { data });
});

t.test('a damaged file is not merged into a whole one', async (t) => {
  const folder = t.testdir();
  await (await filled(folder, 3, 400)).close();
  const path = join(folder, 'blocks-2-2.ids');
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(9000) ^ 1, 9000);
  writeFileSync(path, bytes);
  const runs = open(folder);
  await add(runs, 4, idsOf(4, 10));
  let block = 4;
  const refusal = await eventually('the merge has failed', () =>
    add(runs, ++block, idsOf(block, 10)).then(
      () => undefined,
      (error: unknown) => error,
    ),
  );
  const data = { path, reason: 'page 2 is not what was written', ...about };
  refused(t, STORAGE_ERRORS.database_damaged, () => raise(refusal), { data });
  await runs.close();
  const again = open(folder);
  t.equal(again.position?.number, 1);
  await again.close();
});

t.test('a file that is too short is found by the start', async (t) => {
  const folder = t.testdir();
  await (await filled(folder, 1, 400)).close();
  const path = join(folder, 'blocks-1-1.ids');
  truncateSync(path, 2 * 4096);
  const data = { path, reason: 'its length is wrong', ...about };
  refused(t, STORAGE_ERRORS.database_damaged, () => open(folder), { data });
});
