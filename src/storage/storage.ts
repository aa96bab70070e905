import { join } from 'node:path';
import { crashPoint } from '../base/crash-point.js';
import { ChainError, check, fail, invariant } from '../base/errors.js';
import type { AnyObjectDef } from '../state/define.js';
import type { ObjectDatabase } from '../state/object-db.js';
import { BlockLog } from './block-log.js';
import type { BlockLogRepair } from './block-log-repair.js';
import { LogBlockStore } from './block-store.js';
import { STORAGE_ERRORS } from './errors.js';
import { type Files, nodeFiles } from './files.js';
import { JOURNAL_START, type JournalPosition, OperationJournal } from './journal/operation-journal.js';
import type { KeyValueStore } from './kv.js';
import { LevelKv } from './level-kv.js';
import { JOURNAL } from './log-kind.js';
import { ObjectStore, type StoreHead } from './object-store.js';
import { removeFormerState, takeBackState } from './replace-state.js';

/** Folders below the data directory. A snapshot is put in place of `object_database`. */
export const STORAGE_FOLDERS = {
  chain: 'blockchain',
  blockLog: join('blockchain', 'block_log'),
  journal: join('blockchain', 'operation_journal'),
  objects: join('blockchain', 'object_database'),
  /** A state that is to take the place of `objects` once it is whole. */
  restored: join('blockchain', 'object_database.tmp'),
} as const;

/** `replay` drops the objects and keeps the blocks, `resync` drops both. */
export type StorageStart = 'normal' | 'replay' | 'resync';

/**
 * `snapshot`: the state was put in place of another one, or the journal was taken away; the count of operations goes on.
 * `earlier_version`: nothing says how many operations came before the stored state, and not all blocks are there.
 * `replay`: the same, but all blocks are applied again.
 */
export type JournalGap = 'snapshot' | 'earlier_version' | 'replay';

export interface FlushLimits {
  /** Irreversible blocks that may be taken before they are written. */
  readonly blocks: number;
  /** Changed objects, or journaled operations, that may be taken before they are written. */
  readonly objects: number;
}

/** A running node writes about once a minute; restarting costs it the blocks of that minute. */
export const LIVE_FLUSH: FlushLimits = { blocks: 20, objects: 50_000 };
/** While blocks stream in, every page is written once for many blocks. */
export const BULK_FLUSH: FlushLimits = { blocks: 10_000, objects: 200_000 };

export interface StorageOptions {
  readonly dataDir: string;
  readonly chainId: string;
  readonly definitions: readonly AnyObjectDef[];
  readonly start?: StorageStart;
  readonly files?: Files;
  readonly openKv?: (path: string) => Promise<KeyValueStore>;
  /** False: no operation journal is kept, and one that is there is emptied. */
  readonly journal?: boolean;
}

/** All that a node keeps of its chain on disk: the block log and the object store, opened and compared. */
export class Storage {
  readonly log: BlockLog;
  readonly journal: OperationJournal;
  readonly blocks: LogBlockStore;
  readonly objects: ObjectStore;
  /** Why the operation journal does not reach back to where it did, or could. */
  readonly journalGap: JournalGap | undefined;
  /** A block of the log, and all before it, of which a state was stored: so they could not be undone any more. */
  readonly irreversibleNumber: number;
  flushLimits: FlushLimits = LIVE_FLUSH;
  #flushedNumber: number;
  #flushing: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;

  private constructor({ log, journal, objects, gap, irreversible }: Opened) {
    this.log = log;
    this.journal = journal;
    this.blocks = new LogBlockStore(log, journal);
    this.objects = objects;
    this.journalGap = gap;
    this.irreversibleNumber = irreversible;
    this.#flushedNumber = objects.head?.number ?? 0;
  }

