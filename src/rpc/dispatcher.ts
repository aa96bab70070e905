import { ChainError, check, fail, InvariantError } from '../base/errors.js';
import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { jsonKind, SCALAR_ERRORS, unsignedToJson } from '../codec/scalars.js';
import type { CompiledMethod } from './compiled.js';
import { RPC_ERRORS } from './errors.js';
import type { RpcPorts } from './ports.js';
import type { RpcServices } from './services.js';
import type { Session, SessionApi } from './session.js';
import { Turns } from './turns.js';
import { asRefusal, wireError } from './wire-error.js';

/** Undefined: the request wants no answer. */
export type Reply = string | undefined;

export interface DispatcherLimits {
  /** Requests in one batch document. */
  readonly batch_max: number;
  /** Characters of one answer; more is refused with a coded error. */
  readonly reply_chars_max: number;
  /** Requests that wait for something (inclusion, signatures), over all sessions. */
  readonly waiting_max: number;
  /** Calls that take longer are logged. */
  readonly slow_ms: number;
  /** A batch that has run for so long lets others have a turn. */
  readonly batch_slice_ms: number;
  /** Characters of all batches that wait for their next turn, with their answers so far. A single one may have more. */
  readonly batches_chars_max: number;
}

export const DISPATCHER_LIMITS: DispatcherLimits = {
  batch_max: 100,
  reply_chars_max: 32_000_000,
  waiting_max: 20_000,
  slow_ms: 500,
  batch_slice_ms: 5,
  batches_chars_max: 64_000_000,
};

export interface DispatcherMetrics {
  call(method: string, ms: number, ok: boolean): void;
}

interface Call {
  /** Printed id; undefined: no answer wanted. */
  readonly id: string | undefined;
  readonly method: string;
  readonly params: Json;
}

/** Text in, text out; knows no socket. Answers at once where it can, so that plain reads cost no promise. */
export class Dispatcher {
  readonly #node: RpcPorts;
  readonly #services: RpcServices;
  readonly #limits: DispatcherLimits;
  readonly #metrics: DispatcherMetrics | undefined;
  #waiting = 0;
  readonly #turns = new Turns();
  /** Requests and answers of batches that wait for their next turn. */
  #batchesChars = 0;
  /** The document that `rpc.discover` answers with. */
  describe: () => Json = () => null;
  #description: string | undefined;

  constructor(
    node: RpcPorts,
    services: RpcServices,
    limits: Partial<DispatcherLimits> = {},
    metrics?: DispatcherMetrics,
  ) {
    this.#node = node;
    this.#services = services;
    this.#limits = { ...DISPATCHER_LIMITS, ...limits };
    this.#metrics = metrics;
  }

  /** Requests that wait for something at the moment. */
  get waiting(): number {
    return this.#waiting;
  }

  handle(text: string, session: Session): Reply | Promise<Reply> {
    let document: Json;
    try {
      check(text.trim() !== '', RPC_ERRORS.rpc_empty);
      document = parseJson(text);
    } catch (error) {
      return undecodable(error);
    }
    if (Array.isArray(document)) return this.#batch(document, text.length, session);
    return this.#one(document, session);
  }

  #batch(documents: readonly Json[], chars: number, session: Session): Reply | Promise<Reply> {
    try {
      check(documents.length > 0, RPC_ERRORS.rpc_batch_empty);
      const limit = this.#limits.batch_max;
      check(documents.length <= limit, RPC_ERRORS.rpc_batch_too_long, { limit, count: documents.length });
    } catch (error) {
      return undecodable(error);
    }
    const replies: (Reply | Promise<Reply>)[] = [];
    this.#batchSlice(documents, replies, session);
    if (replies.length < documents.length) return this.#batchInTurns(documents, replies, chars, session);
    return replies.some((reply) => reply instanceof Promise)
      ? Promise.all(replies).then((texts) => this.#join(texts))
      : this.#join(replies as Reply[]);
  }

