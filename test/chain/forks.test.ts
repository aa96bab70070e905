import fc from 'fast-check';
import t from 'tap';
import { ChainError, check } from '../../src/base/errors.js';
import { LIMITS } from '../../src/base/limits.js';
import { Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { PRODUCE_ERRORS } from '../../src/chain/produce.js';
import { encodeWith } from '../../src/codec/binary.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import '../../src/operations/index.js';
import { blockHeader, type SignedBlock } from '../../src/protocol/block.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import type { ChainState } from '../../src/state/chain-state.js';
import { stateHash } from '../../src/state/state-hash.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { operationOf, signedTransactionOf } from '../sim/transactions.js';
import { claimTransactions, USERS } from '../sim/workload.js';
import { testEngine } from '../support/engine.js';
import { refused } from '../support/refused.js';
import { core } from '../support/world.js';
import { accountKey, witnessKey, worldGenesis } from '../support/world-genesis.js';

/**
 * Forks with transactions: what waits and what is in blocks compete for the same few coins, so that a change of branch
 * makes some transactions impossible and brings others back. A naive model applies the winning branch to a new chain.
 */

/** So many that nothing becomes irreversible and every branch may win. */
const WITNESSES = 27;
const FUNDS = 100n;
const DEPTH_MAX = 14;
const genesis = worldGenesis({
  witnesses: WITNESSES,
  accounts: Object.fromEntries(USERS.map((name) => [name, FUNDS])),
});
const openChain = (): Chain =>
  new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), saveBlocks: 1_000_000 });

const keyOf = (witness: number) => witnessKey(`init${witness - 1}`);

function produce(chain: Chain, missed: number): BlockFacts {
  const witness = chain.queries.scheduledWitness(missed + 1);
  const key = keyOf(witness);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  return chain.blocks.produce({ when: chain.queries.slotTime(missed + 1), witness, signer });
}

/** True when it was taken. */
function offer(chain: Chain, transaction: SignedTransaction): boolean {
  try {
    chain.pending.push({ transaction });
    return true;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    return false;
  }
}

interface Planned {
  readonly facts: BlockFacts;
  readonly parent: Planned | undefined;
  readonly depth: number;
}

const pathTo = (one: Planned | undefined): Planned[] => (one === undefined ? [] : [...pathTo(one.parent), one]);
const transactionsOf = (path: readonly Planned[]): SignedTransaction[] =>
  path.flatMap(({ facts }) => facts.block.transactions);

class Workshop {
  readonly #chain = openChain();
  readonly root: Planned;
  #made = 0;

