import { fromHex } from '../base/bytes.js';
import { decryptMemo } from '../crypto/memo.js';
import { PrivateKey } from '../crypto/private-key.js';
import { publicKeyFromText, publicKeyToText } from '../crypto/public-key.js';
import type { Int } from './answers.js';

/** Opens memos here: the key goes nowhere and is kept nowhere. Loaded when somebody wants it, as it has a whole curve. */

export interface Memo {
  readonly from: string;
  readonly to: string;
  readonly nonce: Int;
  readonly message: string;
}

const KEY_CHARS = 50;

/** Whoever has typed it wants to know that it is none, not how it was read. */
function keyOf(wif: string): PrivateKey {
  try {
    return PrivateKey.fromWif(wif);
  } catch {
    throw new Error('This is no private key in wallet import format (WIF).');
  }
}

/** Either side's key opens it. */
export function readMemo(memo: Memo, wif: string): string {
  const own = keyOf(wif);
  const prefix = memo.from.slice(0, -KEY_CHARS);
  const text = publicKeyToText(own.publicKey, prefix);
  if (text !== memo.from && text !== memo.to) throw new Error('This key belongs to neither side of the memo.');
  const other = publicKeyFromText(text === memo.from ? memo.to : memo.from, prefix);
  const bytes = decryptMemo(own, other, String(memo.nonce), fromHex(memo.message));
  return new TextDecoder().decode(bytes);
}
