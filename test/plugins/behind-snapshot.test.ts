import { join } from 'node:path';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { AccountHistory, type HistoryOptions, optionsText } from '../../plugins/account_history/history.js';
import { historyApi } from '../../plugins/account_history/methods.js';
import { historySource } from '../../plugins/account_history/source.js';
import { relativeApi } from '../../plugins/account_history_kv/methods.js';
import { RelativeHistory } from '../../plugins/account_history_kv/relative-history.js';
import type { JsonObject } from '../../src/codec/json.js';
import { snapshotPort } from '../../src/node/ports/snapshot-port.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { accountHistoryRecord } from '../../src/protocol/objects/chain.js';
import { objectOf } from '../../src/protocol/objects/declare.js';
import { accountStatisticsObject } from '../../src/state/objects/account-statistics.js';
import { BlockLog } from '../../src/storage/block-log.js';
import { checkCarried } from '../../src/storage/carried.js';
import { LevelKv } from '../../src/storage/level-kv.js';
import type { MemoryKv } from '../../src/storage/memory-kv.js';
import { STORAGE_FOLDERS } from '../../src/storage/storage.js';
import { askable, goldenPorts } from '../rpc/support/golden-rpc.js';
import { FollowedChain } from '../support/followed-chain.js';
import { goldenBlocks, goldenGenesis, goldenState } from '../support/golden.js';
import { MemoryDisk } from '../support/memory-disk.js';
import { NETWORK } from '../support/network.js';
import { PluginDisk } from '../support/plugin-store.js';
import { copyHere, restoredDisk } from '../support/restored-disk.js';

/** Histories of a node that was started from a snapshot in the middle of the recorded chain: numbers go on as recorded. */

const genesis = goldenGenesis();
const blocks: readonly SignedBlock[] = [...goldenBlocks()];
const TAKEN_AT = 310;
const ALL: HistoryOptions = { accounts: undefined, operationsMax: 1000, isPartial: true };

class HistoryNode {
  readonly chain: FollowedChain;
  readonly history: AccountHistory;
  readonly relative: RelativeHistory;
  readonly stores: PluginDisk;

  private constructor(chain: FollowedChain, history: AccountHistory, relative: RelativeHistory, stores: PluginDisk) {
    this.chain = chain;
    this.history = history;
    this.relative = relative;
    this.stores = stores;
  }

  static async open(disk: MemoryDisk, options = ALL, stores = new PluginDisk()): Promise<HistoryNode> {
    const chain = await FollowedChain.open(genesis, disk);
    const wanted = { name: 'account_history', format: 1, options: optionsText(options) };
    const history = new AccountHistory(await stores.openFor(chain, wanted), options);
    const other = { name: 'account_history_kv', format: 1, options: '' };
    const relative = new RelativeHistory(await stores.openFor(chain, other), 500);
    const node = new HistoryNode(chain, history, relative, stores);
    for (const one of [history, relative]) await chain.host.add(one).caughtUp();
    return node;
  }

  async push(to = blocks.length): Promise<void> {
    this.chain.push(blocks, to);
    await new Promise(setImmediate);
    for (const { name } of this.chain.host.statuses) await this.caughtUp(name);
  }

  async caughtUp(name: string): Promise<void> {
    const at = () => this.chain.host.statuses.find((one) => one.name === name)?.position.number;
    while (at() !== this.chain.head) await new Promise(setImmediate);
  }
}

/** Each test goes on from where this one stood. */
async function lived(): Promise<() => Promise<HistoryNode>> {
  const disk = new MemoryDisk(genesis);
  const node = await HistoryNode.open(disk);
  await node.push(TAKEN_AT);
  const [image, stores] = [disk.image(), node.stores.image()];
  await node.chain.close();
  return () => HistoryNode.open(image.image(), ALL, stores.image());
}

const firstLife = await lived();

