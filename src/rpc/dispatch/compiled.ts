import { ChainError, fail, invariant } from '../../base/errors.js';
import type { Json } from '../../codec/json.js';
import type { AnyType, Network } from '../../codec/type.js';
import type { AnyMethod, ApiDef } from '../define.js';
import { RPC_ERRORS } from '../errors.js';
import { LIST_MAX } from '../limits.js';
import { decodePieces } from '../pieces/decode.js';
import type { Pieces } from '../pieces/pieces.js';
import { printPieces, type Sink } from '../pieces/print.js';

/** Declared methods, made ready to be called. */

export interface CompiledMethod {
  readonly name: string;
  readonly definition: AnyMethod;
  decode(args: readonly Json[], network: Network): Pieces<Record<string, unknown>>;
  /** JSON text of the result. */
  print(result: unknown, sink: Sink, network: Network): Pieces<void>;
}

export function compileMethod(name: string, definition: AnyMethod): CompiledMethod {
  const names = Object.keys(definition.params);
  const types = Object.values(definition.params) as AnyType[];
  const { result, listMax = LIST_MAX } = definition;
  return {
    name,
    definition,
    *decode(args, network) {
      if (args.length < names.length) fail(RPC_ERRORS.rpc_arguments_missing);
      const out: Record<string, unknown> = {};
      for (let i = 0; i < names.length; i++) {
        try {
          out[names[i] as string] = yield* decodePieces(types[i] as AnyType, args[i] as Json, network, listMax);
        } catch (error) {
          throw error instanceof ChainError ? error.at(names[i] as string) : error;
        }
      }
      return out;
    },
    print: (value, sink, network) => printPieces(result, value, sink, network),
  };
}

/** Methods of one api by name, with the position that the family's error data shows. */
export class CompiledApi {
  readonly name: string;
  readonly isClosedToPages: boolean;
  readonly methods = new Map<string, CompiledMethod>();

  constructor(definition: ApiDef) {
    this.name = definition.name;
    this.isClosedToPages = definition.isClosedToPages === true;
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
