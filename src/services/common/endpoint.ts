import type { HttpAnswer } from '../../http/handler.js';
import {
  jsonBody,
  type Route,
  type RouteContext,
  type RouteDefinition,
  route,
  streamBody,
  type Texts,
} from '../../http/routes.js';
import type { Described, JsonSchema } from './schema.js';

/** One call of a service: how it is answered, and all that its clients have to know, in one declaration. */

/** What stands in the document for one status. */
export interface AnswerDoc {
  readonly about: string;
  /** Media type to the schema of its body. */
  readonly content?: Readonly<Record<string, JsonSchema>>;
}

interface Common<P, Q> {
  readonly summary: string;
  readonly about: string;
  readonly pattern: string;
  readonly path?: Described<P>;
  readonly query?: Described<Q>;
  /** Headers that its clients have to send, for the document: whoever needs them reads them from the request. */
  readonly headers?: Described<unknown>;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
}

export interface Endpoint {
  readonly routes: readonly Route[];
  readonly methods: readonly string[];
  readonly doc: Pick<Common<unknown, unknown>, 'summary' | 'about' | 'pattern' | 'answers'>;
  readonly path: JsonSchema | undefined;
  readonly query: JsonSchema | undefined;
  readonly headers: JsonSchema | undefined;
  /** Media type to schema of what is sent. */
  readonly body: Readonly<Record<string, JsonSchema>> | undefined;
}

export interface EndpointDefinition<P, Q> extends Common<P, Q> {
  readonly methods: readonly string[];
  /** Paths in front of the pattern under which it answers as well. */
  readonly prefixes?: readonly string[];
  run(context: RouteContext<P, Q, undefined>): HttpAnswer | Promise<HttpAnswer>;
}

/** The same definition under each path and method. */
function routesOf<P, Q, B>(
  definition: Omit<RouteDefinition<P, Q, B>, 'method'>,
  methods: readonly string[],
  prefixes: readonly string[] = [],
): Route[] {
  return ['', ...prefixes].flatMap((prefix) =>
    methods.map((method) => route({ ...definition, method, pattern: `${prefix}${definition.pattern}` })),
  );
}

export function endpoint<P = Texts, Q = Texts>(definition: EndpointDefinition<P, Q>): Endpoint {
  const { methods, prefixes, pattern, path, query, headers, run } = definition;
  const parts = { ...(path === undefined ? {} : { path }), ...(query === undefined ? {} : { query }) };
  return {
    routes: routesOf<P, Q, undefined>({ pattern, ...parts, run }, methods, prefixes),
    methods,
    doc: definition,
    path: path?.json,
    query: query?.json,
    headers: headers?.json,
    body: undefined,
  };
}

export interface JsonEndpointDefinition<P, Q, B> extends Common<P, Q> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly prefixes?: readonly string[];
  readonly bytesMax: number;
  /** What is sent; integers that a double cannot hold reach it as bigint. */
  readonly body: Described<B>;
  run(context: RouteContext<P, Q, B>): HttpAnswer | Promise<HttpAnswer>;
}

/** A call with a body of JSON. `context.raw` has its bytes, for who has signed them. */
export function jsonEndpoint<P = Texts, Q = Texts, B = unknown>(definition: JsonEndpointDefinition<P, Q, B>): Endpoint {
  const { method, prefixes, pattern, path, query, headers, bytesMax, body, run } = definition;
  const parts = { ...(path === undefined ? {} : { path }), ...(query === undefined ? {} : { query }) };
  return {
    routes: routesOf<P, Q, B>({ pattern, ...parts, body: jsonBody(body, bytesMax), run }, [method], prefixes),
    methods: [method],
    doc: definition,
    path: path?.json,
    query: query?.json,
    headers: headers?.json,
    body: { 'application/json': body.json },
  };
}

export interface FormEndpointDefinition extends Omit<Common<Texts, Texts>, 'path' | 'query'> {
  readonly prefixes: readonly string[];
  /** Of the whole form. */
  readonly bytesMax: number;
  /** The parts that are texts. */
  readonly fields: Described<unknown>;
  /** The part that is the file. */
  readonly file: string;
  run(context: RouteContext<Texts, Texts, AsyncIterable<Uint8Array>>): Promise<HttpAnswer>;
}

/** POST of a form with a file, taken while it comes. */
export function formEndpoint(definition: FormEndpointDefinition): Endpoint {
  const { prefixes, pattern, bytesMax, fields, file, run } = definition;
  const { properties, required } = fields.json as { properties: object; required: readonly string[] };
  const schema = {
    type: 'object',
    properties: { ...properties, [file]: { type: 'string', format: 'binary' } },
    required: [...required, file],
  };
  const body = streamBody(bytesMax, 'multipart/form-data');
  return {
    routes: routesOf({ pattern, body, run }, ['POST'], prefixes),
    methods: ['POST'],
    doc: definition,
    path: undefined,
    query: undefined,
    headers: undefined,
    body: { 'multipart/form-data': schema },
  };
}
