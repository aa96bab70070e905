import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { compareBytes } from '../../src/base/bytes.js';
import { ChainError, InvariantError } from '../../src/base/errors.js';
import { decode, encode } from '../../src/codec/binary.js';
import { LASTING_RULES } from '../../src/codec/decode-rules.js';
import { Reader } from '../../src/codec/reader.js';
import { nameFromText } from '../../src/protocol/name.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import { ObjectDatabase } from '../../src/state/object-db.js';
import { accountObject } from '../../src/state/objects/account.js';
import { accountBalanceObject } from '../../src/state/objects/account-balance.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { signatureObject } from '../../src/state/objects/signature.js';
import {
  RememberedTransaction,
  type TransactionBodies,
  transactionObject,
} from '../../src/state/objects/transaction.js';
import { stateHash } from '../../src/state/state-hash.js';
import { META_KEY, pageKey } from '../../src/storage/buckets.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import { MemoryKv } from '../../src/storage/memory-kv.js';
import { recordCodec } from '../../src/storage/object-record.js';
import { ObjectStore } from '../../src/storage/object-store.js';
import { RecordArena } from '../../src/storage/record-arena.js';
import { arbitraryOf } from '../support/arbitrary.js';
import { refused, refusedLater } from '../support/refused.js';
import { isSmallToEngine } from '../support/small-number.js';

const CHAIN = 'ab'.repeat(32);
const id = (number: number): string => number.toString(16).padStart(8, '0') + '00'.repeat(16);
const head = (number: number): { number: number; id: string } => ({ number, id: id(number) });

function database(accounts: number): ObjectDatabase {
  const db = new ObjectDatabase(OBJECTS);
  const initial = accountObject.schema.default();
  for (let i = 0; i < accounts; i++) {
    db.create(accountObject, { ...initial, name: `account-${i}`, statistics: i });
    db.create(accountBalanceObject, { owner: i, asset_type: 1, balance: BigInt(i) * 10n ** 14n });
  }
  db.create(signatureObject, { signature: new Uint8Array(65).fill(7), expiration: 5 });
  return db;
}

async function stored(db: ObjectDatabase, kv = new MemoryKv()): Promise<MemoryKv> {
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  store.saveAll(db, head(0));
  await store.flush();
  return kv;
}

async function loaded(kv: MemoryKv | LevelKv): Promise<ObjectDatabase> {
  const db = new ObjectDatabase(OBJECTS);
  await new ObjectStore(kv, CHAIN, OBJECTS).load(db);
  return db;
}

t.test('the instances of a loaded state are small numbers to the engine', async (t) => {
  const db = await loaded(await stored(database(3)));
  for (let i = 0; i < 3; i++) t.ok(isSmallToEngine(db.get(accountBalanceObject, i).id));
});

/** Commits a frame with `work` and hands it over as block `number`. */
function block(db: ObjectDatabase, store: ObjectStore, number: number, work: () => void): void {
  db.openFrame();
  work();
  db.commitFrame();
  store.save(db.irreversibleChanges(1), head(number));
  db.dropOldest(1);
}

const codecOptions = { depth: 2, nameFromText };
for (const definition of OBJECTS) {
  t.test(`${definition.name}: a record gives back exactly what was stored`, (t) => {
    const codec = recordCodec(definition);
    const wanted = arbitraryOf(definition.schema, codecOptions);
    fc.assert(
      fc.property(wanted, fc.nat(1000), (random, instance) => {
        // Sets in their order, as the state has them.
        const value = decode(definition.schema, encode(definition.schema, random as never));
        const bytes = codec.encode({ id: instance, ...value });
        const padded = Uint8Array.of(1, 2, 3, ...bytes, 9, 9);
        const reader = new Reader(padded, LASTING_RULES);
        reader.position = 3;
        const back = codec.decode(instance, reader, 3 + bytes.length);
        if (!t.same(back, { id: instance, ...value })) throw new Error('differs');
        if (Object.keys(back).join() !== ['id', ...Object.keys(definition.schema.fields)].join()) {
          throw new Error('fields are in another order');
        }
        for (const field of Object.values(back)) {
          if (Buffer.isBuffer(field)) throw new Error('bytes came back as a Buffer');
        }
      }),
      { numRuns: 15 },
    );
    t.end();
  });
}

