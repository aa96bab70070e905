import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Chain } from '../src/chain/chain.js';
import { SKIP } from '../src/operations/define.js';
import { LogBlockStore } from '../src/storage/block-store.js';
import { STORAGE_FOLDERS, Storage } from '../src/storage/storage.js';
import type { LocalNode } from '../test/network/local-node.js';
import { testEngine } from '../test/support/engine.js';
import { worldGenesisBytes } from '../test/support/world-genesis.js';
import { cpuUntilNow, fillDataDir, type Measured, measured, newNode, THREADS } from './fixtures/real-process.js';
import { count } from './fixtures/stopwatch.js';
import { addTransfers, filledState, GENESIS_OPTIONS, genesis, produceBlock, randomOf } from './fixtures/transfers.js';
import type { Print, Size } from './run.js';

/**
 * Blocks as the live network has them, by the real commands: a replay of the own log and an import with all checks of
 * blocks of 8 transfers, extrapolated to the 22.9 million blocks that the main network had in August 2019, and what ten
 * million blocks cost a start, its memory and a look at one of them. The reference's operators tell of 30 to 48 hours
 * for a replay. Aims: replay within 30 minutes, import within 75, an empty block 20 µs where one recovery of a key takes
 * 29; 100 MB and 2 s more than a fresh chain.
 *
 * A folder that BENCH_FOLDER names keeps the blocks: making ten million takes longer than measuring them.
 */

const SIZES = {
  small: { accounts: 200, transfers: { blocks: 20, each: 2 }, empty: 50, rounds: 1, looks: 20 },
  full: { accounts: 10_000, transfers: { blocks: 300_000, each: 8 }, empty: 10_000_000, rounds: 2, looks: 2000 },
};

const LIVE_BLOCKS = 22_900_000;
/** Only transactions that outlive the log are remembered by a replay. */
const EXPIRATION_SEC = 30;
/** Blocks that the chain that makes them keeps for an undo. */
const KEPT_BLOCKS = 1000;