  constructor() {
    for (const claim of claimTransactions(this.#chain.queries)) offer(this.#chain, claim);
    this.root = { facts: produce(this.#chain, 0), parent: undefined, depth: 1 };
  }

  /** Refers to the first block, which all branches share. */
  transfer(from: number, to: number, amount: number): SignedTransaction {
    const { queries } = this.#chain;
    const [payer, payee] = [USERS[from] as string, USERS[to] as string];
    return signedTransactionOf(queries, {
      operations: [operationOf(queries.state, 'transfer', { from: payer, to: payee, amount: core(amount) })],
      keys: [accountKey(payer)],
      // Different for each, so that equal ones are no duplicates.
      expiration: this.root.facts.block.timestamp + 1000 + this.#made++,
      reference: this.root.facts.id,
    });
  }

  /** A block on any parent, with those of the transactions that are possible there. */
  build(parent: Planned, missed: number, transactions: readonly SignedTransaction[]): Planned {
    const path = pathTo(parent);
    const chain = this.#chain;
    chain.pending.clear();
    let shared = 0;
    while (shared < path.length && chain.queries.blockIdOf(shared + 1) === path[shared]?.facts.id) shared++;
    chain.blocks.popTo(shared);
    for (const { facts } of path.slice(shared)) chain.blocks.push({ block: facts.block });
    chain.pending.clear();
    for (const transaction of transactions) offer(chain, transaction);
    return { facts: produce(chain, missed), parent, depth: parent.depth + 1 };
  }
}

/** What should happen, told in the simplest way. */
class Model {
  head: Planned;
  chain: Chain;

  constructor(root: Planned) {
    this.head = root;
    this.chain = openChain();
    this.chain.blocks.push({ block: root.facts.block });
  }

  push(one: Planned): void {
    if (one.depth <= this.head.depth) return;
    const [before, after] = [pathTo(this.head), pathTo(one)];
    let shared = 0;
    while (before[shared] === after[shared] && shared < before.length) shared++;
    const waiting = [...transactionsOf(before.slice(shared)), ...this.chain.pending.transactions];
    this.head = one;
    this.chain = openChain();
    for (const { facts } of after) this.chain.blocks.push({ block: facts.block });
    for (const transaction of waiting) offer(this.chain, transaction);
  }
}

/** Pending transactions and their effects. */
function compare(chain: Chain, model: Model): void {
  const [ids, wanted] = [chain.pending.ids, model.chain.pending.ids];
  if (chain.blocks.head.id !== model.head.facts.id) throw new Error('another head than the model');
  if (ids.join() !== wanted.join()) throw new Error(`pending ${ids.join()}, the model has ${wanted.join()}`);
}

const transferOf = fc.tuple(fc.nat(USERS.length - 1), fc.nat(USERS.length - 1), fc.integer({ min: 1, max: 70 }));
const stepOf = fc.oneof(
  fc.record({
    kind: fc.constant('block' as const),
    back: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 5 })),
    missed: fc.nat(2),
    transfers: fc.array(transferOf, { maxLength: 3 }),
    /** Also takes transactions that were made before, so that branches share some. */
    again: fc.nat(3),
  }),
  fc.record({ kind: fc.constant('transaction' as const), transfer: transferOf }),
);

t.test('what waits after forks is what waits on a new chain with the winning branch', async (t) => {
  let switches = 0;
  let returned = 0;
  const workshop = new Workshop();
  fc.assert(
    fc.property(fc.array(stepOf, { minLength: 8, maxLength: 24 }), (steps) => {
      const chain = openChain();
      chain.blocks.push({ block: workshop.root.facts.block });
      const model = new Model(workshop.root);
      const tree: Planned[] = [workshop.root];
      const made: SignedTransaction[] = [];
      for (const step of steps) {
        if (step.kind === 'transaction') {
          const transaction = workshop.transfer(...step.transfer);
          made.push(transaction);
          if (offer(chain, transaction) !== offer(model.chain, transaction))
            throw new Error('one took it, one did not');
          continue;
        }
        const parent = tree[Math.max(0, tree.length - step.back)] as Planned;
        if (parent.depth >= DEPTH_MAX) continue;
        const fresh = step.transfers.map((transfer) => workshop.transfer(...transfer));
        const one = workshop.build(parent, step.missed, [...made.slice(made.length - step.again), ...fresh]);
        tree.push(one);
        made.push(...fresh);
        const waiting = chain.pending.ids.length;
        if (chain.blocks.push({ block: one.facts.block }).hasSwitched) switches++;
        model.push(one);
        if (chain.pending.ids.length > waiting) returned++;
        compare(chain, model);
      }
      // With the effects of what waits, and without.
      if (stateHash(chain.queries.state as ChainState) !== stateHash(model.chain.queries.state as ChainState)) {
        throw new Error('the states with pending transactions differ');
      }
      if (chain.snapshots.withHeadState(stateHash) !== model.chain.snapshots.withHeadState(stateHash)) {
        throw new Error('the states differ');
      }
      for (const [i, { facts }] of pathTo(model.head).entries()) {
        if (chain.queries.blockIdOf(i + 1) !== facts.id) throw new Error('the block store holds another branch');
      }
    }),
    { numRuns: 12, seed: 20190317 },
  );
  t.ok(switches > 5, `${switches} switches`);
  t.ok(returned > 3, `${returned} times transactions came back`);
});

t.test('a longer branch with a bad block is left again, and everything is as before', async (t) => {
  const workshop = new Workshop();
  const chain = openChain();
  const take = (one: Planned) => chain.blocks.push({ block: one.facts.block });
  take(workshop.root);
  const [inOld, inNew, waiting] = [
    workshop.transfer(0, 1, 60),
    workshop.transfer(0, 2, 50),
    workshop.transfer(3, 4, 7),
  ];
  const old = workshop.build(workshop.root, 0, [inOld]);
  const oldHead = workshop.build(old, 0, []);
  take(old);
  take(oldHead);
  offer(chain, waiting);
  const [hash, withPending] = [chain.snapshots.withHeadState(stateHash), stateHash(chain.queries.state as ChainState)];

  // Another branch spends what the old one has spent; its second block is signed by a stranger.
  const first = workshop.build(workshop.root, 1, [inNew, workshop.transfer(5, 6, 1)]);
  const second = workshop.build(first, 0, []);
  const forged: SignedBlock = { ...second.facts.block };
  forged.witness_signature = signatureBackend().sign(
    encodeWith(blockHeader, forged, blockHeaderDigest),
    accountKey('stranger'),
  );
  const bad = new BlockFacts(forged);
  const third: SignedBlock = { ...workshop.build(second, 0, []).facts.block, previous: bad.id };
  t.same(take(first), { isApplied: false, hasSwitched: false });
  t.same(chain.blocks.push({ block: forged }), { isApplied: false, hasSwitched: false });
  refused(t, HEADER_ERRORS.block_signature, () => chain.blocks.push({ block: third }));
  t.equal(chain.blocks.head.id, oldHead.facts.id);
  t.equal(chain.queries.blockIdOf(2), old.facts.id, 'the block store as well');
  t.equal(chain.queries.isKnownBlock(bad.id), false, 'the bad block is forgotten');
  t.equal(chain.queries.isKnownBlock(new BlockFacts(third).id), false, 'and what builds on it');
  t.equal(chain.queries.isKnownBlock(first.facts.id), true, 'the good one before it is not');
  t.equal(chain.snapshots.withHeadState(stateHash), hash);
  // The good block's transactions were applied for a moment and wait now, as far as the old branch leaves room.
  const [fromNew, own] = chain.pending.transactions;
  t.equal(chain.pending.ids.length, 2);
  t.same(fromNew?.operations, first.facts.block.transactions[1]?.operations);
  t.same(own?.operations, waiting.operations);
  chain.pending.clear();
  offer(chain, waiting);
  t.equal(stateHash(chain.queries.state as ChainState), withPending);

  // The same branch without the forgery wins.
  take(second);
  t.same(take(workshop.build(second, 0, [])), { isApplied: true, hasSwitched: true });
  // 60 of 100 were spent in the old branch, 50 are in the new one: the old transaction cannot come back.
  t.same(
    chain.pending.transactions.map(({ operations }) => operations),
    [waiting.operations],
  );
});

/** A disk that refuses what it is told to: one entry for each coming write, none for those that it takes. */
class FailingDisk extends MemoryBlockStore {
  isFull = false;
  appends: boolean[] = [];
  cuts: boolean[] = [];

