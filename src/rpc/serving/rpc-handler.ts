import { ChainError } from '../../base/errors.js';
import type { Caller } from '../../http/caller.js';
import { textAnswer } from '../../http/compress.js';
import { basicCredentials } from '../../http/credentials.js';
import { HTTP_ERRORS } from '../../http/errors.js';
import type { Gate } from '../../http/gate.js';
import type {
  Client,
  Header,
  HttpAnswer,
  HttpHandler,
  HttpRequest,
  Intake,
  OpenSocket,
  PartialHandler,
  SocketHandler,
  SocketSession,
} from '../../http/handler.js';
import type { Room } from '../../http/memory-budget.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import { Lane } from '../dispatch/scheduler.js';
import type { Rpc } from '../rpc.js';
import { RpcSocketSession } from '../sessions/socket-session.js';
import { wireError } from '../wire-error.js';

export interface RpcHandlerOptions {
  readonly rpc: Rpc;
  /** How often an address may ask. */
  readonly gate: Gate;
  readonly page: PartialHandler | undefined;
  /** What has paths of its own, whatever the method. */
  readonly beside?: PartialHandler | undefined;
  /** Value of Access-Control-Allow-Origin; empty: none. */
  readonly corsOrigin: string;
  readonly limits: RpcHandlerLimits;
  /** Where answers that wait for older ones are counted. */
  readonly room?: Room | undefined;
  readonly metrics: TransportMetrics | undefined;
  /** How the node is, for its operator; undefined where the path stands for nothing. */
  status?(path: string): HttpAnswer | Promise<HttpAnswer> | undefined;
}

export interface RpcHandlerLimits {
  /** One HTTP body. */
  readonly request_bytes_max: number;
  /** Requests of one WebSocket that wait for something. */
  readonly waiting_per_connection_max: number;
  /** Characters of answers of one WebSocket that wait for older ones. */
  readonly held_chars_max: number;
}

const JSON_TYPE: Header = ['Content-Type', 'application/json'];

/** For pages of the given origin; empty: of none. */
export function corsHeaders(origin: string): readonly Header[] {
  return origin === '' ? [] : [['Access-Control-Allow-Origin', origin]];
}

/** What a browser asks before it sends a page's request. */
export function preflight(cors: readonly Header[]): HttpAnswer {
  const allow = [
    ['Access-Control-Allow-Methods', 'POST, GET, OPTIONS'],
    ['Access-Control-Allow-Headers', 'Content-Type, Authorization'],
    ['Access-Control-Max-Age', '86400'],
  ] as const;
  return { status: 204, headers: [...cors, ...allow], body: '' };
}

/** JSON-RPC on any path, and beside it the page, for browsers, and the state of the node, for its operator. */
export class RpcHandler implements HttpHandler, SocketHandler {
  readonly #options: RpcHandlerOptions;
  readonly #cors: readonly Header[];
  readonly #headers: readonly Header[];
  /** Requests of one connection share a lane. */
  readonly #lanes = new WeakMap<object, Lane>();

  constructor(options: RpcHandlerOptions) {
    this.#options = options;
    this.#cors = corsHeaders(options.corsOrigin);
    this.#headers = [JSON_TYPE, ...this.#cors];
  }

  receive(request: HttpRequest): Intake {
    const { method } = request;
    const other = this.#options.beside?.receive(request);
    if (other !== undefined) return other;
    if (method === 'OPTIONS') return { body: 'none', answer: () => preflight(this.#cors) };
    if (method !== 'GET' && method !== 'HEAD') {
      return {
        body: 'document',
        bytesMax: this.#options.limits.request_bytes_max,
        answer: (body, client) => this.#ask(request, body, client),
      };
    }
    const page = this.#options.page?.receive(request);
    if (page !== undefined) return page;
    const status = request.caller.isOperator ? this.#options.status?.(request.path) : undefined;
    return { body: 'none', answer: (client) => status ?? this.#ask(request, '', client) };
  }

  #ask(request: HttpRequest, body: string | Uint8Array, client: Client): HttpAnswer | Promise<HttpAnswer> {
    const { caller } = request;
    const mayAsk = (): boolean => this.#mayAsk(caller);
    if (!mayAsk()) return this.refusal(request, 429, new ChainError(HTTP_ERRORS.http_rate));
    const session = this.#options.rpc.openSession(
      {
        address: caller.countedAs,
        caller,
        canNotify: false,
        send: () => undefined,
        mayAsk,
        lane: this.#laneOf(request),
      },
      basicCredentials(request.header('authorization')),
    );
    const reply = this.#options.rpc.dispatcher.handle(body, session);
    if (!(reply instanceof Promise)) return textAnswer(request, 200, this.#headers, reply ?? '');
    client.onGone(() => session.close());
    return reply.then((text) => textAnswer(request, 200, this.#headers, text ?? ''));
  }

  #laneOf({ connection, caller }: HttpRequest): Lane | undefined {
    if (connection === undefined) return undefined;
    let lane = this.#lanes.get(connection);
    if (lane === undefined) {
      lane = new Lane(caller.countedAs);
      this.#lanes.set(connection, lane);
    }
    return lane;
  }

  #mayAsk(caller: Caller): boolean {
    const may = this.#options.gate.mayAsk(caller);
    if (!may) this.#options.metrics?.refused('rate');
    return may;
  }

  refusal(_request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    const body = { id: null, jsonrpc: '2.0', error: wireError(error) };
    return { status, headers: this.#headers, body: JSON.stringify(body) };
  }

  greet({ caller, header }: HttpRequest): (socket: OpenSocket) => SocketSession {
    const credentials = basicCredentials(header('authorization'));
    const { rpc, limits, room } = this.#options;
    const parts = { rpc, limits, room, mayAsk: () => this.#mayAsk(caller) };
    return (socket) => new RpcSocketSession(parts, socket, caller, credentials);
  }
}
