import type { ObjectDef, StateObject } from './define.js';

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
}

export function recordTools<T extends StateObject>(definition: ObjectDef<T>): RecordTools<T> {
  const fields = Object.keys(definition.schema.fields).map((field) => JSON.stringify(field));
  const literal = (from: string): string => fields.map((field) => `${field}: ${from}[${field}]`).join(', ');
  const source = `return {
    make: (id, value) => ({ id, ${literal('value')} }),
    copy: (object) => ({ id: object.id, ${literal('object')} }),
    assign: (target, source) => { target.id = source.id; ${fields.map((f) => `target[${f}] = source[${f}];`).join(' ')} },
  };`;
  return new Function(source)() as RecordTools<T>;
}
