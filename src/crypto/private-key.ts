import { createECDH, getCurves } from 'node:crypto'; // nondet-ok: the same point by other means
import { getPublicKey, utils } from '@noble/secp256k1';
import { concatBytes, equalBytes, toHex } from '../base/bytes.js';
import { check, defineErrors } from '../base/errors.js';
import { fromBase58, toBase58 } from './base58.js';
import { doubleSha256, sha256 } from './hash.js';
import type { PublicKey } from './public-key.js';

export const PRIVATE_KEY_ERRORS = defineErrors({
  private_key_invalid: { text: 'private key must be 32 bytes, above zero and below the order of the curve' },
  wif_too_short: { text: 'private key text holds ${actual} bytes, at least ${expected} are needed' },
  wif_checksum_wrong: { text: 'private key text has a wrong checksum' },
});

const SECRET_BYTES = 32;
const WIF_VERSION = 0x80;
const CHECKSUM_BYTES = 4;

const CURVE = 'secp256k1';
/** Some builds of Node come with a library that has fewer curves. */
const hasCurve = getCurves().includes(CURVE);

/** The first one of a process takes 40 ms in JavaScript, for tables that nobody needs a second time. */
function pointOf(secret: Uint8Array): Uint8Array {
  if (!hasCurve) return getPublicKey(secret, true);
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(secret);
  return ecdh.getPublicKey(null, 'compressed');
}

/** Keeps the secret out of logs, JSON and `util.inspect`: it leaves only through `secret()` and `toWif()`. */
export class PrivateKey {
  readonly #secret: Uint8Array;
  #publicKey: PublicKey | undefined;

  private constructor(secret: Uint8Array) {
    check(utils.isValidSecretKey(secret), PRIVATE_KEY_ERRORS.private_key_invalid);
    this.#secret = secret;
  }

  static fromBytes(secret: Uint8Array): PrivateKey {
    return new PrivateKey(Uint8Array.from(secret));
  }

  /** The secret is the sha256 of any text. */
  static fromSeed(text: string): PrivateKey {
    return new PrivateKey(sha256(new TextEncoder().encode(text)));
  }

  /**
   * As lenient as the chain's own tools: the checksum may be of a single or a double sha256, the version byte and
   * what follows the 32 bytes (a compression mark of other networks) are not looked at.
   */
  static fromWif(text: string): PrivateKey {
    const all = fromBase58(text);
    const expected = 1 + SECRET_BYTES + CHECKSUM_BYTES;
    check(all.length >= expected, PRIVATE_KEY_ERRORS.wif_too_short, { expected, actual: all.length });
    const body = all.subarray(0, all.length - CHECKSUM_BYTES);
    const checksum = all.subarray(all.length - CHECKSUM_BYTES);
    const single = sha256(body);
    check(
      equalBytes(single.subarray(0, CHECKSUM_BYTES), checksum) ||
        equalBytes(sha256(single).subarray(0, CHECKSUM_BYTES), checksum),
      PRIVATE_KEY_ERRORS.wif_checksum_wrong,
    );
    return PrivateKey.fromBytes(body.subarray(1, 1 + SECRET_BYTES));
  }

  /** The 32 bytes themselves, not a copy: callers only read. */
  secret(): Uint8Array {
    return this.#secret;
  }

  toWif(): string {
    const body = concatBytes(Uint8Array.of(WIF_VERSION), this.#secret);
    return toBase58(concatBytes(body, doubleSha256(body).subarray(0, CHECKSUM_BYTES)));
  }

  get publicKey(): PublicKey {
    this.#publicKey ??= toHex(pointOf(this.#secret));
    return this.#publicKey;
  }
}
