import { check } from '../base/errors.js';
import { RECOVERED_KEY_BYTES, type SignatureChoice, signatureBackend } from '../crypto/signature.js';
import { countBatch, RecoveredKeys, type SignatureVerifier, VERIFY_ERRORS } from './verify.js';

/** For tests and tiny nodes: the work is done at once, in the caller's thread. */
export function inlineVerifier(choice?: SignatureChoice): SignatureVerifier {
  const backend = signatureBackend(choice);
  let closed = false;
  return {
    workers: 0,
    backend: backend.name,

    async recover(batch) {
      check(!closed, VERIFY_ERRORS.verifier_closed);
      const count = countBatch(batch);
      const keys = new Uint8Array(count * RECOVERED_KEY_BYTES);
      const statuses = new Uint8Array(count);
      for (let i = 0; i < count; i++) statuses[i] = backend.recoverInto(batch.digests, batch.signatures, i, keys);
      return new RecoveredKeys(batch, keys, statuses);
    },

    async close() {
      closed = true;
    },
  };
}
