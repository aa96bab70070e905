// Tables of rows with a u64 primary key and up to 16 secondary u64 keys. A row is a class with `@table("name")`, a
// method `primaryKey(): u64`, and a method with `@index` for every secondary key; the build adds the rest.
import {
  current_receiver, db_end_i64, db_find_i64, db_get_i64, db_idx64_end, db_idx64_find_primary,
  db_idx64_find_secondary, db_idx64_lowerbound, db_idx64_next, db_idx64_previous, db_idx64_remove, db_idx64_store,
  db_idx64_update, db_idx64_upperbound, db_lowerbound_i64, db_next_i64, db_previous_i64, db_remove_i64, db_store_i64,
  db_update_i64, db_upperbound_i64,
} from "./host";
import { Reader, Writer } from "./data";
import { check } from "./system";

/** Pays for the bytes of a row; the account must be the sender, the origin or this contract. */
export const CONTRACT_PAYS: u64 = 0;

// Where host functions write keys.
const ID_ROOM: usize = memory.data(8);
const KEY_ROOM: usize = memory.data(8);

export class Table<T> {
  /** With another contract as `code` the table can be read, not changed. */
  constructor(readonly code: u64 = current_receiver(), readonly scope: u64 = code) {}

  // Constants of the row's class: its methods do not look at the row.
  @inline
  get name(): u64 {
    return changetype<T>(<usize>0).__table();
  }

  @inline
  get indexCount(): i32 {
    return changetype<T>(<usize>0).__indexes();
  }

  has(id: u64): bool {
    return this.find(id) >= 0;
  }

  /** The row, or null. */
  get(id: u64): T | null {
    const it = this.find(id);
    return it < 0 ? null : this.read(it);
  }

  /** The row, or the action fails with this text. */
  require(id: u64, text: string = "no such row"): T {
    const it = this.find(id);
    check(it >= 0, text);
    return this.read(it);
  }

  insert(row: T, payer: u64 = CONTRACT_PAYS): void {
    check(this.code == current_receiver(), "a contract changes its own tables only");
    const id = row.primaryKey();
    const writer = new Writer();
    row.__pack(writer);
    db_store_i64(this.scope, this.name, payer, id, writer.start, writer.length);
    for (let i = 0; i < this.indexCount; i++) {
      store<u64>(KEY_ROOM, row.__key(i));
      db_idx64_store(this.scope, this.name | i, payer, id, KEY_ROOM);
    }
  }

  /** Writes a row that exists; its payer becomes the given one. */
  update(row: T, payer: u64 = CONTRACT_PAYS): void {
    const id = row.primaryKey();
    const it = this.find(id);
    check(it >= 0, "no such row");
    const writer = new Writer();
    row.__pack(writer);
    db_update_i64(it, payer, writer.start, writer.length);
    for (let i = 0; i < this.indexCount; i++) {
      const entry = db_idx64_find_primary(this.code, this.scope, this.name | i, KEY_ROOM, id);
      const key = row.__key(i);
      if (entry >= 0 && load<u64>(KEY_ROOM) == key) continue;
      store<u64>(KEY_ROOM, key);
      // A row from before the index was added has no entry yet.
      if (entry >= 0) db_idx64_update(entry, payer, KEY_ROOM);
      else db_idx64_store(this.scope, this.name | i, payer, id, KEY_ROOM);
    }
  }

  remove(id: u64): void {
    const it = this.find(id);
    check(it >= 0, "no such row");
    db_remove_i64(it);
    for (let i = 0; i < this.indexCount; i++) {
      const entry = db_idx64_find_primary(this.code, this.scope, this.name | i, KEY_ROOM, id);
      if (entry >= 0) db_idx64_remove(entry);
    }
  }

  /** 0 in an empty table, else one more than the largest. */
  nextId(): u64 {
    const last = this.last();
    if (!last.valid) return 0;
    const id = last.row.primaryKey();
    check(id < u64.MAX_VALUE, "the table has no id left");
    return id + 1;
  }

  first(): Cursor<T> {
    return this.from(0);
  }

