import t from 'tap';
import { unpackedBlock } from '../../../src/node/chain/logged-blocks.js';
import type { FeedBlock } from '../../../src/plugin/follower.js';
import { FollowedChain } from '../../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';

/** Blocks that go to a thread as bytes say the same there, wherever they come from. */

const LAST = 120;

t.test('a block in memory, in the logs, and half of each', async (t) => {
  const chain = await FollowedChain.open(goldenGenesis());
  const stop = chain.feed.listen(() => undefined);
  chain.push([...goldenBlocks()], LAST);
  const same = (number: number, where: string): number => {
    const given = chain.feed.read(number) as FeedBlock;
    const packed = given.packed?.();
    if (packed === undefined) throw new Error('it has bytes');
    const found = unpackedBlock(packed);
    const shown = ({ id, block, transactionIds, operations }: FeedBlock): unknown => [
      id,
      block,
      transactionIds,
      [...operations],
    ];
    t.strictSame(shown(found), shown(given), `${where} ${number}`);
    return given.operations.length;
  };
  const inMemory = [LAST - 20, LAST - 1, LAST].reduce((sum, number) => sum + same(number, 'in memory'), 0);
  await chain.save();
  const before = chain.feed.readFromLog;
  let inLogs = 0;
  for (let number = 1; number <= 30; number++) inLogs += same(number, 'in the logs');
  t.ok(chain.feed.readFromLog > before, 'they were read');
  same(LAST - 20, 'what it did is written meanwhile');
  t.ok(inMemory > 0 && inLogs > 30, `${inMemory} and ${inLogs} operations`);
  stop();
  await chain.close();
});
