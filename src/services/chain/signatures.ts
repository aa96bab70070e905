import { fromHex } from '../../base/bytes.js';
import { ChainError } from '../../base/errors.js';
import { sha256 } from '../../crypto/hash.js';
import type { PublicKey } from '../../crypto/public-key.js';
import {
  isCanonical,
  SIGNATURE_BYTES,
  type SignatureRule,
  signatureBackend,
  withWrittenHeader,
} from '../../crypto/signature.js';
import { type ProxyTransferParams, proxyRequestDigest } from '../../protocol/proxy-transfer.js';

const HEX = /^[0-9a-fA-F]{130}$/;

/**
 * The signature of an authorization from its hex; undefined where the chain takes none of this form. The chain takes each
 * signature once, but one with another header as another one: here it is always the same, and is paid once.
 */
export function readAuthorization(text: string): Uint8Array | undefined {
  if (!HEX.test(text)) return undefined;
  const signature = fromHex(text);
  return isCanonical(signature) ? withWrittenHeader(signature) : undefined;
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
  return HEX.test(signature) ? signerOf(sha256(Buffer.from(text, 'utf8')), fromHex(signature), 'any') : undefined;
}
