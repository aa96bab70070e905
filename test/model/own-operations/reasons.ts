/** What the model says of a refusal, and the keys of the program's rows that mean it; most are the key itself. */
const ROWS: readonly (readonly [RegExp, ...string[]])[] = [
  [/^the fee is negative$/, 'fee_payment_negative'],
  [/^a fee below zero$/, 'operation_fee_negative'],
  [/ is missing$/, 'object_missing'],
  [/^the payer may not hold the asset of the fee$/, 'fee_asset_unauthorized'],
  [/^the price is of other assets$/, 'price_asset'],
  [/^the price divides by nothing$/, 'price_base_empty'],
  [/^the price makes too much of it$/, 'amount_above_supply'],
  [/^the fee is not worth core$/, 'fee_not_in_core', 'fee_not_in_original_core'],
  [/^the pool has less$/, 'fee_pool_empty'],
  [/^the fee is too small$/, 'fee_insufficient'],
  [/^the scaled fee is too large$/, 'fee_above_supply'],
  [/^an amount overflows$/, 'integer_overflow', 'integer_underflow'],
  [/^a balance begins below zero$/, 'balance_missing'],
  [/^the balance is too small$/, 'balance_insufficient'],
  [/^a second /, 'object_not_unique'],
  [/^no such product$/, 'product_missing', 'product_type_unknown', 'product_space_unknown'],
];

export function isReason(words: string, key: string): boolean {
  const row = ROWS.find(([pattern]) => pattern.test(words));
  return row === undefined ? words === key : row.includes(key);
}
