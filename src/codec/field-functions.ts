import { ChainError } from '../base/errors.js';
import type { JsonObject } from './json.js';
import type { Reader } from './reader.js';
import type { AnyType, Network, Pass } from './type.js';
import type { Writer } from './writer.js';

/** What a struct does with its fields, one after another. */
export interface FieldFunctions<V> {
  readFields(r: Reader): V;
  /** Where each field can be passed. */
  readonly pass: Pass | undefined;
  write(w: Writer, o: V): void;
  fromObject(o: JsonObject, network?: Network): V;
}

/**
 * Builds one function per struct that handles its fields one after another, as a person would write it by hand.
 * A loop over field descriptors decodes a third slower: every call in it sees every type of the chain. Where code may not
 * be made of texts, field-loops.ts does the same by such loops.
 *
 * `line` gives the statement for a field; in it `t<i>` is the field's type and `v<i>` a local for its value.
 * The counter `i` lets an error name the field that raised it.
 */
function compile<T>(
  parameters: string,
  names: readonly string[],
  types: readonly AnyType[],
  line: (name: string, i: number) => string,
  result: string,
): T {
  const statements = names.map((name, i) => `i = ${i}; ${line(JSON.stringify(name), i)}`).join('\n');
  const source = `return (${parameters}) => {
    let i = 0;
    try {
      ${statements}
      ${result}
    } catch (error) {
      throw locate(error, i);
    }
  };`;
  const locate = (error: unknown, i: number): unknown =>
    error instanceof ChainError ? error.at(names[i] ?? '?') : error;
  const build = new Function('locate', ...types.map((_, i) => `t${i}`), source);
  return build(locate, ...types) as T;
}

/** One expression: nothing in it raises an error. */
function compilePass(types: readonly AnyType[]): Pass | undefined {
  const passes = types.map(({ pass }) => pass);
  if (passes.includes(undefined)) return undefined;
  const names = passes.map((_, i) => `p${i}`);
  const calls = names.map((name) => `${name}(r)`).join(' && ');
  return new Function(...names, `return (r) => ${calls || 'true'};`)(...passes) as Pass;
}

export function fieldFunctions<V>(names: readonly string[], types: readonly AnyType[]): FieldFunctions<V> {
  const literal = (value: (i: number) => string): string =>
    `return {${names.map((field, i) => `${JSON.stringify(field)}: ${value(i)}`).join(', ')}};`;
  return {
    readFields: compile<(r: Reader) => V>(
      'r',
      names,
      types,
      (_, i) => `var v${i} = t${i}.read(r);`,
      literal((i) => `v${i}`),
    ),
    pass: compilePass(types),
    write: compile<(w: Writer, o: V) => void>('w, o', names, types, (field, i) => `t${i}.write(w, o[${field}]);`, ''),
    // Without a member nothing is read, so the default needs no network.
    fromObject: compile<(o: JsonObject, network?: Network) => V>(
      'o, n',
      names,
      types,
      (field, i) => `var v${i} = o[${field}] === undefined ? t${i}.default() : t${i}.fromJson(o[${field}], n);`,
      literal((i) => `v${i}`),
    ),
  };
}
