import { existsSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Registry } from 'prom-client';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Endpoint, OptionValues } from '../../config/define.js';
import { endpoint as endpointKind } from '../../config/define.js';
import { CallerRules } from '../../http/caller.js';
import { Gate } from '../../http/gate.js';
import type { PartialHandler } from '../../http/handler.js';
import { MemoryBudget } from '../../http/memory-budget.js';
import { nodeTransport } from '../../http/node-server.js';
import { type PageMeta, StaticFiles } from '../../http/static-files.js';
import { StatusHandler, type StatusSource, statusAnswer } from '../../http/status-pages.js';
import type { TlsFiles, Transport, TransportLimits, TransportOptions } from '../../http/transport.js';
import { uwsTransport } from '../../http/uws-server.js';
import { dynamicGlobalPropertyObject } from '../../state/objects/dynamic-global-property.js';
import type { ApiDef } from '../define.js';
import type { RpcPorts } from '../ports.js';
import { Rpc } from '../rpc.js';
import { ApiAccess, type UnknownApi } from '../sessions/access.js';
import { MonitorPages, RpcMetrics } from './monitor.js';
import type { rpcOptions } from './options.js';
import { RpcHandler } from './rpc-handler.js';

export const SERVE_ERRORS = defineErrors({
  serve_transport: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'rpc-transport uws: the native server does not load on this machine',
  },
  serve_tls: { ...FAMILY.invalidArgument, text: 'rpc-tls-endpoint needs server-pem' },
  serve_file: {
    kind: 'environment',
    ...FAMILY.invalidArgument,
    text: 'option ${option}: cannot read the file that it names',
  },
});

export type RpcOptionValues = OptionValues<typeof rpcOptions>;

export interface ServeParts {
  readonly node: RpcPorts;
  /** APIs of plugins; one of the same name replaces ours. */
  readonly apis?: readonly ApiDef[];
  /** Opened to everybody besides the family's public ones, unless an access file decides. */
  readonly openApis?: readonly string[];
  /** Where the node's own user finds it, with every API; undefined where there is none. */
  readonly operatorSocket?: string | undefined;
  /** Connections of clients that the process has files for; without it nobody counts. */
  readonly socketsMax?: number | undefined;
  /** This process signs blocks. */
  readonly holdsKeys?: boolean;
  /** Why the node is not ready for clients, or undefined when it is. */
  notReady?(): string | undefined;
  /** What the operator has to see to all the same. */
  warning?(): string | undefined;
  /** Has paths of its own. */
  readonly beside?: PartialHandler;
  /** Adds the metrics of other parts to those that the monitor shows. */
  addMetrics?(registry: Registry): void;
}

export interface RunningRpc {
  readonly rpc: Rpc;
  /** As they listen, with the real ports; undefined where not asked for. */
  readonly plain: string | undefined;
  readonly tls: string | undefined;
  readonly monitor: string | undefined;
  close(): Promise<void>;
}

/** The page's files stand below it; the page itself answers to any path. */
const PAGE_PREFIX = '/page/';

/** It talks to this node alone, and no script of it could make markup of a text if it wanted to. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

/** The block explorer, as the build has made it. */
export function explorerFiles(market = ''): StaticFiles {
  const meta: PageMeta = market === '' ? {} : { market };
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) {
      return new StaticFiles(join(folder, 'dist', 'src', 'explorer', 'site'), PAGE_PREFIX, PAGE_POLICY, meta);
    }
    if (dirname(folder) === folder) throw new Error('the package has no package.json above its code');
  }
}

/** Requests of one connection that wait for something. */
const WAITING_PER_CONNECTION_MAX = 2000;
/** Of its answers that wait for an older one; only who asks for much behind a transaction gets there. */
const HELD_CHARS_MAX = 16_000_000;

