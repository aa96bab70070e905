import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { ErrorRow } from '../../src/base/errors.js';
import { refusals as ofLayer } from '../refusals/rpc.rows.js';
import { refusals as ofMethods } from '../refusals/rpc-database.rows.js';
import { refusals as ofServer } from '../refusals/rpc-serve.rows.js';

const rows = new Set([...ofLayer, ...ofMethods, ...ofServer].map(({ row }) => row));
/** Beside this file when both are compiled. */
const SOURCES = join(import.meta.dirname, '..', '..', 'src', 'rpc');

t.test('every refusal of the RPC layer stands in the table', async (t) => {
  const modules = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  let count = 0;
  for (const name of modules.filter((one) => !one.startsWith('page/'))) {
    for (const [exported, value] of Object.entries(await import(join(SOURCES, name)))) {
      if (!exported.endsWith('_ERRORS')) continue;
      for (const row of Object.values(value as Record<string, ErrorRow>)) t.ok(rows.has(row), row.key);
      count++;
    }
  }
  t.ok(count > 15, 'tables were found');
});

t.test('an expression of the reference has a sentence beside it', async (t) => {
  for (const { key, text, hint } of rows) {
    if (text.endsWith(': ') || text === 'stringstream') t.type(hint, 'string', key);
  }
});
