import type { ObjectDef, StateObject } from './define.js';

/** What a frame needs of the table that writes into it. */
export interface UndoTable<T extends StateObject> {
  readonly definition: ObjectDef<T>;
  /** First round of an undo: nothing of the frame's changes stays in an index. */
  takeBack(entry: UndoEntry<T>): void;
  /** Second round: fields, objects and index entries are as before the frame. */
  bringBack(entry: UndoEntry<T>): void;
  /** Newest entry of an object, undefined if no frame has one. */
  setEntry(id: number, entry: UndoEntry<T> | undefined): void;
}

/**
 * What one frame remembers of one object: its fields before the frame's first change. Entries of the same object in
 * different frames are linked, so that the object's value at the end of any frame is found without a search: it is the
 * before-image of the next newer entry, or the object itself if there is none.
 */
export class UndoEntry<T extends StateObject = StateObject> {
  readonly table: UndoTable<T>;
  /** The live object. It is the same one if it was removed and an undo brings it back. */
  readonly object: T;
  /** The object's: by the time that it is forgotten, looking at the object is a wait for memory. */
  readonly id: number;
  /** A shallow copy, undefined if the frame created the object. */
  before: T | undefined;
  /** True if the object is gone at the end of the frame. */
  removed = false;
  /** Number of the frame. */
  serial: number;
  older: UndoEntry<T> | undefined;
  newer: UndoEntry<T> | undefined = undefined;

  constructor(table: UndoTable<T>, object: T, before: T | undefined, serial: number, older: UndoEntry<T> | undefined) {
    this.table = table;
    this.object = object;
    this.id = object.id;
    this.before = before;
    this.serial = serial;
    this.older = older;
    if (older !== undefined) older.newer = this;
  }
}

/**
 * Nobody asks a forgotten entry for its neighbours, but as an old object it would keep the newer ones alive, one after the other,
 * until all old objects are looked at.
 */
function unlink(entry: UndoEntry): void {
  entry.older = undefined;
  entry.newer = undefined;
}

/** Created and removed again: nobody outside has ever seen it. */
const isNothing = ({ removed, before, newer }: UndoEntry): boolean =>
  removed && before === undefined && newer === undefined;

/** Entries that say nothing are taken out of a list together. */
const FORGOTTEN_MIN = 1024;

interface Gone {
  readonly position: number;
  readonly objects: StateObject[];
}

const NOTHING: readonly StateObject[] = [];

/**
 * All changes since it was opened; one entry per object. Objects that never change have none: those that it made have the
 * instances from its counters on, and of those that were there before it keeps what it removed.
 */
export class UndoFrame {
  /** Ascending from older to newer frames, never used again. */
  readonly serial: number;
  // biome-ignore lint/suspicious/noExplicitAny: entries of all types stand in one list
  readonly entries: UndoEntry<any>[] = [];
  /** The id counters as they were when the frame was opened. */
  readonly counters: Float64Array;
  /** Removed objects of tables whose objects never change, by the position of the type's counter. */
  private gone: Gone[] | undefined = undefined;
  /** Among the entries: those that say nothing any more. */
  private forgotten = 0;
  /** Its changes can be told, but no longer be taken back. */
  isSettled = false;

  constructor(serial: number, counters: Float64Array) {
    this.serial = serial;
    this.counters = counters;
  }

  /** What it removed of a table whose objects never change, but for what it had made itself. */
  removedOf(position: number): readonly StateObject[] {
    return this.listOf(position)?.objects ?? NOTHING;
  }

  noteRemoved(position: number, object: StateObject): void {
    // Nobody outside has ever seen it.
    if (object.id >= (this.counters[position] as number)) return;
    let list = this.listOf(position);
    if (list === undefined) {
      list = { position, objects: [] };
      this.gone = [...(this.gone ?? []), list];
    }
    list.objects.push(object);
  }

  private listOf(position: number): Gone | undefined {
    const { gone } = this;
    // There are one or two such types.
    if (gone !== undefined) for (const list of gone) if (list.position === position) return list;
    return undefined;
  }

  private takeRemoved(from: UndoFrame): void {
    if (from.gone === undefined) return;
    for (const { position, objects } of from.gone) for (const object of objects) this.noteRemoved(position, object);
  }

  /**
   * Restores everything. In two rounds, because restored keys may meet keys that other objects of the frame still hold.
   */
  undo(): void {
    const { entries } = this;
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i] as UndoEntry;
      entry.table.takeBack(entry);
    }
    for (let i = entries.length - 1; i >= 0; i--) {
      const entry = entries[i] as UndoEntry;
      entry.table.bringBack(entry);
      entry.table.setEntry(entry.id, entry.older);
      if (entry.older !== undefined) entry.older.newer = undefined;
    }
  }

  /** Moves everything into the next older frame. */
  mergeInto(parent: UndoFrame): void {
    parent.takeRemoved(this);
    for (const entry of this.entries) {
      const { older } = entry;
      if (older !== undefined && older.serial === parent.serial) {
        older.removed = entry.removed;
        older.newer = undefined;
        entry.table.setEntry(entry.id, older);
      } else {
        entry.serial = parent.serial;
        parent.entries.push(entry);
      }
    }
  }

  /**
   * Moves everything into the oldest frame; this must be the one after it. What both have changed is told from then on, and
   * never taken back: of how it was before no more is kept than that it was.
   */
  settleInto(oldest: UndoFrame): void {
    oldest.takeRemoved(this);
    for (const entry of this.entries) {
      const { older, newer } = entry;
      if (older === undefined) {
        entry.serial = oldest.serial;
        if (isNothing(entry)) entry.table.setEntry(entry.id, undefined);
        else oldest.settle(entry);
      } else {
        older.removed = entry.removed;
        older.newer = newer;
        if (newer === undefined) entry.table.setEntry(entry.id, older);
        else newer.older = older;
        unlink(entry);
        if (isNothing(older)) oldest.forget(older);
      }
    }
  }

  /** What comes and goes, as remembered transactions do, would be most of what is kept. */
  private forget(entry: UndoEntry): void {
    entry.table.setEntry(entry.id, undefined);
    if (++this.forgotten < FORGOTTEN_MIN || 2 * this.forgotten < this.entries.length) return;
    const kept = this.entries.filter((one) => !isNothing(one));
    this.entries.length = 0;
    for (const one of kept) this.entries.push(one);
    this.forgotten = 0;
  }

  /** From now on its changes are told, and never taken back. */
  settleAll(): void {
    for (const entry of this.entries.splice(0)) this.settle(entry);
    this.isSettled = true;
  }

  private settle<T extends StateObject>(entry: UndoEntry<T>): void {
    if (entry.before !== undefined) entry.before = entry.object;
    this.entries.push(entry);
  }

  /** Forgets the frame; it must be the oldest one. */
  drop(): void {
    for (const entry of this.entries) {
      const { newer } = entry;
      if (newer === undefined) {
        entry.table.setEntry(entry.id, undefined);
      } else {
        newer.older = undefined;
        unlink(entry);
      }
    }
  }
}