/** Opens every endpoint that the options name. A failure closes what was opened before it. */
export async function serveRpc(options: RpcOptionValues, parts: ServeParts): Promise<RunningRpc> {
  const { node } = parts;
  const metrics = new RpcMetrics();
  parts.addMetrics?.(metrics.registry);
  const access = accessOf(options, parts, node.log);
  const transport = chooseTransport(options['rpc-transport'], parts.holdsKeys === true);
  if (options['rpc-transport'] === 'auto' && transport === nodeTransport) {
    const reason =
      parts.holdsKeys === true
        ? 'this node holds signing keys, and the fast server is native code of others'
        : 'the fast one, uWebSockets.js, is not installed or not built for this version of Node';
    node.log.info('RPC is served by the slower server (see --rpc-transport)', { server: transport.name, reason });
  }
  const memory = new MemoryBudget(memoryLimits(options, transport).counted, () => metrics.refused('memory'));
  const rpc = new Rpc(node, {
    access,
    networkNodeForAll: options['enable-network-node-api'],
    limits: {
      batch_max: options['rpc-batch-max'],
      reply_bytes_max: options['rpc-reply-bytes-max'],
      nodes_max: options['rpc-request-values-max'],
      queue_bytes_max: options['rpc-queue-bytes-max'],
    },
    metrics,
    room: memory,
    apis: parts.apis ?? [],
  });
  const closing: (() => Promise<void> | void)[] = [() => rpc.close()];
  const close = async (): Promise<void> => {
    for (const one of closing.splice(0).reverse()) await one();
  };
  try {
    const pages = monitorPages(parts, metrics);
    const shared = sharedOptions(options, parts, { rpc, metrics, memory, pages }, transport);
    const open = async (at: Endpoint | undefined, tls: TlsFiles | undefined): Promise<string | undefined> => {
      if (at === undefined) return undefined;
      const running = await transport.listen({ ...shared, at, tls });
      closing.push(() => running.close());
      return endpointKind.format({ host: at.host, port: running.port });
    };
    const plain = await open(options['rpc-endpoint'], undefined);
    const tls = await open(options['rpc-tls-endpoint'], tlsOf(options));
    const monitor = await openMonitor(options['monitor-endpoint'], pages, shared, closing);
    await openOperatorSocket(parts.operatorSocket, shared, node.log, closing);
    if (plain !== undefined || tls !== undefined) {
      node.log.info('rpc listens', { plain, tls, monitor, server: transport.name });
      if (node.debug !== undefined && access.isOpen('debug')) {
        node.log.warn('the debug API is open: everybody who reaches this node can change its chain as they like', {
          plain,
          tls,
        });
      }
    }
    return { rpc, plain, tls, monitor, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function readOption(option: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    check(false, SERVE_ERRORS.serve_file, { option });
  }
}

function accessOf(options: RpcOptionValues, { openApis = [], apis = [] }: ServeParts, log: Logger): ApiAccess {
  const path = options['api-access'];
  if (path !== '') {
    const onUnknown = ({ user, name, nearest }: UnknownApi): void => {
      const near = nearest === undefined ? {} : { nearest };
      log.warn('the api-access file names an API that does not exist; it is passed over', { user, name, ...near });
    };
    const ofPlugins = apis.map(({ name }) => `${name}_api`);
    return ApiAccess.parse(readOption('api-access', path), onUnknown, ofPlugins);
  }
  const extra: string[] = [...openApis];
  if (options['enable-network-node-api']) extra.push('network_node_api');
  if (options['enable-debug-api']) extra.push('debug_api');
  return ApiAccess.open(extra);
}

/** What can be said of these options before anything listens. */
export const SERVING_RULES: readonly ((options: RpcOptionValues) => void)[] = [
  tlsOf,
  (options) => {
    const path = options['api-access'];
    if (path !== '') ApiAccess.parse(readOption('api-access', path), () => undefined, []);
  },
  (options) => {
    if (options['rpc-transport'] === 'uws') chooseTransport('uws', false);
  },
];

export function tlsOf(options: RpcOptionValues): TlsFiles | undefined {
  if (options['rpc-tls-endpoint'] === undefined) return undefined;
  const pem = options['server-pem'];
  check(pem !== '', SERVE_ERRORS.serve_tls);
  readOption('server-pem', pem);
  return { pem, password: options['server-pem-password'] };
}

/** The native server is code of others in this process: it gets near keys only where the operator wants it to. */
export function chooseTransport(
  wanted: RpcOptionValues['rpc-transport'],
  holdsKeys: boolean,
  loadFast = uwsTransport,
): Transport {
  if (wanted === 'node-http' || (wanted === 'auto' && holdsKeys)) return nodeTransport;
  const fast = loadFast();
  check(fast !== undefined || wanted === 'auto', SERVE_ERRORS.serve_transport);
  return fast ?? nodeTransport;
}

/** A message that is shorter is no use to many clients. */
const NATIVE_MESSAGE_BYTES_MIN = 65_536;

/**
 * What clients may make the node hold. A server that cannot count unfinished messages has to have room for one of every
 * connection: half of the memory is for that.
 */
export function memoryLimits(
  options: RpcOptionValues,
  { countsMessages }: Pick<Transport, 'countsMessages'>,
): { readonly counted: number; readonly message: number; readonly connections: number } {
  const total = options['rpc-memory-max'];
  const message = Math.min(options['rpc-message-bytes-max'], options['rpc-request-bytes-max']);
  const connections = options['rpc-connections-max'];
  if (countsMessages) return { counted: total, message, connections };
  const half = Math.floor(total / 2);
  const share = Math.min(message, Math.max(NATIVE_MESSAGE_BYTES_MIN, Math.floor(half / connections)));
  return { counted: half, message: share, connections: Math.min(connections, Math.floor(half / share)) };
}

/** What all endpoints have in common. */
type Shared = Omit<TransportOptions, 'at' | 'tls'>;

interface SharedParts {
  readonly rpc: Rpc;
  readonly metrics: RpcMetrics;
  readonly memory: MemoryBudget;
  readonly pages: MonitorPages;
}

/** Who may come, how often, and with how much. */
export function endpointRules(
  options: RpcOptionValues,
  transport: Pick<Transport, 'countsMessages'>,
  clock: Clock,
  socketsMax: number | undefined,
): Pick<Shared, 'gate' | 'limits' | 'callers'> {
  const { message, connections } = memoryLimits(options, transport);
  const endpoints = [options['rpc-endpoint'], options['rpc-tls-endpoint']].filter((at) => at !== undefined).length;
  const gate = new Gate(
    {
      connections_max: Math.min(connections, socketsMax ?? connections),
      connections_per_address_max: options['rpc-connections-per-address-max'],
      requests_per_second: options['rpc-requests-per-second'],
      requests_burst: options['rpc-requests-burst'],
    },
    clock,
  );
  const limits = {
    message_bytes_max: message,
    backlog_bytes_max: options['rpc-backlog-bytes-max'],
    idle_timeout_sec: options['rpc-idle-timeout'],
    sockets_max: socketsMax && Math.ceil(socketsMax / Math.max(1, endpoints)),
  };
  const callers = new CallerRules({
    trustedProxies: options['rpc-trusted-proxy'],
    origins: options['rpc-origin'],
    hostNames: options['rpc-host-name'],
    hostNameOption: 'rpc-host-name',
  });
  return { gate, limits, callers };
}

function sharedOptions(
  options: RpcOptionValues,
  { node, beside, socketsMax }: ServeParts,
  { rpc, metrics, memory, pages }: SharedParts,
  transport: Transport,
): Shared {
  const { message, connections } = memoryLimits(options, transport);
  if (connections < options['rpc-connections-max'] || message < options['rpc-message-bytes-max']) {
    node.log.info('WebSockets have smaller limits than their options say; see rpc-memory-max', {
      connections,
      message,
      server: transport.name,
    });
  }
  const { gate, ...rules } = endpointRules(options, transport, node.clock, socketsMax);
  const handler = new RpcHandler({
    rpc,
    gate,
    page: explorerFiles(options['explorer-market']),
    beside,
    corsOrigin: options['rpc-cors-origin'],
    limits: {
      request_bytes_max: options['rpc-request-bytes-max'],
      waiting_per_connection_max: WAITING_PER_CONNECTION_MAX,
      held_chars_max: HELD_CHARS_MAX,
    },
    room: memory,
    metrics,
    status: (path) => statusAnswer(pages, path),
  });
  return { ...rules, http: handler, sockets: handler, gate, memory, log: node.log, metrics };
}

/** Names of socket files have so many bytes on every system. */
const SOCKET_PATH_BYTES_MAX = 103;

async function openOperatorSocket(
  path: string | undefined,
  shared: Shared,
  log: Logger,
  closing: (() => Promise<void> | void)[],
): Promise<void> {
  if (path === undefined) return;
  if (Buffer.byteLength(path) > SOCKET_PATH_BYTES_MAX) {
    log.info('the path of the data directory is too long for the operator’s socket; there is none', { path });
    return;
  }
  // Left by a node that was killed: the data directory has one node at a time.
  rmSync(path, { force: true });
  const running = await nodeTransport.listen({ ...shared, at: { socket: path }, tls: undefined });
  closing.push(() => running.close());
}

function monitorPages({ node, notReady, warning }: ServeParts, metrics: RpcMetrics): MonitorPages {
  const facts = () => {
    const s = node.chain.state;
    const head = s.single(dynamicGlobalPropertyObject);
    return {
      headNumber: head.head_block_number,
      irreversibleNumber: head.last_irreversible_block_num,
      headAgeSec: Math.max(0, Math.round(node.clock.nowMs() / 1000) - head.time),
      pendingTransactions: node.pendingCount?.() ?? 0,
    };
  };
  const nothing = (): undefined => undefined;
  return new MonitorPages(metrics, { facts, notReady: notReady ?? nothing, warning: warning ?? nothing });
}

/** For whoever watches the node: no flood of clients takes them away. */
export const monitorRules = (
  pages: StatusSource,
  limits: TransportLimits,
): Pick<TransportOptions, 'http' | 'sockets' | 'callers' | 'limits'> => ({
  http: new StatusHandler(pages),
  sockets: undefined,
  callers: undefined,
  limits: { ...limits, sockets_max: limits.sockets_max && Math.ceil(limits.sockets_max / 4) },
});

async function openMonitor(
  at: Endpoint | undefined,
  pages: MonitorPages,
  shared: Shared,
  closing: (() => Promise<void> | void)[],
): Promise<string | undefined> {
  if (at === undefined) return undefined;
  const running = await nodeTransport.listen({
    ...shared,
    at,
    tls: undefined,
    ...monitorRules(pages, shared.limits),
  });
  closing.push(() => running.close());
  return endpointKind.format({ host: at.host, port: running.port });
}
