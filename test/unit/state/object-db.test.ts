import t from 'tap';
import { ChainError, InvariantError } from '../../../src/base/errors.js';
import { text } from '../../../src/codec/scalars.js';
import { struct } from '../../../src/codec/struct.js';
import { defineObject, ordered } from '../../../src/state/define.js';
import { ObjectDatabase } from '../../../src/state/object-db.js';
import { TABLE_ERRORS } from '../../../src/state/table.js';
import { refused } from '../../support/refused.js';
import { isSmallToEngine } from '../../support/small-number.js';
import { denseRow, dump, fixedRow, fleetingRow, plainRow, ROWS, type Row, type RowValue, sparseRow } from './model.js';

const row = (code: string, more: Partial<RowValue> = {}): RowValue => ({
  code,
  owner: 0,
  rank: 0,
  weight: BigInt(code.length),
  note: undefined,
  numbers: [],
  ...more,
});

t.test('a missing object is refused with the words of the chain', async (t) => {
  const db = new ObjectDatabase(ROWS);
  refused(t, TABLE_ERRORS.object_missing, () => db.get(denseRow, 7), { data: { id: '1.1.7' } });
  t.throws(() => db.get(sparseRow, 7), { message: 'maybe_found != nullptr: Unable to find Object 1.2.7' });
  t.equal(db.find(denseRow, 7), undefined);
});

t.test('a creation that collides changes nothing and takes no id', async (t) => {
  const db = new ObjectDatabase(ROWS);
  db.create(denseRow, row('a', { owner: 1, weight: 5n }));
  const before = dump(db);
  for (const value of [row('a', { owner: 2 }), row('b', { owner: 1, weight: 5n })]) {
    refused(t, TABLE_ERRORS.object_not_unique, () => db.create(denseRow, value));
    t.same(dump(db), before);
    t.equal(db.groupSize(denseRow.by.owner, value.owner), value.owner === 1 ? 1 : 0);
  }
  t.equal(db.create(denseRow, row('b')).id, 1);
});

t.test('a modification that collides in the second index leaves the first as it was', async (t) => {
  const db = new ObjectDatabase(ROWS);
  db.create(denseRow, row('a', { weight: 1n }));
  const b = db.create(denseRow, row('b', { weight: 2n }));
  db.openFrame();
  refused(t, TABLE_ERRORS.object_change_not_unique, () =>
    db.modify(denseRow, b, (o) => {
      o.code = 'c';
      o.weight = 1n;
    }),
  );
  t.same(b, { id: 1, ...row('b', { weight: 2n }) });
  t.equal(db.findBy(denseRow.by.code, 'b'), b);
  t.equal(db.findBy(denseRow.by.code, 'c'), undefined);
  db.undoFrame();
  t.equal(db.findBy(denseRow.by.code, 'b'), b);
});

t.test('two objects may swap unique keys, and undo swaps them back', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const a = db.create(denseRow, row('a', { weight: 1n }));
  const b = db.create(denseRow, row('b', { weight: 2n }));
  db.openFrame();
  const rename = (o: typeof a, code: string): void =>
    db.modify(denseRow, o, (x) => {
      x.code = code;
    });
  rename(a, 'c');
  rename(b, 'a');
  rename(a, 'b');
  t.equal(db.findBy(denseRow.by.code, 'a'), b);
  db.undoFrame();
  t.equal(db.findBy(denseRow.by.code, 'a'), a);
  t.equal(db.findBy(denseRow.by.code, 'b'), b);
  t.equal(db.findBy(denseRow.by.code, 'c'), undefined);
});

t.test('a change that throws leaves no trace, also inside another change', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const a = db.create(denseRow, row('a', { weight: 1n }));
  const b = db.create(denseRow, row('b', { weight: 2n }));
  const before = dump(db);
  const boom = new Error('boom');
  t.throws(
    () =>
      db.modify(denseRow, a, (x) => {
        x.code = 'x';
        db.modify(denseRow, b, (y) => {
          y.code = 'y';
          throw boom;
        });
      }),
    boom,
  );
  t.same(dump(db), before);
  t.equal(db.findBy(denseRow.by.code, 'a'), a);
  t.equal(db.findBy(denseRow.by.code, 'x'), undefined);
});

