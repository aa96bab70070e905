import type { ReadState } from '../../src/state/views.js';

/** Methods that hand out one row, and those that hand out several at once or one by one. */
const ONE: ReadonlySet<string> = new Set(['get', 'find', 'single', 'findBy', 'lowerBound', 'next', 'previous', 'last']);
const LISTS: ReadonlySet<string> = new Set(['group', 'groupPage']);
const WALKS: ReadonlySet<string> = new Set(['walk', 'all']);

/** The same state, which counts the rows that it hands out. */
export class VisitedRows {
  count = 0;

  over<S extends ReadState>(state: S): S {
    return new Proxy(state, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const method = value as (...args: unknown[]) => unknown;
        if (typeof name !== 'string') return method.bind(target);
        return (...args: unknown[]) => this.#counted(name, args, (given) => method.apply(target, given));
      },
    });
  }

  #counted(name: string, args: unknown[], call: (args: unknown[]) => unknown): unknown {
    if (name === 'forEach') {
      const [definition, visit] = args as [unknown, (row: unknown) => void];
      const counting = (row: unknown): void => {
        this.count++;
        visit(row);
      };
      return call([definition, counting]);
    }
    const made = call(args);
    if (ONE.has(name)) this.count++;
    if (LISTS.has(name)) this.count += (made as readonly unknown[]).length;
    return WALKS.has(name) ? this.#each(made as Iterable<unknown>) : made;
  }

  *#each(rows: Iterable<unknown>): Generator<unknown> {
    for (const row of rows) {
      this.count++;
      yield row;
    }
  }
}
