import { ECDH } from 'node:crypto';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { addressOfKey } from '../../src/crypto/address.js';
import { ripemd160, sha256 } from '../../src/crypto/hash.js';

const known = new Map<string, readonly string[]>();

function old(key: Uint8Array, version: number): string {
  const head = Buffer.concat([Uint8Array.of(version), ripemd160(sha256(key))]);
  return toHex(ripemd160(Buffer.concat([head, sha256(sha256(head)).subarray(0, 4)])));
}

/** Its own, and the four of older chains. */
export function addressesOf(key: string): readonly string[] {
  const found = known.get(key);
  if (found !== undefined) return found;
  const long = fromHex(ECDH.convertKey(key, 'secp256k1', 'hex', 'hex', 'uncompressed') as string);
  const olds = [long, fromHex(key)].flatMap((bytes) => [old(bytes, 56), old(bytes, 0)]);
  const all = [addressOfKey(key), ...olds];
  known.set(key, all);
  return all;
}
