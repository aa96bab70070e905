import { ChainError, fail, invariant } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import type { AnyType } from '../codec/type.js';
import type { AnyMethod, ApiDef, RpcContext } from './define.js';
import { RPC_ERRORS } from './errors.js';
import { printerOf } from './print.js';

/** Declared methods, made ready to be called. */

export interface CompiledMethod {
  readonly name: string;
  readonly definition: AnyMethod;
  run(context: RpcContext, args: readonly Json[]): unknown;
  /** JSON text of the result. */
  print(result: unknown): string;
}

export function compileMethod(name: string, definition: AnyMethod): CompiledMethod {
  const names = Object.keys(definition.params);
  const types = Object.values(definition.params) as AnyType[];
  const decode = (args: readonly Json[]): Record<string, unknown> => {
    if (args.length < names.length) fail(RPC_ERRORS.rpc_arguments_missing);
    const out: Record<string, unknown> = {};
    for (let i = 0; i < names.length; i++) {
      try {
        out[names[i] as string] = (types[i] as AnyType).fromJson(args[i] as Json);
      } catch (error) {
        throw error instanceof ChainError ? error.at(names[i] as string) : error;
      }
    }
    return out;
  };
  const { result } = definition;
  const print = (value: unknown): string => printerOf(result)(value);
  return { name, definition, run: (context, args) => definition.run(context, decode(args)), print };
}

/** Methods of one api by name, with the position that the family's error data shows. */
export class CompiledApi {
  readonly name: string;
  readonly methods = new Map<string, CompiledMethod>();

  constructor(definition: ApiDef) {
    this.name = definition.name;
    for (const [name, entry] of Object.entries(definition.methods)) this.methods.set(name, compileMethod(name, entry));
    invariant(this.methods.size > 0, `api ${definition.name} has methods`);
  }

  find(name: string): CompiledMethod {
    const found = this.methods.get(name);
    if (found === undefined) fail(RPC_ERRORS.rpc_method_unknown, { name, api: this.list() });
    return found;
  }

  private list(): [string, number][] {
    const names = [...this.methods.keys()].map((name, index): [string, number] => [name, index]);
    return names.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  }
}