  /** Goes on with a batch where its replies end, for a few milliseconds and at least one request. */
  #batchSlice(documents: readonly Json[], replies: (Reply | Promise<Reply>)[], session: Session): void {
    const { clock } = this.#node;
    const end = clock.monotonicMs() + this.#limits.batch_slice_ms;
    do {
      const document = documents[replies.length] as Json;
      // The transport has asked the gate for the first one.
      const mayRun = replies.length === 0 || session.connection.mayAsk?.() !== false;
      replies.push(
        mayRun ? this.#one(document, session) : this.#turnAway(document, new ChainError(RPC_ERRORS.rpc_rate)),
      );
    } while (replies.length < documents.length && clock.monotonicMs() < end);
  }

  /** A hundred costly requests in one go would hold up blocks and all other clients. */
  async #batchInTurns(
    documents: readonly Json[],
    replies: (Reply | Promise<Reply>)[],
    chars: number,
    session: Session,
  ): Promise<Reply> {
    const { batches_chars_max, reply_chars_max } = this.#limits;
    let own = chars + charsOf(replies, 0);
    this.#batchesChars += own;
    try {
      while (replies.length < documents.length) {
        if (this.#batchesChars > batches_chars_max && this.#batchesChars > own) {
          const overloaded = new ChainError(RPC_ERRORS.rpc_overloaded, { count: this.#turns.waiting });
          for (const document of documents.slice(replies.length)) replies.push(this.#turnAway(document, overloaded));
          break;
        }
        await this.#turns.next();
        if (session.closed) return undefined;
        const before = replies.length;
        this.#batchSlice(documents, replies, session);
        const more = charsOf(replies, before);
        own += more;
        this.#batchesChars += more;
        // Too large already: what would follow need not run.
        if (own - chars > reply_chars_max) break;
      }
    } finally {
      this.#batchesChars -= own;
    }
    return this.#join(await Promise.all(replies));
  }

  #join(texts: readonly Reply[]): Reply {
    const given = texts.filter((text) => text !== undefined);
    if (given.length === 0) return undefined;
    const chars = given.reduce((sum, text) => sum + text.length, 0);
    const limit = this.#limits.reply_chars_max;
    if (chars > limit) return undecodable(new ChainError(RPC_ERRORS.rpc_reply_too_large, { chars, limit }));
    return `[${given.join(',')}]`;
  }

  /** Answers a request without running it. */
  #turnAway(document: Json, error: ChainError): Reply {
    let call: Call;
    try {
      call = decodeCall(document);
    } catch (wrong) {
      return undecodable(wrong);
    }
    return this.#refuse(call, undefined, error, this.#node.clock.monotonicMs());
  }

  #one(document: Json, session: Session): Reply | Promise<Reply> {
    let call: Call;
    try {
      call = decodeCall(document);
    } catch (error) {
      // A document without a method counts as an answer to a call of ours; on a WebSocket nobody waits for a word on it.
      if (error instanceof ChainError && error.row === RPC_ERRORS.rpc_reply_unknown && session.connection.canNotify)
        return undefined;
      return undecodable(error);
    }
    if (call.method === 'rpc.discover' && call.id !== undefined) {
      this.#description ??= JSON.stringify(this.describe());
      return `{"id":${call.id},"jsonrpc":"2.0","result":${this.#description}}`;
    }
    const start = this.#node.clock.monotonicMs();
    let method: CompiledMethod | undefined;
    let result: unknown;
    try {
      const target = findTarget(call, session);
      method = target.handle.api.find(target.method);
      const context = { node: this.#node, services: this.#services, session, handle: target.handle };
      result = method.run(context, target.args);
      if (!(result instanceof Promise)) return this.#finish(call, method, result, start);
    } catch (error) {
      return this.#refuse(call, method, error, start);
    }
    return this.#wait(call, method, result, start);
  }

  async #wait(call: Call, method: CompiledMethod, pending: Promise<unknown>, start: number): Promise<Reply> {
    this.#waiting++;
    try {
      if (this.#waiting > this.#limits.waiting_max) {
        // Nobody will look at its outcome; a refusal must not count as unhandled.
        pending.catch(() => undefined);
        fail(RPC_ERRORS.rpc_overloaded, { count: this.#waiting });
      }
      return this.#finish(call, method, await pending, start);
    } catch (error) {
      return this.#refuse(call, method, error, start);
    } finally {
      this.#waiting--;
    }
  }

  #finish(call: Call, method: CompiledMethod, result: unknown, start: number): Reply {
    const text = method.print(result);
    const limit = this.#limits.reply_chars_max;
    check(text.length <= limit, RPC_ERRORS.rpc_reply_too_large, { chars: text.length, limit });
    this.#measure(method, start, true);
    return call.id === undefined ? undefined : `{"id":${call.id},"jsonrpc":"2.0","result":${text}}`;
  }

  #refuse(call: Call, method: CompiledMethod | undefined, error: unknown, start: number): Reply {
    if (!(error instanceof ChainError)) {
      this.#node.log.error('a request met a bug', { method: call.method, error });
      if (error instanceof InvariantError) this.#node.onBug?.(error);
    }
    this.#measure(method, start, false);
    if (call.id === undefined) return undefined;
    return `{"id":${call.id},"jsonrpc":"2.0","error":${JSON.stringify(wireError(error, call), bigintsAsText)}}`;
  }

  #measure(method: CompiledMethod | undefined, start: number, ok: boolean): void {
    const ms = this.#node.clock.monotonicMs() - start;
    this.#metrics?.call(method?.name ?? 'unknown', ms, ok);
    if (ms > this.#limits.slow_ms && method?.definition.waits !== true) {
      this.#node.log.warn('slow call', { method: method?.name ?? 'unknown', ms: Math.round(ms) });
    }
  }
}

