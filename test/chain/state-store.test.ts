import t from 'tap';
import '../../src/operations/index.js';
import { ChainError } from '../../src/base/errors.js';
import { CHAIN_ERRORS, Chain, type ChainOptions, emptyState } from '../../src/chain/chain.js';
import { BlockFacts } from '../../src/chain/facts.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { StateStore } from '../../src/chain/ports.js';
import { REPLAY_SKIP } from '../../src/importer/recover.js';
import type { ChainState } from '../../src/state/chain-state.js';
import type { AnyObjectDef, StateObject } from '../../src/state/define.js';
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
      for (const object of state.all(definition))
        this.objects.get(definition)?.set(object.id, fieldsOf(definition, object));
    }
    this.counters = OBJECTS.map((definition) => state.nextInstance(definition));
    this.head = upTo;
  }

  save({ changes, counters }: StateChanges, upTo: { number: number; id: string }): void {
    for (const { definition, instance, value } of changes) {
      if (value === undefined) this.objects.get(definition)?.delete(instance);
      else this.objects.get(definition)?.set(instance, fieldsOf(definition, value));
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

/** As a store keeps them: all that is declared, and nothing of what the live object is beside. */
function fieldsOf({ schema }: AnyObjectDef, value: Readonly<StateObject>): StateObject {
  const names = Object.keys(schema.fields) as (keyof StateObject)[];
  return Object.fromEntries(names.map((name) => [name, value[name]])) as unknown as StateObject;
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

function newChain(more: Partial<ChainOptions> = {}): Chain {
  return new Chain({
    genesis: goldenGenesis(),
    engine: testEngine(),
    blocks: new MemoryBlockStore(),
    saveBlocks: 10_000,
    ...more,
  });
}

/** Of the chain that was recorded; the last one's own word is that 789 can no longer be undone. */
const KNOWN = 700;

t.test('blocks of the own log that were irreversible share frames and make the same state', async (t) => {
  const blocks = [...goldenBlocks()];
  const last = blocks.length;
  const whole = newChain();
  for (const block of blocks) whole.blocks.push({ block }, REPLAY_SKIP);
  const hash = whole.snapshots.withHeadState(stateHash);

  const store = new MemoryStateStore();
  const chain = newChain({ store });
  const begun = chain.replay.begin(last, KNOWN);
  for (const block of blocks.slice(0, KNOWN)) chain.blocks.push({ block }, REPLAY_SKIP);
  t.equal(store.head.number, 0, 'the objects of all these blocks are kept once, until somebody wants them');
  chain.replay.save();
  t.equal(store.head.number, KNOWN, 'what the log has shown counts, whatever the state knows by now');
  for (const block of blocks.slice(KNOWN)) chain.blocks.push({ block }, REPLAY_SKIP);
  begun.end();
  t.equal(chain.snapshots.withHeadState(stateHash), hash);

  const { irreversible } = chain.blocks.head;
  t.ok(irreversible > KNOWN && irreversible < last);
  chain.blocks.popTo(irreversible);
  whole.blocks.popTo(irreversible);
  const before = whole.snapshots.withHeadState(stateHash);
  t.equal(chain.snapshots.withHeadState(stateHash), before, 'the newest blocks are undone one by one');
  chain.blocks.save();
  const state = emptyState(goldenGenesis());
  store.load(state);
  t.equal(stateHash(state), before, 'and the store was given all of it');
});

t.test('blocks that are far behind the last one of the log cannot be undone any more', async (t) => {
  const blocks = [...goldenBlocks()].slice(0, 40);
  const replay = (last: number, checkpoint?: number): Chain => {
    const id = '0'.repeat(40);
    const chain = newChain(checkpoint === undefined ? {} : { checkpoints: new Map([[checkpoint, id]]) });
    const begun = chain.replay.begin(last, 0);
    for (const block of blocks) chain.blocks.push({ block }, REPLAY_SKIP);
    begun.end();
    return chain;
  };
  const chain = replay(10_040);
  t.ok(chain.blocks.head.irreversible < 39);
  refused(t, CHAIN_ERRORS.pop_irreversible, () => chain.blocks.popTo(39));
  for (const free of [replay(10_038), replay(10_040, 10_040)]) {
    free.blocks.popTo(39);
    t.equal(free.blocks.head.number, 39, 'one that may still be undone is');
  }
});

t.test('a block that is refused among those that share a frame ends the replay', async (t) => {
  const [first, second, third, fourth] = [...goldenBlocks()];
  if (first === undefined || second === undefined || third === undefined || fourth === undefined) return;
  const store = new MemoryStateStore();
  const chain = newChain({ store });
  const begun = chain.replay.begin(4, 4);
  chain.blocks.push({ block: first }, REPLAY_SKIP);
  chain.blocks.push({ block: second }, REPLAY_SKIP);
  const bad = { ...third, timestamp: second.timestamp };
  t.throws(() => chain.blocks.push({ block: bad }, REPLAY_SKIP), ChainError);
  begun.end();
  t.throws(() => chain.blocks.push({ block: third }, REPLAY_SKIP), /is begun anew/);
  t.equal(store.head.number, 0, 'nothing of it is kept');

  const single = newChain();
  single.replay.begin(4, 0);
  single.blocks.push({ block: first }, REPLAY_SKIP);
  t.throws(() => single.blocks.push({ block: { ...second, timestamp: first.timestamp } }, REPLAY_SKIP), ChainError);
  single.blocks.push({ block: second }, REPLAY_SKIP);
  t.equal(single.blocks.head.number, 2, 'one that has a frame of its own is taken back alone');
});

t.test('a replay tells nobody: it comes before everybody else', async (t) => {
  const chain = newChain();
  chain.blocks.subscribe(() => undefined);
  t.throws(() => chain.replay.begin(10, 0), /tells nobody/);
});
