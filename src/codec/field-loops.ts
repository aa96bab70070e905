import { ChainError } from '../base/errors.js';
import type { FieldFunctions } from './field-functions.js';
import type { JsonObject } from './json.js';
import type { Reader } from './reader.js';
import type { AnyType, Network } from './type.js';
import type { Writer } from './writer.js';

/**
 * What field-functions.ts does, without code that is made of texts: pages forbid that to their scripts. The build of the
 * market's page takes this file in its place.
 */
export function fieldFunctions<V>(names: readonly string[], types: readonly AnyType[]): FieldFunctions<V> {
  const eachField = (work: (type: AnyType, name: string) => void): void => {
    for (const [i, type] of types.entries()) {
      const name = names[i] as string;
      try {
        work(type, name);
      } catch (error) {
        throw error instanceof ChainError ? error.at(name) : error;
      }
    }
  };
  return {
    readFields: (r: Reader) => {
      const out: Record<string, unknown> = {};
      eachField((type, name) => {
        out[name] = type.read(r);
      });
      return out as V;
    },
    // A page passes nothing: it has no blocks of others.
    pass: undefined,
    write: (w: Writer, o: V) => {
      const values = o as Readonly<Record<string, unknown>>;
      eachField((type, name) => type.write(w, values[name]));
    },
    fromObject: (o: JsonObject, network?: Network) => {
      const out: Record<string, unknown> = {};
      eachField((type, name) => {
        const given = o[name];
        out[name] = given === undefined ? type.default() : type.fromJson(given, network as Network);
      });
      return out as V;
    },
  };
}
