import { type DecodeRules, TRUSTED_RULES, USUAL_RULES } from './decode-rules.js';
import { Reader } from './reader.js';
import type { Type } from './type.js';
import { Writer } from './writer.js';

/** Writers are kept for reuse. A stack, because encoding may start while another encoding is under way. */
const idle: Writer[] = [];

function withWriter<T>(work: (writer: Writer) => T): T {
  const writer = idle.pop() ?? new Writer();
  writer.clear();
  const result = work(writer);
  idle.push(writer);
  return result;
}

export function encode<V>(type: Type<V>, value: V): Uint8Array {
  return withWriter((writer) => {
    type.write(writer, value);
    return writer.finish();
  });
}

/** Encodes and hands the bytes to `use` without a copy; they are gone when `use` returns. */
export function encodeWith<V, T>(type: Type<V>, value: V, use: (bytes: Uint8Array) => T): T {
  return withWriter((writer) => {
    type.write(writer, value);
    return use(writer.peek());
  });
}

export function packedSize<V>(type: Type<V>, value: V): number {
  return withWriter((writer) => {
    type.write(writer, value);
    return writer.length;
  });
}

/** Left-over bytes are refused unless the caller says that more is expected to follow. */
export function decode<V>(
  type: Type<V>,
  bytes: Uint8Array,
  leftOver: 'refuse' | 'ignore' = 'refuse',
  rules: DecodeRules = USUAL_RULES,
): V {
  const reader = new Reader(bytes, rules);
  reader.need(type.depth);
  const value = type.read(reader);
  if (leftOver === 'refuse') reader.finish();
  return value;
}

/** For what this node has written itself, and for blocks that are judged when they are applied. */
export function decodeTrusted<V>(type: Type<V>, bytes: Uint8Array): V {
  return decode(type, bytes, 'refuse', TRUSTED_RULES);
}
