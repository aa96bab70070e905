import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { YOUNG_SPACE } from '../test/runner/young-space.js';
import { endWithUs } from '../test/support/ends-with-us.js';
import { worldGenesisBytes } from '../test/support/world-genesis.js';
import type { Ratio } from './fixtures/ratios.js';
import { cpuUntilNow, LARGE_HEAP, newNode } from './fixtures/real-process.js';
import { count, startStopwatch } from './fixtures/stopwatch.js';
import type { Opened } from './fixtures/stored-node.js';
import { GENESIS_OPTIONS } from './fixtures/transfers.js';
import { slowness } from './fixtures/yardstick.js';
import type { Print, Size } from './run.js';

/**
 * Starts of a node with many accounts, each in a process of its own: after a clean end, and after a kill -9 in the
 * middle of blocks of 500 transfers. The reference needs 12 to 16 s with 200,000 accounts, and 165 to 240 MB of memory
 * per 100,000; after a kill it begins again at block 1.
 *
 * Possible: loading is 1 µs an object, so 3 to 4 s for a million accounts with their balances and statistics.
 */

const SIZES = {
  small: { accounts: 500, transfers: 20, killAfterBlocks: 3 },
  full: { accounts: 1_000_000, transfers: 500, killAfterBlocks: 50 },
};

const PROGRAM = fileURLToPath(new URL('./fixtures/stored-node.js', import.meta.url));
const FLAGS = [LARGE_HEAP, YOUNG_SPACE, '--expose-gc'];

function start(role: 'produce' | 'open', args: readonly (string | number)[]): ChildProcess {
  const child = spawn(process.execPath, [...FLAGS, PROGRAM, role, ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  return child;
}

/** Waits for the process to print a line that `isWanted` takes. */
async function lineOf(child: ChildProcess, isWanted: (line: string) => boolean): Promise<string> {
  if (child.stdout === null) throw new Error('the output of the process is a pipe');
  for await (const line of createInterface({ input: child.stdout })) if (isWanted(line)) return line;
  throw new Error('the process ended without an answer');
}

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });

async function open(dataDir: string): Promise<Opened> {
  const stop = startStopwatch();
  const child = start('open', [dataDir]);
  const opened = JSON.parse(await lineOf(child, (line) => line.startsWith('{'))) as Omit<Opened, 'processMs'>;
  const processMs = stop().seconds * 1000 - opened.measuringMs;
  await ended(child);
  return { ...opened, processMs };
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

function row(name: string, accounts: number, opened: Opened): string[] {
  const each = opened.heapMb / (accounts / 100_000);
  return [
    name,
    `${seconds(opened.processMs)}, ${seconds(opened.cpuMs)} CPU`,
    `${seconds(opened.loadMs)} to load`,
    `${opened.blocks} blocks again in ${seconds(opened.recoverMs)}`,
    `${count(opened.rssMb)} MB, ${count(each)} MB of objects per 100,000 accounts`,
    opened.hash.slice(0, 12),
  ];
}

/** For a million accounts, where R is as in the aims. */
const AIM = { cpuMs: 5000, mbPer100000: 150 };

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const { accounts, transfers, killAfterBlocks } = SIZES[size];
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-bench-'));
  const dataDir = join(folder, 'data');
  try {
    const producing = start('produce', [dataDir, accounts, transfers]);
    await lineOf(producing, (line) => line === `block ${killAfterBlocks}`);
    producing.kill('SIGKILL');
    await ended(producing);
    const name = `with ${count(accounts)} accounts`;
    const killed = await open(dataDir);
    print(row(`start after kill -9 ${name}`, accounts, killed));
    const clean = await open(dataDir);
    print(row(`cold start ${name}`, accounts, clean));
    if (clean.hash !== killed.hash) throw new Error('both starts lead to the same state');
    const shareOfMillion = accounts / 1_000_000;
    const wantedMs = AIM.cpuMs * shareOfMillion * slowness();
    ratio('the aim of a start to the CPU time of a cold one', wantedMs / clean.cpuMs);
    ratio('150 MB to the objects of 100,000 accounts', (AIM.mbPer100000 * 10 * shareOfMillion) / clean.heapMb);
    await theCommand(print, folder, dataDir, name);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** From the spawn of the process to its first answer to a client; what is indexed at a first start is not left out. */
async function theCommand(print: Print, folder: string, dataDir: string, name: string): Promise<void> {
  const genesisFile = join(folder, 'genesis.json');
  writeFileSync(genesisFile, worldGenesisBytes(GENESIS_OPTIONS));
  const node = newNode(folder, genesisFile, 0, dataDir, [LARGE_HEAP]);
  const stop = startStopwatch();
  await node.start([]);
  try {
    const client = await node.client();
    await client.database.get_dynamic_global_properties();
    const answered = seconds(stop().seconds * 1000);
    print([
      `the command ${name}, to its first answer`,
      `${answered}, ${seconds((await cpuUntilNow(node)) / 1000)} CPU`,
    ]);
  } finally {
    await node.stop();
  }
}