  override append(facts: BlockFacts): void {
    this.#check(this.appends);
    super.append(facts);
  }

  override cutAbove(number: number): void {
    this.#check(this.cuts);
    super.cutAbove(number);
  }

  #check(plan: boolean[]): void {
    const fails = plan.shift() ?? this.isFull;
    check(!fails, STORAGE_ERRORS.storage_disk_full, { path: 'blocks', reason: 'ENOSPC' });
  }
}

/** A chain on a disk that may fail, with a branch of two blocks under its feet and three blocks of a longer one. */
function aboutToSwitch() {
  const workshop = new Workshop();
  const disk = new FailingDisk();
  const chain = new Chain({ genesis, engine: testEngine(), blocks: disk, saveBlocks: 1_000_000 });
  const take = (one: Planned) => chain.blocks.push({ block: one.facts.block });
  const { root } = workshop;
  const old = workshop.build(root, 0, [workshop.transfer(0, 1, 60)]);
  const oldHead = workshop.build(old, 0, []);
  const first = workshop.build(root, 1, [workshop.transfer(2, 3, 5)]);
  const second = workshop.build(first, 0, []);
  const third = workshop.build(second, 0, []);
  for (const one of [root, old, oldHead, first, second]) take(one);
  offer(chain, workshop.transfer(4, 5, 7));
  return { workshop, disk, chain, take, old, oldHead, first, second, third };
}

