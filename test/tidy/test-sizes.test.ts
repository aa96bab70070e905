import t from 'tap';
import { PROJECT_ROOT } from '../support/paths.js';
import { sourcesOf } from './draw-imports.js';
import { longFunctions } from './test-sizes.js';

const LINES_MAX = 100;

t.test('no function of the tests has more than a hundred lines', async (t) => {
  const files = sourcesOf(PROJECT_ROOT, 'test');
  t.ok(files.length > 200, 'the tests were found');
  t.same(
    files.flatMap((file) => longFunctions(file, LINES_MAX)),
    [],
  );
});

t.test('long ones are found, and tests inside of tests count by themselves', async (t) => {
  const of = (...lines: string[]): number[] =>
    longFunctions({ path: 'test/x.test.ts', text: lines.join('\n') }, 4).map(({ line }) => line);
  t.same(of("t.test('a', async (t) => {", '  1;', '  2;', '});'), []);
  t.same(of("t.test('a', async (t) => {", '  1;', '  2;', '  3;', '});'), [1]);
  t.same(of('function a(): void {', '  if (b) {', '    1;', '  }', '  2;', '}'), [1]);
  t.same(
    of("t.test('a', async (t) => {", "  await t.test('b', async (t) => {", '    1;', '    2;', '  });', '});'),
    [],
  );
  t.same(
    of(
      "t.test('a', async (t) => {",
      "  await t.test('b', async (t) => {",
      '    1;',
      '    2;',
      '    3;',
      '  });',
      '});',
    ),
    [2],
  );
});
