import {
  type Index64Object,
  index64Object,
  type KeyValueObject,
  keyValueObject,
  type TableIdObject,
  tableIdObject,
} from '../../state/objects/contract-table.js';
import type { ReadState, WriteState } from '../../state/views.js';
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

function entriesOf(s: WriteState): Pick<ContractStore, 'entry' | 'findEntry' | 'entryAtOrAfter' | 'entryBefore'> {
  const { primary, secondary } = index64Object.by;
  const asRecord = (entry: Readonly<Index64Object> | undefined): EntryRecord | undefined =>
    entry === undefined ? undefined : entryRecord(entry);
  return {
    entry: (id) => asRecord(s.find(index64Object, id)),
    findEntry: (table, key) => {
      const found = inTable(s.lowerBound(primary, [table, key]), table);
      return found?.primary_key === key ? entryRecord(found) : undefined;
    },
    entryAtOrAfter: (table, second, key) => asRecord(inTable(s.lowerBound(secondary, [table, second, key]), table)),
    entryBefore: (table, second, key) => {
      const next = s.lowerBound(secondary, [table, second, key]);
      return asRecord(inTable(next === undefined ? s.last(secondary) : s.previous(secondary, next), table));
    },
  };
}

function rowsOf(s: ReadState): Pick<ContractStore, 'row' | 'findRow' | 'rowAtOrAfter' | 'rowBefore'> {
  const { primary } = keyValueObject.by;
  const asRecord = (row: Readonly<KeyValueObject> | undefined): RowRecord | undefined =>
    row === undefined ? undefined : rowRecord(row);
  return {
    row: (id) => asRecord(s.find(keyValueObject, id)),
    findRow: (table, key) => {
      const found = inTable(s.lowerBound(primary, [table, key]), table);
      return found?.primary_key === key ? rowRecord(found) : undefined;
    },
    rowAtOrAfter: (table, key) => asRecord(inTable(s.lowerBound(primary, [table, key]), table)),
    rowBefore: (table, key) => {
      const next = s.lowerBound(primary, [table, key]);
      return asRecord(inTable(next === undefined ? s.last(primary) : s.previous(primary, next), table));
    },
  };
}

export function contractStore(s: WriteState): ContractStore {
  return {
    ...rowsOf(s),
    ...entriesOf(s),
    table: (id) => {
      const found = s.find(tableIdObject, id);
      return found === undefined ? undefined : tableRecord(found);
    },
    findTable: (code, scope, table) => {
      const found = s.lowerBound(tableIdObject.by.codeScopeTable, [code, scope, table]);
      const isIt = found?.code === code && found.scope === scope && found.table === table;
      return isIt ? tableRecord(found) : undefined;
    },
    createTable: (code, scope, table, payer) =>
      tableRecord(s.create(tableIdObject, { code, scope, table, payer, count: 0 })),
    setTableCount: (id, count) =>
      s.modify(tableIdObject, s.get(tableIdObject, id), (o) => {
        o.count = count;
      }),
    removeTable: (id) => s.remove(tableIdObject, s.get(tableIdObject, id)),
    createRow: (table, primary_key, payer, value) =>
      rowRecord(s.create(keyValueObject, { t_id: table, primary_key, payer, value })),
    updateRow: (id, payer, value) =>
      s.modify(keyValueObject, s.get(keyValueObject, id), (o) => {
        o.payer = payer;
        o.value = value;
      }),
    removeRow: (id) => s.remove(keyValueObject, s.get(keyValueObject, id)),
    createEntry: (table, primary_key, payer, secondary_key) =>
      entryRecord(s.create(index64Object, { t_id: table, primary_key, payer, secondary_key })),
    updateEntry: (id, payer, secondary_key) =>
      s.modify(index64Object, s.get(index64Object, id), (o) => {
        o.payer = payer;
        o.secondary_key = secondary_key;
      }),
    removeEntry: (id) => s.remove(index64Object, s.get(index64Object, id)),
  };
}
