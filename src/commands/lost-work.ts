import { ChainError, defineErrors } from '../base/errors.js';

export const LOST_WORK_ERRORS = defineErrors({
  work_lost: {
    kind: 'bug',
    text: 'the program has met a bug of its own: ${work} is not done, and nothing is left that could go on with it (after ${seconds} s, still there: ${resources})',
  },
});

/**
 * Runs work to its end. Where it waits for a promise that nobody keeps any more, the event loop is empty, and Node ends the
 * process without a word and with a code that nobody knows: this says so first. It does not hold the loop meanwhile. What
 * may still come holds it by itself; what is lost does not come by waiting, and a process that hangs says less than one
 * that ends.
 */
export async function orSayLost(
  work: string,
  run: () => Promise<void> | void,
  say: (error: ChainError) => void,
): Promise<void> {
  const onEmptyLoop = (): void => {
    const resources = process.getActiveResourcesInfo().join(' ') || 'nothing';
    say(new ChainError(LOST_WORK_ERRORS.work_lost, { work, seconds: process.uptime().toFixed(1), resources }));
  };
  // It comes once more where saying it gave the loop something to do.
  process.once('beforeExit', onEmptyLoop);
  try {
    await run();
  } finally {
    process.off('beforeExit', onEmptyLoop);
  }
}
