import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { startDevNode } from '../support/dev-node.js';

/** From now on the disk of this process refuses every write, as a full one does. Returns what makes room again. */
function fillDisk(): () => void {
  const { writeSync } = fs;
  fs.writeSync = () => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  };
  syncBuiltinESMExports();
  return () => {
    fs.writeSync = writeSync;
    syncBuiltinESMExports();
  };
}

t.test('a node that cannot write a block stops in order, and goes on from there when there is room', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder);
  dev.clock.advance(9_000);
  const { number, id } = dev.node.chain.queries.head;
  t.ok(number > 0);
  const makeRoom = fillDisk();
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