/** The recorded values at this height, but for what came before the snapshot, which is not here. */
function compareAt(t: Test, height: 391 | 493 | 792, { chain, history }: HistoryNode, options = ALL): void {
  const source = historySource(() => history);
  const counted = { entries: 0, missing: 0, counts: 0 };
  for (const [id, wanted] of goldenState(height)) {
    const instance = Number(id.split('.')[2]);
    if (id.startsWith('2.6.')) {
      const object = chain.stored.chain.queries.state.get(accountStatisticsObject, instance);
      const counts = source.counts(object.owner);
      const found = objectOf(accountStatisticsObject).toJson({ ...object, ...counts }, NETWORK) as JsonObject;
      const removed = Math.max(0, Number(wanted.total_ops) - options.operationsMax);
      const recorded = { ...wanted, removed_ops: removed };
      if (JSON.stringify(found) !== JSON.stringify(recorded)) t.same(found, recorded, id);
      counted.counts++;
    } else if (id.startsWith('2.9.')) {
      const entry = source.entry(instance);
      const account = Number(String(wanted.account).split('.')[2]);
      const { total, removed } = history.countsOf(account);
      const isKept = Number(wanted.sequence) > removed;
      if (entry === undefined || !isKept) {
        t.equal(entry, undefined);
        const isEarlier = Number(wanted.sequence) <= history.earlier(account).total;
        if (!isEarlier && isKept) t.fail(`${id} of 1.2.${account} with ${total} entries is missing`);
        counted.missing++;
        continue;
      }
      const oldest = Number(wanted.sequence) === removed + 1;
      const recorded = oldest ? { ...wanted, next: '2.9.0' } : wanted;
      const found = objectOf(accountHistoryRecord).toJson(entry, NETWORK);
      if (JSON.stringify(found) !== JSON.stringify(recorded)) t.same(found, recorded, id);
      counted.entries++;
    } else if (id.startsWith('1.11.')) {
      const operation = source.operation(instance);
      if (operation !== undefined) t.equal(operation.block_num, wanted.block_num);
      if (options.operationsMax === ALL.operationsMax)
        t.equal(operation === undefined, Number(wanted.block_num) < history.from);
    }
  }
  t.ok(counted.entries > 100 && counted.missing > 100 && counted.counts > 10, JSON.stringify(counted));
}

t.test('a node that begins with a snapshot goes on with the recorded numbers', async (t) => {
  const node = await firstLife();
  const disk = await restoredDisk(node.chain, t.testdir());
  const next = await HistoryNode.open(disk);
  t.ok(next.chain.head > TAKEN_AT - 30 && next.chain.head <= TAKEN_AT);
  t.equal(next.history.from, next.chain.head + 1);
  const begun = next.chain.log.entries.filter(
    ({ text }) => text === 'a follower of the chain begins where its blocks do',
  );
  t.same(
    begun.map(({ values }) => values),
    [
      { follower: 'account_history', from: next.history.from },
      { follower: 'account_history_kv', from: next.history.from },
    ],
  );
  for (const height of [391, 493] as const) {
    await next.push(height);
    compareAt(t, height, next);
  }
  await next.push();
  compareAt(t, 792, next);
  await node.push();
  for (let account = 0; account < 200; account++) {
    t.equal(next.relative.total(account), node.relative.total(account));
    const earlier = next.relative.earlier(account);
    for (let sequence = 1; sequence <= node.relative.total(account); sequence++) {
      const wanted = sequence <= earlier ? undefined : node.relative.entryAt(account, sequence);
      const found = next.relative.entryAt(account, sequence);
      if (JSON.stringify(found, text) !== JSON.stringify(wanted, text)) t.same(found, wanted, `${account} ${sequence}`);
    }
  }
  await node.chain.close();

  // Another life of the same node, and one with other options: what was carried is there as long as the node is.
  await next.chain.save();
  const image = disk.image();
  const stores = next.stores.image();
  await next.chain.close();
  const later = await HistoryNode.open(image, ALL, stores);
  t.same(stores.renewed, []);
  compareAt(t, 792, later);
  await later.chain.close();
  const few = { ...ALL, operationsMax: 5 };
  const shorter = await HistoryNode.open(image, few, stores);
  t.match(stores.renewed, ['it was made with other options']);
  compareAt(t, 792, shorter, few);
  await shorter.chain.close();
});

const text = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

