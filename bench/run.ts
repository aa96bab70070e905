import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { orSayLost } from '../src/commands/lost-work.js';
import { exitOnSignals, keepTemporaryFoldersTogether } from '../test/support/ends-with-us.js';
import { projectPath } from '../test/support/paths.js';
import { type Floors, type Ratio, ratioFaults } from './fixtures/ratios.js';
import { startWholeCost } from './fixtures/whole-cost.js';
import { yardstick } from './fixtures/yardstick.js';

/**
 * `npm run bench` runs every subject of this folder, `npm run bench -- codec vm` those named, `--small` a quick round
 * that only shows that they still work. Beside each figure stands the one that baseline.json keeps for it, and behind them the
 * clock and the CPU time of all threads, those of nodes and commands too. A full run
 * fails when a ratio within it is below the floor that baseline.json has for it.
 */

export type Print = (row: string[]) => void;
export type Size = 'small' | 'full';
interface Subject {
  run(print: Print, size: Size, ratio: Ratio): Promise<void> | void;
}

const here = dirname(fileURLToPath(import.meta.url));
// Compiled benches run from another folder; the baseline stays with the sources.
const { figures, ratios } = JSON.parse(readFileSync(projectPath('bench', 'baseline.json'), 'utf8')) as {
  readonly figures: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly ratios: Readonly<Record<string, Floors>>;
};

function table(rows: readonly string[][]): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

exitOnSignals();
keepTemporaryFoldersTogether();
const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
const size: Size = values.small ? 'small' : 'full';
const all = readdirSync(here)
  .filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => file.slice(0, -'.js'.length));
for (const name of wanted) {
  if (!all.includes(name)) throw new Error(`there is no bench ${name}, there are ${all.join(' ')}`);
}
if (values.help) process.stdout.write(`npm run bench -- [--small] [${all.join('] [')}]\n`);
const subjects = values.help ? [] : all.filter((name) => wanted.length === 0 || wanted.includes(name));

for (const name of subjects) {
  const subject = (await import(pathToFileURL(join(here, `${name}.js`)).href)) as Subject;
  const rows: string[][] = [];
  const seen = new Map<string, number>();
  process.stdout.write(`\n== ${name} (${size}), ${yardstick()}\n`);
  const cost = startWholeCost();
  const print: Print = (row) => {
    const before = size === 'full' ? figures[name]?.[row[0] ?? ''] : undefined;
    rows.push(before === undefined ? row : [...row, `baseline ${before}`]);
  };
  const run = (): Promise<void> | void => subject.run(print, size, (what, value) => seen.set(what, value));
  try {
    await orSayLost(`bench ${name}`, run, ({ message }) => {
      process.exitCode = 1;
      process.stderr.write(`${message}\n`);
    });
  } finally {
    // What was measured before something failed is worth as much.
    process.stdout.write(`${table(rows)}\nafterwards ${yardstick()}; ${cost()}\n`);
  }
  for (const [what, value] of seen) {
    process.stdout.write(`ratio of ${what}: ${value.toFixed(2)}, floor ${ratios[name]?.[what] ?? 'none'}\n`);
  }
  if (size === 'small') continue;
  for (const fault of ratioFaults(seen, ratios[name] ?? {})) {
    process.exitCode = 1;
    process.stderr.write(`${name}: ${fault}\n`);
  }
}
