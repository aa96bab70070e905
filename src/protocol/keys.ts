import { canonical } from '../codec/containers.js';
import { fixedBytes, fixedHex, textOf } from '../codec/scalars.js';
import type { Type } from '../codec/type.js';
import { addressFromText, addressOfKey, addressToText, compareKeysByAddress } from '../crypto/address.js';
import { NULL_PUBLIC_KEY, PUBLIC_KEY_BYTES, publicKeyFromText, publicKeyToText } from '../crypto/public-key.js';

/** 33 bytes, in memory as hex. Sets and maps order keys by the hash in their address, not by their bytes. */
export const publicKey: Type<string> = {
  ...fixedHex('public_key', PUBLIC_KEY_BYTES),
  toJson: (value, { keyPrefix }) => publicKeyToText(value, keyPrefix),
  fromJson: (json, { keyPrefix }) => publicKeyFromText(textOf(json, 'public_key'), keyPrefix),
  default: () => NULL_PUBLIC_KEY,
  compare: compareKeysByAddress,
  rank: addressOfKey,
};

/** As a set of the chain holds them. */
export function canonicalKeys(keys: readonly string[]): string[] {
  return canonical(keys, compareKeysByAddress, addressOfKey);
}

export const address: Type<string> = {
  ...fixedHex('address', 20),
  toJson: (value, { keyPrefix }) => addressToText(value, keyPrefix),
  fromJson: (json, { keyPrefix }) => addressFromText(textOf(json, 'address'), keyPrefix),
};

const SIGNATURE_BYTES = 65;
export const signature = fixedBytes('signature', SIGNATURE_BYTES);

export const blockId = fixedHex('block_id', 20);
export const transactionId = fixedHex('transaction_id', 20);
export const checksum160 = fixedHex('checksum160', 20);
export const sha256Hash = fixedHex('sha256', 32);
/** Pedersen commitment; its order inside operations is that of the bytes. */
export const commitment = fixedHex('commitment', 33);
export const blindFactor = fixedHex('blind_factor', 32);
