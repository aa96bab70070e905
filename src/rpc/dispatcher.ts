import { ChainError, check, fail, StateLostError } from '../base/errors.js';
import type { Json } from '../codec/json.js';
import { jsonKind, SCALAR_ERRORS, text as textType, wrongKind } from '../codec/scalars.js';
import { isJsonObject } from '../codec/struct.js';
import type { Network } from '../codec/type.js';
import { HTTP_ERRORS } from '../http/errors.js';
import type { Room } from '../http/memory-budget.js';
import { type Arguments, type CompiledMethod, isArguments } from './dispatch/compiled.js';
import { Scheduler, type SchedulerLimits } from './dispatch/scheduler.js';
import { RPC_ERRORS } from './errors.js';
import { isSmallJson, JSON_WEIGHTS, type JsonWeights, readJson, readSmallJson } from './pieces/json.js';
import { isPieces, type Pieces } from './pieces/pieces.js';
import { Sink } from './pieces/print.js';
import type { RpcPorts } from './ports.js';
import type { RpcServices } from './remembered/services.js';
import type { Session, SessionApi } from './sessions/session.js';
import { asRefusal, printError } from './wire-error.js';

/** Undefined: the request wants no answer. */
export type Reply = string | undefined;
type Outcome = Reply | Promise<Reply>;

export interface DispatcherLimits extends SchedulerLimits, JsonWeights {
  /** Requests in one batch document. */
  readonly batch_max: number;
  /** Bytes of one answer; more is refused with a coded error. */
  readonly reply_bytes_max: number;
  /** Characters of unfinished answers over all clients. A single one may have more. */
  readonly unfinished_chars_max: number;
  /** Requests that wait for something (inclusion, signatures), over all sessions. */
  readonly waiting_max: number;
  /** Calls that take longer are logged. */
  readonly slow_ms: number;
}

const DISPATCHER_LIMITS: Omit<DispatcherLimits, keyof SchedulerLimits> = {
  batch_max: 100,
  reply_bytes_max: 32_000_000,
  unfinished_chars_max: 128_000_000,
  waiting_max: 20_000,
  slow_ms: 500,
  ...JSON_WEIGHTS,
};

export interface DispatcherMetrics {
  call(method: string, ms: number, ok: boolean): void;
}

interface Call {
  /** Printed id; undefined: no answer wanted. */
  readonly id: string | undefined;
  readonly method: string;
  readonly params: Arguments;
}

const LARGE_TEXT_CHARS = 1_000_000;
/** Bytes or characters of a request that is looked into only to refuse it: that has to cost next to nothing. */
const REFUSED_BY_ID_MAX = 2048;

/** Told about a document while it is at work. */
export interface Watcher {
  /** Something of it is answered when the world outside is ready, which may take as long as a block. */
  comesLate(): void;
}

/** One request of a batch. */
interface Member {
  readonly document: Json;
  readonly reply: Outcome;
  /** It has run, and may have changed something. */
  readonly isDone: boolean;
}

/** Text in, text out; knows no socket. Answers at once where it can, so that plain reads cost no promise. */
export class Dispatcher {
  readonly #node: RpcPorts;
  readonly #network: Network;
  readonly #services: RpcServices;
  readonly #limits: Omit<DispatcherLimits, keyof SchedulerLimits>;
  readonly #metrics: DispatcherMetrics | undefined;
  readonly #scheduler: Scheduler;
  #waiting = 0;
  readonly #room: Room | undefined;
  #unfinishedChars = 0;
  /** The document that `rpc.discover` answers with. */
  describe: () => Json = () => null;
  #description: string | undefined;

