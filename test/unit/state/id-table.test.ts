import fc from 'fast-check';
import t from 'tap';
import { IdHash } from '../../../src/state/id-hash.js';
import { IdTable } from '../../../src/state/id-table.js';

interface Member {
  readonly id: string;
}

/** Of the words that choose a place two are alike everywhere, and of the third there are few: many share a place. */
const id = fc.tuple(fc.nat(5), fc.nat(30)).map(([word, rest]) => `${word}`.repeat(24) + `${rest}`.padStart(16, '0'));
const step = fc.record({ what: fc.constantFrom('set', 'set', 'delete', 'get', 'clear?'), id });

t.test('finds what a map finds, whatever came and went', async (t) => {
  let runs = 0;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const table = new IdTable<Member>(new IdHash(), (member) => member.id);
      const model = new Map<string, Member>();
      for (const [i, { what, id }] of steps.entries()) {
        if (what === 'set') {
          const member = { id };
          table.set(member);
          model.set(id, member);
        } else if (what === 'delete') {
          table.delete(id);
          model.delete(id);
        } else if (what === 'clear?' && i % 50 === 0) {
          table.clear();
          model.clear();
        }
        if (table.get(id) !== model.get(id) || table.size !== model.size) throw new Error(`step ${i} of ${id}`);
      }
      for (const [one, member] of model) if (table.get(one) !== member) throw new Error(one);
      runs++;
    }),
  );
  t.equal(runs, 100);
});

t.test('thousands, of which most go again', async (t) => {
  const table = new IdTable<Member>(new IdHash(), (member) => member.id);
  const idOf = (i: number): string => Math.imul(i, 0x9e37_79b1).toString(16).replace('-', 'f').padStart(40, '0');
  for (let i = 0; i < 20_000; i++) {
    table.set({ id: idOf(i) });
    if (i >= 3000) table.delete(idOf(i - 3000));
  }
  t.equal(table.size, 3000);
  for (let i = 0; i < 20_000; i++) if ((table.get(idOf(i)) !== undefined) !== i >= 17_000) t.fail(`${i}`);
});
