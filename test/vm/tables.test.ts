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
  entries.update(1, 0n, 60n);
  t.same(entries.next(2), { iterator: 1, primaryKey: 2n }, 'the entry has moved');
  t.equal(rows.end(SELF, 0n, 1n), -2, 'numbers of rows are independent, the table is the same');
  entries.remove(0);
  refused(t, TABLE_ERRORS.contract_iterator_deleted, () => entries.next(0));
  refused(t, TABLE_ERRORS.contract_iterator_not_end, () => entries.previous(-3));
  entries.remove(1);
  entries.remove(2);
  refused(t, TABLE_ERRORS.contract_iterator_not_end, () => entries.previous(-2), 'the table is gone');
  t.equal(entries.insert(0n, 1n, 0n, 1n, 1n), 3);
  t.equal(entries.end(SELF, 0n, 1n), -3, 'a new table object has a new end');
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
  ]) {
    refused(t, TABLE_ERRORS.contract_payer, use, { data: { payer: 5n, sender: SENDER, receiver: SELF } });
  }
  t.same(usage(), { 17: 0, 19: 113, 2000: 240 }, 'sums of 0 are kept');
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
  entries.insert(0n, 17n, 999n, 1n, 1n);
  entries.update(0, 888n, 2n);
  t.match(store.entries, [{ payer: 888n, secondaryKey: 2n }]);
  t.same(usage(), {});
  t.equal(ram.total, 112 + 12 + 128);
  const after = desk(store);
  after.rows.remove(after.rows.find(SELF, 0n, 16n, 1n));
  t.equal(store.tables[0]?.count, 0xffffffff, 'a row that was never counted is subtracted');
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
});

t.test('random operations against a naive model', async (t) => {
  const key = fc.bigInt({ min: 0n, max: 7n }).map((k) => (k === 7n ? KEY_END - 1n : k));
  const step = fc.record({
    action: fc.constantFrom('insert', 'remove', 'update', 'next', 'previous', 'lower', 'upper', 'find', 'end'),
    key,
    other: key,
    size: fc.nat(5),
  });
  const model = (kind: 'rows' | 'entries') =>
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { rows, entries, store, usage } = desk();
      // Model: primary key → secondary key or size, in a map that is sorted whenever it is asked.
      const content = new Map<bigint, bigint>();
      let tableExists = false;
      let expectedRam = 0;
      const sorted = () =>
        [...content].sort(([a, x], [b, y]) => {
          const [p, q] = kind === 'rows' ? [a, b] : [x * KEY_END + a, y * KEY_END + b];
          return p < q ? -1 : p > q ? 1 : 0;
        });
      const iteratorOf = (primary: bigint | undefined): number => {
        const table = store.tables[0];
        if (table === undefined) return -1;
        if (primary === undefined) return kind === 'rows' ? rows.end(SELF, 0n, 1n) : entries.end(SELF, 0n, 1n);
        return kind === 'rows' ? rows.find(SELF, 0n, 1n, primary) : entries.findPrimary(SELF, 0n, 1n, primary).iterator;
      };
      const same = (what: string, actual: unknown, expected: unknown): void => {
        if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
      };
      for (const { action, key: k, other, size } of steps) {
        const present = content.has(k);
        const list = sorted();
        const at = list.findIndex(([primary]) => primary === k);
        switch (action) {
          case 'insert': {
            const insert = () =>
              kind === 'rows' ? rows.insert(0n, 1n, 0n, k, bytes(size)) : entries.insert(0n, 1n, 0n, k, other);
            if (present) {
              try {
                insert();
                throw new Error('inserted twice');
              } catch (error) {
                if (!(error instanceof ChainError)) throw error;
              }
              break;
            }
            insert();
            if (!tableExists) expectedRam += 112;
            tableExists = true;
            expectedRam += kind === 'rows' ? 112 + size : 128;
            content.set(k, kind === 'rows' ? BigInt(size) : other);
            break;
          }
          case 'remove':
            if (!present) break;
            if (kind === 'rows') rows.remove(iteratorOf(k));
            else entries.remove(iteratorOf(k));
            expectedRam -= kind === 'rows' ? 112 + Number(content.get(k)) : 128;
            content.delete(k);
            if (kind === 'entries' && content.size === 0) {
              tableExists = false;
              expectedRam -= 112;
            }
            break;
          case 'update':
            if (!present) break;
            if (kind === 'rows') {
              rows.update(iteratorOf(k), 0n, bytes(size));
              expectedRam += size - Number(content.get(k));
              content.set(k, BigInt(size));
            } else {
              entries.update(iteratorOf(k), 0n, other);
              content.set(k, other);
            }
            break;
          case 'next':
          case 'previous': {
            if (!present) break;
            const moved = kind === 'rows' ? rows[action](iteratorOf(k)) : entries[action](iteratorOf(k));
            const neighbour = list[action === 'next' ? at + 1 : at - 1]?.[0];
            same(action, moved.primaryKey, neighbour);
            if (neighbour !== undefined || action === 'next') same(action, moved.iterator, iteratorOf(neighbour));
            else same(action, moved.iterator, -1);
            break;
          }
          case 'lower':
          case 'upper': {
            const method = action === 'lower' ? 'lowerBound' : 'upperBound';
            const reached = (value: bigint): boolean => (action === 'lower' ? value >= k : value > k);
            const found = list.find(([primary, secondary]) => reached(kind === 'rows' ? primary : secondary));
            const actual = kind === 'rows' ? rows[method](SELF, 0n, 1n, k) : entries[method](SELF, 0n, 1n, k).iterator;
            same(action, actual, iteratorOf(found?.[0]));
            break;
          }
          case 'find':
            if (kind === 'entries') {
              const found = list.find(([, secondary]) => secondary === k);
              same('find', entries.findSecondary(SELF, 0n, 1n, k).iterator, iteratorOf(found?.[0]));
            } else same('find', rows.find(SELF, 0n, 1n, k) >= 0, present);
            break;
          default:
            same('end', iteratorOf(undefined) < -1, tableExists);
        }
        same('count', store.tables[0]?.count, tableExists ? content.size : undefined);
        same('ram', usage()[PROBE] ?? 0, expectedRam);
      }
    });
  fc.assert(model('rows'), { seed: 11, numRuns: 300 });
  fc.assert(model('entries'), { seed: 12, numRuns: 300 });
  t.pass('equal');
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
