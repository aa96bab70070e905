import t from 'tap';
import { systemClock } from '../../src/node/runtime/clock.js';
import { BlockFollower, type BlockListener } from '../../src/services/chain/follower.js';
import { ChainNode } from '../../src/services/chain/node.js';
import { DatabaseFailure } from '../../src/services/common/database-errors.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { MemoryLog } from '../support/memory-log.js';

const BLOCKS = 130;
const BREAKS_AT = 120;
const ANSWER_MS = 60_000;

t.test('what is irreversible is settled on the way, so that a reader who never comes to the end gets on', async (t) => {
  const { node, clock } = await startDevNode(t.testdir());
  t.teardown(() => node.stop());
  while (node.chain.queries.head.number < BLOCKS) clock.advance(1000);
  const read: number[] = [];
  const settled: number[] = [];
  const listener: BlockListener = {
    async applied(block) {
      const number = Number.parseInt(block.block_id.slice(0, 8), 16);
      if (number === BREAKS_AT) throw new Error('killed');
      read.push(number);
    },
    async undone() {
      throw new Error('there is one branch');
    },
    async settled(number) {
      settled.push(number);
    },
  };
  const parts = { clock: systemClock, log: new MemoryLog() };
  const chain = new ChainNode(`http://${node.endpoints.plain}`, ANSWER_MS, systemClock);
  await t.rejects(new BlockFollower(chain, 1, listener, parts).poll(), { message: 'killed' });
  t.equal(read.length, BREAKS_AT - 1);
  t.same(settled, [50, 100]);

  // The next one begins where something is open, and comes no further.
  await t.rejects(new BlockFollower(chain, 101, listener, parts).poll(), { message: 'killed' });
  t.same(settled, [50, 100], 'nothing is settled before it was told');
});

t.test('where a node is that does not answer stands in the log, and not where anybody may look', async (t) => {
  const log = new MemoryLog();
  const url = `http://127.0.0.1:${await freePort()}/rpc?key=hunter2`;
  const nobody = { applied: async () => undefined, undone: async () => undefined, settled: async () => undefined };
  const chain = new ChainNode(url, ANSWER_MS, systemClock);
  const follower = new BlockFollower(chain, 1, nobody, { clock: systemClock, log });
  follower.start();
  t.teardown(() => follower.stop());
  const [entry] = await eventually('it is away', () => (log.entries.length > 0 ? log.entries : undefined));
  t.match(entry, { level: 'warn', values: { why: /127\.0\.0\.1.*hunter2/ } });
  t.equal(follower.trouble, 'the node of this service does not answer; try again later');
});

t.test('what a database says of itself stands in the log alone, too', async (t) => {
  const { node, clock } = await startDevNode(t.testdir());
  t.teardown(() => node.stop());
  clock.advance(3000);
  const chain = new ChainNode(`http://${node.endpoints.plain}`, ANSWER_MS, systemClock);
  const fails = async (): Promise<void> => {
    throw new DatabaseFailure(new Error('password authentication failed for user "hunter2"'));
  };
  const log = new MemoryLog();
  const listener = { applied: fails, undone: fails, settled: fails };
  const follower = new BlockFollower(chain, 1, listener, { clock: systemClock, log });
  follower.start();
  t.teardown(() => follower.stop());
  await eventually('it has failed', () => log.entries.length > 0);
  t.match(log.entries[0], { level: 'warn', values: { why: /hunter2/ } });
  t.equal(follower.trouble, 'the database does not answer');
});
