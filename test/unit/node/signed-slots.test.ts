import t from 'tap';
import { SignedSlots } from '../../../src/node/chain/signed-slots.js';
import { MemoryFiles } from '../../support/memory-files.js';

const CHAIN = 'ab'.repeat(32);
const NOW = 1_700_000_000;
const PATH = 'data/witness/signed_slots';

function open(files: MemoryFiles, chainId = CHAIN, isBegun = false) {
  const lost: string[] = [];
  const slots = new SignedSlots({
    files,
    dataDir: 'data',
    chainId,
    nowSec: NOW,
    isBegun,
    lost: (file, how) => lost.push(`${file} ${how}`),
  });
  return { slots, lost };
}

t.test('what was signed is on the disk before it is said to be', async (t) => {
  const files = new MemoryFiles();
  const { slots, lost } = open(files);
  t.equal(slots.lastSec, 0);
  for (let slot = 10; slot <= 40; slot += 3) {
    const before = files.syncs;
    slots.claim(slot);
    t.equal(files.syncs, before + 1, 'synced');
    t.equal(open(files).slots.lastSec, slot, 'there after a restart');
  }
  t.same(lost, []);
});

t.test(
  'a record that was torn leaves the one before it; two of them, and all until now counts as signed',
  async (t) => {
    const files = new MemoryFiles();
    const { slots } = open(files);
    for (const slot of [7, 10, 13, 16]) slots.claim(slot);
    for (let byte = 0; byte < 40; byte++) {
      const torn = files.clone();
      const content = torn.get(PATH);
      content[byte] = (content[byte] as number) ^ 0x5a;
      const { slots: after, lost } = open(torn);
      t.equal(after.lastSec, 13);
      t.same(lost, []);
      after.claim(19);
      t.equal(open(torn).slots.lastSec, 19);
    }
    const content = files.get(PATH);
    content[0] = (content[0] as number) ^ 1;
    content[4096] = (content[4096] as number) ^ 1;
    const { slots: after, lost } = open(files);
    t.equal(after.lastSec, NOW);
    t.same(lost, [`${PATH} unreadable`]);
  },
);

t.test('the first record after a start is not written over the newest one', async (t) => {
  const files = new MemoryFiles();
  const { slots: first } = open(files);
  for (const slot of [1, 4]) first.claim(slot);
  for (const slot of [7, 10, 13, 16]) {
    const before = files.clone();
    open(files).slots.claim(slot);
    const [older, torn] = [before.get(PATH), files.clone()];
    const content = torn.get(PATH);
    // Of the record that was just written half is there.
    const at = [0, 4096].find(
      (place) => !content.subarray(place, place + 40).equals(older?.subarray(place, place + 40)),
    );
    content[(at ?? 0) + 35] = (content[(at ?? 0) + 35] as number) ^ 0x5a;
    t.equal(open(torn).slots.lastSec, slot - 3);
  }
});

t.test('an empty file is one that has lost its records, also before the first slot was signed', async (t) => {
  const files = new MemoryFiles();
  open(files);
  const again = open(files);
  t.equal(again.slots.lastSec, 0);
  t.same(again.lost, []);
  files.contents.set(PATH, Buffer.alloc(0));
  const { slots, lost } = open(files);
  t.equal(slots.lastSec, NOW);
  t.same(lost, [`${PATH} unreadable`]);
});

t.test('where a chain has begun and no file is there, all until now counts as signed', async (t) => {
  const files = new MemoryFiles();
  const first = open(files, CHAIN, true);
  t.equal(first.slots.lastSec, NOW);
  t.same(first.lost, [`${PATH} missing`]);
  const again = open(files, CHAIN, true);
  t.equal(again.slots.lastSec, 0);
  t.same(again.lost, [], 'it is there now');
});

t.test('a record of another chain says nothing of this one', async (t) => {
  const files = new MemoryFiles();
  open(files).slots.claim(10);
  const { slots, lost } = open(files, 'cd'.repeat(32));
  t.equal(slots.lastSec, 0);
  t.same(lost, []);
});

t.test('what the disk refuses is not signed, and not tried again for the same slot', async (t) => {
  const files = new MemoryFiles();
  const { slots } = open(files);
  slots.claim(10);
  files.room = 7;
  t.throws(() => slots.claim(13), /disk is full/);
  t.equal(slots.lastSec, 13);
  files.room = Number.POSITIVE_INFINITY;
  t.equal(open(files).slots.lastSec, 10);
  slots.claim(16);
  t.equal(open(files).slots.lastSec, 16);
});

t.test('slots that are taken back by hand are, also after a restart; none is taken forward', async (t) => {
  const files = new MemoryFiles();
  const { slots } = open(files);
  for (const slot of [10, 13, 16]) slots.claim(slot);
  slots.takeBack(19);
  t.equal(slots.lastSec, 16);
  slots.takeBack(11);
  t.equal(slots.lastSec, 11);
  t.equal(open(files).slots.lastSec, 11);
  slots.claim(13);
  t.equal(open(files).slots.lastSec, 13);
});
