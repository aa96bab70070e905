import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Clock } from '../../../src/base/world.js';
import { systemClock } from '../../../src/node/runtime/clock.js';
import { StoreThread } from '../../../src/node/threads/store-thread.js';
import { NO_BLOCK } from '../../../src/plugin/follower.js';
import type { Cursor } from '../../../src/plugin/store-writer.js';
import { STORAGE_ERRORS } from '../../../src/storage/errors.js';
import { LevelKv } from '../../../src/storage/level-kv.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { projectPath } from '../../support/paths.js';
import { refusedLater } from '../../support/refused.js';

/** A thread that cannot write says why, and never leaves anybody waiting. That it writes is held by test/plugins. */

const CHAIN = '5a'.repeat(32);
const cursor: Cursor = { format: 1, chain: CHAIN, options: '', place: NO_BLOCK, from: 1, next: {} };
const source = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

async function open(t: Test, program: string, clock: Pick<Clock, 'after'> = systemClock) {
  const folder = t.testdir();
  const storePath = join(folder, 'store');
  const store = await LevelKv.openForPlugin(storePath);
  const paths = { blockLogPath: join(folder, 'block_log'), journalPath: join(folder, 'journal') };
  const task = { program, settings: 500, storePath, ...paths, chainId: CHAIN };
  const log = new MemoryLog();
  const thread = new StoreThread(task, { clock, log });
  return { thread, store, log };
}

t.test('one that was never asked to write is never begun', async (t) => {
  const { thread, store } = await open(t, source('throw new Error("loaded")'));
  await thread.close();
  await store.close();
});

t.test('a program that cannot be loaded', async (t) => {
  const { thread, store } = await open(t, source('throw new Error("it cannot be loaded")'));
  await t.rejects(thread.write(cursor, 5), new Error('it cannot be loaded'));
  await t.rejects(thread.write(cursor, 5), new Error('it cannot be loaded'), 'and again');
  await thread.close();
  await store.close();
});

t.test('blocks that are not in the files', async (t) => {
  const program = `file://${projectPath('dist', 'plugins', 'account_history_kv', 'writer.js')}`;
  const { thread, store } = await open(t, program);
  await t.rejects(thread.write(cursor, 5), /blocks that stay are in the files/);
  await thread.close();
  t.equal(store.get(Uint8Array.of(0)), undefined, 'the store is closed there and open here');
  await store.close();
});

t.test('a thread that ends', async (t) => {
  const { thread, store } = await open(t, source('export default () => process.exit(7)'));
  await t.rejects(thread.write(cursor, 5), new Error('the thread that writes has ended'));
  await t.rejects(thread.write(cursor, 5), new Error('the thread that writes has ended'), 'and again');
  await thread.close();
  await store.close();
});

const NO_FILES = `Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE' })`;

t.test('one that finds no file to open tries again, and says so', async (t) => {
  const place = { number: 6, id: '6' };
  const follower = JSON.stringify({ position: place, cursor: { ...cursor, place } });
  const program = `let tries = 0; export default ({ store }) => {
    if (tries++ < 2) throw ${NO_FILES};
    return { ...${follower}, settle() {}, flush() {}, close: () => store.close() };
  }`;
  const { thread, store, log } = await open(t, source(program));
  t.equal((await thread.write(cursor, 5)).cursor.place.number, 6);
  t.same(
    log.entries.map(({ level, text }) => [level, text]),
    [
      ['warn', 'the store of a plugin waits until a file can be opened'],
      ['info', 'the store of a plugin is written again'],
    ],
    'once each',
  );
  t.equal(thread.trouble, undefined);
  await thread.close();
  await store.close();
});

t.test('one that still finds none when it is closed', async (t) => {
  const clock = new FakeClock();
  const { thread, store } = await open(t, source(`export default () => { throw ${NO_FILES}; }`), clock);
  const refusal = refusedLater(t, STORAGE_ERRORS.storage_too_many_files, thread.write(cursor, 5));
  while (thread.trouble === undefined) await new Promise((resolve) => setTimeout(resolve, 10));
  t.match(thread.trouble, /this process may open no more files/);
  t.equal(clock.timers, 1, 'it waits');
  await thread.close();
  await refusal;
  t.equal(clock.timers, 0, 'and wants nothing more');
  await store.close();
});

t.test('a full disk is told as what it is, without a trace of the thread', async (t) => {
  const full = `Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })`;
  const { thread, store } = await open(t, source(`export default () => { throw ${full}; }`));
  await refusedLater(t, STORAGE_ERRORS.storage_disk_full, thread.write(cursor, 5));
  await thread.close();
  await store.close();
});
