import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chain, emptyState } from '../src/chain/chain.js';
import { SKIP } from '../src/operations/define.js';
import { LogBlockStore } from '../src/storage/block-store.js';
import { STORAGE_FOLDERS, Storage } from '../src/storage/storage.js';
import type { LocalNode } from '../test/network/local-node.js';
import { testEngine } from '../test/support/engine.js';
import { eventually } from '../test/support/eventually.js';
import { worldGenesisBytes } from '../test/support/world-genesis.js';
import { openingBlocks } from './fixtures/opening-blocks.js';
import { memoryOf } from './fixtures/process-stat.js';
import type { Ratio } from './fixtures/ratios.js';
import { cpuUntilNow, type Measured, measured, newNode, THREADS } from './fixtures/real-process.js';
import { count, median } from './fixtures/stopwatch.js';
import { blocksOfTransfers, GENESIS_OPTIONS, genesis, randomOf } from './fixtures/transfers.js';
import { AIM_R, slowness } from './fixtures/yardstick.js';
import type { Print, Size } from './run.js';

/**
 * Blocks as the live network has them, by the real commands: `--replay-blockchain` over a stored state, an import with
 * all checks and a first sync from one peer, which runs on the same cores, of blocks of 8 transfers, extrapolated by the
 * clock to the 22.9 million blocks that the main network had in August 2019, of a sync with what its first 20,000 blocks
 * take beyond others counted once; and what ten million blocks cost a start, its
 * memory and a look at one of them. The reference's operators tell of 30 to 48 hours for a replay and of 29 blocks/s while
 * syncing. Aims: replay within 30 minutes, import and sync within 75, an empty block 20 µs where one recovery of a key
 * takes 29.2; 100 MB and 2 s more than a fresh chain. 10,000 accounts, made by blocks; transfers expire after 30 s; the
 * files are in the system's cache.
 *
 * A folder that BENCH_FOLDER names keeps the blocks: making them takes longer than measuring them. BENCH_PARTS="replay
 * import sync" leaves out `empty`, and so can each part be; BENCH_BLOCKS says how many blocks of transfers there
 * are. A part that is left out has no ratio, which the run says.
 */

const SIZES = {
  small: { accounts: 200, transfers: { blocks: 20, each: 2 }, empty: 50, rounds: 1, looks: 20, begun: 5 },
  full: {
    accounts: 10_000,
    transfers: { blocks: Number(process.env.BENCH_BLOCKS ?? 300_000), each: 8 },
    empty: 10_000_000,
    rounds: 2,
    looks: 2000,
    begun: 20_000,
  },
};
const PARTS = (process.env.BENCH_PARTS ?? 'empty replay import sync').split(' ');

const LIVE_BLOCKS = 22_900_000;
/** Minutes for all of them, where R is as in the aims. */
const AIM_MIN = { replay: 30, import: 75, sync: 75 };
const SAY_MS = 10_000;
/** Each look is work of the node. */
const LOOK_MS = 250;
/** Only transactions that outlive the log are remembered by a replay. */
const EXPIRATION_SEC = 30;
/** Blocks that the chain that makes them keeps for an undo. */
const KEPT_BLOCKS = 1000;

