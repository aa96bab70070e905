/**
 * Messages end up in logs and bug reports. Any option may hold a key or a password by mistake, as when two lines of a
 * file run together, so only what cannot be one is repeated.
 */

/** Numbers, ids, versions, addresses in digits. */
const NUMBERS = /^[-+]?[\d.,:%]{1,24}$/;
/** No key has so few characters, and one digit at most. */
const NAME = /^(?=.{1,40}$)[a-z][a-z_-]*\d?[a-z_-]*$/;

export function quotedValue(text: string): string {
  return NUMBERS.test(text) ? text : `a text of ${text.length} characters (not shown)`;
}

export function quotedName(text: string): string {
  return NAME.test(text) ? text : `a name of ${text.length} characters (not shown)`;
}
