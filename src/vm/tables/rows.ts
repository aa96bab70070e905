import { check, invariant } from '../../base/errors.js';
import type { ContractStore, RowRecord } from '../../operations/contract/engine.js';
import {
  closeTable,
  KEY_END,
  openTable,
  ownTable,
  resolvePayer,
  shiftCount,
  TABLE_ERRORS,
  type TableAccess,
} from './access.js';
import { IteratorCache } from './iterator-cache.js';
import { RAM_BYTES } from './ram.js';

/** A step of an iterator: where it stands now, and the key to report if it stands on a row. */
export interface Step {
  readonly iterator: number;
  readonly primaryKey: bigint | undefined;
}

const NOWHERE: Step = { iterator: -1, primaryKey: undefined };

/** The primary rows as one action sees them. */
export class RowIterators {
  private readonly store: ContractStore;
  private readonly access: TableAccess;
  private readonly cache = new IteratorCache();

  constructor(store: ContractStore, access: TableAccess) {
    this.store = store;
    this.access = access;
  }

  insert(scope: bigint, table: bigint, payerArgument: bigint, primaryKey: bigint, value: Uint8Array): number {
    const { store } = this;
    const access = this.access;
    const payer = resolvePayer(access, payerArgument);
    const owner = openTable(store, access, scope, table, payer);
    check(store.findRow(owner.id, primaryKey) === undefined, TABLE_ERRORS.contract_row_exists);
    const row = store.createRow(owner.id, primaryKey, payer, value);
    if (access.rules.ram_per_payer) shiftCount(store, owner, 1);
    access.ram.add(payer, RAM_BYTES.row + value.length);
    this.cache.addTable(owner.id);
    return this.cache.add(row.id);
  }

  update(iterator: number, payerArgument: bigint, value: Uint8Array): void {
    const { store } = this;
    const access = this.access;
    const payer = resolvePayer(access, payerArgument);
    const row = this.row(iterator);
    ownTable(store, access, row.tableId);
    const [before, after] = [row.value.length, value.length];
    if (!access.rules.ram_per_payer || row.payer === payer) {
      if (before !== after) access.ram.add(payer, after - before);
    } else {
      access.ram.add(row.payer, -(RAM_BYTES.row + before));
      access.ram.add(payer, RAM_BYTES.row + after);
    }
    store.updateRow(row.id, payer, value);
  }

  remove(iterator: number): void {
    const { store } = this;
    const access = this.access;
    const row = this.row(iterator);
    const table = ownTable(store, access, row.tableId);
    access.ram.add(row.payer, -(RAM_BYTES.row + row.value.length));
    store.removeRow(row.id);
    this.cache.remove(iterator);
    // Quirk: the table object stays when it is empty, and with it the bytes that somebody pays for it.
    if (!access.rules.ram_per_payer) return;
    const count = shiftCount(store, table, -1);
    if (count === 0 && access.rules.removes_emptied_tables) closeTable(store, access, table);
  }

  value(iterator: number): Uint8Array {
    return this.row(iterator).value;
  }

  next(iterator: number): Step {
    if (iterator < -1) return NOWHERE;
    const row = this.row(iterator);
    const next = this.store.rowAtOrAfter(row.tableId, row.primaryKey + 1n);
    if (next === undefined) return { iterator: this.cache.addTable(row.tableId), primaryKey: undefined };
    return this.at(next);
  }

  previous(iterator: number): Step {
    if (iterator < -1) {
      const tableId = this.cache.tableOfEnd(iterator);
      check(this.store.table(tableId) !== undefined, TABLE_ERRORS.contract_iterator_not_end);
      return this.at(this.store.rowBefore(tableId, KEY_END));
    }
    const row = this.row(iterator);
    return this.at(this.store.rowBefore(row.tableId, row.primaryKey));
  }

  find(code: bigint, scope: bigint, table: bigint, primaryKey: bigint): number {
    return this.locate(code, scope, table, (tableId) => this.store.findRow(tableId, primaryKey));
  }

  lowerBound(code: bigint, scope: bigint, table: bigint, primaryKey: bigint): number {
    return this.locate(code, scope, table, (tableId) => this.store.rowAtOrAfter(tableId, primaryKey));
  }

  upperBound(code: bigint, scope: bigint, table: bigint, primaryKey: bigint): number {
    return this.locate(code, scope, table, (tableId) => this.store.rowAtOrAfter(tableId, primaryKey + 1n));
  }

  end(code: bigint, scope: bigint, table: bigint): number {
    return this.locate(code, scope, table, () => undefined);
  }

  private locate(
    code: bigint,
    scope: bigint,
    table: bigint,
    search: (tableId: number) => RowRecord | undefined,
  ): number {
    const owner = this.store.findTable(code, scope, table);
    if (owner === undefined) return -1;
    const end = this.cache.addTable(owner.id);
    const row = search(owner.id);
    return row === undefined ? end : this.cache.add(row.id);
  }

  private at(row: RowRecord | undefined): Step {
    return row === undefined ? NOWHERE : { iterator: this.cache.add(row.id), primaryKey: row.primaryKey };
  }

  private row(iterator: number): RowRecord {
    const row = this.store.row(this.cache.object(iterator));
    invariant(row !== undefined, 'rows are removed through their iterators only');
    return row;
  }
}
