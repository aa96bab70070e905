import { invariant } from '../base/errors.js';
import type { AnyObjectDef, ObjectDef, RecordMaker, RecordTools, StateObject } from './define.js';

/** One set for all states of a process, so that the engine learns once what they do. */
const known = new WeakMap<AnyObjectDef, RecordTools<StateObject>>();

export function recordTools<T extends StateObject>(definition: ObjectDef<T>): RecordTools<T> {
  const tools = known.get(definition) ?? ofMaker(definition.record) ?? compileTools(definition);
  known.set(definition, tools);
  return tools as unknown as RecordTools<T>;
}

/** Only types whose objects never change say by themselves how they are made. */
function ofMaker(maker: RecordMaker<StateObject> | undefined): RecordTools<StateObject> | undefined {
  const never = (): never => {
    invariant(false, 'what never changes is not copied');
  };
  return maker && { ...maker, copy: never, assign: never };
}

function compileTools(definition: AnyObjectDef): RecordTools<StateObject> {
  const fields = Object.keys(definition.schema.fields).map((field) => JSON.stringify(field));
  const literal = (from: string): string => fields.map((field) => `${field}: ${from}[${field}]`).join(', ');
  const source = `return {
    make: (id, value) => ({ id, ${literal('value')} }),
    adopt: (object) => object,
    copy: (object) => ({ id: object.id, ${literal('object')} }),
    assign: (target, source) => { target.id = source.id; ${fields.map((f) => `target[${f}] = source[${f}];`).join(' ')} },
    isSame: (a, b) => ${fields.map((field) => `a[${field}] === b[${field}]`).join(' && ')},
  };`;
  return new Function(source)() as RecordTools<StateObject>;
}