t.test('extreme values', (t) => {
  const codec = recordCodec(accountBalanceObject);
  for (const balance of [0n, 1n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)]) {
    const bytes = codec.encode({ id: 0, owner: 2 ** 48 - 1, asset_type: 0, balance } as never);
    t.strictSame(codec.decode(0, new Reader(bytes), bytes.length), {
      id: 0,
      owner: 2 ** 48 - 1,
      asset_type: 0,
      balance,
    });
  }
  const wide = OBJECTS.find((one) => one.name === 'dynamic_global_property');
  t.ok(wide);
  const value = { id: 0, ...(wide?.schema.default() as object), recent_slots_filled: 2n ** 128n - 1n };
  const wideCodec = recordCodec(wide as never);
  const bytes = wideCodec.encode(value as never);
  t.strictSame(wideCodec.decode(0, new Reader(bytes), bytes.length), value);
  t.end();
});

/** Bodies that count how often they are asked for. */
class CountedBodies implements TransactionBodies {
  readonly storedBlock = 1;
  asked = 0;

  bodyOf({ position }: RememberedTransaction): SignedTransaction {
    this.asked++;
    return { ...signedTransaction.default(), expiration: 100 + position };
  }
}

t.test(
  'bodies of remembered transactions are asked for when they are written, with turns of others in between',
  async (t) => {
    const count = 2000;
    const db = database(1);
    const kv = await stored(db);
    const store = new ObjectStore(kv, CHAIN, OBJECTS);
    const bodies = new CountedBodies();
    const isPresent = (i: number): boolean => i % 2 === 0;
    block(db, store, 1, () => {
      for (let i = 0; i < count; i++) {
        const remembered = new RememberedTransaction(id(i), 100 + i, bodies, i);
        db.create(transactionObject, remembered);
      }
    });
    t.equal(bodies.asked, 0, 'not while everybody waits for a block');
    block(db, store, 2, () => {
      for (const one of [...db.all(transactionObject)]) if (!isPresent(one.id)) db.remove(transactionObject, one);
    });
    // Irreversible is what it was, whatever becomes of the object before it is written.
    const stays = stateHash(db);
    db.openFrame();
    db.remove(transactionObject, db.get(transactionObject, 0));
    const kvGetMany = kv.getMany.bind(kv);
    const askedBefore: number[] = [];
    kv.getMany = (keys) => {
      askedBefore.push(bodies.asked);
      return kvGetMany(keys);
    };
    bodies.asked = 0;
    await store.flush();
    t.equal(bodies.asked, count / 2, 'and those that are gone by then never');
    const steps = [...askedBefore, bodies.asked].map((asked, i, all) => asked - (all[i - 1] ?? 0));
    t.ok(Math.max(...steps) <= 256, `in small pieces: ${steps}`);
    const again = await loaded(kv);
    t.equal(stateHash(again), stays);
    for (const one of again.all(transactionObject)) t.ok(isPresent(one.id) && one.trx.expiration === 100 + one.id);
  },
);

t.test('what is loaded is what was stored: objects, indexes, counters', async (t) => {
  const db = database(200);
  db.remove(accountBalanceObject, db.get(accountBalanceObject, 150));
  const kv = await stored(db);
  const again = await loaded(kv);
  t.equal(stateHash(again), stateHash(db));
  t.equal(again.findBy(accountObject.by.name, 'account-77')?.id, 77);
  t.equal(again.nextInstance(accountBalanceObject), 200);
  t.equal(again.find(accountBalanceObject, 150), undefined);
});