t.test('an object whose keys never change is edited in place, and undo brings back what it was', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const fixed = db.create(fixedRow, { key: 7, amount: 1n });
  db.edit(fixedRow, fixed).amount = 2n;
  db.openFrame();
  db.edit(fixedRow, fixed).amount = 3n;
  db.openFrame();
  db.edit(fixedRow, fixed).amount = 4n;
  db.edit(fixedRow, fixed).amount = 5n;
  t.equal(db.get(fixedRow, 0).amount, 5n);
  db.undoFrame();
  t.equal(fixed.amount, 3n);
  db.commitFrame();
  db.reopenFrame();
  db.edit(fixedRow, fixed).amount = 6n;
  t.throws(() => db.reopenFrame(), InvariantError, 'a frame that is open is not opened');
  db.commitFrame();
  t.equal(db.committedFrames, 1);
  db.popCommitted();
  t.equal(fixed.amount, 2n, 'what was done after a frame was opened again is taken back with it');
  t.throws(() => db.reopenFrame(), InvariantError, 'there is none');
  const moving = db.create(denseRow, row('a'));
  t.throws(() => db.edit(denseRow, moving), InvariantError, 'an index would have to follow');
  t.throws(() => db.edit(fixedRow, { ...fixed }), InvariantError, 'a copy is no live object');
});

t.test('an object keeps its identity through removal and undo', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const a = db.create(sparseRow, row('a', { weight: 1n }));
  const b = db.create(sparseRow, row('b', { weight: 2n }));
  db.openFrame();
  db.remove(sparseRow, a);
  t.equal(db.find(sparseRow, 0), undefined);
  t.equal(db.findBy(sparseRow.by.code, 'a'), undefined);
  t.throws(() => db.modify(sparseRow, a, () => undefined), InvariantError);
  t.throws(() => db.remove(sparseRow, a), InvariantError);
  db.undoFrame();
  t.equal(db.get(sparseRow, 0), a);
  t.same([...db.all(sparseRow)], [a, b], 'and its place in the order');
});

t.test('ids of undone objects are handed out again, those of removed ones are not', async (t) => {
  const db = new ObjectDatabase(ROWS);
  db.openFrame();
  db.create(denseRow, row('a'));
  db.undoFrame();
  const a = db.create(denseRow, row('a'));
  t.equal(a.id, 0);
  db.remove(denseRow, a);
  t.equal(db.create(denseRow, row('a')).id, 1);
  t.equal(db.count(denseRow), 1);
  t.equal(db.nextInstance(denseRow), 2);
});

t.test('nested work is undone when it throws, whatever it throws, and kept when it returns', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const a = db.create(fixedRow, { key: 1, amount: 5n });
  const set = (amount: bigint): void =>
    db.modify(fixedRow, a, (o) => {
      o.amount = amount;
    });
  for (const withFrame of [false, true]) {
    if (withFrame) db.openFrame();
    t.equal(
      db.nested(() => {
        set(6n);
        return 'result';
      }),
      'result',
    );
    t.equal(a.amount, 6n);
    const refusal = new ChainError(TABLE_ERRORS.object_missing);
    t.throws(
      () =>
        db.nested(() => {
          set(7n);
          db.create(fixedRow, { key: 2, amount: 0n });
          // A frame that was left open goes too.
          db.openFrame();
          set(8n);
          throw refusal;
        }),
      refusal,
    );
    t.equal(a.amount, 6n);
    t.equal(db.count(fixedRow), 1);
    t.equal(db.openFrames, withFrame ? 1 : 0);
  }
  db.undoFrame();
  t.equal(a.amount, 6n, 'what was merged without a frame is final');
});

t.test('a type that exists once', async (t) => {
  const db = new ObjectDatabase(ROWS);
  refused(t, TABLE_ERRORS.object_missing, () => db.single(plainRow));
  db.openFrame();
  db.create(plainRow, { value: 3 });
  t.equal(db.single(plainRow).value, 3);
  t.throws(() => db.create(plainRow, { value: 4 }), InvariantError);
  db.undoFrame();
  t.equal(db.find(plainRow, 0), undefined);
});

t.test('frames that are misused stop the node', async (t) => {
  const db = new ObjectDatabase(ROWS);
  t.throws(() => db.undoFrame(), InvariantError);
  t.throws(() => db.mergeFrame(), InvariantError);
  t.throws(() => db.commitFrame(), InvariantError);
  t.throws(() => db.popCommitted(), InvariantError);
  t.throws(() => db.dropOldest(1), InvariantError);
  db.openFrame();
  db.openFrame();
  t.throws(() => db.commitFrame(), InvariantError, 'only the lowest open frame can be committed');
  db.mergeFrame();
  db.commitFrame();
  db.openFrame();
  t.throws(() => db.popCommitted(), InvariantError, 'something is still open above');
  t.throws(() => db.irreversibleChanges(2), InvariantError);
});

