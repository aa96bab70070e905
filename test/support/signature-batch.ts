import type { ChainError } from '../../src/base/errors.js';
import type { PublicKey } from '../../src/crypto/public-key.js';
import { BatchWriter, type RecoveredKeys, type SignatureBatch } from '../../src/verify/verify.js';

export interface SignedDigest {
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

export function packBatch(items: readonly SignedDigest[]): SignatureBatch {
  const batch = new BatchWriter(items.length);
  for (const { digest, signature } of items) batch.add(digest, [signature]);
  return batch;
}

/** The key of each pair, or the error of its signature. */
export function recoveredItems(answer: RecoveredKeys): (PublicKey | ChainError)[] {
  return Array.from({ length: answer.count }, (_, i) => answer.errorAt(i) ?? answer.keyAt(i));
}
