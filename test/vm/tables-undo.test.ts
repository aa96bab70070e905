import fc from 'fast-check';
import t from 'tap';
import { toHex } from '../../src/base/bytes.js';
import { ChainError } from '../../src/base/errors.js';
import { contractStore } from '../../src/operations/contract/store.js';
import { ALL_FORKS_ACTIVE } from '../../src/protocol/forks.js';
import { ChainState } from '../../src/state/chain-state.js';
import { index64Object } from '../../src/state/objects/contract-table.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { stateHash } from '../../src/state/state-hash.js';
import type { TableAccess } from '../../src/vm/tables/access.js';
import { EntryIterators } from '../../src/vm/tables/entries.js';
import { RamMeter } from '../../src/vm/tables/ram.js';
import { RowIterators } from '../../src/vm/tables/rows.js';
import { CURRENT_RULES } from '../support/contract-world.js';
import { NETWORK } from '../support/network.js';

/**
 * Rows and iterators on the state that the chain uses, against a model that is too simple to be wrong: a list that is
 * copied for every frame. Frames are opened, merged, undone, committed and popped at random in between.
 */

const SELF = 2000n;
const SENDER = 17n;
const OTHER = 2001n;
const U64_MAX = 2n ** 64n - 1n;
const TABLE_BYTES = 112;
const ROW_BYTES = 112;
const ENTRY_BYTES = 128;

/** Two scopes; table 16 has rows and entries, table 17 only entries. */
const PLACES = [
  { scope: 0n, table: 16n },
  { scope: 7n, table: 16n },
  { scope: 0n, table: 17n },
] as const;

interface Item {
  readonly primary: bigint;
  readonly payer: bigint;
  readonly secondary?: bigint;
  readonly hex?: string;
}

interface ModelTable {
  readonly code: bigint;
  readonly scope: bigint;
  readonly table: bigint;
  readonly payer: bigint;
  readonly rows: readonly Item[];
  readonly entries: readonly Item[];
}

/** Never changed, always replaced: undoing is going back to an older list. */
type Model = readonly ModelTable[];

const key = fc.oneof(fc.bigInt({ min: 0n, max: 5n }), fc.constantFrom(U64_MAX - 1n, U64_MAX, 2n ** 63n));
const place = fc.nat(PLACES.length - 1);
const code = fc.constantFrom(SELF, SELF, SELF, OTHER);

const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('insert row' as const), place, code, key, size: fc.nat(9) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('insert entry' as const), place, code, key, second: key }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('update row' as const), place, code, key, size: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('update entry' as const), place, code, key, second: key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove row' as const), place, code, key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove entry' as const), place, code, key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('search' as const), place, code, key }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('walk' as const), place, code, key }) },
  { weight: 2, arbitrary: fc.constant({ do: 'open' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'merge' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'undo' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'commit' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'pop' as const }) },
);

type Step = typeof step extends fc.Arbitrary<infer V> ? V : never;

function same(what: string, actual: unknown, expected: unknown): void {
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `${one}` : one)) ?? 'undefined';
  if (text(actual) !== text(expected)) throw new Error(`${what}: ${text(actual)} instead of ${text(expected)}`);
}

const inOrder = (list: readonly Item[], by: 'rows' | 'entries'): Item[] => {
  const less = (a: Item, b: Item): boolean =>
    by === 'rows' || a.secondary === b.secondary
      ? a.primary < b.primary
      : (a.secondary as bigint) < (b.secondary as bigint);
  return [...list].sort((a, b) => (less(a, b) ? -1 : 1));
};

/** Runs all steps on both and compares after each. */
class Comparison {
  readonly #state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  #model: Model = [];
  /** Model and hash of the state when each frame was opened. */
  readonly #frames: { readonly model: Model; readonly hash: string }[] = [];
  #committed = 0;

  constructor() {
    this.#state.create(dynamicGlobalPropertyObject, dynamicGlobalPropertyObject.schema.default());
  }

  /** One action of a contract: its own iterators, its own RAM. */
  #action(self: bigint) {
    const store = contractStore(this.#state);
    const ram = new RamMeter(true);
    const access: TableAccess = { receiver: self, sender: SENDER, origin: SENDER, rules: CURRENT_RULES, ram };
    return { rows: new RowIterators(store, access), entries: new EntryIterators(store, access), ram };
  }

