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
  statSync,
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

/** How long another one may take from its last look at the file to the new one: longer than any disk does. */
const LOCK_MS = 3000;
const LOCK_LOOK_MS = 20;

const pause = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

const isTaken = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EEXIST';

/** Which one it is: one that is let go and taken again is another. */
function markOf(lock: string): string {
  const found = statSync(lock, { throwIfNoEntry: false });
  return found === undefined ? '' : `${found.ino} ${found.mtimeMs}`;
}

/** Waits for the others. A lock that stays the same for too long was left by one that was killed. */
function take(lock: string): number {
  let mark = '';
  for (let sinceMs = 0; ; sinceMs += LOCK_LOOK_MS) {
    try {
      return openSync(lock, 'wx', PRIVATE);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
    const now = markOf(lock);
    if (now !== mark) sinceMs = 0;
    mark = now;
    if (sinceMs < LOCK_MS) pause(LOCK_LOOK_MS);
    else rmSync(lock, { force: true });
  }
}

/** Runs when no other wallet is about to replace the file. */
function alone(target: string, work: () => void): void {
  const lock = `${target}.lock`;
  const held = take(lock);
  try {
    work();
  } finally {
    closeSync(held);
    rmSync(lock, { force: true });
  }
}

/**
 * At every instant `target` is what it was or all of `write`'s work, on the disk and not only in the machine's memory.
 * `check` refuses, when all that takes time is done.
 */
function replace(target: string, write: (temporary: string) => void, check?: () => void): void {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    write(temporary);
    sync(temporary);
    const putThere = (): void => {
      check?.();
      renameSync(temporary, target);
    };
    if (check === undefined) putThere();
    else alone(target, putThere);
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
 * time and whoever else saves meanwhile would lose it. Two that save at the same instant do so one after the other.
 */
export function saveFile(file: string, text: string, check?: () => void): void {
  try {
    check?.();
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
