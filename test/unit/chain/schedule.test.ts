import fc from 'fast-check';
import t from 'tap';
import { BlockFacts } from '../../../src/chain/facts.js';
import { updateHead } from '../../../src/chain/head-update.js';
import { HEADER_ERRORS } from '../../../src/chain/header.js';
import { missedSlots, participation, shuffle } from '../../../src/chain/schedule.js';
import { NULL_BLOCK_ID } from '../../../src/crypto/digests.js';
import { SKIP } from '../../../src/operations/define.js';
import { dynamicGlobalPropertyObject } from '../../../src/state/objects/dynamic-global-property.js';
import { witnessObject } from '../../../src/state/objects/witness.js';
import { nextBlock } from '../../support/next-block.js';
import { refused } from '../../support/refused.js';
import { worldTest } from '../../support/world.js';
import { WORLD_TIME } from '../../support/world-genesis.js';

const ids = (n: number): number[] => Array.from({ length: n }, (_, i) => i + 1);

t.test('the shuffle gives the published orders', async (t) => {
  t.same(shuffle(ids(5), 1541433605), [2, 4, 1, 5, 3]);
  t.same(shuffle(ids(11), 1600000000), [8, 1, 9, 7, 6, 11, 10, 5, 3, 4, 2]);
  t.same(shuffle(ids(21), 1700000001), [7, 4, 5, 15, 16, 9, 20, 13, 10, 1, 3, 17, 12, 19, 11, 6, 18, 21, 8, 2, 14]);
  t.same(shuffle([], 1), []);
  t.same(shuffle([7], 1), [7]);
});

t.test('missed slots in closed form equal a walk over all slots', async (t) => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 30 }),
      fc.bigInt({ min: 0n, max: 1n << 60n }),
      fc.nat(500),
      (n, aslot, missed) => {
        const list = ids(n);
        const walked = new Map<number, number>();
        for (let slot = 1; slot <= missed; slot++) {
          const witness = list[Number((aslot + BigInt(slot)) % BigInt(n))] as number;
          walked.set(witness, (walked.get(witness) ?? 0) + 1);
        }
        const byId = (counts: Map<number, number>) => [...counts].sort((a, b) => a[0] - b[0]);
        return JSON.stringify(byId(missedSlots(list, aslot, missed))) === JSON.stringify(byId(walked));
      },
    ),
  );
  const years = missedSlots(ids(3), 0n, 100_000_001);
  t.equal(
    [...years.values()].reduce((a, b) => a + b),
    100_000_001,
    'a chain may sleep for years',
  );
});

t.test('participation', async (t) => {
  t.equal(participation((1n << 128n) - 1n), 10_000);
  t.equal(participation(0n), 0);
  t.equal(participation(1n), 78);
  t.equal(participation((1n << 127n) + 5n), 234, 'empty slots between filled ones do not count');
});

worldTest(
  'slots after genesis, after a block, and after a maintenance',
  {
    witnesses: 3,
    parameters: { maintenance_skip_slots: 2 },
  },
  (t, w) => {
    const { queries } = w.chain;
    t.equal(w.now, WORLD_TIME + 3, 'the first slot is not aligned to anything');
    const base = Math.floor(w.now / 3) * 3;
    t.equal(queries.slotTime(0), 0);
    t.equal(queries.slotTime(1), base + 9, 'block 1 is a maintenance block, so two slots are skipped');
    t.equal(queries.slotAt(base + 8), 0);
    t.equal(queries.slotAt(base + 9), 1);
    t.equal(queries.slotAt(base + 11), 1);
    t.equal(queries.slotAt(base + 12), 2);
    const plan = queries.slotPlan();
    const moments = [0, 8, 9, 11, 12, 15, 600].map((seconds) => base + seconds);
    t.same(moments.map(plan.at), moments.map(queries.slotAt), 'who plans ahead knows the same');
    const slots = [1, 2, 3, 4, 5, 100];
    t.same(slots.map(plan.timeOf), slots.map(queries.slotTime));
    t.same(slots.map(plan.witnessOf), slots.map(queries.scheduledWitness));
    w.block();
    t.equal(queries.slotTime(1), w.now + 3);
  },
);

worldTest(
  'a block may come at any second of its slot, and does not move the slots behind it',
  { witnesses: 3 },
  (t, w) => {
    const { queries, blocks } = w.chain;
    const first = queries.slotTime(1);
    const [now, next] = [queries.scheduledWitness(1), queries.scheduledWitness(2)];
    const late = nextBlock(w, { timestamp: first + 2 });
    const refuse = (seconds: number, witness: number) =>
      refused(t, HEADER_ERRORS.block_witness, () =>
        blocks.push({ block: nextBlock(w, { timestamp: first + seconds, witness }) }),
      );
    refuse(2, next);
    refuse(3, now);
    blocks.push({ block: late });
    t.same([w.now, queries.slotTime(1), queries.scheduledWitness(1)], [first + 2, first + 3, next]);
    const soon = nextBlock(w, { timestamp: first + 3 });
    blocks.push({ block: soon });
    w.adopt([late, soon]);
    t.equal(w.now, first + 3);
    t.same(
      [...w.state.all(witnessObject)].map(({ total_missed }) => total_missed),
      [0n, 0n, 0n],
    );
  },
);

worldTest('slots that nobody used are counted against those who had them', { witnesses: 3 }, (t, w) => {
  const missedBefore = ['init0', 'init1', 'init2'].map((name) => w.witness(name).total_missed);
  w.block(7);
  const missed = ['init0', 'init1', 'init2'].map(
    (name, i) => w.witness(name).total_missed - (missedBefore[i] as bigint),
  );
  const sum = missed.reduce((a, b) => a + b);
  t.ok(sum >= 4n && sum <= 5n, 'the producer of the block is not charged for its own empty slots');
  const head = w.state.single(dynamicGlobalPropertyObject);
  t.equal(head.recent_slots_filled & 0xffn, 0x80n);
  t.equal(head.recently_missed_count, 28);
  const counts = Array.from({ length: 14 }, () => {
    w.block();
    return head.recently_missed_count;
  });
  t.same(counts, [25, 22, 19, 16, 13, 10, 7, 4, 3, 2, 1, 0, 0, 0]);
  w.block(127);
  t.equal(head.recent_slots_filled, 1n << 127n);
  w.block(128);
  t.equal(head.recent_slots_filled, 0n);
  w.block(1_000_000);
  t.equal(head.recent_slots_filled, 0n);
});

worldTest(
  'the count of what was missed lately has 32 bits',
  { witnesses: 3, parameters: { block_interval: 1 } },
  (t, w) => {
    w.block(1_200_000_000);
    t.equal(w.state.single(dynamicGlobalPropertyObject).recently_missed_count, (4 * 1_200_000_000) % 2 ** 32);
  },
);

worldTest('whatever was missed before the first block does not count', { witnesses: 3 }, (t, w) => {
  const countAfter = (previous: string): number =>
    w.chain.snapshots.withHeadState((state) => {
      state.openFrame();
      try {
        const head = state.single(dynamicGlobalPropertyObject);
        updateHead(state, new BlockFacts(nextBlock(w, { previous, timestamp: w.now + 60 })), SKIP.none, 0);
        return head.recently_missed_count;
      } finally {
        state.undoFrame();
      }
    });
  t.ok(countAfter(`00000001${'00'.repeat(16)}`) > 0);
  t.equal(countAfter(NULL_BLOCK_ID), 0);
});
