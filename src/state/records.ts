import type { AnyObjectDef, ObjectDef, StateObject } from './define.js';

/**
 * Functions over all fields of one object type, written out field by field. A record that is always built by the same
 * literal has the same hidden class everywhere, and copying it costs a few loads and stores.
 */
export interface RecordTools<T extends StateObject> {
  /** A live object with the fields of `value`. */
  readonly make: (id: number, value: Omit<T, 'id'>) => T;
  /** Shallow: nested values are never changed in place. */
  readonly copy: (object: Readonly<T>) => T;
  readonly assign: (target: T, source: Readonly<T>) => void;
  /**
   * Whether both hold the very same values, their ids apart: then they have the same bytes as well. Most objects of a
   * young chain are summaries of blocks that do not exist yet, all alike.
   */
  readonly isSame: (a: Readonly<T>, b: Readonly<T>) => boolean;
}

/** One set for all states of a process, so that the engine learns once what they do. */
const known = new WeakMap<AnyObjectDef, RecordTools<StateObject>>();

export function recordTools<T extends StateObject>(definition: ObjectDef<T>): RecordTools<T> {
  const tools = known.get(definition) ?? compileTools(definition);
  known.set(definition, tools);
  return tools as unknown as RecordTools<T>;
}

function compileTools(definition: AnyObjectDef): RecordTools<StateObject> {
  const fields = Object.keys(definition.schema.fields).map((field) => JSON.stringify(field));
  const literal = (from: string): string => fields.map((field) => `${field}: ${from}[${field}]`).join(', ');
  const source = `return {
    make: (id, value) => ({ id, ${literal('value')} }),
    copy: (object) => ({ id: object.id, ${literal('object')} }),
    assign: (target, source) => { target.id = source.id; ${fields.map((f) => `target[${f}] = source[${f}];`).join(' ')} },
    isSame: (a, b) => ${fields.map((field) => `a[${field}] === b[${field}]`).join(' && ')},
  };`;
  return new Function(source)() as RecordTools<StateObject>;
}