t.test('the journal tells values as of the end of the dropped frames', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const commit = (work: () => void): void => {
    db.openFrame();
    work();
    db.commitFrame();
  };
  const set = (id: number, amount: bigint): void =>
    db.modify(fixedRow, db.get(fixedRow, id), (o) => {
      o.amount = amount;
    });
  commit(() => {
    db.create(fixedRow, { key: 10, amount: 1n });
    db.create(fixedRow, { key: 11, amount: 1n });
  });
  commit(() => {
    set(0, 2n);
    db.create(fixedRow, { key: 12, amount: 1n });
  });
  commit(() => {
    set(0, 3n);
    db.remove(fixedRow, db.get(fixedRow, 1));
    db.remove(fixedRow, db.get(fixedRow, 2));
    db.create(fixedRow, { key: 13, amount: 1n });
  });
  db.openFrame();
  set(0, 4n);
  const told = (count: number): unknown => {
    const { changes, counters } = db.irreversibleChanges(count);
    const list = changes.map(({ instance, value }) => [instance, (value as { amount: bigint } | undefined)?.amount]);
    return { list: list.sort((a, b) => Number(a[0]) - Number(b[0])), next: counters[2] };
  };
  t.same(told(0), { list: [], next: 0 });
  t.same(told(1), {
    list: [
      [0, 1n],
      [1, 1n],
    ],
    next: 2,
  });
  t.same(told(2), {
    list: [
      [0, 2n],
      [1, 1n],
      [2, 1n],
    ],
    next: 3,
  });
  t.same(
    told(3),
    {
      list: [
        [0, 3n],
        [3, 1n],
      ],
      next: 4,
    },
    'what came and went is not told',
  );
  db.dropOldest(2);
  t.same(told(1), {
    list: [
      [0, 3n],
      [1, undefined],
      [2, undefined],
      [3, 1n],
    ],
    next: 4,
  });
  db.undoFrame();
  t.equal(db.get(fixedRow, 0).amount, 3n);
});

t.test('nothing is kept of what came and went among what is settled', (t) => {
  const db = new ObjectDatabase(ROWS);
  const commit = (work: () => void): void => {
    db.openFrame();
    work();
    db.commitFrame();
  };
  const lasting = db.create(fixedRow, { key: 0, amount: 1n });
  let last = lasting;
  const cycles = 3000;
  for (let key = 1; key <= cycles; key++) {
    commit(() => {
      last = db.create(fixedRow, { key, amount: 1n });
    });
    // Some in one frame, some in two, all of them changed in between.
    if (key % 2 === 0) commit(() => db.modify(fixedRow, last, (o) => (o.amount = 2n)));
    commit(() => db.remove(fixedRow, last));
    if (db.committedFrames > 1) db.settleOldest(db.committedFrames);
  }
  t.ok(db.changesOf(1) < 1025, 'what says nothing is thrown out now and then');
  const { changes, counters } = db.irreversibleChanges(1);
  t.same(changes, []);
  t.equal(counters[2], cycles + 1, 'their numbers are used up');
  commit(() => db.modify(fixedRow, lasting, (o) => (o.amount = 3n)));
  db.popCommitted();
  db.dropOldest(1);
  t.equal(db.get(fixedRow, 0).amount, 1n);
  t.equal(db.count(fixedRow), 1);
  t.end();
});

