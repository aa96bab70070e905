import { ChainError, type ErrorData, fill } from '../base/errors.js';
import type { Json, JsonObject } from '../codec/json.js';
import { RPC_ERRORS } from './errors.js';

/**
 * A refusal becomes the error object that clients of this chain family parse: `message` is composed from the title
 * and every frame that has a text, `data.stack` holds the frames. File and line mean nothing to a client; ours name
 * the check instead. `data.key` is ours: a stable name of the very check that failed; so is `data.hint`, a sentence for
 * people beside texts that are only an expression of the reference.
 */
export function wireError(error: unknown, call: { readonly method: string; readonly params: Json }): JsonObject {
  const refusal = asRefusal(error);
  const frames: JsonObject[] = [frame('error', refusal.key, refusal.row.text, refusal.data)];
  for (const step of refusal.context) frames.push(frame('error', refusal.key, step.text, step.data ?? {}));
  if (refusal.path !== '') frames.push(frame('warn', 'from_variant', '', { path: refusal.path }));
  frames.push(frame('warn', 'on_message', '', { 'call.method': call.method, 'call.params': call.params }));
  return {
    code: 1,
    message: composeMessage(refusal),
    data: {
      code: refusal.row.code,
      name: refusal.row.name,
      message: refusal.row.title,
      stack: frames,
      key: refusal.key,
      ...hintOf(refusal),
    },
  };
}

function hintOf({ row, data }: ChainError): JsonObject {
  return row.hint === undefined ? {} : { hint: fill(row.hint, jsonData(data)) };
}

export function asRefusal(error: unknown): ChainError {
  if (error instanceof ChainError) return error;
  const what = error instanceof Error ? error.message : String(error);
  return new ChainError(RPC_ERRORS.rpc_internal, { what });
}

export function composeMessage(error: ChainError): string {
  let out = `${error.row.title}:`;
  if (error.row.text !== '') out += ` ${fill(error.row.text, jsonData(error.data))}`;
  for (const { text, data } of error.context) if (text !== '') out += ` ${fill(text, jsonData(data ?? {}))}`;
  return out;
}

function frame(level: string, method: string, format: string, data: ErrorData): JsonObject {
  return {
    context: { level, file: 'trustnode', line: 0, method, hostname: '', thread_name: 'main', timestamp: now() },
    format,
    data: jsonData(data) as JsonObject,
  };
}

function now(): string {
  return new Date().toISOString().slice(0, 19);
}

const NESTING_MAX = 8;

/** Data of an error may hold bigints and bytes; JSON takes neither. */
function jsonData(data: ErrorData): JsonObject {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(data)) out[key] = plain(value, 0);
  return out;
}

function plain(value: unknown, depth: number): Json {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value;
    case 'bigint':
      return value >= -0x80000000n && value <= 0xffffffffn ? Number(value) : value.toString();
    case 'object':
      break;
    default:
      return null;
  }
  if (value === null || depth >= NESTING_MAX) return null;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map((item) => plain(item, depth + 1));
  const out: JsonObject = {};
  for (const [key, item] of Object.entries(value)) out[key] = plain(item, depth + 1);
  return out;
}
