import fc from 'fast-check';
import t from 'tap';
import { sortByText } from '../../../src/state/sort-by-text.js';

interface Named {
  readonly id: number;
  readonly name: string;
}

const plainly = (list: readonly Named[]): Named[] =>
  [...list].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0) || a.id - b.id);

const numbered = (names: readonly string[]): Named[] => names.map((name, id) => ({ id: names.length - id, name }));

const letters = (alphabet: string, maxLength: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((list) => list.join(''));

const MANY = { minLength: 64, maxLength: 400 };

t.test('texts are in the order in which they compare, equal ones by id', async (t) => {
  const cases: Readonly<Record<string, fc.Arbitrary<string>>> = {
    'names that begin alike': letters('ab-1', 8).map((end) => `account-${end}`),
    'short ones, often equal': letters('ab', 3),
    'long ones': letters('abcdefghijklmnopqrstuvwxyz', 30),
    'the first and the last character that is a number': letters('\u0000\u007fa', 6),
    'other characters': letters('aä\u0080\ud83d\ude00\uffff', 5),
    'some of everything': fc.string({ maxLength: 12 }),
  };
  for (const [what, name] of Object.entries(cases)) {
    fc.assert(
      fc.property(fc.array(name, MANY), (names) => {
        const list = numbered(names);
        if (
          !t.same(
            sortByText(list, (one) => one.name),
            plainly(list),
            what,
          )
        )
          throw new Error(what);
      }),
      { numRuns: 50 },
    );
  }
});

t.test('none, one and a few', async (t) => {
  for (const names of [[], ['a'], ['b', 'a', 'b', '']]) {
    const list = numbered(names);
    t.same(
      sortByText(list, (one) => one.name),
      plainly(list),
    );
  }
});

t.test('what was given stays as it was', async (t) => {
  const list = numbered(Array.from({ length: 100 }, (_, i) => `n${(i * 37) % 100}`));
  const before = [...list];
  sortByText(list, (one) => one.name);
  t.same(list, before);
});
