import { isDeepStrictEqual } from 'node:util';

/** How answers are compared with the recorded ones, and where ours differ on purpose. */

interface ErrorAnswer {
  readonly code: number;
  readonly message: string;
  readonly data: { readonly code: number; readonly name: string; readonly message: string; readonly stack: Frame[] };
}
interface Frame {
  readonly context: Record<string, unknown>;
  readonly format: string;
  readonly data: Record<string, unknown>;
}

/**
 * Of an error, frames without a text are the reference's call stack: files, lines, C++ functions and their arguments.
 * They name code that does not exist here. `data.key` is ours.
 */
function comparableError(error: ErrorAnswer): unknown {
  const { code, message, data } = error;
  return { code, message, data: { code: data.code, name: data.name, message: data.message } };
}

/** Undefined when equal; otherwise what differs. Member order counts. */
export function compare(actual: string, recorded: string): unknown {
  if (actual === recorded) return undefined;
  let ours: Record<string, unknown>;
  let theirs: Record<string, unknown>;
  try {
    ours = JSON.parse(actual);
    theirs = JSON.parse(recorded);
  } catch {
    return { actual: actual.slice(0, 2000), recorded: recorded.slice(0, 2000) };
  }
  if (theirs.error !== undefined && ours.error !== undefined) {
    const left = { ...ours, error: comparableError(ours.error as ErrorAnswer) };
    const right = { ...theirs, error: comparableError(theirs.error as ErrorAnswer) };
    return isDeepStrictEqual(left, right) ? undefined : { left, right };
  }
  return { actual: actual.slice(0, 3000), recorded: recorded.slice(0, 3000) };
}

export const WAITING: readonly { readonly match: RegExp; readonly why: string }[] = [];

export const DEVIATIONS: readonly {
  readonly name: string;
  readonly why: string;
  readonly match: (request: string, index: number) => boolean;
  readonly accept: (actual: string, recorded: string) => boolean;
}[] = [];
