import { ChainError, check, type ErrorRow, fail } from '../base/errors.js';
import { HTTP_ERRORS } from './errors.js';
import type { Gate } from './gate.js';
import type { Client, Header, HttpAnswer, HttpHandler, HttpRequest, Intake } from './handler.js';
import { type BodyRule, type Given, namedValues, type Route, type RouteContext, RouteTable } from './routes.js';
import type { TransportMetrics } from './transport-metrics.js';

/** Who may read the answers in a browser, and what its pages may send. */
export interface Cors {
  /** Value of Access-Control-Allow-Origin, or the origins whose pages may. */
  readonly origin: string | readonly string[];
  /** Headers that pages may send. */
  readonly headers: readonly string[];
  /** Headers of answers that pages may read. */
  readonly exposed?: readonly string[];
}

export interface RouterOptions {
  /** Loses no digit. */
  parseJson(text: string): Given;
  /** How this service says no; it may have another status in mind than the usual one. */
  refusal(request: HttpRequest, status: number, error: ChainError): HttpAnswer;
  /** How often an address may ask. */
  readonly gate?: Gate;
  readonly cors?: Cors;
  readonly metrics?: TransportMetrics | undefined;
}

const PREFLIGHT_SEC = 86_400;
const NO_BYTES = new Uint8Array();

const STATUS: ReadonlyMap<ErrorRow, number> = new Map([
  [HTTP_ERRORS.http_path, 404],
  [HTTP_ERRORS.http_method, 405],
  [HTTP_ERRORS.http_media_type, 415],
  [HTTP_ERRORS.http_range, 416],
  [HTTP_ERRORS.http_rate, 429],
]);
const STATUS_OF_KIND = { invalid: 400, limit: 503, environment: 503, bug: 500 } as const;

/** The usual status of a refusal. */
function statusOf(error: ChainError): number {
  return STATUS.get(error.row) ?? STATUS_OF_KIND[error.kind];
}

const decoder = new TextDecoder('utf-8', { fatal: true });

type Values = Omit<RouteContext<unknown, unknown, unknown>, 'request' | 'target' | 'signal'>;

class Context implements RouteContext<unknown, unknown, unknown> {
  readonly request: HttpRequest;
  readonly path: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly raw: Uint8Array;
  readonly #client: Client;
  #gone: AbortController | undefined;

  constructor(request: HttpRequest, { path, query, body, raw }: Values, client: Client) {
    this.request = request;
    this.path = path;
    this.query = query;
    this.body = body;
    this.raw = raw;
    this.#client = client;
  }

  get target(): string {
    const { path, query } = this.request;
    return query === '' ? path : `${path}?${query}`;
  }

  /** Made for who asks: it costs more than all the rest of a small request. */
  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController();
      this.#client.onGone(() => gone.abort());
      this.#gone = gone;
    }
    return this.#gone.signal;
  }
}

/** Brings requests to their routes: checks method, path, query and body before the route sees any of it. */
export class Router implements HttpHandler {
  readonly #table: RouteTable;
  readonly #options: RouterOptions;
  readonly #exposed: readonly Header[];

  constructor(routes: readonly Route[], options: RouterOptions) {
    this.#table = new RouteTable(routes);
    this.#options = options;
    const exposed = options.cors?.exposed?.join(', ');
    this.#exposed = exposed === undefined ? [] : [['Access-Control-Expose-Headers', exposed]];
  }

  receive(request: HttpRequest): Intake {
    try {
      return this.#receive(request);
    } catch (error) {
      const refusal = this.#refused(request, error);
      return { body: 'none', answer: () => refusal };
    }
  }

  refusal(request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    return this.#withCors(request, this.#options.refusal(request, status, error));
  }

