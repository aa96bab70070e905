import type { Endpoint } from './endpoint.js';
import type { JsonSchema } from './schema.js';

/** The OpenAPI document of a service, from the declarations that its requests are read by. */

export interface ApiInfo {
  readonly title: string;
  readonly version: string;
  readonly about: string;
  /** Paths under which everything answers as well. */
  readonly prefixes: readonly string[];
}

function parametersOf(where: 'path' | 'query' | 'header', schema: JsonSchema | undefined): object[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: where,
    required: required.includes(name),
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

const contentOf = (content: Readonly<Record<string, JsonSchema>>): object =>
  Object.fromEntries(Object.entries(content).map(([type, schema]) => [type, { schema }]));

function operationOf({ doc, path, query, headers, body }: Endpoint): object {
  const answers = Object.entries(doc.answers).map(([status, { about, content }]) => [
    status,
    { description: about, ...(content === undefined ? {} : { content: contentOf(content) }) },
  ]);
  const parameters = [
    ...parametersOf('path', path),
    ...parametersOf('query', query),
    ...parametersOf('header', headers),
  ];
  return {
    summary: doc.summary,
    description: doc.about,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    responses: Object.fromEntries(answers),
  };
}

/** `/data/:cid` is written `/data/{cid}` there. */
const pathOf = (pattern: string): string => pattern.replace(/[:*](\w+)/g, '{$1}');

export function openApi({ title, version, about, prefixes }: ApiInfo, endpoints: readonly Endpoint[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const one of endpoints) {
    const path = pathOf(one.doc.pattern);
    paths[path] ??= {};
    for (const method of one.methods) (paths[path] as Record<string, object>)[method.toLowerCase()] = operationOf(one);
  }
  return {
    openapi: '3.1.0',
    info: { title, version, description: about, license: { name: 'MIT', identifier: 'MIT' } },
    servers: ['/', ...prefixes].map((url) => ({ url })),
    paths,
  };
}
