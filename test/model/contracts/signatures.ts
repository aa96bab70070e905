import { toHex } from '../../../src/base/bytes.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { DEFAULT_KEY_PREFIX, publicKeyToText } from '../../../src/crypto/public-key.js';
import { signatureBackend } from '../../../src/crypto/signature.js';
import { must } from '../tables.js';

export const KEYS = ['x', 'y'].map((seed) => PrivateKey.fromSeed(`contract ${seed}`));
const TEXTS = new Map(KEYS.map(({ publicKey }) => [publicKeyToText(publicKey, DEFAULT_KEY_PREFIX), publicKey]));
export const KEY_TEXTS: readonly string[] = [...TEXTS.keys()];
const RAW_BYTES = 33;
const HEADER = 27;

/** Who signed what: the model does not compute keys from signatures. */
const signed = new Map<string, { readonly digest: string; readonly key: string }>();
const made = new Map<string, Uint8Array>();

/** The same signature for the same digest. */
export function sign(digest: Uint8Array, key: PrivateKey): Uint8Array {
  const what = `${toHex(digest)} ${key.publicKey}`;
  const signature = made.get(what) ?? signatureBackend().sign(digest, key);
  made.set(what, signature);
  signed.set(toHex(signature), { digest: toHex(digest), key: key.publicKey });
  return signature;
}

const isMinimal = (bytes: Uint8Array): boolean => {
  const [first = 0, second = 0] = bytes;
  return first < 0x80 && (first !== 0 || second >= 0x80);
};

/** Nobody's for a signature of something else. */
export function signerOf(digest: Uint8Array, signature: Uint8Array): string {
  const header = signature[0] as number;
  must(header >= HEADER && header < HEADER + 8, 'contract_signature_header');
  must(isMinimal(signature.subarray(1)) && isMinimal(signature.subarray(33)), 'contract_signature_not_canonical');
  const plain = Uint8Array.of(HEADER + 4 + ((header - HEADER) & 3), ...signature.subarray(1));
  const known = signed.get(toHex(plain));
  return known !== undefined && known.digest === toHex(digest) ? known.key : 'nobody';
}

/** Up to a zero, white space around it left out. */
export function keyOfText(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  must(text.startsWith(DEFAULT_KEY_PREFIX), 'no key');
  const [digits = ''] = text.slice(DEFAULT_KEY_PREFIX.length).split('\0');
  const key = TEXTS.get(DEFAULT_KEY_PREFIX + digits.trim());
  must(key !== undefined, 'no key');
  return key;
}

export function keyOfBytes(bytes: Uint8Array, mayBeText: boolean): string {
  if (mayBeText && Buffer.from(bytes).includes(DEFAULT_KEY_PREFIX)) return keyOfText(bytes);
  must(bytes.length >= RAW_BYTES, 'too short for a key');
  return toHex(bytes.subarray(0, RAW_BYTES));
}
