import t, { type Test } from 'tap';
import { feedLog } from '../../src/node/chain/feed-log.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { startNode } from '../../src/node/node.js';
import { NODE_PARTS, nodeParts } from '../../src/node/parts/list.js';
import { TRANSACTION_INDEX_ERRORS, transactionPort } from '../../src/node/ports/transaction-port.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { FOLLOWERS } from '../../src/plugin/api.js';
import { BlockFeed } from '../../src/plugin/feed.js';
import type { BlockPlace, FeedBlock, Follower, FollowerState } from '../../src/plugin/follower.js';
import { definePart } from '../../src/plugin/part.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { lineOf } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { MemoryLog } from '../support/memory-log.js';
import { refused } from '../support/refused.js';
import { openIndex } from '../support/transaction-index.js';

class Counter implements Follower {
  readonly name = 'counter';
  readonly reads = 'operations';
  readonly failsAt: number;
  position: BlockPlace = { number: 0, id: '' };
  operations = 0;
  isClosed = false;

  constructor(failsAt: number) {
    this.failsAt = failsAt;
  }

  apply({ number, id, operations }: FeedBlock): void {
    if (number === this.failsAt) throw new Error('nothing counts any more');
    this.operations += operations.length;
    this.position = { number, id };
  }

  undo(): void {}
  settle(): void {}
  close(): void {
    this.isClosed = true;
  }
}

/** A node of one's own whose clock the test moves, and a part that follows its chain. */
async function counting(t: Test, counter: Counter, more: Readonly<Record<string, string>> = {}) {
  const part = definePart({
    name: 'counter',
    needs: { followers: FOLLOWERS },
    plugin: { isDefault: true },
    open({ needs }) {
      const added = needs.followers.add(counter);
      return { value: undefined, close: () => added.close() };
    },
  });
  const parts = nodeParts([part]);
  const settings = loadSettings(
    lineOf({
      dev: 'true',
      'data-dir': t.testdir(),
      'rpc-endpoint': '127.0.0.1:0',
      'monitor-endpoint': '127.0.0.1:0',
      'verify-threads': '0',
      ...more,
    }),
    parts,
  );
  const clock = new FakeClock(Date.now());
  const log = new MemoryLog();
  const node = await startNode(settings, { clock, random: systemRandom, log }, undefined, parts);
  if (node === undefined) throw new Error('nobody stopped the start');
  t.teardown(() => node.stop());
  const ask = async (path: string): Promise<{ status: number; text: string }> => {
    const answer = await fetch(`http://${node.endpoints.monitor}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  return { clock, log, node, ask, parts };
}

const STOPPED = 'counter stopped at block 4: nothing counts any more\n';

t.test('a follower without which the node is not ready makes it so when it stops', async (t) => {
  const { clock, node, ask } = await counting(t, new Counter(5), { 'ready-needs-follower': 'counter' });
  clock.advance(9_000);
  t.same(await ask('/readyz'), { status: 200, text: 'ready\n' });
  clock.advance(12_000);
  t.same(await ask('/readyz'), { status: 503, text: STOPPED });
  t.equal(await node.stop(), true);
});

t.test('a plugin follows the chain; when it fails the node goes on, and says so where operators look', async (t) => {
  const counter = new Counter(5);
  const { clock, log, node, ask, parts } = await counting(t, counter);
  clock.advance(9_000);
  t.same(await ask('/readyz'), { status: 200, text: 'ready\n' });
  t.equal(counter.position.number, node.chain.queries.head.number);
  t.ok(counter.operations > 0);
  clock.advance(12_000);
  const { number } = node.chain.queries.head;
  t.ok(number >= 7, 'blocks are made');
  const { status, text } = await ask('/readyz');
  t.same({ status, text }, { status: 200, text: `ready\nwarning: ${STOPPED}` });
  const { text: metrics } = await ask('/metrics');
  t.match(metrics, 'trustnode_follower_stopped{follower="counter"} 1');
  t.match(metrics, 'trustnode_follower_block{follower="counter"} 4');
  t.match(metrics, 'trustnode_follower_stopped{follower="transaction_index"} 0');
  t.match(metrics, `trustnode_follower_block{follower="transaction_index"} ${number}`);
  t.match(
    log.entries.find(({ level }) => level === 'error'),
    { text: 'a follower of the chain stops, the node goes on', values: { follower: 'counter', block: 4 } },
  );
  t.equal(await node.stop(), true);
  t.ok(counter.isClosed);
  t.equal(NODE_PARTS.length + 1, parts.length);
});

t.test(
  'where transactions stand, while the index is at the head, a little behind, far behind, or has stopped',
  async (t) => {
    const genesis = goldenGenesis();
    const { chain, storage } = await new MemoryDisk(genesis).open({ saveBlocks: 1 });
    const blocks: SignedBlock[] = [...goldenBlocks()].slice(0, 100);
    for (const block of blocks) chain.blocks.push({ block });
    const feed = new BlockFeed(chain.blocks, feedLog(storage));
    const index = openIndex(t.testdir(), chain.chainId);
    t.teardown(() => index.close());
    let state: FollowerState = 'catching_up';
    const added = {
      get status() {
        return { name: 'transaction_index', state, position: index.position, records: 0, reason: 'no room' };
      },
    };
    const port = transactionPort({ index, feed, added });
    const idIn = (number: number): string => feed.read(number)?.transactionIds[0] as string;
    const early = 1 + blocks.findIndex(({ transactions }) => transactions.length > 0);
    const late = 1 + blocks.findLastIndex(({ transactions }) => transactions.length > 0);
    t.ok(early < 10 && late > 90);
    const nowhere = '00'.repeat(20);

    t.same(port.find(idIn(late)), { block: late, position: 0 }, 'in one of the newest blocks');
    for (const id of [idIn(early), nowhere]) {
      const data = { number: 0, head: 100, id };
      refused(t, TRANSACTION_INDEX_ERRORS.transaction_index_behind, () => port.find(id), { data });
    }
    for (let number = 1; number <= 50; number++) index.apply(feed.read(number) as FeedBlock);
    t.same(port.find(idIn(early)), { block: early, position: 0 });
    t.equal(port.find(nowhere), undefined, 'a little behind: the blocks in between are looked at');
    while (index.position.number > 20) index.undo(index.position);
    state = 'failed';
    refused(t, TRANSACTION_INDEX_ERRORS.transaction_index_stopped, () => port.find(nowhere), {
      data: { number: 20, head: 100, id: nowhere, reason: 'no room' },
    });

    // The index still has blocks of a branch that was left.
    for (let number = 21; number <= 100; number++) index.apply(feed.read(number) as FeedBlock);
    const gone = idIn(late);
    chain.blocks.popTo(late - 1);
    t.equal(port.find(nowhere), undefined);
    t.same(
      port.find(gone),
      { block: late, position: 0 },
      'whoever asks looks at the block, and finds another one there',
    );
    for (const block of blocks.slice(late - 1)) chain.blocks.push({ block });
    t.same(port.find(gone), { block: late, position: 0 });
  },
);
