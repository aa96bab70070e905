import { byNumber } from '../base/harmless.js';

/**
 * Texts of strangers for people to read: what nobody sees, and what shows others in another order than they stand in,
 * makes two names look like one, or hides a part. Such letters are shown by their numbers.
 */

const CONTROLS = '[^\\P{Cc}\\n\\t]';
const UNSEEN = '[\\p{Bidi_Control}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\u2800\\ufff9-\\ufffb]';
/** Where scripts and pictures are put together by them they are part of what is seen. */
const JOINED =
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]|[^\\P{L}\\p{sc=Latn}\\p{sc=Grek}\\p{sc=Cyrl}]|[^\\P{M}\\p{sc=Zinh}])[\\u200c\\u200d]';
const VARIANT = '(?<=[\\p{Extended_Pictographic}\\p{sc=Han}])\\p{Variation_Selector}|(?<=[0-9#*])\\ufe0f(?=\\u20e3)';
const HIDDEN = new RegExp(`(?:${JOINED}|${VARIANT})|(${CONTROLS}|${UNSEEN})`, 'gu');

/** Line ends and tabs stay. */
export const visible = (text: string): string =>
  text.replace(HIDDEN, (letter, hidden: string | undefined) => (hidden === undefined ? letter : byNumber(letter)));