t.test('a snapshot is of one block, also while others come and are written', async (t) => {
  const node = await firstLife();
  const { host, stored } = node.chain;
  const folder = t.testdir();
  let copied = Number.POSITIVE_INFINITY;
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  // However fast it is, it is not over before a later block is on the disk.
  const copy: typeof copyHere = (objects, target) => {
    copied = objects.head?.number ?? copied;
    const { begun, whole } = copyHere(objects, target);
    return { begun, whole: whole.then((head) => held.then(() => head)) };
  };
  const port = snapshotPort(
    { chain: stored.chain, storage: stored.storage, followers: host, copy },
    { folder, keep: 1, copies: join(folder, 'copies') },
    node.chain.log,
  );
  const creating = port.create();
  let isMade = false;
  creating.finally(() => {
    isMade = true;
  });
  for (let to = TAKEN_AT + 1; to <= blocks.length && !isMade; to++) {
    node.chain.push(blocks, to);
    await node.chain.save();
    for (const one of [node.history, node.relative]) {
      const settling = one.settle(node.chain.feed.settledNumber);
      settling?.catch(() => undefined);
    }
    if (node.chain.feed.settledNumber > copied) letGo();
    await new Promise(setImmediate);
  }
  letGo();
  const { head_block_num: number, head_block_id: id, snapshot_dir: path } = await creating;
  t.same(node.chain.log.texts('warn'), []);
  t.ok(node.chain.head > TAKEN_AT, `blocks up to ${node.chain.head} came meanwhile`);
  t.ok(node.chain.feed.settledNumber > number, `those up to ${node.chain.feed.settledNumber} are on the disk`);
  await node.chain.close();
  const wanted = await HistoryNode.open(new MemoryDisk(genesis));
  await wanted.push(number);
  const kv = await LevelKv.open(path);
  const disk = new MemoryDisk(genesis);
  for await (const some of kv.walk(Uint8Array.of(0), Uint8Array.of(255))) {
    await disk.kv.write(some.map(([key, value]) => ({ key, value })));
  }
  await kv.close();
  const log = new BlockLog(disk.files, join('data', STORAGE_FOLDERS.blockLog), genesis.chainId);
  log.append(id, wanted.chain.stored.storage.log.read(number) as Uint8Array);
  log.close();
  const found = await HistoryNode.open(disk);
  t.same(found.history.numbers, wanted.history.numbers);
  for (let account = 0; account < 200; account++) {
    t.same(found.history.countsOf(account), wanted.history.countsOf(account));
    t.equal(found.relative.total(account), wanted.relative.total(account));
  }
  await found.chain.close();
  await wanted.chain.close();
});

