import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../src/operations/index.js';
import { ALL_FORKS_ACTIVE } from '../src/protocol/forks.js';
import { ChainState } from '../src/state/chain-state.js';
import { accountObject } from '../src/state/objects/account.js';
import { accountBalanceObject } from '../src/state/objects/account-balance.js';
import { accountStatisticsObject } from '../src/state/objects/account-statistics.js';
import { OBJECTS } from '../src/state/objects/index.js';
import { stateHash } from '../src/state/state-hash.js';
import { BlockLog } from '../src/storage/block-log.js';
import { nodeFiles } from '../src/storage/files.js';
import { LevelKv } from '../src/storage/level-kv.js';
import { ObjectStore } from '../src/storage/object-store.js';
import { Storage } from '../src/storage/storage.js';
import { NETWORK } from '../test/support/network.js';
import { longestHold } from './fixtures/longest-hold.js';
import type { Ratio } from './fixtures/ratios.js';
import { startStopwatch } from './fixtures/stopwatch.js';
import { recoveryUs } from './fixtures/yardstick.js';
import { fill } from './object-db.js';
import type { Print, Size } from './run.js';

/**
 * What should be possible: a page of 64 balances costs the database about 5 µs and the decoder 0.3 µs per object, so
 * three million objects take some seconds, most of it garbage collection; a log of blocks is read at the speed of
 * CRC-32, some hundred MB/s.
 */
const SIZES = {
  small: { accounts: 5000, logBytes: 8_000_000 },
  full: { accounts: 1_000_000, logBytes: 400_000_000 },
};
const CHAIN = 'ab'.repeat(32);
const BLOCK_BYTES = 60_000;
/** Objects that 500 transfers between random accounts change: two balances and the payer's statistics. */
const TRANSFERS = 500;
/** Blocks in the log that no sync has covered yet. */
const UNSYNCED_BLOCKS = 1000;

