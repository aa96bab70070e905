import t from 'tap';
import { InvariantError } from '../../../src/base/errors.js';
import { LIMITS } from '../../../src/base/limits.js';
import { BlockFacts } from '../../../src/chain/facts.js';
import { FORK_ERRORS, ForkDb, type ForkItem } from '../../../src/chain/fork-db.js';
import { NULL_BLOCK_ID } from '../../../src/crypto/digests.js';
import { refused } from '../../support/refused.js';

/** Blocks of any content: the fork database looks at ids and numbers only. */
function block(previous: string, mark: number): BlockFacts {
  return new BlockFacts({
    previous,
    timestamp: mark,
    witness: 1,
    transaction_merkle_root: NULL_BLOCK_ID,
    extensions: [],
    witness_signature: new Uint8Array(65),
    transactions: [],
  });
}

function chainOf(from: string, marks: readonly number[]): BlockFacts[] {
  const out: BlockFacts[] = [];
  for (const mark of marks) out.push(block(out.at(-1)?.id ?? from, mark));
  return out;
}

t.test('the longest branch leads, the first of equals stays', async (t) => {
  const forks = new ForkDb();
  const trunk = chainOf(NULL_BLOCK_ID, [1, 2, 3]);
  for (const one of trunk) t.equal(forks.insert(one).id, one.id);
  const side = chainOf((trunk[0] as BlockFacts).id, [12, 13, 14]);
  t.equal(forks.insert(side[0] as BlockFacts).id, trunk[2]?.id);
  t.equal(forks.insert(side[1] as BlockFacts).id, trunk[2]?.id, 'as long, but later');
  t.equal(forks.insert(side[1] as BlockFacts).id, trunk[2]?.id, 'and later again');
  t.equal(forks.insert(side[2] as BlockFacts).id, side[2]?.id, 'longer');
  t.equal(forks.insert(side[0] as BlockFacts).id, side[2]?.id, 'known already');
  const { ofFirst, ofSecond } = forks.branches((side[2] as BlockFacts).id, (trunk[2] as BlockFacts).id);
  t.same(
    ofFirst.map(({ id }) => id),
    [side[2]?.id, side[1]?.id, side[0]?.id],
  );
  t.same(
    ofSecond.map(({ id }) => id),
    [trunk[2]?.id, trunk[1]?.id],
  );
  t.equal(forks.ancestor(1)?.id, trunk[0]?.id);
  forks.remove((side[2] as BlockFacts).id);
  t.equal(forks.head?.id, side[1]?.id, 'the head moves to its parent');
});

t.test('what is dropped holds no block, whoever has it yet', async (t) => {
  const forks = new ForkDb();
  const trunk = chainOf(NULL_BLOCK_ID, [1, 2, 3]);
  const items = trunk.map((one) => forks.insert(one));
  t.equal(items[0]?.held, trunk[0]);
  forks.setSize(1);
  const [dropped, kept] = items as [ForkItem, ForkItem];
  t.equal(forks.find(dropped.id), undefined);
  t.equal(dropped.held, undefined);
  t.throws(() => dropped.block, InvariantError);
  t.equal(kept.block, trunk[1]);
});

t.test('what does not link or is too old is refused and not kept', async (t) => {
  const forks = new ForkDb();
  const trunk = chainOf(
    NULL_BLOCK_ID,
    Array.from({ length: 30 }, (_, i) => i + 1),
  );
  for (const one of trunk) forks.insert(one);
  const orphan = block(block(NULL_BLOCK_ID, 99).id, 100);
  refused(t, FORK_ERRORS.block_unlinkable, () => forks.insert(orphan));
  t.equal(forks.find(orphan.id), undefined);
  forks.setSize(5);
  t.equal(forks.count, 6, 'older ones are dropped');
  refused(t, FORK_ERRORS.block_too_old, () => forks.insert(block((trunk[23] as BlockFacts).id, 200)));
  refused(t, FORK_ERRORS.block_unlinkable, () => forks.branches(orphan.id, (trunk[29] as BlockFacts).id));
});

t.test('a block that comes again leads if it is above the head', async (t) => {
  const forks = new ForkDb();
  const [first, second] = chainOf(NULL_BLOCK_ID, [1, 2]) as [BlockFacts, BlockFacts];
  forks.insert(first);
  forks.insert(second);
  forks.setHead(forks.find(first.id) as ForkItem);
  t.equal(forks.insert(first).id, first.id);
  t.equal(forks.insert(second).id, second.id);
  t.equal(forks.count, 2);
});

t.test('10,000 orphans leave nothing behind', async (t) => {
  const forks = new ForkDb();
  forks.insert(block(NULL_BLOCK_ID, 1));
  const unknown = block(NULL_BLOCK_ID, 2).id;
  for (let i = 0; i < 10_000; i++) {
    try {
      forks.insert(block(unknown, i + 10));
      t.fail('an orphan was taken');
    } catch {
      // Refused, as it must be.
    }
  }
  t.equal(forks.count, 1);
});

t.test('a flood of side blocks does not pile up, and the chain itself stays', async (t) => {
  const forks = new ForkDb();
  const trunk = chainOf(NULL_BLOCK_ID, [1, 2, 3, 4]);
  for (const one of trunk) forks.insert(one);
  const parent = (trunk[1] as BlockFacts).id;
  for (let i = 0; i < 1000; i++) forks.insert(block(parent, 1000 + i));
  t.equal(forks.withNumber(3).length, LIMITS.fork_siblings_max);
  for (const one of trunk) t.ok(forks.find(one.id), 'still there');
  t.equal(forks.head?.id, trunk[3]?.id);
});

