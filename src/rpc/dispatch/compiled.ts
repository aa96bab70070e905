import { ChainError, check, fail, invariant } from '../../base/errors.js';
import { nearest } from '../../base/nearest.js';
import type { Json, JsonObject } from '../../codec/json.js';
import type { AnyType, Network } from '../../codec/type.js';
import type { AnyMethod, ApiDef } from '../define.js';
import { RPC_ERRORS } from '../errors.js';
import { LIST_MAX } from '../limits.js';
import { decodePieces } from '../pieces/decode.js';
import { hasMoreParts, PARTS_AT_ONCE, type Pieces } from '../pieces/pieces.js';
import { printAtOnce, printPieces, type Sink } from '../pieces/print.js';

/** Declared methods, made ready to be called. */

/** By position, or by name. */
export type Arguments = Json[] | JsonObject;

export function isArguments(given: Json | undefined): given is Json[] | JsonObject {
  return typeof given === 'object' && given !== null;
}

export interface CompiledMethod {
  readonly name: string;
  readonly definition: AnyMethod;
  decode(args: Arguments, network: Network): Pieces<Record<string, unknown>>;
  /** JSON text of the result; undefined: it was small, and is there. */
  print(result: unknown, sink: Sink, network: Network): Pieces<void> | undefined;
}

const listed = (names: readonly string[]): string => (names.length === 0 ? 'nothing' : names.join(', '));

function inOrder(given: JsonObject, names: readonly string[], defaults: JsonObject): Json[] {
  const takes = listed(names);
  for (const name of Object.keys(given)) {
    check(names.includes(name), RPC_ERRORS.rpc_argument_unknown, { name, takes });
  }
  return names.map((name) => {
    const value = Object.hasOwn(given, name) ? given[name] : defaults[name];
    return value === undefined ? fail(RPC_ERRORS.rpc_argument_missing, { name, takes }) : value;
  });
}

export function compileMethod(name: string, definition: AnyMethod): CompiledMethod {
  const names = Object.keys(definition.params);
  const types = Object.values(definition.params) as AnyType[];
  const { result, listMax = LIST_MAX, defaults = {} } = definition;
  const lastOnes = (from: number): Json[] => names.slice(from).flatMap((name) => defaults[name] ?? []);
  return {
    name,
    definition,
    *decode(given, network) {
      const named = Array.isArray(given) ? given : inOrder(given, names, defaults);
      const args = named.length < names.length ? [...named, ...lastOnes(named.length)] : named;
      if (args.length < names.length) fail(RPC_ERRORS.rpc_arguments_missing, { method: name, takes: listed(names) });
      const out: Record<string, unknown> = {};
      for (let i = 0; i < names.length; i++) {
        try {
          const [type, json] = [types[i] as AnyType, args[i] as Json];
          out[names[i] as string] = hasMoreParts(json, PARTS_AT_ONCE)
            ? yield* decodePieces(type, json, network, listMax)
            : type.fromJson(json, network);
        } catch (error) {
          throw error instanceof ChainError ? error.at(names[i] as string) : error;
        }
      }
      return out;
    },
    print: (value, sink, network) =>
      printAtOnce(result, value, sink, network) ? undefined : printPieces(result, value, sink, network),
  };
}

/** Letters: nobody means a method that is further away, and strangers may ask for any name. */
const CHANGES_MAX = 4;

/** Methods of one api by name. */
export class CompiledApi {
  readonly name: string;
  readonly isClosedToPages: boolean;
  readonly isOpenToOwnPage: boolean;
  readonly methods = new Map<string, CompiledMethod>();

  constructor(definition: ApiDef) {
    this.name = definition.name;
    this.isClosedToPages = definition.isClosedToPages === true;
    this.isOpenToOwnPage = definition.isOpenToOwnPage === true;
    for (const [name, entry] of Object.entries(definition.methods)) this.methods.set(name, compileMethod(name, entry));
    invariant(this.methods.size > 0, `api ${definition.name} has methods`);
  }

  find(name: string): CompiledMethod {
    const found = this.methods.get(name);
    if (found !== undefined) return found;
    const near = nearest(name, this.methods.keys(), Math.min(CHANGES_MAX, Math.floor(name.length / 3)));
    const advice = near === undefined ? 'rpc.discover lists the methods of all APIs' : `did you mean ${near}?`;
    return fail(RPC_ERRORS.rpc_method_unknown, { name, advice });
  }
}
