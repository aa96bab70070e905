import { toHex } from '../../base/bytes.js';
import { cityHash128 } from '../../crypto/city-hash.js';
import { sha256 } from '../../crypto/hash.js';
import { sharedSecret } from '../../crypto/memo.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { isOnCurve, PUBLIC_KEY_BYTES } from '../../crypto/public-key.js';

/** What both sides of a connection compute from their fresh keys. */
export interface SessionKeys {
  /** AES key of both directions, and the digest that the hello message signs: it never belongs in a log. */
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

export const EPHEMERAL_KEY_BYTES = PUBLIC_KEY_BYTES;

/** Undefined: what the other side has sent is no point of the curve. */
export function sessionKeys(own: PrivateKey, remote: Uint8Array): SessionKeys | undefined {
  const key = toHex(remote);
  if (!isOnCurve(key)) return undefined;
  const secret = sharedSecret(own, key);
  return { key: sha256(secret), iv: cityHash128(secret) };
}