const bigintsAsText = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? value.toString() : value);

/** Answers that are there already, from one of them on. */
function charsOf(replies: readonly (Reply | Promise<Reply>)[], from: number): number {
  let chars = 0;
  for (const reply of replies.slice(from)) if (typeof reply === 'string') chars += reply.length;
  return chars;
}

/** What cannot be read as a request still gets an answer that a person understands, with the id null. */
function undecodable(error: unknown): string {
  const refusal = asRefusal(error);
  const body = wireError(refusal, { method: '', params: [] });
  return `{"id":null,"jsonrpc":"2.0","error":${JSON.stringify(body, bigintsAsText)}}`;
}

function decodeCall(document: Json): Call {
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    fail(RPC_ERRORS.rpc_not_an_object, { type: jsonKind(document) });
  }
  const { id, method, params } = document as JsonObject;
  const printedId = printId(id);
  if (method === undefined) fail(RPC_ERRORS.rpc_reply_unknown, { id: printedId ?? 'null' });
  const given = params ?? [];
  if (!Array.isArray(given)) fail(SCALAR_ERRORS.json_array, { found: jsonKind(given) });
  if (typeof method !== 'string') fail(SCALAR_ERRORS.json_kind, { found: jsonKind(method), wanted: 'string' });
  return { id: printedId, method, params: given };
}

/** Numbers in any accepted form come back as integers, those beyond 32 bits as text. */
function printId(id: Json | undefined): string | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'number' && Number.isSafeInteger(id) && id <= 0xffffffff) return String(id);
  if (typeof id === 'number' && Number.isFinite(id)) return JSON.stringify(unsignedToJson(BigInt(Math.trunc(id))));
  if (typeof id === 'bigint') return JSON.stringify(unsignedToJson(id));
  if (typeof id === 'boolean') return id ? '1' : '0';
  if (typeof id === 'string' && /^\d{1,20}$/.test(id)) return JSON.stringify(unsignedToJson(BigInt(id)));
  fail(SCALAR_ERRORS.json_integer, { type: 'uint64_t', value: String(id) });
}

interface Target {
  readonly handle: SessionApi;
  readonly method: string;
  readonly args: readonly Json[];
}

const CALL_PARAMETERS = 3;

function findTarget(call: Call, session: Session): Target {
  const params = call.params as Json[];
  if (call.method !== 'call') return { handle: session.apiById(0), method: call.method, args: params };
  const [api, method, args] = params;
  if (params.length !== CALL_PARAMETERS || !Array.isArray(args)) fail(RPC_ERRORS.rpc_call_shape);
  const handle = typeof api === 'string' && !/^\d+$/.test(api) ? byName(session, api) : session.apiById(Number(api));
  return { handle, method: String(method), args };
}

/** The name is that of a method of the login API, so an unknown one is an unknown method there. */
function byName(session: Session, name: string): SessionApi {
  session.apiById(1).api.find(name);
  return session.apiByName(name);
}
