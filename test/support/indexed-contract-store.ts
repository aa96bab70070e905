import type { ContractStore, EntryRecord, RowRecord, TableRecord } from '../../src/operations/contract/engine.js';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Rows in sorted arrays: about what a real state costs, for benches. Secondary entries are not stored. */
export class IndexedContractStore implements ContractStore {
  private readonly tableById = new Map<number, Mutable<TableRecord>>();
  private readonly tableByName = new Map<string, Mutable<TableRecord>>();
  private readonly rowById = new Map<number, Mutable<RowRecord>>();
  private readonly rowsOfTable = new Map<number, Mutable<RowRecord>[]>();
  private nextId = 0;

  table(id: number): TableRecord | undefined {
    return this.tableById.get(id);
  }

  findTable(code: bigint, scope: bigint, table: bigint): TableRecord | undefined {
    return this.tableByName.get(`${code} ${scope} ${table}`);
  }

  createTable(code: bigint, scope: bigint, table: bigint, payer: bigint): TableRecord {
    const record = { id: this.nextId++, code, scope, table, payer, count: 0 };
    this.tableById.set(record.id, record);
    this.tableByName.set(`${code} ${scope} ${table}`, record);
    this.rowsOfTable.set(record.id, []);
    return record;
  }

  setTableCount(id: number, count: number): void {
    const table = this.tableById.get(id);
    if (table !== undefined) table.count = count;
  }

  removeTable(id: number): void {
    const table = this.tableById.get(id);
    if (table !== undefined) this.tableByName.delete(`${table.code} ${table.scope} ${table.table}`);
    this.tableById.delete(id);
  }

  private rows(tableId: number): Mutable<RowRecord>[] {
    return this.rowsOfTable.get(tableId) ?? [];
  }

  private position(rows: readonly RowRecord[], key: bigint): number {
    let [low, high] = [0, rows.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle] as RowRecord).primaryKey < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  row(id: number): RowRecord | undefined {
    return this.rowById.get(id);
  }

  findRow(tableId: number, primaryKey: bigint): RowRecord | undefined {
    const row = this.rowAtOrAfter(tableId, primaryKey);
    return row?.primaryKey === primaryKey ? row : undefined;
  }

  rowAtOrAfter(tableId: number, primaryKey: bigint): RowRecord | undefined {
    const rows = this.rows(tableId);
    return rows[this.position(rows, primaryKey)];
  }

  rowBefore(tableId: number, primaryKey: bigint): RowRecord | undefined {
    const rows = this.rows(tableId);
    return rows[this.position(rows, primaryKey) - 1];
  }

  createRow(tableId: number, primaryKey: bigint, payer: bigint, value: Uint8Array): RowRecord {
    const record = { id: this.nextId++, tableId, primaryKey, payer, value };
    const rows = this.rows(tableId);
    rows.splice(this.position(rows, primaryKey), 0, record);
    this.rowById.set(record.id, record);
    return record;
  }

  updateRow(id: number, payer: bigint, value: Uint8Array): void {
    Object.assign(this.rowById.get(id) ?? {}, { payer, value });
  }

  removeRow(id: number): void {
    const row = this.rowById.get(id);
    if (row === undefined) return;
    const rows = this.rows(row.tableId);
    rows.splice(this.position(rows, row.primaryKey), 1);
    this.rowById.delete(id);
  }

  entry(): EntryRecord | undefined {
    return undefined;
  }

  findEntry(): EntryRecord | undefined {
    return undefined;
  }

  entryAtOrAfter(): EntryRecord | undefined {
    return undefined;
  }

  entryBefore(): EntryRecord | undefined {
    return undefined;
  }

  createEntry(tableId: number, primaryKey: bigint, payer: bigint, secondaryKey: bigint): EntryRecord {
    return { id: this.nextId++, tableId, primaryKey, payer, secondaryKey };
  }

  updateEntry(): void {}

  removeEntry(): void {}
}
