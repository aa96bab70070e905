import { DistinctTimes } from '../base/distinct-times.js';
import { ChainError } from '../base/errors.js';
import type { Clock, Random } from '../base/world.js';
import { decodeText, encodeText } from '../codec/text.js';
import { AES_ERRORS } from '../crypto/aes.js';
import { decryptMemo, encryptMemo, isPlainMemo, MEMO_ERRORS, readPlainMemo } from '../crypto/memo.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { PUBLIC_KEY_ERRORS, type PublicKey } from '../crypto/public-key.js';
import type { MemoData } from '../protocol/memo.js';

const microseconds = new DistinctTimes(1_000_000);

/**
 * A number that was never used between these two keys: random in its top byte, the time below it. Clocks count
 * milliseconds, and a program writes many memos in one.
 */
export function memoNonce(clock: Pick<Clock, 'nowMs'>, random: Random): bigint {
  const [top = 0] = random.bytes(1);
  const time = BigInt(microseconds.take(Math.floor(clock.nowMs() * 1000)));
  return (BigInt(top) << 56n) | (time & 0x00ff_ffff_ffff_ffffn);
}

export function writeMemo(from: PrivateKey, to: PublicKey, nonce: bigint, text: string): MemoData {
  return { from: from.publicKey, to, nonce, message: encryptMemo(from, to, nonce, encodeText(text)) };
}

export type MemoReading =
  | { readonly kind: 'text'; readonly text: string }
  /** Neither side's key is here, or the wallet is locked. */
  | { readonly kind: 'no key' }
  /** The key fits by its name, and what comes out is not what was written. */
  | { readonly kind: 'damaged' };

const DAMAGE = [
  AES_ERRORS.aes_length_wrong,
  AES_ERRORS.aes_padding_wrong,
  MEMO_ERRORS.memo_too_short,
  MEMO_ERRORS.memo_checksum_wrong,
  // No chain looks at it: anybody may write such a memo to anybody, and must not take the whole history away with it.
  PUBLIC_KEY_ERRORS.public_key_not_on_curve,
];

/** As the receiver, else as the sender. */
export function readMemo(memo: MemoData, find: (key: PublicKey) => PrivateKey | undefined): MemoReading {
  try {
    if (isPlainMemo(memo.from)) return textOf(readPlainMemo(memo.message));
    const receiver = find(memo.to);
    if (receiver !== undefined) return textOf(decryptMemo(receiver, memo.from, memo.nonce, memo.message));
    const sender = find(memo.from);
    if (sender !== undefined) return textOf(decryptMemo(sender, memo.to, memo.nonce, memo.message));
    return { kind: 'no key' };
  } catch (error) {
    if (error instanceof ChainError && DAMAGE.includes(error.row)) return { kind: 'damaged' };
    throw error;
  }
}

function textOf(bytes: Uint8Array): MemoReading {
  return { kind: 'text', text: decodeText(bytes, 0, bytes.length) };
}
