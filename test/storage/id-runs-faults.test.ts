import fs from 'node:fs';
import { basename, join } from 'node:path';
import t, { type Test } from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import type { ErrorRow } from '../../src/base/errors.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { eventually } from '../support/eventually.js';
import { addRun, hasFound, idsOf, openRuns } from '../support/id-runs.js';
import { refused } from '../support/refused.js';
import { replace } from '../support/replaced.js';

/** What the disk does to the index of transactions, and what is asked of it. */

const files = (folder: string): string[] => fs.readdirSync(folder).sort();
const add = (runs: ReturnType<typeof openRuns>, block: number, count = 10): Promise<void> =>
  addRun(runs, block, idsOf(block, count));

/** What goes wrong with a merge is told to whoever adds a run when that has ended. */
async function nextRefused(t: Test, row: ErrorRow, runs: ReturnType<typeof openRuns>, from: number): Promise<void> {
  let block = from;
  const told = await eventually('the next one is told of it', () =>
    add(runs, block++).then(
      () => (block > from + 100 ? new Error('nobody is told') : undefined),
      (error: unknown) => error,
    ),
  );
  refused(t, row, () => {
    throw told;
  });
}

/** Calls in the order in which they ended: what was written, synced, renamed and removed. */
async function noting(t: Test, folder: string): Promise<string[]> {
  const calls: string[] = [];
  const some = await fs.promises.open(folder, 'r');
  const handles = Object.getPrototypeOf(some) as fs.promises.FileHandle;
  await some.close();
  for (const name of ['write', 'datasync', 'sync'] as const) {
    const original = handles[name] as (...args: unknown[]) => Promise<unknown>;
    replace(t, handles, name, async function (this: fs.promises.FileHandle, ...args: unknown[]) {
      const result = await original.apply(this, args);
      calls.push(name);
      return result;
    } as never);
  }
  for (const name of ['rename', 'rm'] as const) {
    const original = fs.promises[name] as (...args: unknown[]) => Promise<unknown>;
    replace(t, fs.promises, name, (async (...args: unknown[]) => {
      const result = await original(...args);
      calls.push(`${name} ${basename(String(args[0]))}`);
      return result;
    }) as never);
  }
  return calls;
}

t.test('a run has its name when it is on the medium, and what it was made of goes behind that', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  for (let block = 1; block <= 3; block++) await add(runs, block);
  const calls = await noting(t, folder);
  await add(runs, 4);
  const stored = (name: string): string[] => ['write', 'write', 'write', 'datasync', `rename ${name}.ids.tmp`, 'sync'];
  t.same(calls, stored('blocks-4-4'), 'the run itself, before it is said to be stored');
  const gone = [1, 2, 3, 4].map((block) => `rm blocks-${block}-${block}.ids`);
  await eventually('merged', () => files(folder).length === 1);
  await runs.close();
  t.same(calls.slice(6), [...stored('blocks-1-4'), ...gone]);
});

t.test('a disk that is full while runs are merged keeps what is there and gets its room back', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  for (let block = 1; block <= 3; block++) await add(runs, block);
  const handle = await fs.promises.open(folder, 'r');
  const handles = Object.getPrototypeOf(handle) as fs.promises.FileHandle;
  await handle.close();
  const { datasync } = handles;
  let calls = 0;
  const restore = replace(t, handles, 'datasync', async function (this: fs.promises.FileHandle) {
    if (++calls === 2) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
    return datasync.call(this);
  });
  await add(runs, 4);
  await eventually('the merge has failed', () => calls === 2 && files(folder).length === 4);
  restore();
  await nextRefused(t, STORAGE_ERRORS.storage_disk_full, runs, 5);
  for (let block = 1; block <= 4; block++) t.ok(hasFound(runs, block, 10));
  await runs.close();
});

t.test('a file that is cut while it is merged does not give its pages twice', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  await add(runs, 1, 30_000);
  for (const block of [2, 3]) await add(runs, block);
  const path = join(folder, 'blocks-1-1.ids');
  // Behind what is read first, and not within what is read next.
  fs.truncateSync(path, 4096 * (1 + 64 + 10));
  await add(runs, 4);
  await eventually('the file is gone', () => !fs.existsSync(path));
  t.notOk(files(folder).includes('blocks-1-4.ids'));
  await nextRefused(t, STORAGE_ERRORS.database_damaged, runs, 5);
  await runs.close();
});

/** Descriptors that are not closed yet, from now on. */
function openFiles(t: Test): ReadonlySet<number> {
  const opened = new Set<number>();
  const { openSync, closeSync } = fs;
  replace(t, fs, 'openSync', (...args) => {
    const descriptor = openSync(...args);
    opened.add(descriptor);
    return descriptor;
  });
  replace(t, fs, 'closeSync', (descriptor) => {
    closeSync(descriptor);
    opened.delete(descriptor);
  });
  return opened;
}

t.test('runs that were merged are closed, and a run of any level is copied once for four times as many', async (t) => {
  const folder = t.testdir();
  const opened = openFiles(t);
  const runs = openRuns(folder);
  for (let block = 1; block <= 28; block++) await add(runs, block);
  const wanted = ['blocks-1-16.ids', 'blocks-17-20.ids', 'blocks-21-24.ids', 'blocks-25-28.ids'];
  await eventually('no more can be merged', () => files(folder).join() === wanted.join());
  t.equal(opened.size, 4);
  await runs.close();
  t.equal(opened.size, 0);
});

