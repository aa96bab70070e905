import { check } from '../base/errors.js';
import { type SignatureChoice, signatureBackend } from '../crypto/signature.js';
import { recoverAll, type SignatureVerifier, VERIFY_ERRORS } from './verify.js';

/** For tests and tiny nodes: the work is done at once, in the caller's thread. */
export function inlineVerifier(choice?: SignatureChoice): SignatureVerifier {
  const backend = signatureBackend(choice);
  let closed = false;
  return {
    workers: 0,
    backend: backend.name,

    async recover(batch) {
      check(!closed, VERIFY_ERRORS.verifier_closed);
      const { digests, signatures } = batch;
      return recoverAll(batch, (i, keys) => backend.recoverInto(digests, signatures, i, keys));
    },

    async close() {
      closed = true;
    },
  };
}