const isKnown = (chain: Chain, ...ones: Planned[]): boolean =>
  ones.every(({ facts }) => chain.queries.isKnownBlock(facts.id));

function hashOnNewChain(head: Planned): string {
  const fresh = openChain();
  for (const { facts } of pathTo(head)) fresh.blocks.push({ block: facts.block });
  return fresh.snapshots.withHeadState(stateHash);
}

t.test('a disk that is full in the middle of a change of branch loses nothing', async (t) => {
  const { workshop, disk, chain, take, oldHead, first, second, third } = aboutToSwitch();
  disk.isFull = true;
  disk.cuts = [false, false];
  // Neither the new branch nor the old one can be written: the chain stands where both begin.
  refused(t, STORAGE_ERRORS.storage_disk_full, () => take(third));
  t.equal(chain.blocks.head.id, workshop.root.facts.id);
  t.equal(disk.headNumber, 1);
  t.ok(isKnown(chain, oldHead, first, second, third), 'all blocks are known as before');
  refused(t, PRODUCE_ERRORS.produce_ahead, () => produce(chain, 0));
  disk.isFull = false;
  // Whatever comes next, the longer branch is taken up; nobody has to send it again.
  const next = workshop.build(oldHead, 0, []);
  t.same(take(next), { isApplied: false, hasSwitched: false });
  t.equal(chain.blocks.head.id, third.facts.id);
  t.equal(chain.snapshots.withHeadState(stateHash), hashOnNewChain(third));
  const last = workshop.build(next, 0, []);
  t.same(take(last), { isApplied: true, hasSwitched: true }, 'and the old one can win again');
  t.equal(chain.snapshots.withHeadState(stateHash), hashOnNewChain(last));
});

t.test(
  'one refused write in the middle of a change of branch: the old branch stands, the new one stays known',
  async (t) => {
    const plans: [string, Partial<Pick<FailingDisk, 'appends' | 'cuts'>>][] = [
      ['the first block of the new branch', { appends: [true] }],
      ['its second block', { appends: [false, true] }],
      ['its third block', { appends: [false, false, true] }],
      ['a cut on the way back', { cuts: [false, true] }],
    ];
    for (const [what, plan] of plans) {
      const { disk, chain, take, oldHead, first, second, third } = aboutToSwitch();
      const before = [chain.snapshots.withHeadState(stateHash), stateHash(chain.queries.state as ChainState)];
      const { ids } = chain.pending;
      Object.assign(disk, plan);
      refused(t, STORAGE_ERRORS.storage_disk_full, () => take(third), what);
      t.equal(chain.blocks.head.id, oldHead.facts.id, `${what}: the old branch is taken up again`);
      t.equal(disk.idOf(3), oldHead.facts.id, `${what}: in the store as well`);
      t.ok(isKnown(chain, first, second, third), `${what}: the new branch is known`);
      t.ok(
        ids.every((id) => chain.pending.has(id)),
        `${what}: what waited waits`,
      );
      chain.pending.clear();
      t.equal(chain.snapshots.withHeadState(stateHash), before[0], what);
      t.same(take(third), { isApplied: true, hasSwitched: true }, `${what}: it comes again and is taken`);
      t.equal(chain.snapshots.withHeadState(stateHash), hashOnNewChain(third), what);
    }
  },
);

