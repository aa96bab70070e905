import { setTimeout } from 'node:timers/promises';
import { Counter, collectDefaultMetrics, Histogram, type Metric, Registry } from 'prom-client';
import { toHex } from '../../base/bytes.js';
import { type ChainError, check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Clock, Logger, Random } from '../../base/world.js';
import { parseJson } from '../../codec/json.js';
import { endpoint as endpointKind } from '../../config/define.js';
import { jsonAnswer } from '../../http/answers.js';
import { CallerRules } from '../../http/caller.js';
import { Gate } from '../../http/gate.js';
import type { HttpAnswer, HttpHandler, HttpRequest, Intake } from '../../http/handler.js';
import { MemoryBudget } from '../../http/memory-budget.js';
import { nodeTransport } from '../../http/node-server.js';
import { type Cors, Router } from '../../http/router.js';
import type { Route } from '../../http/routes.js';
import { StaticFiles } from '../../http/static-files.js';
import { StatusHandler, type StatusSource, statusAnswer } from '../../http/status-pages.js';
import type { Transport, TransportOptions } from '../../http/transport.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import { uwsTransport } from '../../http/uws-server.js';
import type { Endpoint } from './endpoint.js';
import { type ApiInfo, openApi } from './open-api.js';
import type { FrameOptions } from './options.js';

/** The frame of every service: its servers, its limits, its health and metrics, its document and page. */

export const SERVICE_ERRORS = defineErrors({
  service_transport: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'transport uws: the native server does not load on this machine',
  },
});

export interface ServiceWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** Of the program. */
  readonly version: string;
  /** With the files of the page on which calls can be tried. */
  readonly pageFolder: string;
}

export interface ServiceParts {
  readonly info: Omit<ApiInfo, 'version'>;
  readonly endpoints: readonly Endpoint[];
  readonly metrics: ServiceMetrics;
  /** A page of its own at /; without it the one on which calls can be tried, which is at /calls as well. */
  readonly site?: Site;
  /** Which pages may call, and headers that they may send besides; pages of all origins without it. */
  readonly cors?: Pick<Cors, 'origin' | 'headers'>;
  /** How this service says no, without the id of the request, which is put into its header. */
  refusal(request: HttpRequest, status: number, error: ChainError): HttpAnswer;
  /** A path as the log may have it, of a service that takes secrets there. */
  pathForLog?(path: string): string;
  notReady(): string | undefined;
  warning(): string | undefined;
}

/** A page for people. */
export interface Site {
  /** Its files are under /app/. */
  readonly folder: string;
  /** Origins that it calls besides its own. */
  readonly connects: readonly string[];
}

export interface RunningService {
  /** With the real ports. */
  readonly url: string;
  readonly monitor: string | undefined;
  close(): Promise<void>;
}

const BUCKETS_SEC = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const REQUEST_ID_BYTES = 8;
const PAGE_PREFIX = '/page/';
const CALLS_PATH = '/calls';
const SITE_PREFIX = '/app/';
const IDLE_SEC = 60;
/** Nothing here speaks WebSocket. */
const NO_SOCKETS = { connections_max: 0, connections_per_address_max: 0 };

/** Whoever collects metrics waits for ten seconds, as a rule. */
const COLLECT_MS = 3000;

/** What a metric has besides the types of the library. */
interface Collected {
  collect?: () => void | Promise<void>;
  readonly labelNames: readonly string[];
  reset(): void;
  remove(): void;
}

/** What cannot be told now, since the database is away for instance, is left out: all other metrics are told as ever. */
class ServiceRegistry extends Registry {
  override registerMetric<T extends string>(metric: Metric<T>): void {
    super.registerMetric(metric);
    const own = metric as unknown as Collected;
    const collect = own.collect?.bind(metric);
    if (collect === undefined) return;
    own.collect = async () => {
      const waiting = new AbortController();
      const isThere = await Promise.race([
        Promise.resolve()
          .then(collect)
          .then(
            () => true,
            () => false,
          ),
        setTimeout(COLLECT_MS, false, { signal: waiting.signal }).catch(() => false),
      ]);
      waiting.abort();
      if (isThere) return;
      own.reset();
      // One without labels is zero then, which is a value.
      if (own.labelNames.length === 0) own.remove();
    };
  }
}

