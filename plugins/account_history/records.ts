import { getBigEndian, putBigEndian } from '../../src/base/big-endian.js';
import { TRUSTED_RULES } from '../../src/codec/decode-rules.js';
import { Reader } from '../../src/codec/reader.js';
import { Writer } from '../../src/codec/writer.js';
import type { FeedOperation } from '../../src/plugin/follower.js';
import type { Instance } from '../../src/protocol/ids.js';
import { operation as operationType } from '../../src/protocol/operation-slot.js';
import { operationResult } from '../../src/protocol/results.js';

/**
 * What lies on the disk, format 1. Integers in keys are big-endian, so that keys are in the order of what they name;
 * instances have 6 bytes, sequences 4.
 *
 * 0: cursor (see stored-follower.ts).
 * 1, account: total and removed operations, newest entry.
 * 2, account, sequence: entry 2.9, operation 1.11, type of the operation.
 * 3, entry 2.9: account, sequence.
 * 4, account, type, sequence: a zero; entries by the type of their operation.
 * 5, operation 1.11: block, place in it, operation and result, packed.
 * 6, account: operations and newest entry that a snapshot says it has; they themselves are not here.
 */
export const FORMAT = 1;

/** An operation in the history of an account: object 2.9.`instance`. */
export interface Entry {
  readonly instance: Instance;
  readonly account: Instance;
  readonly sequence: number;
  /** Object 1.11.n */
  readonly operation: Instance;
  readonly type: number;
}

export interface Counts {
  readonly total: number;
  readonly removed: number;
  /** Newest entry. */
  readonly recent: Instance;
}

/** Object 1.11.n with its block. */
export interface KeptOperation extends FeedOperation {
  readonly block: number;
}

const INSTANCE_BYTES = 6;
const COUNT_BYTES = 4;

function key(kind: number, ...parts: readonly (readonly [value: number, bytes: 1 | 4 | 6])[]): Uint8Array {
  const bytes = new Uint8Array(1 + parts.reduce((sum, [, size]) => sum + size, 0));
  bytes[0] = kind;
  let at = 1;
  for (const [value, size] of parts) {
    putBigEndian(bytes, at, size, value);
    at += size;
  }
  return bytes;
}

export const countsKey = (account: Instance): Uint8Array => key(1, [account, 6]);
export const entryKey = (account: Instance, sequence: number): Uint8Array => key(2, [account, 6], [sequence, 4]);
export const entryIdKey = (instance: Instance): Uint8Array => key(3, [instance, 6]);
export const typeKey = (account: Instance, type: number, sequence: number): Uint8Array =>
  key(4, [account, 6], [type, 1], [sequence, 4]);
export const earlierKey = (account: Instance): Uint8Array => key(6, [account, 6]);
export const operationKey = (instance: Instance): Uint8Array => key(5, [instance, 6]);

const TYPE_SEQUENCE_AT = 1 + INSTANCE_BYTES + 1;
export const sequenceOfTypeKey = (bytes: Uint8Array): number => getBigEndian(bytes, TYPE_SEQUENCE_AT, COUNT_BYTES);

/** Where the key says it all. */
export const PRESENT = Uint8Array.of(0);

const RECENT_AT = 2 * COUNT_BYTES;

export function packCounts({ total, removed, recent }: Counts): Uint8Array {
  const bytes = new Uint8Array(RECENT_AT + INSTANCE_BYTES);
  putBigEndian(bytes, 0, COUNT_BYTES, total);
  putBigEndian(bytes, COUNT_BYTES, COUNT_BYTES, removed);
  putBigEndian(bytes, RECENT_AT, INSTANCE_BYTES, recent);
  return bytes;
}

export function unpackCounts(bytes: Uint8Array): Counts {
  return {
    total: getBigEndian(bytes, 0, COUNT_BYTES),
    removed: getBigEndian(bytes, COUNT_BYTES, COUNT_BYTES),
    recent: getBigEndian(bytes, RECENT_AT, INSTANCE_BYTES),
  };
}

const TYPE_AT = 2 * INSTANCE_BYTES;

export function packEntry({ instance, operation, type }: Entry): Uint8Array {
  const bytes = new Uint8Array(TYPE_AT + 1);
  putBigEndian(bytes, 0, INSTANCE_BYTES, instance);
  putBigEndian(bytes, INSTANCE_BYTES, INSTANCE_BYTES, operation);
  bytes[TYPE_AT] = type;
  return bytes;
}

export function unpackEntry(account: Instance, sequence: number, bytes: Uint8Array): Entry {
  const instance = getBigEndian(bytes, 0, INSTANCE_BYTES);
  const operation = getBigEndian(bytes, INSTANCE_BYTES, INSTANCE_BYTES);
  return { instance, account, sequence, operation, type: bytes[TYPE_AT] as number };
}

export function packEntryPlace({ account, sequence }: Entry): Uint8Array {
  const bytes = new Uint8Array(INSTANCE_BYTES + COUNT_BYTES);
  putBigEndian(bytes, 0, INSTANCE_BYTES, account);
  putBigEndian(bytes, INSTANCE_BYTES, COUNT_BYTES, sequence);
  return bytes;
}

export function unpackEntryPlace(bytes: Uint8Array): Pick<Entry, 'account' | 'sequence'> {
  return {
    account: getBigEndian(bytes, 0, INSTANCE_BYTES),
    sequence: getBigEndian(bytes, INSTANCE_BYTES, COUNT_BYTES),
  };
}

const writer = new Writer();

/** Valid until the next one is packed. */
export function packOperation(kept: KeptOperation): Uint8Array {
  writer.clear();
  writer.varint(kept.block);
  writer.varint(kept.transaction);
  writer.varint(kept.index);
  writer.varint(kept.virtual);
  operationType.write(writer, kept.operation);
  operationResult.write(writer, kept.result);
  return writer.peek();
}

export function unpackOperation(instance: Instance, bytes: Uint8Array): KeptOperation {
  const reader = new Reader(bytes, TRUSTED_RULES);
  reader.need(operationType.depth);
  const [block, transaction, index, virtual] = Array.from({ length: 4 }, () => Number(reader.varint()));
  const operation = operationType.read(reader);
  const result = operationResult.read(reader);
  reader.finish();
  return { instance, block, transaction, index, virtual, operation, result } as KeptOperation;
}