export async function run(print: Print, sizeName: Size): Promise<void> {
  const size = SIZES[sizeName];
  const kept = process.env.BENCH_FOLDER;
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  mkdirSync(folder, { recursive: true });
  try {
    const genesisFile = join(folder, 'genesis.json');
    writeFileSync(genesisFile, worldGenesisBytes(GENESIS_OPTIONS));
    const few = join(folder, 'few');
    await makeBlocks(few, { accounts: 0, blocks: 10, each: 0 });
    const fresh = await starting(folder, genesisFile, few, size.looks);
    await emptyBlocks(print, { folder, genesisFile, fresh, ...size });
    await transferBlocks(print, { folder, genesisFile, fresh, ...size });
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

interface Shape {
  /** Beside those of the genesis. */
  readonly accounts: number;
  readonly blocks: number;
  /** Transfers in each of them. */
  readonly each: number;
}

/** Never signs: a replay does not look at what the log has taken. */
const NOBODY = { publicKey: '', sign: (): Uint8Array => new Uint8Array(0) };

/** A data directory with a state as of block 0 and a log of blocks, each of which is made by a chain. */
async function makeBlocks(dataDir: string, { accounts, blocks, each }: Shape): Promise<void> {
  const mark = join(dataDir, 'made');
  const shape = JSON.stringify({ accounts, blocks, each });
  if (existsSync(mark) && readFileSync(mark, 'utf8') === shape) return;
  rmSync(dataDir, { recursive: true, force: true });
  const state = filledState(accounts);
  await fillDataDir({ genesis, state }, dataDir, []);
  const storage = await Storage.open({ dataDir, chainId: genesis.chainId, definitions: state.definitions });
  storage.log.bulk = true;
  const chain = new Chain({
    genesis,
    engine: testEngine(),
    blocks: new LogBlockStore(storage.log),
    state,
    saveBlocks: KEPT_BLOCKS,
  });
  const random = randomOf(42);
  for (let n = 0; n < blocks; n++) {
    if (each > 0) {
      addTransfers(chain, accounts, each, random, EXPIRATION_SEC);
      produceBlock(chain, SKIP.transactionSignatures);
    } else {
      const { queries } = chain;
      const when = queries.slotTime(1);
      chain.blocks.produce({ when, witness: queries.scheduledWitness(1), signer: NOBODY }, SKIP.witnessSignature);
    }
  }
  await storage.close();
  writeFileSync(mark, shape);
}

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
}

async function emptyBlocks(print: Print, { folder, genesisFile, fresh, empty, looks }: Task): Promise<void> {
  const many = join(folder, 'empty');
  await makeBlocks(many, { accounts: 0, blocks: empty, each: 0 });
  const replay = await starting(folder, genesisFile, many, 0, ['--replay-blockchain', 'true']);
  print([
    `start --replay-blockchain of ${count(empty)} empty blocks`,
    `${(us(replay, fresh) / empty).toFixed(1)} µs CPU each`,
    `${seconds(replay.ms)} clock, ${memory(replay)}`,
    'aim 20 at R = 29.2',
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

async function transferBlocks(print: Print, task: Task): Promise<void> {
  const { folder, genesisFile, fresh, accounts, transfers, rounds } = task;
  const { blocks, each } = transfers;
  const made = join(folder, 'transfers');
  await makeBlocks(made, { accounts, ...transfers });
  const what = `${count(blocks)} blocks of ${each} transfers`;
  const whole = (cpuUs: number, cores: number): string =>
    `${((((cpuUs / blocks) * LIVE_BLOCKS) / cores / 6e7) | 0).toString()} min for ${LIVE_BLOCKS / 1e6} million blocks on ${cores} cores, by CPU time`;
  const row = (name: string, times: readonly Measured[], without: number, aim: string): void => {
    const cpuUs = Math.min(...times.map((one) => one.cpuUs)) - without;
    const ms = Math.min(...times.map((one) => one.ms));
    print([
      `${name} ${what}`,
      `${(cpuUs / blocks / each).toFixed(1)} µs CPU per transfer`,
      `${(cpuUs / blocks).toFixed(0)} per block, ${seconds(ms)} clock: ${((ms / blocks) * (LIVE_BLOCKS / 6e4)).toFixed(0)} min by the clock`,
      whole(cpuUs, 2),
      aim,
    ]);
  };
  const replays: Started[] = [];
  const imports: Measured[] = [];
  for (let round = 0; round < rounds; round++) {
    const copy = join(folder, 'copy');
    cpSync(made, copy, { recursive: true });
    replays.push(await starting(folder, genesisFile, copy, 0));
    rmSync(copy, { recursive: true });
    imports.push(await importing(task, made, join(folder, 'imported')));
  }
  row('start, state as of block 0, replaying', replays, fresh.cpuUs, 'aim 30 min at R = 29.2');
  row('import-blocks with all checks of', imports, 0, 'aim 75 min at R = 29.2');
}

async function importing({ genesisFile, accounts }: Task, made: string, dataDir: string): Promise<Measured> {
  await fillDataDir({ genesis, state: filledState(accounts) }, dataDir, []);
  const source = join(made, STORAGE_FOLDERS.blockLog);
  const options = ['--data-dir', dataDir, '--genesis-json', genesisFile, '--verify-threads', THREADS];
  const took = await measured(['import-blocks', source, ...options]);
  rmSync(dataDir, { recursive: true });
  return took;
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
    const [memoryMb, mostMemoryMb] = [memoryOf(node, 'VmRSS'), memoryOf(node, 'VmHWM')];
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
  return times.toSorted((a, b) => a - b)[looks >> 1] as number;
}

function memoryOf({ pid }: LocalNode, field: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] =
    new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1000;
}

const us = (one: Measured, without: Measured): number => one.cpuUs - without.cpuUs;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
const memory = ({ memoryMb, mostMemoryMb }: Started): string => `${count(memoryMb)} MB, at most ${count(mostMemoryMb)}`;
