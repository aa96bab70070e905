import fc from 'fast-check';
import t from 'tap';
import type { ChainError } from '../../../src/base/errors.js';
import { ObjectDatabase } from '../../../src/state/object-db.js';
import { denseRow, dump, fleetingRow, ROWS, type Row, type RowDefinition, type RowValue, sparseRow } from './model.js';

/**
 * Random work on the database and on a naive model that copies everything. After every step both must hold the same
 * objects and counters, every index must equal a scan, and what the journal told "the disk" must be what the model had.
 */

const DEFINITIONS = [denseRow, sparseRow as unknown as RowDefinition, fleetingRow as unknown as RowDefinition] as const;
const FLEETING = 2;
const RUNS = 400;
const CODES = 12;
const OWNERS = 4;
const RANKS = 4;
const WEIGHTS = 5;

interface Naive {
  tables: Map<number, Row>[];
  counters: number[];
}

const emptyNaive = (): Naive => ({ tables: DEFINITIONS.map(() => new Map()), counters: DEFINITIONS.map(() => 0) });
const clone = (state: Naive): Naive => ({
  tables: state.tables.map((table) => new Map([...table].map(([id, row]) => [id, { ...row }]))),
  counters: [...state.counters],
});
const sorted = (table: Map<number, Row> | undefined): Row[] =>
  [...(table ?? new Map<number, Row>()).values()].sort((a, b) => a.id - b.id);

const rowValue: fc.Arbitrary<RowValue> = fc.record({
  code: fc.nat(CODES - 1).map((n) => `code-${n}`),
  owner: fc.nat(OWNERS - 1),
  rank: fc.nat(RANKS - 1),
  weight: fc.nat(WEIGHTS - 1).map(BigInt),
  note: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
  numbers: fc.array(fc.nat(OWNERS - 1), { maxLength: 3 }),
});
const which = fc.nat(DEFINITIONS.length - 1);
type Step =
  | { do: 'create'; which: number; value: RowValue }
  | { do: 'modify' | 'modify-throw'; which: number; pick: number; value: Partial<RowValue> }
  | { do: 'remove'; which: number; pick: number }
  | { do: 'open' | 'undo' | 'merge' | 'commit' | 'pop' }
  | { do: 'drop' | 'settle'; count: number }
  | { do: 'nested'; fails: boolean; steps: Step[] };

const { step } = fc.letrec<{ step: Step; change: Step }>((tie) => ({
  change: fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('create' as const), which, value: rowValue }) },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom('modify' as const, 'modify' as const, 'modify' as const, 'modify-throw' as const),
        which,
        pick: fc.nat(50),
        value: fc.oneof(
          rowValue,
          rowValue.map(({ note }) => ({ note })),
          rowValue.map(({ rank }) => ({ rank })),
          rowValue.map(({ numbers }) => ({ numbers })),
        ),
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), which, pick: fc.nat(50) }) },
  ),
  step: fc.oneof(
    { weight: 12, arbitrary: tie('change') },
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constantFrom('open' as const, 'undo' as const, 'merge' as const, 'commit' as const, 'pop' as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constantFrom('drop' as const, 'settle' as const), count: fc.nat(3) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('nested' as const),
        fails: fc.boolean(),
        steps: fc.array(tie('change'), { maxLength: 6 }),
      }),
    },
  ),
}));

class Pair {
  readonly db = new ObjectDatabase(DEFINITIONS);
  naive = emptyNaive();
  /** State at the opening of each frame. */
  readonly openings: Naive[] = [];
  committed = 0;
  isOldestSettled = false;
  /** What a store would hold that writes the journal whenever frames are dropped. */
  disk = emptyNaive();
  private readonly nestedFails = class extends Error {};

  run(step: Step): void {
    this.dispatch(step);
    // Without frames nothing is recorded: what changes then is stored as a whole.
    if (this.openings.length === 0) this.disk = clone(this.naive);
  }

  private dispatch(step: Step): void {
    switch (step.do) {
      case 'create':
        this.create(step.which, step.value);
        break;
      case 'modify':
      case 'modify-throw':
        this.modify(step.which, step.pick, step.value, step.do === 'modify-throw');
        break;
      case 'remove':
        this.remove(step.which, step.pick);
        break;
      case 'nested':
        this.nested(step.fails, step.steps);
        break;
      case 'drop':
        this.drop(step.count);
        break;
      case 'settle':
        this.settle(step.count);
        break;
      default:
        this.frame(step.do);
        break;
    }
  }

