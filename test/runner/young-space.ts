/** As in the first line of the command: room for young objects. */
export const YOUNG_SPACE_MB = 32;
export const YOUNG_SPACE = `--max-semi-space-size=${YOUNG_SPACE_MB}`;
