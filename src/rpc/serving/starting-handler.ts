import { ChainError } from '../../base/errors.js';
import type {
  Header,
  HttpAnswer,
  HttpHandler,
  HttpRequest,
  Intake,
  OpenSocket,
  SocketHandler,
  SocketSession,
} from '../../http/handler.js';
import { RPC_ERRORS } from '../errors.js';
import { printError } from '../wire-error.js';
import { corsHeaders, preflight } from './rpc-handler.js';

/** More than a request needs whose answer is a refusal in any case, or than that refusal. */
const BODY_BYTES_MAX = 65_536;
const JSON_TYPE: Header = ['Content-Type', 'application/json'];

export interface StartingOptions {
  /** What the node is doing. */
  readonly stage: () => string;
  readonly corsOrigin: string;
  /** How the node is, for its operator; undefined where the path stands for nothing. */
  status(path: string): HttpAnswer | Promise<HttpAnswer> | undefined;
}

/** In place of the RPC while the node starts: whoever asks is told so, and what it is doing. */
export class StartingHandler implements HttpHandler, SocketHandler {
  readonly #options: StartingOptions;
  readonly #headers: readonly Header[];

  constructor(options: StartingOptions) {
    this.#options = options;
    this.#headers = corsHeaders(options.corsOrigin);
  }

  receive({ method, path, caller }: HttpRequest): Intake {
    if (method === 'OPTIONS') return { body: 'none', answer: () => preflight(this.#headers) };
    if (method !== 'GET' && method !== 'HEAD') {
      return { body: 'document', bytesMax: BODY_BYTES_MAX, answer: (body) => this.#answer(200, this.#reply(body)) };
    }
    const status = caller.isOperator ? this.#options.status(path) : undefined;
    return { body: 'none', answer: () => status ?? this.#answer(503, this.#reply('')) };
  }

  refusal(_request: HttpRequest, status: number, error: ChainError): HttpAnswer {
    return this.#answer(status, document('null', error));
  }

  greet(): (socket: OpenSocket) => SocketSession {
    return (socket) => ({
      message: (text) => void socket.send(this.#reply(text)),
      close: () => undefined,
    });
  }

  #answer(status: number, body: string): HttpAnswer {
    return { status, headers: [JSON_TYPE, ...this.#headers], body };
  }

  /** Carries the id where it is easily read: a client that waits for an answer knows that this is it. */
  #reply(body: string | Uint8Array): string {
    const error = new ChainError(RPC_ERRORS.rpc_starting, { stage: this.#options.stage() });
    const ids = idsOf(typeof body === 'string' ? body : Buffer.from(body).toString('utf8'));
    return Array.isArray(ids) ? `[${ids.map((id) => document(id, error)).join(',')}]` : document(ids, error);
  }
}

const document = (id: string, error: ChainError): string => printError(id, error, undefined, BODY_BYTES_MAX);

/** Printed; a list for a batch. */
function idsOf(body: string): string | string[] {
  if (body.length > BODY_BYTES_MAX) return 'null';
  try {
    const parsed: unknown = JSON.parse(body);
    return Array.isArray(parsed) ? parsed.map(idOf) : idOf(parsed);
  } catch {
    // Not a request. It is told the same.
    return 'null';
  }
}

function idOf(request: unknown): string {
  const id = (request as { readonly id?: unknown } | null)?.id;
  return typeof id === 'number' || typeof id === 'string' ? JSON.stringify(id) : 'null';
}
