import { concatBytes } from '../base/bytes.js';
import { check, invariant } from '../base/errors.js';
import { G, invertScalar, isScalar, modOrder, ORDER, readNumber, times, writeScalar } from './curve.js';
import { NonceStream } from './nonce-stream.js';
import type { PrivateKey } from './private-key.js';
import { DIGEST_BYTES, isCanonical, SIGNATURE_ERRORS } from './signature.js';

/** Header of a compact signature: 27, and 4 for a compressed key. */
const HEADER = 31;
const TRIES_MAX = 10_000;

/**
 * Signs as the command-line wallet of the family does, bit for bit: the candidates of RFC 6979 in their order, the first
 * one left out, until the signature is canonical. Other signers of the family take other nonces, equally good ones.
 */
export function signRepeatably(digest: Uint8Array, key: PrivateKey): Uint8Array {
  check(digest.length === DIGEST_BYTES, SIGNATURE_ERRORS.digest_length_wrong, { actual: digest.length });
  const secret = readNumber(key.secret());
  const message = modOrder(readNumber(digest));
  const nonces = new NonceStream(concatBytes(key.secret(), digest));
  // Quirk: candidate 0 is never used.
  nonces.next();
  for (let tries = 0; ; tries++) {
    invariant(tries < TRIES_MAX, 'one of very many nonces gives a canonical signature');
    const nonce = readNumber(nonces.next());
    if (!isScalar(nonce)) continue;
    const { x, y } = times(G, nonce).toAffine();
    const r = modOrder(x);
    const s = modOrder(invertScalar(nonce) * (message + r * secret));
    if (r === 0n || s === 0n) continue;
    const isHigh = s > ORDER / 2n;
    const parity = Number(y & 1n) ^ (isHigh ? 1 : 0);
    const header = HEADER + parity + (x >= ORDER ? 2 : 0);
    const signature = concatBytes(Uint8Array.of(header), writeScalar(r), writeScalar(isHigh ? ORDER - s : s));
    if (isCanonical(signature)) return signature;
  }
}