t.test('what is settled is told as before, and not taken back', (t) => {
  const db = new ObjectDatabase(ROWS);
  const commit = (work: () => void): void => {
    db.openFrame();
    work();
    db.commitFrame();
  };
  const set = (instance: number, amount: bigint): void =>
    db.modify(fixedRow, db.get(fixedRow, instance), (o) => {
      o.amount = amount;
    });
  const told = (): unknown => {
    const { changes, counters } = db.irreversibleChanges(1);
    const list = changes.map(({ instance, value }) => [instance, (value as { amount: bigint } | undefined)?.amount]);
    return { list: list.sort((a, b) => Number(a[0]) - Number(b[0])), next: counters[2] };
  };
  t.throws(() => db.settleOldest(1), InvariantError, 'there is none');
  for (const key of [10, 11]) db.create(fixedRow, { key, amount: 1n });
  commit(() => set(0, 5n));
  commit(() => {
    db.create(fixedRow, { key: 12, amount: 1n });
    set(0, 6n);
    set(1, 5n);
  });
  commit(() => {
    db.remove(fixedRow, db.get(fixedRow, 1));
    db.remove(fixedRow, db.get(fixedRow, 2));
    db.create(fixedRow, { key: 13, amount: 1n });
    set(0, 2n);
  });
  const first = [
    [0, 2n],
    [1, undefined],
    [3, 1n],
  ];
  db.settleOldest(2);
  const before = [
    [0, 6n],
    [1, 5n],
    [2, 1n],
  ];
  t.same(told(), { list: before, next: 3 }, 'the third has changed all of them');
  db.settleOldest(2);
  commit(() => set(0, 3n));
  t.equal(db.committedFrames, 2);
  t.same(told(), { list: first, next: 4 }, 'as of its end, though a newer frame has changed it');
  commit(() => set(0, 4n));
  db.popCommitted();
  db.popCommitted();
  t.equal(db.get(fixedRow, 0).amount, 2n, 'what came later is taken back');
  t.equal(db.committed(fixedRow, 3)?.amount, 1n);
  db.settleOldest(1);
  commit(() => set(0, 3n));
  t.same(told(), { list: first, next: 4 });
  db.popCommitted();
  t.same(told(), { list: first, next: 4 });
  db.openFrame();
  set(3, 7n);
  db.mergeFrame();
  set(3, 8n);
  t.same(told(), { list: [...first.slice(0, 2), [3, 8n]], next: 4 }, 'what is merged into it is told once');
  t.throws(() => db.popCommitted(), InvariantError);
  t.end();
});

t.test('stored objects are loaded in any order, and colliding ones are refused', async (t) => {
  const source = new ObjectDatabase(ROWS);
  for (let i = 0; i < 20; i++) {
    source.create(denseRow, row(`d${i}`, { owner: i % 3, rank: 20 - i, weight: BigInt(i) }));
    source.create(sparseRow, row(`s${i}`, { owner: i % 3, rank: i % 4, weight: BigInt(i) }));
  }
  source.remove(denseRow, source.get(denseRow, 5));
  source.remove(sparseRow, source.get(sparseRow, 5));
  const loaded = new ObjectDatabase(ROWS);
  for (const definition of [denseRow, sparseRow]) {
    for (const object of [...source.all(definition)].reverse()) loaded.load(definition, object.id, object);
    loaded.setCounter(definition, source.nextInstance(definition));
  }
  loaded.finishLoading();
  t.same(dump(loaded), dump(source));
  t.same([...loaded.walk(denseRow.by.rank)], [...source.walk(denseRow.by.rank)]);
  t.same([...loaded.walk(denseRow.by.lateRank)], [...source.walk(denseRow.by.rank)]);
  t.same(loaded.group(sparseRow.by.owner, 1), source.group(sparseRow.by.owner, 1));
  t.equal(loaded.findBy(denseRow.by.code, 'd7'), loaded.get(denseRow, 7));

  for (const twin of [row('a', { owner: 9 }), row('b', { weight: 1n })]) {
    const broken = new ObjectDatabase(ROWS);
    broken.load(denseRow, 0, row('a', { weight: 1n }));
    broken.load(denseRow, 1, twin);
    refused(t, TABLE_ERRORS.object_load_twice, () => broken.finishLoading(), { data: { id: '1.1.1' } });
  }
});

t.test('an order that is sorted late is the one that it would have been', async (t) => {
  const ranks = (db: ObjectDatabase): Row[] => [...db.walk(denseRow.by.lateRank)].map((o) => ({ ...o }));
  const fill = (): ObjectDatabase => {
    const db = new ObjectDatabase(ROWS);
    for (let i = 0; i < 10; i++) db.create(denseRow, row(`d${i}`, { owner: i, rank: 10 - i }));
    return db;
  };
  const change = (db: ObjectDatabase): void => {
    db.openFrame();
    db.remove(denseRow, db.get(denseRow, 3));
    db.modify(denseRow, db.get(denseRow, 4), (o) => {
      o.rank = 50;
    });
    db.create(denseRow, row('new', { owner: 77, rank: 5 }));
  };
  const steps = [change, (db: ObjectDatabase) => db.undoFrame(), change, (db: ObjectDatabase) => db.mergeFrame()];
  // Asked for the first time after each number of steps, and after all that follow.
  for (let first = 0; first <= steps.length; first++) {
    const db = fill();
    for (let done = 0; done <= steps.length; done++) {
      if (done > 0) steps[done - 1]?.(db);
      if (done >= first) t.same(ranks(db), [...db.walk(denseRow.by.rank)], `asked after ${first}, done ${done}`);
    }
    t.equal(db.last(denseRow.by.lateRank), db.get(denseRow, 4));
  }
  t.throws(() => ordered([(o: Row) => o.rank], { unique: true, sortedLate: true }), InvariantError);
});

