import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { AccountHistory, type HistoryOptions, optionsText } from '../../plugins/account_history/history.js';
import { RelativeHistory } from '../../plugins/account_history_kv/relative-history.js';
import type { AddedFollower, Follower } from '../../src/plugin/follower.js';
import type { StoredData, StoredFollower, Taken } from '../../src/plugin/stored-follower.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import type { MemoryKv } from '../../src/storage/memory-kv.js';
import { forkBlocks } from '../rpc/support/recorded-notices.js';
import { FollowedChain } from '../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { PluginDisk } from '../support/plugin-store.js';

/**
 * What holds for every plugin that keeps data of its own: it has the same bytes however late it was switched on and however
 * often it was restarted, and after a fork switch it knows what a node knows that saw only the final chain.
 */

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];
const forks = forkBlocks();

interface Kind {
  readonly name: string;
  readonly options: string;
  make(data: StoredData): StoredFollower<Taken>;
  /** Another one of its kind does it. */
  readonly isWrittenBeside?: boolean;
  /** All that it can be asked for. */
  known(follower: Follower): unknown;
}

const ACCOUNTS = Array.from({ length: 200 }, (_, i) => i);
const OPERATIONS = Array.from({ length: 2000 }, (_, i) => i);
const ENTRIES = Array.from({ length: 3500 }, (_, i) => i);

function accountHistory(options: HistoryOptions): Kind {
  return {
    name: 'account_history',
    options: optionsText(options),
    make: (data) => new AccountHistory(data, options),
    known(follower) {
      const history = follower as AccountHistory;
      return {
        counts: ACCOUNTS.map((account) => history.countsOf(account)),
        operations: OPERATIONS.map((instance) => shownOperation(history, instance)),
        entries: ENTRIES.map((instance) => history.entry(instance)),
      };
    },
  };
}

function shownOperation(history: AccountHistory, instance: number): string | undefined {
  const kept = history.operation(instance);
  return (
    kept && `${kept.instance} ${kept.block} ${kept.transaction} ${kept.index} ${kept.virtual} ${kept.operation[0]}`
  );
}

const relativeHistory: Kind = {
  name: 'account_history_kv',
  options: '',
  make: (data) => new RelativeHistory(data, 500),
  known(follower) {
    const history = follower as RelativeHistory;
    return ACCOUNTS.map((account) => {
      const total = history.total(account);
      return [total, Array.from({ length: total + 1 }, (_, i) => history.entryAt(account, i + 1)?.block)];
    });
  },
};

const KINDS: readonly (readonly [label: string, kind: Kind])[] = [
  ['account_history', accountHistory({ accounts: undefined, operationsMax: 1000, isPartial: true })],
  ['account_history with 3 operations', accountHistory({ accounts: undefined, operationsMax: 3, isPartial: true })],
  [
    'account_history of three accounts, all operations',
    accountHistory({ accounts: new Set([31, 32, 42]), operationsMax: 20, isPartial: false }),
  ],
  ['account_history without accounts', accountHistory({ accounts: undefined, operationsMax: 0, isPartial: false })],
  ['account_history_kv', relativeHistory],
  [
    'account_history, written beside',
    { ...accountHistory({ accounts: undefined, operationsMax: 1000, isPartial: true }), isWrittenBeside: true },
  ],
  [
    'account_history with 3 operations, written beside',
    { ...accountHistory({ accounts: undefined, operationsMax: 3, isPartial: true }), isWrittenBeside: true },
  ],
  ['account_history_kv, written beside', { ...relativeHistory, isWrittenBeside: true }],
];

/** One life of a node with its plugins; both disks stay. */
class Life {
  readonly chain: FollowedChain;
  readonly followers = new Map<string, Follower>();
  readonly added: AddedFollower[] = [];

  constructor(chain: FollowedChain) {
    this.chain = chain;
  }

  static async begin(disk: MemoryDisk, plugins: ReadonlyMap<string, PluginDisk>): Promise<Life> {
    const life = new Life(await FollowedChain.open(genesis, disk));
    for (const [label, kind] of KINDS) {
      const stores = plugins.get(label);
      if (stores !== undefined) await life.add(label, kind, stores);
    }
    await life.caughtUp();
    return life;
  }

  async add(label: string, kind: Kind, stores: PluginDisk): Promise<void> {
    const { name, options, isWrittenBeside } = kind;
    const wanted = { name, format: 1, options };
    const data = isWrittenBeside
      ? await stores.openWritten(this.chain, wanted, (one) => kind.make(one))
      : await stores.openFor(this.chain, wanted);
    const follower = kind.make(data);
    // In one node they have different names.
    Object.defineProperty(follower, 'name', { value: label });
    this.followers.set(label, follower);
    this.added.push(this.chain.host.add(follower));
  }

  async caughtUp(): Promise<void> {
    for (const added of this.added) await added.caughtUp();
  }

  async push(list: readonly SignedBlock[]): Promise<void> {
    for (const block of list) this.chain.stored.chain.blocks.push({ block });
    await this.caughtUp();
  }

  knownTo(label: string): unknown {
    const kind = KINDS.find(([one]) => one === label)?.[1];
    for (const added of this.added) if (!added.hurry()) throw new Error(`${added.status.name} is at the head`);
    return kind?.known(this.followers.get(label) as Follower);
  }

