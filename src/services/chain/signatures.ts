import { fromHex } from '../../base/bytes.js';
import { ChainError } from '../../base/errors.js';
import { sha256 } from '../../crypto/hash.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { isCanonical, SIGNATURE_BYTES, type SignatureRule, signatureBackend } from '../../crypto/signature.js';
import { type ProxyTransferParams, proxyRequestDigest } from '../../protocol/proxy-transfer.js';

/** 65 bytes as hex; undefined for anything else, and where the chain's form is asked for and this is another one. */
export function readSignature(text: string, rule: SignatureRule): Uint8Array | undefined {
  if (!/^[0-9a-fA-F]{130}$/.test(text)) return undefined;
  const signature = fromHex(text);
  return rule === 'any' || isCanonical(signature) ? signature : undefined;
}

/** Who has signed; undefined where nobody can have. */
function signerOf(digest: Uint8Array, signature: Uint8Array, rule: SignatureRule): PublicKey | undefined {
  try {
    return signatureBackend().recover(digest, signature, rule);
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/** Whether the chain would take the request as signed with this key: one signature, in the chain's form. */
export function isAuthorizedBy(request: ProxyTransferParams, key: PublicKey): boolean {
  const [signature] = request.signatures;
  if (signature === undefined || request.signatures.length !== 1 || signature.length !== SIGNATURE_BYTES) return false;
  return signerOf(proxyRequestDigest(request), signature, 'canonical') === key;
}

/** Who has signed a text, in whatever form of the curve; undefined where nobody can have. */
export function signerOfText(text: string, signature: string): PublicKey | undefined {
  const bytes = readSignature(signature, 'any');
  return bytes === undefined ? undefined : signerOf(sha256(Buffer.from(text, 'utf8')), bytes, 'any');
}
