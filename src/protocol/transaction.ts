import { array } from '../codec/containers.js';
import { time, u16, u32 } from '../codec/scalars.js';
import { extend, struct } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { extensions } from './extensions.js';
import { signature } from './keys.js';
import { operations } from './operation-slot.js';
import { operationResult } from './results.js';

export const transaction = struct('transaction', {
  ref_block_num: u16,
  ref_block_prefix: u32,
  expiration: time,
  operations,
  extensions,
});
export type Transaction = ValueOf<typeof transaction>;

export const signedTransaction = extend('signed_transaction', transaction, { signatures: array(signature) });
export type SignedTransaction = ValueOf<typeof signedTransaction>;

export const processedTransaction = extend('processed_transaction', signedTransaction, {
  operation_results: array(operationResult),
});
export type ProcessedTransaction = ValueOf<typeof processedTransaction>;
