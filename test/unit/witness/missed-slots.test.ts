import t from 'tap';
import { ChainError } from '../../../src/base/errors.js';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { Producer, type ProducerSettings } from '../../../src/witness/producer.js';
import { wasKeptWaiting } from '../../network/misses.js';
import { FakeClock } from '../../support/fake-clock.js';
import { MemoryLog } from '../../support/memory-log.js';
import { NETWORK } from '../../support/network.js';
import { SLOT_SEC, SLOTS_FROM_SEC, SlotChain, TEST_REFUSALS, WITNESS_KEY } from '../../support/slot-chain.js';

/** Each way in which a slot is missed leaves a line at the node whose slot it was. */

const OURS = 1;

function world(settings: Partial<ProducerSettings> = {}, headSec = SLOTS_FROM_SEC) {
  const clock = new FakeClock(SLOTS_FROM_SEC * 1000 + 200);
  const log = new MemoryLog();
  const chain = new SlotChain(headSec);
  const slots = { lastSec: 0 };
  const missed: number[] = [];
  const processor = { ms: 0 };
  const producer = new Producer(
    { witnesses: [OURS], keys: [WITNESS_KEY], staleProduction: false, participationMin: 0, ...settings },
    {
      network: NETWORK,
      clock,
      log,
      view: chain,
      slots,
      plan: () => chain.plan(),
      processorMs: () => processor.ms,
      produce: (turn) => chain.produce(turn),
      onMissed: (witness) => missed.push(witness),
    },
  );
  chain.producer = producer;
  producer.start();
  t.teardown(() => producer.stop());
  const lines = () => log.entries.filter(({ text }) => text === 'a slot of a witness of this node stayed empty');
  const reasons = () => lines().map(({ values }) => String(values.because));
  /** Beginning of the next slot of this witness. */
  const ownSlot = (witness = OURS): number => {
    for (let slot = 1; ; slot++) if (chain.scheduledWitness(slot) === witness) return chain.slotTime(slot);
  };
  const until = (timeSec: number): void => clock.advance(1000 * timeSec - clock.nowMs());
  /** Time passes, the other witness makes its blocks, and this one what it can. */
  const untilSlotIsOver = (slotSec: number): void => {
    while (chain.headSec <= slotSec) {
      until(chain.slotTime(chain.slotAt(clock.nowMs() / 1000) + 1) + 0.3);
      const slot = chain.slotAt(clock.nowMs() / 1000);
      if (slot > 0 && chain.scheduledWitness(slot) !== OURS) chain.apply(chain.slotTime(slot));
    }
  };
  return { processor, clock, log, chain, slots, missed, producer, lines, reasons, ownSlot, until, untilSlotIsOver };
}

t.test('a filled slot leaves nothing', async (t) => {
  const w = world();
  w.untilSlotIsOver(w.ownSlot());
  w.untilSlotIsOver(w.ownSlot());
  t.ok(w.chain.turns.length >= 2);
  t.same(w.reasons(), []);
  t.same(w.missed, []);
});

t.test('a process that got no time in its slot', async (t) => {
  const w = world();
  w.untilSlotIsOver(w.ownSlot());
  const slot = w.ownSlot();
  w.until(slot - 1.5);
  w.clock.jump(5000);
  w.processor.ms += 200;
  // What came meanwhile is read first: by then the slot is over.
  w.chain.apply(slot + SLOT_SEC);
  const [line] = w.lines();
  t.match(line?.values, { witness: '1.6.1', slot: new Date(1000 * slot).toISOString().slice(0, 19) });
  t.match(w.reasons(), [
    /^this node stood still for \d s from \S+ on, in which it had 0.2 s of processor time: the machine/,
  ]);
  t.equal(wasKeptWaiting(w.reasons()[0] ?? ''), true, 'as who reads the log understands it');
  t.same(w.missed, [OURS]);
  t.equal(line?.level, 'warn');
});

t.test('a process that wakes in the next slot of its own tells of the one before', async (t) => {
  const w = world({ witnesses: [1, 2] });
  w.until(w.chain.slotTime(1) + 0.2);
  const slot = w.chain.slotTime(1);
  w.until(slot - 1.5);
  w.clock.jump(1000 * SLOT_SEC + 1000);
  w.clock.advance(1000);
  t.match(w.reasons(), [/^this node stood still for 5 s/]);
  t.equal(w.chain.turns.at(-1)?.slotSec, slot + SLOT_SEC);
});

t.test('no wake-up since the start', async (t) => {
  const w = world();
  const slot = w.ownSlot();
  w.clock.jump(1000 * (slot + SLOT_SEC) - w.clock.nowMs());
  w.chain.apply(slot + SLOT_SEC);
  t.match(w.reasons(), [/^this node stood still for \d s/]);
});

