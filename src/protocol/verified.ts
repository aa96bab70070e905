import type { ChainError } from '../base/errors.js';
import type { SignedBlock } from './block.js';
import type { SignedTransaction } from './transaction.js';

/**
 * What can be computed of transactions and blocks without the chain's state, ahead of time and in other threads.
 * The chain compares and judges; nothing here says that a signature is the right one.
 */

export interface VerifiedTransaction<T extends SignedTransaction = SignedTransaction> {
  readonly transaction: T;
  /** 20 bytes, hex. */
  readonly id: string;
  /** Size of the packed transaction without its signatures. */
  readonly packedBytes: number;
  /** One public key for each signature, in their order, up to the first bad one. */
  readonly keys: readonly string[];
  /** Of the first bad signature. The chain raises it when the turn of the signatures has come, not before. */
  readonly keyError: ChainError | undefined;
}

export interface VerifiedBlock {
  readonly block: SignedBlock;
  /** 20 bytes, hex. Its number is that of the previous id and one. */
  readonly id: string;
  readonly num: number;
  /** The packed block. */
  readonly bytes: Uint8Array;
  /** As computed from the transactions, to be compared with the header's. */
  readonly merkleRoot: string;
  /** Who signed the header; undefined when that signature is bad. */
  readonly signingKey: string | undefined;
  readonly signingKeyError: ChainError | undefined;
  readonly transactions: readonly VerifiedTransaction<SignedBlock['transactions'][number]>[];
}
