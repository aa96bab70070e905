/** Amounts of the market's asset, as people read and write them. */

export interface Denomination {
  readonly symbol: string;
  readonly precision: number;
}

/** Smallest units in units of display, without zeros at the end. */
export function decimalText(units: bigint, precision: number): string {
  const digits = units.toString().padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  const fraction = digits.slice(digits.length - precision).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

export const amountText = (units: bigint, { symbol, precision }: Denomination): string =>
  `${decimalText(units, precision)} ${symbol}`;

/** What bills tell is in units of display already. */
export const billText = (amount: number, { symbol, precision }: Denomination): string =>
  `${Number(amount.toFixed(precision))} ${symbol}`;

/** Smallest units of what somebody has typed. */
export function readUnits(text: string, { symbol, precision }: Denomination): bigint {
  const match = /^(\d{1,12})(?:\.(\d*))?$/.exec(text.trim());
  if (match === null) throw new Error('An amount is written in digits, such as 0.25');
  const [, whole = '', fraction = ''] = match;
  if (fraction.length > precision) throw new Error(`${symbol} has at most ${precision} digits behind the point`);
  return BigInt(whole + fraction.padEnd(precision, '0'));
}
