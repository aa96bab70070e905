import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { ChainError, type ErrorRow } from '../../src/base/errors.js';
import { Chain, type ChainOptions } from '../../src/chain/chain.js';
import { DEBUG_UPDATE_ERRORS, readObjectUpdate } from '../../src/chain/debug-updates.js';
import { MemoryBlockStore } from '../../src/chain/memory-block-store.js';
import type { StateStore } from '../../src/chain/ports.js';
import { DebugUpdates } from '../../src/chain/updates-by-block.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { chainParameters } from '../../src/protocol/chain-parameters.js';
import { ID_ERRORS } from '../../src/protocol/ids.js';
import { idText } from '../../src/state/define.js';
import { accountObject } from '../../src/state/objects/account.js';
import { accountBalanceObject } from '../../src/state/objects/account-balance.js';
import { type WitnessObject, witnessObject } from '../../src/state/objects/witness.js';
import { stateHash } from '../../src/state/state-hash.js';
import { TABLE_ERRORS } from '../../src/state/table.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { testEngine } from '../support/engine.js';
import { NETWORK } from '../support/network.js';
import { refused } from '../support/refused.js';
import { witnessKey, worldGenesis } from '../support/world-genesis.js';

/** Changes that the debug API makes beside the blocks belong to a block, come and go with it, and survive a replay. */

const genesis = worldGenesis({ witnesses: 9, accounts: { alice: 1_000n } });

class Line {
  readonly updates = new DebugUpdates();
  readonly chain: Chain;

  constructor(how: Partial<ChainOptions> = {}) {
    const { updates: debugUpdates } = this;
    this.chain = new Chain({ genesis, engine: testEngine(), blocks: new MemoryBlockStore(), debugUpdates, ...how });
  }

  block(missed = 0) {
    const { queries, blocks } = this.chain;
    const witness = queries.scheduledWitness(missed + 1);
    const owner = queries.state.get(witnessObject, witness).witness_account;
    const key = witnessKey(queries.state.get(accountObject, owner).name);
    const sign = (digest: Uint8Array) => signatureBackend().sign(digest, key);
    const signer = { publicKey: key.publicKey, sign };
    return blocks.produce({ when: queries.slotTime(missed + 1), witness, signer }).block;
  }

  change(json: Json): void {
    this.chain.debug.amendHead(readObjectUpdate(json));
  }

  get url(): string {
    return this.chain.queries.state.get(witnessObject, 1).url;
  }

  get hash(): string {
    return this.chain.snapshots.withHeadState(stateHash);
  }
}

t.test('a change goes with its block when another branch wins, and comes back with it', async (t) => {
  const line = new Line();
  const other = new Line();
  for (let i = 0; i < 2; i++) other.chain.blocks.push({ block: line.block() });
  line.change({ id: '1.6.1', _action: 'update', url: 'before' });
  const head = line.block();
  line.change({ id: '1.6.1', _action: 'update', url: 'head' });
  const hash = line.hash;
  t.equal(line.url, 'head');

  const winners = [other.block(1), other.block(1)];
  for (const block of winners) line.chain.blocks.push({ block });
  t.equal(line.chain.queries.head.number, 4);
  t.equal(line.url, 'before', 'what belongs to the common block has stayed, what belongs to the lost one has gone');
  // The first branch grows beyond the other.
  const first = new Line();
  for (const number of [1, 2]) first.chain.blocks.push({ block: line.chain.queries.blockByNumber(number) as never });
  first.chain.blocks.push({ block: head });
  for (let i = 0; i < 2; i++) line.chain.blocks.push({ block: first.block() });
  t.equal(line.chain.queries.head.number, 5);
  t.equal(line.url, 'head', 'made again with its block');
  line.chain.blocks.popTo(3);
  t.equal(line.hash, hash);
});

