import t from 'tap';
import '../../src/operations/index.js';
import { CHAIN_ERRORS, Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { FORK_ERRORS } from '../../src/chain/fork-db.js';
import { HEADER_ERRORS } from '../../src/chain/header.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import { encodeWith } from '../../src/codec/binary.js';
import { blockHeaderDigest } from '../../src/crypto/digests.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { blockHeader, type SignedBlock } from '../../src/protocol/block.js';
import { accountObject } from '../../src/state/objects/account.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { refused } from '../support/refused.js';
import { witnessKey, worldGenesis } from '../support/world-genesis.js';

/** With three witnesses a block is irreversible when all three have built on it; one alone moves nothing on. */
const genesis = worldGenesis({ witnesses: 3 });
const LONELY = 1;

function chainOf(blocks: readonly SignedBlock[]): Chain {
  // Nothing irreversible is kept longer than it must be, as in a node.
  const chain = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), saveBlocks: 1 });
  for (const block of blocks) chain.blocks.push({ block });
  return chain;
}

function keyOf(chain: Chain, witness: number) {
  const { state } = chain.queries;
  return witnessKey(state.get(accountObject, state.get(witnessObject, witness).witness_account).name);
}

function produce(chain: Chain, only?: number): SignedBlock {
  const { queries } = chain;
  let slot = 1;
  while (only !== undefined && queries.scheduledWitness(slot) !== only) slot++;
  const witness = queries.scheduledWitness(slot);
  const key = keyOf(chain, witness);
  const signer = { publicKey: key.publicKey, sign: (digest: Uint8Array) => signatureBackend().sign(digest, key) };
  return chain.blocks.produce({ when: queries.slotTime(slot), witness, signer }).block;
}

const grow = (chain: Chain, count: number, only?: number): SignedBlock[] =>
  Array.from({ length: count }, () => produce(chain, only));
const idOf = (block: SignedBlock | undefined): string => new BlockFacts(block as SignedBlock).id;
const hashOf = (chain: Chain): string => chain.snapshots.withHeadState(stateHash);

t.test('what was irreversible once stays so on a branch that knows less', (t) => {
  const main = grow(chainOf([]), 12);
  const chain = chainOf(main);
  const { irreversible } = chain.blocks.head;
  const known = (count: number): SignedBlock[] => main.slice(0, count);
  // A branch from the last irreversible block, on which one witness goes on alone.
  const lonely = grow(chainOf(known(irreversible + 1)), 12 - irreversible, LONELY);
  for (const block of lonely) chain.blocks.push({ block });
  t.equal(chain.blocks.head.id, idOf(lonely.at(-1)), 'the longer branch leads');
  const after = chain.blocks.head;
  t.ok(after.irreversible < irreversible, 'its state knows of fewer irreversible blocks');

  const [late] = grow(chainOf(known(after.irreversible)), 1, LONELY);
  refused(t, FORK_ERRORS.block_unlinkable, () => chain.blocks.push({ block: late as SignedBlock }));
  const hash = hashOf(chain);
  refused(t, CHAIN_ERRORS.pop_irreversible, () => chain.blocks.popTo(irreversible - 1));
  t.equal(hashOf(chain), hash);
  chain.blocks.popTo(irreversible);
  t.equal(chain.blocks.head.id, idOf(main[irreversible - 1]));
  t.end();
});

t.test('a bad block behind a part of its branch that has become irreversible', (t) => {
  const base = grow(chainOf([]), 9);
  const lonely = grow(chainOf(base), 5, LONELY);
  const builder = chainOf(base);
  const sound = grow(builder, 5);
  const model = produce(builder);
  const bad = { ...model, timestamp: model.timestamp + 3 };
  const key = keyOf(builder, bad.witness);
  bad.witness_signature = signatureBackend().sign(encodeWith(blockHeader, bad, blockHeaderDigest), key);

  const chain = chainOf([...base, ...lonely]);
  for (const block of sound) t.equal(chain.blocks.push({ block }).isApplied, false, 'no longer than the other');
  refused(t, HEADER_ERRORS.block_witness, () => chain.blocks.push({ block: bad }));
  t.equal(chain.blocks.head.id, idOf(sound.at(-1)), 'there is no way back from its sound part');
  t.ok(chain.blocks.head.irreversible > base.length);
  t.equal(hashOf(chain), hashOf(chainOf([...base, ...sound])));
  t.equal(chain.blocks.push({ block: model }).isApplied, true, 'and it goes on from there');
  t.end();
});
