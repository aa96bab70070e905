import type { Test } from 'tap';
import { Chain } from '../../src/chain/chain.js';
import type { GenesisSource } from '../../src/chain/genesis-source.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { testEngine } from '../support/engine.js';
import { type HistoryObject, storedHistory, ToldHistory } from '../support/history.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { core, worldTest } from '../support/world.js';

/**
 * What the chain itself executes, a proposal at its expiry, has as its place in a transaction the number of operations
 * of the last transaction, however long ago that was.
 */
const WORLD = { witnesses: 21, accounts: { alice: 1000n, bob: 1000n, carol: 0n } };

const places = (history: Iterable<HistoryObject>): string[] =>
  [...history].map((one) => `${one.block_num}.${one.trx_in_block}.${one.op_in_trx}.${one.virtual_op}`);

async function sameWhenRestarted(t: Test, genesis: GenesisSource, blocks: readonly SignedBlock[], wanted: string[]) {
  for (let stop = 1; stop < blocks.length; stop++) {
    const disk = new MemoryDisk(genesis);
    const first = await disk.open({ saveBlocks: 1 });
    for (const block of blocks.slice(0, stop)) first.chain.blocks.push({ block });
    await first.close();
    const second = await disk.open({ saveBlocks: 1 });
    for (const block of blocks.slice(stop)) second.chain.blocks.push({ block });
    t.same(places(storedHistory(second.storage)), wanted, `stopped behind block ${stop}`);
    await second.close();
  }
}

worldTest('an operation at the expiry of its proposal carries on from the last transaction', WORLD, async (t, w) => {
  const told = new ToldHistory(w.chain.blocks);
  const transfer = (from: string) => w.operation('transfer', { from, to: 'carol', amount: core(1) });
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'carol',
    expiration_time: w.now + 60,
    review_period_seconds: 50,
    proposed_ops: [{ op: transfer('alice') }],
  });
  const approval = { fee_paying_account: 'carol', proposal, active_approvals_to_add: ['alice'] };
  w.push('proposal_update', approval);
  w.block();
  w.pushAll([transfer('bob'), transfer('bob'), transfer('bob')]);
  const { number } = w.block();
  w.blocks(3);
  const expiry = w.advance(60).number;
  const [last] = places(told.objects()).slice(-1);
  t.equal(last, `${expiry}.0.3.1`, 'three operations were in the last transaction');

  const blocks = Array.from({ length: expiry }, (_, i) => w.chain.queries.blockByNumber(i + 1) as SignedBlock);
  const store = new MemoryBlockStore();
  const other = new Chain({ genesis: w.genesis, engine: testEngine(), blocks: store });
  const heard = new ToldHistory(other.blocks);
  for (const block of blocks) other.blocks.push({ block });
  t.equal(places(heard.objects()).at(-1), last);
  other.blocks.popTo(number - 1);
  t.equal(store.carriedIndex, 1, 'without the block of the three operations it is the one before');
  for (const block of blocks.slice(number - 1)) other.blocks.push({ block });
  t.equal(places(heard.objects()).at(-1), last, 'taken back and applied again');

  const stored = await new MemoryDisk(w.genesis).open();
  for (const block of blocks) stored.chain.blocks.push({ block });
  const wanted = places(storedHistory(stored.storage));
  t.equal(wanted.at(-1), last);
  await sameWhenRestarted(t, w.genesis, blocks, wanted);
});
