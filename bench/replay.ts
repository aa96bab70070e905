import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chain, emptyState } from '../src/chain/chain.js';
import { decode } from '../src/codec/binary.js';
import { BlockImporter, NO_SENDERS } from '../src/importer/importer.js';
import { REPLAY_SKIP, recover } from '../src/importer/recover.js';
import { signedBlock } from '../src/protocol/block.js';
import { stateHash } from '../src/state/state-hash.js';
import { Storage } from '../src/storage/storage.js';
import { inlineVerifier } from '../src/verify/inline.js';
import { testEngine } from '../test/support/engine.js';
import { worldGenesisBytes } from '../test/support/world-genesis.js';
import { type Opened, openedWorkload } from './fixtures/opening-blocks.js';
import type { Ratio } from './fixtures/ratios.js';
import { cpuUntilNow, fillDataDir, newNode } from './fixtures/real-process.js';
import { bestOf, count, type Elapsed, rates, reportGrowth, startStopwatch, timed } from './fixtures/stopwatch.js';
import {
  chainOver,
  GENESIS_OPTIONS,
  genesis,
  REFERENCE_BLOCKS,
  rewind,
  transferWorkload,
  type Workload,
} from './fixtures/transfers.js';
import type { Print, Size } from './run.js';

/**
 * Blocks of 500 transfers between random accounts, replayed as a node does with its own block log: decoded and applied,
 * without what a logged block need not prove again. The reference takes 5.4 µs of CPU time where one
 * recovery of a key takes 29.2.
 *
 * Possible: decoding is about 2 µs, a transfer changes three objects and looks at six more, which is about 4 µs with
 * their undo; so 150,000/s. With a million accounts every one of these places is a wait for memory, 2 µs together.
 */

/** A replay remembers transactions only where one of their block outlives the log. */
const EXPIRATION_SEC = 30;
const REMEMBERED_SEC = 3600;
const SIZES = {
  // Each expiration takes four starts of the command.
  small: { accounts: [500, 600], blocks: 4, transfers: 50, runs: 1, replayed: 6, expirations: [REMEMBERED_SEC] },
  full: {
    accounts: [10_000, 1_000_000],
    // As many as the reference was measured with.
    ...REFERENCE_BLOCKS,
    runs: 5,
    replayed: 1020,
    expirations: [EXPIRATION_SEC, REMEMBERED_SEC],
  },
};
const UNDO_BLOCKS = 100;
/** What two starts differ by at least: with a few blocks the difference is lost in what starts differ by anyway. */
const CLOCK_SEC = 0.001;

export async function run(print: Print, sizeName: Size, ratio: Ratio): Promise<void> {
  const { accounts, runs, replayed, expirations, ...size } = SIZES[sizeName];
  const costs: Elapsed[] = [];
  for (const [i, one] of accounts.entries()) {
    const workload = transferWorkload({ ...size, accounts: one, expirationSec: EXPIRATION_SEC });
    const inMemory = await measure(print, `${count(one)} accounts`, workload, runs);
    costs.push(inMemory);
    if (i > 0) continue;
    const stored = await throughStorage(print, 'from the block log into the store', workload, Math.min(runs, 3));
    const remembered = transferWorkload({ ...size, accounts: one, expirationSec: REMEMBERED_SEC });
    await throughStorage(print, 'the same with transactions that are remembered', remembered, Math.min(runs, 3));
    ratio('replay into the store', inMemory.cpuSeconds / stored.cpuSeconds);
    for (const expirationSec of expirations) {
      const opened = openedWorkload({ ...size, blocks: replayed, accounts: one, expirationSec });
      const cpuSeconds = await byCommand(print, `expirations of ${expirationSec} s`, opened, Math.min(runs, 3));
      const each = cpuSeconds / opened.transfers;
      ratio(
        `memory alone to the command, expirations of ${expirationSec} s`,
        inMemory.cpuSeconds / workload.transfers / each,
      );
    }
  }
  reportGrowth(costs, print, ratio);
}

async function measure(print: Print, name: string, workload: Workload, runs: number): Promise<Elapsed> {
  const { state, blocks, transfers } = workload;
  const [first, ...rest] = blocks as [Uint8Array, ...Uint8Array[]];
  const decoding = await bestOf(runs, () =>
    timed(() => {
      for (const bytes of rest) decode(signedBlock, bytes);
    }),
  );
  print([`${name}: decode`, ...rates(transfers, 'tx', decoding)]);

  let hash = '';
  let undoing = Number.POSITIVE_INFINITY;
  const replaying = await bestOf(runs, () => {
    const chain = chainOver(state);
    chain.blocks.push({ block: decode(signedBlock, first) }, REPLAY_SKIP);
    const elapsed = timed(() => {
      for (const bytes of rest) chain.blocks.push({ block: decode(signedBlock, bytes) }, REPLAY_SKIP);
    });
    if (hash === '') hash = chain.snapshots.withHeadState(stateHash);
    const undone = Math.min(UNDO_BLOCKS, rest.length);
    undoing = Math.min(
      undoing,
      timed(() => {
        for (let i = 0; i < undone; i++) state.popCommitted();
      }).seconds / undone,
    );
    rewind(state);
    return elapsed;
  });
  const [rate, each] = rates(transfers, 'tx', replaying);
  const memory = `${count(process.memoryUsage().rss / 1e6)} MB`;
  print([
    `${name}: replay`,
    rate,
    each,
    `${count(rest.length / replaying.seconds)} blocks/s`,
    memory,
    hash.slice(0, 12),
  ]);
  print([`${name}: undo of ${UNDO_BLOCKS} blocks`, `${(undoing * UNDO_BLOCKS * 1000).toFixed(1)} ms`]);
  return replaying;
}

