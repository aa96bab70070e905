import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import '../../src/operations/index.js';
import { snapshotPort } from '../../src/node/ports/snapshot-port.js';
import { FollowedChain } from '../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { copyHere } from '../support/restored-disk.js';

t.test(
  'no more copies are asked for at once than stay there, and a node that stops makes none of those that wait',
  async (t) => {
    const chain = await FollowedChain.open(goldenGenesis());
    chain.push([...goldenBlocks()], 60);
    await chain.save();
    let release = (): void => {};
    const released = new Promise<void>((done) => {
      release = done;
    });
    let copies = 0;
    const folder = t.testdir();
    const port = snapshotPort(
      {
        chain: chain.stored.chain,
        storage: chain.stored.storage,
        followers: chain.host,
        copy(objects, target) {
          copies++;
          return { begun: Promise.resolve(), whole: released.then(() => copyHere(objects, target).whole) };
        },
      },
      { folder: undefined, keep: 1, copies: join(folder, 'copies') },
      chain.log,
    );
    const asked = [1, 2, 3, 4].map(() => port.copy());
    const settled = Promise.allSettled(asked);
    await t.rejects(port.copy(), {
      row: { key: 'state_copies_waiting', kind: 'limit' },
      message: '4 copies of the state are being made already',
    });
    // The first one has begun once its copier was called, so it is made to its end.
    while (copies === 0) await new Promise(setImmediate);
    const over = port.over();
    release();
    const [first, ...others] = await settled;
    t.match(first, { status: 'fulfilled', value: { snapshot_dir: join(folder, 'copies', 'copy-1') } });
    for (const other of others) t.match(other, { status: 'rejected', reason: { row: { key: 'state_copies_over' } } });
    t.equal(copies, 1, 'nothing was begun that the end of the node would have to wait for');
    await over;
    await chain.close();
  },
);

t.test('one after the other there may be any number; of those that nobody removes the newest four stay', async (t) => {
  const chain = await FollowedChain.open(goldenGenesis());
  chain.push([...goldenBlocks()], 10);
  await chain.save();
  const copies = join(t.testdir(), 'copies');
  const { chain: node, storage } = chain.stored;
  const source = { chain: node, storage, followers: chain.host, copy: copyHere };
  const port = snapshotPort(source, { folder: undefined, keep: 1, copies }, chain.log);
  for (let n = 1; n <= 6; n++) {
    const { snapshot_dir } = await port.copy();
    t.equal(snapshot_dir, join(copies, `copy-${n}`));
  }
  t.same(readdirSync(copies).sort(), ['copy-3', 'copy-4', 'copy-5', 'copy-6']);
  await port.over();
  await chain.close();
});