  /** What they keep in memory of settled blocks is stored, too. */
  async end(): Promise<void> {
    await this.chain.save();
    for (const follower of this.followers.values()) follower.settle(this.chain.feed.settledNumber);
    await this.chain.close();
  }
}

const disksOf = (): Map<string, PluginDisk> => new Map(KINDS.map(([label]) => [label, new PluginDisk()]));

function sameStores(t: Test, found: ReadonlyMap<string, PluginDisk>, wanted: ReadonlyMap<string, PluginDisk>): void {
  for (const [label, { name }] of KINDS) {
    const [a, b] = [found.get(label)?.contents(name) ?? [], wanted.get(label)?.contents(name) ?? []];
    t.ok(b.length > 100, `${label}: ${b.length} entries`);
    t.same([a.length, a.findIndex((line, i) => line !== b[i])], [b.length, -1], `${label}: the same bytes`);
  }
}

t.test('switched on late, restarted or killed: the same bytes as from the start', async (t) => {
  const undisturbed = disksOf();
  const disk = new MemoryDisk(genesis);
  let life = await Life.begin(disk, undisturbed);
  await life.push(blocks);
  await life.end();

  const late = disksOf();
  life = await Life.begin(disk, late);
  await life.end();
  sameStores(t, late, undisturbed);

  const again = new MemoryDisk(genesis);
  const restarted = disksOf();
  for (const to of [1, 60, 61, 259, 500, 742, 792]) {
    life = await Life.begin(again, restarted);
    await life.push(blocks.slice(life.chain.head, to));
    if (to === 500) await life.chain.save();
    await life.end();
  }
  sameStores(t, restarted, undisturbed);

  // Killed: the chain is as it was stored, what the plugins have is older.
  const killed = new Map<string, PluginDisk>();
  const third = new MemoryDisk(genesis);
  life = await Life.begin(third, disksOf());
  for (const to of [100, 300, 700]) {
    await life.push(blocks.slice(life.chain.head, to));
    await life.chain.save();
  }
  const image = third.image();
  await life.chain.close();
  for (const [label] of KINDS) killed.set(label, new PluginDisk());
  life = await Life.begin(image, killed);
  await life.push(blocks.slice(life.chain.head, 750));
  for (const follower of life.followers.values()) follower.settle(life.chain.feed.settledNumber);
  await new Promise(setImmediate);
  const stores = new Map([...killed].map(([label, one]) => [label, one.image()]));
  const half = image.image();
  await life.chain.close();
  life = await Life.begin(half, stores);
  await life.push(blocks.slice(life.chain.head));
  await life.end();
  sameStores(t, stores, undisturbed);
});

t.test(
  'after fork switches of up to 20 blocks each knows what a node knows that saw only the final chain',
  async (t) => {
    const branch = [...forks.values()];
    const from = Math.min(...forks.keys()) - 1;
    const straight = await Life.begin(new MemoryDisk(genesis), disksOf());
    await straight.push(blocks.slice(0, from));
    await straight.push(branch);

    const switched = await Life.begin(new MemoryDisk(genesis), disksOf());
    await switched.push(blocks);
    const head = blocks.length;
    // Away and back again, with and without a moment for the followers in between.
    for (const depth of [1, 2, 7, 20]) {
      // Some have been looked at before they are taken back, some have not.
      if (depth !== 2) for (const added of switched.added) added.hurry();
      switched.chain.stored.chain.blocks.popTo(head - depth);
      if (depth !== 7) await switched.push([]);
      await switched.push(blocks.slice(head - depth));
    }
    await switched.push(branch);
    t.equal(switched.chain.stored.chain.blocks.head.id, straight.chain.stored.chain.blocks.head.id);
    for (const [label] of KINDS) t.same(switched.knownTo(label), straight.knownTo(label), label);
    await straight.end();
    await switched.end();
  },
);

t.test('other options, another chain and blocks that are gone have a store built anew', async (t) => {
  const disk = new MemoryDisk(genesis);
  const chain = await FollowedChain.open(genesis, disk);
  const stores = new PluginDisk();
  const wanted = { name: 'some', format: 1, options: 'a' };
  const { store, cursor } = await stores.openFor(chain, wanted);
  const keep = (changed: object): Promise<void> =>
    store.write([
      { key: Uint8Array.of(0), value: new TextEncoder().encode(JSON.stringify({ ...cursor, ...changed })) },
    ]);
  await keep({});
  t.equal((await stores.openFor(chain, wanted)).store, store);
  for (const [changed, why] of [
    [{ format: 2 }, 'it has format 2, not 1'],
    [{ chain: '00' }, 'it is of another chain'],
    [{ options: 'b' }, 'it was made with other options: b'],
    [{ place: { number: 5, id: 'x' } }, 'its newest block 5 is not in the chain'],
  ] as const) {
    await keep(changed);
    stores.stores.set('some', store as MemoryKv);
    const opened = await stores.openFor(chain, wanted);
    t.equal(stores.renewed.at(-1), why);
    t.same(opened.cursor, cursor);
  }
  await chain.close();
});
