import t from 'tap';
import { apply, mutantsOf } from './mutants.js';

const SOURCE = `/** a >= b && true */
import { check } from './x.js';
export function f(a, b) {
    if (a >= b && b !== 'x === y')
        return true;
    log.info('a > b', { a });
    this.log.sync();
    check(a < b, ROW, () => ({ a: 'a + b' }));
    this.#count += 1;
    if (!a) return 1;
    return a + b;
}
`;

t.test('faults are made in code, not in comments, texts, imports or log lines', (t) => {
  const mutants = mutantsOf('x.js', SOURCE);
  const lineOf = (line: number): string[] => mutants.filter((one) => one.line === line).map(({ kind }) => kind);
  t.same(lineOf(1), []);
  t.same(lineOf(2), []);
  t.same(lineOf(4), ['unequal', 'at least', 'and']);
  t.same(lineOf(5), ['true']);
  t.same(lineOf(6), []);
  t.same(lineOf(7), ['call left out']);
  t.same(lineOf(8), ['less than', 'call left out']);
  t.same(lineOf(9), ['assignment left out']);
  t.same(lineOf(10), ['not', 'early end left out']);
  t.same(lineOf(11), ['plus']);
  const changed = mutants.map((mutant) => apply(mutant, SOURCE).split('\n')[mutant.line - 1]?.trim());
  t.same(changed, [
    "if (a >= b && b === 'x === y')",
    "if (a > b && b !== 'x === y')",
    "if (a >= b || b !== 'x === y')",
    'return false;',
    ';',
    "check(a <= b, ROW, () => ({ a: 'a + b' }));",
    ';',
    ';',
    'if (a) return 1;',
    'if (!a) {}',
    'return a - b;',
  ]);
  t.equal(new Set(changed.map((_, i) => apply(mutants[i] as (typeof mutants)[0], SOURCE))).size, mutants.length);
  t.end();
});
