import t from 'tap';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { blockNumFromId } from '../../src/crypto/digests.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { testEngine } from '../support/engine.js';
import { nextBlock } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { TestWorld } from '../support/world.js';

t.test('transactions of the first block refer to nothing and may have expired, those of the second not', async (t) => {
  const w = new TestWorld({ accounts: { alice: 0n, bob: 0n } });
  // Nobody has claimed anything yet.
  const free = w.operation('account_whitelist', {
    authorizing_account: 'alice',
    account_to_list: 'bob',
    new_listing: 1,
  });
  const { previous, timestamp, witness } = w.chain.queries.blockByNumber(1) as SignedBlock;
  const blockWith = (change: Partial<SignedBlock>, ...signed: readonly ReturnType<TestWorld['sign']>[]): SignedBlock =>
    nextBlock(w, { ...change, transactions: signed.map((one) => ({ ...one, operation_results: [[0, {}]] })) });
  const chain = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  const change = { ref_block_num: 7, ref_block_prefix: 7, expiration: 7 };
  const old = w.signChanged([free], change);
  chain.blocks.push({ block: blockWith({ previous, timestamp, witness }, old) });
  t.equal(chain.queries.head.number, 1);
  const second = blockWith({ previous: chain.blocks.head.id }, w.signChanged([free], change));
  refused(t, TRANSACTION_ERRORS.transaction_reference, () => chain.blocks.push({ block: second }));
});

t.test('a block that says to be the first and follows another than none is no block of any chain', async (t) => {
  const w = new TestWorld();
  const first = w.chain.queries.blockByNumber(1) as SignedBlock;
  const { timestamp, witness } = first;
  const chain = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  const beside = nextBlock(w, { previous: `00000000${'11'.repeat(16)}`, timestamp, witness });
  const { id } = new BlockFacts(beside);
  t.equal(blockNumFromId(id), 1);
  const nobodys = { ...beside, witness_signature: new Uint8Array(65) };
  for (const block of [nobodys, beside, beside]) {
    refused(t, FORK_ERRORS.block_unlinkable, () => chain.blocks.push({ block }));
    t.equal(chain.queries.isKnownBlock(id), false);
  }
  const onTop = nextBlock(w, { previous: id });
  refused(t, FORK_ERRORS.block_unlinkable, () => chain.blocks.push({ block: onTop }));
  t.same(chain.blocks.push({ block: first }), { isApplied: true, hasSwitched: false }, 'the true one is taken');
  t.equal(chain.blocks.head.id, w.chain.blocks.head.id);
  for (const block of [beside, onTop]) {
    refused(t, FORK_ERRORS.block_unlinkable, () => chain.blocks.push({ block }));
  }
});
