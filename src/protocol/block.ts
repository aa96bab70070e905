import { array } from '../codec/containers.js';
import { time } from '../codec/scalars.js';
import { extend, struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { extensions } from './extensions.js';
import { witnessId } from './ids.js';
import { blockId, checksum160, signature } from './keys.js';
import { processedTransaction } from './transaction.js';

export const blockHeader = struct('block_header', {
  previous: blockId,
  timestamp: time,
  witness: witnessId,
  transaction_merkle_root: checksum160,
  extensions,
});

export const signedBlockHeader = extend('signed_block_header', blockHeader, { witness_signature: signature });

export const signedBlock = extend('signed_block', signedBlockHeader, { transactions: array(processedTransaction) });
export type SignedBlock = ValueOf<typeof signedBlock>;
