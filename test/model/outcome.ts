import { ChainError } from '../../src/base/errors.js';
import { textOf } from './compare.js';
import { Refused } from './tables.js';

/** What the worlds of a test have come by, which says whether they have tried enough. */
export interface Seen {
  readonly accepted: Set<number>;
  readonly reasons: Set<string>;
}

/** What has come of an operation. */
export interface Outcome {
  readonly result?: string;
  readonly refusal?: string;
}

function outcome(work: () => unknown, reasonOf: (error: unknown) => string | undefined): Outcome {
  try {
    return { result: textOf(work()) };
  } catch (error) {
    const refusal = reasonOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** Any other error is a bug of the program. */
export const ofProgram = (work: () => unknown): Outcome =>
  outcome(work, (error) => (error instanceof ChainError ? error.key : undefined));

/** Any other error is a bug of the model. */
export const ofModel = (work: () => unknown): Outcome =>
  outcome(work, (error) => (error instanceof Refused ? error.message : undefined));

/** `isReason`: whether these words of the model mean that key of the program. */
export const isSame = (program: Outcome, model: Outcome, isReason: (words: string, key: string) => boolean): boolean =>
  program.refusal === undefined || model.refusal === undefined
    ? program.result === model.result && program.refusal === model.refusal
    : isReason(model.refusal, program.refusal);
