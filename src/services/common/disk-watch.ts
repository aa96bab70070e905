import { constants } from 'node:fs';
import { access, rm, statfs, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock, Logger } from '../../base/world.js';
import { type DatabaseOptions, databaseAt, isDatabaseError } from './database.js';
import { isServer } from './postgres.js';
import { Rounds } from './rounds.js';

/** Whether disks take what a service keeps there: it is told before somebody asks in vain, and when there is room again. */

export interface DiskParts {
  readonly folders: readonly string[];
  /** So much has to fit: after a change that was not taken, and, less urgently, at any time. */
  readonly bytes: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const LOOK_MS = 2000;
const PROBE = 'room.new';
/** More than the file system has for the file itself: what is really written says more than what it tells. */
const PROBE_BYTES = 65_536;
const MIB = 1_048_576;

const FULL: ReadonlySet<string | undefined> = new Set(['ENOSPC', 'EDQUOT']);

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** For everybody: which folder it is stands in the log. */
const toldOf = (error: unknown): string =>
  FULL.has(codeOf(error)) ? 'the disk is full' : 'the disk takes no files: the log says why';

/** A server that was away, or a file that somebody else holds, says nothing of the room on this disk. */
const mayBeDisk = (error: unknown): boolean =>
  !isDatabaseError(error) || /^SQLITE_(FULL|IOERR)/.test(`${codeOf(error)}`);

/** What this process may use. A file is written where there is a doubt alone: others may look at the folder, or clear it away. */
async function roomIn(folder: string, isInDoubt: boolean): Promise<number> {
  await access(folder, constants.W_OK);
  const { bavail, bfree, bsize } = await statfs(folder);
  const room = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  if (isInDoubt || room < PROBE_BYTES) await tryToWrite(folder);
  return room;
}

async function tryToWrite(folder: string): Promise<void> {
  const path = join(folder, PROBE);
  try {
    await writeFile(path, Buffer.alloc(PROBE_BYTES));
  } finally {
    await rm(path, { force: true });
  }
}

/** Where the database is, if it is a file. */
export function databaseFolders(options: DatabaseOptions, file: string): readonly string[] {
  const at = databaseAt(options, file);
  return isServer(at) ? [] : [dirname(at)];
}

export class DiskWatch {
  readonly #parts: DiskParts;
  #trouble: string | undefined;
  #warning: string | undefined;
  /** A change was not taken, and it was not seen since that all of it would be. */
  #hasFailed = false;
  readonly #rounds: Rounds;

  constructor(parts: DiskParts) {
    this.#parts = parts;
    this.#rounds = new Rounds(parts.clock, LOOK_MS, () => this.#look());
  }

  /** Why nothing can be kept. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  /** That soon nothing can be. */
  get warning(): string | undefined {
    return this.#trouble === undefined ? this.#warning : undefined;
  }

  start(): void {
    this.#rounds.lookNow();
  }

  /** Something was not kept. Whether the disk is the reason is looked into at once. */
  failed(error: unknown): void {
    if (!mayBeDisk(error)) return;
    this.#hasFailed = true;
    if (this.#trouble === undefined) this.#rounds.lookNow();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  async #look(): Promise<void> {
    const { folders, bytes, log } = this.#parts;
    const former = this.#trouble;
    try {
      const isInDoubt = this.#hasFailed || former !== undefined;
      const rooms = await Promise.all([...new Set(folders)].map((folder) => roomIn(folder, isInDoubt)));
      const least = Math.min(...rooms);
      const isShort = least < bytes;
      const told = `the disk has room for ${Math.floor(least / MIB)} MiB more`;
      this.#trouble = isShort && this.#hasFailed ? told : undefined;
      this.#warning = isShort ? told : undefined;
      if (!isShort) this.#hasFailed = false;
      if (this.#trouble !== undefined && former === undefined)
        log.error('the disk has too little room', { room: least });
    } catch (error) {
      this.#trouble = toldOf(error);
      if (FULL.has(codeOf(error))) this.#hasFailed = true;
      if (former === undefined) log.error('the disk takes nothing', { error });
    }
    if (this.#trouble === undefined && former !== undefined) log.info('the disk has room again');
  }
}
