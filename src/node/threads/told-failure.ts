import { ChainError, type ErrorData } from '../../base/errors.js';
import { STORAGE_ERRORS, storageError } from '../../storage/errors.js';

/** How a thread tells of its failure: on the way from thread to thread an error loses which row of the table it is. */
export interface ToldFailure {
  readonly text: string;
  readonly key?: string;
  readonly data?: ErrorData;
}

const isOfSystem = (error: unknown): boolean => /^E[A-Z]+$/.test(String((error as { code?: unknown } | null)?.code));

/** `path`: what the thread works on. */
export function toldFailure(error: unknown, path: string): ToldFailure {
  const known = isOfSystem(error) ? storageError(error, path) : error;
  if (known instanceof ChainError) return { text: known.message, key: known.key, data: known.data };
  return { text: known instanceof Error ? known.message : String(known) };
}

/** What keeps data on the disk has its rows again; of others the text is there. */
export function failureOf({ text, key = '', data }: ToldFailure): Error {
  const row = (STORAGE_ERRORS as Readonly<Record<string, (typeof STORAGE_ERRORS)[keyof typeof STORAGE_ERRORS]>>)[key];
  return row === undefined ? new Error(text) : new ChainError(row, data);
}
