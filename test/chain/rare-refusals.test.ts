import t from 'tap';
import { BLOCK_ERRORS } from '../../src/chain/apply-block.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { HEAD_ERRORS, updateHead } from '../../src/chain/head-update.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { PRODUCE_ERRORS } from '../../src/chain/produce.js';
import { SKIP } from '../../src/operations/define.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { OperationResult } from '../../src/protocol/results.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { stateHash } from '../../src/state/state-hash.js';
import { CONTRACT_WORLD, callGiven } from '../support/example-contracts.js';
import { nextBlock } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { deployVector } from '../support/vector-contracts.js';
import { TestWorld, worldTest } from '../support/world.js';

/** Refusals that a chain meets once in its life, or never. */

const hashOf = (w: TestWorld): string => w.chain.snapshots.withHeadState(stateHash);

worldTest('a block that claims more CPU time than a block may use', CONTRACT_WORLD, (t, w) => {
  deployVector(w, 'hello');
  const limit = 800_000;
  const call = () => w.sign([w.operation('contract_call', callGiven(w, 'alice', 'hello-one', 'hi', { user: 'x' }))]);
  const fee = { amount: 100n, asset_id: 1 };
  // Receipts of both kinds claim time.
  const claiming = (now: number, before: number) => {
    const results: OperationResult[] = [
      [4, { billed_cpu_time_us: now, fee, ram_receipts: [] }],
      [3, { billed_cpu_time_us: before, fee, ram_usage_bs: 0 }],
    ];
    return nextBlock(w, { transactions: results.map((result) => ({ ...call(), operation_results: [result] })) });
  };
  const hash = hashOf(w);
  const tooMuch = claiming(limit - 1, 2);
  refused(t, BLOCK_ERRORS.block_cpu_limit, () => w.chain.blocks.push({ block: tooMuch }), {
    data: { used: limit + 1, limit },
  });
  refused(
    t,
    BLOCK_ERRORS.block_cpu_limit,
    () => w.chain.blocks.push({ block: claiming(2 ** 32 - 1, 2) }),
    'no 32 bits',
  );
  t.equal(hashOf(w), hash);
  const enough = claiming(limit - 1, 1);
  w.chain.blocks.push({ block: enough });
  w.adopt([enough]);
});

worldTest('a longer branch that begins below what is irreversible', { witnesses: 1 }, (t, w) => {
  w.blocks(4);
  const { head } = w.chain.blocks;
  t.equal(head.irreversible, head.number);
  const hash = hashOf(w);
  const newest = w.chain.queries.blockByNumber(head.number) as SignedBlock;
  const { previous, witness } = newest;
  const sibling = nextBlock(w, { previous, witness, timestamp: newest.timestamp + 3 });
  t.same(w.chain.blocks.push({ block: sibling }), { isApplied: false, hasSwitched: false });
  const onTop = nextBlock(w, { previous: new BlockFacts(sibling).id, witness, timestamp: newest.timestamp + 6 });
  refused(t, FORK_ERRORS.block_below_irreversible, () => w.chain.blocks.push({ block: onTop }), {
    data: { parentNumber: head.number - 1, irreversible: head.number },
  });
  t.equal(w.chain.blocks.head.id, head.id);
  t.equal(hashOf(w), hash);
});

worldTest('a block without the fork database must stand on the head', {}, (t, w) => {
  w.block();
  const { previous } = w.chain.queries.blockByNumber(w.state.headNumber) as SignedBlock;
  const beside = nextBlock(w, { previous });
  refused(t, HEADER_ERRORS.block_previous, () => w.chain.blocks.push({ block: beside }, SKIP.forkDb));
});

worldTest('10,000 blocks that wait to become irreversible', {}, (t, w) => {
  w.block();
  const facts = new BlockFacts(
    nextBlock(w, { previous: `${(10_000).toString(16).padStart(8, '0')}${'00'.repeat(16)}` }),
  );
  t.equal(facts.number, 10_001);
  const run = (irreversible: number, skip: number) =>
    w.chain.snapshots.withHeadState((state) => {
      state.openFrame();
      try {
        state.modify(dynamicGlobalPropertyObject, state.single(dynamicGlobalPropertyObject), (o) => {
          o.last_irreversible_block_num = irreversible;
        });
        updateHead(state, facts, skip, 0);
      } finally {
        state.undoFrame();
      }
    });
  refused(t, HEAD_ERRORS.undo_history_full, () => run(1, SKIP.none));
  run(2, SKIP.none);
  run(1, SKIP.undoHistoryCheck);
});

t.test('blocks that are too small for the smallest block', async (t) => {
  const open = () => new TestWorld({ parameters: { maximum_block_size: 100 } });
  refused(t, PRODUCE_ERRORS.produce_block_size, open);
});

const VOTING = { accounts: { alice: 1_000_000n } };

worldTest('a scale of registrations by which nothing can be divided is approved in vain', VOTING, (t, w) => {
  const scale = () => w.state.single(globalPropertyObject).parameters.accounts_per_fee_scale;
  const before = scale();
  w.changeParameters({ accounts_per_fee_scale: 0 });
  t.equal(scale(), before);
  w.changeParameters({ accounts_per_fee_scale: before + 1 });
  t.equal(scale(), before + 1, 'any other comes into force');
});

worldTest('a fee schedule without account creation does not stop the chain', VOTING, (t, w) => {
  w.changeParameters({ current_fees: { parameters: [], scale: 0 } });
  w.maintenance();
  w.maintenance();
  t.same(w.state.single(globalPropertyObject).parameters.current_fees.parameters, [], 'nothing to take back');
});