export async function run(print: Print, sizeName: Size, ratio: Ratio): Promise<void> {
  const size = SIZES[sizeName];
  const kept = process.env.BENCH_FOLDER;
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  mkdirSync(folder, { recursive: true });
  try {
    const genesisFile = join(folder, 'genesis.json');
    writeFileSync(genesisFile, worldGenesisBytes(GENESIS_OPTIONS));
    const few = join(folder, 'few');
    await makeEmptyBlocks(few, 10);
    const fresh = await starting(folder, genesisFile, few, size.looks);
    if (PARTS.includes('empty')) await emptyBlocks(print, { folder, genesisFile, fresh, ...size });
    if (Object.keys(AIM_MIN).some((part) => PARTS.includes(part))) {
      await transferBlocks(print, ratio, { folder, genesisFile, fresh, ...size });
    }
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Never signs: a replay does not look at what the log has taken. */
const NOBODY = { publicKey: '', sign: (): Uint8Array => new Uint8Array(0) };

/** Blocks of a chain from its genesis on, in a data directory that has no state yet, unless it has them already. */
async function makeBlocks(
  dataDir: string,
  shape: object,
  make: (chain: Chain, tell: (done: number, of: number) => void) => void,
): Promise<void> {
  const mark = join(dataDir, 'made');
  const text = JSON.stringify(shape);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === text) return;
  rmSync(dataDir, { recursive: true, force: true });
  const state = emptyState(genesis);
  const storage = await Storage.open({ dataDir, chainId: genesis.chainId, definitions: state.definitions });
  storage.log.keepsBack = 'everything';
  const blocks = new LogBlockStore(storage.log);
  const chain = new Chain({ genesis, engine: testEngine(), blocks, state, saveBlocks: KEPT_BLOCKS });
  let saidMs = performance.now();
  make(chain, (done, of) => {
    if (performance.now() - saidMs < SAY_MS) return;
    saidMs = performance.now();
    process.stderr.write(`making ${text}: ${count(done)} of ${count(of)}\n`);
  });
  await storage.close();
  writeFileSync(mark, text);
}

const makeEmptyBlocks = (dataDir: string, blocks: number): Promise<void> =>
  makeBlocks(dataDir, { blocks }, (chain, tell) => {
    for (let n = 0; n < blocks; n++) {
      const { queries } = chain;
      const when = queries.slotTime(1);
      chain.blocks.produce({ when, witness: queries.scheduledWitness(1), signer: NOBODY }, SKIP.witnessSignature);
      tell(n, blocks);
    }
  });

interface Started extends Measured {
  readonly memoryMb: number;
  readonly mostMemoryMb: number;
  /** Of a look at one block, in the median. */
  readonly lookMs: number;
}

interface Task {
  readonly folder: string;
  readonly genesisFile: string;
  /** A start with ten blocks. */
  readonly fresh: Started;
  readonly accounts: number;
  readonly transfers: { readonly blocks: number; readonly each: number };
  readonly empty: number;
  readonly rounds: number;
  readonly looks: number;
  /** Blocks with which all code is compiled and all is opened. */
  readonly begun: number;
}

async function emptyBlocks(print: Print, { folder, genesisFile, fresh, empty, looks }: Task): Promise<void> {
  const many = join(folder, 'empty');
  await makeEmptyBlocks(many, empty);
  const replay = await starting(folder, genesisFile, many, 0, ['--replay-blockchain', 'true']);
  print([
    `start --replay-blockchain of ${count(empty)} empty blocks`,
    `${(us(replay, fresh) / empty).toFixed(1)} µs CPU each`,
    `${seconds(replay.ms)} clock, ${memory(replay)}`,
    `aim 20 at R = ${AIM_R}`,
  ]);
  const again = await starting(folder, genesisFile, many, looks);
  print([
    `start behind ${count(empty)} blocks`,
    seconds(again.ms),
    `${memory(again)}; with ten blocks ${seconds(fresh.ms)}, ${memory(fresh)}`,
    'aim 2 s and 100 MB more at most',
  ]);
  print([`get_block of any of them`, `${again.lookMs.toFixed(2)} ms`, `with ten blocks ${fresh.lookMs.toFixed(2)} ms`]);
}

async function transferBlocks(print: Print, ratio: Ratio, task: Task): Promise<void> {
  const { folder, genesisFile, fresh, accounts, transfers, rounds, begun } = task;
  const { blocks, each } = transfers;
  const made = join(folder, 'transfers');
  await makeBlocks(made, { accounts, ...transfers }, (chain, tell) => {
    openingBlocks(chain, accounts);
    const size = { accounts, blocks, transfers: each, expirationSec: EXPIRATION_SEC };
    let n = 0;
    for (const _ of blocksOfTransfers(chain, size)) tell(n++, blocks);
  });
  const row = (part: keyof typeof AIM_MIN, name: string, times: readonly Measured[], without: Measured): void => {
    const cpuUs = Math.min(...times.map((one) => one.cpuUs)) - without.cpuUs;
    // A few blocks are there before a start without them is.
    const ms = Math.max(1, Math.min(...times.map((one) => one.ms)) - without.ms);
    perBlock(print, `${name} ${count(blocks)} blocks of ${each} transfers`, each, { ms, cpuUs, blocks });
    told(print, ratio, part, (ms / blocks) * LIVE_BLOCKS);
  };
  if (PARTS.includes('replay')) {
    // The first start makes the state that the flag drops.
    await starting(folder, genesisFile, made, 0);
    const replays: Started[] = [];
    for (let round = 0; round < rounds; round++) {
      replays.push(await starting(folder, genesisFile, made, 0, ['--replay-blockchain', 'true']));
    }
    row('replay', 'start --replay-blockchain of', replays, fresh);
  }
  if (PARTS.includes('import')) {
    const imports: Measured[] = [];
    for (let round = 0; round < rounds; round++) imports.push(await importing(folder, genesisFile, made));
    row('import', 'import-blocks with all checks of', imports, NOTHING);
  }
  if (PARTS.includes('sync')) {
    const syncs: Synced[] = [];
    for (let round = 0; round < rounds; round++) syncs.push(await syncing(folder, genesisFile, made, begun));
    // Whose first blocks are among them: a start is no part of what each of millions takes.
    const { begin, rest } = syncs.reduce((best, one) => (one.rest.ms < best.rest.ms ? one : best));
    const name = 'first sync from one peer, without its CPU,';
    perBlock(print, `${name} of ${count(begin.blocks)} blocks of ${each} transfers`, each, begin);
    perBlock(print, `${name} of ${count(rest.blocks)} behind them`, each, rest);
    told(print, ratio, 'sync', begin.ms + (rest.ms / rest.blocks) * (LIVE_BLOCKS - begin.blocks));
  }
}

interface Cost extends Measured {
  readonly blocks: number;
}

function perBlock(print: Print, name: string, each: number, { ms, cpuUs, blocks }: Cost): void {
  print([
    name,
    `${(cpuUs / blocks / each).toFixed(1)} µs CPU per transfer, ${(cpuUs / blocks).toFixed(0)} per block`,
    `${seconds(ms)} clock, ${((ms * 1000) / blocks).toFixed(0)} µs per block`,
  ]);
}

/** What the whole live chain would take. */
function told(print: Print, ratio: Ratio, part: keyof typeof AIM_MIN, ms: number): void {
  const wanted = AIM_MIN[part] * slowness();
  const minutes = ms / 6e4;
  print([
    `${part} of ${LIVE_BLOCKS / 1e6} million of them`,
    `by the clock ${minutes.toFixed(0)} min`,
    `aim ${AIM_MIN[part]} min at R = ${AIM_R}, ${wanted.toFixed(0)} here`,
  ]);
  ratio(`the aim of ${part} to its time`, wanted / minutes);
}

const NOTHING: Measured = { ms: 0, cpuUs: 0 };

async function importing(folder: string, genesisFile: string, made: string): Promise<Measured> {
  const dataDir = join(folder, 'imported');
  rmSync(dataDir, { recursive: true, force: true });
  const source = join(made, STORAGE_FOLDERS.blockLog);
  const options = ['--data-dir', dataDir, '--genesis-json', genesisFile, '--verify-threads', THREADS];
  const took = await measured(['import-blocks', source, ...options]);
  rmSync(dataDir, { recursive: true });
  return took;
}

interface Synced {
  /** From the start of the process on. */
  readonly begin: Cost;
  readonly rest: Cost;
}

/** A node without blocks beside one that has all, until it has so many and until it has them all. */
async function syncing(folder: string, genesisFile: string, made: string, begun: number): Promise<Synced> {
  const dataDir = join(folder, 'synced');
  // A folder that stays may have it of a run that was ended.
  rmSync(dataDir, { recursive: true, force: true });
  const [peer, node] = [newNode(folder, genesisFile, 0, made), newNode(folder, genesisFile, 1, dataDir)];
  await peer.start([]);
  try {
    const startMs = performance.now();
    const until = async (number: number): Promise<Cost> => {
      let blocks = 0;
      const hasThem = async () => {
        blocks = (await node.status())?.head ?? 0;
        return blocks >= number;
      };
      await eventually(`the node has ${number} blocks`, hasThem, LOOK_MS);
      return { blocks, ms: performance.now() - startMs, cpuUs: await cpuUntilNow(node) };
    };
    const all = (await peer.status())?.head ?? 0;
    await node.start([peer.peer]);
    const begin = await until(begun);
    const whole = await until(all);
    const blocks = whole.blocks - begin.blocks;
    // Few blocks are all there at the first look: then their beginning has to do.
    if (blocks === 0) return { begin, rest: whole };
    return { begin, rest: { blocks, ms: whole.ms - begin.ms, cpuUs: whole.cpuUs - begin.cpuUs } };
  } finally {
    await node.stop();
    await peer.stop();
    rmSync(dataDir, { recursive: true });
  }
}

/** A node over this data directory, until it answers; then `looks` at blocks, and its end. */
async function starting(
  folder: string,
  genesisFile: string,
  dataDir: string,
  looks: number,
  more: readonly string[] = [],
): Promise<Started> {
  const node = newNode(folder, genesisFile, 0, dataDir);
  const startMs = performance.now();
  await node.start([], more);
  const ms = performance.now() - startMs;
  try {
    const cpuUs = await cpuUntilNow(node);
    const [memoryMb, mostMemoryMb] = [memoryOf(node.pid) / 1e6, memoryOf(node.pid, 'VmHWM') / 1e6];
    return { ms, cpuUs, memoryMb, mostMemoryMb, lookMs: looks === 0 ? Number.NaN : await looking(node, looks) };
  } finally {
    await node.stop();
  }
}

async function looking(node: LocalNode, looks: number): Promise<number> {
  const client = await node.client();
  const { head_block_number: head } = await client.database.get_dynamic_global_properties();
  const random = randomOf(7);
  const times: number[] = [];
  for (let i = 0; i < looks; i++) {
    const startMs = performance.now();
    const block = await client.database.get_block({ block_num: 1 + random(head) });
    times.push(performance.now() - startMs);
    if (block === null) throw new Error('every block is there');
  }
  return median(times);
}

const us = (one: Measured, without: Measured): number => one.cpuUs - without.cpuUs;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const memory = ({ memoryMb, mostMemoryMb }: Started): string => `${count(memoryMb)} MB, at most ${count(mostMemoryMb)}`;
