import { check, defineErrors } from '../../base/errors.js';
import type { ContractRules, ContractStore, TableRecord } from '../../operations/contract/engine.js';
import { RAM_BYTES, type RamMeter } from './ram.js';

export const TABLE_ERRORS = defineErrors({
  contract_payer: {
    text: 'payer == 0 || payer == sender || payer == origin || payer == receiver: db access violation, apayer ${payer} not in {0, sender ${sender}, origin ${origin}, receiver ${receiver}}',
  },
  contract_table_access: { text: 'table_obj.code == receiver: db access violation' },
  contract_row_exists: {
    text: 'insert_result.second: Could not create object! Most likely a uniqueness constraint is violated.',
  },
  contract_iterator_invalid: { text: 'iterator != -1: invalid iterator' },
  contract_iterator_end: { text: 'iterator >= 0: dereference of end iterator' },
  contract_iterator_range: { text: 'iterator < _iterator_to_object.size(): iterator out of range' },
  contract_iterator_deleted: { text: 'result: dereference of deleted object' },
  contract_iterator_not_end: { text: 'tab: not a valid end iterator' },
});

/** Above every u64 key: "before this" is the last row. */
export const KEY_END = 1n << 64n;

/** Who runs, and what the rules and counters are. */
export interface TableAccess {
  readonly receiver: bigint;
  readonly sender: bigint;
  readonly origin: bigint;
  readonly rules: ContractRules;
  readonly ram: RamMeter;
}

/** Payer as it is stored: 0 stands for the contract. */
export function resolvePayer(access: TableAccess, payer: bigint): bigint {
  const { sender, origin, receiver } = access;
  if (!access.rules.ram_per_payer) return payer;
  const allowed = payer === 0n || payer === sender || payer === origin || payer === receiver;
  check(allowed, TABLE_ERRORS.contract_payer, { payer, sender, origin, receiver });
  return payer === 0n ? receiver : payer;
}

/** The running contract's own table, made if it is not there yet. */
export function openTable(
  store: ContractStore,
  access: TableAccess,
  scope: bigint,
  table: bigint,
  payer: bigint,
): TableRecord {
  const found = store.findTable(access.receiver, scope, table);
  if (found !== undefined) return found;
  access.ram.addTable(payer, RAM_BYTES.table);
  return store.createTable(access.receiver, scope, table, payer);
}

/** Only the running contract may change its tables. */
export function ownTable(store: ContractStore, access: TableAccess, tableId: number): TableRecord {
  const table = store.table(tableId);
  check(table !== undefined && table.code === access.receiver, TABLE_ERRORS.contract_table_access);
  return table;
}

/** The count is an unsigned 32-bit number that wraps: rows from before rows were counted are subtracted too. */
export function shiftCount(store: ContractStore, table: TableRecord, by: 1 | -1): number {
  const count = (table.count + by) >>> 0;
  store.setTableCount(table.id, count);
  return count;
}

export function closeTable(store: ContractStore, access: TableAccess, table: TableRecord): void {
  access.ram.addTable(table.payer, -RAM_BYTES.table);
  store.removeTable(table.id);
}
