import { hmac } from '@noble/hashes/hmac.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { getSharedSecret, hashes, recoverPublicKey, sign } from '@noble/secp256k1';
import { G, readNumber, readPoint, times, writePoint } from './curve.js';
import type { CurveBackend } from './curve-backend.js';

// The library leaves the choice of hashes to its user; only signing needs them.
hashes.sha256 = sha256;
hashes.hmacSha256 = (key, message) => hmac(sha256, key, message);

/** Plain JavaScript: works everywhere, some twenty times slower than the native library. */
export const nobleBackend: CurveBackend = {
  name: 'noble',

  sign(digest, secret, extra, output) {
    const made = sign(digest, secret, { prehash: false, format: 'recovered', extraEntropy: extra ?? false });
    output.set(made.subarray(1));
    return made[0] as number;
  },

  recover(signature, recoveryId, digest, output) {
    const recovered = new Uint8Array(65);
    recovered[0] = recoveryId;
    recovered.set(signature, 1);
    try {
      output.set(recoverPublicKey(recovered, digest, { prehash: false }));
      return true;
    } catch {
      // The library has no other way to say that the signature belongs to no key.
      return false;
    }
  },

  multiplyAdd(point, factor, baseFactor, output) {
    const start = readPoint(point);
    if (start === undefined) return false;
    const sum = times(start, readNumber(factor)).add(times(G, readNumber(baseFactor)));
    if (sum.is0()) return false;
    output.set(writePoint(sum));
    return true;
  },

  sharedX(point, secret, output) {
    if (readPoint(point) === undefined) return false;
    output.set(getSharedSecret(secret, point, true).subarray(1));
    return true;
  },

  uncompress(point, output) {
    const read = readPoint(point);
    if (read === undefined) return false;
    output.set(read.toBytes(false));
    return true;
  },
};
