import { ChainError, check, fail } from '../../base/errors.js';
import { pair, tagFromJson } from '../../codec/containers.js';
import type { Json } from '../../codec/json.js';
import { jsonKind, SCALAR_ERRORS } from '../../codec/scalars.js';
import { isJsonObject } from '../../codec/struct.js';
import type { AnyType, Network } from '../../codec/type.js';
import { LIST_ERRORS } from '../limits.js';
import { canonicalInPieces, hasMoreParts, PARTS_AT_ONCE, type Pieces } from './pieces.js';

/**
 * What `type.fromJson(json, this.#network)` gives, made in pieces along the type's shape, with a limit on the length of every list. A
 * test compares both ways over every type of the RPC tables.
 */
export function decodePieces(
  type: AnyType,
  json: Json,
  network: Network,
  listMax: number,
  atOnce = PARTS_AT_ONCE,
): Pieces<unknown> {
  return new Decoder(network, listMax, atOnce).value(type, json);
}

const ELEMENTS_PER_PIECE = 16;

class Decoder {
  readonly #network: Network;
  readonly #listMax: number;
  readonly #atOnce: number;

  constructor(network: Network, listMax: number, atOnce: number) {
    this.#network = network;
    this.#listMax = listMax;
    this.#atOnce = atOnce;
  }

  *value(type: AnyType, json: Json): Pieces<unknown> {
    const { shape } = type;
    if (!hasMoreParts(json, this.#atOnce)) return type.fromJson(json, this.#network);
    switch (shape.kind) {
      case 'array':
        return yield* this.#elements(type.name, shape.of, json);
      case 'set':
        return yield* canonicalInPieces(yield* this.#elements(type.name, shape.of, json), orderOf(shape.of));
      case 'map': {
        const compare = orderOf(shape.key);
        const entry = pair(shape.key, shape.of);
        const entries = (yield* this.#elements(`set<${entry.name}>`, entry, json)) as [unknown, unknown][];
        return yield* canonicalInPieces(entries, (a, b) => compare(a[0], b[0]));
      }
      case 'pair':
        if (!Array.isArray(json) || json.length !== 2) return type.fromJson(json, this.#network);
        return [yield* this.#at('[0]', shape.key, json[0]), yield* this.#at('[1]', shape.of, json[1])];
      case 'optional':
        return json === null ? undefined : yield* this.value(shape.of, json);
      case 'struct':
        return yield* this.#struct(type, shape.fields, json);
      case 'variant':
        return yield* this.#variant(type, shape.of, json);
      default:
        return type.fromJson(json, this.#network);
    }
  }

  *#at(step: string, type: AnyType, json: Json | undefined): Pieces<unknown> {
    try {
      return yield* this.value(type, json as Json);
    } catch (error) {
      throw error instanceof ChainError ? error.at(step) : error;
    }
  }

  *#elements(name: string, of: AnyType, json: Json): Pieces<unknown[]> {
    if (!Array.isArray(json)) fail(SCALAR_ERRORS.json_array, { type: jsonKind(json), wanted: name });
    const limit = this.#listMax;
    check(json.length <= limit, LIST_ERRORS.list_too_long, { limit, count: json.length });
    const out: unknown[] = [];
    for (let i = 0; i < json.length; i++) {
      if (i % ELEMENTS_PER_PIECE === 0) yield;
      const item = json[i] as Json;
      try {
        out.push(hasMoreParts(item, this.#atOnce) ? yield* this.value(of, item) : of.fromJson(item, this.#network));
      } catch (error) {
        throw error instanceof ChainError ? error.at(`[${i}]`) : error;
      }
    }
    return out;
  }

  *#struct(type: AnyType, fields: readonly (readonly [string, AnyType])[], json: Json): Pieces<unknown> {
    if (!isJsonObject(json)) return type.fromJson(json, this.#network);
    const out: Record<string, unknown> = {};
    for (const [name, field] of fields) {
      const given = json[name];
      out[name] = given === undefined ? field.default() : yield* this.#at(name, field, given);
    }
    return out;
  }

  *#variant(type: AnyType, alternatives: readonly AnyType[], json: Json): Pieces<unknown> {
    if (!Array.isArray(json) || json.length < 2) return type.fromJson(json, this.#network);
    const [given] = json as [Json, Json];
    const tag = tagFromJson(given);
    const chosen = alternatives[tag];
    // The refusal is the type's own.
    if (chosen === undefined) return type.fromJson([given, null], this.#network);
    return [tag, yield* this.#at('[1]', chosen, json[1])];
  }
}

function orderOf(type: AnyType): (a: unknown, b: unknown) => number {
  return type.compare as (a: unknown, b: unknown) => number;
}
