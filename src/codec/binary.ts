import { Reader } from './reader.js';
import type { Type } from './type.js';
import { Writer } from './writer.js';

/** Writers are kept for reuse. A stack, because encoding may start while another encoding is under way. */
const idle: Writer[] = [];

function withWriter<T>(work: (writer: Writer) => T): T {
  const writer = idle.pop() ?? new Writer();
  writer.length = 0;
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
  return encodeWith(type, value, (bytes) => bytes.length);
}

/** Left-over bytes are refused unless the caller says that more is expected to follow. */
export function decode<V>(type: Type<V>, bytes: Uint8Array, leftOver: 'refuse' | 'ignore' = 'refuse'): V {
  const reader = new Reader(bytes);
  const value = type.read(reader);
  if (leftOver === 'refuse') reader.finish();
  return value;
}
