import { concatBytes, fromHex } from '../base/bytes.js';
import { fail } from '../base/errors.js';
import { LIMITS } from '../base/limits.js';
import { type Address, addressOfKey } from './address.js';
import { doubleSha256, hash160, ripemd160Hex } from './hash.js';
import { PUBLIC_KEY_BYTES, PUBLIC_KEY_ERRORS, type PublicKey } from './public-key.js';
import { signatureBackend } from './signature.js';

/** The forms of an address that two older networks had. They are of a point of the curve, which a key need not be. */

const UNCOMPRESSED_BYTES = 65;
const CHECKSUM_BYTES = 4;
const COMPRESSED = new RegExp(`^[0-9a-f]{${2 * PUBLIC_KEY_BYTES}}$`);

/** 04, x, y; undefined for what is no point of the curve. */
function pointOf(key: PublicKey): Uint8Array | undefined {
  if (!COMPRESSED.test(key)) return undefined;
  const point = new Uint8Array(UNCOMPRESSED_BYTES);
  return signatureBackend().curve.uncompress(fromHex(key), point) ? point : undefined;
}

/** The chain stores keys unchecked; only who computes with a key, or wants to warn a user, must ask. */
export function isOnCurve(key: PublicKey): boolean {
  return pointOf(key) !== undefined;
}

/** 65 bytes: 04, x, y. Needed for the old address forms only. */
export function uncompressedPublicKey(key: PublicKey): Uint8Array {
  return pointOf(key) ?? fail(PUBLIC_KEY_ERRORS.public_key_not_on_curve, { key });
}

/** Version bytes of the two old networks whose address forms still own balances. */
const PTS_VERSION = 56;
const BTC_VERSION = 0;

/** 25 bytes: version, hash of the key bytes (33 or 65 of them), checksum. */
function ptsForm(keyBytes: Uint8Array, version: number): Uint8Array {
  const body = concatBytes(Uint8Array.of(version), hash160(keyBytes));
  return concatBytes(body, doubleSha256(body).subarray(0, CHECKSUM_BYTES));
}

export interface LegacyAddresses {
  readonly btcUncompressed: Address;
  readonly btcCompressed: Address;
  readonly ptsUncompressed: Address;
  readonly ptsCompressed: Address;
}

export function legacyAddressesOfKey(key: PublicKey): LegacyAddresses {
  const compressed = fromHex(key);
  const uncompressed = uncompressedPublicKey(key);
  return {
    btcUncompressed: ripemd160Hex(ptsForm(uncompressed, BTC_VERSION)),
    btcCompressed: ripemd160Hex(ptsForm(compressed, BTC_VERSION)),
    ptsUncompressed: ripemd160Hex(ptsForm(uncompressed, PTS_VERSION)),
    ptsCompressed: ripemd160Hex(ptsForm(compressed, PTS_VERSION)),
  };
}

/** They take many hashes, and whoever checks an authority asks for those of the same few keys again and again. */
const allAddresses = new Map<PublicKey, readonly Address[]>();

/** The five addresses that a key may sign for, its own one first. */
export function addressesOfKey(key: PublicKey): readonly Address[] {
  const known = allAddresses.get(key);
  if (known !== undefined) return known;
  const legacy = legacyAddressesOfKey(key);
  const made = [
    addressOfKey(key),
    legacy.ptsUncompressed,
    legacy.ptsCompressed,
    legacy.btcUncompressed,
    legacy.btcCompressed,
  ];
  if (allAddresses.size >= LIMITS.key_addresses_cache_max) allAddresses.clear();
  allAddresses.set(key, made);
  return made;
}
