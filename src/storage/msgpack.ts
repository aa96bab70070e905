/** First bytes of what msgpack packs, of which a record holds numbers, bigints and booleans in an array. */

export const ARRAY_16 = 0xdc;
export const FALSE = 0xc2;
export const TRUE = 0xc3;
/** A byte says how long it is. */
export const EXTENSION_8 = 0xc7;
export const FLOAT_64 = 0xcb;
export const UINT_8 = 0xcc;
export const UINT_16 = 0xcd;
export const UINT_32 = 0xce;
export const UINT_64 = 0xcf;
export const INT_8 = 0xd0;
export const INT_16 = 0xd1;
export const INT_32 = 0xd2;
export const INT_64 = 0xd3;
/** And of 2, 4 and 8 bytes. */
export const EXTENSION_OF_1 = 0xd4;
export const EXTENSION_OF_16 = 0xd8;
/** Of up to fifteen, which its low bits count. */
export const SHORT_ARRAY = 0x90;
export const SHORT_ARRAY_MAX = 15;
