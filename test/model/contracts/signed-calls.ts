import { equalBytes, fromHex } from '../../../src/base/bytes.js';
import { sha256 } from '../../../src/crypto/hash.js';
import type { PrivateKey } from '../../../src/crypto/private-key.js';
import type { SeededRandom } from '../../sim/random.js';
import type { HostName } from './host-types.js';
import { KEY_TEXTS, KEYS, sign } from './signatures.js';

const [DATA, SIGNATURE, KEY] = [256, 512, 640];

/** A question about a signature, and what has to be in the memory for it. */
interface SignedCall {
  readonly name: HostName;
  readonly places: readonly (readonly [at: number, bytes: Uint8Array])[];
  readonly given: readonly number[];
}

export function lengthBytes(length: number): number[] {
  const out: number[] = [];
  let rest = length;
  for (; rest >= 0x80; rest >>>= 7) out.push((rest & 0x7f) | 0x80);
  return [...out, rest];
}

const ended = (bytes: Uint8Array): Uint8Array => Uint8Array.of(...bytes, 0);

function spoiled(random: SeededRandom, signature: Uint8Array): Uint8Array {
  const bytes = signature.slice();
  const [header = 0] = bytes;
  const kind = random.below(4);
  if (kind < 2) bytes[0] = random.pick([26, 35, 0, 255, header - 4]);
  else bytes.set(kind === 2 ? [0x80] : [0, 0x7f], random.pick([1, 33]));
  return bytes;
}

function keyBytes(random: SeededRandom, index: number, isText: boolean): Uint8Array {
  const text = KEY_TEXTS[index] as string;
  const raw = fromHex((KEYS[index] as PrivateKey).publicKey);
  const texts = [text, text, text, `GXC ${text.slice(3)}`, `${text} \t`];
  if (random.chance(0.1)) texts.push('GXC', `x${text}`, `${text.slice(0, -1)}1`);
  if (isText) return Buffer.from(random.pick(texts));
  texts.push(`${text}\0`, `${text}\0more`);
  const raws = [raw, raw, Uint8Array.of(...raw, 1, 2), ...(random.chance(0.3) ? [raw.subarray(1)] : [])];
  return random.chance(0.5) ? random.pick(raws) : Buffer.from(random.pick(texts));
}

/** Something is wrong with the signature or with the key, but never with both. */
export function signedCall(random: SeededRandom): SignedCall {
  const isText = random.chance(0.5);
  const signed = Buffer.from(random.pick(['', 'some words', 'x'.repeat(130)]));
  const digest = isText ? sha256(Uint8Array.of(...lengthBytes(signed.length), ...signed)) : sha256(signed);
  const index = random.below(KEYS.length);
  const right = sign(digest, KEYS[index] as PrivateKey);
  const signature = random.chance(0.85) ? right : spoiled(random, right);
  const text = KEY_TEXTS[index] as string;
  const other = random.chance(0.8) ? index : random.below(KEYS.length);
  const key = equalBytes(signature, right) ? keyBytes(random, other, isText) : Buffer.from(text);
  const places = [
    [DATA, isText ? ended(signed) : digest],
    [SIGNATURE, signature],
    [KEY, isText ? ended(key) : key],
  ] as const;
  return isText
    ? { name: 'verify_signature', places, given: [DATA, random.below(9), SIGNATURE, KEY, random.below(9)] }
    : { name: 'assert_recover_key', places, given: [DATA, SIGNATURE, KEY, key.length] };
}