t.test('a node that is catching up', async (t) => {
  const w = world({}, SLOTS_FROM_SEC - 3600);
  const slot = SLOTS_FROM_SEC + 7;
  w.until(slot + SLOT_SEC);
  // The chain of the others has its blocks up to the slot before, which is not this node's.
  w.chain.apply(slot - SLOT_SEC);
  const own = w.ownSlot();
  w.untilSlotIsOver(own);
  const first = w.reasons()[0];
  t.match(first, /^the last block is old/);
});

t.test('a key is missing', async (t) => {
  const w = world();
  w.chain.keys.set(OURS, PrivateKey.fromSeed('another').publicKey);
  w.untilSlotIsOver(w.ownSlot());
  w.untilSlotIsOver(w.ownSlot());
  t.match(w.reasons(), [/^no private key/, /^no private key/], 'a line for each');
});

t.test('too few slots are filled', async (t) => {
  const w = world({ participationMin: 3300 });
  w.chain.filled = 3299;
  w.untilSlotIsOver(w.ownSlot());
  w.untilSlotIsOver(w.ownSlot());
  t.match(w.reasons(), [/^too few slots were filled/, /^too few slots were filled/], 'a line for each');
});

t.test('the chain refuses the block', async (t) => {
  const w = world();
  w.chain.refusal = new ChainError(TEST_REFUSALS.test_refusal, { why: 'a reason' });
  w.untilSlotIsOver(w.ownSlot());
  t.match(w.reasons(), [/^the chain refused the block that was assembled: refused for a reason$/]);
});

t.test('the slot was signed before, perhaps for a block that was lost', async (t) => {
  const w = world();
  const slot = w.ownSlot();
  w.slots.lastSec = slot;
  w.untilSlotIsOver(slot);
  t.match(w.reasons(), [/^this node has signed a block for this slot/]);
});

t.test('another machine makes blocks for the witness', async (t) => {
  const w = world();
  const slotSec = w.ownSlot();
  const { publicKey } = WITNESS_KEY;
  w.producer.blockCame({ id: 'b'.repeat(40), number: 7, witness: OURS, slotSec, signer: () => publicKey });
  w.untilSlotIsOver(slotSec);
  t.match(w.reasons(), [/^another machine makes blocks for the witness/]);
});

t.test('a slot of more than five seconds, reached too late', async (t) => {
  const w = world();
  const slot = w.ownSlot();
  w.until(slot - 1.5);
  // The chain's slots are long ones: at the only wake-up in it more than two and a half seconds are over.
  w.chain.slotAt = (when) => (when < slot ? 0 : 1);
  w.chain.scheduledWitness = () => OURS;
  w.chain.slotTime = (number) => (number === 0 ? 0 : slot + (number - 1) * 10);
  w.producer.headReplaced();
  w.chain.plan = () => ({
    timeOf: (n) => slot + (n - 1) * 10,
    at: (when) => (when < slot ? 0 : 2),
    witnessOf: () => OURS,
  });
  w.producer.headReplaced();
  w.clock.jump(4500);
  w.clock.advance(1000);
  w.producer.headApplied(slot + 10);
  t.match(w.reasons(), [/^this node woke up too late for the slot/]);
});

t.test('its block is made and left behind', async (t) => {
  const w = world();
  const before = { headSec: w.chain.headSec, aslot: w.chain.aslot };
  const slot = w.ownSlot();
  if (w.chain.slotTime(1) < slot) {
    w.until(w.chain.slotTime(1) + 0.3);
    w.chain.apply(w.chain.slotTime(1));
    Object.assign(before, { headSec: w.chain.headSec, aslot: w.chain.aslot });
  }
  w.until(slot + 0.7);
  t.equal(w.chain.turns.at(-1)?.slotSec, slot);
  w.chain.undoTo(before);
  w.chain.apply(slot + SLOT_SEC);
  t.match(w.reasons(), [/^its block 1 id, made \d+ ms after the slot began, is on a branch that was left$/]);
  w.chain.undoTo(before);
  w.chain.apply(slot + SLOT_SEC);
  t.equal(w.lines().length, 1, 'once, however often the branches change');
});

t.test('the slot was that of another witness where this node stood', async (t) => {
  const w = world();
  const slot = w.ownSlot();
  w.until(slot - 1.5);
  const { scheduledWitness } = w.chain;
  w.chain.scheduledWitness = () => 2;
  w.producer.headReplaced();
  w.until(slot + SLOT_SEC - 0.5);
  w.chain.scheduledWitness = scheduledWitness;
  w.producer.headReplaced();
  w.chain.apply(slot + SLOT_SEC);
  t.match(w.reasons(), [/^this node stood on another branch then/]);
});

t.test('slots from before the start are nothing to it', async (t) => {
  const w = world({}, SLOTS_FROM_SEC - 3600);
  w.chain.apply(SLOTS_FROM_SEC - (SLOTS_FROM_SEC % SLOT_SEC));
  t.same(w.reasons(), []);
});
