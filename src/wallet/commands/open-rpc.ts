import type { Json, JsonObject } from '../../codec/json.js';
import type { Fields } from '../../codec/struct.js';
import type { AnyType } from '../../codec/type.js';
import type { AnyCommand, CommandTable } from './define.js';

/** The commands for machines: one document in the form of OpenRPC, from the entries that check arguments. */

/** Types that contain themselves are told so deep, and named below that. */
const DEPTH_MAX = 6;

function schemaOf(type: AnyType, depth = 0): JsonObject {
  const { name: title, shape } = type;
  if (depth >= DEPTH_MAX) return { title };
  const inner = (of: AnyType): JsonObject => schemaOf(of, depth + 1);
  switch (shape.kind) {
    case 'enumeration':
      return { title, enum: [...shape.of] };
    case 'struct':
    case 'extension':
      return {
        title,
        type: 'object',
        properties: Object.fromEntries(shape.fields.map(([field, of]) => [field, inner(of)])),
      };
    case 'optional':
      return { title, oneOf: [inner(shape.of), { type: 'null' }] };
    case 'array':
    case 'set':
      return { title, type: 'array', items: inner(shape.of) };
    case 'pair':
      return { title, type: 'array', prefixItems: [inner(shape.key), inner(shape.of)] };
    case 'map':
      return { title, type: 'array', items: { type: 'array', prefixItems: [inner(shape.key), inner(shape.of)] } };
    default:
      return { title };
  }
}

function methodOf(name: string, { params, help, result, secret = [] }: AnyCommand): Json {
  return {
    name,
    summary: help,
    paramStructure: 'by-position',
    params: Object.entries(params as Fields).map(([param, type]) => ({
      name: param,
      required: true,
      schema: schemaOf(type),
      ...(secret.includes(param) ? { 'x-secret': true } : {}),
    })),
    result: { name: 'result', schema: { title: result } },
  };
}

export function openRpc(table: CommandTable, version: string): JsonObject {
  return {
    openrpc: '1.2.6',
    info: { title: 'trustnode wallet', version },
    methods: Object.keys(table)
      .sort()
      .map((name) => methodOf(name, table[name] as AnyCommand)),
  };
}