t.test('a refused write of the next block leaves it known; it goes in with the one after it', async (t) => {
  const { workshop, disk, chain, take, oldHead } = aboutToSwitch();
  const next = workshop.build(oldHead, 0, [workshop.transfer(1, 2, 3)]);
  const afterwards = workshop.build(next, 0, []);
  const bad = { ...afterwards, facts: new BlockFacts({ ...afterwards.facts.block, timestamp: 5 }) };
  disk.appends = [true];
  refused(t, STORAGE_ERRORS.storage_disk_full, () => take(next));
  t.equal(chain.blocks.head.id, oldHead.facts.id);
  t.ok(isKnown(chain, next));
  // The one behind it is bad: it goes, and the good one stays where it is by now.
  refused(t, HEADER_ERRORS.block_time, () => take(bad));
  t.equal(chain.blocks.head.id, next.facts.id);
  t.notOk(isKnown(chain, bad));
  disk.appends = [true];
  refused(t, STORAGE_ERRORS.storage_disk_full, () => take(afterwards));
  const last = workshop.build(afterwards, 0, []);
  disk.appends = [false, true];
  refused(t, STORAGE_ERRORS.storage_disk_full, () => take(last));
  t.equal(chain.blocks.head.id, afterwards.facts.id, 'what could be written is part of the chain');
  t.same(take(last), { isApplied: true, hasSwitched: false });
  t.equal(chain.snapshots.withHeadState(stateHash), hashOnNewChain(last));
});

t.test('a block of its own that cannot be written is forgotten: nobody else has seen it', async (t) => {
  const { disk, chain, oldHead } = aboutToSwitch();
  disk.appends = [true];
  refused(t, STORAGE_ERRORS.storage_disk_full, () => produce(chain, 0));
  t.equal(chain.blocks.head.id, oldHead.facts.id);
  t.equal(chain.pending.count, 1, 'what it held waits on');
  const made = produce(chain, 1);
  t.equal(chain.blocks.head.id, made.id);
  t.equal(made.block.transactions.length, 1);
});

t.test('however many blocks come while the disk is full, the chain goes on from where it stands', async (t) => {
  const { workshop, disk, chain, take, oldHead, second, third } = aboutToSwitch();
  disk.isFull = true;
  const path: Planned[] = [];
  const grow = (): Planned => {
    const next = workshop.build(path.at(-1) ?? oldHead, 0, []);
    path.push(next);
    return next;
  };
  // Many more than may still be undone: as many of the newest as that the fork database keeps elsewhere.
  for (let i = 0; i < LIMITS.fork_waiting_max; i++) {
    refused(t, STORAGE_ERRORS.storage_disk_full, () => take(grow()), `${i}`);
  }
  t.equal(chain.blocks.head.id, oldHead.facts.id);
  t.ok(isKnown(chain, oldHead, second, ...path));
  disk.appends = [false];
  refused(t, FORK_ERRORS.block_unlinkable, () => take(grow()), 'one too many');
  t.equal(disk.appends.length, 1, 'none of them is tried any more');
  t.ok(isKnown(chain, oldHead, second), 'what may be undone, and the branch beside it');
  for (const one of path) t.notOk(isKnown(chain, one));
  disk.isFull = false;
  t.same(take(third), { isApplied: true, hasSwitched: true }, 'that branch can win');
  for (const one of path) take(one);
  t.equal(chain.blocks.head.id, path.at(-1)?.facts.id, 'and the other one again, from its first block on');
  t.equal(chain.snapshots.withHeadState(stateHash), hashOnNewChain(path.at(-1) as Planned));
});

t.test('a first block that cannot be written is asked for again: there is none to go on from', async (t) => {
  const workshop = new Workshop();
  const disk = new FailingDisk();
  const chain = new Chain({ genesis, engine: testEngine(), blocks: disk });
  const { root } = workshop;
  const second = workshop.build(root, 0, []);
  const take = (one: Planned) => chain.blocks.push({ block: one.facts.block });
  disk.appends = [true];
  refused(t, STORAGE_ERRORS.storage_disk_full, () => take(root));
  refused(t, FORK_ERRORS.block_unlinkable, () => take(second));
  for (const one of [root, second]) t.same(take(one), { isApplied: true, hasSwitched: false });
});