  /**
   * Opens all, or none. The object store comes first: its lock keeps a second node away from everything. A state that an
   * earlier version has stored, without a journal, is dropped where it can be built again: that writes the journal.
   */
  static async open(options: StorageOptions): Promise<Storage> {
    const { start = 'normal' } = options;
    const opened = await openAll(options, start);
    if (opened.gap !== 'earlier_version' || opened.log.firstNumber !== 1) return new Storage(opened);
    await closeAll(opened);
    return new Storage({ ...(await openAll(options, 'replay')), gap: 'replay' });
  }

  /** What was cut or rebuilt when the block log was opened. */
  get repair(): BlockLogRepair {
    return this.log.repair;
  }

  /** Fills an empty object database. False when nothing is stored yet and the chain begins with its genesis. */
  async load(database: ObjectDatabase): Promise<boolean> {
    if (this.objects.head === undefined) return false;
    await this.objects.load(database);
    crashPoint('recovery_before_apply');
    return true;
  }

  /**
   * Everything taken so far is on the medium when this settles: first the blocks, then what they did, then the objects
   * they made. After a failure nothing is written any more: what is on the medium is one consistent state, and it stays that.
   */
  async flush(): Promise<void> {
    await this.whileStored(async () => undefined);
  }

  /** As `flush`; then `work`, and until that settles nothing else is written. */
  async whileStored<T>(work: () => Promise<T>): Promise<T> {
    if (this.#failure !== undefined) throw this.#failure.error;
    let outcome: PromiseSettledResult<T> | undefined;
    this.#flushing = (this.#flushing ?? Promise.resolve()).then(async () => {
      await this.#flush();
      [outcome] = await Promise.allSettled([work()]);
    });
    const mine = this.#flushing;
    try {
      await mine;
    } catch (error) {
      this.#failure = { error };
      throw error;
    } finally {
      if (this.#flushing === mine) this.#flushing = undefined;
    }
    invariant(outcome !== undefined, 'what is done while all is stored has an end');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  async #flush(): Promise<void> {
    // What becomes irreversible while this waits is part of what the objects' batch holds.
    while (this.#savedNumber > this.journal.writtenNumber) await this.journal.write(this.#savedNumber);
    // Blocks that come while the files are synced belong to the next flush, and so do the objects that they make.
    await this.objects.flush(this.journal.written, async () => {
      await this.log.syncLater();
      await this.journal.syncLater();
      crashPoint('after_journal_before_state');
    });
    this.#flushedNumber = this.objects.head?.number ?? 0;
  }

  get #savedNumber(): number {
    return this.objects.savedHead?.number ?? 0;
  }

  /** Whether enough has been taken to be worth a write. */
  get isFlushDue(): boolean {
    return this.#hasGathered(1);
  }

