import { timingSafeEqual } from 'node:crypto';
import { ChainError, check } from '../base/errors.js';
import type { Clock, Logger } from '../base/world.js';
import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import { sha256 } from '../crypto/hash.js';
import { CallerRules } from '../http/caller.js';
import { basicText } from '../http/credentials.js';
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
import { asRefusal, type ErrorForm, errorJson } from './text/detail.js';

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
  readonly form: ErrorForm;
}

const BODY_BYTES_MAX = 1_048_576;
const MEMORY_BYTES_MAX = 64 * 1_048_576;
const JSON_HEADERS = [['Content-Type', 'application/json']] as const;

const text = new TextDecoder();

interface Called {
  /** Undefined: none was given. */
  readonly id: Json | undefined;
  readonly method: string;
  readonly params: readonly Json[];
}

/** Largest id that is answered as a number; those beyond are texts, as the node answers them. */
const ID_NUMBER_MAX = 0x7fff_ffff;

/** Numbers, also as texts. Whatever else an id is cannot be answered. */
function readId(id: Json | undefined): Json | undefined {
  if (id === undefined || id === null) return undefined;
  const isText = typeof id === 'string' && /^-?\d{1,20}$/.test(id);
  check(isText || typeof id === 'bigint' || Number.isSafeInteger(id), SERVER_ERRORS.wallet_document);
  const number = Number(id);
  return number <= ID_NUMBER_MAX ? number : String(id);
}

/** Undefined: a document without a method. */
function readCall(document: string): Called | undefined {
  const json = parseJson(document);
  check(isJsonObject(json), SERVER_ERRORS.wallet_document);
  const { method, params } = json;
  const id = readId(json.id);
  if (method === undefined) return undefined;
  const list = params ?? [];
  check(typeof method === 'string' && Array.isArray(list), SERVER_ERRORS.wallet_document);
  return { id, method, params: list };
}

/** By its name, or by `call` with the number of the one API and the name in it. */
function findTarget({ method, params }: Called): { readonly method: string; readonly params: readonly Json[] } {
  if (method !== 'call') return { method, params };
  const [api, name, args] = params;
  check(params.length === CALL_PARAMETERS && Array.isArray(args), COMMAND_ERRORS.command_call_shape);
  check(api === 0 || api === '0', COMMAND_ERRORS.command_api);
  return { method: String(name), params: args };
}

const CALL_PARAMETERS = 3;

const same = (a: string, b: string): boolean => {
  const hash = (value: string): Uint8Array => sha256(new TextEncoder().encode(value));
  return timingSafeEqual(hash(a), hash(b));
};

/** A page whose origin was named may read it; browsers keep it from all others. */
function forPage(request: HttpRequest, answer: HttpAnswer): HttpAnswer {
  const origin = request.header('origin');
  const isAllowed = origin !== '' && !request.caller.isForeignPage;
  const allowed = isAllowed ? [['Access-Control-Allow-Origin', origin] as const] : [];
  return { ...answer, headers: [...answer.headers, ...allowed, ['Vary', 'Origin']] };
}

/** What browsers ask first; of a page from elsewhere also whether it may reach into this machine. */
const preflight = (request: HttpRequest): HttpAnswer =>
  forPage(request, {
    status: 204,
    headers: request.caller.isForeignPage
      ? []
      : [
          ['Access-Control-Allow-Methods', 'POST'],
          ['Access-Control-Allow-Headers', 'content-type, authorization'],
          ['Access-Control-Allow-Private-Network', 'true'],
        ],
    body: '',
  });

class WalletHandler implements HttpHandler, SocketHandler {
  readonly #rules: ServerRules;
  readonly #form: ErrorForm;
  readonly #run: Run;
  readonly #clock: Clock;

  constructor(rules: ServerRules, form: ErrorForm, run: Run, clock: Clock) {
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
    // As a whole: a password may have colons in it.
    if (same(basicText(request.header('authorization')) ?? '', `${user}:${password}`)) return undefined;
    const refused = this.refusal(request, 401, new ChainError(SERVER_ERRORS.wallet_credentials));
    return { ...refused, headers: [...refused.headers, ['WWW-Authenticate', 'Basic realm="wallet"']] };
  }

  receive(request: HttpRequest): Intake {
    const isPreflight = request.method === 'OPTIONS' && request.header('access-control-request-method') !== '';
    if (isPreflight) return { body: 'none', answer: () => preflight(request) };
    const refused = this.#admit(request);
    if (refused !== undefined) return { body: 'none', answer: () => forPage(request, refused) };
    return {
      body: 'bytes',
      bytesMax: BODY_BYTES_MAX,
      answer: async (body) => forPage(request, await this.#answerHttp(text.decode(body))),
    };
  }

  refusal(_request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    return { status, headers: JSON_HEADERS, body: this.#refused(null, '', error) };
  }

  async #answerHttp(document: string): Promise<HttpAnswer> {
    const isPlain = this.#form === 'http';
    const reply = (status: number, body: string): HttpAnswer => ({ status, headers: JSON_HEADERS, body });
    let call: Called | undefined;
    try {
      call = readCall(document);
    } catch (error) {
      return isPlain ? reply(500, '') : reply(200, this.#refused(null, '', error));
    }
    if (call === undefined) {
      if (isPlain) return reply(400, '');
      return reply(200, this.#refused(null, '', new ChainError(SERVER_ERRORS.wallet_document)));
    }
    const { isRefused, body } = await this.#answer(call);
    // As the node: nobody waits for the answer to a request without an id.
    if (!isPlain) return reply(200, call.id === undefined ? '' : body);
    return reply(isRefused ? 500 : 200, body);
  }

  /** Arguments are not repeated: they may be passwords. */
  #refused(id: Json, method: string, error: unknown): string {
    const call = { method, params: [], form: this.#form };
    return this.#print(id, { error: errorJson(asRefusal(error), call, this.#clock.nowMs()) });
  }

  #print(id: Json, rest: JsonObject): string {
    return JSON.stringify(this.#form === 'http' ? { id, ...rest } : { id, jsonrpc: '2.0', ...rest });
  }

  async #answer(call: Called): Promise<{ isRefused: boolean; body: string }> {
    const id = call.id ?? null;
    try {
      const { method, params } = findTarget(call);
      const { allow } = this.#rules;
      check(allow === undefined || allow.has(method), COMMAND_ERRORS.command_not_allowed, { command: method });
      return { isRefused: false, body: this.#print(id, { result: await this.#run(method, params) }) };
    } catch (error) {
      return { isRefused: true, body: this.#refused(id, call.method, error) };
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
      call = readCall(document);
    } catch (error) {
      socket.send(this.#refused(null, '', error));
      return;
    }
    if (call === undefined) return;
    const { body } = await this.#answer(call);
    if (call.id !== undefined) socket.send(body);
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