  private collides(which: number, id: number, value: RowValue): boolean {
    const others = [...(this.naive.tables[which] as Map<number, Row>).values()].filter((row) => row.id !== id);
    return others.some((o) => o.code === value.code || (o.owner === value.owner && o.weight === value.weight));
  }

  private create(which: number, value: RowValue): void {
    const definition = DEFINITIONS[which] as RowDefinition;
    const id = this.naive.counters[which] as number;
    const refusal = caught(() => this.db.create(definition, value));
    if (this.collides(which, id, value)) {
      equal((refusal as ChainError).key, 'object_not_unique');
      return;
    }
    equal(refusal, undefined);
    (this.naive.tables[which] as Map<number, Row>).set(id, { id, ...value });
    this.naive.counters[which] = id + 1;
  }

  private picked(which: number, pick: number): Row | undefined {
    const rows = sorted(this.naive.tables[which]);
    return rows[pick % Math.max(1, rows.length)];
  }

  private modify(which: number, pick: number, value: Partial<RowValue>, throws: boolean): void {
    const definition = DEFINITIONS[which] as RowDefinition;
    const row = this.picked(which, pick);
    if (row === undefined) return;
    const object = this.db.get(definition, row.id);
    const refusal = caught(() =>
      this.db.modify(definition, object, (o) => {
        Object.assign(o, value);
        if (throws) throw new this.nestedFails();
      }),
    );
    if (which === FLEETING)
      equal(caught(() => this.db.edit(definition, object)) !== undefined && refusal !== undefined, true);
    else if (throws) equal(refusal instanceof this.nestedFails, true);
    else if (this.collides(which, row.id, { ...row, ...value })) {
      equal((refusal as ChainError).key, 'object_change_not_unique');
    } else {
      equal(refusal, undefined);
      Object.assign(row, value);
    }
    equal(this.db.get(definition, row.id), object);
  }

  private remove(which: number, pick: number): void {
    const row = this.picked(which, pick);
    if (row === undefined) return;
    const definition = DEFINITIONS[which] as RowDefinition;
    this.db.remove(definition, this.db.get(definition, row.id));
    (this.naive.tables[which] as Map<number, Row>).delete(row.id);
  }

  private nested(fails: boolean, steps: Step[]): void {
    const before = clone(this.naive);
    const error = caught(() =>
      this.db.nested(() => {
        for (const inner of steps) this.run(inner);
        if (fails) throw new this.nestedFails();
      }),
    );
    equal(error instanceof this.nestedFails, fails);
    if (fails) this.naive = before;
  }

  private drop(wanted: number): void {
    const count = Math.min(wanted, this.committed);
    const { changes, counters } = this.db.irreversibleChanges(count);
    equal(this.db.changesOf(count) >= changes.length, true);
    const seen = new Set<string>();
    for (const { definition, instance, value } of changes) {
      const which = DEFINITIONS.findIndex((candidate) => candidate.name === definition.name);
      equal(seen.has(`${which}.${instance}`), false);
      seen.add(`${which}.${instance}`);
      const table = this.disk.tables[which] as Map<number, Row>;
      if (value !== undefined) table.set(instance, { ...(value as Row) });
      else equal(table.delete(instance), true);
    }
    this.db.dropOldest(count);
    const then = this.openings[count] ?? this.naive;
    if (count > 0) {
      same(this.disk.tables.map(sorted), then.tables.map(sorted));
      same(counters, then.counters);
    }
    this.openings.splice(0, count);
    this.committed -= count;
    if (count > 0) this.isOldestSettled = false;
  }

  /** They are told and dropped together from now on, and taken back no more. */
  private settle(wanted: number): void {
    const count = Math.min(wanted, this.committed);
    if (count === 0) return;
    this.db.settleOldest(count);
    this.openings.splice(1, count - 1);
    this.committed -= count - 1;
    this.isOldestSettled = true;
  }

