import { decodeTrusted } from '../../../src/codec/binary.js';
import { signedBlock } from '../../../src/protocol/block.js';
import type { ProcessedTransaction } from '../../../src/protocol/transaction.js';
import type { ChainPort } from '../../../src/rpc/ports.js';

/** Transactions of a block; none where there is no such block. */
export function transactionsOf(chain: ChainPort, number: number): readonly ProcessedTransaction[] {
  const stored = chain.packedBlock(number);
  return stored === undefined ? [] : decodeTrusted(signedBlock, stored.bytes).transactions;
}
