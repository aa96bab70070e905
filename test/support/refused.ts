import type { Test } from 'tap';
import { ChainError, type ErrorRow } from '../../src/base/errors.js';

/** What else a test may say of a refusal, besides its row. */
export interface Expected {
  readonly path?: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** The work must be refused with exactly this row; anything else that is thrown fails the test. */
export function refused(t: Test, row: ErrorRow, work: () => unknown, more: string | Expected = row.key): void {
  const what = typeof more === 'string' ? more : row.key;
  try {
    work();
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    t.equal(error.row.key, row.key, what);
    t.notMatch(error.message, /\$\{/, `${what}: the text is complete`);
    if (typeof more === 'string') return;
    if (more.path !== undefined) t.equal(error.path, more.path, `${what}: the field is named`);
    if (more.data !== undefined) t.match(error.data, more.data, `${what}: the values are there`);
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