const head = (number: number): { number: number; id: string } => ({ number, id: idOf(number) });
const idOf = (number: number): string => number.toString(16).padStart(8, '0') + 'ee'.repeat(16);
const megabytes = (folder: string): string => {
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  return `${(bytes / 1e6).toFixed(0)} MB`;
};
const ms = (seconds: number): string => `${(seconds * 1000).toFixed(0)} ms`;

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  try {
    await objects(print, ratio, join(folder, 'objects'), SIZES[size].accounts);
    await wholeFlush(print, join(folder, 'whole'), SIZES[size].accounts);
    blocks(print, join(folder, 'log'), SIZES[size].logBytes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function objects(print: Print, ratio: Ratio, folder: string, accounts: number): Promise<void> {
  nodeFiles.makeFolder(folder);
  let expected = await fillStore(print, folder, accounts);
  const stop = startStopwatch();
  const kv = await LevelKv.open(folder);
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  const opened = stop();
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  await store.load(state);
  const loaded = stop();
  const memory = process.memoryUsage().rss / 1e6;
  print([
    'cold start',
    `${accounts.toLocaleString('en-US')} accounts, ${ms(loaded.seconds)} (${ms(opened.seconds)} to open the files)`,
    `${ms(loaded.cpuSeconds)} CPU, ${memory.toFixed(0)} MB`,
  ]);
  const eachUs = (loaded.cpuSeconds * 1e6) / accounts;
  ratio('recovery of a key to loading an account with what it has', recoveryUs() / eachUs);
  if (stateHash(state) !== expected) throw new Error('the loaded state is not the stored one');
  expected = '';
  for (const blockCount of [1, 20, 200]) await flush(print, store, state, blockCount);
  await store.close();
}

/** In a function of its own: the state that was stored must be gone before the loaded one is measured. */
async function fillStore(print: Print, folder: string, accounts: number): Promise<string> {
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  fill(state, accounts);
  const store = new ObjectStore(await LevelKv.open(folder), CHAIN, OBJECTS);
  const stop = startStopwatch();
  store.saveAll(state, head(0));
  await store.flush();
  const { seconds } = stop();
  print(['store everything', `${ms(seconds)}`, megabytes(folder)]);
  const hash = stateHash(state);
  await store.close();
  return hash;
}

/** What blocks of 500 transfers cost the store: the chain waits for `save` and for the start of `flush`. */
async function flush(print: Print, store: ObjectStore, state: ChainState, blockCount: number): Promise<void> {
  const accounts = state.count(accountObject);
  let next = 1;
  const random = (): number => {
    next = (next * 48271) % 2147483647;
    return next % accounts;
  };
  state.openFrame();
  for (let i = 0; i < blockCount * TRANSFERS; i++) {
    for (const account of [random(), random()]) {
      state.modify(accountBalanceObject, state.get(accountBalanceObject, account), (o) => {
        o.balance += 1n;
      });
    }
    state.modify(accountStatisticsObject, state.get(accountStatisticsObject, random()), (o) => {
      o.pending_fees += 1n;
    });
  }
  state.commitFrame();
  const stop = startStopwatch();
  store.save(state.irreversibleChanges(1), head(blockCount));
  state.dropOldest(1);
  const saved = stop().seconds;
  const count = store.stagedObjects;
  const hold = await longestHold(() => store.flush());
  const done = stop().seconds;
  print([
    `flush of ${blockCount} block${blockCount === 1 ? '' : 's'}`,
    `${ms(done)}: ${ms(saved)} to encode, then the main thread was held ${hold.workedMs.toFixed(1)} ms at most`,
    `${hold.clockMs.toFixed(1)} ms by the clock`,
    `${count.toLocaleString('en-US')} objects`,
  ]);
}

/** As a node does it: the block log with what was appended to it, and then every object there is. */
async function wholeFlush(print: Print, dataDir: string, accounts: number): Promise<void> {
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  fill(state, accounts);
  const storage = await Storage.open({ dataDir, chainId: CHAIN, definitions: OBJECTS });
  const block = new Uint8Array(BLOCK_BYTES).fill(7);
  for (let number = 1; number <= UNSYNCED_BLOCKS; number++) storage.log.append(idOf(number), block);
  storage.objects.saveAll(state, head(0));
  const count = storage.objects.stagedObjects;
  const stop = startStopwatch();
  const hold = await longestHold(() => storage.flush());
  print([
    'flush of everything',
    `${ms(stop().seconds)}, the main thread was held ${hold.workedMs.toFixed(1)} ms at most`,
    `${hold.clockMs.toFixed(1)} ms by the clock`,
    `${count.toLocaleString('en-US')} objects, ${UNSYNCED_BLOCKS} blocks of ${BLOCK_BYTES / 1000} kB`,
  ]);
  await storage.abandon();
}

function blocks(print: Print, folder: string, logBytes: number): void {
  const block = new Uint8Array(BLOCK_BYTES).map((_, i) => (i * 7919) >> 3);
  const count = Math.ceil(logBytes / BLOCK_BYTES);
  const rate = (seconds: number): string => `${((count * BLOCK_BYTES) / 1e6 / seconds).toFixed(0)} MB/s`;
  const log = new BlockLog(nodeFiles, folder, CHAIN);
  let stop = startStopwatch();
  for (let number = 1; number <= count; number++) log.append(idOf(number), block);
  print(['block log, append', rate(stop().seconds), `${count} blocks of ${BLOCK_BYTES / 1000} kB, two writes each`]);
  log.close();
  stop = startStopwatch();
  const again = new BlockLog(nodeFiles, folder, CHAIN);
  print(['block log, open', ms(stop().seconds)]);
  stop = startStopwatch();
  let bytes = 0;
  for (const one of again.walk(1)) bytes += one.bytes.length;
  if (bytes !== count * BLOCK_BYTES) throw new Error('bytes are missing');
  print(['block log, read in order', rate(stop().seconds)]);
  stop = startStopwatch();
  const reads = 2000;
  for (let i = 0; i < reads; i++) again.read(1 + ((i * 7919) % count));
  const each = (stop().seconds / reads) * 1e6;
  print(['block log, read by number', `${each.toFixed(0)} µs each`]);
  again.close();
  nodeFiles.remove(join(folder, 'index'));
  stop = startStopwatch();
  const rebuilt = new BlockLog(nodeFiles, folder, CHAIN);
  print(['block log, rebuild the index', rate(stop().seconds), `${rebuilt.repair.indexed} entries`]);
  rebuilt.close();
}
