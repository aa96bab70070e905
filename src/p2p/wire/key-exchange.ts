import { cityHash128 } from '../../crypto/city-hash.js';
import { sha256, sha512 } from '../../crypto/hash.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import { PUBLIC_KEY_BYTES } from '../../crypto/public-key.js';
import { signatureBackend } from '../../crypto/signature.js';

/** What both sides of a connection compute from their fresh keys. */
export interface SessionKeys {
  /** AES key of both directions, and the digest that the hello message signs: it never belongs in a log. */
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

const COORDINATE_BYTES = 32;
export const EPHEMERAL_KEY_BYTES = PUBLIC_KEY_BYTES;

/** Undefined: what the other side has sent is no point of the curve. */
export function sessionKeys(own: PrivateKey, remote: Uint8Array): SessionKeys | undefined {
  const x = new Uint8Array(COORDINATE_BYTES);
  if (!signatureBackend().curve.sharedX(remote, own.secret(), x)) return undefined;
  const secret = sha512(x);
  return { key: sha256(secret), iv: cityHash128(secret) };
}