  /** Whether so many writes' worth of blocks or objects wait. */
  #hasGathered(writes: number): boolean {
    const { blocks, objects } = this.flushLimits;
    const taken = this.#savedNumber - this.#flushedNumber;
    const gathered = Math.max(this.objects.stagedObjects, this.journal.entriesWaiting(this.#savedNumber));
    return taken >= writes * blocks || gathered >= writes * objects;
  }

  /** For use after every block: begins a flush where one is due. Undefined when there is none to begin. */
  flushIfDue(): Promise<void> | undefined {
    return this.#flushing !== undefined || !this.isFlushDue ? undefined : this.flush();
  }

  /**
   * For whoever feeds blocks in a hurry: writes go on in the background until twice as much has gathered as one write
   * should take; then this waits. A failure comes out of the next call.
   */
  async throttle(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (!this.isFlushDue) return;
    this.flushIfDue()?.catch(() => undefined);
    if (this.#hasGathered(2)) await this.flush();
  }

  /** Writes what was taken and closes all. The chain must have handed over what it wants kept. */
  async close(): Promise<void> {
    crashPoint('close_before_flush');
    try {
      await this.flush();
    } finally {
      await this.abandon();
    }
  }

  /** Closes all without writing: what is on disk is kept as it is. */
  async abandon(): Promise<void> {
    try {
      // What is under way uses the files; its failure is told to whoever began it.
      await this.#flushing?.catch(() => undefined);
      await this.objects.close();
    } finally {
      this.log.abandon();
      this.journal.log.abandon();
    }
  }
}

/**
 * The stored objects were made by a block of the log; otherwise they cannot go on together. Objects are written after
 * the blocks that made them, so only damage or foreign files lead here.
 */
function compareHeads(objects: ObjectStore, log: BlockLog, path: string): void {
  const head = objects.head;
  if (head === undefined) check(log.firstNumber <= 1, STORAGE_ERRORS.state_missing, { path, first: log.firstNumber });
  if (head === undefined || head.number === 0) return;
  const { headNumber: logged } = log;
  const stored = Math.max(head.number, objects.storedReplayEnd ?? 0);
  const hindrance = replayHindrance(log);
  check(logged >= stored || hindrance === undefined, STORAGE_ERRORS.block_log_lost, { log: hindrance, stored });
  check(logged >= stored, STORAGE_ERRORS.block_log_gap, { logged, stored });
  const id = log.idOf(head.number);
  if (id === head.id) return;
  fail(STORAGE_ERRORS.block_log_other_branch, { number: head.number, logged: id ?? 'missing', stored: head.id });
}

/** Why its blocks do not lead from the beginning of the chain to a state; undefined when they do. */
function replayHindrance({ headNumber, firstNumber }: BlockLog): string | undefined {
  if (headNumber === 0) return 'is empty';
  return firstNumber === 1 ? undefined : `begins with block ${firstNumber}, behind a snapshot`;
}

interface Opened {
  readonly log: BlockLog;
  readonly journal: OperationJournal;
  readonly objects: ObjectStore;
  readonly gap: JournalGap | undefined;
  readonly irreversible: number;
}

async function openAll(options: StorageOptions, start: StorageStart): Promise<Opened> {
  const { dataDir, chainId, definitions, files = nodeFiles, openKv = openObjectKv } = options;
  const objectsPath = join(dataDir, STORAGE_FOLDERS.objects);
  const logPath = join(dataDir, STORAGE_FOLDERS.blockLog);
  const journalPath = join(dataDir, STORAGE_FOLDERS.journal);
  let dropped: StoreHead | undefined;
  takeBackState(files, objectsPath);
  if (start !== 'normal') {
    dropped = await drop(objectsPath, start === 'resync' ? logPath : undefined, { ...options, files });
    files.remove(journalPath);
  }
  files.makeFolder(objectsPath);
  const kv = await openKv(objectsPath);
  let log: BlockLog | undefined;
  let segments: BlockLog | undefined;
  try {
    // As large as a state: of a command that was killed. One that runs holds the lock, or comes too late.
    files.remove(join(dataDir, STORAGE_FOLDERS.restored));
    removeFormerState(files, objectsPath);
    const objects = new ObjectStore(kv, chainId, definitions);
    log = new BlockLog(files, logPath, chainId);
    compareHeads(objects, log, objectsPath);
    segments = new BlockLog(files, journalPath, chainId, JOURNAL);
    const { position, gap } = journalPosition(objects, segments);
    const journal = new OperationJournal(segments, position, options.journal !== false);
    if (objects.head === undefined) crashPoint('genesis_before_state');
    const stored = objects.head ?? dropped;
    const irreversible = stored !== undefined && log.idOf(stored.number) === stored.id ? stored.number : 0;
    return { log, journal, objects, gap, irreversible };
  } catch (error) {
    log?.close();
    segments?.close();
    await kv.close();
    throw error;
  }
}

async function closeAll({ log, journal, objects }: Opened): Promise<void> {
  log.close();
  journal.log.close();
  await objects.close();
}

/** Where the journal goes on: behind the block whose state is stored. */
function journalPosition(
  { head, history }: ObjectStore,
  segments: BlockLog,
): { readonly position: JournalPosition; readonly gap?: JournalGap } {
  if (head === undefined || head.number === 0) return { position: JOURNAL_START };
  const { number, id } = head;
  const known = segments.idOf(number) === id ? OperationJournal.positionOf(segments, number) : undefined;
  if (known !== undefined) return { position: known };
  if (history !== undefined) return { position: { number, id, ...history }, gap: 'snapshot' };
  return { position: { number, id, operations: 0, carried: 0 }, gap: 'earlier_version' };
}

/** Opens the store of objects with the advice that holds for it. */
export function openObjectKv(path: string): Promise<KeyValueStore> {
  return LevelKv.openForThreads(path, 'Start with --replay-blockchain to rebuild the state from the block log');
}

const CHECKED_AT_ONCE = 20_000;

type DropOptions = StorageOptions & { readonly files: Files };

/**
 * Removes what a replay or a resync builds anew. For a replay the blocks must be there and be this chain's. Returns the
 * block whose state was stored.
 */
async function drop(
  objectsPath: string,
  logPath: string | undefined,
  options: DropOptions,
): Promise<StoreHead | undefined> {
  const { files } = options;
  const stored = await takeLock(objectsPath, options);
  if (logPath === undefined) await checkReplayable(objectsPath, stored?.number ?? 0, options);
  else dropLog(logPath, options);
  files.remove(objectsPath);
  crashPoint('replay_after_drop');
  return stored;
}

/**
 * A state that is dropped cannot be had again where a block is damaged: half a microsecond for each tells before, and a
 * replay takes a hundred times as long.
 */
async function checkReplayable(path: string, stored: number, { files, dataDir, chainId }: DropOptions): Promise<void> {
  const log = new BlockLog(files, join(dataDir, STORAGE_FOLDERS.blockLog), chainId);
  const hindrance = replayHindrance(log);
  try {
    for (const { number } of stored === 0 ? [] : log.walk(1)) {
      // Whoever asks how the start is getting on is answered.
      if (number % CHECKED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    log.close();
  }
  const isNothingLost = stored === 0 && log.headNumber === 0;
  check(hindrance === undefined || isNothingLost, STORAGE_ERRORS.replay_needs_first_block, {
    path,
    stored,
    log: hindrance,
  });
}

/** Blocks that nothing is wrong with are fetched again; a damaged log may hold the last copy of some and is kept. */
function dropLog(path: string, options: DropOptions): void {
  const { files } = options;
  if (!isDamaged(path, options)) {
    files.remove(path);
    return;
  }
  let aside = `${path}.damaged`;
  for (let i = 2; files.exists(aside); i++) aside = `${path}.damaged-${i}`;
  files.rename(path, aside);
}

/** A log of another chain is not: whoever begins a new chain in a folder means to lose the old one. */
function isDamaged(path: string, { files, chainId }: DropOptions): boolean {
  try {
    new BlockLog(files, path, chainId).close();
    return false;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return error.row === STORAGE_ERRORS.block_log_corrupt;
  }
}

const DROPPABLE = new Set([
  STORAGE_ERRORS.object_store_corrupt,
  STORAGE_ERRORS.database_damaged,
  STORAGE_ERRORS.storage_io,
  STORAGE_ERRORS.storage_missing,
]);

/**
 * A damaged store may be dropped, one that a running node uses may not. Returns the block whose state is stored if that
 * can be read.
 */
async function takeLock(objectsPath: string, options: DropOptions): Promise<StoreHead | undefined> {
  const { files, openKv = openObjectKv, chainId, definitions } = options;
  if (!files.exists(objectsPath)) return undefined;
  let kv: KeyValueStore | undefined;
  try {
    kv = await openKv(objectsPath);
    return new ObjectStore(kv, chainId, definitions).head;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    if (kv === undefined && !DROPPABLE.has(error.row)) throw error;
    return undefined;
  } finally {
    await kv?.close();
  }
}
