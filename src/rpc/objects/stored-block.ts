import { type SignedBlock, signedBlock } from '../../protocol/block.js';
import type { Pieces } from '../pieces/pieces.js';
import { readPieces } from '../pieces/read.js';
import type { ChainPort } from '../ports.js';

/** The block of the chain with this number; the largest would hold everybody up for a while if it were read at once. */
export function* storedBlock(chain: ChainPort, number: number): Pieces<SignedBlock | undefined> {
  const stored = chain.packedBlock(number);
  return stored === undefined ? undefined : yield* readPieces(signedBlock, stored.bytes);
}
