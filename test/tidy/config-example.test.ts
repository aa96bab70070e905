import { readFileSync } from 'node:fs';
import t from 'tap';
import { GENERATED } from '../../src/bin/docs.js';
import { parseIni, resolveOptions } from '../../src/config/load.js';
import { NODE_OPTION_TABLE, OPTION_SECTIONS } from '../../src/node/settings/options.js';
import { configExample } from '../../src/node/settings/settings.js';
import { projectPath } from '../support/paths.js';

t.test('generated texts are what the tables say', async (t) => {
  for (const [file, text] of Object.entries(GENERATED)) {
    t.equal(readFileSync(projectPath(file), 'utf8'), await text(), `${file}: npm run docs writes it anew`);
  }
});

t.test('no option stands in two tables', async (t) => {
  const names = OPTION_SECTIONS.flatMap(([, table]) => Object.keys(table));
  t.equal(new Set(names).size, names.length);
  t.same(new Set(names), new Set(Object.keys(NODE_OPTION_TABLE)));
});

t.test('with every comment taken away the file sets the defaults', async (t) => {
  const none = new Map<string, string[]>();
  const text = configExample().replace(/^# ([a-z][a-z0-9-]* =)/gm, '$1');
  const values = resolveOptions(NODE_OPTION_TABLE, none, parseIni(text, 'example').given);
  const defaults = resolveOptions(NODE_OPTION_TABLE, none, none);
  for (const name of Object.keys(NODE_OPTION_TABLE) as (keyof typeof NODE_OPTION_TABLE)[]) {
    // Keys hide their secret from comparison; their public halves must do.
    const shown = (value: unknown): unknown =>
      name.endsWith('private-key') ? (value as { publicKey: string }[]).map((key) => key.publicKey) : value;
    t.same(shown(values[name]), shown(defaults[name]), name);
  }
});
