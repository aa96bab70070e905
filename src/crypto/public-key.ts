import { concatBytes, equalBytes, fromHex, toHex } from '../base/bytes.js';
import { check, defineErrors } from '../base/errors.js';
import { fromBase58, toBase58 } from './base58.js';
import { ripemd160 } from './hash.js';

export const PUBLIC_KEY_ERRORS = defineErrors({
  public_key_prefix_wrong: { text: 'public key must begin with ${prefix}' },
  public_key_length_wrong: { text: 'public key must hold ${expected} bytes, not ${actual}' },
  public_key_checksum_wrong: { text: 'public key has a wrong checksum' },
  public_key_not_on_curve: { text: 'public key ${key} is no point of the curve' },
});

/** 33 bytes of a compressed point as lower-case hex. Nothing says that it lies on the curve: see `isOnCurve` of old-addresses.ts. */
export type PublicKey = string;

/** Text prefix of the public network and of every network that does not define its own. */
export const DEFAULT_KEY_PREFIX = 'GXC';

export const PUBLIC_KEY_BYTES = 33;
const CHECKSUM_BYTES = 4;

/** The key that nobody has: 33 zero bytes. */
export const NULL_PUBLIC_KEY: PublicKey = '00'.repeat(PUBLIC_KEY_BYTES);

export function publicKeyToText(key: PublicKey, prefix: string): string {
  const bytes = fromHex(key);
  return prefix + toBase58(concatBytes(bytes, ripemd160(bytes).subarray(0, CHECKSUM_BYTES)));
}

export function publicKeyFromText(text: string, prefix: string): PublicKey {
  check(text.startsWith(prefix), PUBLIC_KEY_ERRORS.public_key_prefix_wrong, { prefix });
  const all = fromBase58(text.slice(prefix.length));
  const expected = PUBLIC_KEY_BYTES + CHECKSUM_BYTES;
  check(all.length === expected, PUBLIC_KEY_ERRORS.public_key_length_wrong, { expected, actual: all.length });
  const bytes = all.subarray(0, PUBLIC_KEY_BYTES);
  const checksum = ripemd160(bytes).subarray(0, CHECKSUM_BYTES);
  check(equalBytes(checksum, all.subarray(PUBLIC_KEY_BYTES)), PUBLIC_KEY_ERRORS.public_key_checksum_wrong);
  return toHex(bytes);
}
