import t from 'tap';
import '../../src/operations/index.js';
import { ChainError, composeMessage } from '../../src/base/errors.js';
import { Chain } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { JsonObject } from '../../src/codec/json.js';
import { type SignedBlock, signedBlock } from '../../src/protocol/block.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import { wireError } from '../../src/rpc/wire-error.js';
import { testEngine } from '../support/engine.js';
import { holdsFrames, OWN_FRAMES } from '../support/frames.js';
import {
  compareHistory,
  compareStates,
  GOLDEN_HEIGHTS,
  GOLDEN_LAST,
  goldenBlocks,
  goldenGenesis,
  goldenRejected,
  goldenState,
  type RejectedCase,
  stateAsJson,
  toldOperations,
} from '../support/golden.js';
import { NETWORK } from '../support/network.js';

/**
 * The reference node's own chain: every block is applied with all checks, and what it leaves behind is compared object
 * by object and field by field. Nothing is left out but the history plugin's objects and fields.
 */

const openChain = (): Chain =>
  new Chain({
    mustRecountVotes: true,
    genesis: goldenGenesis(),
    engine: testEngine(),
    blocks: new MemoryBlockStore(),
    saveBlocks: 5,
  });

const blocks: readonly SignedBlock[] = [...goldenBlocks()];

t.test('every block is accepted, and the state is equal at every dumped height', async (t) => {
  t.equal(goldenGenesis().chainId, 'e378479b1c6e7f653794c0d632bf76d34e3be7d296bbd9aab8d5ca54a328e0d6');
  const chain = openChain();
  for (const height of GOLDEN_HEIGHTS) {
    for (const block of blocks.slice(chain.blocks.head.number, height)) chain.blocks.push({ block });
    t.equal(chain.blocks.head.number, height);
    const expected = goldenState(height);
    t.ok(expected.size > 700, 'the dump is not empty');
    const actual = chain.snapshots.withHeadState(stateAsJson);
    t.same(compareStates(expected, actual), [], `state at block ${height}`);
  }
  t.equal(chain.blocks.head.number, GOLDEN_LAST);
  t.equal(chain.blocks.head.id, '000003182a3fdf05e9b6ab45b4022c0170e1f840');
});

t.test('the operations that listeners are told of are those of the history, in its order', async (t) => {
  const chain = openChain();
  const told = toldOperations(chain);
  for (const block of blocks) chain.blocks.push({ block });
  t.equal(told.length, 1837);
  t.same(compareHistory(goldenState(792), told), []);
});

t.test('the comparison sees a difference in one field, a missing and a superfluous object', async (t) => {
  const chain = openChain();
  for (const block of blocks.slice(0, 60)) chain.blocks.push({ block });
  const actual = chain.snapshots.withHeadState(stateAsJson);
  const expected = goldenState(60);
  expected.delete('1.2.7');
  actual.delete('1.2.8');
  expected.set('2.5.0', { ...expected.get('2.5.0'), balance: 1 });
  const found = compareStates(expected, actual).map(({ id, field }) => `${id} ${field}`);
  t.same(found.sort(), ['1.2.7 ', '1.2.8 ', '2.5.0 balance']);
  t.same(compareHistory(goldenState(60), []).length > 1, true, 'and operations that nobody was told of');
});

t.test('all blocks undone and applied again give the same states', async (t) => {
  const chain = openChain();
  for (const block of blocks.slice(0, 288)) chain.blocks.push({ block });
  const before = chain.snapshots.withHeadState(stateAsJson);
  const { irreversible } = chain.blocks.head;
  chain.blocks.popTo(irreversible);
  t.equal(chain.blocks.head.number, irreversible);
  t.equal(chain.pending.transactions.length, 0);
  for (const block of blocks.slice(irreversible, 288)) chain.blocks.push({ block });
  t.same(compareStates(before, chain.snapshots.withHeadState(stateAsJson)), []);
});

/** Offers what the reference node refused, on top of what it held at that moment. */
function offer(chain: Chain, refused: RejectedCase, byId: ReadonlyMap<string, SignedTransaction>): unknown {
  chain.pending.clear();
  for (const id of refused.pending ?? []) {
    const transaction = byId.get(id);
    if (transaction === undefined) return new Error(`pending transaction ${id} is in no block`);
    chain.pending.push({ transaction: { ...transaction, operation_results: [] } as SignedTransaction });
  }
  try {
    if (refused.block !== undefined) chain.blocks.push({ block: signedBlock.fromJson(refused.block, NETWORK) });
    else chain.pending.push({ transaction: signedTransaction.fromJson(refused.transaction ?? null, NETWORK) });
  } catch (error) {
    return error;
  }
  return undefined;
}

t.test('what the reference node refused is refused with its name and its words', async (t) => {
  const chain = openChain();
  const byId = new Map<string, SignedTransaction>();
  for (const block of blocks) {
    for (const one of new BlockFacts(block).transactions) byId.set(one.id, one.transaction);
  }
  let count = 0;
  const ownFrames = new Set<string>();
  for (const refused of goldenRejected()) {
    for (const block of blocks.slice(chain.blocks.head.number, refused.head_block_number)) chain.blocks.push({ block });
    const error = offer(chain, refused, byId);
    count++;
    if (!(error instanceof ChainError)) {
      t.fail(`${refused.label}: ${error ?? 'accepted'}`);
      continue;
    }
    const found = { name: error.row.name, code: error.code, message: composeMessage(error) };
    const { code, name } = refused.error.data;
    const wanted = { name, code, message: refused.error.message };
    if (JSON.stringify(found) !== JSON.stringify(wanted)) t.same(found, wanted, refused.label);
    const { stack } = wireError(error).data as { stack: JsonObject[] } & JsonObject;
    if (holdsFrames(stack, refused.error.data.stack)) continue;
    ownFrames.add(error.key);
    t.ok(error.key in OWN_FRAMES, `${refused.label}: frames of ${error.key}`, { recorded: refused.error.data.stack });
  }
  t.equal(count, 697);
  t.equal(ownFrames.size, 3, 'all others have the frames that were recorded');
  t.equal(chain.blocks.head.number, 728, 'nothing that was refused has moved the head');
});
