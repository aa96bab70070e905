import fc from 'fast-check';
import t from 'tap';
import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { encodeWith } from '../../src/codec/binary.js';
import { blockHeaderDigest, NULL_BLOCK_ID } from '../../src/crypto/digests.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { blockHeader, type SignedBlock } from '../../src/protocol/block.js';
import { accountObject } from '../../src/state/objects/account.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { witnessKey, worldGenesis } from '../support/world-genesis.js';

/** Many witnesses and short chains: nothing becomes irreversible, so that every branch may win. */
const WITNESSES = 27;
const genesis = worldGenesis({ witnesses: WITNESSES });
const openChain = (): Chain =>
  new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), saveBlocks: 1_000_000 });

/** One node of the tree. `isBad`: the block itself breaks a rule, although its header is well signed. */
interface Planned {
  readonly block: BlockFacts;
  readonly parent: Planned | undefined;
  readonly isBad: boolean;
}

const depth = (one: Planned | undefined): number => (one === undefined ? 0 : 1 + depth(one.parent));
const pathTo = (one: Planned | undefined): Planned[] => (one === undefined ? [] : [...pathTo(one.parent), one]);
const isSound = (one: Planned): boolean => pathTo(one).every(({ isBad }) => !isBad);

/** Builds blocks on any parent by moving one chain about. */
class Builder {
  readonly #chain = openChain();

  #moveTo(parent: Planned | undefined): void {
    const path = pathTo(parent);
    let shared = 0;
    while (shared < path.length && this.#chain.queries.blockIdOf(shared + 1) === path[shared]?.block.id) shared++;
    this.#chain.blocks.popTo(shared);
    for (const one of path.slice(shared)) this.#chain.blocks.push({ block: one.block.block });
  }

  /** A sound block on a sound parent. */
  build(parent: Planned | undefined, missed: number): Planned {
    this.#moveTo(parent);
    const { queries, blocks } = this.#chain;
    const witness = queries.scheduledWitness(missed + 1);
    const owner = queries.state.get(witnessObject, witness).witness_account;
    const key = witnessKey(queries.state.get(accountObject, owner).name);
    const block = blocks.produce({
      when: queries.slotTime(missed + 1),
      witness,
      signer: { publicKey: key.publicKey, sign: (digest) => signatureBackend().sign(digest, key) },
    });
    return { block, parent, isBad: false };
  }

  /** The same block with another parent or another claim, signed again by its own witness. */
  forge(model: Planned, parent: Planned | undefined, change: Partial<SignedBlock>, isBad: boolean): Planned {
    const { queries } = this.#chain;
    const owner = queries.state.get(witnessObject, model.block.block.witness).witness_account;
    const key = witnessKey(queries.state.get(accountObject, owner).name);
    const block: SignedBlock = { ...model.block.block, previous: parent?.block.id ?? NULL_BLOCK_ID, ...change };
    block.witness_signature = signatureBackend().sign(encodeWith(blockHeader, block, blockHeaderDigest), key);
    return { block: new BlockFacts(block), parent, isBad };
  }
}

/** What should happen, told in the simplest way. */
class Model {
  head: Planned | undefined;
  readonly known = new Set<Planned>();

  /** True when the block is taken, even if only as a side block. */
  push(one: Planned): boolean {
    if (one.parent !== undefined && !this.known.has(one.parent)) return false;
    this.known.add(one);
    if (depth(one) <= depth(this.head)) return true;
    const path = pathTo(one);
    if (!path.every((item) => this.known.has(item))) {
      this.known.delete(one);
      return false;
    }
    if (isSound(one)) {
      this.head = one;
      return true;
    }
    const firstBad = path.findIndex(({ isBad }) => isBad);
    for (const item of path.slice(firstBad)) this.known.delete(item);
    return false;
  }
}

interface TreeStep {
  readonly parent: number;
  readonly missed: number;
  readonly kind: number;
}

/** Grows a tree in which about every twelfth block breaks a rule; blocks on top of a bad one are forged. */
function grow(builder: Builder, steps: readonly TreeStep[]): Planned[] {
  const all: Planned[] = [];
  for (const step of steps) {
    // Mostly near the tip, so that long branches come about.
    const parent = step.parent === 0 ? undefined : all[all.length - step.parent];
    if (parent !== undefined && depth(parent) >= 14) continue;
    const sound = pathTo(parent)
      .filter((one) => isSound(one))
      .at(-1);
    const model = builder.build(sound, step.missed);
    const later = model.block.block.timestamp + 300;
    const grown =
      sound !== parent
        ? builder.forge(model, parent, { timestamp: later }, false)
        : step.kind === 0
          ? builder.forge(model, parent, { timestamp: 5 }, true)
          : model;
    if (!all.some(({ block }) => block.id === grown.block.id)) all.push(grown);
  }
  return all;
}

t.test('random trees in random order end where a naive model ends', async (t) => {
  const builder = new Builder();
  const stepOf = fc.record({
    // Mostly two branches that take turns.
    parent: fc.oneof(fc.constantFrom(1, 2, 2, 2, 3), fc.integer({ min: 0, max: 5 })),
    missed: fc.nat(3),
    kind: fc.nat(11),
  });
  let switches = 0;
  let refusals = 0;
  fc.assert(
    fc.property(
      fc.array(stepOf, { minLength: 8, maxLength: 30 }),
      fc.array(fc.nat(1000), { maxLength: 8 }),
      (steps, swaps) => {
        const tree = grow(builder, steps);
        // Some are delivered too early, and come again at the end.
        const early = swaps.map((at) => tree[at % Math.max(tree.length, 1)]).filter((one) => one !== undefined);
        const chain = openChain();
        const model = new Model();
        for (const one of [...early, ...tree, ...tree]) {
          const before = model.head;
          const expected = model.push(one);
          let taken = true;
          try {
            const result = chain.blocks.push({ block: one.block.block });
            if (result.hasSwitched) switches++;
          } catch (error) {
            if (!(error instanceof ChainError)) throw error;
            taken = false;
            refusals++;
          }
          if (taken !== expected) throw new Error(`block ${depth(one)} taken ${taken}, expected ${expected}`);
          const head = chain.blocks.head.id;
          const wanted = model.head?.block.id ?? NULL_BLOCK_ID;
          if (head !== wanted) throw new Error(`head ${head}, expected ${wanted}, before ${before?.block.id}`);
        }
        const fresh = openChain();
        for (const one of pathTo(model.head)) fresh.blocks.push({ block: one.block.block });
        const hash = chain.snapshots.withHeadState(stateHash);
        if (hash !== fresh.snapshots.withHeadState(stateHash)) throw new Error('the states differ');
        for (const [i, one] of pathTo(model.head).entries()) {
          if (chain.queries.blockIdOf(i + 1) !== one.block.id) throw new Error('the block store holds another branch');
        }
      },
    ),
    { numRuns: 20, seed: 20181105, endOnFailure: true },
  );
  t.ok(switches > 5, `${switches} switches`);
  t.ok(refusals > 5, `${refusals} refusals`);
});