t.test('changes are merged into pages; only whole flushes are seen', async (t) => {
  const db = database(200);
  const kv = await stored(db);
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  t.strictSame(store.head, head(0));
  await store.load(new ObjectDatabase(OBJECTS));
  block(db, store, 1, () => {
    db.modify(accountBalanceObject, db.get(accountBalanceObject, 5), (o) => {
      o.balance = 123n;
    });
    db.remove(accountBalanceObject, db.get(accountBalanceObject, 64));
    for (const entry of [...db.all(signatureObject)]) db.remove(signatureObject, entry);
  });
  const hashAfter1 = stateHash(db);
  block(db, store, 2, () => {
    db.modify(accountBalanceObject, db.get(accountBalanceObject, 5), (o) => {
      o.balance = 124n;
    });
    db.create(accountBalanceObject, { owner: 0, asset_type: 2, balance: 1n });
  });
  const before = kv.clone();
  t.equal(store.stagedObjects, 4, 'an object that changes twice is written once');
  await store.flush();
  t.strictSame(store.head, head(2));
  t.equal(stateHash(await loaded(kv)), stateHash(db));
  t.not(stateHash(db), hashAfter1);
  t.strictSame(new ObjectStore(before, CHAIN, OBJECTS).head, head(0), 'before the flush the old state is stored');
  await store.flush();
  t.equal(stateHash(await loaded(kv)), stateHash(db), 'a flush without changes changes nothing');
});

t.test('many random rounds of changes', async (t) => {
  const db = database(150);
  const kv = await stored(db);
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  let seed = 12345;
  const random = (below: number): number => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed % below;
  };
  for (let number = 1; number <= 60; number++) {
    block(db, store, number, () => {
      for (let i = 0; i < 12; i++) {
        const balance = db.find(accountBalanceObject, random(db.nextInstance(accountBalanceObject)));
        const action = random(4);
        if (action === 0) {
          db.create(accountBalanceObject, { owner: random(2 ** 40), asset_type: 9 + number * 20 + i, balance: 1n });
        } else if (balance !== undefined && action === 1) {
          db.remove(accountBalanceObject, balance);
        } else if (balance !== undefined) {
          db.modify(accountBalanceObject, balance, (o) => {
            o.balance = BigInt(random(2 ** 30)) ** 2n;
          });
        }
      }
    });
    if (random(3) === 0) await store.flush();
  }
  await store.flush();
  t.equal(stateHash(await loaded(kv)), stateHash(db));
});

t.test('a store of another chain, of a newer format, with unknown objects', async (t) => {
  const kv = await stored(database(3));
  const before = [...kv.entries.values()].map(([, value]) => Buffer.from(value).toString('hex'));
  refused(t, STORAGE_ERRORS.storage_other_chain, () => new ObjectStore(kv, 'cd'.repeat(32), OBJECTS));
  refused(
    t,
    STORAGE_ERRORS.storage_newer_version,
    () => new ObjectStore(kv, CHAIN, OBJECTS, 0),
    'format 1 for format 0',
  );
  const fewer = OBJECTS.filter((definition) => definition !== accountObject);
  refused(t, STORAGE_ERRORS.storage_newer_version, () => new ObjectStore(kv, CHAIN, fewer), 'objects nobody knows');
  t.strictSame(
    [...kv.entries.values()].map(([, value]) => Buffer.from(value).toString('hex')),
    before,
    'nothing was changed',
  );
});

t.test('a bit flipped anywhere in a record is detected and named', async (t) => {
  const db = database(70);
  const whole = await stored(db);
  const unseen: string[] = [];
  let tried = 0;
  for (const [hex, [key, value]] of whole.entries) {
    for (let bit = (tried * 13) % 29; bit < value.length * 8; bit += 29) {
      tried++;
      const kv = whole.clone();
      const bytes = value.slice();
      bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
      kv.entries.set(hex, [key, bytes]);
      const outcome = await loaded(kv).then(
        () => 'loaded',
        (error: unknown) => (error instanceof ChainError ? `${error.key} ${String(error.data.what)}` : String(error)),
      );
      if (!/^object_store_corrupt (the page of \d|the record of the head)/.test(outcome))
        unseen.push(`${hex} ${outcome}`);
    }
  }
  t.strictSame(unseen, []);
  t.ok(tried > 500, `${tried} flips`);
});

