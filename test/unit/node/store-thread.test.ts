import { join } from 'node:path';
import t, { type Test } from 'tap';
import { StoreThread } from '../../../src/node/threads/store-thread.js';
import { NO_BLOCK } from '../../../src/plugin/follower.js';
import type { Cursor } from '../../../src/plugin/store-writer.js';
import { LevelKv } from '../../../src/storage/level-kv.js';
import { projectPath } from '../../support/paths.js';

/** A thread that cannot write says why, and never leaves anybody waiting. That it writes is held by test/plugins. */

const CHAIN = '5a'.repeat(32);
const cursor: Cursor = { format: 1, chain: CHAIN, options: '', place: NO_BLOCK, from: 1, next: {} };
const source = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;

async function open(t: Test, program: string): Promise<{ thread: StoreThread; store: LevelKv }> {
  const folder = t.testdir();
  const storePath = join(folder, 'store');
  const store = await LevelKv.openForPlugin(storePath);
  const thread = new StoreThread({
    program,
    settings: 500,
    storePath,
    blockLogPath: join(folder, 'block_log'),
    journalPath: join(folder, 'journal'),
    chainId: CHAIN,
  });
  return { thread, store };
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
