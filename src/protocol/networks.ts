/** Symbol of asset 1.3.0 on every network; a later core asset has a symbol of its own. */
export const ORIGINAL_CORE_SYMBOL = 'GXC';
/** Never a valid symbol again. */
export const LEGACY_SYMBOL = 'GXS';