t.test('a type that the database does not know', async (t) => {
  const db = new ObjectDatabase([denseRow]);
  t.throws(() => db.find(sparseRow, 0), InvariantError);
  t.throws(() => new ObjectDatabase([denseRow, denseRow]), InvariantError);
});

t.test('instances are small numbers to the engine from the first on', async (t) => {
  t.notOk(isSmallToEngine(new Float64Array([3])[0] as number), 'what comes out of a Float64Array is none');
  const db = new ObjectDatabase(ROWS);
  t.ok(isSmallToEngine(db.nextInstance(denseRow)));
  for (const code of 'abc')
    t.ok(isSmallToEngine(db.create(denseRow, row(code, { weight: BigInt(code.charCodeAt(0)) })).id));
});

t.test('what is removed of two types whose objects never change comes back, each in its own', async (t) => {
  const schema = struct('other_fleeting_row', { code: text });
  const other = defineObject({ name: 'other_fleeting_row', space: 1, type: 5, keep: 'fleeting', schema });
  const definitions = [fleetingRow, other];
  const db = new ObjectDatabase(definitions);
  for (const code of ['a', 'b', 'c']) {
    db.create(fleetingRow, row(code, { weight: BigInt(code.charCodeAt(0)) }));
    db.create(other, { code });
  }
  const before = dump(db, definitions);
  db.openFrame();
  db.openFrame();
  for (let i = 0; i < 2; i++) {
    db.remove(fleetingRow, db.get(fleetingRow, i));
    db.remove(other, db.get(other, i));
  }
  db.mergeFrame();
  t.same([db.count(fleetingRow), db.count(other)], [1, 1]);
  db.undoFrame();
  t.same(dump(db, definitions), before);
});

t.test('all who watch objects of a type are told, whatever happens to one', async (t) => {
  const db = new ObjectDatabase(ROWS);
  const told: [string, number][] = [];
  for (const who of ['first', 'second', 'third']) db.watch(fixedRow, ({ id }) => told.push([who, id]));
  const all = (what: string, id: number, work: () => void): void => {
    told.length = 0;
    work();
    t.same(new Set(told.map(([who]) => who)), new Set(['first', 'second', 'third']), what);
    t.ok(
      told.every(([, instance]) => instance === id),
      what,
    );
  };
  db.create(fixedRow, { key: 5, amount: 1n });
  db.openFrame();
  all('created', 1, () => db.create(fixedRow, { key: 7, amount: 1n }));
  const fixed = db.get(fixedRow, 0);
  all('edited', 0, () => {
    db.edit(fixedRow, fixed).amount = 2n;
  });
  all('modified', 0, () =>
    db.modify(fixedRow, fixed, (o) => {
      o.amount = 3n;
    }),
  );
  all('removed', 1, () => db.remove(fixedRow, db.get(fixedRow, 1)));
  db.mergeFrame();
  db.openFrame();
  db.remove(fixedRow, fixed);
  all('put back', 0, () => db.undoFrame());
});

t.test('of what comes and goes, all that a block made is told, also what a later one has removed', async (t) => {
  const db = new ObjectDatabase([fleetingRow]);
  db.openFrame();
  for (const code of ['a', 'b']) db.create(fleetingRow, row(code, { weight: BigInt(code.charCodeAt(0)) }));
  db.commitFrame();
  const told = () => db.irreversibleChanges(1).changes.map(({ instance, value }) => [instance, (value as Row).code]);
  for (const removed of [0, 1]) {
    db.openFrame();
    db.remove(fleetingRow, db.get(fleetingRow, removed));
    db.commitFrame();
    t.same(told().sort(), [
      [0, 'a'],
      [1, 'b'],
    ]);
  }
});
