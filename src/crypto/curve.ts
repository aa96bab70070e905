import { etc, Point } from '@noble/secp256k1';
import { fromHex, toHex } from '../base/bytes.js';

/**
 * The curve under commitments and their range proofs. Its work takes longer for some scalars than for others:
 * fit for a node that checks what is public, or computes for whoever handed it the secret.
 */

export type { Point } from '@noble/secp256k1';

export const POINT_BYTES = 33;
export const SCALAR_BYTES = 32;
export const ORDER = Point.CURVE().n;

/** Carries blinding factors. */
export const G = Point.BASE;
/** Carries values. Nobody knows its logarithm, for its x is the sha256 of the uncompressed first generator. */
export const H = Point.fromHex('0250929b74c1a04954b78b4b6035e97a5e078a5a0f28ec96d547bfee9ace803ac0');

/** A scalar of 0 is allowed, and gives no point. */
export function times(point: Point, scalar: bigint): Point {
  return point.multiplyUnsafe(scalar);
}

/** Undefined: not on the curve, which of untrusted bytes is an answer and no failure. */
export function readPoint(compressed: Uint8Array): Point | undefined {
  if (compressed.length !== POINT_BYTES) return undefined;
  try {
    return Point.fromBytes(compressed);
  } catch {
    // The library has no other way to say so.
    return undefined;
  }
}

/** Compressed form of a point that is one. The library's own function checks the curve's equation again, twice as slow. */
export function writePoint(point: Point): Uint8Array {
  const { x, y } = point.toAffine();
  return fromHex((y & 1n ? '03' : '02') + x.toString(16).padStart(2 * SCALAR_BYTES, '0'));
}

/** Any 32 bytes as a number: it may be the curve's order or more. */
export function readNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${toHex(bytes)}`);
}

/** Of a number from 0 to the order of the curve. */
export function writeScalar(scalar: bigint): Uint8Array {
  return fromHex(scalar.toString(16).padStart(2 * SCALAR_BYTES, '0'));
}

/** Into 0 to order − 1. */
export function modOrder(value: bigint): bigint {
  const rest = value % ORDER;
  return rest < 0n ? rest + ORDER : rest;
}

export function isScalar(value: bigint): boolean {
  return value > 0n && value < ORDER;
}

/** Of a scalar other than 0. */
export function invertScalar(scalar: bigint): bigint {
  return etc.invert(scalar, ORDER);
}
