import {
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ChainError, fail } from '../../base/errors.js';
import { WALLET_FILE_ERRORS } from '../errors.js';

/** The owner alone. */
const PRIVATE = 0o600;

/** Where the wallet file that was there before the last save stands. */
export const backupOf = (file: string): string => `${file}.backup`;

function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * At every instant `target` is what it was or all of `write`'s work, on the disk and not only in the machine's memory.
 * `check` refuses, when all that takes time is done.
 */
function replace(target: string, write: (temporary: string) => void, check = (): void => undefined): void {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    write(temporary);
    sync(temporary);
    check();
    renameSync(temporary, target);
    sync(dirname(target));
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function writePrivate(path: string, content: string | Uint8Array): void {
  const descriptor = openSync(path, 'w', PRIVATE);
  try {
    // A file of that name from a run that was killed may have had other rights.
    fchmodSync(descriptor, PRIVATE);
    writeFileSync(descriptor, content);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Replaces the file as a whole and keeps what it was as a backup. Whatever fails, the old file stands. `check` refuses
 * where it is not what was read: before anything is written, and again at the last moment, since a slow disk takes its
 * time and whoever else saves meanwhile would lose it.
 */
export function saveFile(file: string, text: string, check = (): void => undefined): void {
  try {
    check();
    const exists = existsSync(file);
    // Behind a link stands the file that is meant.
    const target = exists ? realpathSync(file) : file;
    if (exists) {
      const before = readFileSync(target);
      replace(backupOf(target), (temporary) => writePrivate(temporary, before));
    }
    replace(target, (temporary) => writePrivate(temporary, text), check);
  } catch (error) {
    if (error instanceof ChainError) throw error;
    fail(WALLET_FILE_ERRORS.wallet_file_write, {
      file,
      reason: error instanceof Error ? error.message : String(error),
    });
  }
}

/** A copy beside the wallet file under the first name that is free: `name.wallet`, `name-1.wallet`, … */
export function saveCopy(name: string, text: string): string {
  for (let n = 0; ; n++) {
    const file = n === 0 ? `${name}.wallet` : `${name}-${n}.wallet`;
    if (existsSync(file)) continue;
    saveFile(file, text);
    return file;
  }
}
