import { must } from '../tables.js';

/** What an action has seen of rows, or of entries, by the numbers that it was given for them. */
export class Iterators {
  readonly #objects: number[] = [];
  readonly #gone = new Set<number>();
  readonly #tables: number[] = [];

  number(object: number): bigint {
    const known = this.#objects.indexOf(object);
    return BigInt(known === -1 ? this.#objects.push(object) - 1 : known);
  }

  end(table: number): bigint {
    const known = this.#tables.indexOf(table);
    const index = known === -1 ? this.#tables.push(table) - 1 : known;
    return BigInt(-(index + 2));
  }

  object(iterator: number): number {
    must(iterator !== -1, 'contract_iterator_invalid');
    must(iterator >= 0, 'contract_iterator_end');
    must(iterator < this.#objects.length, 'contract_iterator_range');
    const object = this.#objects[iterator] as number;
    must(!this.#gone.has(object), 'contract_iterator_deleted');
    return object;
  }

  tableOfEnd(iterator: number): number {
    const table = this.#tables[-iterator - 2];
    must(table !== undefined, 'contract_iterator_not_end');
    return table;
  }

  remove(object: number): void {
    this.#gone.add(object);
  }
}
