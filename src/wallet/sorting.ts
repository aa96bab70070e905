import { compareText } from '../base/bytes.js';

/** A copy in the order of a text of each. */
export function sortedBy<V>(list: readonly V[], text: (value: V) => string): V[] {
  return [...list].sort((a, b) => compareText(text(a), text(b)));
}
