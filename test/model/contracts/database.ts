import {
  type Index64Object,
  index64Object,
  type KeyValueObject,
  keyValueObject,
  type TableIdObject,
  tableIdObject,
} from '../../../src/state/objects/contract-table.js';
import { must } from '../tables.js';
import type { Action, Host } from './action.js';

const TABLE_BYTES = 112;
const ROW_BYTES = 112;
const ENTRY_BYTES = 128;
const NONE = -1n;
const U64 = (1n << 64n) - 1n;

const order = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);
const bySecondary = (a: Index64Object, b: Index64Object): number =>
  order(a.secondary_key, b.secondary_key) || order(a.primary_key, b.primary_key);

function payerOf(a: Action, payer: bigint): bigint {
  if (!a.m.isAfter('1016')) return payer;
  const { sender } = a.given;
  must([0n, BigInt(sender), BigInt(a.run.origin), a.receiver].includes(payer), 'contract_payer');
  return payer === 0n ? a.receiver : payer;
}

function tableOf(a: Action, code: bigint, scope: bigint, name: bigint): TableIdObject | undefined {
  return a.m.where(tableIdObject, (one) => one.code === code && one.scope === scope && one.table === name);
}

/** The running contract's own, made if need be. */
function ownTable(a: Action, scope: bigint, table: bigint, payer: bigint): number {
  const found = tableOf(a, a.receiver, scope, table);
  if (found !== undefined) return found.id;
  a.run.ram.addTable(payer, TABLE_BYTES);
  return a.m.create(tableIdObject, { code: a.receiver, scope, table, payer, count: 0 });
}

function count(a: Action, table: number, change: number): void {
  a.m.change(tableIdObject, table, (o) => {
    o.count = (o.count + change) >>> 0;
  });
}

function checkOwn(a: Action, table: number): void {
  must(a.m.get(tableIdObject, table).code === a.receiver, 'contract_table_access');
}

function dropIfEmpty(a: Action, table: number): void {
  const { count: left, payer } = a.m.get(tableIdObject, table);
  if (left !== 0) return;
  a.run.ram.addTable(payer, -TABLE_BYTES);
  a.m.remove(tableIdObject, table);
}

const rowsOf = (a: Action, table: number): KeyValueObject[] =>
  a.m
    .all(keyValueObject)
    .filter((row) => row.t_id === table)
    .sort((x, y) => order(x.primary_key, y.primary_key));

const entriesOf = (a: Action, table: number): Index64Object[] =>
  a.m
    .all(index64Object)
    .filter((row) => row.t_id === table)
    .sort(bySecondary);

const number = (a: Action, at: bigint): bigint => a.memory.number(Number(at));
const setNumber = (a: Action, at: bigint, value: bigint): void => a.memory.setNumber(Number(at), value);

const store: Host = (a, scope = 0n, table = 0n, payer = 0n, primary_key = 0n, at, length) => {
  const paying = payerOf(a, payer);
  const t_id = ownTable(a, scope, table, paying);
  must(!rowsOf(a, t_id).some((row) => row.primary_key === primary_key), 'contract_row_exists');
  const value = a.memory.read(Number(at), Number(length));
  const id = a.m.create(keyValueObject, { t_id, primary_key, payer: paying, value });
  if (a.m.isAfter('1016')) count(a, t_id, 1);
  a.run.ram.add(paying, ROW_BYTES + value.length);
  a.rows.end(t_id);
  return a.rows.number(id);
};

const update: Host = (a, iterator, payer = 0n, at, length) => {
  const paying = payerOf(a, payer);
  const row = a.m.get(keyValueObject, a.rows.object(Number(iterator)));
  checkOwn(a, row.t_id);
  const value = a.memory.read(Number(at), Number(length));
  const growth = value.length - row.value.length;
  if (!a.m.isAfter('1016') || paying === row.payer) {
    if (growth !== 0) a.run.ram.add(paying, growth);
  } else {
    a.run.ram.add(row.payer, -(ROW_BYTES + row.value.length));
    a.run.ram.add(paying, ROW_BYTES + value.length);
  }
  a.m.change(keyValueObject, row.id, (o) => Object.assign(o, { payer: paying, value }));
};