  constructor(
    node: RpcPorts,
    services: RpcServices,
    limits: Partial<DispatcherLimits> = {},
    metrics?: DispatcherMetrics,
    room?: Room,
  ) {
    this.#node = node;
    this.#network = node.chain.state.network;
    this.#services = services;
    const all = { ...DISPATCHER_LIMITS, ...limits };
    this.#limits = { ...all, unfinished_chars_max: Math.max(all.unfinished_chars_max, 2 * all.reply_bytes_max) };
    this.#scheduler = new Scheduler(node.clock, limits, room);
    this.#metrics = metrics;
    this.#room = room;
  }

  /** Requests that wait for something at the moment. */
  get waiting(): number {
    return this.#waiting;
  }

  get scheduler(): Scheduler {
    return this.#scheduler;
  }

  handle(document: string | Uint8Array, session: Session, watcher?: Watcher): Outcome {
    try {
      const work = this.#document(document, session, watcher);
      return this.#scheduler.run(session.lane, work, document.length) as Outcome;
    } catch (error) {
      // There is no room for it, and nothing of it was done.
      return error instanceof ChainError ? this.refuse(document, error) : this.#undecodable(error);
    }
  }

  /** Refuses what is not run: by its ids where it is short, so that whoever waits for an answer to it gets one. */
  refuse(document: string | Uint8Array, error: ChainError): Reply {
    if (document.length > REFUSED_BY_ID_MAX) return this.#undecodable(error);
    let json: Json;
    try {
      json = readSmallJson(document);
    } catch {
      return this.#undecodable(error);
    }
    return Array.isArray(json) ? joined(json.map((one) => this.#turnAway(one, error))) : this.#turnAway(json, error);
  }

  *#document(given: string | Uint8Array, session: Session, watcher: Watcher | undefined): Pieces<Outcome> {
    let document: Json;
    try {
      document = isSmallJson(given) ? readSmallJson(given) : yield* readJson(given, this.#limits);
    } catch (error) {
      return this.#undecodable(error);
    }
    if (Array.isArray(document)) return yield* this.#batch(document, session, watcher);
    return yield* this.#one(document, session, watcher);
  }

  *#batch(documents: readonly Json[], session: Session, watcher: Watcher | undefined): Pieces<Outcome> {
    try {
      check(documents.length > 0, RPC_ERRORS.rpc_batch_empty);
      const limit = this.#limits.batch_max;
      check(documents.length <= limit, RPC_ERRORS.rpc_batch_too_long, { limit, count: documents.length });
    } catch (error) {
      return this.#undecodable(error);
    }
    const members: Member[] = [];
    let chars = 0;
    /** Why none of the rest is done, and no answer is given to what only asks. */
    let noRoom: ChainError | undefined;
    try {
      for (const document of documents) {
        // The transport has asked the gate for the first one.
        const mayRun = members.length === 0 || session.connection.mayAsk?.() !== false;
        const refusal = noRoom ?? (mayRun ? undefined : new ChainError(HTTP_ERRORS.http_rate));
        const member = { document, isDone: false };
        const reply: Outcome =
          refusal === undefined
            ? yield* this.#one(document, session, watcher, () => (member.isDone = true))
            : this.#turnAway(document, refusal);
        members.push({ ...member, reply });
        if (typeof reply === 'string' && noRoom === undefined) {
          chars += reply.length;
          noRoom = this.#hold(reply.length, chars);
        }
        yield;
      }
    } finally {
      this.#release(chars);
    }
    const outcomes = noRoom === undefined ? members.map(({ reply }) => reply) : this.#onlyDone(members, noRoom);
    const join = (texts: readonly Reply[]): Reply =>
      noRoom === undefined ? this.#join(texts, members) : joined(texts);
    return outcomes.some((reply) => reply instanceof Promise)
      ? Promise.all(outcomes).then(join)
      : join(outcomes as Reply[]);
  }

  /** Whoever has done something says so, however little room there is; a question can be asked again. */
  #onlyDone(members: readonly Member[], error: ChainError): Outcome[] {
    return members.map(({ document, reply, isDone }) => (isDone ? reply : this.#turnAway(document, error)));
  }

  /** Counts what is ready of an unfinished batch; the refusal where it is more than there is room for. */
  #hold(chars: number, ofBatch: number): ChainError | undefined {
    if (!this.#count(chars)) return new ChainError(RPC_ERRORS.rpc_queue_full);
    const isTooLarge = ofBatch > this.#limits.reply_bytes_max;
    return isTooLarge ? new ChainError(RPC_ERRORS.rpc_reply_too_large, this.#tooLarge(ofBatch)) : undefined;
  }

  /** Counts what is ready of unfinished answers. False: that is more than there is room for. */
  #count(chars: number): boolean {
    const others = this.#unfinishedChars;
    this.#unfinishedChars += chars;
    this.#room?.take(chars, true);
    return others === 0 || this.#unfinishedChars <= this.#limits.unfinished_chars_max;
  }

  #release(chars: number): void {
    this.#unfinishedChars -= chars;
    this.#room?.give(chars);
  }

  #tooLarge(bytes: number): { readonly bytes: number; readonly limit: number } {
    return { bytes, limit: this.#limits.reply_bytes_max };
  }

  #join(texts: readonly Reply[], members: readonly Member[]): Reply {
    const text = joined(texts);
    const bytes = text === undefined ? undefined : this.#bytesOf(text);
    if (bytes === undefined) return text;
    const error = new ChainError(RPC_ERRORS.rpc_reply_too_large, this.#tooLarge(bytes));
    const replies = members.map((member, i) => ({ ...member, reply: texts[i] }));
    return joined(this.#onlyDone(replies, error) as Reply[]);
  }

  /** Bytes of a text that is longer than an answer may be; undefined: it is not. */
  #bytesOf(text: string): number | undefined {
    const limit = this.#limits.reply_bytes_max;
    if (text.length * BYTES_PER_CHARACTER <= limit) return undefined;
    const bytes = Buffer.byteLength(text, 'utf8');
    return bytes <= limit ? undefined : bytes;
  }

  /** Answers a request without running it. */
  #turnAway(document: Json, error: ChainError): Reply {
    const id: { printed?: string } = {};
    try {
      const call = decodeCall(document, id);
      return this.#refuse(call, undefined, error, this.#node.clock.monotonicMs());
    } catch (wrong) {
      return this.#undecodable(wrong, id.printed);
    }
  }

