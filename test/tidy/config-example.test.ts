import { readFileSync } from 'node:fs';
import t from 'tap';
import { GENERATED } from '../../src/bin/docs.js';
import { parseIni, resolveOptions } from '../../src/config/load.js';
import { configExample } from '../../src/node/load-settings.js';
import { NODE_PARTS, nodeParts } from '../../src/node/parts/list.js';
import { loadPlugins } from '../../src/node/parts/plugins.js';
import * as tables from '../../src/node/settings/options.js';
import { optionTable } from '../../src/node/settings/sections.js';
import { p2pOptions } from '../../src/p2p/options.js';
import { rpcOptions } from '../../src/rpc/serving/options.js';
import { witnessOptions } from '../../src/witness/options.js';
import { projectPath } from '../support/paths.js';

t.test('generated texts are what the tables say', async (t) => {
  for (const [file, text] of Object.entries(GENERATED)) {
    t.equal(readFileSync(projectPath(file), 'utf8'), await text(), `${file}: npm run docs writes it anew`);
  }
});

const TABLE = optionTable(NODE_PARTS);

t.test('the parts of a node bring every option that settings are typed with', async (t) => {
  const own = Object.entries(tables).flatMap(([name, table]) => (name.endsWith('Options') ? [table] : []));
  const plugins = tables.pluginOptions([], []);
  const names = [
    ...own.filter((one) => typeof one === 'object'),
    plugins,
    p2pOptions,
    rpcOptions,
    witnessOptions,
  ].flatMap((table) => Object.keys(table));
  t.ok(names.length > 40);
  t.same(Object.keys(TABLE).sort(), names.sort());
});

t.test('with every comment taken away the file sets the defaults', async (t) => {
  const none = new Map<string, string[]>();
  const parts = nodeParts(await loadPlugins());
  const table = optionTable(parts);
  const text = configExample(parts).replace(/^# ([a-z][a-z0-9-]* =)/gm, '$1');
  const values = resolveOptions(table, none, parseIni(text, 'example').given);
  const defaults = resolveOptions(table, none, none);
  for (const name of Object.keys(table)) {
    // Keys hide their secret from comparison; their public halves must do.
    const shown = (value: unknown): unknown =>
      name.endsWith('private-key') ? (value as { publicKey: string }[]).map((key) => key.publicKey) : value;
    t.same(shown(values[name]), shown(defaults[name]), name);
  }
});
