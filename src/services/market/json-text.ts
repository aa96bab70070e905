/** JSON with numbers as they are: amounts of money have more digits than a double, whole or with a fraction. */

/** A number that is written as it stands. */
export class Decimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Smallest units in units of display: 5 digits behind the point make 106.91608 of 10691608. */
export function decimalOf(units: bigint, precision: number): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(precision + 1, '0');
  const whole = digits.slice(0, digits.length - precision);
  const fraction = digits.slice(digits.length - precision).replace(/0+$/, '');
  return new Decimal(`${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`);
}

export function jsonText(value: unknown): string {
  if (value instanceof Decimal) return value.text;
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(jsonText).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value ?? null);
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${jsonText(member)}`],
  );
  return `{${members.join(',')}}`;
}
