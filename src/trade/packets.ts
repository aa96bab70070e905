import { concatBytes, equalBytes, fromHex, toHex } from '../base/bytes.js';
import { ChainError, check, defineErrors, fail } from '../base/errors.js';
import { type AesPadding, aesDecrypt, aesEncrypt } from '../crypto/aes.js';
import { Md5Stream, sha256 } from '../crypto/hash.js';
import { memoCipher, openPacket, sharedPointX } from '../crypto/memo.js';
import type { PrivateKey } from '../crypto/private-key.js';
import type { PublicKey } from '../crypto/public-key.js';

/** What buyers and sellers send each other, encrypted so that nobody in between can read it: the packet of memos, as hex. */

export const PACKET_ERRORS = defineErrors({
  packet_form: { text: 'an encrypted packet is lower-case hex of whole blocks of 16 bytes' },
  packet_damaged: { text: 'the packet does not open: wrong key, wrong nonce, or damaged' },
});

const BLOCK_HEX = 32;
const CHECKSUM_BYTES = 4;
const encoder = new TextEncoder();

export const md5 = (bytes: Uint8Array): string => {
  const hash = new Md5Stream();
  hash.update(bytes);
  return hash.hex();
};

export const md5OfText = (text: string): string => md5(encoder.encode(text));

/** `nonce` as the digits that stand in the request. */
export function sealPacket(own: PrivateKey, other: PublicKey, nonce: string, text: string): string {
  const bytes = encoder.encode(text);
  const { key, iv } = memoCipher(sharedPointX(own, other), nonce);
  return toHex(aesEncrypt(concatBytes(sha256(bytes).subarray(0, CHECKSUM_BYTES), bytes), key, iv));
}

function withoutLeadingZeros(x: Uint8Array): Uint8Array {
  const first = x.findIndex((byte) => byte !== 0);
  return first <= 0 ? x : x.subarray(first);
}

function tryToOpen(x: Uint8Array, nonce: string, secret: Uint8Array, padding: AesPadding): Uint8Array | undefined {
  const { key, iv } = memoCipher(x, nonce);
  try {
    return openPacket(aesDecrypt(secret, key, iv, padding));
  } catch (error) {
    if (error instanceof ChainError) return undefined;
    throw error;
  }
}

/**
 * The bytes that were sealed. Quirk: one public client leaves the padding out where whole blocks come out anyway, and old
 * ones write the common point without its leading zeros; both are read.
 */
export function openSealed(own: PrivateKey, other: PublicKey, nonce: string, hex: string): Uint8Array {
  const isWhole = /^(?:[0-9a-fA-F]{2})+$/.test(hex) && hex.length % BLOCK_HEX === 0;
  check(isWhole, PACKET_ERRORS.packet_form);
  const secret = fromHex(hex);
  const x = sharedPointX(own, other);
  const short = withoutLeadingZeros(x);
  for (const point of equalBytes(short, x) ? [x] : [x, short]) {
    for (const padding of ['pkcs7', 'none'] as const) {
      const opened = tryToOpen(point, nonce, secret, padding);
      if (opened !== undefined) return opened;
    }
  }
  return fail(PACKET_ERRORS.packet_damaged);
}
