import { DEFAULT_KEY_PREFIX } from '../crypto/public-key.js';

/**
 * What distinguishes one network of the family from another and is needed before any state exists.
 * A process serves one network: the prefix is chosen once at start, before anything is decoded from JSON.
 */
let chosenPrefix: string = DEFAULT_KEY_PREFIX;

export function keyPrefix(): string {
  return chosenPrefix;
}

export function useKeyPrefix(prefix: string): void {
  chosenPrefix = prefix;
}

/** Symbol of asset 1.3.0 on every network; a later core asset has a symbol of its own. */
export const ORIGINAL_CORE_SYMBOL = 'GXC';
/** Never a valid symbol again. */
export const LEGACY_SYMBOL = 'GXS';