t.test('listeners are told', async (t) => {
  const line = new Line();
  const told: unknown[] = [];
  line.chain.blocks.subscribe((event) => {
    if (event.kind === 'amended') told.push(...event.changes().map(({ instance, value }) => [instance, value]));
  });
  refused(t, DEBUG_UPDATE_ERRORS.debug_update_no_block, () => line.change({ id: '1.6.1', url: 'x' }));
  line.block();
  line.change({ id: '1.6.1', _action: 'update', url: 'told' });
  t.equal(told.length, 1);
  t.match(told[0], [1, { url: 'told' }]);
});

t.test('an undone block says what it had changed, by itself and by hand', async (t) => {
  const line = new Line();
  const blocks = [line.block(), line.block()];
  const undone: string[][] = [];
  line.chain.blocks.subscribe((event) => {
    if (event.kind !== 'undone') return;
    undone.push(event.changed.map(({ definition, instance }) => idText(definition, instance)));
  });
  line.chain.blocks.popTo(1);
  line.change({ id: '1.6.7', _action: 'update', url: 'after another block was undone' });
  line.chain.blocks.popTo(0);
  const [second, first] = undone;
  t.equal(undone.length, 2);
  for (const ids of undone) {
    t.ok(ids.includes('2.1.0'));
    t.equal(new Set(ids).size, ids.length, 'each once');
  }
  t.ok(second?.includes(`1.6.${blocks[1]?.witness}`));
  t.ok(first?.includes('1.6.7'));
});

t.test('a head block that nobody can undo any more takes changes too, and the store gets them', async (t) => {
  const saved: { number: number; urls: unknown[] }[] = [];
  const store: StateStore = {
    saveAll: () => undefined,
    save: ({ changes }, { number }) => {
      const values = changes.filter(({ definition }) => definition === witnessObject).map(({ value }) => value);
      saved.push({ number, urls: values.map((value) => (value as WitnessObject | undefined)?.url) });
    },
  };
  const line = new Line({ genesis: worldGenesis({ witnesses: 1 }), store });
  for (let i = 0; i < 5; i++) line.block();
  line.chain.blocks.save();
  const { head } = line.chain.queries;
  t.equal(head.irreversible, head.number, 'one witness confirms its own blocks');
  t.equal(saved.at(-1)?.number, head.number);
  line.change({ id: '1.6.1', _action: 'update', url: 'late' });
  line.chain.blocks.save();
  t.same(saved.at(-1), { number: head.number, urls: ['late'] }, 'as part of the block that was stored before');
  line.change({ id: '1.6.1', _action: 'update', url: 'later' });
  line.block();
  line.chain.blocks.save();
  t.match(saved.at(-1), { number: head.number + 1, urls: ['later'] }, 'or with the next one');
});

t.test('write begins from the defaults, update keeps, delete removes; a mere id deletes', async (t) => {
  const line = new Line();
  line.block();
  const { state } = line.chain.queries;
  const find = () => state.find(witnessObject, 2);
  line.change({ id: '1.6.2', _action: 'update', url: 'a', total_missed: 7 });
  t.match(find(), { url: 'a', total_missed: 7n });
  line.change({ id: '1.6.2', _action: 'update', url: 'b', unknown: [] });
  t.match(find(), { url: 'b', total_missed: 7n }, 'other members stay; unknown ones mean nothing');
  const account = find()?.witness_account ?? -1;
  const { vote_id } = find() ?? {};
  const id = `1.2.${account}`;
  line.change({ id: '1.6.2', witness_account: id, vote_id: `1:${Number(vote_id) >>> 8}` });
  t.match(find(), { url: '', total_missed: 0n }, 'write is what no action means');
  const [balance] = [...state.all(accountBalanceObject)];
  line.change({ id: `2.5.${balance?.id}` });
  t.equal(state.find(accountBalanceObject, balance?.id ?? -1), undefined);
});

const parametersWith = (field: string, value: number) => ({
  ...(chainParameters.toJson(genesis.file.initial_parameters, NETWORK) as JsonObject),
  [field]: value,
});

