import { IdRuns } from '../../src/storage/transaction-index/id-runs.js';
import { TransactionIndex } from '../../src/storage/transaction-index/transaction-index.js';
import { type DevNode, type Line, startDevNode } from './dev-node.js';
import { eventually } from './eventually.js';

/** An index in a folder that is there. */
export const openIndex = (folder: string, chainId: string): TransactionIndex =>
  new TransactionIndex(IdRuns.open(folder, chainId));

/** A node whose index has all blocks and will write them: what a stop has stored for good it writes in the next life. */
export async function twoLives(folder: string, blocks: number, line: Line = {}): Promise<DevNode> {
  const first = await startDevNode(folder, line);
  for (let i = 0; i < blocks; i++) first.clock.advance(3000);
  await first.node.stop();
  const second = await startDevNode(folder, { ...line, 'monitor-endpoint': '127.0.0.1:0' }, first.clock);
  const indexed = `trustnode_follower_block{follower="transaction_index"} ${second.node.chain.queries.head.number}\n`;
  await eventually('the index has all blocks', async () =>
    (await (await fetch(`http://${second.node.endpoints.monitor}/metrics`)).text()).includes(indexed),
  );
  return second;
}
