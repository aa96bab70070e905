/**
 * Integers in bytes, the highest byte first. Without a view: a small array of bytes that one is made of gets memory of its
 * own outside of the engine's heap.
 */

const BYTE = 0x100;

export function putBigEndian(bytes: Uint8Array, at: number, size: number, value: number): void {
  let rest = value;
  for (let i = at + size - 1; i >= at; i--) {
    bytes[i] = rest % BYTE;
    rest = Math.floor(rest / BYTE);
  }
}

export function getBigEndian(bytes: Uint8Array, at: number, size: number): number {
  let value = 0;
  for (let i = at; i < at + size; i++) value = value * BYTE + (bytes[i] as number);
  return value;
}