  /** `onBegin` is told before something runs that may change more than its answer. */
  *#one(document: Json, session: Session, watcher: Watcher | undefined, onBegin?: () => void): Pieces<Outcome> {
    let call: Call;
    const id: { printed?: string } = {};
    try {
      call = decodeCall(document, id);
    } catch (error) {
      // A document without a method counts as an answer to a call of ours; on a WebSocket nobody waits for a word on it.
      if (error instanceof ChainError && error.row === RPC_ERRORS.rpc_reply_unknown && session.connection.canNotify)
        return undefined;
      return this.#undecodable(error, id.printed);
    }
    if (call.method === 'rpc.discover' && call.id !== undefined) {
      this.#description ??= JSON.stringify(this.describe());
      return `{"id":${call.id},"jsonrpc":"2.0","result":${this.#description}}`;
    }
    const start = this.#node.clock.monotonicMs();
    let method: CompiledMethod | undefined;
    let hasPlace = false;
    try {
      const target = findTarget(call, session);
      method = target.handle.api.find(target.method);
      session.admit(target.handle.api, method);
      const args = yield* method.decode(target.args, this.#network);
      // Each of the three steps may take a while of its own.
      yield;
      if (method.definition.waits === true) {
        // Before it runs: who is told that there is no room may send the same again, and it happens once.
        check(this.#waiting < this.#limits.waiting_max, RPC_ERRORS.rpc_overloaded, { count: this.#waiting });
        onBegin?.();
        hasPlace = true;
        this.#waiting++;
      }
      if (method.definition.answersLate === true) watcher?.comesLate();
      const context = { node: this.#node, services: this.#services, session, handle: target.handle };
      let result: unknown = method.definition.run(context, args as never);
      if (isPieces(result)) result = yield* result;
      // Waited for at once: a refusal that comes while the turn of others lies in between would be nobody's.
      if (result instanceof Promise) {
        // A question, for which there is a place while the threads have one for its signatures.
        if (!hasPlace) this.#waiting++;
        hasPlace = false;
        return this.#wait(call, method, result, start, session);
      }
      yield;
      return yield* this.#finish(call, method, result, start);
    } catch (error) {
      return this.#refuse(call, method, error, start);
    } finally {
      if (hasPlace) this.#waiting--;
    }
  }

  /** Has its place already, and gives it back. */
  async #wait(
    call: Call,
    method: CompiledMethod,
    pending: Promise<unknown>,
    start: number,
    session: Session,
  ): Promise<Reply> {
    try {
      const result = await pending;
      const work = isPieces(result)
        ? this.#settle(call, method, result, start)
        : this.#finish(call, method, result, start);
      const reply = this.#scheduler.run(session.lane, work, 0);
      return reply instanceof Promise ? await reply : reply;
    } catch (error) {
      return this.#refuse(call, method, error, start);
    } finally {
      this.#waiting--;
    }
  }

  /** What was waited for may itself be work in pieces. */
  *#settle(call: Call, method: CompiledMethod, given: Pieces<unknown>, start: number): Pieces<Reply> {
    return yield* this.#finish(call, method, yield* given, start);
  }

