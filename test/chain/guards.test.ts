import t from 'tap';
import { TRANSACTION_ERRORS } from '../../src/chain/apply-transaction.js';
import { Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { tapos } from '../../src/crypto/digests.js';
import { TRANSFER_ERRORS } from '../../src/operations/transfer/transfer-checks.js';
import { AUTHORITY_ERRORS } from '../../src/protocol/authority-check.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { parameters } from '../../src/state/rules/parameters.js';
import { testEngine } from '../support/engine.js';
import { CONTRACT_WORLD, callGiven } from '../support/example-contracts.js';
import { nextBlock } from '../support/next-block.js';
import { refused } from '../support/refused.js';
import { deployVector } from '../support/vector-contracts.js';
import { core, worldTest } from '../support/world.js';

/** Bounds whose neighbours are valid, and guards that nothing needs until somebody tries to get past them. */

/** So many that nothing becomes irreversible, nor is anybody's turn changed. */
const MANY = { accounts: { alice: 10n ** 9n, bob: 10n ** 9n }, witnesses: 27 };
const PEOPLE = { accounts: { alice: 10n ** 9n, bob: 10n ** 9n } };

worldTest('a transaction is valid up to and including the second of its expiration', PEOPLE, (t, w) => {
  const transfer = () => [w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) })];
  const push = (expiration: number) => w.chain.pending.push({ transaction: w.signChanged(transfer(), { expiration }) });
  refused(t, TRANSACTION_ERRORS.transaction_expired, () => push(w.now - 1));
  t.ok(push(w.now), 'the second itself');
  const latest = w.now + parameters(w.state).maximum_time_until_expiration;
  t.ok(push(latest), 'the farthest');
  refused(t, TRANSACTION_ERRORS.transaction_expires_too_late, () => push(latest + 1));
  // The first of them is over before the next block's time.
  w.chain.pending.clear();
});

worldTest('quirk: the latest expiration has 32 bits, and is asked for before the earliest', PEOPLE, (t, w) => {
  w.changeParameters({ maximum_time_until_expiration: 2 ** 32 - 100 });
  const transfer = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) });
  const push = (expiration: number) => w.chain.pending.push({ transaction: w.signChanged([transfer], { expiration }) });
  const { transaction_expires_too_late, transaction_expired } = TRANSACTION_ERRORS;
  refused(t, transaction_expires_too_late, () => push(w.now));
  refused(t, transaction_expires_too_late, () => push(w.now - 99), 'over and too late at once');
  refused(t, transaction_expired, () => push(w.now - 100));
});

worldTest('a transaction may refer to a number that no block has yet', PEOPLE, (t, w) => {
  const transfer = w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) });
  const push = (ref_block_prefix: number) =>
    w.chain.pending.push({ transaction: w.signChanged([transfer], { ref_block_num: 60_000, ref_block_prefix }) });
  refused(t, TRANSACTION_ERRORS.transaction_reference, () => push(1));
  t.ok(push(0));
});

worldTest('nobody takes back the approval of another', PEOPLE, (t, w) => {
  const proposal = w.create('proposal_create', {
    fee_paying_account: 'alice',
    expiration_time: w.now + 600,
    proposed_ops: [{ op: w.operation('transfer', { from: 'bob', to: 'alice', amount: core(1) }) }],
  });
  const update = (given: object) => ({ fee_paying_account: 'alice', proposal, ...given });
  const kinds = [
    ['owner_approvals', AUTHORITY_ERRORS.owner_auth_missing],
    ['active_approvals', AUTHORITY_ERRORS.active_auth_missing],
  ] as const;
  // Several keys are needed for what is proposed, so that it waits.
  for (const [kind, missing] of kinds) {
    refused(t, missing, () => w.push('proposal_update', update({ [`${kind}_to_add`]: ['bob'] }), ['alice']));
    refused(t, missing, () => w.push('proposal_update', update({ [`${kind}_to_remove`]: ['bob'] }), ['alice']));
  }
  w.block();
});

worldTest("a node's own limit of contract time is not for what others have put into blocks", CONTRACT_WORLD, (t, w) => {
  deployVector(w, 'hello');
  w.block();
  const call = w.sign([w.operation('contract_call', callGiven(w, 'alice', 'hello-one', 'hi', { user: 'x' }))]);
  // A witness that bills nothing: only then is the time measured here.
  const receipt = { billed_cpu_time_us: 0, fee: { amount: 100n, asset_id: 1 }, ram_receipts: [] };
  const block = nextBlock(w, { transactions: [{ ...call, operation_results: [[4, receipt]] }] });
  w.chain.blocks.push({ block });
  w.adopt([block]);
  const strict = new Chain({
    genesis: w.genesis,
    engine: testEngine(),
    blocks: new MemoryBlockStore(),
    contractTimeUsMax: 0,
  });
  const { head } = w.chain.blocks;
  for (let number = 1; number <= head.number; number++) {
    strict.blocks.push({ block: w.chain.queries.blockByNumber(number) as SignedBlock });
  }
  t.equal(strict.blocks.head.id, head.id);
});

worldTest('of a branch that fails, the block that broke the rules and all above it are forgotten', MANY, (t, w) => {
  w.blocks(2);
  const { head } = w.chain.blocks;
  const newest = w.chain.queries.blockByNumber(head.number) as SignedBlock;
  let parent = newest.previous;
  const onBranch = (seconds: number, transactions: SignedBlock['transactions'] = []): SignedBlock => {
    const slot = w.chain.queries.slotAt(newest.timestamp + seconds);
    const witness = w.chain.queries.scheduledWitness(slot);
    const block = nextBlock(w, { previous: parent, timestamp: newest.timestamp + seconds, witness, transactions });
    parent = new BlockFacts(block).id;
    return block;
  };
  const tooMuch = w.signChanged(
    [w.operation('transfer', { from: 'alice', to: 'bob', amount: core(10n ** 12n) })],
    tapos(newest.previous),
  );
  const good = onBranch(3);
  const goodId = parent;
  const bad = onBranch(6, [{ ...tooMuch, operation_results: [[0, {}]] }]);
  const badId = parent;
  const top = onBranch(9);
  const topId = parent;
  t.notOk(w.chain.blocks.push({ block: good }).hasSwitched);
  refused(t, TRANSFER_ERRORS.transfer_balance, () => w.chain.blocks.push({ block: bad }));
  t.equal(w.chain.blocks.head.id, head.id, 'the old branch stands');
  refused(t, FORK_ERRORS.block_unlinkable, () => w.chain.blocks.push({ block: top }), 'its parent is forgotten');
  for (const previous of [badId, topId]) {
    refused(t, FORK_ERRORS.block_unlinkable, () => w.chain.blocks.push({ block: { ...top, previous } }));
  }
  parent = goodId;
  const better = onBranch(6);
  t.ok(w.chain.blocks.push({ block: better }).hasSwitched, 'what was below it may still win');
  w.adopt([good, better]);
});
t.end();
