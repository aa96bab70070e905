import { promisify } from 'node:util';
import { constants, deflate, gzip } from 'node:zlib';
import { ChainError } from '../../base/errors.js';
import type { Caller, CallerFacts, CallerRules } from '../../http/caller.js';
import type { Gate } from '../../http/gate.js';
import type { TransportMetrics } from '../../http/transport-metrics.js';
import type { Lane } from '../dispatch/scheduler.js';
import { RPC_ERRORS } from '../errors.js';
import type { Rpc } from '../rpc.js';
import { basicCredentials } from '../sessions/access.js';
import { wireError } from '../wire-error.js';
import type { Page } from './page.js';

/** What an HTTP request is answered with, whatever server carries it. */

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly caller: Caller;
  /** That of the connection, where several requests come on one without waiting for each other. */
  readonly lane?: Lane;
  /** Header by lower-case name; empty when absent. */
  header(name: string): string;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | Uint8Array;
}

export interface HttpAnswersOptions {
  readonly rpc: Rpc;
  readonly gate: Gate;
  readonly page: Page | undefined;
  /** Value of Access-Control-Allow-Origin; empty: none. */
  readonly corsOrigin: string;
  readonly metrics: TransportMetrics | undefined;
  /** How the node is, for its operator; undefined where the path stands for nothing. */
  status?(path: string): HttpAnswer | Promise<HttpAnswer> | undefined;
}

/** Answers below this many characters are not worth compressing. */
const COMPRESS_CHARS_MIN = 2048;
const compressGzip = promisify(gzip);
const compressDeflate = promisify(deflate);
/** Three times faster than the default and nearly as small on JSON. */
const QUICK = { level: constants.Z_BEST_SPEED };

const JSON_TYPE = ['Content-Type', 'application/json'] as const;

export class HttpAnswers {
  readonly #options: HttpAnswersOptions;
  readonly #cors: readonly (readonly [string, string])[];

  constructor(options: HttpAnswersOptions) {
    this.#options = options;
    this.#cors = options.corsOrigin === '' ? [] : [['Access-Control-Allow-Origin', options.corsOrigin]];
  }

  /** True when the request carries something to read. */
  wantsBody(method: string): boolean {
    return method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  }

  /** `onEnd` is told what to run when the client goes away before the answer is there. */
  answer(
    request: HttpRequest,
    body: string | Uint8Array,
    onAbort: (run: () => void) => void,
  ): HttpAnswer | Promise<HttpAnswer> {
    if (request.method === 'OPTIONS') return this.#preflight();
    if (!this.wantsBody(request.method)) {
      const file = this.#options.page?.find(request.path, request.header('accept'));
      if (file !== undefined) return { status: 200, headers: file.headers, body: file.body };
      const status = request.caller.isOperator ? this.#options.status?.(request.path) : undefined;
      if (status !== undefined) return status;
    }
    const { caller } = request;
    const mayAsk = (): boolean => this.#mayAsk(caller);
    if (!mayAsk()) return this.refusal(429, new ChainError(RPC_ERRORS.rpc_rate));
    const session = this.#options.rpc.openSession(
      { address: caller.address, caller, canNotify: false, send: () => undefined, mayAsk, lane: request.lane },
      basicCredentials(request.header('authorization')),
    );
    const reply = this.#options.rpc.dispatcher.handle(body, session);
    if (!(reply instanceof Promise)) return this.#json(request, reply ?? '');
    onAbort(() => session.close());
    return reply.then((text) => this.#json(request, text ?? ''));
  }

  #mayAsk(caller: Caller): boolean {
    const may = this.#options.gate.mayAsk(caller);
    if (!may) this.#options.metrics?.refused('rate');
    return may;
  }

  /** For what is refused before it is a request. */
  refusal(status: number, error: ChainError): HttpAnswer {
    const body = { id: null, jsonrpc: '2.0', error: wireError(error) };
    return { status, headers: [JSON_TYPE, ...this.#cors], body: JSON.stringify(body) };
  }

  #preflight(): HttpAnswer {
    const allow = [
      ['Access-Control-Allow-Methods', 'POST, GET, OPTIONS'],
      ['Access-Control-Allow-Headers', 'Content-Type, Authorization'],
      ['Access-Control-Max-Age', '86400'],
    ] as const;
    return { status: 204, headers: [...this.#cors, ...allow], body: '' };
  }

  #json(request: HttpRequest, body: string): HttpAnswer | Promise<HttpAnswer> {
    const headers = [JSON_TYPE, ...this.#cors];
    if (body.length < COMPRESS_CHARS_MIN) return { status: 200, headers, body };
    const accepted = request.header('accept-encoding');
    const method = /\bgzip\b/.test(accepted) ? 'gzip' : /\bdeflate\b/.test(accepted) ? 'deflate' : undefined;
    if (method === undefined) return { status: 200, headers, body };
    const compress = method === 'gzip' ? compressGzip : compressDeflate;
    return compress(Buffer.from(body, 'utf8'), QUICK).then((packed) => ({
      status: 200,
      headers: [...headers, ['Content-Encoding', method], ['Vary', 'Accept-Encoding']],
      body: packed,
    }));
  }
}

/** Why a request is refused for the host that it names: the answer's status and error. */
export function refuseHost(
  callers: CallerRules,
  facts: CallerFacts,
  listensOn: string | undefined,
): [status: number, error: ChainError] | undefined {
  // A socket file: no page gets there.
  if (listensOn === undefined) return undefined;
  if (facts.header('host') === '') return [400, new ChainError(RPC_ERRORS.rpc_host_missing)];
  return callers.allowsHost(facts, listensOn) ? undefined : [403, new ChainError(RPC_ERRORS.rpc_host)];
}

export const STATUS_TEXTS: Readonly<Record<number, string>> = {
  200: '200 OK',
  204: '204 No Content',
  400: '400 Bad Request',
  403: '403 Forbidden',
  413: '413 Payload Too Large',
  429: '429 Too Many Requests',
  503: '503 Service Unavailable',
};
