import { check, defineErrors, FAMILY, fail } from '../base/errors.js';
import { I64_MAX } from '../base/int.js';
import { SHARE_SUPPLY_MAX } from '../protocol/asset.js';

export const AMOUNT_ERRORS = defineErrors({
  amount_text: {
    ...FAMILY.unspecified,
    text: '${amount}',
    hint: '${amount} is no amount: digits and at most one point',
  },
  amount_decimals: {
    text: 'rhs.size() <= max_rhs_size: ',
    hint: '${amount} has too many decimals: ${symbol} has ${precision}',
  },
  amount_overflow: { ...FAMILY.overflow, text: '', hint: '${amount} is larger than any amount can be' },
  amount_supply: {
    text: 'satoshis <= GRAPHENE_MAX_SHARE_SUPPLY: ',
    hint: '${amount} ${symbol} is more than any asset can have',
  },
});

/** What the text of an amount depends on. */
export interface Denomination {
  readonly symbol: string;
  readonly precision: number;
}

/** `1.5` of an asset with precision 5 is 150000. */
export function parseAmount(text: string, { precision, symbol }: Denomination): bigint {
  const match = /^(-?)(\d*)(?:\.(\d*))?$/.exec(text);
  // Quirk: no text at all is no amount, that is 0.
  if (match === null) return fail(AMOUNT_ERRORS.amount_text, { amount: text });
  const [, sign, whole = '', fraction = ''] = match;
  check(fraction.length <= precision, AMOUNT_ERRORS.amount_decimals, { amount: text, precision, symbol });
  const value = BigInt(`${whole}${fraction.padEnd(precision, '0')}` || '0');
  check(value <= I64_MAX, AMOUNT_ERRORS.amount_overflow, { amount: text });
  check(value <= SHARE_SUPPLY_MAX, AMOUNT_ERRORS.amount_supply, { amount: text, symbol });
  return sign === '-' ? -value : value;
}

/** Without a fraction where it is zero, else with all its digits: `1`, `0.01000`. */
export function amountText(amount: bigint, precision: number): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  const fraction = digits.slice(digits.length - precision);
  return `${amount < 0n ? '-' : ''}${whole}${/[1-9]/.test(fraction) ? `.${fraction}` : ''}`;
}

export function prettyAmount(amount: bigint, { symbol, precision }: Denomination): string {
  return `${amountText(amount, precision)} ${symbol}`;
}
