import fc from 'fast-check';
import t from 'tap';
import { fromHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import type { ContractRules } from '../../src/operations/contract/engine.js';
import { KEY_END, TABLE_ERRORS, type TableAccess } from '../../src/vm/tables/access.js';
import { EntryIterators } from '../../src/vm/tables/entries.js';
import { RamMeter } from '../../src/vm/tables/ram.js';
import { RowIterators } from '../../src/vm/tables/rows.js';
import { MemoryContractStore } from '../support/contract-store.js';
import { ContractWorld, CURRENT_RULES } from '../support/contract-world.js';
import { PROBE, type ProbeCall, probe } from '../support/host-probe.js';
import { refused } from '../support/refused.js';

const SELF = BigInt(PROBE);
const SENDER = 17n;
const ORIGIN = 19n;
const bytes = (length: number): Uint8Array => new Uint8Array(length);

interface Desk {
  readonly store: MemoryContractStore;
  readonly ram: RamMeter;
  readonly rows: RowIterators;
  readonly entries: EntryIterators;
  usage(): Record<string, number>;
}

function desk(store = new MemoryContractStore(), rules: ContractRules = CURRENT_RULES, receiver = SELF): Desk {
  const ram = new RamMeter(rules.ram_per_payer);
  const access: TableAccess = { receiver, sender: SENDER, origin: ORIGIN, rules, ram };
  const usage = () => Object.fromEntries(ram.usage());
  return { store, ram, rows: new RowIterators(store, access), entries: new EntryIterators(store, access), usage };
}

t.test('iterators of rows', async (t) => {
  const { rows } = desk();
  t.equal(rows.end(SELF, 0n, 1n), -1, 'no table yet');
  t.equal(rows.insert(0n, 1n, 0n, 10n, bytes(1)), 0);
  t.equal(rows.insert(0n, 1n, 0n, 30n, bytes(1)), 1);
  t.equal(rows.insert(0n, 2n, 0n, 5n, bytes(1)), 2);
  t.equal(rows.end(SELF, 0n, 1n), -2);
  t.equal(rows.end(SELF, 0n, 2n), -3);
  t.equal(rows.find(SELF, 0n, 1n, 30n), 1, 'the same object has the same number');
  t.equal(rows.find(SELF, 0n, 1n, 20n), -2);
  t.equal(rows.find(SELF, 9n, 1n, 10n), -1);
  t.equal(rows.find(1n, 0n, 1n, 10n), -1);
  t.equal(rows.lowerBound(SELF, 0n, 1n, 11n), 1);
  t.equal(rows.upperBound(SELF, 0n, 1n, 10n), 1);
  t.equal(rows.upperBound(SELF, 0n, 1n, 30n), -2);
  t.equal(rows.upperBound(SELF, 0n, 1n, 2n ** 64n - 1n), -2);
  t.same(rows.next(0), { iterator: 1, primaryKey: 30n });
  t.same(rows.next(1), { iterator: -2, primaryKey: undefined });
  t.same(rows.next(-2), { iterator: -1, primaryKey: undefined });
  t.same(rows.previous(-2), { iterator: 1, primaryKey: 30n });
  t.same(rows.previous(1), { iterator: 0, primaryKey: 10n });
  t.same(rows.previous(0), { iterator: -1, primaryKey: undefined });
  rows.remove(0);
  t.equal(rows.insert(0n, 1n, 0n, 10n, bytes(1)), 3, 'numbers are not used twice');
  rows.remove(3);
  rows.remove(1);
  t.same(rows.previous(-2), { iterator: -1, primaryKey: undefined }, 'an empty table');

  for (const use of [
    (it: number) => rows.value(it),
    (it: number) => rows.update(it, 0n, bytes(0)),
    (it: number) => rows.remove(it),
  ]) {
    refused(t, TABLE_ERRORS.contract_iterator_invalid, () => use(-1));
    refused(t, TABLE_ERRORS.contract_iterator_end, () => use(-2));
    refused(t, TABLE_ERRORS.contract_iterator_range, () => use(4));
    refused(t, TABLE_ERRORS.contract_iterator_deleted, () => use(0));
  }
  refused(t, TABLE_ERRORS.contract_iterator_invalid, () => rows.next(-1));
  refused(t, TABLE_ERRORS.contract_iterator_range, () => rows.next(4));
  refused(t, TABLE_ERRORS.contract_iterator_deleted, () => rows.next(0));
  refused(t, TABLE_ERRORS.contract_iterator_invalid, () => rows.previous(-1));
  refused(t, TABLE_ERRORS.contract_iterator_not_end, () => rows.previous(-9));
});

t.test('iterators of entries', async (t) => {
  const { entries, rows } = desk();
  t.equal(entries.insert(0n, 1n, 0n, 1n, 50n), 0);
  t.equal(entries.insert(0n, 1n, 0n, 2n, 40n), 1);
  t.equal(entries.insert(0n, 1n, 0n, 3n, 50n), 2);
  t.match(
    entries.findSecondary(SELF, 0n, 1n, 50n),
    { iterator: 0, entry: { primaryKey: 1n } },
    'smallest id of equal keys',
  );
  t.match(entries.findSecondary(SELF, 0n, 1n, 45n), { iterator: -2, entry: undefined });
  t.match(entries.findPrimary(SELF, 0n, 1n, 3n), { iterator: 2, entry: { secondaryKey: 50n } });
  t.match(entries.findPrimary(SELF, 0n, 7n, 3n), { iterator: -1 });
  t.match(entries.lowerBound(SELF, 0n, 1n, 41n), { iterator: 0 });
  t.match(entries.upperBound(SELF, 0n, 1n, 40n), { iterator: 0 });
  t.match(entries.upperBound(SELF, 0n, 1n, 50n), { iterator: -2 });
  t.same(entries.next(1), { iterator: 0, primaryKey: 1n });
  t.same(entries.next(0), { iterator: 2, primaryKey: 3n });
  t.same(entries.next(2), { iterator: -2, primaryKey: undefined });
  t.same(entries.previous(-2), { iterator: 2, primaryKey: 3n });
  t.same(entries.previous(1), { iterator: -1, primaryKey: undefined });
  entries.update(1, 0n, KEY_END - 1n);
  t.same(entries.next(2), { iterator: 1, primaryKey: 2n }, 'the entry has moved');
  t.same(entries.previous(-2), { iterator: 1, primaryKey: 2n }, 'the highest key is before the end as well');
  t.match(entries.upperBound(SELF, 0n, 1n, KEY_END - 1n), { iterator: -2 });
  t.equal(rows.end(SELF, 0n, 1n), -2, 'numbers of rows are independent, the table is the same');
  entries.remove(0);
  refused(t, TABLE_ERRORS.contract_iterator_deleted, () => entries.next(0));
  refused(t, TABLE_ERRORS.contract_iterator_not_end, () => entries.previous(-3));
  t.same(entries.next(-2), { iterator: -1, primaryKey: undefined }, 'behind the end');
  refused(t, TABLE_ERRORS.contract_iterator_invalid, () => entries.next(-1));
  refused(t, TABLE_ERRORS.contract_iterator_invalid, () => entries.previous(-1));
  entries.remove(1);
  entries.remove(2);
  refused(t, TABLE_ERRORS.contract_iterator_not_end, () => entries.previous(-2), 'the table is gone');
  t.equal(entries.insert(0n, 1n, 0n, 1n, 1n), 3);
  t.equal(entries.end(SELF, 0n, 1n), -3, 'a new table object has a new end');
});

t.test('the end of a table has its number from when the table first came up, whatever was found in it', async (t) => {
  const { store, rows, entries } = desk();
  for (const table of [1n, 2n, 3n]) {
    rows.insert(0n, table, 0n, 5n, bytes(1));
    entries.insert(0n, table, 0n, 5n, 50n);
  }
  const ROWS: ((of: RowIterators) => unknown)[] = [
    (of) => of.upperBound(SELF, 0n, 3n, 0n),
    (of) => of.insert(0n, 4n, 0n, 5n, bytes(1)),
    (of) => of.find(SELF, 0n, 2n, 5n),
    (of) => of.lowerBound(SELF, 0n, 1n, 0n),
  ];
  const later = desk(store);
  for (const use of ROWS) use(later.rows);
  t.same(
    [3n, 4n, 2n, 1n].map((table) => later.rows.end(SELF, 0n, table)),
    [-2, -3, -4, -5],
  );
  const ENTRIES: ((of: EntryIterators) => unknown)[] = [
    (of) => of.lowerBound(SELF, 0n, 3n, 0n),
    (of) => of.insert(0n, 5n, 0n, 5n, 1n),
    (of) => of.findPrimary(SELF, 0n, 2n, 5n),
    (of) => of.findSecondary(SELF, 0n, 1n, 50n),
  ];
  for (const use of ENTRIES) use(later.entries);
  t.same(
    [3n, 5n, 2n, 1n].map((table) => later.entries.end(SELF, 0n, table)),
    [-2, -3, -4, -5],
  );
});

t.test('a step leads to the very next key', async (t) => {
  const { rows, entries } = desk();
  for (const key of [10n, 11n, 12n]) rows.insert(0n, 1n, 0n, key, bytes(1));
  t.same(rows.next(0), { iterator: 1, primaryKey: 11n });
  t.same(rows.next(1), { iterator: 2, primaryKey: 12n });
  t.same(rows.previous(2), { iterator: 1, primaryKey: 11n });
  t.equal(rows.upperBound(SELF, 0n, 1n, 10n), 1);
  t.equal(rows.lowerBound(SELF, 0n, 1n, 12n), 2);
  // Two rows with one key, a third with the next one.
  for (const [id, key] of [
    [5n, 70n],
    [6n, 70n],
    [4n, 71n],
  ] as const) {
    entries.insert(0n, 2n, 0n, id, key);
  }
  t.same(entries.next(0), { iterator: 1, primaryKey: 6n });
  t.same(entries.next(1), { iterator: 2, primaryKey: 4n });
  t.same(entries.previous(2), { iterator: 1, primaryKey: 6n });
  t.same(entries.previous(1), { iterator: 0, primaryKey: 5n });
  t.match(entries.upperBound(SELF, 0n, 2n, 70n), { iterator: 2, entry: { primaryKey: 4n } });
  t.match(entries.lowerBound(SELF, 0n, 2n, 70n), { iterator: 0, entry: { primaryKey: 5n } });
});

t.test('uniqueness, ownership, payers', async (t) => {
  const { rows, entries, store, usage } = desk();
  rows.insert(0n, 1n, 0n, 10n, bytes(1));
  entries.insert(0n, 1n, 0n, 10n, 1n);
  refused(t, TABLE_ERRORS.contract_row_exists, () => rows.insert(0n, 1n, 0n, 10n, bytes(1)));
  refused(t, TABLE_ERRORS.contract_row_exists, () => entries.insert(0n, 1n, 0n, 10n, 2n));
  const stranger = desk(store, CURRENT_RULES, 3000n);
  const row = stranger.rows.find(SELF, 0n, 1n, 10n);
  const entry = stranger.entries.findPrimary(SELF, 0n, 1n, 10n).iterator;
  t.equal(stranger.rows.value(row).length, 1, 'everybody may read');
  refused(t, TABLE_ERRORS.contract_table_access, () => stranger.rows.update(row, 0n, bytes(2)));
  refused(t, TABLE_ERRORS.contract_table_access, () => stranger.rows.remove(row));
  refused(t, TABLE_ERRORS.contract_table_access, () => stranger.entries.update(entry, 0n, 2n));
  refused(t, TABLE_ERRORS.contract_table_access, () => stranger.entries.remove(entry));
  for (const payer of [0n, SELF, SENDER, ORIGIN]) t.doesNotThrow(() => rows.update(0, payer, bytes(1)), `${payer}`);
  for (const use of [
    () => rows.insert(0n, 1n, 5n, 11n, bytes(1)),
    () => rows.update(0, 5n, bytes(1)),
    () => entries.insert(0n, 1n, 5n, 11n, 1n),
    () => entries.update(0, 5n, 1n),
    // The payer is looked at before the iterator.
    () => rows.update(-1, 5n, bytes(1)),
    () => entries.update(-1, 5n, 1n),
  ]) {
    refused(t, TABLE_ERRORS.contract_payer, use, { data: { payer: 5n, sender: SENDER, receiver: SELF } });
  }
  t.same(usage(), { 17: 0, 19: 113, 2000: 240 }, 'sums of 0 are kept');
});

t.test('bytes are listed by account, as numbers go', async (t) => {
  const ram = new RamMeter(true);
  for (const account of [17n, 9n, 2000n, 100n]) ram.add(account, 1);
  t.same(
    ram.usage().map(([account]) => account),
    [9, 17, 100, 2000],
  );
});

t.test('RAM', async (t) => {
  const { rows, entries, usage, store } = desk();
  rows.insert(0n, 16n, SENDER, 1n, bytes(25));
  t.same(usage(), { 17: 112 + 112 + 25 });
  rows.update(0, SENDER, bytes(25));
  t.same(usage(), { 17: 249 });
  rows.update(0, SENDER, bytes(30));
  t.same(usage(), { 17: 254 });
  rows.update(0, 0n, bytes(20));
  t.same(usage(), { 17: 112, 2000: 132 });
  entries.insert(0n, 16n, ORIGIN, 1n, 5n);
  t.same(usage(), { 17: 112, 19: 128, 2000: 132 });
  t.equal(store.tables[0]?.count, 2, 'index 0 shares the table of the rows');
  entries.update(0, SENDER, 6n);
  t.same(usage(), { 17: 112, 19: 128, 2000: 132 }, 'an update of a key moves nothing');
  t.equal(store.entries[0]?.payer, ORIGIN);
  rows.remove(0);
  t.same(usage(), { 17: 112, 19: 128, 2000: 0 });
  t.equal(store.tables.length, 1);
  entries.remove(0);
  t.same(usage(), { 17: 0, 19: 0, 2000: 0 }, 'the last entry frees the table, to the one who paid it');
  t.equal(store.tables.length, 0);

  const kept = desk();
  kept.rows.insert(0n, 16n, SENDER, 1n, bytes(1));
  kept.rows.remove(0);
  t.match(kept.store.tables, [{ count: 0, payer: SENDER }], 'a table of rows only stays');
  t.same(kept.usage(), { 17: 112 });
  const unchanged = desk(kept.store);
  unchanged.rows.insert(0n, 16n, 0n, 1n, bytes(4));
  unchanged.rows.update(0, 0n, fromHex('01020304'));
  t.same(unchanged.usage(), { 2000: 116 });
  const silent = desk(kept.store);
  silent.rows.update(silent.rows.find(SELF, 0n, 16n, 1n), 0n, bytes(4));
  t.same(silent.usage(), {}, 'nothing is recorded for a change of 0');
});

t.test('the rules before payers were checked', async (t) => {
  const rules = { ...CURRENT_RULES, ram_per_payer: false, index_update_keeps_payer: false };
  const { rows, entries, usage, ram, store } = desk(undefined, rules);
  rows.insert(0n, 16n, 999n, 1n, bytes(10));
  rows.update(0, 0n, bytes(12));
  t.match(store.rows, [{ payer: 0n }], 'stored as given');
  t.equal(store.tables[0]?.count, 0, 'rows are not counted');
  rows.remove(rows.insert(0n, 16n, 999n, 2n, bytes(10)));
  t.equal(store.tables[0]?.count, 0, 'nor subtracted when they go');
  entries.insert(0n, 17n, 999n, 1n, 1n);
  entries.update(0, 888n, 2n);
  t.match(store.entries, [{ payer: 888n, secondaryKey: 2n }]);
  t.same(usage(), {});
  t.equal(ram.total, 112 + 12 + 128);
  entries.remove(0);
  t.equal(store.findTable(SELF, 0n, 17n), undefined, 'the last entry has freed its table ever since');
  const after = desk(store);
  after.rows.remove(after.rows.find(SELF, 0n, 16n, 1n));
  t.equal(store.tables[0]?.count, 0xffffffff, 'a row that was never counted is subtracted');
  t.same(after.usage(), {}, 'and nobody is given its bytes, for nobody has paid them');
});

t.test('between forks 1016 and 1020 a table goes with its last row, and comes back to who pays for it', async (t) => {
  const { store, rows, entries, usage } = desk(undefined, { ...CURRENT_RULES, removes_emptied_tables: true });
  const first = rows.insert(0n, 1n, SENDER, 1n, bytes(10));
  const second = rows.insert(0n, 1n, SELF, 2n, bytes(10));
  t.same(usage(), { [Number(SENDER)]: 112 + 122, [PROBE]: 122 });
  rows.remove(first);
  t.ok(store.findTable(SELF, 0n, 1n), 'it holds another row');
  rows.remove(second);
  t.equal(store.findTable(SELF, 0n, 1n), undefined);
  t.same(usage(), { [Number(SENDER)]: 0, [PROBE]: 0 }, 'the table was paid for by who made it');
  refused(t, TABLE_ERRORS.contract_iterator_not_end, () => rows.previous(-2), 'its end iterator leads nowhere');
  // The first index is named like its table: what counts is the object that both share.
  rows.insert(0n, 1n, SENDER, 1n, bytes(10));
  entries.insert(0n, 1n, SENDER, 1n, 5n);
  rows.remove(rows.find(SELF, 0n, 1n, 1n));
  t.ok(store.findTable(SELF, 0n, 1n), 'an entry is left');
});

t.test('RAM before it had payers is counted without a sign', async (t) => {
  const rules = { ...CURRENT_RULES, ram_per_payer: false, index_update_keeps_payer: false };
  const { store } = desk(undefined, rules);
  desk(store, rules).rows.insert(0n, 16n, 0n, 1n, bytes(100));
  const action = desk(store, rules);
  action.rows.remove(action.rows.find(SELF, 0n, 16n, 1n));
  t.equal(action.ram.total, 0, 'a decrease that is too large is dropped');
  action.rows.insert(0n, 16n, 0n, 2n, bytes(20));
  t.equal(action.ram.total, 132);
  action.rows.update(1, 0n, bytes(5));
  t.equal(action.ram.total, 117, 'one that is not is taken');
  action.rows.remove(1);
  t.equal(action.ram.total, 0, 'down to zero');
  desk(store, rules).rows.insert(0n, 16n, 0n, 3n, bytes(100));
  action.rows.insert(0n, 16n, 0n, 4n, bytes(20));
  action.rows.remove(action.rows.find(SELF, 0n, 16n, 3n));
  t.equal(action.ram.total, 132, 'what is dropped takes nothing with it');
});

t.test('before RAM had payers a row with a new payer cost the difference of its size alone', async (t) => {
  const rules = { ...CURRENT_RULES, ram_per_payer: false, index_update_keeps_payer: false };
  const { store } = desk(undefined, rules);
  desk(store, rules).rows.insert(0n, 16n, 999n, 1n, bytes(10));
  for (const [payer, size, total] of [
    [888n, 15, 5],
    [0n, 12, 0],
    [777n, 12, 0],
  ] as const) {
    const action = desk(store, rules);
    action.rows.update(action.rows.find(SELF, 0n, 16n, 1n), payer, bytes(size));
    t.match(store.rows, [{ payer }]);
    t.equal(action.ram.total, total, `${size} bytes`);
    t.same(action.usage(), {});
  }
});

const modelKey = fc.bigInt({ min: 0n, max: 7n }).map((k) => (k === 7n ? KEY_END - 1n : k));
const CHANGES = ['insert', 'remove', 'update'] as const;
const LOOKS = ['next', 'previous', 'lower', 'upper', 'find', 'end'] as const;
const modelStep = fc.record({
  action: fc.constantFrom(...CHANGES, ...LOOKS),
  key: modelKey,
  other: modelKey,
  size: fc.nat(5),
});
interface ModelStep {
  readonly action: (typeof CHANGES | typeof LOOKS)[number];
  readonly key: bigint;
  readonly other: bigint;
  readonly size: number;
}

/** Primary key to secondary key or size, in a map that is sorted whenever it is asked; beside it the tables themselves. */
class NaiveTable {
  readonly #desk = desk();
  readonly #isRows: boolean;
  readonly #content = new Map<bigint, bigint>();
  #tableExists = false;
  #expectedRam = 0;

  constructor(kind: 'rows' | 'entries') {
    this.#isRows = kind === 'rows';
  }

  #same(what: string, actual: unknown, expected: unknown): void {
    if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
  }

  #sorted(): [bigint, bigint][] {
    return [...this.#content].sort(([a, x], [b, y]) => {
      const [p, q] = this.#isRows ? [a, b] : [x * KEY_END + a, y * KEY_END + b];
      return p < q ? -1 : p > q ? 1 : 0;
    });
  }

  #iteratorOf(primary: bigint | undefined): number {
    const { rows, entries, store } = this.#desk;
    if (store.tables[0] === undefined) return -1;
    if (primary === undefined) return this.#isRows ? rows.end(SELF, 0n, 1n) : entries.end(SELF, 0n, 1n);
    return this.#isRows ? rows.find(SELF, 0n, 1n, primary) : entries.findPrimary(SELF, 0n, 1n, primary).iterator;
  }

  run(step: ModelStep): void {
    if ((CHANGES as readonly string[]).includes(step.action)) this.#change(step);
    else this.#look(step);
    const { store, usage } = this.#desk;
    this.#same('count', store.tables[0]?.count, this.#tableExists ? this.#content.size : undefined);
    this.#same('ram', usage()[PROBE] ?? 0, this.#expectedRam);
  }

  #change(step: ModelStep): void {
    const isPresent = this.#content.has(step.key);
    if (step.action === 'insert') this.#insert(step, isPresent);
    else if (isPresent && step.action === 'remove') this.#remove(step.key);
    else if (isPresent) this.#update(step);
  }

  #insert({ key, other, size }: ModelStep, isPresent: boolean): void {
    const { rows, entries } = this.#desk;
    const insert = (): unknown =>
      this.#isRows ? rows.insert(0n, 1n, 0n, key, bytes(size)) : entries.insert(0n, 1n, 0n, key, other);
    if (isPresent) {
      try {
        insert();
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        return;
      }
      throw new Error('inserted twice');
    }
    insert();
    if (!this.#tableExists) this.#expectedRam += 112;
    this.#tableExists = true;
    this.#expectedRam += this.#isRows ? 112 + size : 128;
    this.#content.set(key, this.#isRows ? BigInt(size) : other);
  }

  #remove(key: bigint): void {
    const { rows, entries } = this.#desk;
    if (this.#isRows) rows.remove(this.#iteratorOf(key));
    else entries.remove(this.#iteratorOf(key));
    this.#expectedRam -= this.#isRows ? 112 + Number(this.#content.get(key)) : 128;
    this.#content.delete(key);
    if (this.#isRows || this.#content.size > 0) return;
    this.#tableExists = false;
    this.#expectedRam -= 112;
  }

  #update({ key, other, size }: ModelStep): void {
    const { rows, entries } = this.#desk;
    if (this.#isRows) {
      rows.update(this.#iteratorOf(key), 0n, bytes(size));
      this.#expectedRam += size - Number(this.#content.get(key));
      this.#content.set(key, BigInt(size));
    } else {
      entries.update(this.#iteratorOf(key), 0n, other);
      this.#content.set(key, other);
    }
  }

  #look({ action, key }: ModelStep): void {
    const { rows, entries } = this.#desk;
    const list = this.#sorted();
    switch (action) {
      case 'next':
      case 'previous': {
        const at = list.findIndex(([primary]) => primary === key);
        if (at < 0) return;
        const from = this.#iteratorOf(key);
        const moved = this.#isRows ? rows[action](from) : entries[action](from);
        const neighbour = list[action === 'next' ? at + 1 : at - 1]?.[0];
        this.#same(action, moved.primaryKey, neighbour);
        const isInside = neighbour !== undefined || action === 'next';
        this.#same(action, moved.iterator, isInside ? this.#iteratorOf(neighbour) : -1);
        return;
      }
      case 'lower':
      case 'upper': {
        const method = action === 'lower' ? 'lowerBound' : 'upperBound';
        const reached = (value: bigint): boolean => (action === 'lower' ? value >= key : value > key);
        const found = list.find(([primary, secondary]) => reached(this.#isRows ? primary : secondary));
        const place = [SELF, 0n, 1n, key] as const;
        const actual = this.#isRows ? rows[method](...place) : entries[method](...place).iterator;
        this.#same(action, actual, this.#iteratorOf(found?.[0]));
        return;
      }
      case 'find':
        if (this.#isRows) this.#same('find', rows.find(SELF, 0n, 1n, key) >= 0, this.#content.has(key));
        else {
          const found = list.find(([, secondary]) => secondary === key);
          this.#same('find', entries.findSecondary(SELF, 0n, 1n, key).iterator, this.#iteratorOf(found?.[0]));
        }
        return;
      default:
        this.#same('end', this.#iteratorOf(undefined) < -1, this.#tableExists);
    }
  }
}

t.test('random operations against a naive model', async (t) => {
  for (const [kind, seed] of [
    ['rows', 11],
    ['entries', 12],
  ] as const) {
    const property = fc.property(fc.array(modelStep, { maxLength: 60 }), (steps) => {
      const table = new NaiveTable(kind);
      for (const step of steps) table.run(step);
    });
    fc.assert(property, { seed, numRuns: 300 });
    t.pass(`${kind} are equal`);
  }
});

t.test('results of a search in places that overlap', async (t) => {
  const word = (value: number) => `${value.toString(16).padStart(2, '0')}${'00'.repeat(7)}`;
  const T = 16n;
  // Entry of row 5 with key 77; the search starts from key 1.
  const search = (name: string, key: number, id: number, dump: readonly [number, number]) =>
    probe(
      [
        ['db_idx64_store', 0n, T, 0n, 5n, 256],
        [name, SELF, 0n, T, key, id],
      ],
      { place: { 256: fromHex(word(77)), [key]: fromHex(word(1)) }, dump, world: new ContractWorld() },
    ).memory;
  for (const name of ['db_idx64_lowerbound', 'db_idx64_upperbound']) {
    t.equal(search(name, 128, 128, [128, 8]), word(77), `${name}: the key comes last`);
    t.equal(search(name, 129, 129, [129, 8]), word(5), `${name}: copies are put back in the order of arguments`);
    t.equal(search(name, 132, 128, [128, 12]), `05000000${word(77)}`, `${name}: the copy of the key comes last`);
    t.equal(search(name, 128, 132, [128, 12]), `4d000000${word(5)}`, `${name}: the copy of the id comes last`);
    t.equal(search(name, 133, 129, [129, 12]), `${word(5)}00000000`, `${name}: two copies`);
  }
});

t.test('through host functions', async (t) => {
  const T = 16n;
  const place = { 64: fromHex('0a0b0c0d'), 128: fromHex('0500000000000000'), 136: fromHex('ee'.repeat(16)) };
  const run = (calls: ProbeCall[], dump: readonly [number, number] = [256, 8]) =>
    probe(calls, { place, dump, world: new ContractWorld() });
  const all = run(
    [
      ['db_store_i64', 0n, T, 0n, -1n, 64, 4],
      ['db_store_i64', 0n, T, SENDER, 7n, 64, 2],
      ['db_get_i64', 0, 256, 0],
      ['db_get_i64', 0, 256, 3],
      ['db_next_i64', 1, 264],
      ['db_previous_i64', -2, 272],
      ['db_find_i64', SELF, 0n, T, -1n],
      ['db_lowerbound_i64', SELF, 0n, T, 8n],
      ['db_upperbound_i64', SELF, 0n, T, 7n],
      ['db_end_i64', SELF, 0n, T],
      ['db_update_i64', 1, 0n, 64, 1],
      ['db_get_i64', 1, 280, 8],
      ['db_remove_i64', 0],
      ['db_next_i64', 1, 288],
    ],
    [256, 40],
  );
  t.same(all.results, [0n, 1n, 4n, 3n, 0n, 0n, 0n, 0n, 0n, -2n, undefined, 1n, undefined, -2n]);
  t.equal(all.memory, `0a0b0c0000000000${'ff'.repeat(16)}0a00000000000000${'00'.repeat(8)}`);
  const index = run(
    [
      ['db_idx64_store', 0n, T, 0n, 7n, 128],
      ['db_idx64_store', 0n, T, 0n, 8n, 128],
      ['db_idx64_find_secondary', SELF, 0n, T, 128, 256],
      ['db_idx64_find_primary', SELF, 0n, T, 264, 8n],
      ['db_idx64_next', 0, 272],
      ['db_idx64_previous', -2, 280],
      ['db_idx64_lowerbound', SELF, 0n, T, 128, 288],
      ['db_idx64_upperbound', SELF, 0n, T, 128, 136],
      ['db_idx64_end', SELF, 0n, T],
      ['db_idx64_update', 0, 0n, 136],
      ['db_idx64_lowerbound', SELF, 0n, T, 136, 296],
      ['db_idx64_remove', 1],
      ['db_idx64_find_primary', SELF, 0n, T, 304, 8n],
    ],
    [256, 56],
  );
  t.same(index.results, [0n, 1n, 0n, 1n, 1n, 1n, 0n, -2n, -2n, undefined, 0n, undefined, -2n]);
  const word = (value: number) => `${value.toString(16).padStart(2, '0')}${'00'.repeat(7)}`;
  t.equal(index.memory, [7, 5, 8, 8, 7, 7, 0].map(word).join(''));
  t.same(index.ram, { [PROBE]: 112 + 128 + 128 - 128 });
});

t.test('where nothing is found the places for results stay as they are', async (t) => {
  const T = 16n;
  const key = 128;
  const out = 256;
  const store: ProbeCall[] = [
    ['db_store_i64', 0n, T, 0n, 7n, 64, 1],
    ['db_idx64_store', 0n, T, 0n, 7n, key],
  ];
  const misses: readonly (readonly [call: ProbeCall, result: bigint])[] = [
    [['db_next_i64', 0, out], -2n],
    [['db_next_i64', -2, out], -1n],
    [['db_previous_i64', 0, out], -1n],
    [['db_idx64_next', 0, out], -2n],
    [['db_idx64_next', -2, out], -1n],
    [['db_idx64_previous', 0, out], -1n],
    [['db_idx64_find_secondary', SELF, 0n, T, out, out + 8], -2n],
    [['db_idx64_find_secondary', SELF, 0n, T + 1n, key, out], -1n],
    [['db_idx64_find_primary', SELF, 0n, T, out, 8n], -2n],
    [['db_idx64_find_primary', SELF, 0n, T + 1n, out, 7n], -1n],
    [['db_idx64_lowerbound', SELF, 0n, T, out, out + 8], -2n],
    [['db_idx64_upperbound', SELF, 0n, T, out, out + 8], -2n],
  ];
  const place = { [key]: fromHex('0500000000000000'), [out]: fromHex('ee'.repeat(16)) };
  for (const [call, result] of misses) {
    const { results, memory } = probe([...store, call], { place, dump: [out, 16], world: new ContractWorld() });
    t.same([results[2], memory], [result, 'ee'.repeat(16)], call.join(' '));
  }
});

t.test('a row keeps the value that it was given, whatever becomes of the memory', async (t) => {
  const { memory } = probe(
    [
      ['db_store_i64', 0n, 16n, 0n, 1n, 64, 4],
      ['db_store_i64', 0n, 16n, 0n, 2n, 64, 4],
      ['db_update_i64', 1, 0n, 68, 4],
      ['memset', 64, 0xee, 8],
      ['db_get_i64', 0, 256, 4],
      ['db_get_i64', 1, 260, 4],
    ],
    { place: { 64: fromHex('0102030405060708') }, dump: [256, 8], world: new ContractWorld() },
  );
  t.equal(memory, '0102030405060708');
});

t.test('scopes, tables, keys and payers have no sign', async (t) => {
  const [scope, table, id] = [-2n, -16n, -3n];
  const key = 'fcffffffffffffff';
  const { results, ram, memory } = probe(
    [
      ['db_store_i64', scope, table, BigInt(PROBE), id, 64, 1],
      ['db_store_i64', scope, table, 0n, 4n, 64, 1],
      ['db_find_i64', SELF, scope, table, id],
      ['db_lowerbound_i64', SELF, scope, table, 5n],
      ['db_upperbound_i64', SELF, scope, table, id],
      ['db_next_i64', 1, 256],
      ['db_end_i64', SELF, scope, table],
      ['db_idx64_store', scope, table, 0n, id, 64],
      ['db_idx64_store', scope, table, 0n, 4n, 64],
      ['db_idx64_find_primary', SELF, scope, table, 264, id],
      ['db_idx64_find_secondary', SELF, scope, table, 72, 272],
      ['db_idx64_lowerbound', SELF, scope, table, 64, 272],
      ['db_idx64_end', SELF, scope, table],
    ],
    { place: { 64: fromHex(key + key) }, dump: [72, 8], world: new ContractWorld() },
  );
  t.same(results, [0n, 1n, 0n, 0n, -2n, 0n, -2n, 0n, 1n, 0n, 1n, 1n, -2n]);
  t.same(ram, { [PROBE]: 112 + 2 * 113 + 2 * 128 }, 'one table for both');
  t.equal(memory, key, 'what a search for a key is given stays as it is');
  for (const call of [
    ['db_update_i64', 0, -5n, 64, 1],
    ['db_idx64_update', 0, -5n, 64],
  ] as const) {
    const data = { payer: KEY_END - 5n };
    refused(t, TABLE_ERRORS.contract_payer, () => probe([call], { world: new ContractWorld() }), { data });
  }
});
