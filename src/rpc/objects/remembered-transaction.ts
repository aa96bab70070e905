import type { SignedTransaction } from '../../protocol/transaction.js';
import type { RememberedTransaction } from '../../state/objects/transaction.js';
import type { Pieces } from '../pieces/pieces.js';
import type { ChainPort } from '../ports.js';
import { storedBlock } from './stored-block.js';

/** The body of a transaction of which the state knows little more than its id: most are in blocks on the disk. */
export function* transactionBody(
  chain: ChainPort,
  remembered: RememberedTransaction,
): Pieces<SignedTransaction | undefined> {
  const { storedBlock: number, position } = remembered;
  if (number === undefined) return remembered.trx;
  return (yield* storedBlock(chain, number))?.transactions[position];
}
