import { decode, encodeWith } from '../codec/binary.js';
import type { DecodeRules } from '../codec/decode-rules.js';
import { processedTransaction } from '../protocol/transaction.js';
import type { TransactionFacts } from './facts.js';

/**
 * What has no more bytes passes every bound of the decoder: the smallest one for lists is 22,215 elements, and 18 bytes are
 * the least that a level of nesting takes which costs 11 of the budget for depth.
 */
const HARMLESS_BYTES = 1024;

/**
 * Refuses a transaction that others could not decode, by encoding and decoding it: it may have come as JSON, or was decoded
 * by other rules.
 */
export function checkDecodable(facts: TransactionFacts, rules: DecodeRules): void {
  if (facts.size <= HARMLESS_BYTES) return;
  encodeWith(processedTransaction, facts.transaction, (bytes) => {
    decode(processedTransaction, bytes, 'refuse', rules);
  });
}