t.test('a close does not wait until a merge is made', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  for (let block = 1; block <= 3; block++) await add(runs, block);
  const { open } = fs.promises;
  let go = (): void => {};
  const held = new Promise<void>((resolve) => (go = resolve));
  replace(t, fs.promises, 'open', async (path, ...args) => {
    if (basename(String(path)) === 'blocks-1-4.ids.tmp') await held;
    return open(path, ...args);
  });
  await add(runs, 4);
  const closed = runs.close();
  go();
  await closed;
  t.same(
    files(folder),
    [1, 2, 3, 4].map((block) => `blocks-${block}-${block}.ids`),
  );
});

t.test('a start that may not remove what a crash has left says so, and holds no file', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  for (let block = 1; block <= 3; block++) await add(runs, block);
  await runs.close();
  fs.rmSync(join(folder, 'blocks-2-2.ids'));
  const opened = openFiles(t);
  const restore = replace(t, fs, 'rmSync', () => {
    throw Object.assign(new Error('EROFS: read-only file system'), { code: 'EROFS' });
  });
  refused(t, STORAGE_ERRORS.storage_access_denied, () => openRuns(folder));
  t.equal(opened.size, 0);
  fs.truncateSync(join(folder, 'blocks-1-1.ids'), 4096);
  refused(t, STORAGE_ERRORS.storage_access_denied, () => openRuns(folder), 'nor one that is damaged');
  t.equal(opened.size, 0);
  restore();
});

t.test('with very many runs whoever adds one waits for a merge, and none is lost', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  for (let block = 1; block <= 3; block++) await add(runs, block, 1);
  const { rename } = fs.promises;
  let [isHeld, go] = [false, (): void => {}];
  const held = new Promise<void>((resolve) => (go = resolve));
  replace(t, fs.promises, 'rename', async (from, to) => {
    if (basename(String(to)) === 'blocks-1-4.ids') {
      isHeld = true;
      await held;
    }
    return rename(from, to);
  });
  for (let block = 4; block <= 64; block++) await add(runs, block, 1);
  t.ok(isHeld, 'a merge is under way');
  const { open } = fs.promises;
  const opened: string[] = [];
  replace(t, fs.promises, 'open', (path, ...args) => {
    opened.push(basename(String(path)));
    return open(path, ...args);
  });
  const adding = add(runs, 65, 1);
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
  t.notOk(opened.includes('blocks-65-65.ids.tmp'), 'nothing is written yet');
  go();
  await adding;
  for (let block = 1; block <= 65; block++) t.ok(hasFound(runs, block, 1));
  await eventually('merged', () => files(folder).join() === 'blocks-1-64.ids,blocks-65-65.ids');
  await runs.close();
});

/** A header, pages, the first word of each page, a checksum of these. */
const sizeOf = (entries: number): number => {
  const pages = Math.ceil(entries / 146);
  return 4096 * (1 + pages) + 4 * pages + 4;
};

t.test('a run has at most a page more than its entries need', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  for (const [i, count] of [0, 1, 146, 147, 64 * 146, 64 * 146 + 1].entries()) {
    const block = i + 1;
    await add(runs, block, count);
    const name = `blocks-${block}-${block}.ids`;
    if (block < 4) t.equal(fs.statSync(join(folder, name)).size, sizeOf(count));
    t.ok(hasFound(runs, block, count));
  }
  await eventually('merged', () => files(folder).join() === 'blocks-1-4.ids,blocks-5-5.ids,blocks-6-6.ids');
  t.equal(fs.statSync(join(folder, 'blocks-1-4.ids')).size, sizeOf(294));
  await runs.close();
});

t.test('ids that somebody has made alike are found, with few looks', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  // What an id begins with says nothing of its page here: all begin alike, as far as that is in memory.
  const low = Array.from({ length: 29_200 }, (_, i) => i.toString(16).padStart(12, '0').padEnd(40, '7'));
  const same = Array.from({ length: 1000 }, (_, i) => `ab${i.toString(16).padStart(38, '0')}`);
  await addRun(runs, 1, low);
  await addRun(runs, 2, same);
  for (const [position, id] of same.entries()) {
    if (position % 7 === 0) t.same(runs.find(fromHex(id)), { block: 2, position });
  }
  const { readSync } = fs;
  let reads = 0;
  const counting = (...args: Parameters<typeof readSync>): number => {
    reads++;
    return readSync(...args);
  };
  const restore = replace(t, fs, 'readSync', counting as typeof readSync);
  let most = 0;
  for (let position = 0; position < low.length; position += 97) {
    reads = 0;
    t.same(runs.find(fromHex(low[position] as string)), { block: 1, position });
    most = Math.max(most, reads);
  }
  restore();
  t.ok(most <= 9, `at most ${most} pages of 200`);
  await runs.close();
});

t.test('a file that is too long is not what was written', async (t) => {
  const folder = t.testdir();
  const runs = openRuns(folder);
  await add(runs, 1);
  await runs.close();
  const path = join(folder, 'blocks-1-1.ids');
  fs.appendFileSync(path, new Uint8Array(4096));
  refused(t, STORAGE_ERRORS.database_damaged, () => openRuns(folder), { data: { reason: 'its length is wrong' } });
});