  #refused(request: HttpRequest, error: unknown): HttpAnswer {
    // What is not a refusal is a bug, which the server tells of.
    if (!(error instanceof ChainError)) throw error;
    const answer = this.refusal(request, statusOf(error), error);
    if (error.row !== HTTP_ERRORS.http_method) return answer;
    return { ...answer, headers: [...answer.headers, ['Allow', String(error.data.allowed)]] };
  }

  #withCors(request: HttpRequest, answer: HttpAnswer): HttpAnswer {
    const { cors } = this.#options;
    if (cors === undefined) return answer;
    const { origin } = cors;
    if (typeof origin === 'string') {
      return { ...answer, headers: [...answer.headers, ['Access-Control-Allow-Origin', origin], ...this.#exposed] };
    }
    // What is kept in between must not be given to a page of another origin.
    const headers: Header[] = [...answer.headers, ['Vary', 'Origin']];
    const given = request.header('origin');
    if (!origin.includes(given)) return { ...answer, headers };
    return { ...answer, headers: [...headers, ['Access-Control-Allow-Origin', given], ...this.#exposed] };
  }

  #receive(request: HttpRequest): Intake {
    const { gate, metrics, cors } = this.#options;
    if (gate?.mayAsk(request.caller) === false) {
      metrics?.refused('rate');
      fail(HTTP_ERRORS.http_rate);
    }
    const found = this.#table.find(segmentsOf(request.path));
    check(found !== undefined, HTTP_ERRORS.http_path, { path: request.path });
    const { routes, values } = found;
    const allowed = allowedOf(routes, cors !== undefined);
    if (request.method === 'OPTIONS' && cors !== undefined && !routes.has('OPTIONS')) {
      return { body: 'none', answer: () => this.#preflight(request, cors, allowed) };
    }
    const { method, path } = request;
    const one = routes.get(method) ?? (method === 'HEAD' ? routes.get('GET') : undefined);
    check(one !== undefined, HTTP_ERRORS.http_method, { path, method, allowed });
    const named = namedValues(one, values);
    const query = queryOf(request.query);
    return this.#intake(request, one, {
      path: one.path?.fromJson(named) ?? named,
      query: one.query?.fromJson(query) ?? query,
    });
  }

  #preflight(request: HttpRequest, cors: Cors, allowed: string): HttpAnswer {
    const headers: Header[] = [
      ['Access-Control-Allow-Methods', allowed],
      ['Access-Control-Allow-Headers', cors.headers.join(', ')],
      ['Access-Control-Max-Age', String(PREFLIGHT_SEC)],
    ];
    return this.#withCors(request, { status: 204, headers, body: '' });
  }

  #intake(
    request: HttpRequest,
    one: Route,
    { path, query }: Pick<RouteContext<unknown, unknown, unknown>, 'path' | 'query'>,
  ): Intake {
    const rule = one.body;
    const run = (body: unknown, raw: Uint8Array, client: Client): Promise<HttpAnswer> =>
      this.#run(request, one, { path, query, body, raw }, client);
    if (rule.kind === 'none') return { body: 'none', answer: (client) => run(undefined, NO_BYTES, client) };
    checkType(request, rule);
    const { bytesMax } = rule;
    if (rule.kind === 'stream') {
      return { body: 'stream', bytesMax, answer: (body, client) => run(body, NO_BYTES, client) };
    }
    return { body: 'bytes', bytesMax, answer: (body, client) => run(body, body, client) };
  }

  async #run(
    request: HttpRequest,
    one: Route,
    { path, query, body, raw }: Values,
    client: Client,
  ): Promise<HttpAnswer> {
    try {
      const read = one.body.kind === 'json' ? one.body.schema.fromJson(this.#json(raw)) : body;
      return this.#withCors(request, await one.run(new Context(request, { path, query, body: read, raw }, client)));
    } catch (error) {
      return this.#refused(request, error);
    }
  }

  #json(raw: Uint8Array): Given {
    let text: string;
    try {
      text = decoder.decode(raw);
    } catch {
      fail(HTTP_ERRORS.http_media_type, { wanted: 'application/json in UTF-8' });
    }
    return this.#options.parseJson(text);
  }
}

function allowedOf(routes: ReadonlyMap<string, Route>, hasCors: boolean): string {
  const methods = new Set(routes.keys());
  if (methods.has('GET')) methods.add('HEAD');
  if (hasCors) methods.add('OPTIONS');
  return [...methods].join(', ');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    fail(HTTP_ERRORS.http_path_encoding);
  }
}

function segmentsOf(path: string): string[] {
  return path.replace(/^\//, '').split('/').map(decoded);
}

function queryOf(query: string): Record<string, string> {
  // Any name may stand there, that of a method of every object included.
  const out = Object.create(null) as Record<string, string>;
  for (const part of query.split('&')) {
    if (part === '') continue;
    const equals = part.indexOf('=');
    const [name, value] = (equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]).map((text) =>
      decoded(text.replaceAll('+', ' ')),
    ) as [string, string];
    check(out[name] === undefined, HTTP_ERRORS.http_query_twice, { name });
    out[name] = value;
  }
  return out;
}

/** A client that does not name the type is taken at its route's word. */
function checkType(request: HttpRequest, rule: Exclude<BodyRule, { kind: 'none' }>): void {
  const types = rule.kind === 'json' ? ['application/json'] : rule.types;
  const given = (request.header('content-type').split(';')[0] as string).trim().toLowerCase();
  const fits = given === '' || types.length === 0 || types.includes(given);
  check(fits, HTTP_ERRORS.http_media_type, { wanted: types.join(' or ') });
}
