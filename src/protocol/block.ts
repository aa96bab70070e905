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

/** What a message between nodes holds at most. */
export const MESSAGE_BYTES_MAX = 2 * 1024 * 1024;
const BLOCK_ID_BYTES = 20;
/** A larger block could be told to nobody: it travels together with its id. */
export const BLOCK_BYTES_MAX = MESSAGE_BYTES_MAX - BLOCK_ID_BYTES;
