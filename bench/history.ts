import { execFile } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { STACK_SIZE } from '../test/runner/stack-size.js';
import { YOUNG_SPACE } from '../test/runner/young-space.js';
import { BLOCK_OPERATIONS, writeLogs } from './fixtures/history-blocks.js';
import type { Measured, Mode, Plugin } from './fixtures/history-follower.js';
import type { Ratio } from './fixtures/ratios.js';
import { count } from './fixtures/stopwatch.js';
import type { Print, Size } from './run.js';

/**
 * The histories of accounts over transfers between very many accounts, each in a process of its own that has nothing else
 * to do: how fast a plugin catches up, what it takes from the main thread while blocks come, how memory grows, and what
 * pages of the largest history cost. Wanted: pages below 5 ms wherever they are, at most 100 MB more than without.
 *
 * A folder that BENCH_FOLDER names stays: what was made and measured there is not made and measured again, so a run that
 * was stopped goes on.
 */

const SIZES = {
  small: { accounts: 1_000, liveBlocks: 1, catchUpBlocks: 2, rounds: 2 },
  full: { accounts: 1_000_000, liveBlocks: 300, catchUpBlocks: 10_000, rounds: 200 },
};

const PROGRAM = fileURLToPath(new URL('./fixtures/history-follower.js', import.meta.url));
const FLAGS = [STACK_SIZE, YOUNG_SPACE, '--expose-gc'];
const LONGEST_LINE = 1024 * 1024;

const execute = promisify(execFile);

interface Asked {
  readonly plugin: Plugin;
  readonly mode: Mode;
  readonly accounts: number;
  readonly blocks: number;
  /** Of each page. */
  readonly rounds: number;
}

/** What was measured in a folder, one line of JSON each. */
class Measurements {
  readonly #folder: string;
  readonly #file: string;
  readonly #known = new Map<string, Measured>();

  constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'measured.jsonl');
    if (!existsSync(this.#file)) return;
    for (const line of readFileSync(this.#file, 'utf8').split('\n').slice(0, -1)) {
      const { asked, found } = JSON.parse(line) as { asked: Asked; found: Measured };
      this.#known.set(JSON.stringify(asked), found);
    }
  }

  async of(asked: Asked): Promise<Measured> {
    const key = JSON.stringify(asked);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { plugin, mode, accounts, blocks, rounds } = asked;
    // Who was stopped while catching up goes on.
    const store = join(this.#folder, plugin);
    if (mode === 'live') rmSync(store, { recursive: true, force: true });
    const args = [...FLAGS, PROGRAM, plugin, mode, this.#folder, String(accounts), String(blocks), String(rounds)];
    const { stdout } = await execute(process.execPath, args, { maxBuffer: LONGEST_LINE });
    rmSync(store, { recursive: true, force: true });
    const found = JSON.parse(stdout) as Measured;
    this.#known.set(key, found);
    appendFileSync(this.#file, `${JSON.stringify({ asked, found })}\n`);
    return found;
  }
}

const megabytes = (value: number): string => `${Math.round(value)} MB`;

const AIM = { pageMs: 5, memoryMb: 100 };

/** Gives the most that it needs beside a process without plugins. */
function memoryRows(print: Print, label: string, { memory }: Measured, none: Measured): number {
  const idle = none.memory.at(-1)?.most;
  if (idle === undefined) throw new Error('the memory of a process without plugins is known');
  let mostMb = 0;
  for (const { operations, most } of memory) {
    const more = most.anonymousMb - idle.anonymousMb;
    mostMb = Math.max(mostMb, more);
    print([
      `${label}: memory up to ${count(operations)} operations`,
      `${megabytes(more)} more`,
      `${megabytes(most.anonymousMb)} of its own, ${megabytes(idle.anonymousMb)} without; wanted at most ${AIM.memoryMb} more`,
      `pages of files ${megabytes(most.fileMb)}, which the system takes back when it needs them`,
    ]);
  }
  return mostMb;
}

export async function run(print: Print, size: Size, ratio: Ratio): Promise<void> {
  const { accounts, liveBlocks, catchUpBlocks, rounds } = SIZES[size];
  const kept = process.env.BENCH_FOLDER;
  if (kept !== undefined) mkdirSync(kept, { recursive: true });
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'trustnode-history-'));
  try {
    writeLogs(folder, Math.max(liveBlocks, catchUpBlocks), accounts);
    const measurements = new Measurements(folder);
    const measured = (plugin: Plugin, mode: Mode, blocks: number): Promise<Measured> =>
      measurements.of({ plugin, mode, accounts, blocks, rounds });
    const none = await measured('none', 'live', liveBlocks);
    // Who catches up makes no blocks.
    const idle = await measured('none', 'live', 1);
    for (const plugin of ['account_history', 'account_history_kv'] as const) {
      const behind = await measured(plugin, 'catch-up', catchUpBlocks);
      const { operations } = behind;
      print([
        `${plugin}: catching up`,
        `${count(operations / behind.seconds)} operations/s`,
        `${count(operations)} of ${count(catchUpBlocks * BLOCK_OPERATIONS)} in ${behind.seconds.toFixed(0)} s, ${behind.cpuUs.toFixed(1)} µs CPU each, ` +
          `${behind.mainThreadUs.toFixed(2)} of the main thread`,
      ]);
      print([`${plugin}: on the disk`, `${Math.round(behind.diskBytes)} bytes/operation`]);
      const behindMb = memoryRows(print, `${plugin}, catching up`, behind, idle);
      const pageMs = behind.pages.map(({ medianMs }) => medianMs);
      // Not every one answers questions by page.
      if (pageMs.length > 0) ratio(`${plugin}: ${AIM.pageMs} ms to the slowest page`, AIM.pageMs / Math.max(...pageMs));
      for (const { label, total, medianMs, longestMs, operations: shown } of behind.pages) {
        print([
          `${label}, of ${count(total)}`,
          `${medianMs.toFixed(2)} ms`,
          `${shown} operations, longest ${longestMs.toFixed(2)}, wanted below ${AIM.pageMs}`,
        ]);
      }
      const live = await measured(plugin, 'live', liveBlocks);
      const more = live.mainThreadUs - none.mainThreadUs;
      print([`${plugin}: main thread, blocks as they come`, `${more.toFixed(2)} µs/operation`]);
      print([`${plugin}: all threads, blocks as they come`, `${(live.cpuUs - none.cpuUs).toFixed(1)} µs/operation`]);
      const liveMb = memoryRows(print, `${plugin}, blocks as they come`, live, none);
      const name = `${plugin}: ${AIM.memoryMb} MB to the memory that it needs`;
      ratio(name, AIM.memoryMb / Math.max(1, behindMb, liveMb));
    }
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true });
  }
}
