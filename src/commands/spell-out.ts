import type { OptionTable } from '../config/define.js';

/** What every command takes besides. */
const COMMON = ['help', 'version'];

/** The beginning of one name stands for it; that of several is left to the parser, which does not know it. */
function wholeName(begun: string, names: readonly string[]): string {
  if (names.includes(begun)) return begun;
  const meant = names.filter((name) => name.startsWith(begun));
  return meant.length === 1 ? (meant[0] as string) : begun;
}

/** Options as the family's programs take them: names begun, as long as one name alone begins so, and `-sVALUE`. */
export function speller(table: OptionTable, others: readonly string[] = []): (word: string) => string {
  const options = Object.entries(table);
  const names = [
    ...options.flatMap(([name, { alias }]) => (alias === undefined ? [name] : [name, alias])),
    ...others,
    ...COMMON,
  ];
  const byLetter = new Map(
    options.flatMap(([name, { short, kind }]) => {
      // A letter that needs no value may stand among others.
      return short !== undefined && kind.bare !== 'true' ? [[short, name] as const] : [];
    }),
  );
  return (word) => {
    const [, begun, value = ''] = /^--([a-z][a-z0-9-]*)(=.*)?$/s.exec(word) ?? [];
    if (begun !== undefined) return `--${wholeName(begun, names)}${value}`;
    const [, letter = '', joined] = /^-([A-Za-z])([^=-].*)$/s.exec(word) ?? [];
    const name = byLetter.get(letter);
    return name === undefined ? word : `--${name}=${joined}`;
  };
}
