import { invariant } from '../base/errors.js';

/**
 * The 128-bit hash that makes the initial vector of a connection's cipher. Quirk: a relative of CityHash128 whose two
 * words are exchanged; the stock function gives another result. Only inputs of 64 bytes are ever hashed with it, and for
 * those it comes down to the following.
 */

const CITY_INPUT_BYTES = 64;

const K0 = 0xc3a5c85c97cb3127n;
const K1 = 0xb492b66fbe98f273n;
const KM = 0x9ddfea08eb382d69n;

const cut = (value: bigint): bigint => BigInt.asUintN(64, value);
const shifted = (value: bigint): bigint => value ^ (value >> 47n);

function mix(high: bigint, low: bigint): bigint {
  const x = shifted(cut((low ^ high) * KM));
  const y = shifted(cut((high ^ x) * KM));
  return cut(y * KM);
}

/** 16 bytes: the high word, then the low one, both little-endian. */
export function cityHash128(input: Uint8Array): Uint8Array {
  invariant(input.length === CITY_INPUT_BYTES, 'the hash is defined here for 64 bytes');
  const view = new DataView(input.buffer, input.byteOffset, input.length);
  const word = (index: number): bigint => view.getBigUint64(8 * index, true);
  let a = cut(word(1) + K0);
  let b = word(0);
  let c = mix(cut(word(7) + K1), a);
  let d = mix(cut(b + 48n), cut(c + word(6)));
  a = cut(a + d);
  for (const at of [2, 4]) {
    const [p, q] = [word(at), word(at + 1)];
    a = cut((a ^ cut(shifted(cut(p * K1)) * K1)) * K1);
    b ^= a;
    c = cut((c ^ cut(shifted(cut(q * K1)) * K1)) * K1);
    d ^= c;
  }
  a = mix(a, c);
  b = mix(d, b);
  const out = new Uint8Array(16);
  const words = new DataView(out.buffer);
  words.setBigUint64(0, a ^ b, true);
  words.setBigUint64(8, mix(b, a), true);
  return out;
}
