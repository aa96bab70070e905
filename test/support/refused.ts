import type { Test } from 'tap';
import { ChainError, type ErrorRow } from '../../src/base/errors.js';

/** The work must be refused with exactly this row; anything else that is thrown fails the test. */
export function refused(t: Test, row: ErrorRow, work: () => unknown, what: string = row.key): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    t.equal(error.row.key, row.key, what);
    t.notMatch(error.message, /\$\{/, `${what}: the text is complete`);
    return;
  }
  t.fail(`${what}: not refused`);
}

export async function refusedLater(
  t: Test,
  row: ErrorRow,
  work: Promise<unknown>,
  what: string = row.key,
): Promise<void> {
  const outcome = await work.then(
    () => 'not refused',
    (error: unknown) => (error instanceof ChainError ? error.row.key : String(error)),
  );
  t.equal(outcome, row.key, what);
}
