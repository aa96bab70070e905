import { concatBytes } from '../base/bytes.js';
import { H, isScalar, modOrder, type Point, readNumber, times, writePoint } from './curve.js';
import { NonceStream } from './nonce-stream.js';

/**
 * What maker, checker and owner of a range proof have in common. The hidden part of a value is written in digits of
 * base 4, the lowest first; each digit is committed to, and the commitments add up to that of the value. One ring for
 * each digit says: this is a commitment to 0, or to 1, or to 2, or to 3, for one of
 *
 *     C, C − 1 × unit × H, C − 2 × unit × H, C − 3 × unit × H
 *
 * is a commitment to nothing, that is blinding factor × G, whose logarithm the maker knows.
 */

const DIGIT_BITS = 2;
const DIGITS = 4;

/** Members of each ring, at most 32 rings. The top digit of an odd number of bits is 0 or 1; a bare value has one ring of one. */
export function ringSizes(mantissa: number): number[] {
  if (mantissa === 0) return [1];
  const sizes: number[] = new Array(mantissa >> 1).fill(DIGITS);
  if (mantissa % 2 === 1) sizes.push(2);
  return sizes;
}

export function digitsOf(value: bigint, count: number): number[] {
  return Array.from({ length: count }, (_, i) => Number((value >> BigInt(DIGIT_BITS * i)) & 3n));
}

/** The value of one unit of digit `ring`. */
export function digitUnit(scale: bigint, ring: number): bigint {
  return scale << BigInt(DIGIT_BITS * ring);
}

/** All members of the rings with these first ones; undefined where one of them is no point. */
export function ringMembers(
  firsts: readonly Point[],
  sizes: readonly number[],
  scale: bigint,
): Uint8Array[][] | undefined {
  const rings: Uint8Array[][] = [];
  let unit = times(H, scale);
  for (const [ring, size] of sizes.entries()) {
    const members: Uint8Array[] = [];
    let member = firsts[ring] as Point;
    for (let digit = 0; digit < size; digit++) {
      if (digit > 0) member = member.subtract(unit);
      if (member.is0()) return undefined;
      members.push(writePoint(member));
    }
    rings.push(members);
    unit = unit.double().double();
  }
  return rings;
}

export interface RingDraws {
  /** Blinding factors of the digits. Together they are 0: the one of the value is added to the last. */
  readonly factors: readonly bigint[];
  /** 32 bytes for each ring member. */
  readonly masks: readonly (readonly Uint8Array[])[];
}

/** All that the maker of a proof needs by chance. Who knows the nonce draws the same again: that is how a proof is rewound. */
export function drawRings(
  sizes: readonly number[],
  nonce: Uint8Array,
  commitment: Uint8Array,
  header: Uint8Array,
): RingDraws {
  const stream = new NonceStream(concatBytes(nonce, commitment, header));
  const factors: bigint[] = [];
  const masks: Uint8Array[][] = [];
  let sum = 0n;
  for (const [ring, size] of sizes.entries()) {
    if (ring < sizes.length - 1) {
      // The format skips a number before each factor.
      stream.next();
      let factor = readNumber(stream.next());
      while (!isScalar(factor)) factor = readNumber(stream.next());
      factors.push(factor);
      sum += factor;
    } else {
      factors.push(modOrder(-sum));
    }
    masks.push(Array.from({ length: size }, () => stream.next()));
  }
  return { factors, masks };
}

/** Bit by bit either, but not both: hides bytes under a mask, and shows them again. */
export function xorBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  return a.map((byte, i) => byte ^ (b[i] as number));
}
