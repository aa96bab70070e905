import { ChainError, composeMessage, type ErrorData, fill, plainMembers } from '../base/errors.js';
import type { Json, JsonObject } from '../codec/json.js';
import { RPC_ERRORS } from './errors.js';

/**
 * A refusal becomes the error object that clients of this chain family parse: `message` is composed from the title
 * and every frame that has a text, `data.stack` holds the frames. File and line mean nothing to a client; ours name
 * the check instead. Ours are `data.key`, a stable name of the very check that failed, `data.kind`, who or what it is to
 * be put down to, and `data.hint`, a sentence for people beside texts that are only an expression of the reference.
 */
export function wireError(error: unknown, call: ShownCall = NO_CALL): JsonObject {
  const refusal = asRefusal(error);
  const room = { room: SHOWN_MAX };
  const frames: JsonObject[] = [frame('error', refusal.key, refusal.row.text, refusal.data, room)];
  for (const step of refusal.context) frames.push(frame('error', refusal.key, step.text, step.data ?? {}, room));
  if (refusal.path !== '') frames.push(frame('warn', 'from_variant', '', { path: refusal.path }, room));
  frames.push(frame('warn', 'on_message', '', { 'call.method': call.method, 'call.params': call.params }, room));
  return {
    code: 1,
    message: composeMessage(refusal),
    data: {
      code: refusal.row.code,
      name: refusal.row.name,
      message: refusal.row.title,
      stack: frames,
      key: refusal.key,
      kind: refusal.kind,
      ...hintOf(refusal),
      ...(refusal.trace === undefined ? {} : { trace: refusal.trace() as JsonObject }),
    },
  };
}

export interface ShownCall {
  readonly method: string;
  readonly params: Json;
}

const NO_CALL: ShownCall = { method: '', params: [] };

/** Characters, about, that the frames of one error repeat of what belongs to it, the call itself included. */
const SHOWN_MAX = 8192;

/** The document of a refusal. Where it would be longer than an answer may be, its frames and the trace are left out. */
export function printError(id: string, error: unknown, call: ShownCall | undefined, bytesMax: number): string {
  const body = wireError(error, call);
  const whole = printAnswer(id, body);
  if (Buffer.byteLength(whole, 'utf8') <= bytesMax) return whole;
  const { trace: _, ...data } = body.data as JsonObject;
  return printAnswer(id, { ...body, data: { ...data, stack: [] } });
}

function printAnswer(id: string, body: JsonObject): string {
  return `{"id":${id},"jsonrpc":"2.0","error":${JSON.stringify(body)}}`;
}

function hintOf({ row, data }: ChainError): JsonObject {
  return row.hint === undefined ? {} : { hint: fill(row.hint, plainMembers(data, { room: SHOWN_MAX })) };
}

export function asRefusal(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const what = error instanceof Error ? error.message : String(error);
  return new ChainError(RPC_ERRORS.rpc_internal, { what });
}

function frame(level: string, method: string, format: string, data: ErrorData, room: { room: number }): JsonObject {
  return {
    context: { level, file: 'trustnode', line: 0, method, hostname: '', thread_name: 'main', timestamp: now() },
    format,
    data: plainMembers(data, room),
  };
}

function now(): string {
  return new Date().toISOString().slice(0, 19);
}
