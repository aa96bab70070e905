import t from 'tap';
import { BUG_ERRORS } from '../../src/chain/bugs.js';
import { SKIP } from '../../src/operations/define.js';
import type { Operation } from '../../src/protocol/operation-slot.js';
import { startDevNode } from '../support/dev-node.js';
import { refused } from '../support/refused.js';

/** Nothing that comes over the wire looks like this: a bug that no check foresees. */
const HALF = [0, { fee: { amount: 0n, asset_id: 1 }, from: 6, to: 7 }] as unknown as Operation;
const UNCHECKED =
  SKIP.witnessSignature | SKIP.transactionSignatures | SKIP.merkleCheck | SKIP.witnessScheduleCheck | SKIP.taposCheck;
const ERRORS = [
  'a transaction has met a bug of this node and is refused; please report it',
  'what clients and indexes are told has met a bug of this node; please report it',
  'a block has met a bug of this node and is refused; please report it',
  'block production is off until this node is started again',
];

t.test('a node that meets its own bugs stays up, says so, and stops making blocks where it must', async (t) => {
  const dev = await startDevNode(t.testdir(), { 'monitor-endpoint': '127.0.0.1:0' });
  t.teardown(() => dev.node.stop());
  const get = (path: string) => fetch(`http://${dev.node.endpoints.monitor}${path}`);
  const { chain } = dev.node;
  const errors = () => dev.log.entries.filter(({ level }) => level === 'error');
  dev.clock.advance(9_000);

  const transaction = {
    ref_block_num: 0,
    ref_block_prefix: 0,
    expiration: chain.queries.state.headTime + 30,
    operations: [HALF],
    extensions: [],
    signatures: [],
  };
  const given = { transaction, id: 'ab'.repeat(20), packedBytes: 100 };
  for (let i = 0; i < 2; i++) refused(t, BUG_ERRORS.transaction_met_bug, () => chain.pending.push(given, UNCHECKED));
  t.same(
    errors().map(({ text }) => text),
    ERRORS.slice(0, 1),
    'said once',
  );
  t.match(errors()[0]?.values, { transaction: given.id, error: /TypeError/ });

  const stop = chain.blocks.subscribe(({ kind }) => {
    if (kind === 'applied') throw new Error('a notice that nobody foresaw');
  });
  const before = chain.queries.head.number;
  dev.clock.advance(6_000);
  stop();
  t.ok(chain.queries.head.number > before, 'blocks are made as before');
  t.same(
    errors().map(({ text }) => text),
    ERRORS.slice(0, 2),
  );
  t.equal((await get('/readyz')).status, 200);

  const { head } = chain.queries;
  const block = {
    previous: head.id,
    timestamp: chain.queries.slotTime(1),
    witness: chain.queries.scheduledWitness(1),
    transaction_merkle_root: '00'.repeat(20),
    extensions: [],
    witness_signature: new Uint8Array(65),
    transactions: [{ ...transaction, operation_results: [] }],
  };
  refused(t, BUG_ERRORS.block_met_bug, () => chain.blocks.push({ block }, UNCHECKED));
  t.same(
    errors().map(({ text }) => text),
    ERRORS,
  );
  t.equal(chain.queries.head.id, head.id);
  const answer = await get('/readyz');
  t.equal(answer.status, 503);
  t.match(await answer.text(), /^block [0-9a-f]{40} has met a bug of this node, which makes no more blocks/);
  dev.clock.advance(9_000);
  t.equal(chain.queries.head.id, head.id, 'no block of its own any more');
  t.match(errors().at(-1)?.values, { key: 'production_halted' }, 'and the block production says why');
  const text = await (await get('/metrics')).text();
  for (const where of ['transaction', 'block', 'listener'])
    t.ok(text.includes(`\ntrustnode_chain_bugs_total{where="${where}"} 1\n`), where);
});