  *#finish(call: Call, method: CompiledMethod, result: unknown, start: number): Pieces<Reply> {
    // What was done is told: its answers are counted, and never refused for want of room.
    const isKept = method.definition.waits === true;
    const sink = new Sink(this.#limits.reply_bytes_max, (chars) =>
      check(this.#count(chars) || isKept, RPC_ERRORS.rpc_queue_full),
    );
    try {
      if (call.id !== undefined) sink.put(`{"id":${call.id},"jsonrpc":"2.0","result":`);
      const rest = method.print(result, sink, this.#network);
      if (rest !== undefined) yield* rest;
      if (call.id !== undefined) sink.put('}');
    } finally {
      this.#release(sink.chars);
    }
    const text = sink.text();
    // Tens of megabytes take a while to be put together, and another one to be measured.
    if (text.length > LARGE_TEXT_CHARS) yield;
    const bytes = this.#bytesOf(text);
    if (bytes !== undefined) fail(RPC_ERRORS.rpc_reply_too_large, this.#tooLarge(bytes));
    this.#measure(method, start, true);
    return call.id === undefined ? undefined : text;
  }

  #refuse(call: Call, method: CompiledMethod | undefined, error: unknown, start: number): Reply {
    if (!(error instanceof ChainError)) {
      this.#node.log.error('a request met a bug', { method: call.method, error });
      if (error instanceof StateLostError) this.#node.onStateLost?.(error);
    }
    this.#measure(method, start, false);
    if (call.id === undefined) return undefined;
    return printError(call.id, error, call, this.#limits.reply_bytes_max);
  }

  /** What cannot be read as a request still gets an answer that a person understands, with the id null if it has none. */
  #undecodable(error: unknown, id = 'null'): string {
    return printError(id, asRefusal(error), undefined, this.#limits.reply_bytes_max);
  }

  #measure(method: CompiledMethod | undefined, start: number, ok: boolean): void {
    const ms = this.#node.clock.monotonicMs() - start;
    this.#metrics?.call(method?.name ?? 'unknown', ms, ok);
    if (ms > this.#limits.slow_ms && method?.definition.waits !== true) {
      this.#node.log.warn('slow call', { method: method?.name ?? 'unknown', ms: Math.round(ms) });
    }
  }
}

function joined(texts: readonly Reply[]): Reply {
  const given = texts.filter((text) => text !== undefined);
  return given.length === 0 ? undefined : `[${given.join(',')}]`;
}

/** At most, in UTF-8. */
const BYTES_PER_CHARACTER = 3;

/** The id is told as soon as it is known: who gets the rest wrong is still answered by it. */
function decodeCall(document: Json, known: { printed?: string }): Call {
  if (!isJsonObject(document)) {
    fail(RPC_ERRORS.rpc_not_an_object, { type: jsonKind(document) });
  }
  const { id, method, params } = document;
  const printedId = printId(id);
  if (printedId !== undefined) known.printed = printedId;
  if (method === undefined) fail(RPC_ERRORS.rpc_reply_unknown, { id: printedId ?? 'null' });
  const given = params ?? [];
  if (!isArguments(given)) fail(SCALAR_ERRORS.json_array, { type: jsonKind(given) });
  if (typeof method !== 'string') wrongKind(method, 'string');
  return { id: printedId, method, params: given };
}

/**
 * Numbers and texts come back as they came: a client compares what it sent. The family's node gives numbers back from
 * 2^31 on as text, cuts fractions off, and takes no other text than of digits.
 */
function printId(id: Json | undefined): string | undefined {
  if (id === undefined || id === null) return undefined;
  if (typeof id === 'bigint') return String(id);
  if (typeof id === 'object') wrongKind(id, 'uint64');
  if (typeof id === 'number') {
    if (!Number.isFinite(id)) fail(SCALAR_ERRORS.json_integer, { type: 'uint64_t', value: id });
    return String(id);
  }
  check(typeof id !== 'string' || id.length <= ID_CHARS_MAX, RPC_ERRORS.rpc_id_too_long, { limit: ID_CHARS_MAX });
  return JSON.stringify(id);
}

/** Every answer repeats it. */
const ID_CHARS_MAX = 256;

interface Target {
  readonly handle: SessionApi;
  readonly method: string;
  readonly args: Arguments;
}

const CALL_PARAMETERS = 3;
const LOGIN_ID = 1;

function findTarget({ method, params }: Call, session: Session): Target {
  if (method === 'call') {
    const [api, name, args] = (Array.isArray(params) ? params : []) as [Json, Json, Json];
    const isWhole = Array.isArray(params) && params.length === CALL_PARAMETERS;
    if (!isWhole || !isArguments(args)) fail(RPC_ERRORS.rpc_call_shape);
    return { handle: findApi(api, session), method: textType.fromJson(name), args };
  }
  // As the OpenRPC document names those of the other APIs.
  const dot = method.indexOf('.');
  const api = method.slice(0, Math.max(0, dot));
  if (session.knowsApi(api)) {
    // Nothing but its id leads to the login API.
    const handle = api === 'login' ? session.apiById(LOGIN_ID) : byName(session, api);
    return { handle, method: method.slice(dot + 1), args: params };
  }
  // As tools for development chains call what belongs to them.
  if (method.startsWith('dev_') && session.knowsApi('dev')) {
    return { handle: byName(session, 'dev'), method, args: params };
  }
  const database = session.apiById(0);
  if (!database.api.methods.has(method)) {
    const elsewhere = session.methodElsewhere(method.slice(dot + 1));
    if (elsewhere !== undefined) {
      fail(RPC_ERRORS.rpc_method_unknown, { name: method, advice: `did you mean ${elsewhere}?` });
    }
  }
  return { handle: database, method, args: params };
}

function findApi(api: Json, session: Session): SessionApi {
  if (typeof api === 'string' && !/^\d+$/.test(api)) return byName(session, api);
  if (api !== null && typeof api === 'object') wrongKind(api, 'uint32');
  return session.apiById(Number(api));
}

/** For the family the name is that of a method of the login API, so an unknown one is an unknown method there. */
function byName(session: Session, name: string): SessionApi {
  if (!session.knowsApi(name)) session.apiById(LOGIN_ID).api.find(name);
  return session.apiByName(name);
}
