import { check, invariant } from '../../base/errors.js';
import type { ContractStore, EntryRecord } from '../../operations/contract/engine.js';
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
import type { Step } from './rows.js';

const NOWHERE: Step = { iterator: -1, primaryKey: undefined };

/** Where a search ended, with the entry if it found one. */
export interface FoundEntry {
  readonly iterator: number;
  readonly entry: EntryRecord | undefined;
}

const NO_TABLE: FoundEntry = { iterator: -1, entry: undefined };

/** The entries of u64 indexes as one action sees them. Their iterators are independent of those of rows. */
export class EntryIterators {
  private readonly store: ContractStore;
  private readonly access: TableAccess;
  private readonly cache = new IteratorCache();

  constructor(store: ContractStore, access: TableAccess) {
    this.store = store;
    this.access = access;
  }

  insert(scope: bigint, table: bigint, payerArgument: bigint, primaryKey: bigint, secondaryKey: bigint): number {
    const { store } = this;
    const access = this.access;
    const payer = resolvePayer(access, payerArgument);
    const owner = openTable(store, access, scope, table, payer);
    check(store.findEntry(owner.id, primaryKey) === undefined, TABLE_ERRORS.contract_row_exists);
    const entry = store.createEntry(owner.id, primaryKey, payer, secondaryKey);
    shiftCount(store, owner, 1);
    access.ram.add(payer, RAM_BYTES.entry);
    this.cache.addTable(owner.id);
    return this.cache.add(entry.id);
  }

  /** Quirk: the payer is checked and then ignored; earlier it was stored without RAM being moved. */
  update(iterator: number, payerArgument: bigint, secondaryKey: bigint): void {
    const { store } = this;
    const access = this.access;
    const keepsPayer = access.rules.index_update_keeps_payer;
    const payer = keepsPayer ? resolvePayer(access, payerArgument) : payerArgument;
    const entry = this.entry(iterator);
    ownTable(store, access, entry.tableId);
    store.updateEntry(entry.id, keepsPayer ? entry.payer : payer, secondaryKey);
  }

  /** Unlike the removal of a row, this frees an emptied table. */
  remove(iterator: number): void {
    const { store } = this;
    const access = this.access;
    const entry = this.entry(iterator);
    const table = ownTable(store, access, entry.tableId);
    access.ram.add(entry.payer, -RAM_BYTES.entry);
    store.removeEntry(entry.id);
    this.cache.remove(iterator);
    if (shiftCount(store, table, -1) === 0) closeTable(store, access, table);
  }

  next(iterator: number): Step {
    if (iterator < -1) return NOWHERE;
    const entry = this.entry(iterator);
    const next = this.store.entryAtOrAfter(entry.tableId, entry.secondaryKey, entry.primaryKey + 1n);
    if (next === undefined) return { iterator: this.cache.addTable(entry.tableId), primaryKey: undefined };
    return this.at(next);
  }

  previous(iterator: number): Step {
    if (iterator < -1) {
      const tableId = this.cache.tableOfEnd(iterator);
      check(this.store.table(tableId) !== undefined, TABLE_ERRORS.contract_iterator_not_end);
      return this.at(this.store.entryBefore(tableId, KEY_END, 0n));
    }
    const entry = this.entry(iterator);
    return this.at(this.store.entryBefore(entry.tableId, entry.secondaryKey, entry.primaryKey));
  }

  findPrimary(code: bigint, scope: bigint, table: bigint, primaryKey: bigint): FoundEntry {
    return this.locate(code, scope, table, (tableId) => this.store.findEntry(tableId, primaryKey));
  }

  findSecondary(code: bigint, scope: bigint, table: bigint, secondaryKey: bigint): FoundEntry {
    return this.locate(code, scope, table, (tableId) => {
      const entry = this.store.entryAtOrAfter(tableId, secondaryKey, 0n);
      return entry?.secondaryKey === secondaryKey ? entry : undefined;
    });
  }

  lowerBound(code: bigint, scope: bigint, table: bigint, secondaryKey: bigint): FoundEntry {
    return this.locate(code, scope, table, (tableId) => this.store.entryAtOrAfter(tableId, secondaryKey, 0n));
  }

  upperBound(code: bigint, scope: bigint, table: bigint, secondaryKey: bigint): FoundEntry {
    return this.locate(code, scope, table, (tableId) => this.store.entryAtOrAfter(tableId, secondaryKey + 1n, 0n));
  }

  end(code: bigint, scope: bigint, table: bigint): number {
    return this.locate(code, scope, table, () => undefined).iterator;
  }

  private locate(
    code: bigint,
    scope: bigint,
    table: bigint,
    search: (tableId: number) => EntryRecord | undefined,
  ): FoundEntry {
    const owner = this.store.findTable(code, scope, table);
    if (owner === undefined) return NO_TABLE;
    const end = this.cache.addTable(owner.id);
    const entry = search(owner.id);
    return { iterator: entry === undefined ? end : this.cache.add(entry.id), entry };
  }

  private at(entry: EntryRecord | undefined): Step {
    return entry === undefined ? NOWHERE : { iterator: this.cache.add(entry.id), primaryKey: entry.primaryKey };
  }

  private entry(iterator: number): EntryRecord {
    const entry = this.store.entry(this.cache.object(iterator));
    invariant(entry !== undefined, 'entries are removed through their iterators only');
    return entry;
  }
}
