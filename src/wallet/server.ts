import { timingSafeEqual } from 'node:crypto';
import { ChainError, check } from '../base/errors.js';
import type { Clock, Logger } from '../base/world.js';
import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { sha256 } from '../crypto/hash.js';
import { CallerRules } from '../http/caller.js';
import { basicCredentials } from '../http/credentials.js';
import { Gate } from '../http/gate.js';
import type {
  HttpAnswer,
  HttpHandler,
  HttpRequest,
  Intake,
  OpenSocket,
  SocketHandler,
  SocketSession,
} from '../http/handler.js';
import { MemoryBudget } from '../http/memory-budget.js';
import { nodeTransport } from '../http/node-server.js';
import type { RunningTransport, TlsFiles } from '../http/transport.js';
import { COMMAND_ERRORS, SERVER_ERRORS } from './errors.js';
import { asRefusal, errorJson } from './text/detail.js';

/** The servers of a wallet. What they run is handed in: one wallet stands behind all of them. */

export type Run = (method: string, params: readonly Json[]) => Promise<Json>;

export interface ServerRules {
  /** Commands that are answered; undefined: all. */
  readonly allow: ReadonlySet<string> | undefined;
  readonly user: string;
  readonly password: string;
  readonly origins: readonly string[];
  readonly hostNames: readonly string[];
}

export interface ServerAt {
  readonly host: string;
  readonly port: number;
  readonly tls: TlsFiles | undefined;
  /** `http`: the plain form, without WebSocket and with a status of its own for refusals. */
  readonly form: 'rpc' | 'http';
}

const BODY_BYTES_MAX = 1_048_576;
const MEMORY_BYTES_MAX = 64 * 1_048_576;
const JSON_HEADERS = [['Content-Type', 'application/json']] as const;

const text = new TextDecoder();

interface Called {
  readonly id: Json;
  readonly method: string;
  readonly params: readonly Json[];
}

/** Undefined: a document without a method. */
function readCall(document: string, form: ServerAt['form']): Called | undefined {
  const json = parseJson(document);
  const isObject = json !== null && typeof json === 'object' && !Array.isArray(json);
  check(isObject, SERVER_ERRORS.wallet_document);
  const { id = null, method, params = [] } = json as JsonObject;
  if (typeof method !== 'string') return undefined;
  const list = Array.isArray(params) ? params : [params];
  if (method !== 'call' || form === 'http') return { id, method, params: list };
  const [api, name, args = []] = list;
  check(api === 0, COMMAND_ERRORS.command_api);
  return { id, method: String(name), params: Array.isArray(args) ? args : [args] };
}

const same = (a: string, b: string): boolean => {
  const hash = (value: string): Uint8Array => sha256(new TextEncoder().encode(value));
  return timingSafeEqual(hash(a), hash(b));
};

class WalletHandler implements HttpHandler, SocketHandler {
  readonly #rules: ServerRules;
  readonly #form: ServerAt['form'];
  readonly #run: Run;
  readonly #clock: Clock;

  constructor(rules: ServerRules, form: ServerAt['form'], run: Run, clock: Clock) {
    this.#rules = rules;
    this.#form = form;
    this.#run = run;
    this.#clock = clock;
  }

