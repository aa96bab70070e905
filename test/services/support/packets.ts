import { createCipheriv, createDecipheriv, createECDH, createHash } from 'node:crypto';
import { fromBase58 } from '../../../src/crypto/base58.js';

/** The packets of the exchange with nothing but the platform's own primitives, as old clients make and read them. */

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
const sha512Hex = (bytes: Buffer | string): string => createHash('sha512').update(bytes).digest('hex');

const KEY_BYTES = 33;
const BLOCK = 16;

function secretOf(wif: string): Buffer {
  return Buffer.from(fromBase58(wif).subarray(1, KEY_BYTES));
}

function pointOf(publicKey: string): Buffer {
  return Buffer.from(fromBase58(publicKey.slice(3)).subarray(0, KEY_BYTES));
}

interface Cipher {
  readonly key: Buffer;
  readonly iv: Buffer;
}

function cipherOf(wif: string, publicKey: string, nonce: string): Cipher {
  const ecdh = createECDH('secp256k1');
  ecdh.setPrivateKey(secretOf(wif));
  const secret = sha512Hex(ecdh.computeSecret(pointOf(publicKey)));
  const hash = sha512Hex(nonce + secret);
  return { key: Buffer.from(hash.slice(0, 64), 'hex'), iv: Buffer.from(hash.slice(64, 96), 'hex') };
}

export const md5Hex = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

/** `padded: 'not when whole'` is how one public client does it. */
export function seal(
  wif: string,
  publicKey: string,
  nonce: string,
  text: string,
  padded: 'always' | 'not when whole' = 'always',
): string {
  const bytes = Buffer.from(text, 'utf8');
  const packet = Buffer.concat([sha256(bytes).subarray(0, 4), bytes]);
  const { key, iv } = cipherOf(wif, publicKey, nonce);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  if (padded === 'not when whole' && packet.length % BLOCK === 0) cipher.setAutoPadding(false);
  return Buffer.concat([cipher.update(packet), cipher.final()]).toString('hex');
}

/** Undefined for what does not open. */
export function open(wif: string, publicKey: string, nonce: string, hex: string): string | undefined {
  const { key, iv } = cipherOf(wif, publicKey, nonce);
  for (const isPadded of [true, false]) {
    const decipher = createDecipheriv('aes-256-cbc', key, iv);
    decipher.setAutoPadding(isPadded);
    try {
      const packet = Buffer.concat([decipher.update(Buffer.from(hex, 'hex')), decipher.final()]);
      const text = packet.subarray(4);
      if (packet.subarray(0, 4).equals(sha256(text).subarray(0, 4))) return text.toString('utf8');
    } catch {
      // The other form, then.
    }
  }
  return undefined;
}
