import fs from 'node:fs';
import t, { type Test } from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { DISK_ERRORS } from '../../src/node/parts/disk-room.js';
import { startDevNode } from '../support/dev-node.js';
import { refusedLater } from '../support/refused.js';
import { replace } from '../support/replaced.js';

/** From now on the disk of this process refuses every write, as a full one does. Returns what makes room again. */
const fillDisk = (t: Test): (() => void) =>
  replace(t, fs, 'writeSync', () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  });

t.test('a node that cannot write a block stops in order, and goes on from there when there is room', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder);
  dev.clock.advance(9_000);
  const { number, id } = dev.node.chain.queries.head;
  t.ok(number > 0);
  const makeRoom = fillDisk(t);
  try {
    dev.clock.advance(3_000);
    const failure = await dev.node.failed;
    if (!(failure instanceof ChainError)) throw new Error('another failure');
    t.match(failure, { key: 'storage_disk_full', kind: 'environment' });
    t.equal(dev.node.chain.queries.head.id, id, 'the state is that of the last block that could be written');
    t.equal(await dev.node.stop(), false, 'what was to be written still cannot be written');
    const left = dev.log.entries.filter(({ text }) => text === 'could not stop');
    t.match(left, [{ values: { part: 'storage', error: { key: 'storage_disk_full' } } }], 'everything else closes');
    t.equal(left.length, 1);
  } finally {
    makeRoom();
  }
  const again = await startDevNode(folder, {}, dev.clock);
  t.teardown(() => again.node.stop());
  t.equal(again.node.chain.queries.head.id, id, 'nothing is lost');
  again.clock.advance(6_000);
  t.ok(again.node.chain.queries.head.number > number, 'and blocks are made again');
});

t.test('a disk that fills up: a warning, and a stop in order while the state can still be written', async (t) => {
  const folder = t.testdir();
  let freeMb = 10_000;
  let looked = (): void => undefined;
  let isReadable = true;
  const readRoom = async () => {
    // What follows in the node comes before whoever waits here for it.
    setImmediate(() => setImmediate(looked));
    if (!isReadable) throw new Error('the server of the disk does not answer');
    return { freeBytes: freeMb * 1e6, totalBytes: 1e11 };
  };
  const dev = await startDevNode(folder, {}, undefined, undefined, { readRoom });
  const passTime = async (): Promise<void> => {
    const done = new Promise<void>((resolve) => (looked = resolve));
    dev.clock.advance(6_000);
    await done;
  };
  const warnings = (): string[] => dev.log.entries.filter(({ level }) => level === 'warn').map(({ text }) => text);
  await passTime();
  t.same(warnings(), []);
  freeMb = 1_499;
  await passTime();
  await passTime();
  t.same(warnings(), ['the disk is filling up'], 'once');
  freeMb = 1_600;
  await passTime();
  t.ok(dev.log.entries.some(({ text }) => text === 'the disk has room again'));
  isReadable = false;
  await passTime();
  await passTime();
  t.equal(warnings().filter((text) => /cannot be read/.test(text)).length, 1, 'and stops nobody');
  isReadable = true;
  freeMb = 299;
  dev.clock.advance(6_000);
  const failure = (await dev.node.failed) as ChainError;
  t.match(failure, { key: 'disk_nearly_full', kind: 'environment', data: { free: 299, reserve: 300 } });
  const { id, irreversible } = dev.node.chain.queries.head;
  t.equal(await dev.node.stop(), true, 'everything is written');

  await refusedLater(t, DISK_ERRORS.disk_nearly_full, startDevNode(folder, {}, dev.clock, undefined, { readRoom }));
  const off = await startDevNode(folder, { 'disk-reserve': '0' }, dev.clock, undefined, { readRoom });
  t.equal(off.node.chain.queries.head.id, id);
  const loaded = off.log.entries.find(({ text }) => text === 'state loaded');
  t.ok(Number(loaded?.values.block) >= irreversible, 'the state was stored, not only the blocks');
  await off.node.stop();

  // A twentieth of a small file system.
  const small = async () => ({ freeBytes: 4e6, totalBytes: 64e6 });
  const again = await startDevNode(folder, {}, dev.clock, undefined, { readRoom: small });
  t.same(again.log.texts('error'), []);
  await again.node.stop();
});
