import { check, InvariantError, StateLostError } from '../../src/base/errors.js';
import { BUG_ERRORS, type Bug } from '../../src/chain/bugs.js';
import { Chain } from '../../src/chain/chain.js';
import type { BlockFacts } from '../../src/chain/facts.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import type { ContractEngine } from '../../src/operations/contract/engine.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { accountObject } from '../../src/state/objects/account.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { stateHash } from '../../src/state/state-hash.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { testEngine } from '../support/engine.js';
import { CONTRACT_WORLD } from '../support/example-contracts.js';
import { refused } from '../support/refused.js';
import { vectorContract } from '../support/vector-contracts.js';
import { core, type TestWorld, worldTest } from '../support/world.js';
import { witnessKey } from '../support/world-genesis.js';

/** Errors of ours that no refusal foresees, put where a deployment of a contract meets them. */

const BROKEN = new InvariantError('invariant broken: for this test');

interface Broken {
  readonly chain: Chain;
  readonly bugs: Bug[];
}

/** A node with the world's blocks, on which contracts can not be deployed without meeting `error`. */
function brokenCopy(w: TestWorld, error: () => void, last = w.chain.blocks.head.number): Broken {
  const bugs: Bug[] = [];
  const engine = testEngine();
  const broken: ContractEngine = {
    validate: error,
    begin: (...given) => engine.begin(...given),
  };
  const chain = new Chain({
    genesis: w.genesis,
    engine: broken,
    blocks: new MemoryBlockStore(),
    saveBlocks: Number.MAX_SAFE_INTEGER,
    onBug: (bug) => bugs.push(bug),
  });
  for (let number = 1; number <= last; number++) {
    chain.blocks.push({ block: w.chain.queries.blockByNumber(number) as SignedBlock });
  }
  return { chain, bugs };
}

const throwBroken = (): never => {
  throw BROKEN;
};

const hashOf = (chain: Chain): string => chain.snapshots.withHeadState(stateHash);

function produce(chain: Chain, missed = 0): BlockFacts {
  const { queries } = chain;
  const witness = queries.scheduledWitness(missed + 1);
  const { witness_account } = queries.state.get(witnessObject, witness);
  const key: PrivateKey = witnessKey(queries.state.get(accountObject, witness_account).name);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  return chain.blocks.produce({ when: queries.slotTime(missed + 1), witness, signer });
}

const deploy = (w: TestWorld, name = 'hello-one') =>
  w.operation('contract_deploy', { name, account: 'alice', vm_type: '0', vm_version: '0', ...vectorContract('hello') });
const pay = (w: TestWorld) => w.sign([w.operation('transfer', { from: 'alice', to: 'bob', amount: core(1) })]);

worldTest('a pending transaction that meets a bug is refused, and the node goes on', CONTRACT_WORLD, (t, w) => {
  w.block();
  const { chain, bugs } = brokenCopy(w, throwBroken);
  chain.pending.push({ transaction: pay(w) });
  const hash = stateHash(chain.queries.state as never);
  const transaction = w.sign([w.operation('transfer', { from: 'alice', to: 'bob', amount: core(7) }), deploy(w)]);
  for (let i = 0; i < 2; i++) refused(t, BUG_ERRORS.transaction_met_bug, () => chain.pending.push({ transaction }));
  refused(t, BUG_ERRORS.transaction_met_bug, () => chain.pending.dryRun({ transaction }));
  t.equal(stateHash(chain.queries.state as never), hash, 'nothing of it stays');
  t.match(bugs, [{ where: 'transaction', id: /^[0-9a-f]{40}$/, error: BROKEN, isHalting: false }], 'told once');
  t.equal(bugs.length, 1);
  chain.pending.push({ transaction: pay(w) });
  t.equal(produce(chain).transactions.length, 2);
  t.equal(chain.blocks.haltingBug, undefined);
});

worldTest('a full stack may strike in the middle of anything: no more blocks then', CONTRACT_WORLD, (t, w) => {
  w.block();
  const endless = (): never => endless();
  const { chain, bugs } = brokenCopy(w, endless);
  const hash = hashOf(chain);
  refused(t, BUG_ERRORS.transaction_met_bug, () => chain.pending.push({ transaction: w.sign([deploy(w)]) }));
  t.match(bugs, [{ where: 'transaction', isHalting: true }]);
  refused(t, BUG_ERRORS.production_halted, () => produce(chain));
  t.equal(hashOf(chain), hash);
  const block = w.block();
  chain.blocks.push({ block: block.block });
  t.equal(chain.blocks.head.id, block.id, 'blocks of others are still taken');
});