  private frame(action: 'open' | 'undo' | 'merge' | 'commit' | 'pop'): void {
    const open = this.openings.length - this.committed;
    if (action === 'open') {
      this.openings.push(clone(this.naive));
      this.db.openFrame();
    } else if (action === 'undo' && open > 0) {
      this.naive = this.openings.pop() as Naive;
      this.db.undoFrame();
    } else if (action === 'merge' && open > 0 && this.openings.length > 1) {
      this.openings.pop();
      this.db.mergeFrame();
    } else if (action === 'commit' && open === 1) {
      this.committed++;
      this.db.commitFrame();
    } else if (action === 'pop' && open === 0 && this.committed > (this.isOldestSettled ? 1 : 0)) {
      this.committed--;
      this.naive = this.openings.pop() as Naive;
      this.db.popCommitted();
    }
  }

  /** What the newest block is told to have changed is what differs from the state before it, or was only touched. */
  private verifyNewest(): void {
    const opening = this.openings[this.committed - 1];
    if (opening === undefined || this.openings.length > this.committed) return;
    if (this.committed === 1 && this.isOldestSettled) return;
    const told = new Map<string, Row | undefined>();
    for (const { definition, instance, value, isNew, before } of this.db.newestChanges().changes) {
      const which = DEFINITIONS.findIndex((candidate) => candidate.name === definition.name);
      const was = (opening.tables[which] as Map<number, Row>).get(instance);
      equal(isNew, was === undefined);
      same(before, was);
      equal(told.has(`${which}.${instance}`), false);
      told.set(`${which}.${instance}`, value as Row | undefined);
    }
    for (const [which, rows] of this.naive.tables.entries()) {
      const old = opening.tables[which] as Map<number, Row>;
      for (const id of new Set([...rows.keys(), ...old.keys()])) {
        const key = `${which}.${id}`;
        if (told.has(key)) same(told.get(key), rows.get(id));
        else same(rows.get(id), old.get(id));
      }
    }
  }

  verify(): void {
    equal(this.db.committedFrames, this.committed);
    this.verifyNewest();
    DEFINITIONS.forEach((definition, which) => {
      const rows = sorted(this.naive.tables[which]);
      equal(this.db.nextInstance(definition), this.naive.counters[which]);
      equal(this.db.count(definition), rows.length);
      same([...this.db.all(definition)], rows);
      // The index holds the live object, not one that equals it.
      const instances = [CODES * 100, ...rows.map(({ id }) => id)];
      const together: Readonly<Row>[] = [];
      equal(this.db.findAll(definition, instances, instances.length, together), rows.length);
      for (const [i, { id }] of rows.entries()) equal(together[i], this.db.get(definition, id));
      const committed = (this.openings[this.committed] ?? this.naive).tables[which] as Map<number, Row>;
      for (let id = 0; id <= this.db.nextInstance(definition); id++)
        same(this.db.committed(definition, id), committed.get(id));
      for (const { id, code } of rows) equal(this.db.findBy(definition.by.code, code), this.db.get(definition, id));
      const each: Row[] = [];
      this.db.forEach(definition, (o) => each.push(o));
      same(each, rows);
      verifyIndexes(this.db, definition, rows);
    });
  }
}

function verifyIndexes(db: ObjectDatabase, definition: RowDefinition, rows: readonly Row[]): void {
  const { code, owner, numbers, rank, place } = definition.by;
  for (let i = 0; i < CODES; i++) {
    same(
      db.findBy(code, `code-${i}`),
      rows.find((o) => o.code === `code-${i}`),
    );
  }
  for (let i = 0; i < OWNERS; i++) {
    const members = rows.filter((o) => o.owner === i);
    same(db.group(owner, i), members);
    equal(db.groupSize(owner, i), members.length);
    for (const from of [0, 1, 3]) {
      same(db.groupPage(owner, i, from, 2), members.filter(({ id }) => id >= from).slice(0, 2));
    }
    const named = rows.filter((o) => o.numbers.includes(i));
    same(db.group(numbers, i), named);
    equal(db.groupSize(numbers, i), named.length);
    same(db.groupPage(numbers, i, 2, 3), named.filter(({ id }) => id >= 2).slice(0, 3));
  }
  const byRank = [...rows].sort((a, b) => a.rank - b.rank || a.id - b.id);
  same([...db.walk(rank)], byRank);
  same(db.last(rank), byRank[byRank.length - 1]);
  byRank.forEach((row, i) => {
    same(db.next(rank, row), byRank[i + 1]);
    same(db.previous(rank, row), byRank[i - 1]);
  });
  const byPlace = [...rows].sort((a, b) => a.owner - b.owner || Number(a.weight - b.weight));
  same([...db.walk(place)], byPlace);
  for (let i = 0; i <= OWNERS; i++) {
    same(
      db.lowerBound(place, [i]),
      byPlace.find((o) => o.owner >= i),
    );
    same(
      db.lowerBound(place, [i], true),
      byPlace.find((o) => o.owner > i),
    );
    same(
      [...db.walk(place, [i, 2n])],
      byPlace.filter((o) => o.owner > i || (o.owner === i && o.weight >= 2n)),
    );
  }
}

