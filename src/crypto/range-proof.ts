import { concatBytes, fromHex } from '../base/bytes.js';
import { blind, type Commitment, commitmentPoint } from './blind.js';
import { type RingSignature, type Rings, verifyRings } from './borromean.js';
import {
  H,
  invertScalar,
  modOrder,
  type Point,
  readNumber,
  readPoint,
  SCALAR_BYTES,
  times,
  writeScalar,
} from './curve.js';
import type { CurveBackend } from './curve-backend.js';
import { sha256 } from './hash.js';
import { type RangeInfo, rangeScale, readRangeHeader } from './range-header.js';
import { digitsOf, drawRings, ringMembers, ringSizes, xorBytes } from './range-rings.js';
import { readSealedValue } from './sealed-value.js';

/**
 * Range proofs of confidential values, in the format that the MIT-licensed library secp256k1-zkp had in 2015
 * (Maxwell, "Confidential Transactions"): that the value under a commitment lies in the range that the header names.
 *
 *     header
 *     signs of the commitments to all digits but the last, a bit each
 *     x of these commitments, 32 B each (what is left of the whole commitment is the last one)
 *     seal of the ring signature, 32 B
 *     responses of all ring members, 32 B each
 *
 * A proof has 32 rings of 4 and 5,134 bytes at most; work grows with them and with nothing else. Checking the longest
 * one takes one multiplication on the curve for each of 128 members.
 */

interface ParsedProof {
  readonly info: RangeInfo;
  readonly header: Uint8Array;
  readonly rings: Rings;
  readonly signature: RingSignature;
}

export interface Rewound {
  readonly info: RangeInfo;
  readonly value: bigint;
  readonly factor: Uint8Array;
  /** What the maker hid in the proof besides; zeros where that is nothing. */
  readonly message: Uint8Array;
}

/** The range that a proof proves; undefined: it proves nothing. Any bytes may be asked about. */
export function verifyRange(curve: CurveBackend, commitment: Commitment, proof: Uint8Array): RangeInfo | undefined {
  const parsed = parseProof(commitment, proof);
  if (parsed === undefined) return undefined;
  return verifyRings(curve, parsed.rings, parsed.signature) === undefined ? undefined : parsed.info;
}

/** What the maker of a valid proof knew, for whom has the nonce it was made with; undefined for all others. */
export function rewindRange(
  curve: CurveBackend,
  nonce: Uint8Array,
  commitment: Commitment,
  proof: Uint8Array,
): Rewound | undefined {
  const parsed = parseProof(commitment, proof);
  const challenges = parsed && verifyRings(curve, parsed.rings, parsed.signature);
  if (parsed === undefined || challenges === undefined) return undefined;
  const { info, signature } = parsed;
  const sizes = ringSizes(info.mantissa);
  const { factors, masks } = drawRings(sizes, nonce, fromHex(commitment), parsed.header);
  const last = sizes.length - 1;
  const unmask = (ring: number, i: number, scalar: bigint): Uint8Array =>
    xorBytes(writeScalar(scalar), masks[ring]?.[i] as Uint8Array);
  const responseOf = (ring: number, i: number): bigint => signature.responses[ring]?.[i] as bigint;
  const challengeOf = (ring: number, i: number): bigint => challenges[ring]?.[i] as bigint;

  const lastSize = sizes[last] as number;
  const sealed = readSealedValue(lastSize, info.mantissa, (i) => unmask(last, i, responseOf(last, i)));
  if (sealed === undefined) return undefined;
  const digits = digitsOf(sealed.hidden, sizes.length);

  // response = nonce − challenge × secret, in the last ring with a nonce that is drawn, in the others with a secret that is.
  const known = digits[last] as number;
  const drawn = readNumber(masks[last]?.[known] as Uint8Array);
  const secret = (drawn - responseOf(last, known)) * invertScalar(challengeOf(last, known));
  const factor = writeScalar(modOrder(secret - (factors[last] as bigint)));
  const value = info.minValue + sealed.hidden * rangeScale(info.exponent);
  if (!isCommitmentTo(commitment, factor, value)) return undefined;

  const message: Uint8Array[] = [];
  for (const [ring, size] of sizes.entries()) {
    for (let i = 0; i < size; i++) {
      if (ring === last && (i === known || i === sealed.index)) continue;
      const response = responseOf(ring, i);
      const isKnown = i === digits[ring];
      const scalar = isKnown ? modOrder(response + challengeOf(ring, i) * (factors[ring] as bigint)) : response;
      message.push(unmask(ring, i, scalar));
    }
  }
  return { info, value, factor, message: concatBytes(...message) };
}

/** Undefined: these bytes have not the form of a proof for this commitment. */
function parseProof(commitment: Commitment, proof: Uint8Array): ParsedProof | undefined {
  const head = readRangeHeader(proof);
  const whole = commitmentPoint(commitment);
  if (head === undefined || whole === undefined) return undefined;
  const { info, length } = head;
  const sizes = ringSizes(info.mantissa);
  const coded = sizes.length - 1;
  const signBytes = (coded + 7) >> 3;
  const members = sizes.reduce((sum, size) => sum + size, 0);
  if (proof.length !== length + signBytes + (coded + 1 + members) * SCALAR_BYTES) return undefined;

  let at = length + signBytes;
  const take = (): Uint8Array => {
    at += SCALAR_BYTES;
    return proof.subarray(at - SCALAR_BYTES, at);
  };
  const signs = proof.subarray(length, at);
  // Bits that say nothing must be 0, or others could change a proof and leave it valid.
  if (coded % 8 > 0 && (signs[signBytes - 1] as number) >> (coded % 8) !== 0) return undefined;

  const commitments: Uint8Array[] = [];
  const firsts: Point[] = [];
  let sum = times(H, info.minValue);
  for (let ring = 0; ring < coded; ring++) {
    const sign = ((signs[ring >> 3] as number) >> (ring & 7)) & 1;
    const compressed = concatBytes(Uint8Array.of(2 + sign), take());
    const first = readPoint(compressed);
    if (first === undefined) return undefined;
    commitments.push(compressed);
    firsts.push(first);
    sum = sum.add(first);
  }
  firsts.push(whole.subtract(sum));
  const header = proof.subarray(0, length);
  const ringPoints = ringMembers(firsts, sizes, rangeScale(info.exponent));
  if (ringPoints === undefined) return undefined;
  const seal = take();
  const responses = sizes.map((size) => Array.from({ length: size }, () => readNumber(take())));
  const message = rangeMessage(commitment, header, commitments);
  return { info, header, rings: { members: ringPoints, message }, signature: { seal, responses } };
}

/** What the ring signature signs. */
export function rangeMessage(
  commitment: Commitment,
  header: Uint8Array,
  digitCommitments: readonly Uint8Array[],
): Uint8Array {
  return sha256(concatBytes(fromHex(commitment), header, ...digitCommitments));
}

export function isCommitmentTo(commitment: Commitment, factor: Uint8Array, value: bigint): boolean {
  const isNothing = value === 0n && readNumber(factor) === 0n;
  return !isNothing && blind(factor, value) === commitment;
}