t.test('pages that are lost, old, foreign or under another key', async (t) => {
  const db = database(200);
  const kv = await stored(db);
  const old = kv.clone();
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  block(db, store, 1, () =>
    db.modify(accountBalanceObject, db.get(accountBalanceObject, 5), (o) => {
      o.balance = 1n;
    }),
  );
  await store.flush();
  const key = (page: number): string => Buffer.from(pageKey(2, 5, page)).toString('hex');
  const damage: [string, (damaged: MemoryKv) => void][] = [
    ['lost', (damaged) => damaged.entries.delete(key(1))],
    ['old', (damaged) => damaged.entries.set(key(0), old.entries.get(key(0)) as never)],
    [
      'swapped',
      (damaged) => damaged.entries.set(key(0), [pageKey(2, 5, 0), damaged.entries.get(key(1))?.[1] as Uint8Array]),
    ],
    [
      'added',
      (damaged) => damaged.entries.set(key(9), [pageKey(2, 5, 9), damaged.entries.get(key(1))?.[1] as Uint8Array]),
    ],
    ['no key of ours', (damaged) => damaged.entries.set('1002', [Uint8Array.of(0x10, 2), Uint8Array.of(1)])],
    ['unknown type', (damaged) => damaged.entries.set('10', [pageKey(9, 9, 0), Uint8Array.of(1, 2, 3, 4, 5)])],
    [
      'empty head',
      (damaged) => damaged.entries.set(Buffer.from(META_KEY).toString('hex'), [META_KEY, Uint8Array.of()]),
    ],
  ];
  for (const [what, change] of damage) {
    const damaged = kv.clone();
    change(damaged);
    await refusedLater(t, STORAGE_ERRORS.object_store_corrupt, loaded(damaged), what);
  }
  t.equal(stateHash(await loaded(kv)), stateHash(db));
});

t.test('a damaged page is not used for a merge either', async (t) => {
  const db = database(10);
  const kv = await stored(db);
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  const page = kv.entries.get(Buffer.from(pageKey(2, 5, 0)).toString('hex'))?.[1] as Uint8Array;
  page[20] = (page[20] as number) ^ 1;
  block(db, store, 1, () =>
    db.modify(accountBalanceObject, db.get(accountBalanceObject, 5), (o) => {
      o.balance = 1n;
    }),
  );
  await refusedLater(t, STORAGE_ERRORS.object_store_corrupt, store.flush());
});

t.test('after a refused write nothing is written any more', async (t) => {
  const db = database(10);
  const kv = await stored(db);
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  const before = kv.clone();
  kv.write = () => Promise.reject(new ChainError(STORAGE_ERRORS.storage_disk_full, { path: 'x' }));
  const change = (): void =>
    block(db, store, 1, () =>
      db.modify(accountBalanceObject, db.get(accountBalanceObject, 5), (o) => {
        o.balance += 1n;
      }),
    );
  change();
  await refusedLater(t, STORAGE_ERRORS.storage_disk_full, store.flush());
  t.strictSame(store.head, head(0));
  refused(t, STORAGE_ERRORS.storage_disk_full, change, 'what comes after it');
  await refusedLater(t, STORAGE_ERRORS.storage_disk_full, store.flush());
  t.equal(kv.entries.size, before.entries.size);
});

