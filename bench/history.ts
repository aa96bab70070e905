import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { BLOCK_OPERATIONS, writeLogs } from './fixtures/history-blocks.js';
import type { Measured, Mode, Plugin } from './fixtures/history-follower.js';
import { count } from './fixtures/stopwatch.js';
import type { Print, Size } from './run.js';

/**
 * The histories of accounts over transfers between very many accounts, each in a process of its own that has nothing else
 * to do: how fast a plugin catches up, what it takes from the main thread while blocks come, how memory grows, and what
 * pages of the largest history cost. Wanted: pages below 5 ms wherever they are, at most 100 MB more than without.
 */

const SIZES = {
  small: { accounts: 1_000, liveBlocks: 40, catchUpBlocks: 40 },
  full: { accounts: 1_000_000, liveBlocks: 1_000, catchUpBlocks: 10_000 },
};

const PROGRAM = fileURLToPath(new URL('./fixtures/history-follower.js', import.meta.url));
const FLAGS = ['--stack-size=6500', '--max-semi-space-size=64', '--expose-gc'];
const LONGEST_LINE = 1024 * 1024;

const execute = promisify(execFile);

async function measured(
  plugin: Plugin,
  mode: Mode,
  folder: string,
  accounts: number,
  blocks: number,
): Promise<Measured> {
  const args = [...FLAGS, PROGRAM, plugin, mode, folder, String(accounts), String(blocks)];
  const { stdout } = await execute(process.execPath, args, { maxBuffer: LONGEST_LINE });
  return JSON.parse(stdout) as Measured;
}

const megabytes = (value: number): string => `${Math.round(value)} MB`;

function memoryRows(print: Print, label: string, { memory }: Measured, none: Measured): void {
  const idle = none.memory.at(-1)?.most;
  if (idle === undefined) throw new Error('the memory of a process without plugins is known');
  for (const { operations, most } of memory) {
    const more = most.anonymousMb - idle.anonymousMb;
    print([
      `${label}: memory up to ${count(operations)} operations`,
      `${megabytes(more)} more`,
      `${megabytes(most.anonymousMb)} of its own, ${megabytes(idle.anonymousMb)} without; wanted at most 100 more`,
      `pages of files ${megabytes(most.fileMb)}, which the system takes back when it needs them`,
    ]);
  }
}

export async function run(print: Print, size: Size): Promise<void> {
  const { accounts, liveBlocks, catchUpBlocks } = SIZES[size];
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-history-'));
  try {
    writeLogs(folder, Math.max(liveBlocks, catchUpBlocks), accounts);
    const none = await measured('none', 'live', folder, accounts, liveBlocks);
    // Who catches up makes no blocks.
    const idle = await measured('none', 'live', folder, accounts, 1);
    for (const plugin of ['account_history', 'account_history_kv'] as const) {
      const live = await measured(plugin, 'live', folder, accounts, liveBlocks);
      const more = live.mainThreadUs - none.mainThreadUs;
      print([`${plugin}: main thread, blocks as they come`, `${more.toFixed(2)} µs/operation`]);
      print([`${plugin}: all threads, blocks as they come`, `${(live.cpuUs - none.cpuUs).toFixed(1)} µs/operation`]);
      memoryRows(print, `${plugin}, blocks as they come`, live, none);
      rmSync(join(folder, plugin), { recursive: true, force: true });
      const behind = await measured(plugin, 'catch-up', folder, accounts, catchUpBlocks);
      const operations = catchUpBlocks * BLOCK_OPERATIONS;
      print([
        `${plugin}: catching up`,
        `${count(operations / behind.seconds)} operations/s`,
        `${count(operations)} in ${behind.seconds.toFixed(0)} s, ${behind.cpuUs.toFixed(1)} µs CPU each, ` +
          `${behind.mainThreadUs.toFixed(2)} of the main thread`,
      ]);
      print([`${plugin}: on the disk`, `${Math.round(behind.diskBytes)} bytes/operation`]);
      memoryRows(print, `${plugin}, catching up`, behind, idle);
      for (const { label, total, medianMs, longestMs, operations: shown } of behind.pages) {
        print([
          `${label}, of ${count(total)}`,
          `${medianMs.toFixed(2)} ms`,
          `${shown} operations, longest ${longestMs.toFixed(2)}, wanted below 5`,
        ]);
      }
      rmSync(join(folder, plugin), { recursive: true, force: true });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
