import type { ContractStore, EntryRecord, RowRecord, TableRecord } from '../../src/operations/contract/engine.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Objects in arrays that are searched from end to end: slow, and too simple to be wrong. */
export class MemoryContractStore implements ContractStore {
  tables: Mutable<TableRecord>[] = [];
  rows: Mutable<RowRecord>[] = [];
  entries: Mutable<EntryRecord>[] = [];
  private nextTable = 0;
  private nextRow = 0;
  private nextEntry = 0;

  table(id: number): TableRecord | undefined {
    return this.tables.find((t) => t.id === id);
  }

  findTable(code: bigint, scope: bigint, table: bigint): TableRecord | undefined {
    return this.tables.find((t) => t.code === code && t.scope === scope && t.table === table);
  }

  createTable(code: bigint, scope: bigint, table: bigint, payer: bigint): TableRecord {
    const record = { id: this.nextTable++, code, scope, table, payer, count: 0 };
    this.tables.push(record);
    return record;
  }

  setTableCount(id: number, count: number): void {
    for (const table of this.tables) if (table.id === id) table.count = count;
  }

  removeTable(id: number): void {
    this.tables = this.tables.filter((t) => t.id !== id);
  }

  row(id: number): RowRecord | undefined {
    return this.rows.find((r) => r.id === id);
  }

  findRow(tableId: number, primaryKey: bigint): RowRecord | undefined {
    return this.rows.find((r) => r.tableId === tableId && r.primaryKey === primaryKey);
  }

  rowAtOrAfter(tableId: number, primaryKey: bigint): RowRecord | undefined {
    return least(
      this.rows.filter((r) => r.tableId === tableId && r.primaryKey >= primaryKey),
      compareRows,
    );
  }

  rowBefore(tableId: number, primaryKey: bigint): RowRecord | undefined {
    return least(
      this.rows.filter((r) => r.tableId === tableId && r.primaryKey < primaryKey),
      (a, b) => compareRows(b, a),
    );
  }

  createRow(tableId: number, primaryKey: bigint, payer: bigint, value: Uint8Array): RowRecord {
    const record = { id: this.nextRow++, tableId, primaryKey, payer, value };
    this.rows.push(record);
    return record;
  }

  updateRow(id: number, payer: bigint, value: Uint8Array): void {
    for (const row of this.rows) if (row.id === id) Object.assign(row, { payer, value });
  }

  removeRow(id: number): void {
    this.rows = this.rows.filter((r) => r.id !== id);
  }

  entry(id: number): EntryRecord | undefined {
    return this.entries.find((e) => e.id === id);
  }

  findEntry(tableId: number, primaryKey: bigint): EntryRecord | undefined {
    return this.entries.find((e) => e.tableId === tableId && e.primaryKey === primaryKey);
  }

  entryAtOrAfter(tableId: number, secondaryKey: bigint, primaryKey: bigint): EntryRecord | undefined {
    const from = { secondaryKey, primaryKey };
    return least(
      this.entries.filter((e) => e.tableId === tableId && compareEntries(e, from) >= 0),
      compareEntries,
    );
  }

  entryBefore(tableId: number, secondaryKey: bigint, primaryKey: bigint): EntryRecord | undefined {
    const from = { secondaryKey, primaryKey };
    return least(
      this.entries.filter((e) => e.tableId === tableId && compareEntries(e, from) < 0),
      (a, b) => compareEntries(b, a),
    );
  }

  createEntry(tableId: number, primaryKey: bigint, payer: bigint, secondaryKey: bigint): EntryRecord {
    const record = { id: this.nextEntry++, tableId, primaryKey, payer, secondaryKey };
    this.entries.push(record);
    return record;
  }

  updateEntry(id: number, payer: bigint, secondaryKey: bigint): void {
    for (const entry of this.entries) if (entry.id === id) Object.assign(entry, { payer, secondaryKey });
  }

  removeEntry(id: number): void {
    this.entries = this.entries.filter((e) => e.id !== id);
  }
}

const sign = (difference: bigint): number => (difference < 0n ? -1 : difference > 0n ? 1 : 0);
const compareRows = (a: RowRecord, b: RowRecord): number => sign(a.primaryKey - b.primaryKey);

type EntryKey = Pick<EntryRecord, 'secondaryKey' | 'primaryKey'>;
const compareEntries = (a: EntryKey, b: EntryKey): number =>
  sign(a.secondaryKey - b.secondaryKey) || sign(a.primaryKey - b.primaryKey);

function least<T>(items: readonly T[], compare: (a: T, b: T) => number): T | undefined {
  return items.reduce<T | undefined>(
    (best, item) => (best === undefined || compare(item, best) < 0 ? item : best),
    undefined,
  );
}