function folder(t: Test): string {
  const path = mkdtempSync(join(tmpdir(), 'trustnode-store-'));
  t.teardown(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

t.test('LevelDB files: a flipped bit is refused or without effect, never silently used', async (t) => {
  const path = folder(t);
  const base = join(path, 'base');
  const db = database(400);
  let kv = await LevelKv.open(base);
  let store = new ObjectStore(kv, CHAIN, OBJECTS);
  store.saveAll(db, head(0));
  await store.flush();
  await store.close();
  // Reopened, so that tables and a log are there.
  kv = await LevelKv.open(base);
  store = new ObjectStore(kv, CHAIN, OBJECTS);
  const hashes = new Map([[0, stateHash(db)]]);
  for (let number = 1; number <= 3; number++) {
    block(db, store, number, () => {
      for (let i = number; i < 300; i += 7) {
        db.modify(accountBalanceObject, db.get(accountBalanceObject, i), (o) => {
          o.balance += BigInt(number);
        });
      }
    });
    hashes.set(number, stateHash(db));
    await store.flush();
  }
  await store.close();
  const files = readdirSync(base).filter((name) => /^(\d+\.(ldb|log)|MANIFEST.*|CURRENT)$/.test(name));
  t.ok(files.some((name) => name.endsWith('.ldb')) && files.some((name) => name.endsWith('.log')), files.join());
  const bad: string[] = [];
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 90; round++) {
    const copy = join(path, `copy-${round}`);
    cpSync(base, copy, { recursive: true });
    const name = files[round % files.length] as string;
    const bytes = readFileSync(join(copy, name));
    if (bytes.length === 0) continue;
    const bit = (round * 7_654_321) % (bytes.length * 8);
    bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    writeFileSync(join(copy, name), bytes);
    let outcome = '';
    let damaged: LevelKv | undefined;
    try {
      damaged = await LevelKv.open(copy);
      const damagedStore = new ObjectStore(damaged, CHAIN, OBJECTS);
      // A lost head record makes a new store: the chain is then built from the block log.
      if (damagedStore.head === undefined) outcome = 'empty';
      else {
        const again = new ObjectDatabase(OBJECTS);
        await damagedStore.load(again);
        const expected = hashes.get(damagedStore.head.number);
        outcome = stateHash(again) === expected ? 'a stored state' : 'WRONG STATE';
      }
    } catch (error) {
      outcome = error instanceof ChainError ? error.key : String(error);
      if (error instanceof InvariantError || !(error instanceof ChainError)) bad.push(`${name} bit ${bit}: ${outcome}`);
    }
    if (outcome === 'WRONG STATE') bad.push(`${name} bit ${bit}: ${outcome}`);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    await damaged?.close();
    rmSync(copy, { recursive: true, force: true });
  }
  t.strictSame(bad, []);
  t.comment(JSON.stringify([...outcomes]));
});

t.test('others get their turn while a large batch is put together, also in a new store', async (t) => {
  const db = database(20_000);
  const kv = await LevelKv.open(folder(t));
  const store = new ObjectStore(kv, CHAIN, OBJECTS);
  store.saveAll(db, head(0));
  let [pages, sinceTurn, most] = [0, 0, 0];
  const batch = kv.batch.bind(kv);
  kv.batch = () => {
    const made = batch();
    const add: typeof made.add = (change) => {
      made.add(change);
      pages++;
      most = Math.max(most, ++sinceTurn);
    };
    return { ...made, add };
  };
  let isOver = false;
  const turn = (): void => {
    sinceTurn = 0;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await store.flush();
  isOver = true;
  t.equal(pages, 20_000 / 16 + Math.ceil(20_000 / 64) + 2, 'accounts, balances, a signature and the head');
  t.ok(most <= 65, `${most} pages at once`);
  await store.close();
});

t.test('records of every size come back from the arena as they were, beside each other', async (t) => {
  const arena = new RecordArena();
  const sizes = [0, 1, 64, 65, 1024 * 1024 - 4, 1, 3 * 1024 * 1024, 7, 1024 * 1024, 0, 500_000, 500_000, 500_000];
  const given = sizes.map((size, i) => new Uint8Array(size).fill(i + 1));
  const places = given.map((record) => {
    const scratch = record.slice();
    const place = arena.add(scratch);
    scratch.fill(0);
    return place;
  });
  // Compared as bytes: the test library takes seconds for a difference between megabytes.
  for (const [i, place] of places.entries())
    t.equal(compareBytes(arena.at(place), given[i] as Uint8Array), 0, `${sizes[i]} bytes`);
  for (const size of [5, 3 * 1024 * 1024, 5]) {
    arena.clear();
    // The largest one first: what comes behind it must not lie in its room.
    const again = [size, 70, 1024 * 1024].map((length, i) => [
      arena.add(new Uint8Array(length).fill(i + 1)),
      length,
      i,
    ]);
    for (const [place, length, i] of again as [number, number, number][])
      t.equal(compareBytes(arena.at(place), new Uint8Array(length).fill(i + 1)), 0, 'its memory is used again');
  }
});
