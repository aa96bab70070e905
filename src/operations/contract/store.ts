import {
  type Index64Object,
  index64Object,
  type KeyValueObject,
  keyValueObject,
  type TableIdObject,
  tableIdObject,
} from '../../state/objects/contract-table.js';
import type { WriteState } from '../../state/views.js';
import type { ContractStore, EntryRecord, RowRecord, TableRecord } from './engine.js';

/** The tables of contracts as the engine sees them. Who may do what, and what it costs, is the engine's business. */

const tableRecord = ({ id, code, scope, table, payer, count }: Readonly<TableIdObject>): TableRecord => ({
  id,
  code,
  scope,
  table,
  payer,
  count,
});

const rowRecord = (row: Readonly<KeyValueObject>): RowRecord => ({
  id: row.id,
  tableId: row.t_id,
  primaryKey: row.primary_key,
  payer: row.payer,
  value: row.value,
});

const entryRecord = (entry: Readonly<Index64Object>): EntryRecord => ({
  id: entry.id,
  tableId: entry.t_id,
  primaryKey: entry.primary_key,
  payer: entry.payer,
  secondaryKey: entry.secondary_key,
});

/** A neighbour in the index may belong to another table. */
function inTable<T extends { t_id: number }>(object: T | undefined, table: number): T | undefined {
  return object?.t_id === table ? object : undefined;
}

const asEntry = (entry: Readonly<Index64Object> | undefined): EntryRecord | undefined =>
  entry === undefined ? undefined : entryRecord(entry);

const asRow = (row: Readonly<KeyValueObject> | undefined): RowRecord | undefined =>
  row === undefined ? undefined : rowRecord(row);

/** A class, since there is one per call: closures for all of this would cost more than most calls do. */
class StateContractStore implements ContractStore {
  readonly #s: WriteState;

  constructor(s: WriteState) {
    this.#s = s;
  }

  table(id: number): TableRecord | undefined {
    const found = this.#s.find(tableIdObject, id);
    return found === undefined ? undefined : tableRecord(found);
  }

  findTable(code: bigint, scope: bigint, table: bigint): TableRecord | undefined {
    const found = this.#s.lowerBound(tableIdObject.by.codeScopeTable, [code, scope, table]);
    const isIt = found?.code === code && found.scope === scope && found.table === table;
    return isIt ? tableRecord(found) : undefined;
  }

  createTable(code: bigint, scope: bigint, table: bigint, payer: bigint): TableRecord {
    return tableRecord(this.#s.create(tableIdObject, { code, scope, table, payer, count: 0 }));
  }

  setTableCount(id: number, count: number): void {
    this.#s.modify(tableIdObject, this.#s.get(tableIdObject, id), (o) => {
      o.count = count;
    });
  }

  removeTable(id: number): void {
    this.#s.remove(tableIdObject, this.#s.get(tableIdObject, id));
  }

  row(id: number): RowRecord | undefined {
    return asRow(this.#s.find(keyValueObject, id));
  }

  findRow(table: number, key: bigint): RowRecord | undefined {
    const found = inTable(this.#s.lowerBound(keyValueObject.by.primary, [table, key]), table);
    return found?.primary_key === key ? rowRecord(found) : undefined;
  }

  rowAtOrAfter(table: number, key: bigint): RowRecord | undefined {
    return asRow(inTable(this.#s.lowerBound(keyValueObject.by.primary, [table, key]), table));
  }

  rowBefore(table: number, key: bigint): RowRecord | undefined {
    const { primary } = keyValueObject.by;
    const next = this.#s.lowerBound(primary, [table, key]);
    return asRow(inTable(next === undefined ? this.#s.last(primary) : this.#s.previous(primary, next), table));
  }

  createRow(t_id: number, primary_key: bigint, payer: bigint, value: Uint8Array): RowRecord {
    return rowRecord(this.#s.create(keyValueObject, { t_id, primary_key, payer, value }));
  }

  updateRow(id: number, payer: bigint, value: Uint8Array): void {
    this.#s.modify(keyValueObject, this.#s.get(keyValueObject, id), (o) => {
      o.payer = payer;
      o.value = value;
    });
  }

  removeRow(id: number): void {
    this.#s.remove(keyValueObject, this.#s.get(keyValueObject, id));
  }

  entry(id: number): EntryRecord | undefined {
    return asEntry(this.#s.find(index64Object, id));
  }

  findEntry(table: number, key: bigint): EntryRecord | undefined {
    const found = inTable(this.#s.lowerBound(index64Object.by.primary, [table, key]), table);
    return found?.primary_key === key ? entryRecord(found) : undefined;
  }

  entryAtOrAfter(table: number, second: bigint, key: bigint): EntryRecord | undefined {
    return asEntry(inTable(this.#s.lowerBound(index64Object.by.secondary, [table, second, key]), table));
  }

  entryBefore(table: number, second: bigint, key: bigint): EntryRecord | undefined {
    const { secondary } = index64Object.by;
    const next = this.#s.lowerBound(secondary, [table, second, key]);
    return asEntry(inTable(next === undefined ? this.#s.last(secondary) : this.#s.previous(secondary, next), table));
  }

  createEntry(t_id: number, primary_key: bigint, payer: bigint, secondary_key: bigint): EntryRecord {
    return entryRecord(this.#s.create(index64Object, { t_id, primary_key, payer, secondary_key }));
  }

  updateEntry(id: number, payer: bigint, secondary_key: bigint): void {
    this.#s.modify(index64Object, this.#s.get(index64Object, id), (o) => {
      o.payer = payer;
      o.secondary_key = secondary_key;
    });
  }

  removeEntry(id: number): void {
    this.#s.remove(index64Object, this.#s.get(index64Object, id));
  }
}

export function contractStore(s: WriteState): ContractStore {
  return new StateContractStore(s);
}
