import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t from 'tap';
import { type Floors, type Ratio, ratioFaults } from '../../bench/fixtures/ratios.js';
import type { Print, Size } from '../../bench/run.js';
import { projectPath } from '../support/paths.js';

/** Every bench runs once with its small size, so that none of them rots. */

const FOLDER = fileURLToPath(new URL('../../bench/', import.meta.url));
const SUBJECTS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => file.slice(0, -'.js'.length));

const { ratios } = JSON.parse(readFileSync(projectPath('bench', 'baseline.json'), 'utf8')) as {
  readonly ratios: Readonly<Record<string, Floors>>;
};

t.ok(SUBJECTS.includes('replay') && SUBJECTS.length >= 8, 'the benches are found');

t.test('a ratio below its floor is a fault', async (t) => {
  const floors = { kept: 0.8, lost: 0.8 };
  const faults = (...seen: [string, number][]): string[] => ratioFaults(new Map(seen), floors);
  t.same(faults(['kept', 0.8], ['lost', 1.2]), []);
  t.same(faults(['kept', 0.79], ['lost', 0.8]), ['kept: 0.79, below its floor of 0.8']);
  t.same(faults(['kept', Number.NaN], ['lost', 0.8]), ['kept: NaN, below its floor of 0.8']);
  t.same(faults(['kept', 1]), ['lost: it was not measured']);
  t.same(faults(['kept', 1], ['lost', 1], ['new', 1]), ['new: baseline.json has no floor for it']);
  t.same(
    Object.keys(ratios).filter((name) => !SUBJECTS.includes(name)),
    [],
    'floors are those of benches',
  );
});

for (const name of SUBJECTS) {
  t.test(name, async (t) => {
    const { run } = (await import(pathToFileURL(join(FOLDER, `${name}.js`)).href)) as {
      run(print: Print, size: Size, ratio: Ratio): Promise<void> | void;
    };
    const rows: string[][] = [];
    const seen = new Map<string, number>();
    await run(
      (row) => rows.push(row),
      'small',
      (what, value) => seen.set(what, value),
    );
    for (const [what, value] of seen) {
      t.ok(Number.isFinite(value) && value > 0, `${what}: ${value}`);
      t.type(ratios[name]?.[what], 'number', `there is a floor for ${what}`);
    }
    if (Object.keys(ratios[name] ?? {}).length > 0 && name !== 'vm') t.ok(seen.size > 0, 'its ratios are measured');
    t.ok(rows.length > 0, 'it prints something');
    const labels = rows.map(([label]) => label);
    t.same(labels, [...new Set(labels)], 'a label names one row: the baseline is kept by it');
    for (const row of rows) {
      t.ok(row.length >= 2 && row.every((cell) => !/NaN|Infinity|undefined/.test(cell)), row.join(' | '));
    }
  });
}
