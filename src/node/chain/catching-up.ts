/** A block that is older than this when it is applied is one of many that are being caught up. */
const CATCHING_UP_SEC = 60;

export const isCatchingUp = (blockSec: number, nowMs: number): boolean => nowMs / 1000 - blockSec > CATCHING_UP_SEC;