  last(): Cursor<T> {
    const end = db_end_i64(this.code, this.scope, this.name);
    return new Cursor<T>(this, end == -1 ? -1 : db_previous_i64(end, ID_ROOM));
  }

  /** The first row with this key or a larger one. */
  from(id: u64): Cursor<T> {
    return new Cursor<T>(this, db_lowerbound_i64(this.code, this.scope, this.name, id));
  }

  /** The first row with a larger key. */
  after(id: u64): Cursor<T> {
    return new Cursor<T>(this, db_upperbound_i64(this.code, this.scope, this.name, id));
  }

  /** By the secondary key of the n-th method with `@index`, from 0. */
  index(n: i32): Index<T> {
    check(n >= 0 && n < this.indexCount, "no such index");
    return new Index<T>(this, this.name | n);
  }

  find(id: u64): i32 {
    return db_find_i64(this.code, this.scope, this.name, id);
  }

  read(it: i32): T {
    const data = new Uint8Array(db_get_i64(it, 0, 0));
    db_get_i64(it, data.dataStart, data.length);
    const row = instantiate<T>();
    row.__unpack(new Reader(data));
    return row;
  }
}

/** A place in a table, in the order of primary keys: `for (let c = table.first(); c.valid; c.next()) c.row`. */
export class Cursor<T> {
  constructor(private readonly table: Table<T>, private it: i32) {}

  get valid(): bool {
    return this.it >= 0;
  }

  get row(): T {
    return this.table.read(this.it);
  }

  next(): void {
    this.it = db_next_i64(this.it, ID_ROOM);
  }

  previous(): void {
    this.it = db_previous_i64(this.it, ID_ROOM);
  }

  /** Removes the row and goes to the next one. */
  remove(): void {
    const id = this.row.primaryKey();
    this.next();
    this.table.remove(id);
  }
}

export class Index<T> {
  constructor(private readonly table: Table<T>, private readonly name: u64) {}

  /** The row with this secondary key; of several, the one with the smallest primary key. */
  get(key: u64): T | null {
    store<u64>(KEY_ROOM, key);
    const it = db_idx64_find_secondary(this.table.code, this.table.scope, this.name, KEY_ROOM, ID_ROOM);
    return it < 0 ? null : this.table.get(load<u64>(ID_ROOM));
  }

  first(): IndexCursor<T> {
    return this.from(0);
  }

  last(): IndexCursor<T> {
    const end = db_idx64_end(this.table.code, this.table.scope, this.name);
    const it = end == -1 ? -1 : db_idx64_previous(end, ID_ROOM);
    return new IndexCursor<T>(this.table, it, load<u64>(ID_ROOM));
  }

  /** The first entry with this key or a larger one. */
  from(key: u64): IndexCursor<T> {
    store<u64>(KEY_ROOM, key);
    const it = db_idx64_lowerbound(this.table.code, this.table.scope, this.name, KEY_ROOM, ID_ROOM);
    return new IndexCursor<T>(this.table, it, load<u64>(ID_ROOM));
  }

  /** The first entry with a larger key. */
  after(key: u64): IndexCursor<T> {
    store<u64>(KEY_ROOM, key);
    const it = db_idx64_upperbound(this.table.code, this.table.scope, this.name, KEY_ROOM, ID_ROOM);
    return new IndexCursor<T>(this.table, it, load<u64>(ID_ROOM));
  }
}

/** A place in a secondary index: by secondary key, then by primary key. */
export class IndexCursor<T> {
  constructor(private readonly table: Table<T>, private it: i32, private primary: u64) {}

  get valid(): bool {
    return this.it >= 0;
  }

  get id(): u64 {
    return this.primary;
  }

  get row(): T {
    return this.table.require(this.primary);
  }

  next(): void {
    this.it = db_idx64_next(this.it, ID_ROOM);
    this.primary = load<u64>(ID_ROOM);
  }

  previous(): void {
    this.it = db_idx64_previous(this.it, ID_ROOM);
    this.primary = load<u64>(ID_ROOM);
  }

  /** Removes the row with all its entries and goes to the next one. */
  remove(): void {
    const id = this.primary;
    this.next();
    this.table.remove(id);
  }
}