t.test('what came before the snapshot is refused by name, what came later is answered', async (t) => {
  const node = await firstLife();
  const next = await HistoryNode.open(await restoredDisk(node.chain, t.testdir()));
  await node.push();
  await next.push();
  const apis = (one: HistoryNode) => [historyApi(() => one.history), relativeApi(() => one.relative)];
  const whole = askable(goldenPorts(node.chain.stored.chain), {}, apis(node));
  const { ask } = askable(goldenPorts(next.chain.stored.chain), {}, apis(next));
  const call = async (one: typeof ask, api: string, method: string, params: unknown[]): Promise<unknown> => {
    const request = JSON.stringify({ id: 1, method: 'call', params: [api, method, params] });
    const { result, error } = JSON.parse((await one('ws', request)) ?? '') as JsonObject;
    return error === undefined ? result : ((error as JsonObject).data as JsonObject).key;
  };
  const both = async (api: string, method: string, ...params: unknown[]): Promise<[unknown, unknown]> => [
    await call(whole.ask, api, method, params),
    await call(ask, api, method, params),
  ];
  const first = next.history.firstOperation;
  t.ok(first > 100);
  let [later, refused] = [0, 0];
  for (let account = 0; account < 120; account++) {
    const { total } = node.history.countsOf(account);
    const earlier = next.history.earlier(account).total;
    if (total === 0) continue;
    const id = `1.2.${account}`;
    const [newest, found] = await both('history', 'get_account_history', id, `1.11.${first}`, 100, '1.11.0');
    t.same(found, newest, `${id}: what came later`);
    for (const method of ['get_account_history', 'get_account_history_operations'] as const) {
      const args = method === 'get_account_history' ? ['1.11.0', 100, '1.11.0'] : [0, '1.11.0', '1.11.0', 100];
      const [all, here] = await both('history', method, id, ...args);
      if (Array.isArray(all) && Array.isArray(here)) {
        t.same(here, all.slice(0, here.length));
        t.equal(here.length > 0, all.length > 0, `${id} ${method}: an empty list would say that there was nothing`);
        if (here.length > 0) later++;
      } else if (earlier > 0) {
        t.equal(here, 'history_begins_later');
        refused++;
      }
    }
    const start = Math.max(1, total - 3);
    for (const [api, method, args] of [
      ['history', 'get_relative_account_history', [id, start, 5, total]],
      ['database', 'get_account_relative_ops', [id, start, 10]],
    ] as const) {
      const [all, here] = await both(api, method, ...args);
      if (start > earlier) t.same(here, all, `${id} ${method}`);
      if (total > earlier) continue;
      t.match(here, /^(history|relative)_begins_later$/, `${id} ${method}`);
      refused++;
    }
    if (earlier === 0) continue;
    t.equal((await both('history', 'get_relative_account_history', id, 1, 5, 1))[1], 'history_begins_later');
    const params = ['history', 'get_relative_account_history', [id, 1, 5, 1]];
    t.match(
      await ask('ws', JSON.stringify({ id: 1, method: 'call', params })),
      `position ${earlier + 1}, on`,
      `${id}: and is told from where on`,
    );
    t.equal((await both('database', 'get_account_relative_ops', id, 1, 1))[1], 'relative_begins_later');
  }
  t.ok(later > 10 && refused > 10, JSON.stringify({ later, refused }));
  await node.chain.close();
  await next.chain.close();
});

t.test('nothing carried, or something else: entries are counted from 0, and the log says why', async (t) => {
  const node = await firstLife();
  const disk = await restoredDisk(node.chain, t.testdir());
  await node.chain.close();
  const notesOf = ({ chain }: HistoryNode): unknown[] =>
    chain.log.entries.flatMap(({ values }) => (values.note === undefined ? [] : [values.note]));

  const some = { ...ALL, accounts: new Set([42]) };
  const tracking = await HistoryNode.open(disk.image(), some);
  t.match(notesOf(tracking), ['the snapshot counts what accounts all have done: entries are counted from 0']);
  t.same(tracking.history.countsOf(42), { total: 0, removed: 0, recent: 0 });
  t.same(tracking.history.numbers.operations, tracking.history.firstOperation);
  await tracking.chain.close();

  const bare = disk.image();
  const isCarried = (key: string) => key.startsWith('20');
  for (const key of bare.kv.entries.keys()) if (isCarried(key)) bare.kv.entries.delete(key);
  const without = await HistoryNode.open(bare);
  t.match(notesOf(without), [/^no snapshot says what accounts have done/, /^no snapshot says what accounts have done/]);
  await without.chain.close();

  t.same((await checkCarried(disk.kv)).sort(), ['account_history', 'account_history_kv']);
  const names = (kv: MemoryKv): string[] => [...kv.entries.keys()].filter(isCarried);
  const pieces = names(disk.kv).filter((key) => key.length > 2 * (2 + 'account_history'.length + 1));
  for (const [what, change] of [
    ['its checksum differs', (kv: MemoryKv, key: string) => flip(kv, key)],
    ['is missing', (kv: MemoryKv, key: string) => kv.entries.delete(key)],
  ] as const) {
    const damaged = disk.image();
    for (const key of pieces) change(damaged.kv, key);
    const life = await HistoryNode.open(damaged);
    const status = life.chain.host.statuses.find(({ name }) => name === 'account_history');
    t.equal(status?.state, 'refused');
    t.match(status?.reason, what);
    await life.chain.close();
    await t.rejects(checkCarried(damaged.kv), { message: new RegExp(what) });
  }
});

function flip(kv: MemoryKv, key: string): void {
  const [name, value] = kv.entries.get(key) as [Uint8Array, Uint8Array];
  const changed = value.slice();
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  kv.entries.set(key, [name, changed]);
}
