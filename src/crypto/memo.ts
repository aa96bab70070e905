import { concatBytes, equalBytes, fromHex } from '../base/bytes.js';
import { check, defineErrors, fail } from '../base/errors.js';
import { aesDecrypt, aesEncrypt } from './aes.js';
import { sha256, sha512, sha512Hex } from './hash.js';
import type { PrivateKey } from './private-key.js';
import { NULL_PUBLIC_KEY, PUBLIC_KEY_BYTES, PUBLIC_KEY_ERRORS, type PublicKey } from './public-key.js';
import { signatureBackend } from './signature.js';

/**
 * Memos: AES-256-CBC under a key that both sides compute. The data exchange uses the same packet for its parameters
 * and answers.
 */

export const MEMO_ERRORS = defineErrors({
  memo_too_short: { text: 'memo of ${actual} bytes is too short for its checksum' },
  memo_checksum_wrong: { text: 'memo checksum does not match: wrong key, wrong nonce or damaged message' },
});

const CHECKSUM_BYTES = 4;
const COORDINATE_BYTES = 32;

/** The decimal digits enter the key. Text, for callers whose nonce came as text; an empty one is allowed. */
export type MemoNonce = bigint | string;

/** x of the common point, 32 bytes with leading zeros kept. */
export function sharedPointX(own: PrivateKey, other: PublicKey): Uint8Array {
  const x = new Uint8Array(COORDINATE_BYTES);
  const isPoint =
    other.length === 2 * PUBLIC_KEY_BYTES && signatureBackend().curve.sharedX(fromHex(other), own.secret(), x);
  return isPoint ? x : fail(PUBLIC_KEY_ERRORS.public_key_not_on_curve, { key: other });
}

/** sha512 of `sharedPointX`; the same from either side. */
export function sharedSecret(own: PrivateKey, other: PublicKey): Uint8Array {
  return sha512(sharedPointX(own, other));
}

export interface MemoCipher {
  readonly key: Uint8Array;
  readonly iv: Uint8Array;
}

/** The secret goes in as lower-case hex text behind the nonce, not as bytes. */
export function memoCipher(pointX: Uint8Array, nonce: MemoNonce): MemoCipher {
  const seed = sha512(new TextEncoder().encode(nonce.toString() + sha512Hex(pointX)));
  return { key: seed.subarray(0, 32), iv: seed.subarray(32, 48) };
}

function toBytes(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? new TextEncoder().encode(text) : text;
}

export function encryptMemo(
  own: PrivateKey,
  other: PublicKey,
  nonce: MemoNonce,
  text: string | Uint8Array,
): Uint8Array {
  const bytes = toBytes(text);
  const { key, iv } = memoCipher(sharedPointX(own, other), nonce);
  return aesEncrypt(concatBytes(sha256(bytes).subarray(0, CHECKSUM_BYTES), bytes), key, iv);
}

/** Either side reads it: own private key with the other's public key. Bytes, because no rule says that a memo is text. */
export function decryptMemo(own: PrivateKey, other: PublicKey, nonce: MemoNonce, message: Uint8Array): Uint8Array {
  const { key, iv } = memoCipher(sharedPointX(own, other), nonce);
  return openPacket(aesDecrypt(message, key, iv));
}

/** Takes the checksum off and compares it. */
export function openPacket(packet: Uint8Array): Uint8Array {
  check(packet.length >= CHECKSUM_BYTES, MEMO_ERRORS.memo_too_short, { actual: packet.length });
  const text = packet.slice(CHECKSUM_BYTES);
  const checksum = sha256(text).subarray(0, CHECKSUM_BYTES);
  check(equalBytes(checksum, packet.subarray(0, CHECKSUM_BYTES)), MEMO_ERRORS.memo_checksum_wrong);
  return text;
}

/** A memo whose sender is the null key is not encrypted: anybody may read it. */
export function isPlainMemo(from: PublicKey): boolean {
  return from === NULL_PUBLIC_KEY;
}

/** Four bytes where an encrypted packet has its checksum, then the text. They are not compared: writers leave them zero. */
export function readPlainMemo(message: Uint8Array): Uint8Array {
  check(message.length >= CHECKSUM_BYTES, MEMO_ERRORS.memo_too_short, { actual: message.length });
  return message.slice(CHECKSUM_BYTES);
}
