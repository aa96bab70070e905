import { invariant } from '../base/errors.js';
import type { HttpAnswer, HttpRequest } from './handler.js';

/** What a service answers to: a method, a pattern of paths, what has to stand in them, and what is done then. */

/** JSON as it is given; numbers that a double cannot hold come as bigint. */
export type Given = null | boolean | number | bigint | string | Given[] | { [name: string]: Given };

/** Reads a value or throws a refusal. The types of the codec are such. */
export interface Schema<V> {
  fromJson(given: Given): V;
}

export type BodyRule =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly bytesMax: number; readonly schema: Schema<unknown> }
  | { readonly kind: 'stream'; readonly bytesMax: number; readonly types: readonly string[] };

/** A rule of which the compiler knows what it gives. */
type RuleOf<B> = BodyRule & { readonly gives?: B };

/** JSON of at most so many bytes, read by the schema. */
export function jsonBody<B>(schema: Schema<B>, bytesMax: number): RuleOf<B> {
  return { kind: 'json', schema, bytesMax };
}

/** The body while it comes, of any type where none is named: who does not take it holds the client back. */
export function streamBody(bytesMax: number, ...types: string[]): RuleOf<AsyncIterable<Uint8Array>> {
  return { kind: 'stream', bytesMax, types };
}

export interface RouteContext<P, Q, B> {
  readonly request: HttpRequest;
  readonly path: P;
  readonly query: Q;
  readonly body: B;
  /** Of a body that is not a stream, for who has signed it. */
  readonly raw: Uint8Array;
  /** Path and query as they came, for who has signed them. */
  readonly target: string;
  /** Tells when the client has gone before its answer was there. */
  readonly signal: AbortSignal;
}

export interface RouteDefinition<P, Q, B> {
  /** Upper case. GET answers HEAD too. */
  readonly method: string;
  /** `/product/:id/votes`; a last segment `*name` takes all that is left, slashes included. */
  readonly pattern: string;
  /** Reads the named segments; without it they are texts. */
  readonly path?: Schema<P>;
  /** Reads the names of the query, each at most once; without it they are texts. */
  readonly query?: Schema<Q>;
  readonly body?: RuleOf<B>;
  /** A refusal that it throws is answered as one. */
  run(context: RouteContext<P, Q, B>): HttpAnswer | Promise<HttpAnswer>;
}

export type Texts = Readonly<Record<string, string>>;

/** A route whose types have done their work. */
export interface Route {
  readonly method: string;
  readonly segments: readonly string[];
  readonly path: Schema<unknown> | undefined;
  readonly query: Schema<unknown> | undefined;
  readonly body: BodyRule;
  run(context: RouteContext<unknown, unknown, unknown>): HttpAnswer | Promise<HttpAnswer>;
}

export function route<P = Texts, Q = Texts, B = undefined>(definition: RouteDefinition<P, Q, B>): Route {
  const { method, pattern, path, query, body = { kind: 'none' }, run } = definition;
  invariant(pattern.startsWith('/'), `${pattern} begins with a slash`);
  return {
    method,
    segments: pattern.slice(1).split('/'),
    path,
    query,
    body,
    // The router gives what the schemas have read.
    run: (context) => run(context as RouteContext<P, Q, B>),
  };
}

/** The routes of one path, and what stood in its named segments. */
export interface Found {
  readonly routes: ReadonlyMap<string, Route>;
  readonly values: readonly string[];
}

class Branch {
  readonly literals = new Map<string, Branch>();
  named: Branch | undefined;
  rest: Branch | undefined;
  readonly routes = new Map<string, Route>();
}

/** Finds routes by path: a word that is spelled out goes before a named segment, and that before the rest. */
export class RouteTable {
  readonly #root = new Branch();

  constructor(routes: readonly Route[]) {
    for (const one of routes) this.#add(one);
  }

  #add(one: Route): void {
    let branch = this.#root;
    for (const [at, segment] of one.segments.entries()) {
      if (segment.startsWith('*')) {
        invariant(at === one.segments.length - 1, 'only the last segment takes the rest');
        branch.rest ??= new Branch();
        branch = branch.rest;
      } else if (segment.startsWith(':')) {
        branch.named ??= new Branch();
        branch = branch.named;
      } else {
        const next = branch.literals.get(segment) ?? new Branch();
        branch.literals.set(segment, next);
        branch = next;
      }
    }
    invariant(!branch.routes.has(one.method), `${one.method} /${one.segments.join('/')} is there once`);
    branch.routes.set(one.method, one);
  }

  /** `segments` are decoded. */
  find(segments: readonly string[]): Found | undefined {
    return search(this.#root, segments, 0, []);
  }
}

function search(branch: Branch, segments: readonly string[], at: number, values: readonly string[]): Found | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.routes.size > 0 ? { routes: branch.routes, values } : undefined;
  const literal = branch.literals.get(segment);
  const found = literal === undefined ? undefined : search(literal, segments, at + 1, values);
  if (found !== undefined) return found;
  if (branch.named !== undefined && segment !== '') {
    const deeper = search(branch.named, segments, at + 1, [...values, segment]);
    if (deeper !== undefined) return deeper;
  }
  if (branch.rest === undefined) return undefined;
  return { routes: branch.rest.routes, values: [...values, segments.slice(at).join('/')] };
}

/** The values of the named segments by their names. */
export function namedValues({ segments }: Route, values: readonly string[]): Texts {
  const names = segments.filter((segment) => /^[:*]/.test(segment)).map((segment) => segment.slice(1));
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}
