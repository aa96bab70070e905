import t from 'tap';
import { Backlog } from '../../../src/chain/backlog.js';
import { TransactionFacts } from '../../../src/chain/facts.js';
import { encode } from '../../../src/codec/binary.js';
import { type ProcessedTransaction, processedTransaction } from '../../../src/protocol/transaction.js';
import { ID_SALT_BYTES, IdHash } from '../../../src/state/id-hash.js';
import { core, TestWorld } from '../../support/world.js';

const w = new TestWorld({ accounts: { alice: 1_000_000n, bob: 0n } });
const { chainId } = w.chain;
let made = 0;

/** Each one different, with results as a block has them. */
function waiting(change: Partial<ProcessedTransaction> = {}): TransactionFacts {
  const signed = w.signChanged([w.operation('transfer', { from: 'alice', to: 'bob', amount: core(++made) })], change);
  const facts = TransactionFacts.of({ transaction: { ...signed, operation_results: [[0, {}]] } as never }, chainId);
  // Whoever waits was recovered before.
  facts.signers(chainId);
  return facts;
}

const taken = (backlog: Backlog): TransactionFacts[] => {
  const all: TransactionFacts[] = [];
  for (let one = backlog.take(); one !== undefined; one = backlog.take()) all.push(one);
  return all;
};
const idsOf = (list: Iterable<TransactionFacts>): string[] => Array.from(list, ({ id }) => id);
const packed = ({ transaction }: TransactionFacts): Uint8Array => encode(processedTransaction, transaction);

t.test('comes out as it went in: first in, first out', async (t) => {
  const backlog = new Backlog(chainId, new IdHash(new Uint8Array(ID_SALT_BYTES).fill(5)));
  const list = Array.from({ length: 20 }, () => waiting());
  for (const facts of list) backlog.append(facts);
  t.equal(
    backlog.bytes,
    list.reduce((sum, { size }) => sum + size, 0),
  );
  t.same(idsOf(backlog.all()), idsOf(list));
  const out = taken(backlog);
  t.same(idsOf(out), idsOf(list));
  for (const [i, facts] of out.entries()) {
    const former = list[i] as TransactionFacts;
    t.same(packed(facts), packed(former));
    t.equal(facts.size, former.size);
    t.equal(facts.unsignedBytes, former.unsignedBytes);
    t.same(facts.knownKeys(chainId), former.knownKeys(chainId), 'nobody recovers the keys again');
  }
  t.ok(backlog.isEmpty && backlog.bytes === 0);
});

t.test('a bad signature, or one that nobody has looked at, is looked at again', async (t) => {
  const backlog = new Backlog(chainId);
  const unknown = TransactionFacts.of({ transaction: waiting().transaction }, chainId);
  const bad = waiting({});
  bad.setSigners(chainId, { keys: [], error: new Error('bad') as never });
  const none = TransactionFacts.of({ transaction: { ...waiting().transaction, signatures: [] }, keys: [] }, chainId);
  for (const facts of [unknown, bad, none]) backlog.append(facts);
  t.same(
    taken(backlog).map((facts) => facts.knownKeys(chainId)),
    [undefined, undefined, []],
  );
});

t.test('as many keys as a byte can count are kept, and of more none', async (t) => {
  const backlog = new Backlog(chainId);
  const lists = [254, 255, 256, 300].map((count) =>
    Array.from({ length: count }, (_, i) => (i + 1).toString(16).padStart(66, '0')),
  );
  const list = lists.map((keys) => TransactionFacts.of({ transaction: waiting().transaction, keys }, chainId));
  for (const facts of list) backlog.append(facts);
  const out = taken(backlog);
  t.same(out.map(packed), list.map(packed));
  t.same(
    out.map((facts) => facts.knownKeys(chainId)),
    [lists[0], undefined, undefined, undefined],
  );
});

t.test('what is put back stands before all others, what is removed nowhere', async (t) => {
  const backlog = new Backlog(chainId);
  const [a, b, c, d, e] = Array.from({ length: 5 }, () => waiting()) as [
    TransactionFacts,
    TransactionFacts,
    TransactionFacts,
    TransactionFacts,
    TransactionFacts,
  ];
  for (const facts of [c, d, e]) backlog.append(facts);
  for (const facts of [b, a]) backlog.putBack(facts);
  t.same(idsOf(backlog.all()), idsOf([a, b, c, d, e]));
  for (const facts of [b, d, waiting()]) backlog.remove(facts.id);
  t.same(
    [a, b, c, d, e].map(({ id }) => backlog.has(id)),
    [true, false, true, false, true],
  );
  t.equal(backlog.count, 3);
  t.equal(backlog.bytes, a.size + c.size + e.size);
  t.same(idsOf(backlog.all()), idsOf([a, c, e]));
  t.same(idsOf(taken(backlog)), idsOf([a, c, e]));
  t.equal(backlog.bytes, 0);
});

t.test('expired ones go wherever they stand, to the second', async (t) => {
  const backlog = new Backlog(chainId);
  const at = (expiration: number): TransactionFacts => waiting({ expiration });
  const [over, last, later, overToo] = [at(99), at(100), at(101), at(98)];
  for (const facts of [last, over, later]) backlog.append(facts);
  backlog.putBack(overToo);
  backlog.removeExpired(100);
  t.same(idsOf(backlog.all()), idsOf([last, later]));
  t.equal(backlog.bytes, last.size + later.size, 'each counts once');
  backlog.removeExpired(100);
  t.equal(backlog.count, 2);
  backlog.removeExpired(102);
  t.ok(backlog.isEmpty && backlog.take() === undefined);
});

t.test('more than one buffer, and one transaction larger than any', async (t) => {
  const backlog = new Backlog(chainId);
  const signed = waiting().transaction;
  const large = (bytes: number, expiration: number): TransactionFacts =>
    TransactionFacts.of(
      { transaction: { ...signed, expiration, signatures: Array(Math.ceil(bytes / 65)).fill(new Uint8Array(65)) } },
      chainId,
    );
  const list: TransactionFacts[] = [];
  for (let i = 0; i < 12; i++) {
    const facts = large(i === 5 ? 3_000_000 : 300_000, 1000 + i);
    list.push(facts);
    backlog.append(facts);
  }
  // Buffers are used up in between, and their numbers stay right.
  const first = [backlog.take(), backlog.take(), backlog.take(), backlog.take()] as TransactionFacts[];
  const removed = list[8] as TransactionFacts;
  backlog.remove(removed.id);
  t.same(idsOf([...first, ...taken(backlog)]), idsOf(list.filter((one) => one !== removed)));
});

t.test('each is found by its id among thousands, in whatever order others go', async (t) => {
  const backlog = new Backlog(chainId);
  const { transaction } = waiting();
  const list = Array.from({ length: 3000 }, (_, i) =>
    TransactionFacts.of({ transaction: { ...transaction, expiration: i } }, chainId),
  );
  for (const facts of list) backlog.append(facts);
  const gone = new Set<string>();
  for (const [i, { id }] of list.entries()) {
    if ((i * 7) % 3 !== 0) continue;
    backlog.remove(id);
    gone.add(id);
  }
  t.ok(list.every(({ id }) => backlog.has(id) !== gone.has(id)));
  t.same(idsOf(taken(backlog)), idsOf(list.filter(({ id }) => !gone.has(id))));
  t.notOk(list.some(({ id }) => backlog.has(id)));
});
