import { concatBytes, equalBytes } from '../base/bytes.js';
import { invariant } from '../base/errors.js';
import { G, isScalar, modOrder, POINT_BYTES, readNumber, times, writePoint, writeScalar } from './curve.js';
import type { CurveBackend } from './curve-backend.js';
import { sha256 } from './hash.js';

/**
 * Borromean ring signatures (Maxwell and Poelstra, 2015): for every ring of points the signer knows the logarithm of
 * one member, and nobody sees of which.
 *
 * Around a ring each member's challenge is made from the step of the one before it; the first challenge of every ring
 * comes from the seal, which in turn is made of the last steps of all rings: that is the knot that ties them.
 */

export interface Rings {
  /** Compressed points. */
  readonly members: readonly (readonly Uint8Array[])[];
  /** 32 bytes that all members and everything else that is signed have gone into. */
  readonly message: Uint8Array;
}

export interface RingSignature {
  readonly seal: Uint8Array;
  /** One for each member. */
  readonly responses: readonly (readonly bigint[])[];
}

/** What the signer knows of a ring. */
export interface RingSecret {
  readonly index: number;
  /** Logarithm of the member at `index`. */
  readonly secret: bigint;
  readonly nonce: bigint;
  /** Stand for the responses of the other members; the one at `index` is not used. */
  readonly decoys: readonly bigint[];
}

/** The challenges of all members, which only its signer has a use for; undefined: the signature is not valid. */
export function verifyRings(curve: CurveBackend, rings: Rings, signature: RingSignature): bigint[][] | undefined {
  const lastSteps: Uint8Array[] = [];
  const challenges: bigint[][] = [];
  for (const [ring, members] of rings.members.entries()) {
    const seen: bigint[] = [];
    let step = signature.seal;
    for (const [i, member] of members.entries()) {
      const challenge = challengeOf(rings, step, ring, i);
      const next = takeStep(curve, member, challenge, signature.responses[ring]?.[i] ?? 0n);
      if (next === undefined) return undefined;
      seen.push(challenge);
      step = next;
    }
    challenges.push(seen);
    lastSteps.push(step);
  }
  return equalBytes(sealOf(rings, lastSteps), signature.seal) ? challenges : undefined;
}

/** Undefined for one of 2^127 choices of nonces: others are needed. */
export function signRings(
  curve: CurveBackend,
  rings: Rings,
  secrets: readonly RingSecret[],
): RingSignature | undefined {
  invariant(secrets.length === rings.members.length, 'a secret for each ring');
  // From the known member to the end of its ring.
  const lastSteps: Uint8Array[] = [];
  for (const [ring, { index, nonce, decoys }] of secrets.entries()) {
    const members = rings.members[ring] as readonly Uint8Array[];
    const start = writePoint(times(G, nonce));
    const step = walk(curve, rings, ring, decoys, start, index + 1, members.length);
    if (step === undefined) return undefined;
    lastSteps.push(step);
  }
  const seal = sealOf(rings, lastSteps);
  // From the beginning of each ring to the known member, whose response closes the ring.
  const responses: bigint[][] = [];
  for (const [ring, { index, secret, nonce, decoys }] of secrets.entries()) {
    const step = walk(curve, rings, ring, decoys, seal, 0, index);
    if (step === undefined) return undefined;
    const closing = modOrder(nonce - challengeOf(rings, step, ring, index) * secret);
    if (closing === 0n) return undefined;
    responses.push(decoys.map((decoy, i) => (i === index ? closing : decoy)));
  }
  return { seal, responses };
}

/** The step after members `from` to `to` − 1, by their decoys. */
function walk(
  curve: CurveBackend,
  rings: Rings,
  ring: number,
  decoys: readonly bigint[],
  start: Uint8Array,
  from: number,
  to: number,
): Uint8Array | undefined {
  let step: Uint8Array | undefined = start;
  for (let i = from; i < to && step !== undefined; i++) {
    const member = rings.members[ring]?.[i] as Uint8Array;
    step = takeStep(curve, member, challengeOf(rings, step, ring, i), decoys[i] as bigint);
  }
  return step;
}

/** response × G + challenge × member. */
function takeStep(
  curve: CurveBackend,
  member: Uint8Array,
  challenge: bigint,
  response: bigint,
): Uint8Array | undefined {
  if (!isScalar(challenge) || !isScalar(response)) return undefined;
  const step = new Uint8Array(POINT_BYTES);
  return curve.multiplyAdd(member, writeScalar(challenge), writeScalar(response), step) ? step : undefined;
}

function challengeOf(rings: Rings, step: Uint8Array, ring: number, member: number): bigint {
  const position = new Uint8Array(8);
  const view = new DataView(position.buffer);
  view.setUint32(0, ring);
  view.setUint32(4, member);
  return readNumber(sha256(concatBytes(step, rings.message, position)));
}

function sealOf(rings: Rings, lastSteps: readonly Uint8Array[]): Uint8Array {
  return sha256(concatBytes(...lastSteps, rings.message));
}