  /** An unlocked wallet is for its user, not for pages that the user has open, nor for others on the machine. */
  #admit(request: HttpRequest): HttpAnswer | undefined {
    if (request.caller.isForeignPage) return this.refusal(request, 403, new ChainError(SERVER_ERRORS.wallet_page));
    const { user, password } = this.#rules;
    if (user === '' && password === '') return undefined;
    const [givenUser, givenPassword] = basicCredentials(request.header('authorization')) ?? ['', ''];
    const isRight = [same(givenUser, user), same(givenPassword, password)].every((one) => one);
    if (isRight) return undefined;
    const refused = this.refusal(request, 401, new ChainError(SERVER_ERRORS.wallet_credentials));
    return { ...refused, headers: [...refused.headers, ['WWW-Authenticate', 'Basic realm="wallet"']] };
  }

  receive(request: HttpRequest): Intake {
    const refused = this.#admit(request);
    if (refused !== undefined) return { body: 'none', answer: () => refused };
    return {
      body: 'bytes',
      bytesMax: BODY_BYTES_MAX,
      answer: async (body) => this.#answerHttp(text.decode(body)),
    };
  }

  refusal(_request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    const body = { id: null, error: errorJson(error, { method: '', params: [] }, this.#clock.nowMs()) };
    return { status, headers: JSON_HEADERS, body: JSON.stringify(body) };
  }

  async #answerHttp(document: string): Promise<HttpAnswer> {
    const isPlain = this.#form === 'http';
    let call: Called | undefined;
    try {
      call = readCall(document, this.#form);
    } catch (error) {
      if (isPlain) return { status: 500, headers: JSON_HEADERS, body: '' };
      return { status: 200, headers: JSON_HEADERS, body: this.#refused(null, '', [], error) };
    }
    if (call === undefined) {
      return { status: isPlain ? 400 : 200, headers: JSON_HEADERS, body: '' };
    }
    const { isRefused, body } = await this.#answer(call);
    return { status: isPlain && isRefused ? 500 : 200, headers: JSON_HEADERS, body };
  }

  #refused(id: Json, method: string, params: readonly Json[], error: unknown): string {
    const body = errorJson(asRefusal(error), { method, params: [...params] }, this.#clock.nowMs());
    return this.#print(id, { error: body });
  }

  #print(id: Json, rest: JsonObject): string {
    return JSON.stringify(this.#form === 'http' ? { id, ...rest } : { id, jsonrpc: '2.0', ...rest });
  }

  async #answer({ id, method, params }: Called): Promise<{ isRefused: boolean; body: string }> {
    try {
      const { allow } = this.#rules;
      check(allow === undefined || allow.has(method), COMMAND_ERRORS.command_not_allowed, { command: method });
      return { isRefused: false, body: this.#print(id, { result: await this.#run(method, params) }) };
    } catch (error) {
      return { isRefused: true, body: this.#refused(id, method, [], error) };
    }
  }

  greet(request: HttpRequest): (socket: OpenSocket) => SocketSession {
    const refused = this.#admit(request);
    if (refused !== undefined) throw new ChainError(SERVER_ERRORS.wallet_credentials);
    return (socket) => ({
      message: (given) => void this.#message(socket, typeof given === 'string' ? given : text.decode(given)),
      close: () => undefined,
    });
  }

  async #message(socket: OpenSocket, document: string): Promise<void> {
    let call: Called | undefined;
    try {
      call = readCall(document, this.#form);
    } catch (error) {
      socket.send(this.#refused(null, '', [], error));
      return;
    }
    if (call !== undefined) socket.send((await this.#answer(call)).body);
  }
}

export function serveWallet(
  at: ServerAt,
  rules: ServerRules,
  run: Run,
  { clock, log }: { readonly clock: Clock; readonly log: Logger },
): Promise<RunningTransport> {
  const handler = new WalletHandler(rules, at.form, run, clock);
  return nodeTransport.listen({
    at: { host: at.host, port: at.port },
    callers: new CallerRules({ origins: rules.origins, hostNames: rules.hostNames, hostNameOption: 'host-name' }),
    memory: new MemoryBudget(MEMORY_BYTES_MAX),
    tls: at.tls,
    http: handler,
    sockets: at.form === 'rpc' ? handler : undefined,
    gate: new Gate(
      { connections_max: 100, connections_per_address_max: 0, requests_per_second: 0, requests_burst: 0 },
      clock,
    ),
    limits: { message_bytes_max: BODY_BYTES_MAX, backlog_bytes_max: 16 * BODY_BYTES_MAX, idle_timeout_sec: 600 },
    log,
    metrics: undefined,
  });
}
