import { readFileSync } from 'node:fs';
import { fail } from '../../base/errors.js';
import { WALLET_FILE_ERRORS } from '../errors.js';

/** A file that somebody has named: it may be a folder, or nobody's to read. */
export function readNamed(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    return fail(WALLET_FILE_ERRORS.wallet_file_read, {
      file,
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}
