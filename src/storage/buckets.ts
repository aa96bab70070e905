/**
 * First byte of every key. A number that was used once is never given out again: an old store must not read as
 * something else.
 */
const BUCKET = {
  /** One record: format, chain, head, counters, totals. */
  meta: 0x01,
  /** Pages of objects: space (1), type (1), page number (6, big-endian). */
  objects: 0x10,
  /** In snapshots: what followers of the chain go on with, see carried.ts. */
  carried: 0x20,
} as const;

export const META_KEY: Uint8Array = Uint8Array.of(BUCKET.meta);
export const OBJECTS_FROM: Uint8Array = Uint8Array.of(BUCKET.objects);
export const OBJECTS_TO: Uint8Array = Uint8Array.of(BUCKET.objects + 1);
export const CARRIED_FROM: Uint8Array = Uint8Array.of(BUCKET.carried);
export const CARRIED_TO: Uint8Array = Uint8Array.of(BUCKET.carried + 1);
export const PAGE_KEY_BYTES = 9;

export function pageKey(space: number, type: number, page: number): Uint8Array {
  const key = Buffer.allocUnsafeSlow(PAGE_KEY_BYTES);
  key[0] = BUCKET.objects;
  key[1] = space;
  key[2] = type;
  key.writeUIntBE(page, 3, 6);
  return new Uint8Array(key.buffer, key.byteOffset, PAGE_KEY_BYTES);
}

export function readPageKey(key: Uint8Array): { space: number; type: number; page: number } {
  const view = Buffer.from(key.buffer, key.byteOffset, key.length);
  return { space: view.readUInt8(1), type: view.readUInt8(2), page: view.readUIntBE(3, 6) };
}