export class ServiceMetrics implements TransportMetrics {
  readonly registry: Registry = new ServiceRegistry();
  readonly #requests: Counter<'endpoint' | 'outcome'>;
  readonly #duration: Histogram<'endpoint'>;
  readonly #refused: Counter<'reason'>;

  constructor() {
    const registers = [this.registry];
    this.#requests = new Counter({
      name: 'trustnode_service_requests_total',
      help: 'Requests by endpoint, answered or refused',
      labelNames: ['endpoint', 'outcome'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'trustnode_service_request_duration_seconds',
      help: 'Time from a request whose head is read to its answer',
      labelNames: ['endpoint'],
      buckets: BUCKETS_SEC,
      registers,
    });
    this.#refused = new Counter({
      name: 'trustnode_service_refused_total',
      help: 'Requests that were turned away before anybody looked at what they mean',
      labelNames: ['reason'],
      registers,
    });
    collectDefaultMetrics({ register: this.registry });
  }

  connections(): void {
    // Requests alone come here.
  }

  refused(reason: Parameters<TransportMetrics['refused']>[0]): void {
    this.#refused.inc({ reason });
  }

  /** The same route, counted under the pattern of its endpoint. */
  counted(one: Route, endpoint: string, clock: Clock): Route {
    return {
      ...one,
      run: async (context) => {
        const start = clock.monotonicMs();
        let outcome = 'refused';
        try {
          const answer = await one.run(context);
          outcome = 'answered';
          return answer;
        } finally {
          this.#requests.inc({ endpoint, outcome });
          this.#duration.observe({ endpoint }, (clock.monotonicMs() - start) / 1000);
        }
      },
    };
  }
}

class ServiceHandler implements HttpHandler {
  readonly #router: Router;
  readonly #page: StaticFiles;
  readonly #site: StaticFiles | undefined;
  readonly #status: StatusSource;
  readonly #document: string;

  constructor(
    router: Router,
    { page, site }: { readonly page: StaticFiles; readonly site: StaticFiles | undefined },
    status: StatusSource,
    document: object,
  ) {
    this.#router = router;
    this.#page = page;
    this.#site = site;
    this.#status = status;
    this.#document = `${JSON.stringify(document, null, 2)}\n`;
  }

