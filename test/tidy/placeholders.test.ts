import t from 'tap';
import type { ErrorRow } from '../../src/base/errors.js';
import { everyRow } from '../../src/bin/error-reference.js';
import { PROJECT_ROOT } from '../support/paths.js';
import { sourcesOf } from './draw-imports.js';
import { unfilledIn } from './placeholders.js';

t.test('a row whose data lacks what its text shows is found', async (t) => {
  const row: ErrorRow = { key: 'a_b', kind: 'invalid', code: 10, name: '', title: '', text: '${x} of ${y}' };
  const rows = new Map([['a_b', { ...row, hint: 'not ${z}' }]]);
  const missing = (text: string): readonly string[] =>
    unfilledIn({ path: '', text }, rows).flatMap((one) => one.missing);
  t.same(missing('fail(X_ERRORS.a_b, { x: f({ y: 1 }), z })'), ['y']);
  t.same(missing("check(ok, X_ERRORS.a_b, () => ({\n  x: `},`,\n  y: '}' }));"), ['z']);
  t.same(missing('fail(X_ERRORS.a_b, { x, y, z: 1 })'), []);
  t.same(missing('fail(X_ERRORS.a_b, { ...data, z: 1 })'), []);
});

t.test('no refusal is thrown with data that leaves a placeholder of its text or hint unfilled', async (t) => {
  const rows = new Map([...(await everyRow()).keys()].map((row) => [row.key, row]));
  const files = ['src', 'plugins'].flatMap((folder) => sourcesOf(PROJECT_ROOT, folder));
  t.same(
    files.flatMap((file) => unfilledIn(file, rows)).map(({ key, missing }) => `${key}: ${missing}`),
    ['price_asset: a'],
    'one text alone, as the reference was recorded with it',
  );
});
