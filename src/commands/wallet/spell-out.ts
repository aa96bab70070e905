import { WALLET_OPTIONS } from '../../wallet/options.js';
import { speller } from '../spell-out.js';

const spelledOut = speller(WALLET_OPTIONS);

/** What follows a command to run is that command. */
export const spellOut = (words: readonly string[]): string[] =>
  words.map((word, i) => (words[i - 1] === '--exec' ? word : spelledOut(word)));
