import type { AnyMethodDeclaration, ApiDeclaration } from '../../api/define.js';
import type { Json, JsonObject } from '../../codec/json.js';
import type { AnyType } from '../../codec/type.js';

/**
 * The OpenRPC document of the methods: for consoles, generators and people. Structs and unions stand once under
 * components and are referred to by name.
 */
export function openRpcDocument(apis: readonly ApiDeclaration[]): JsonObject {
  const schemas: JsonObject = {};
  const methods: Json[] = [];
  for (const api of apis) {
    for (const [name, definition] of Object.entries(api.methods)) {
      methods.push(describeMethod(api, name, definition, schemas));
    }
  }
  return {
    openrpc: '1.3.2',
    info: {
      title: 'trustnode',
      version: '1.0.0',
      description:
        'Every method is called by its name here, or through `call` with [api, method, arguments]; arguments stand in their order, or in an object by their names.',
    },
    methods,
    components: { schemas },
  };
}

/** The name under which a method is called directly. */
export function callForm(api: string, method: string): string {
  return api === 'database' ? method : `${api}.${method}`;
}

function describeMethod(
  api: ApiDeclaration,
  name: string,
  definition: AnyMethodDeclaration,
  schemas: JsonObject,
): JsonObject {
  const params = Object.entries(definition.params as Record<string, AnyType>);
  return {
    name: callForm(api.name, name),
    description: definition.about,
    tags: [{ name: api.name }],
    paramStructure: 'either',
    params: params.map(([param, type]) => ({
      name: param,
      required: definition.defaults?.[param] === undefined,
      schema: schemaOf(type, schemas),
    })),
    result: { name: 'result', schema: schemaOf(definition.result as AnyType, schemas) },
  };
}

const INTEGER = /^(u?int(8|16|32)|time_micro)$/;
const BIG_INTEGER = /^(u?int64|share|varint|callback)$/;

/** How clients see a type in JSON. */
function schemaOf(type: AnyType, schemas: JsonObject): JsonObject {
  const { shape } = type;
  switch (shape.kind) {
    case 'struct':
    case 'extension':
      return named(type, schemas, () => structSchema(shape.fields, schemas));
    case 'variant':
      return named(type, schemas, () => ({
        type: 'array',
        description: '[tag, value]',
        oneOf: shape.of.map((alternative, tag) => ({
          title: alternative.name,
          type: 'array',
          prefixItems: [{ const: tag }, schemaOf(alternative, schemas)],
        })),
      }));
    case 'either':
      return named(type, schemas, () => ({ oneOf: shape.of.map((form) => schemaOf(form, schemas)) }));
    case 'enumeration':
      return { type: 'string', enum: [...shape.of] };
    case 'array':
    case 'set':
      return {
        type: 'array',
        items: schemaOf(shape.of, schemas),
        ...(shape.kind === 'set' ? { uniqueItems: true } : {}),
      };
    case 'optional':
      return { oneOf: [schemaOf(shape.of, schemas), { type: 'null' }] };
    case 'pair':
      return { type: 'array', prefixItems: [schemaOf(shape.key, schemas), schemaOf(shape.of, schemas)] };
    case 'map':
      return {
        type: 'array',
        items: { type: 'array', prefixItems: [schemaOf(shape.key, schemas), schemaOf(shape.of, schemas)] },
      };
    default:
      return scalarSchema(type.name);
  }
}

function structSchema(fields: readonly (readonly [string, AnyType])[], schemas: JsonObject): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const [name, type] of fields) {
    const inner = type.shape.kind === 'optional' ? type.shape.of : type;
    properties[name] = schemaOf(inner, schemas);
    if (type.omitWhenAbsent !== true) required.push(name);
  }
  return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
}

/** Entered before it is filled, so that a type may contain itself. */
function named(type: AnyType, schemas: JsonObject, build: () => JsonObject): JsonObject {
  const key = type.name.replace(/[^A-Za-z0-9_]/g, '_');
  if (schemas[key] === undefined) {
    schemas[key] = {};
    schemas[key] = build();
  }
  return { $ref: `#/components/schemas/${key}` };
}

function scalarSchema(name: string): JsonObject {
  if (INTEGER.test(name)) return { type: 'integer', title: name };
  if (BIG_INTEGER.test(name)) {
    return { oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?\\d+$' }], title: name };
  }
  switch (name) {
    case 'bool':
      return { type: 'boolean' };
    case 'null':
      return { type: 'null' };
    case 'any':
      return {};
    case 'uint128':
      return { type: 'string', pattern: '^\\d+$', title: name };
    case 'time_point_sec':
      return { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d$', title: name };
    default:
      return { type: 'string', title: name };
  }
}
