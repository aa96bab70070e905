import { ChainError, defineErrors } from '../base/errors.js';

/** Refusals of everything that keeps data on disk. Each leaves the data as it was. */
export const STORAGE_ERRORS = defineErrors(
  {
    storage_disk_full: {
      text: '${path}: the disk is full. What was stored before is intact; make room and start again',
    },
    storage_access_denied: { text: '${path}: access denied (${reason}). Check the owner and the rights of the folder' },
    storage_too_many_files: {
      text: '${path}: this process may open no more files (${reason})',
      hint: 'raise the limit: LimitNOFILE of the systemd unit, ulimit -n of a shell, --ulimit nofile of a container',
    },
    storage_io: { text: '${path}: ${reason}' },
    storage_missing: { text: '${path}: there is no such file or folder' },
    storage_file_limit: {
      text: '${path}: the system lets this process write no larger file there (${reason}). What was stored before is intact',
      hint: 'raise the limit, LimitFSIZE of the systemd unit or ulimit -f of a shell, or take a file system that has larger files, and start again',
    },
    storage_no_folder: {
      text: '${path}: the file system takes no folder there',
      hint: 'name another folder in the option that it comes from: --data-dir, or one for a part of the data',
    },
    storage_in_use: { text: '${path}: another process has it open. Two nodes cannot share one data directory' },
    storage_other_chain: {
      text: '${path} belongs to chain ${found}, this node runs chain ${wanted}. Check --genesis-json and --data-dir',
    },
    storage_newer_version: {
      text: '${path} was written in format ${found} by a newer program, this one knows formats up to ${known}',
    },
    storage_not_ours: { text: '${path} is not a ${kind} of this program' },
    block_log_corrupt: {
      text: '${path}: the record of block ${number} at offset ${offset} is damaged (${reason})',
      hint: 'the blocks before it can be kept: start once with --truncate ${number}, which cuts the log there, and the rest comes from peers, or from a file by import-blocks; trustnode verify-blocks says whether other blocks are damaged too. Or restore the file from a copy. Only --resync-blockchain fetches all blocks again; the damaged log is then set aside, not removed',
    },
    block_index_corrupt: {
      text: '${path}: the entry of block ${number} at offset ${offset} is damaged. Remove this file, it is rebuilt at the next start',
    },
    journal_corrupt: {
      text: '${path}: the segment of block ${number} at offset ${offset} is damaged (${reason}). Start with --replay-blockchain to write the operation journal anew',
    },
    journal_index_corrupt: {
      text: '${path}: the entry of block ${number} at offset ${offset} is damaged. Remove this file, it is rebuilt at the next start',
    },
    journal_order: { text: 'block ${number} cannot follow block ${head} in the operation journal' },
    block_log_order: { text: 'block ${number} cannot follow block ${head} in the block log' },
    block_log_gap: {
      text: 'the block log ends at block ${logged}, before block ${stored} of the stored state. Start with --replay-blockchain to rebuild the state from the log',
    },
    block_log_lost: {
      text: 'the block log ${log}: it does not reach block ${stored} of the stored state, and no replay can build that again. Put the block log back, restore a packed snapshot into another --data-dir, or start with --resync-blockchain',
    },
    block_log_other_branch: {
      text: 'block ${number} of the block log is ${logged}, the stored state was made by ${stored}. Start with --replay-blockchain to rebuild the state from the log',
    },
    state_missing: {
      text: '${path}: no state is stored, and the block log begins with block ${first}, behind a snapshot. Put a snapshot of block ${first} or an earlier one of this log in its place, or start with --resync-blockchain',
    },
    replay_needs_first_block: {
      text: 'the block log ${log}, so no replay can build the state of block ${stored} again: nothing was dropped. Put a snapshot in place of ${path}, or start with --resync-blockchain',
    },
    truncate_needs_state: {
      text: 'the block log begins with block ${first}, behind a snapshot: without the stored state of block ${stored} no state can be built, so it cannot be cut before block ${number}. Put a snapshot of an earlier block in place first',
    },
    object_store_corrupt: {
      text: '${path}: ${what} is damaged (${reason}). Start with --replay-blockchain to rebuild the state from the block log',
    },
    database_damaged: {
      text: '${path}: a file of the database is missing or damaged (${reason}). ${advice}',
    },
    object_store_closed: { kind: 'limit', text: 'the object store is closed' },
  },
  'environment',
);

const BY_CODE: Readonly<Record<string, keyof typeof STORAGE_ERRORS>> = {
  ENOSPC: 'storage_disk_full',
  EDQUOT: 'storage_disk_full',
  EFBIG: 'storage_file_limit',
  EACCES: 'storage_access_denied',
  EPERM: 'storage_access_denied',
  EROFS: 'storage_access_denied',
  ENOENT: 'storage_missing',
  EMFILE: 'storage_too_many_files',
  ENFILE: 'storage_too_many_files',
};

/** What the operator has done, where the system says no more than a word. */
const IN_WORDS: Readonly<Record<string, string>> = {
  ENAMETOOLONG: 'the name is too long',
  ENOTDIR: 'a file is where a folder should be',
  EISDIR: 'a folder is where a file should be',
  EROFS: 'the file system is read-only',
  EACCES: 'this user has no right to it',
};

/** Turns what the operating system or the database library threw into a row of the table. */
export function storageError(error: unknown, path: string, advice = 'Restore it from a copy'): ChainError {
  if (error instanceof ChainError) return error;
  const text = textOf(error);
  return new ChainError(STORAGE_ERRORS[rowFor(error, text)], { path, reason: reasonOf(error, text), advice });
}

/** Words of the database library for files of its own that are not what it left there. */
const DAMAGED =
  /corruption|create_if_missing is false|(MANIFEST-\d+|CURRENT|\.ldb): (No such file|Invalid argument)|LEVEL_CORRUPTION/i;

function rowFor(error: unknown, reason: string): keyof typeof STORAGE_ERRORS {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && BY_CODE[code] !== undefined) return BY_CODE[code];
  if (/Too many open files/i.test(reason)) return 'storage_too_many_files';
  if (/No space left|Disk quota/i.test(reason)) return 'storage_disk_full';
  if (/File too large/i.test(reason)) return 'storage_file_limit';
  if (/Permission denied|Read-only file system|Operation not permitted/i.test(reason)) return 'storage_access_denied';
  if (/LEVEL_LOCKED|lock .*LOCK|already held/i.test(reason)) return 'storage_in_use';
  if (DAMAGED.test(reason)) return 'database_damaged';
  return 'storage_io';
}

const inWords = (code: string): string => `${IN_WORDS[code]} (${code})`;

/** In words where there are some, also for what the database library says. */
function reasonOf(error: unknown, text: string): string {
  const code = (error as { code?: unknown } | null)?.code;
  if (typeof code === 'string' && IN_WORDS[code] !== undefined) return inWords(code);
  if (/: Read-only file system$/.test(text)) return inWords('EROFS');
  return /: Permission denied$/.test(text) ? inWords('EACCES') : text;
}

/** Text of an error and its causes: database libraries keep the reason in the cause. */
function textOf(error: unknown): string {
  const parts: string[] = [];
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code;
    parts.push(typeof code === 'string' && !at.message.includes(code) ? `${code} ${at.message}` : at.message);
  }
  return parts.length === 0 ? String(error) : parts.join(': ');
}

export function guarded<T>(path: string, work: () => T, advice?: string): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error, path, advice);
  }
}

export async function guardedLater<T>(path: string, work: () => Promise<T>, advice?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storageError(error, path, advice);
  }
}
