import type { ObjectDef, StateObject } from '../../src/state/define.js';
import type { ReadState } from '../../src/state/views.js';

/** What the model refuses; the words are for whoever looks for a difference. */
export class Refused extends Error {}

export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Refused(what);
}

type Row = StateObject;

interface Table {
  readonly rows: Map<number, Row>;
  next: number;
}

const keyOf = (definition: ObjectDef): string => `${definition.space}.${definition.type}`;

/** Plain copies of all objects of a state, with undo by looking back: nothing is shared with the program. */
export class Tables {
  readonly #tables = new Map<string, Table>();
  #undo: (() => void)[] = [];

  constructor(state: ReadState, definitions: readonly ObjectDef[]) {
    for (const definition of definitions) {
      const rows = new Map<number, Row>();
      for (const object of state.all(definition)) rows.set(object.id, plainCopy(definition, object));
      this.#tables.set(keyOf(definition), { rows, next: state.nextInstance(definition) });
    }
  }

  #table(definition: ObjectDef): Table {
    return this.#tables.get(keyOf(definition)) as Table;
  }

  next(definition: ObjectDef): number {
    return this.#table(definition).next;
  }

  all<T extends Row>(definition: ObjectDef<T>): T[] {
    return [...this.#table(definition).rows.values()] as T[];
  }

  find<T extends Row>(definition: ObjectDef<T>, id: number): Readonly<T> | undefined {
    return this.#table(definition).rows.get(id) as T | undefined;
  }

  get<T extends Row>(definition: ObjectDef<T>, id: number): Readonly<T> {
    const row = this.find(definition, id);
    must(row !== undefined, `${definition.name} ${id} is missing`);
    return row;
  }

  where<T extends Row>(definition: ObjectDef<T>, isWanted: (row: T) => boolean): T | undefined {
    return this.all(definition).find(isWanted);
  }

  /** `same`: two objects for which it says yes cannot both exist. */
  create<T extends Row>(definition: ObjectDef<T>, value: Partial<T>, same?: (row: T) => boolean): number {
    const table = this.#table(definition);
    must(same === undefined || this.where(definition, same) === undefined, `a second ${definition.name}`);
    const id = table.next++;
    const row = { ...structuredClone(definition.schema.default()), ...structuredClone(value), id } as unknown as T;
    table.rows.set(id, row);
    this.#undo.push(() => {
      table.rows.delete(id);
      table.next = id;
    });
    return id;
  }

  change<T extends Row>(definition: ObjectDef<T>, id: number, change: (row: T) => void): void {
    const { rows } = this.#table(definition);
    const old = this.get(definition, id) as T;
    const row = structuredClone(old);
    change(row);
    rows.set(id, row);
    this.#undo.push(() => rows.set(id, old));
  }

  remove<T extends Row>(definition: ObjectDef<T>, id: number): void {
    const { rows } = this.#table(definition);
    const old = this.get(definition, id);
    rows.delete(id);
    this.#undo.push(() => rows.set(id, old));
  }

  /** All or nothing. */
  attempt<R>(work: () => R): R {
    const before = this.#undo;
    this.#undo = [];
    try {
      const result = work();
      before.push(...this.#undo);
      return result;
    } catch (error) {
      for (const undo of this.#undo.reverse()) undo();
      throw error;
    } finally {
      this.#undo = before;
    }
  }
}

export function plainCopy<T extends Row>(definition: ObjectDef<T>, object: T): T {
  const fields = Object.keys(definition.schema.fields) as (keyof T)[];
  const pairs = fields.map((field) => [field, object[field]] as const).filter(([, value]) => value !== undefined);
  return structuredClone({ id: object.id, ...Object.fromEntries(pairs) }) as T;
}
