import { toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { type ProxyTransferParams, proxyRequestDigests } from '../../../src/protocol/proxy-transfer.js';

export const KEYS = ['a', 'b', 'c'].map((seed) => PrivateKey.fromSeed(`own ${seed}`));

/** Who signed what: the model does not compute keys from signatures. */
const signed = new Map<string, string>();

const noteOf = (digest: Uint8Array, signature: Uint8Array): string => `${toHex(digest)} ${toHex(signature)}`;

/** By one after another, each over the digest of its place. */
export function sign(asked: ProxyTransferParams, keys: readonly PrivateKey[]): Uint8Array[] {
  const digests = proxyRequestDigests(asked);
  return keys.map((key) => {
    const digest = digests.next().value;
    const signature = signatureBackend().sign(digest, key);
    signed.set(noteOf(digest, signature), key.publicKey);
    return signature;
  });
}

/** Nothing for a signature that is not over the digest of its place. */
export function signersOf(asked: ProxyTransferParams): (string | undefined)[] {
  const digests = proxyRequestDigests(asked);
  return asked.signatures.map((signature) => signed.get(noteOf(digests.next().value, signature)));
}