/** As a node starts: blocks from the log on disk, and the new state back to the disk. */
async function throughStorage(print: Print, name: string, workload: Workload, runs: number): Promise<Elapsed> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  const prepared = join(folder, 'prepared');
  try {
    await fillDataDir(workload, prepared, workload.blocks);
    let hash = '';
    let round = 0;
    const replaying = await bestOf(runs, async () => {
      const dataDir = join(folder, String(round++));
      cpSync(prepared, dataDir, { recursive: true });
      const result = await recoverFrom(workload, dataDir);
      hash = result.hash;
      return result.elapsed;
    });
    const [rate, each] = rates(workload.transfers, 'tx', replaying);
    const blockRate = `${count(workload.blocks.length / replaying.seconds)} blocks/s`;
    print([name, rate, each, blockRate, '', hash.slice(0, 12)]);
    return replaying;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function recoverFrom(workload: Workload, dataDir: string): Promise<{ elapsed: Elapsed; hash: string }> {
  const { genesis } = workload;
  const state = emptyState(genesis);
  const storage = await Storage.open({ dataDir, chainId: genesis.chainId, definitions: state.definitions });
  await storage.load(state);
  const { blocks, objects: store } = storage;
  const chain = new Chain({ genesis, engine: testEngine(), blocks, state, store, saveBlocks: 20 });
  const stop = startStopwatch();
  const importer = new BlockImporter({
    door: chain.blocks,
    network: genesis.network,
    chainId: genesis.chainId,
    verifier: inlineVerifier(),
    ...NO_SENDERS,
  });
  await recover(storage, chain.replay, importer, {});
  const elapsed = stop();
  const hash = chain.snapshots.withHeadState(stateHash);
  await storage.close();
  return { elapsed, hash };
}

/**
 * `--replay-blockchain` by the real command, as whoever runs a node does it: the log has been applied before. CPU seconds
 * of all its threads until it answers, above those of the same with the blocks alone that make the accounts.
 */
async function byCommand(print: Print, expirations: string, workload: Opened, runs: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  try {
    const genesisFile = join(folder, 'genesis.json');
    writeFileSync(genesisFile, worldGenesisBytes(GENESIS_OPTIONS));
    const { blocks, opening, transfers } = workload;
    const without = await appliedLog(folder, genesisFile, 'without', blocks.slice(0, opening));
    const all = await appliedLog(folder, genesisFile, 'all', blocks);
    // In turns: what else the machine does falls on both.
    const best = {
      without: Number.POSITIVE_INFINITY,
      all: Number.POSITIVE_INFINITY,
      seconds: Number.POSITIVE_INFINITY,
    };
    for (let i = 0; i < runs; i++) {
      best.without = Math.min(best.without, (await replayOver(folder, genesisFile, without)).cpuSeconds);
      const { seconds, cpuSeconds } = await replayOver(folder, genesisFile, all);
      best.all = Math.min(best.all, cpuSeconds);
      best.seconds = Math.min(best.seconds, seconds);
    }
    const spent = Math.max(best.all - best.without, CLOCK_SEC);
    print([
      `--replay-blockchain, ${expirations}`,
      `${((spent * 1e6) / transfers).toFixed(1)} µs CPU each above a replay without them`,
      `${best.all.toFixed(2)} s CPU, ${best.without.toFixed(2)} without them, ${best.seconds.toFixed(2)} s clock`,
    ]);
    return spent;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A data directory whose node has taken these blocks, stored its state and stopped. */
async function appliedLog(
  folder: string,
  genesisFile: string,
  name: string,
  blocks: readonly Uint8Array[],
): Promise<string> {
  const dataDir = join(folder, name);
  await fillDataDir({ genesis }, dataDir, blocks);
  const node = newNode(folder, genesisFile, 0, dataDir);
  await node.start([]);
  await node.stop();
  return dataDir;
}

/** Over a copy, because a start writes. */
async function replayOver(folder: string, genesisFile: string, prepared: string): Promise<Elapsed> {
  const dataDir = join(folder, 'copy');
  cpSync(prepared, dataDir, { recursive: true });
  const node = newNode(folder, genesisFile, 0, dataDir);
  const stop = startStopwatch();
  await node.start([], ['--replay-blockchain', 'true']);
  const { seconds } = stop();
  try {
    return { seconds, cpuSeconds: (await cpuUntilNow(node)) / 1e6 };
  } finally {
    await node.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
