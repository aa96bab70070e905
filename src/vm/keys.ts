import { fromHex } from '../base/bytes.js';
import { ChainError } from '../base/errors.js';
import { encodeText } from '../codec/text.js';
import type { Network } from '../codec/type.js';
import { SIGNATURE_ERRORS, signatureBackend } from '../crypto/signature.js';
import { keyFromText } from './key-text.js';
import type { ContractKeys } from './metered.js';

function contains(bytes: Uint8Array, part: readonly number[]): boolean {
  const [first = 0, ...rest] = part;
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (rest.every((byte, i) => bytes[at + 1 + i] === byte)) return true;
  }
  return false;
}

/** Keys and signatures for contracts, with the network's key prefix. */
export function contractKeys({ keyPrefix }: Network): ContractKeys {
  const prefix = [...encodeText(keyPrefix)];
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