const remove: Host = (a, iterator) => {
  const row = a.m.get(keyValueObject, a.rows.object(Number(iterator)));
  checkOwn(a, row.t_id);
  a.run.ram.add(row.payer, -(ROW_BYTES + row.value.length));
  a.m.remove(keyValueObject, row.id);
  a.rows.remove(row.id);
  if (!a.m.isAfter('1016')) return;
  count(a, row.t_id, -1);
  if (!a.m.isAfter('1020')) dropIfEmpty(a, row.t_id);
};

/** The row, or the end of its table, and the key where there is one. */
function reachRow(a: Action, table: number, row: KeyValueObject | undefined, at?: bigint): bigint {
  const end = a.rows.end(table);
  if (row === undefined) return end;
  if (at !== undefined) setNumber(a, at, row.primary_key);
  return a.rows.number(row.id);
}

function reachEntry(a: Action, table: number, row: Index64Object | undefined, at?: bigint): bigint {
  const end = a.entries.end(table);
  if (row === undefined) return end;
  if (at !== undefined) setNumber(a, at, row.primary_key);
  return a.entries.number(row.id);
}

const nextRow: Host = (a, iterator = 0n, at) => {
  if (iterator < -1n) return NONE;
  const row = a.m.get(keyValueObject, a.rows.object(Number(iterator)));
  const next = rowsOf(a, row.t_id).find((one) => one.primary_key > row.primary_key);
  return reachRow(a, row.t_id, next, at);
};

const previousRow: Host = (a, iterator = 0n, at = 0n) => {
  const isEnd = iterator < -1n;
  const row = isEnd ? undefined : a.m.get(keyValueObject, a.rows.object(Number(iterator)));
  const table = row?.t_id ?? a.rows.tableOfEnd(Number(iterator));
  must(a.m.find(tableIdObject, table) !== undefined, 'contract_iterator_not_end');
  const before = rowsOf(a, table).filter((one) => row === undefined || one.primary_key < row.primary_key);
  const last = before.at(-1);
  return last === undefined ? NONE : reachRow(a, table, last, at);
};

const nextEntry: Host = (a, iterator = 0n, at) => {
  if (iterator < -1n) return NONE;
  const row = a.m.get(index64Object, a.entries.object(Number(iterator)));
  const next = entriesOf(a, row.t_id).find((one) => bySecondary(one, row) > 0);
  return reachEntry(a, row.t_id, next, at);
};

const previousEntry: Host = (a, iterator = 0n, at = 0n) => {
  const isEnd = iterator < -1n;
  const row = isEnd ? undefined : a.m.get(index64Object, a.entries.object(Number(iterator)));
  const table = row?.t_id ?? a.entries.tableOfEnd(Number(iterator));
  must(a.m.find(tableIdObject, table) !== undefined, 'contract_iterator_not_end');
  const last = entriesOf(a, table)
    .filter((one) => row === undefined || bySecondary(one, row) < 0)
    .at(-1);
  return last === undefined ? NONE : reachEntry(a, table, last, at);
};

/** A way to look for a row in a table of anybody. */
const inTable =
  (work: (a: Action, table: number, ...given: bigint[]) => bigint): Host =>
  (a, code = 0n, scope = 0n, name = 0n, ...given) => {
    const table = tableOf(a, code, scope, name);
    return table === undefined ? NONE : work(a, table.id, ...given);
  };

const findRow = (isWanted: (key: bigint, id: bigint) => boolean): Host =>
  inTable((a, table, id = 0n) =>
    reachRow(
      a,
      table,
      rowsOf(a, table).find((row) => isWanted(row.primary_key, id)),
    ),
  );

