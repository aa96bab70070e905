import { isReason as isOwnReason } from '../own-operations/reasons.js';

/** As with the chain's own operations. */
const ROWS: readonly (readonly [RegExp, ...string[]])[] = [
  [/^no key$/, 'public_key_prefix_wrong', 'public_key_checksum_wrong', 'contract_key_empty', 'contract_key_data_short'],
  [/^too short for a key$/, 'contract_key_short'],
  [/^no module$/, 'wasm_malformed'],
  // Rows of before they were counted outlive their table: nobody's, then.
  [/^table_id \d+ is missing$/, 'contract_table_access'],
  [/^the rate divides by nothing$/, 'price_base_empty', 'divide_by_zero'],
];

export function isReason(words: string, key: string): boolean {
  const row = ROWS.find(([pattern]) => pattern.test(words));
  return row === undefined ? isOwnReason(words, key) : row.includes(key);
}
