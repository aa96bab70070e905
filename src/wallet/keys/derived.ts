import { fromHex, toHex } from '../../base/bytes.js';
import { ChainError, fail } from '../../base/errors.js';
import { encodeText } from '../../codec/text.js';
import { deriveKey, normalizeBrainKey } from '../../crypto/brain-key.js';
import { ripemd160, sha256, sha512Hex } from '../../crypto/hash.js';
import { PrivateKey } from '../../crypto/private-key.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { KEYSTORE_ERRORS } from '../errors.js';

/** A private key as people type it. */
export function readPrivateKey(text: string): PrivateKey {
  try {
    return PrivateKey.fromWif(text);
  } catch (error) {
    if (error instanceof ChainError) return fail(KEYSTORE_ERRORS.key_text_invalid);
    throw error;
  }
}

const UNKNOWN_RUN = 5;

/**
 * A child is the key number `n` of its parent's text form. The first is taken from which on more than five in a row are
 * known to nobody: a wallet that was lost finds the children of an account again by looking at so many.
 */
export async function firstFreeChild(
  parent: PrivateKey,
  isKnown: (key: PublicKey) => boolean | Promise<boolean>,
): Promise<PrivateKey> {
  const text = parent.toWif();
  let first = 0;
  for (let n = 0; n <= first + UNKNOWN_RUN; n++) {
    if (await isKnown(deriveKey(text, n).publicKey)) first = n + 1;
  }
  return deriveKey(text, first);
}

export interface BrainKeyInfo {
  readonly brain_priv_key: string;
  readonly wif_priv_key: string;
  readonly pub_key: PublicKey;
}

export function brainKeyInfo(words: string, sequence = 0): BrainKeyInfo {
  const normalized = normalizeBrainKey(words);
  const key = deriveKey(normalized, sequence);
  return { brain_priv_key: normalized, wif_priv_key: key.toWif(), pub_key: key.publicKey };
}

/** Keys of blinded balances come from the words as they were typed, without spaces around them and doubled ones. */
export function blindBrainKey(words: string): PrivateKey {
  const plain = words.replace(/^[ \t\r\n\v\f]+|[ \t\r\n\v\f]+$/g, '').replace(/ {2,}/g, ' ');
  return PrivateKey.fromBytes(sha256(encodeText(plain)));
}

/** Eight digits in the names of backups: the beginning of the key's address, its bytes from the last to the first. */
export function backupMark(key: PublicKey): string {
  return toHex(
    ripemd160(fromHex(sha512Hex(fromHex(key))))
      .slice(0, 4)
      .reverse(),
  );
}
