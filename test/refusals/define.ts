import { ChainError, type ErrorRow } from '../../src/base/errors.js';
import { composeMessage } from '../../src/rpc/wire-error.js';

/**
 * One refusal as clients meet it. The table is written from the documents of the reference, not from `src`: a name, a
 * code or a text can only change together with its row here.
 */
export interface Refusal {
  /** Row of the error table that must be met. */
  readonly row: ErrorRow;
  readonly code: number;
  /** Wire name, such as `assert_exception`. */
  readonly name: string;
  /** The whole `message` that a client gets: title, text and appended sentences, placeholders filled. */
  readonly message: string;
  /** Does what is refused, now or later. Sets up its own world, or shares one that refusals leave as it was. */
  readonly raise: () => unknown;
}

export interface Outcome {
  readonly key: string;
  readonly code: number;
  readonly name: string;
  readonly message: string;
}

/** A generic assertion: code 10, and the title that goes with it. `text` is what stands behind the title. */
export function assertion(row: ErrorRow, text: string, raise: () => unknown): Refusal {
  return { row, code: 10, name: 'assert_exception', message: `Assert Exception: ${text}`, raise };
}

/** What was met instead of an answer. Anything but a refusal is a fault of its own and comes through. */
export function outcomeOf(raise: () => unknown): Outcome | 'not refused' {
  try {
    raise();
  } catch (error) {
    return asOutcome(error);
  }
  return 'not refused';
}

/** The same for what may be refused later. */
export async function outcomeLater(raise: () => unknown): Promise<Outcome | 'not refused'> {
  try {
    await raise();
  } catch (error) {
    return asOutcome(error);
  }
  return 'not refused';
}

function asOutcome(error: unknown): Outcome {
  if (!(error instanceof ChainError)) throw error;
  return { key: error.key, code: error.code, name: error.row.name, message: composeMessage(error) };
}