function caught(work: () => unknown): unknown {
  try {
    work();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Plain comparisons: thousands of assertions per run would only fill the report. */
function equal(found: unknown, wanted: unknown): void {
  if (!Object.is(found, wanted)) throw new Error(`found ${String(found)}, wanted ${String(wanted)}`);
}

const show = (value: unknown): string =>
  JSON.stringify(value, (_key, v: unknown) => (typeof v === 'bigint' ? `${v}n` : v)) ?? 'undefined';

function same(found: unknown, wanted: unknown): void {
  const [a, b] = [show(found), show(wanted)];
  if (a !== b) throw new Error(`found ${a}\nwanted ${b}`);
}

t.test('random work equals a naive model', async (t) => {
  let runs = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 80 }), (steps) => {
      const pair = new Pair();
      for (const one of steps) {
        pair.run(one);
        pair.verify();
      }
      // Undone as far as possible, the database is what the oldest frame found.
      while (pair.db.openFrames > 0) pair.run({ do: 'undo' });
      while (pair.db.committedFrames > (pair.isOldestSettled ? 1 : 0)) pair.run({ do: 'pop' });
      pair.verify();
      runs++;
    }),
    { numRuns: RUNS },
  );
  t.equal(runs, RUNS);
});

const REST = { note: undefined, numbers: [1, 2] };

t.test('many objects under few keys: arrays, sorted lists and chunks of them', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const COUNT = 3000;
  db.openFrame();
  for (let i = 0; i < COUNT; i++) {
    const spread = (i * 7919) % COUNT;
    db.create(sparseRow, { code: `c${i}`, owner: i % 3, rank: spread % 50, weight: BigInt(spread), ...REST });
  }
  db.commitFrame();
  const whole = dump(db);
  const check = (what: string): void => {
    const rows = [...db.all(sparseRow)];
    t.same(
      db.group(sparseRow.by.owner, 1).map((o) => o.id),
      rows.filter((o) => o.owner === 1).map((o) => o.id),
      `${what}: group`,
    );
    t.same(
      db.group(sparseRow.by.numbers, 2).map((o) => o.id),
      rows.map((o) => o.id),
      `${what}: one of several groups`,
    );
    t.same(
      db.groupPage(sparseRow.by.numbers, 1, 1000, 700).map((o) => o.id),
      rows
        .map((o) => o.id)
        .filter((id) => id >= 1000)
        .slice(0, 700),
      `${what}: a part of it`,
    );
    t.same(
      [...db.walk(sparseRow.by.rank)].map((o) => o.id),
      [...rows].sort((a, b) => a.rank - b.rank || a.id - b.id).map((o) => o.id),
      `${what}: order`,
    );
    t.same(
      [...db.walk(sparseRow.by.place)].map((o) => o.id),
      [...rows].sort((a, b) => a.owner - b.owner || Number(a.weight - b.weight)).map((o) => o.id),
      `${what}: unique order`,
    );
  };
  check('created');
  db.openFrame();
  for (let i = 0; i < COUNT; i += 2) db.remove(sparseRow, db.get(sparseRow, i));
  for (let i = 1; i < COUNT; i += 4) {
    db.modify(sparseRow, db.get(sparseRow, i), (o) => {
      o.rank = 60 - o.rank;
      o.owner = 1;
      o.weight += 10_000n;
    });
  }
  check('changed');
  for (let i = 1; i < COUNT; i += 2) if (i % 16 !== 1) db.remove(sparseRow, db.get(sparseRow, i));
  check('nearly emptied');
  db.undoFrame();
  check('undone');
  t.same(dump(db), whole);
});
