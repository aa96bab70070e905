import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import t from 'tap';
import type { Print, Size } from '../../bench/run.js';

/** Every bench runs once with its small size, so that none of them rots. */

const FOLDER = fileURLToPath(new URL('../../bench/', import.meta.url));
const SUBJECTS = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.js') && file !== 'run.js')
  .map((file) => file.slice(0, -'.js'.length));

t.ok(SUBJECTS.includes('replay') && SUBJECTS.length >= 8, 'the benches are found');

for (const name of SUBJECTS) {
  t.test(name, async (t) => {
    const { run } = (await import(pathToFileURL(join(FOLDER, `${name}.js`)).href)) as {
      run(print: Print, size: Size): Promise<void> | void;
    };
    const rows: string[][] = [];
    await run((row) => rows.push(row), 'small');
    t.ok(rows.length > 0, 'it prints something');
    const labels = rows.map(([label]) => label);
    t.same(labels, [...new Set(labels)], 'a label names one row: the baseline is kept by it');
    for (const row of rows) {
      t.ok(row.length >= 2 && row.every((cell) => !/NaN|Infinity|undefined/.test(cell)), row.join(' | '));
    }
  });
}
