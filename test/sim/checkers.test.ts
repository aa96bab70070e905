import t from 'tap';
import { Checkers, FinalitySplit } from './checkers.js';

/** Two branches whose third blocks are both irreversible: `cheats` says who has signed twice. */
function split(cheats: (checkers: Checkers) => void): unknown {
  const checkers = new Checkers([]);
  const made = (id: string, previous: string): void => checkers.made({ id, block: { previous } as never });
  made('left 1', 'genesis');
  made('left 2', 'left 1');
  made('right 1', 'genesis');
  made('right 2', 'right 1');
  made('stale 2', 'left 1');
  cheats(checkers);
  checkers.irreversible(0, 1, 'left 1');
  try {
    checkers.irreversible(1, 1, 'right 1');
  } catch (error) {
    return error;
  }
  return undefined;
}

t.test('two final branches are forgiven to one who has signed for both, and to nobody else', (t) => {
  const plain = split(() => undefined);
  t.ok(plain instanceof Error && !(plain instanceof FinalitySplit), String(plain));
  t.ok(split((checkers) => checkers.doubled('left 2', 'right 2')) instanceof FinalitySplit);
  t.ok(split((checkers) => checkers.doubled('right 1', 'left 1')) instanceof FinalitySplit);
  t.notOk(split((checkers) => checkers.doubled('left 2', 'stale 2')) instanceof FinalitySplit, 'both on one branch');
  t.end();
});
