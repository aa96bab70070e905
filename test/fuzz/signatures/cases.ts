import { concatBytes, fromHex, toHex } from '../../../src/base/bytes.js';
import { sha256 } from '../../../src/crypto/hash.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import {
  isCanonical,
  type SignatureBackend,
  type SignatureRule,
  signatureBackend,
} from '../../../src/crypto/signature.js';

/** Signatures, sound and broken in every way that a byte or a number can be: each number is always the same one. */

const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const FIELD = 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2fn;
const WIDTH = 1n << 256n;
const KEYS = Array.from({ length: 16 }, (_, i) => PrivateKey.fromSeed(`agreement ${i}`));

interface SignatureCase {
  readonly kind: string;
  readonly digest: Uint8Array;
  readonly signature: Uint8Array;
}

const to32 = (value: bigint): Uint8Array => fromHex((((value % WIDTH) + WIDTH) % WIDTH).toString(16).padStart(64, '0'));
const numberAt = (bytes: Uint8Array, at: number): bigint => BigInt(`0x${toHex(bytes.subarray(at, at + 32))}`);

/** 64 bytes that depend on the number and the word alone. */
const bytesOf = (number: number, word: string): Uint8Array => {
  const half = (n: number): Uint8Array => sha256(new TextEncoder().encode(`${word} ${number} ${n}`));
  return concatBytes(half(0), half(1));
};

interface Material {
  readonly number: number;
  readonly digest: Uint8Array;
  /** As it was made. */
  readonly sound: Uint8Array;
  readonly dice: Uint8Array;
}

const withR = (m: Material, r: bigint): Uint8Array =>
  concatBytes(m.sound.subarray(0, 1), to32(r), m.sound.subarray(33));
const withS = (m: Material, s: bigint): Uint8Array => concatBytes(m.sound.subarray(0, 33), to32(s));
const withHeader = (m: Material, header: number): Uint8Array => concatBytes(Uint8Array.of(header), m.sound.subarray(1));
/** A few around a bound. */
const near = (m: Material): bigint => BigInt((m.dice[2] as number) % 7) - 3n;
const bounds = (m: Material): bigint =>
  ([0n, ORDER / 2n, ORDER, FIELD, FIELD - ORDER, 1n << 255n, WIDTH - 1n][(m.dice[3] as number) % 7] as bigint) +
  near(m);

const KINDS: readonly (readonly [string, (m: Material) => Uint8Array])[] = [
  ['sound', (m) => m.sound],
  ['every header', (m) => withHeader(m, m.number & 0xff)],
  ['another recovery id', (m) => withHeader(m, 27 + ((m.dice[0] as number) % 8))],
  ['high s', (m) => withS(m, ORDER - numberAt(m.sound, 33))],
  [
    'high s of the other point',
    (m) => {
      const high = withS(m, ORDER - numberAt(m.sound, 33));
      high[0] = 31 + (((m.sound[0] as number) - 31) ^ 1);
      return high;
    },
  ],
  ['r at a bound', (m) => withR(m, bounds(m))],
  ['s at a bound', (m) => withS(m, bounds(m))],
  ['s above the order', (m) => withS(m, ORDER + (numberAt(m.dice, 0) >> 128n))],
  [
    'r above the order, with the id that says so',
    (m) => {
      const small = withR(m, BigInt(m.dice[4] as number) * 3n + BigInt((m.dice[5] as number) & 3));
      small[0] = 33 + ((m.dice[6] as number) & 1);
      return small;
    },
  ],
  ['another r', (m) => withR(m, numberAt(m.dice, 0))],
  ['another s', (m) => withS(m, numberAt(m.dice, 0))],
  [
    'one bit',
    (m) => {
      const bytes = m.sound.slice();
      const at = (m.dice[7] as number) % 65;
      bytes[at] = (bytes[at] as number) ^ (1 << ((m.dice[8] as number) & 7));
      return bytes;
    },
  ],
  [
    'r and s the other way round',
    (m) => concatBytes(m.sound.subarray(0, 1), m.sound.subarray(33), m.sound.subarray(1, 33)),
  ],
  ['noise', (m) => concatBytes(Uint8Array.of(27 + ((m.dice[9] as number) & 7)), m.dice)],
];

/** Digests that are numbers at a bound as well. */
const digestOf = (number: number, dice: Uint8Array): Uint8Array =>
  (dice[10] as number) < 8
    ? to32([0n, ORDER, ORDER - 1n, WIDTH - 1n][(dice[11] as number) & 3] as bigint)
    : sha256(bytesOf(number, 'digest'));

function signatureCase(number: number): SignatureCase {
  const dice = bytesOf(number, 'dice');
  const digest = digestOf(number, dice);
  const key = KEYS[(dice[12] as number) % KEYS.length] as PrivateKey;
  const [kind, make] = KINDS[number % KINDS.length] as (typeof KINDS)[number];
  return { kind, digest, signature: make({ number, digest, dice, sound: signatureBackend().sign(digest, key) }) };
}

export const CASE_KINDS: readonly string[] = KINDS.map(([kind]) => kind);

/** A key, or the refusal by the chain's rule; where that is about the form alone, what the other rule says too. */
function answerOf(backend: SignatureBackend, one: SignatureCase): string {
  const answer = answerBy(backend, one, 'canonical');
  return isCanonical(one.signature) ? answer : `${answer}; ${answerBy(backend, one, 'any')}`;
}

function answerBy(backend: SignatureBackend, { digest, signature }: SignatureCase, rule: SignatureRule): string {
  try {
    return backend.recover(digest, signature, rule);
  } catch (error) {
    return (error as Error).message;
  }
}

interface Compared {
  /** By kind: how many were a key by one of the rules. */
  readonly keys: ReadonlyMap<string, number>;
  readonly differing: readonly string[];
}

/** What all back-ends say of the cases `from` to `from + count`. */
export function compareBackends(backends: readonly SignatureBackend[], from: number, count: number): Compared {
  const keys = new Map(CASE_KINDS.map((kind) => [kind, 0]));
  const differing: string[] = [];
  for (let number = from; number < from + count; number++) {
    const one = signatureCase(number);
    const answers = backends.map((backend) => answerOf(backend, one));
    if (new Set(answers).size > 1) {
      differing.push(`${number}, ${one.kind}: ${backends.map(({ name }, i) => `${name} ${answers[i]}`).join(' | ')}`);
    }
    if (/[0-9a-f]{66}/.test(answers[0] as string)) keys.set(one.kind, (keys.get(one.kind) ?? 0) + 1);
  }
  return { keys, differing };
}