  #table(self: bigint, at: number): ModelTable | undefined {
    const { scope, table } = PLACES[at] as (typeof PLACES)[number];
    return this.#model.find((one) => one.code === self && one.scope === scope && one.table === table);
  }

  #replace(before: ModelTable | undefined, after: ModelTable | undefined): void {
    const others = this.#model.filter((one) => one !== before);
    this.#model = after === undefined ? others : [...others, after];
  }

  run(one: Step): void {
    switch (one.do) {
      case 'open':
        this.#frames.push({ model: this.#model, hash: stateHash(this.#state) });
        this.#state.openFrame();
        break;
      case 'merge':
        if (this.#state.openFrames < 2) return;
        this.#state.mergeFrame();
        this.#frames.pop();
        break;
      case 'undo':
        if (this.#state.openFrames === 0) return;
        this.#state.undoFrame();
        this.#back();
        break;
      case 'commit':
        if (this.#state.openFrames !== 1) return;
        this.#state.commitFrame();
        this.#committed++;
        break;
      case 'pop':
        if (this.#state.openFrames > 0 || this.#committed === 0) return;
        this.#state.popCommitted();
        this.#committed--;
        this.#back();
        break;
      case 'search':
        this.#search(one.code, one.place, one.key);
        break;
      case 'walk':
        this.#walk(one.code, one.place, one.key);
        break;
      default:
        this.#change(one);
    }
    this.#compareTables();
  }

  #back(): void {
    const frame = this.#frames.pop();
    if (frame === undefined) throw new Error('no frame to go back to');
    this.#model = frame.model;
    same('hash of the state', stateHash(this.#state), frame.hash);
  }

  #change(
    one: Extract<Step, { readonly size: number } | { readonly second: bigint } | { readonly code: bigint }>,
  ): void {
    const { scope, table } = PLACES[one.place] as (typeof PLACES)[number];
    const kind = one.do.endsWith('row') ? ('rows' as const) : ('entries' as const);
    const { rows, entries, ram } = this.#action(one.code);
    const before = this.#table(one.code, one.place);
    const found = before?.[kind].find((item) => item.primary === one.key);
    const iterator =
      kind === 'rows'
        ? rows.find(one.code, scope, table, one.key)
        : entries.findPrimary(one.code, scope, table, one.key).iterator;
    same('found', iterator >= 0, found !== undefined);
    const value = new Uint8Array('size' in one ? one.size : 0).fill(Number(one.key & 0xffn));
    const second = 'second' in one ? one.second : 0n;
    const fresh: Item =
      kind === 'rows'
        ? { primary: one.key, payer: SENDER, hex: toHex(value) }
        : { primary: one.key, payer: SENDER, secondary: second };
    const empty = { code: one.code, scope, table, payer: SENDER, rows: [], entries: [] };
    const without = (list: readonly Item[]): Item[] => list.filter((item) => item !== found);
    let bytes = 0;
    if (one.do.startsWith('insert')) {
      const insert = (): number =>
        kind === 'rows'
          ? rows.insert(scope, table, SENDER, one.key, value)
          : entries.insert(scope, table, SENDER, one.key, second);
      if (found !== undefined) {
        try {
          // As in a transaction: what was refused leaves nothing behind.
          this.#state.nested(insert);
        } catch (error) {
          if (error instanceof ChainError) return;
          throw error;
        }
        throw new Error('inserted twice');
      }
      same('a new number', insert(), 0);
      const owner = before ?? empty;
      this.#replace(before, { ...owner, [kind]: [...owner[kind], fresh] });
      bytes = (before === undefined ? TABLE_BYTES : 0) + (kind === 'rows' ? ROW_BYTES + value.length : ENTRY_BYTES);
    } else if (found === undefined || before === undefined) {
      return;
    } else if (one.do.startsWith('update')) {
      if (kind === 'rows') rows.update(iterator, SENDER, value);
      else entries.update(iterator, SENDER, second);
      this.#replace(before, { ...before, [kind]: [...without(before[kind]), fresh] });
      if (kind === 'rows') bytes = value.length - (found.hex?.length ?? 0) / 2;
    } else {
      if (kind === 'rows') rows.remove(iterator);
      else entries.remove(iterator);
      const after = { ...before, [kind]: without(before[kind]) };
      const isFreed = kind === 'entries' && after.rows.length + after.entries.length === 0;
      this.#replace(before, isFreed ? undefined : after);
      bytes = kind === 'rows' ? -ROW_BYTES - (found.hex?.length ?? 0) / 2 : -ENTRY_BYTES - (isFreed ? TABLE_BYTES : 0);
    }
    same('RAM', Object.fromEntries(ram.usage()), bytes === 0 ? {} : { [Number(SENDER)]: bytes });
  }

  #search(self: bigint, at: number, given: bigint): void {
    const { scope, table } = PLACES[at] as (typeof PLACES)[number];
    const { rows, entries } = this.#action(OTHER);
    const owner = this.#table(self, at);
    const sorted = inOrder(owner?.rows ?? [], 'rows');
    const end = owner === undefined ? -1 : -2;
    same('end of rows', rows.end(self, scope, table), end);
    const from = sorted.find(({ primary }) => primary >= given);
    const after = sorted.find(({ primary }) => primary > given);
    // Numbers are given out in order of appearance, so each object has the number of the first search that met it.
    const met: Item[] = [];
    const expected = (item: Item | undefined): number => {
      if (item === undefined) return end;
      if (!met.includes(item)) met.push(item);
      return met.indexOf(item);
    };
    same('lower bound of rows', rows.lowerBound(self, scope, table, given), expected(from));
    same('upper bound of rows', rows.upperBound(self, scope, table, given), expected(after));

    const list = inOrder(owner?.entries ?? [], 'entries');
    same('end of entries', entries.end(self, scope, table), end);
    met.length = 0;
    const searches = [
      ['lowerBound', list.find(({ secondary }) => (secondary as bigint) >= given)],
      ['upperBound', list.find(({ secondary }) => (secondary as bigint) > given)],
      ['findSecondary', list.find(({ secondary }) => secondary === given)],
    ] as const;
    for (const [search, item] of searches) {
      const { iterator, entry } = entries[search](self, scope, table, given);
      same(`${search} of entries`, iterator, expected(item));
      same(`${search}: keys`, [entry?.primaryKey, entry?.secondaryKey], [item?.primary, item?.secondary]);
    }
  }

  /** To both ends from a key, and back from the end. */
  #walk(self: bigint, at: number, given: bigint): void {
    const { scope, table } = PLACES[at] as (typeof PLACES)[number];
    const owner = this.#table(self, at);
    if (owner === undefined) return;
    const { rows, entries } = this.#action(OTHER);
    for (const kind of ['rows', 'entries'] as const) {
      const walker = kind === 'rows' ? rows : entries;
      const keys = inOrder(owner[kind], kind).map(({ primary }) => primary);
      const start =
        kind === 'rows'
          ? rows.find(self, scope, table, given)
          : entries.findPrimary(self, scope, table, given).iterator;
      const position = keys.indexOf(given);
      const end = walker.end(self, scope, table);
      const walked = (direction: 'next' | 'previous', iterator: number): [bigint[], number] => {
        const seen: bigint[] = [];
        let now = iterator;
        for (;;) {
          const moved = walker[direction](now);
          now = moved.iterator;
          if (moved.primaryKey === undefined) return [seen, now];
          seen.push(moved.primaryKey);
        }
      };
      if (position >= 0) {
        same(`${kind} onwards`, walked('next', start), [keys.slice(position + 1), end]);
        same(`${kind} backwards`, walked('previous', start), [keys.slice(0, position).reverse(), -1]);
      }
      same(`${kind} from the end`, walked('previous', end), [[...keys].reverse(), -1]);
    }
  }

  #compareTables(): void {
    const store = contractStore(this.#state);
    for (const self of [SELF, OTHER]) {
      PLACES.forEach(({ scope, table }, at) => {
        const expected = this.#table(self, at);
        const actual = store.findTable(self, scope, table);
        same('table', actual && [actual.payer, actual.count], expected && [SENDER, countOf(expected)]);
        if (actual === undefined || expected === undefined) return;
        for (const item of expected.rows) {
          const row = store.findRow(actual.id, item.primary);
          same('row', row && [row.payer, toHex(row.value)], [item.payer, item.hex]);
        }
        for (const item of expected.entries) {
          const entry = store.findEntry(actual.id, item.primary);
          same('entry', entry && [entry.payer, entry.secondaryKey], [item.payer, item.secondary]);
        }
      });
    }
  }

  /** Everything is taken back; the state is the one of the beginning. */
  unwind(): void {
    while (this.#state.openFrames > 0) this.run({ do: 'undo' });
    while (this.#committed > 0) this.run({ do: 'pop' });
  }
}

const countOf = ({ rows, entries }: ModelTable): number => rows.length + entries.length;

t.test('before fork 1021 an entry goes to the payer that its update names', async (t) => {
  const state = new ChainState({ ...NETWORK, forks: ALL_FORKS_ACTIVE });
  const store = contractStore(state);
  const rules = { ...CURRENT_RULES, index_update_keeps_payer: false };
  const entries = new EntryIterators(store, {
    receiver: SELF,
    sender: SENDER,
    origin: SENDER,
    rules,
    ram: new RamMeter(true),
  });
  entries.update(entries.insert(0n, 16n, SENDER, 1n, 5n), OTHER, 6n);
  t.match([...state.all(index64Object)], [{ primary_key: 1n, payer: OTHER, secondary_key: 6n }]);
});

/** Set by `npm run fuzz` for long runs. */
const ROUNDS = Number(process.env.VM_FUZZ_ROUNDS ?? 250);
const SEED = Number(process.env.VM_FUZZ_SEED ?? 20_240_602);

t.test(`${ROUNDS} random runs on the state with undo are as the model says`, async (t) => {
  let changes = 0;
  const property = fc.property(fc.array(step, { minLength: 5, maxLength: 70, size: 'max' }), (steps) => {
    const comparison = new Comparison();
    for (const one of steps) comparison.run(one);
    changes += steps.length;
    comparison.unwind();
  });
  fc.assert(property, { seed: SEED, numRuns: ROUNDS });
  t.ok(changes > ROUNDS * 10, `${changes} steps`);
});
