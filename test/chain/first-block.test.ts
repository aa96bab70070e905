import t from 'tap';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { Chain } from '../../src/chain/chain.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
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
