import { fromHex } from '../base/bytes.js';
import { ChainError } from '../base/errors.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../crypto/signature.js';
import { keyFromText } from './key-text.js';
import type { ContractKeys } from './metered.js';

/** Keys and signatures for contracts, with the network's key prefix. */
export function contractKeys(prefix?: string): ContractKeys {
  return {
    parsePublicKey: (text) => keyFromText(text, prefix),
    recover: (digest, signature) => {
      try {
        return fromHex(signatureBackend().recover(digest, signature));
      } catch (error) {
        if (error instanceof ChainError && error.row === SIGNATURE_ERRORS.signature_unrecoverable) return undefined;
        throw error;
      }
    },
  };
}