t.test('of side blocks that nobody vouches for so many are kept, and of one more the oldest goes', async (t) => {
  const forks = new ForkDb(() => false);
  const trunk = chainOf(
    NULL_BLOCK_ID,
    Array.from({ length: 60 }, (_, i) => i + 1),
  );
  for (const one of trunk) forks.insert(one);
  const sides = trunk.slice(0, LIMITS.fork_unvouched_max + 1).map((parent, i) => block(parent.id, 1000 + i));
  const last = sides.pop() as BlockFacts;
  for (const side of sides) forks.insert(side);
  t.ok(sides.every(({ id }) => forks.find(id)) && sides.length === LIMITS.fork_unvouched_max);
  forks.insert(last);
  t.equal(forks.count, trunk.length + LIMITS.fork_unvouched_max);
  t.equal(forks.find((sides[0] as BlockFacts).id), undefined);
  t.ok(forks.find((sides[1] as BlockFacts).id) && forks.find(last.id));
});

t.test('with a side block that goes, all go that build on it; it stays if the head is among them', async (t) => {
  for (const leads of [false, true]) {
    const trunk = chainOf(
      NULL_BLOCK_ID,
      Array.from({ length: LIMITS.fork_unvouched_max + 8 }, (_, i) => i + 1),
    );
    const forks = new ForkDb(() => false);
    for (const one of trunk) forks.insert(one);
    const from = trunk.length - 4;
    const branch = chainOf((trunk[from] as BlockFacts).id, leads ? [901, 902, 903, 904] : [901, 902, 903]);
    for (const one of branch) forks.insert(one);
    const sides = trunk.slice(0, LIMITS.fork_unvouched_max - 2).map((parent, i) => block(parent.id, 1000 + i));
    for (const one of sides) forks.insert(one);
    t.same(
      branch.map(({ id }) => forks.find(id) !== undefined),
      branch.map(() => leads),
    );
    t.ok(sides.every(({ id }) => forks.find(id)));
    t.equal(forks.head?.id, (leads ? branch : trunk).at(-1)?.id);
  }
});

t.test('who begins anew knows nothing of what was there', async (t) => {
  const forks = new ForkDb();
  const old = chainOf(NULL_BLOCK_ID, [1, 2, 3]);
  for (const one of old) forks.insert(one);
  const first = chainOf(NULL_BLOCK_ID, [11, 12]).at(-1) as BlockFacts;
  forks.start(first);
  t.equal(forks.head?.id, first.id);
  t.equal(forks.count, 1);
  t.same(
    [1, 2, 3].map((number) => forks.withNumber(number).length),
    [0, 1, 0],
  );
  refused(t, FORK_ERRORS.block_unlinkable, () => forks.insert(block((old[1] as BlockFacts).id, 4)));
  forks.start(undefined);
  t.same([forks.head, forks.count], [undefined, 0]);
  t.equal(forks.insert(old[0] as BlockFacts).id, old[0]?.id, 'any block is the first one');
});

t.test('a block may lie elsewhere meanwhile', async (t) => {
  const forks = new ForkDb();
  const [first] = chainOf(NULL_BLOCK_ID, [1]) as [BlockFacts];
  const item = forks.insert(first);
  t.equal(item.held, first);
  let read = 0;
  const copy = block(NULL_BLOCK_ID, 1);
  item.rest(() => {
    read++;
    return copy;
  });
  t.equal(item.held, undefined);
  t.equal(read, 0);
  t.equal(item.block, copy);
  t.equal(item.held, undefined, 'a look does not keep it');
  t.equal(item.wake(), copy);
  t.equal(item.held, copy);
  t.equal(item.block, copy);
  t.equal(read, 2);
});

t.test('in a flood of side blocks those that others build on stay, and the head that nobody builds on', async (t) => {
  const forks = new ForkDb();
  const first = block(NULL_BLOCK_ID, 1);
  forks.insert(first);
  const head = forks.insert(block(first.id, 2));
  const parent = block(first.id, 3);
  forks.insert(parent);
  // A longer branch leads and is left again, as one that could not be applied: its first block has a child nevertheless.
  const child = block(parent.id, 4);
  forks.insert(child);
  forks.setHead(head);
  for (let mark = 10; mark < 10 + 2 * LIMITS.fork_siblings_max; mark++) forks.insert(block(first.id, mark));
  t.equal(forks.head, head);
  t.equal(forks.find(head.id), head);
  t.ok(forks.find(parent.id), 'what a branch leads through');
  t.ok(forks.find(child.id));
  t.equal(forks.withNumber(2).length, LIMITS.fork_siblings_max);
});

t.test('what lies too far below the head goes with whatever is inserted, a second first block too', async (t) => {
  const forks = new ForkDb();
  const trunk = chainOf(
    NULL_BLOCK_ID,
    Array.from({ length: 1100 }, (_, i) => i + 1),
  );
  for (const one of trunk) forks.insert(one);
  t.equal(forks.count, 1025, 'as many as are kept, and the head');
  const other = new ForkDb();
  other.start(trunk[4]);
  other.insert(block(NULL_BLOCK_ID, 7777));
  t.equal(other.count, 2);
  other.setSize(1);
  t.equal(other.count, 1);
});