  receive(request: HttpRequest): Intake {
    if (request.method !== 'GET' && request.method !== 'HEAD') return this.#router.receive(request);
    const { path, caller } = request;
    // What an operator's machines ask, and nobody else has to know.
    const isOpen = path !== '/metrics' || caller.isLocal;
    if (isOpen) {
      const answer = statusAnswer(this.#status, path);
      if (answer !== undefined) return { body: 'none', answer: () => answer };
    }
    if (path === '/openapi.json') return { body: 'none', answer: () => jsonAnswer(request, this.#document) };
    return this.#pageOf(path)?.receive(request) ?? this.#router.receive(request);
  }

  /** A browser may ask for a stored file as well: only these paths are those of pages. */
  #pageOf(path: string): StaticFiles | undefined {
    if (path.startsWith(SITE_PREFIX)) return this.#site;
    if (path === '/') return this.#site ?? this.#page;
    return path === CALLS_PATH || path.startsWith(PAGE_PREFIX) ? this.#page : undefined;
  }

  refusal(request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    return this.#router.refusal(request, status, error);
  }
}

function chooseTransport(wanted: FrameOptions['transport']): Transport {
  if (wanted === 'node-http') return nodeTransport;
  const fast = uwsTransport();
  check(fast !== undefined, SERVICE_ERRORS.service_transport);
  return fast;
}

/** No script but its own files, no markup made of texts, nobody else's frame; and it talks to the named ones alone. */
const sitePolicy = (connects: readonly string[]): string =>
  [
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'",
    `connect-src ${["'self'", ...new Set(connects)].join(' ')}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  ].join('; ');

/** `kind` tells whose trouble it is; paths of clients may be long. */
function logRefusal(
  log: Logger,
  id: string,
  { method, path, caller }: HttpRequest,
  error: ChainError,
  pathForLog: NonNullable<ServiceParts['pathForLog']> = (same) => same,
): void {
  const shown = pathForLog(path);
  const values = {
    id,
    method,
    path: shown.slice(0, 100),
    address: caller.address,
    error: error.key,
    // What is wrong with a path says which one it is.
    why: error.message.replace(path, () => shown),
  };
  if (error.kind === 'environment' || error.kind === 'bug') log.warn('a request could not be answered', values);
  else log.debug('a request was refused', values);
}

function handlerOf(options: FrameOptions, parts: ServiceParts, world: ServiceWorld): [ServiceHandler, Gate] {
  const { info, endpoints, metrics } = parts;
  const { clock, random, version } = world;
  const log = world.log.child('http');
  const gate = new Gate(
    {
      ...NO_SOCKETS,
      requests_per_second: options['requests-per-second'],
      requests_burst: options['requests-burst'],
    },
    clock,
  );
  const routes = endpoints.flatMap(({ routes, doc }) => routes.map((one) => metrics.counted(one, doc.pattern, clock)));
  const router = new Router(routes, {
    parseJson,
    gate,
    metrics,
    cors: {
      origin: parts.cors?.origin ?? '*',
      headers: ['Content-Type', 'Range', 'If-None-Match', ...(parts.cors?.headers ?? [])],
      exposed: ['X-Request-Id', 'Retry-After', 'Content-Disposition', 'Content-Range', 'ETag'],
    },
    refusal: (request, status, error) => {
      const id = toHex(random.bytes(REQUEST_ID_BYTES));
      logRefusal(log, id, request, error, parts.pathForLog);
      const answer = parts.refusal(request, status, error);
      return { ...answer, headers: [...answer.headers, ['X-Request-Id', id]] };
    },
  });
  const status = { notReady: parts.notReady, warning: parts.warning, metrics: metrics.registry };
  const page = new StaticFiles(world.pageFolder, PAGE_PREFIX);
  const site = parts.site && new StaticFiles(parts.site.folder, SITE_PREFIX, sitePolicy(parts.site.connects));
  return [new ServiceHandler(router, { page, site }, status, openApi({ ...info, version }, endpoints)), gate];
}

/** Opens the servers; a failure closes what was opened before it. */
export async function serve(
  options: FrameOptions,
  parts: ServiceParts,
  world: ServiceWorld,
  transport: Transport = chooseTransport(options.transport),
): Promise<RunningService> {
  const [http, gate] = handlerOf(options, parts, world);
  const shared: Omit<TransportOptions, 'at' | 'callers' | 'http'> = {
    memory: new MemoryBudget(options['memory-max'], () => parts.metrics.refused('memory')),
    tls: undefined,
    sockets: undefined,
    gate,
    limits: { message_bytes_max: 0, backlog_bytes_max: 0, idle_timeout_sec: IDLE_SEC },
    log: world.log.child('http'),
    metrics: parts.metrics,
  };
  const callers = new CallerRules({
    trustedProxies: options['trusted-proxy'],
    hostNames: options['host-name'],
    hostNameOption: 'host-name',
  });
  const at = options.endpoint;
  const running = await transport.listen({ ...shared, at, callers, http });
  const url = `http://${endpointKind.format({ host: at.host, port: running.port })}`;
  const monitorAt = options['monitor-endpoint'];
  if (monitorAt === undefined) return { url, monitor: undefined, close: () => running.close() };
  try {
    const status = { notReady: parts.notReady, warning: parts.warning, metrics: parts.metrics.registry };
    const monitor = await nodeTransport.listen({
      ...shared,
      at: monitorAt,
      callers: undefined,
      http: new StatusHandler(status),
    });
    return {
      url,
      monitor: `http://${endpointKind.format({ host: monitorAt.host, port: monitor.port })}`,
      close: async () => {
        await monitor.close();
        await running.close();
      },
    };
  } catch (error) {
    await running.close();
    throw error;
  }
}
