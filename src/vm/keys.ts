import { fromHex } from '../base/bytes.js';
import { ChainError } from '../base/errors.js';
import { encodeText } from '../codec/text.js';
import type { Network } from '../codec/type.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../crypto/signature.js';
import { keyFromText } from './key-text.js';
import type { ContractKeys } from './metered.js';

/** Any native search begins anew at every letter that may be the first one: many of those took longer than is billed. */
function contains(bytes: Uint8Array, part: Uint8Array): boolean {
  const first = part[0];
  for (let at = 0; at + part.length <= bytes.length; at++) {
    if (bytes[at] === first && standsAt(bytes, at, part)) return true;
  }
  return false;
}

function standsAt(bytes: Uint8Array, at: number, part: Uint8Array): boolean {
  for (let i = 1; i < part.length; i++) if (bytes[at + i] !== part[i]) return false;
  return true;
}

/** Keys and signatures for contracts, with the network's key prefix. */
export function contractKeys({ keyPrefix }: Network): ContractKeys {
  const prefix = encodeText(keyPrefix);
  return {
    isText: (bytes) => contains(bytes, prefix),
    parsePublicKey: (text) => keyFromText(text, keyPrefix),
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
