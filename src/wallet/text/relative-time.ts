const UNITS: readonly (readonly [name: string, seconds: number, below: number])[] = [
  ['second', 1, 90],
  ['minute', 60, 90],
  ['hour', 3600, 90],
  ['day', 86_400, 90],
  ['week', 604_800, 70],
  ['month', 2_592_000, 12],
  ['year', 31_536_000, Number.POSITIVE_INFINITY],
];

/** In the largest unit that is not yet too large, rounded: `89 seconds ago`, `2 minutes in the future`. */
export function relativeTime(from: number, to: number, past = 'ago'): string {
  const away = Math.abs(to - from);
  const suffix = from > to ? 'in the future' : past;
  for (const [name, seconds, below] of UNITS) {
    const count = Math.floor((away + seconds / 2) / seconds);
    if (count < below) return `${count} ${name}${count > 1 ? 's' : ''} ${suffix}`;
  }
  return '';
}
