import type { Instance } from '../protocol/ids.js';
import type { KeyValue } from '../storage/kv.js';

/**
 * What histories have a snapshot carry: how much each account has done up to there. A key is byte 1 and 6 bytes of the
 * account's instance, a value 4 bytes of its operations, 4 of those that are no longer kept, and 6 of its newest entry
 * 2.9 (the last two may be absent). Integers are big-endian.
 */
export interface CarriedCount {
  readonly account: Instance;
  readonly total: number;
  /** Undefined where entries have no numbers. */
  readonly recent: Instance | undefined;
}

/** All keys lie between these. */
export const CARRIED_COUNTS = { from: Uint8Array.of(1), to: Uint8Array.of(2) } as const;

const INSTANCE_BYTES = 6;
const RECENT_AT = 8;

export function readCarriedCount([key, value]: KeyValue): CarriedCount {
  const count = Buffer.from(value.buffer, value.byteOffset, value.length);
  return {
    account: Buffer.from(key.buffer, key.byteOffset, key.length).readUIntBE(1, INSTANCE_BYTES),
    total: count.readUInt32BE(0),
    recent: count.length > RECENT_AT ? count.readUIntBE(RECENT_AT, INSTANCE_BYTES) : undefined,
  };
}
