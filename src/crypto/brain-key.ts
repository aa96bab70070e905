import { sha256, sha512 } from './hash.js';
import { PrivateKey } from './private-key.js';

/**
 * `reference` is the form of the chain's own wallet; `client` is what the public JavaScript libraries make of the same
 * words. They differ in case only, and therefore give different keys.
 */
export type BrainKeyForm = 'reference' | 'client';

/** Runs of the six white-space characters collapse to one space, the ends are cut, a–z become A–Z in one form. */
export function normalizeBrainKey(words: string, form: BrainKeyForm = 'reference'): string {
  const plain = words.replace(/[ \t\r\n\v\f]+/g, ' ').replace(/^ | $/g, '');
  // Only a–z: other letters keep their case, as the chain's tools know ASCII alone.
  return form === 'client' ? plain : plain.replace(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** Key number `sequence` of a normalised brain key. A WIF as the text gives the child keys of the wallet. */
export function deriveKey(normalized: string, sequence: number): PrivateKey {
  return PrivateKey.fromBytes(sha256(sha512(new TextEncoder().encode(`${normalized} ${sequence}`))));
}

export function brainKeyToPrivateKey(words: string, sequence = 0, form: BrainKeyForm = 'reference'): PrivateKey {
  return deriveKey(normalizeBrainKey(words, form), sequence);
}

// Every part has a fixed length, tails come last: two different choices never spell the same word.
const STARTS = 'b c d f g h k l m n p r s t v z'.split(' ');
const MIDDLES = 'a e i o'.split(' ');
const ENDS = 'bal der fin gol hun kar len mis nod pur rak sel tim vos wen zol'.split(' ');
const TAILS = ['', 'a', 'i', 'o'];

/** 4096 different pronounceable words, made by rule so that no list has to be shipped: 12 bits each. */
export const BRAIN_WORDS: readonly string[] = STARTS.flatMap((start) =>
  MIDDLES.flatMap((middle) => ENDS.flatMap((end) => TAILS.map((tail) => start + middle + end + tail))),
);

const SUGGESTED_WORDS = 16;

/** A new brain key of 16 words (192 bits). `random` returns that many unpredictable bytes. */
export function suggestBrainKey(random: (bytes: number) => Uint8Array): string {
  const bytes = random(2 * SUGGESTED_WORDS);
  const words: string[] = [];
  for (let i = 0; i < SUGGESTED_WORDS; i++) {
    const draw = ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number);
    // 65536 is a multiple of 4096: every word is equally likely.
    words.push(BRAIN_WORDS[draw % BRAIN_WORDS.length] as string);
  }
  return normalizeBrainKey(words.join(' '));
}