const BAD: readonly (readonly [what: string, update: Json, row: ErrorRow])[] = [
  ['create', { id: '1.6.1', _action: 'create' }, DEBUG_UPDATE_ERRORS.debug_update_action],
  ['an action that is no text', { id: '1.6.1', _action: 5 }, DEBUG_UPDATE_ERRORS.debug_update_action],
  ['no id', { url: 'x' }, DEBUG_UPDATE_ERRORS.debug_update_object],
  ['no object', ['1.6.1'], DEBUG_UPDATE_ERRORS.debug_update_object],
  ['null', null, DEBUG_UPDATE_ERRORS.debug_update_object],
  ['a type that nobody knows', { id: '1.99.0', url: '' }, DEBUG_UPDATE_ERRORS.debug_update_type],
  ['an id that is none', { id: 'one' }, ID_ERRORS.id_text],
  ['an object that is not there', { id: '1.6.999', url: 'x' }, TABLE_ERRORS.object_missing],
  ['an object that is not there, to be deleted', { id: '1.6.999' }, TABLE_ERRORS.object_missing],
  ['deleting what exists once', { id: '2.0.0' }, DEBUG_UPDATE_ERRORS.debug_update_single],
  ['a name', { id: '1.2.6', _action: 'update', name: 'other' }, DEBUG_UPDATE_ERRORS.debug_update_fixed],
  [
    'where the chain stands',
    { id: '2.1.0', _action: 'update', head_block_number: 7 },
    DEBUG_UPDATE_ERRORS.debug_update_head,
  ],
  ['the same by leaving it out', { id: '2.1.0', time: '2026-01-01T00:00:00' }, DEBUG_UPDATE_ERRORS.debug_update_head],
  [
    'which chain it is',
    { id: '2.11.0', _action: 'update', chain_id: '00'.repeat(32) },
    DEBUG_UPDATE_ERRORS.debug_update_head,
  ],
  ...(['block_interval', 'maintenance_interval'] as const).flatMap((field) =>
    (['parameters', 'pending_parameters'] as const).map(
      (member) =>
        [
          `no ${field} in ${member}`,
          { id: '2.0.0', _action: 'update', [member]: parametersWith(field, 0) },
          DEBUG_UPDATE_ERRORS.debug_update_interval,
        ] as const,
    ),
  ),
  [
    'an account that another witness has',
    { id: '1.6.1', _action: 'update', witness_account: '1.2.7' },
    TABLE_ERRORS.object_change_not_unique,
  ],
];

t.test('what is refused leaves no trace', async (t: Test) => {
  const line = new Line();
  line.block();
  const before = line.hash;
  for (const [what, update, row] of BAD) refused(t, row, () => line.change(update), what);
  t.throws(() => line.change({ id: '1.6.1', _action: 'update', total_missed: 'many' }), /total_missed|number|int/);
  const lost = new ChainError(STORAGE_ERRORS.storage_disk_full, { path: 'debug_updates' });
  const notKept = (): never => {
    t.equal(line.url, 'lost', 'a change is kept when it is known to be possible');
    throw lost;
  };
  const update = readObjectUpdate({ id: '1.6.1', _action: 'update', url: 'lost' });
  refused(t, lost.row, () => line.chain.debug.amendHead(update, notKept), 'what cannot be kept');
  t.equal(line.hash, before);
  t.equal(line.updates.of(line.chain.queries.head.id).length, 0);
  line.change({ id: '2.0.0', _action: 'update', parameters: parametersWith('block_interval', 5) });
  line.block();
  t.equal(line.chain.queries.head.number, 2);
});

t.test('blocks applied elsewhere with the same changes give the same state', async (t) => {
  const line = new Line();
  const blocks = [line.block()];
  line.change({ id: '1.6.3', _action: 'update', url: 'x' });
  blocks.push(line.block());
  const copy = new Line();
  copy.updates.add(
    line.chain.queries.blockIdOf(1) as string,
    readObjectUpdate({ id: '1.6.3', _action: 'update', url: 'x' }),
  );
  for (const block of blocks) copy.chain.blocks.push({ block });
  t.equal(copy.hash, line.hash);
});
