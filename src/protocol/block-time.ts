import { check, defineErrors } from '../base/errors.js';
import { timeToText } from '../codec/time.js';

export const BLOCK_TIME_ERRORS = defineErrors({
  block_in_future: { text: 'Rejecting block with timestamp in the future: ${timestamp}' },
});

const AHEAD_MS_MAX = 5000;

/**
 * The chain itself has no clock, and the rules allow a witness any later slot of its own: one block years ahead would
 * silence everybody until then. So whoever lets blocks in from outside asks this first, with the time that it is now.
 */
export function checkBlockTime(timestamp: number, nowMs: number): void {
  const isNear = timestamp * 1000 - nowMs < AHEAD_MS_MAX;
  check(isNear, BLOCK_TIME_ERRORS.block_in_future, () => ({ timestamp: timeToText(timestamp) }));
}
