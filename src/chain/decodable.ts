import { decode, encodeWith } from '../codec/binary.js';
import type { DecodeRules } from '../codec/decode-rules.js';
import { processedTransaction } from '../protocol/transaction.js';
import type { TransactionFacts } from './facts.js';

/**
 * Shorter than anything that a decoder refuses for its size: the smallest bound is one of 22,215 elements, and a level of
 * nesting that takes 11 of the depth budget has 18 bytes.
 */
const HARMLESS_BYTES = 1024;

/**
 * A transaction that came as JSON was never decoded, and one that was may have been by other rules: whether others can
 * decode it is found out by doing so.
 */
export function checkDecodable(facts: TransactionFacts, rules: DecodeRules): void {
  if (facts.size <= HARMLESS_BYTES) return;
  encodeWith(processedTransaction, facts.transaction, (bytes) => {
    decode(processedTransaction, bytes, 'refuse', rules);
  });
}
