/** What accounts and assets may be called. */

const ACCOUNT_NAME = /^(?=.{1,63}$)[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** Labels joined by dots; a label starts with a letter, ends with a letter or digit, and may hold hyphens inside. */
export function isValidAccountName(name: string): boolean {
  return ACCOUNT_NAME.test(name);
}

/** Names that nobody would mistake for a word cost less: a digit or sign in them, or no vowel. */
export function isCheapName(name: string): boolean {
  return /[0-9./-]/.test(name) || !/[aeiouy]/.test(name);
}

const ASSET_SYMBOL = /^[A-Z][A-Z0-9]*\.?[A-Z0-9]*$/;

/** 3 to 16 characters, capital letters and digits, at most one dot inside, and not starting with BIT. */
export function isValidSymbol(symbol: string): boolean {
  if (symbol.length < 3 || symbol.length > 16 || symbol.startsWith('BIT')) return false;
  return ASSET_SYMBOL.test(symbol) && !symbol.endsWith('.');
}
