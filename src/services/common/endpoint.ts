import type { HttpAnswer } from '../../http/handler.js';
import {
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
  readonly answers: Readonly<Record<number, AnswerDoc>>;
}

export interface Endpoint {
  readonly routes: readonly Route[];
  readonly methods: readonly string[];
  readonly doc: Pick<Common<unknown, unknown>, 'summary' | 'about' | 'pattern' | 'answers'>;
  readonly path: JsonSchema | undefined;
  readonly query: JsonSchema | undefined;
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
  const { methods, prefixes, pattern, path, query, run } = definition;
  const parts = { ...(path === undefined ? {} : { path }), ...(query === undefined ? {} : { query }) };
  return {
    routes: routesOf<P, Q, undefined>({ pattern, ...parts, run }, methods, prefixes),
    methods,
    doc: definition,
    path: path?.json,
    query: query?.json,
    body: undefined,
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
    body: { 'multipart/form-data': schema },
  };
}
