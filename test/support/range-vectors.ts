import { readVectors } from './vectors.js';

export interface RangeVector {
  readonly name: string;
  readonly value: string;
  readonly min_value: string;
  readonly base10_exp: number;
  readonly min_bits: number;
  readonly blind: string;
  readonly nonce: string;
  readonly commitment: string;
  readonly proof_hex: string;
}

export const rangeVectors = readVectors<{ proofs: RangeVector[] }>('range-proofs.json').proofs;