/** What is not aligned is a copy that is written back afterwards, the last one last. */
function writeBoth(a: Action, keyAt: bigint, idAt: bigint, row: Index64Object): void {
  const writes = [
    { at: idAt, value: row.primary_key, turn: idAt % 8n === 0n ? 0 : 3 },
    { at: keyAt, value: row.secondary_key, turn: keyAt % 8n === 0n ? 1 : 2 },
  ];
  for (const { at, value } of writes.sort((x, y) => x.turn - y.turn)) setNumber(a, at, value);
}

const bound = (isWanted: (key: bigint, wanted: bigint) => boolean): Host =>
  inTable((a, table, keyAt = 0n, idAt = 0n) => {
    const wanted = number(a, keyAt);
    const row = entriesOf(a, table).find((one) => isWanted(one.secondary_key, wanted));
    if (row !== undefined) writeBoth(a, keyAt, idAt, row);
    return reachEntry(a, table, row);
  });

const storeEntry: Host = (a, scope = 0n, table = 0n, payer = 0n, primary_key = 0n, at = 0n) => {
  const paying = payerOf(a, payer);
  const t_id = ownTable(a, scope, table, paying);
  must(!entriesOf(a, t_id).some((row) => row.primary_key === primary_key), 'contract_row_exists');
  const id = a.m.create(index64Object, { t_id, primary_key, payer: paying, secondary_key: number(a, at) });
  count(a, t_id, 1);
  a.run.ram.add(paying, ENTRY_BYTES);
  a.entries.end(t_id);
  return a.entries.number(id);
};

const updateEntry: Host = (a, iterator, payer = 0n, at = 0n) => {
  const keepsPayer = a.m.isAfter('1021');
  if (keepsPayer) payerOf(a, payer);
  const row = a.m.get(index64Object, a.entries.object(Number(iterator)));
  checkOwn(a, row.t_id);
  const secondary_key = number(a, at);
  a.m.change(index64Object, row.id, (o) => Object.assign(o, { secondary_key }, keepsPayer ? {} : { payer }));
};

const removeEntry: Host = (a, iterator) => {
  const row = a.m.get(index64Object, a.entries.object(Number(iterator)));
  checkOwn(a, row.t_id);
  a.run.ram.add(row.payer, -ENTRY_BYTES);
  a.m.remove(index64Object, row.id);
  a.entries.remove(row.id);
  count(a, row.t_id, -1);
  dropIfEmpty(a, row.t_id);
};

export const DATABASE = {
  db_store_i64: store,
  db_update_i64: update,
  db_remove_i64: remove,
  db_get_i64: (a, iterator, at, length) => {
    const { value } = a.m.get(keyValueObject, a.rows.object(Number(iterator)));
    return a.memory.hand(value, Number(at), Number(length));
  },
  db_next_i64: nextRow,
  db_previous_i64: previousRow,
  db_find_i64: findRow((key, id) => key === id),
  db_lowerbound_i64: findRow((key, id) => key >= id),
  db_upperbound_i64: findRow((key, id) => key > id),
  db_end_i64: inTable((a, table) => a.rows.end(table)),
  db_idx64_store: storeEntry,
  db_idx64_update: updateEntry,
  db_idx64_remove: removeEntry,
  db_idx64_find_secondary: inTable((a, table, keyAt = 0n, idAt = 0n) => {
    const wanted = number(a, keyAt);
    return reachEntry(
      a,
      table,
      entriesOf(a, table).find((row) => row.secondary_key === wanted),
      idAt,
    );
  }),
  db_idx64_find_primary: inTable((a, table, keyAt = 0n, id = 0n) => {
    const row = entriesOf(a, table).find((one) => one.primary_key === (id & U64));
    if (row !== undefined) setNumber(a, keyAt, row.secondary_key);
    return reachEntry(a, table, row);
  }),
  db_idx64_lowerbound: bound((key, wanted) => key >= wanted),
  db_idx64_upperbound: bound((key, wanted) => key > wanted),
  db_idx64_end: inTable((a, table) => a.entries.end(table)),
  db_idx64_next: nextEntry,
  db_idx64_previous: previousEntry,
} satisfies Readonly<Record<string, Host>>;
