import t from 'tap';
import '../../src/operations/index.js';
import { CHAIN_ERRORS, Chain, emptyState } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { StateStore } from '../../src/chain/ports.js';
import type { ChainState } from '../../src/state/chain-state.js';
import type { AnyObjectDef } from '../../src/state/define.js';
import type { ObjectDatabase, StateChanges } from '../../src/state/object-db.js';
import { OBJECTS } from '../../src/state/objects/index.js';
import { stateHash } from '../../src/state/state-hash.js';
import { testEngine } from '../support/engine.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { refused } from '../support/refused.js';
import { worldGenesis } from '../support/world-genesis.js';

/** Keeps shallow copies, as a store that writes records does. */
class MemoryStateStore implements StateStore {
  readonly objects = new Map<AnyObjectDef, Map<number, object>>(OBJECTS.map((one) => [one, new Map()]));
  counters: readonly number[] = [];
  head = { number: -1, id: '' };
  saves = 0;

  saveAll(state: ObjectDatabase, upTo: { number: number; id: string }): void {
    for (const definition of OBJECTS) {
      for (const object of state.all(definition)) this.objects.get(definition)?.set(object.id, { ...object });
    }
    this.counters = OBJECTS.map((definition) => state.nextInstance(definition));
    this.head = upTo;
  }

  save({ changes, counters }: StateChanges, upTo: { number: number; id: string }): void {
    for (const { definition, instance, value } of changes) {
      if (value === undefined) this.objects.get(definition)?.delete(instance);
      else this.objects.get(definition)?.set(instance, { ...value });
    }
    this.counters = counters;
    this.head = upTo;
    this.saves++;
  }

  load(state: ChainState): void {
    OBJECTS.forEach((definition, i) => {
      const objects = [...(this.objects.get(definition) ?? [])].sort((a, b) => a[0] - b[0]);
      for (const [instance, value] of objects) state.load(definition, instance, value as never);
      state.setCounter(definition, this.counters[i] as number);
    });
    state.finishLoading();
  }
}

t.test('blocks are handed over so many at a time, or as soon as they hold so many changes', (t) => {
  const blocks = [...goldenBlocks()].slice(0, 150);
  const given = (number: number, changes?: number): number => {
    const store = new MemoryStateStore();
    const chain = new Chain({ genesis: goldenGenesis(), engine: testEngine(), blocks: new MemoryBlockStore(), store });
    chain.blocks.saveEvery(number, changes);
    for (const block of blocks) chain.blocks.push({ block });
    return store.saves;
  };
  const each = given(1);
  const tenth = given(10);
  t.ok(each > 50 && tenth > 5 && tenth <= blocks.length / 10, `${each} saves of one block, ${tenth} of ten`);
  t.equal(given(1_000_000), 0);
  t.equal(given(1_000_000, 1), each);
  const some = given(1_000_000, 100);
  t.ok(some > 1 && some < each / 2, `${some} saves of a hundred changes`);
  t.end();
});

t.test('what the store was given is the state of the block that it was told', async (t) => {
  const genesis = goldenGenesis();
  const blocks = [...goldenBlocks()];
  const store = new MemoryStateStore();
  const kept = new MemoryBlockStore();
  const chain = new Chain({ genesis, engine: testEngine(), blocks: kept, store, saveBlocks: 7 });
  t.equal(store.head.number, 0, 'the genesis comes first');
  for (const block of blocks) chain.blocks.push({ block });
  t.ok(store.saves > 20 && store.saves < 200, `${store.saves} saves`);
  chain.blocks.save();
  const { irreversible } = chain.blocks.head;
  t.equal(store.head.number, irreversible);
  t.equal(store.head.id, chain.queries.blockIdOf(irreversible));

  const fresh = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore() });
  for (const block of blocks.slice(0, irreversible)) fresh.blocks.push({ block });
  const state = emptyState(genesis);
  store.load(state);
  t.equal(stateHash(state), fresh.snapshots.withHeadState(stateHash));

  const log = new MemoryBlockStore();
  for (const block of blocks.slice(0, irreversible)) log.append(new BlockFacts(block));
  const resumed = new Chain({ genesis, engine: testEngine(), blocks: log, state });
  for (const block of blocks.slice(irreversible)) resumed.blocks.push({ block });
  t.equal(resumed.blocks.head.id, chain.blocks.head.id, 'and the chain goes on from there');
  t.equal(resumed.snapshots.withHeadState(stateHash), chain.snapshots.withHeadState(stateHash));
  refused(t, CHAIN_ERRORS.state_other_chain, () => {
    new Chain({ genesis: worldGenesis({}), engine: testEngine(), blocks: log, state });
  });
});
