import { WALLET_OPTIONS } from '../../wallet/options.js';

/** What every command takes besides. */
const COMMON = ['help', 'version'];
const NAMES: readonly string[] = [...Object.keys(WALLET_OPTIONS), ...COMMON];

const BY_LETTER: ReadonlyMap<string, string> = new Map(
  Object.entries(WALLET_OPTIONS).flatMap(([name, option]) => {
    // A letter that needs no value may stand among others.
    const takesValue = option.kind.bare !== 'true';
    return 'short' in option && takesValue ? [[option.short, name] as const] : [];
  }),
);

/** The beginning of one name stands for it; that of several is left to the parser, which does not know it. */
function wholeName(begun: string): string {
  if (NAMES.includes(begun)) return begun;
  const meant = NAMES.filter((name) => name.startsWith(begun));
  return meant.length === 1 ? (meant[0] as string) : begun;
}

function spelledOut(word: string): string {
  const [, begun, value = ''] = /^--([a-z][a-z-]*)(=.*)?$/s.exec(word) ?? [];
  if (begun !== undefined) return `--${wholeName(begun)}${value}`;
  const [, letter = '', joined] = /^-([A-Za-z])([^=-].*)$/s.exec(word) ?? [];
  const name = BY_LETTER.get(letter);
  return name === undefined ? word : `--${name}=${joined}`;
}

/** Options as the family's wallet takes them: names begun, as long as one name alone begins so, and `-sURL`. */
export function spellOut(words: readonly string[]): string[] {
  return words.map((word, i) => {
    // What follows a command to run is that command.
    return words[i - 1] === '--exec' ? word : spelledOut(word);
  });
}
