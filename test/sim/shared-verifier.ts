import { toHex } from '../../src/base/bytes.js';
import {
  DIGEST_BYTES,
  RECOVERED_KEY_BYTES,
  SIGNATURE_BYTES,
  type SignatureStatus,
  signatureBackend,
} from '../../src/crypto/signature.js';
import { recoverAll, type SignatureVerifier } from '../../src/verify/verify.js';

/** All nodes of a world are in one process: each signature is looked at once, by whoever meets it first. */
export function sharedVerifier(): SignatureVerifier {
  const known = new Map<string, { readonly status: SignatureStatus; readonly key: Uint8Array }>();
  const backend = signatureBackend();
  return {
    workers: 0,
    backend: backend.name,
    async recover(batch) {
      return recoverAll(batch, (i, keys) => {
        const digest = batch.digests.subarray(i * DIGEST_BYTES, (i + 1) * DIGEST_BYTES);
        const signature = batch.signatures.subarray(i * SIGNATURE_BYTES, (i + 1) * SIGNATURE_BYTES);
        const name = toHex(digest) + toHex(signature);
        let found = known.get(name);
        if (found === undefined) {
          const key = new Uint8Array(RECOVERED_KEY_BYTES);
          found = { status: backend.recoverInto(digest, signature, 0, key), key };
          known.set(name, found);
        }
        keys.set(found.key, i * RECOVERED_KEY_BYTES);
        return found.status;
      });
    },
    close: async () => undefined,
  };
}
