import { compareText, concatBytes, equalBytes, fromHex, toHex } from '../base/bytes.js';
import { check, defineErrors } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { fromBase58, toBase58 } from './base58.js';
import { ripemd160, ripemd160Hex, sha512 } from './hash.js';
import type { PublicKey } from './public-key.js';

/** One text for all, because clients search for it; the keys tell the reasons apart. */
export const ADDRESS_ERRORS = defineErrors({
  address_prefix_wrong: {
    text: 'is_valid( base58str, prefix ): ${str}',
    hint: 'an address begins with ${prefix}',
  },
  address_length_wrong: {
    text: 'is_valid( base58str, prefix ): ${str}',
    hint: 'an address has ${expected} bytes behind its prefix, this one ${actual}',
  },
  address_checksum_wrong: {
    text: 'is_valid( base58str, prefix ): ${str}',
    hint: 'a character of the address is wrong: its checksum does not match',
  },
});

/** 20 bytes as lower-case hex. */
export type Address = string;

const ADDRESS_BYTES = 20;
const CHECKSUM_BYTES = 4;

/**
 * Ordering of key maps asks for the same addresses again and again. Two generations instead of a list of uses:
 * when the young one is full it becomes the old one, and what is asked for again moves back into the young one.
 */
let young = new Map<PublicKey, Address>();
let old = new Map<PublicKey, Address>();

/** ripemd160(sha512(key)). Keys are ordered by this value everywhere in the chain. */
export function addressOfKey(key: PublicKey): Address {
  let address = young.get(key);
  if (address !== undefined) return address;
  address = old.get(key) ?? ripemd160Hex(sha512(fromHex(key)));
  if (young.size >= LIMITS.key_address_cache_max / 2) {
    old = young;
    young = new Map();
  }
  young.set(key, address);
  return address;
}

/** The chain's order of public keys: by the bytes of the address, neither by the key nor by any text. */
export function compareKeysByAddress(a: PublicKey, b: PublicKey): number {
  return a === b ? 0 : compareText(addressOfKey(a), addressOfKey(b));
}

export function addressToText(address: Address, prefix: string): string {
  const bytes = fromHex(address);
  return prefix + toBase58(concatBytes(bytes, ripemd160(bytes).subarray(0, CHECKSUM_BYTES)));
}

export function addressFromText(text: string, prefix: string): Address {
  check(text.startsWith(prefix), ADDRESS_ERRORS.address_prefix_wrong, { str: text, prefix });
  const all = fromBase58(text.slice(prefix.length));
  const expected = ADDRESS_BYTES + CHECKSUM_BYTES;
  check(all.length === expected, ADDRESS_ERRORS.address_length_wrong, { str: text, expected, actual: all.length });
  const bytes = all.subarray(0, ADDRESS_BYTES);
  const checksum = ripemd160(bytes).subarray(0, CHECKSUM_BYTES);
  check(equalBytes(checksum, all.subarray(ADDRESS_BYTES)), ADDRESS_ERRORS.address_checksum_wrong, { str: text });
  return toHex(bytes);
}
