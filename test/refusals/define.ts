import { ChainError, composeMessage, type ErrorRow, fill } from '../../src/base/errors.js';

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
  /** The sentence for people, of refusals that are met over the wire. */
  readonly hint?: string;
  /**
   * Does what is refused, now or later, or asks for it and returns the answer. Sets up its own world, or shares one
   * that refusals leave as it was.
   */
  readonly raise: () => unknown;
}

export interface Outcome {
  readonly key: string;
  readonly code: number;
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
}

/** A generic assertion: code 10, and the title that goes with it. `text` is what stands behind the title. */
export function assertion(row: ErrorRow, text: string, raise: () => unknown): Refusal {
  return { row, code: 10, name: 'assert_exception', message: `Assert Exception: ${text}`, raise };
}

/** As clients get it over the wire; a batch by its last answer. */
function onTheWire(answer: string): Outcome | 'not refused' {
  const read: unknown = JSON.parse(answer);
  const { error } = (Array.isArray(read) ? read.at(-1) : read) as {
    error?: { message: string; data: { key: string; code: number; name: string; hint?: string } };
  };
  if (error === undefined) return 'not refused';
  const { key, code, name, hint } = error.data;
  return { key, code, name, message: error.message, ...(hint === undefined ? {} : { hint }) };
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

/** The same for what takes its time, and for answers of the RPC layer as they went out. */
export async function outcomeLater(raise: () => unknown): Promise<Outcome | 'not refused'> {
  let answer: unknown;
  try {
    answer = await raise();
  } catch (error) {
    return asOutcome(error);
  }
  return typeof answer === 'string' ? onTheWire(answer) : 'not refused';
}

function asOutcome(error: unknown): Outcome {
  if (!(error instanceof ChainError)) throw error;
  const hint = fill(error.row.hint ?? '', error.data);
  if (hint.includes('${')) throw new Error(`${error.key}: a placeholder of the hint is left unfilled: ${hint}`);
  return { key: error.key, code: error.code, name: error.row.name, message: composeMessage(error) };
}