worldTest(
  'a block that meets a bug is refused by name, the state stays, no more blocks are made',
  CONTRACT_WORLD,
  (t, w) => {
    w.block();
    const { chain, bugs } = brokenCopy(w, throwBroken);
    chain.pending.push({ transaction: pay(w) });
    const [hash, head] = [hashOf(chain), chain.blocks.head];
    w.push('transfer', { from: 'alice', to: 'bob', amount: core(3) });
    w.pushAll([deploy(w)]);
    const bad = w.block();
    const data = { number: bad.number, id: bad.id };
    refused(t, BUG_ERRORS.block_met_bug, () => chain.blocks.push({ block: bad.block }), { data });
    t.equal(hashOf(chain), hash);
    t.same(chain.blocks.head, head);
    t.equal(chain.queries.isKnownBlock(bad.id), false);
    t.match(bugs, [{ where: 'block', id: bad.id, error: BROKEN, isHalting: true }]);
    t.match(chain.blocks.haltingBug, { id: bad.id });
    t.equal(chain.pending.count, 1, 'what waited waits on');
    refused(t, BUG_ERRORS.production_halted, () => produce(chain));
    refused(t, BUG_ERRORS.block_met_bug, () => chain.blocks.push({ block: bad.block }));
    t.equal(bugs.length, 1, 'told once');

    // The others go on without that block.
    const { chain: others } = brokenCopy(w, throwBroken, bad.number - 1);
    const other = produce(others, 1);
    chain.blocks.push({ block: other.block });
    t.equal(chain.blocks.head.id, other.id, 'another block in its place is taken');
    refused(t, BUG_ERRORS.production_halted, () => produce(chain), 'until the node is started again');
    t.ok(produce(brokenCopy(w, throwBroken, bad.number - 1).chain), 'which is an operator who has looked at it');
  },
);

worldTest('a proposal that meets a bug at its expiration', CONTRACT_WORLD, (t, w) => {
  const given = { fee_paying_account: 'alice', expiration_time: w.now + 20, review_period_seconds: 10 };
  const proposal = w.create('proposal_create', { ...given, proposed_ops: [{ op: deploy(w) }] });
  w.push('proposal_update', { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['alice'] });
  w.block();
  const { chain, bugs } = brokenCopy(w, throwBroken);
  for (let i = 0; i < 5; i++) produce(chain);
  chain.pending.push({ transaction: w.sign([w.operation('transfer', { from: 'bob', to: 'alice', amount: core(1) })]) });
  const hash = hashOf(chain);
  for (let i = 0; i < 9 && chain.blocks.haltingBug === undefined; i++) {
    try {
      produce(chain);
    } catch (error) {
      t.match(error, { key: 'block_met_bug' });
    }
  }
  t.match(bugs, [{ where: 'block', error: BROKEN }], 'its own block is refused as one of others would be');
  t.not(hashOf(chain), hash, 'blocks before it were made');
  t.ok(chain.queries.state.find(proposalObject, proposal), 'the proposal is as it was');
  refused(t, BUG_ERRORS.production_halted, () => produce(chain));
});

worldTest('a disk that cannot be read does not decide that a proposal has failed', CONTRACT_WORLD, (t, w) => {
  const given = { fee_paying_account: 'alice', expiration_time: w.now + 60 };
  const proposal = w.create('proposal_create', { ...given, proposed_ops: [{ op: deploy(w) }] });
  w.block();
  const update = { fee_paying_account: 'bob', proposal, active_approvals_to_add: ['alice'] };
  const transaction = w.sign([w.operation('proposal_update', update)]);
  let isBroken = true;
  const unreadable = () => check(!isBroken, STORAGE_ERRORS.storage_io, { path: 'blocks', reason: 'EIO' });
  const { chain, bugs } = brokenCopy(w, unreadable);
  refused(t, STORAGE_ERRORS.storage_io, () => chain.pending.push({ transaction }));
  t.equal(chain.pending.count, 0);
  isBroken = false;
  chain.pending.push({ transaction });
  t.equal(chain.queries.state.find(proposalObject, proposal), undefined, 'with the disk back the proposal runs');
  t.same(bugs, []);
});

worldTest('a branch whose second block meets a bug is left for the old one', CONTRACT_WORLD, (t, w) => {
  w.block();
  const { chain, bugs } = brokenCopy(w, throwBroken);
  const own = produce(chain, 1);
  const hash = hashOf(chain);
  const first = w.block();
  w.pushAll([deploy(w)]);
  const bad = w.block();
  t.equal(chain.blocks.push({ block: first.block }).isApplied, false);
  refused(t, BUG_ERRORS.block_met_bug, () => chain.blocks.push({ block: bad.block }));
  t.equal(chain.blocks.head.id, own.id);
  t.equal(hashOf(chain), hash);
  t.match(bugs, [{ where: 'block', id: bad.id, isHalting: true }]);
});

worldTest('a lost state is no refusal', CONTRACT_WORLD, (t, w) => {
  w.block();
  const { chain, bugs } = brokenCopy(w, () => {
    throw new StateLostError('for this test');
  });
  t.throws(() => chain.pending.push({ transaction: w.sign([deploy(w)]) }), StateLostError);
  t.same(bugs, []);
});

worldTest('who does not want to be told of bugs gets them thrown', CONTRACT_WORLD, (t, w) => {
  w.block();
  const chain = new Chain({
    genesis: w.genesis,
    engine: { validate: throwBroken, begin: throwBroken },
    blocks: new MemoryBlockStore(),
  });
  for (let n = 1; n <= w.chain.blocks.head.number; n++) {
    chain.blocks.push({ block: w.chain.queries.blockByNumber(n) as SignedBlock });
  }
  t.throws(() => chain.pending.push({ transaction: w.sign([deploy(w)]) }), InvariantError);
  chain.pending.push({ transaction: pay(w) });
  produce(chain);
});
