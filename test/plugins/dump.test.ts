import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import '../../src/operations/index.js';
import { AccountHistory } from '../../plugins/account_history/history.js';
import { historySource } from '../../plugins/account_history/source.js';
import snapshotPart, { SNAPSHOT_DUMP_ERRORS } from '../../plugins/snapshot/index.js';
import { selectionOption, snapshotDumpOptions, timeOption } from '../../plugins/snapshot/options.js';
import { readObjectUpdate } from '../../src/chain/debug-updates.js';
import type { OptionValues } from '../../src/config/define.js';
import type { ChainView } from '../../src/plugin/api.js';
import type { OpenPart } from '../../src/plugin/part.js';
import type { HistorySource } from '../../src/rpc/history-source.js';
import type { AnyObjectDef } from '../../src/state/define.js';
import type { ReadState } from '../../src/state/views.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { FollowedChain } from '../support/followed-chain.js';
import { goldenBlocks, goldenGenesis } from '../support/golden.js';
import { MemoryLog } from '../support/memory-log.js';
import { projectPath } from '../support/paths.js';
import { emptyStore, viewOf } from '../support/plugin-store.js';
import { refused } from '../support/refused.js';

/** Dumps that a reference node wrote behind blocks of the recorded chain, with 1000 operations per account. */

const genesis = goldenGenesis();
const blocks = [...goldenBlocks()].slice(0, 25);
const VIRTUAL_COUNTER = /"virtual_op":\d+/;

type Options = OptionValues<typeof snapshotDumpOptions>;
const NONE: Options = {
  'snapshot-to': undefined,
  'snapshot-at-block': undefined,
  'snapshot-at-time': undefined,
  'snapshot-objects': snapshotDumpOptions['snapshot-objects'].initial,
};

const recorded = (name: string): string[] => {
  const text = gunzipSync(readFileSync(projectPath('test/vectors/plugins/dumps', `${name}.json.gz`))).toString('utf8');
  return text.replace(/\n$/, '').split('\n');
};
const linesOf = (path: string): string[] => readFileSync(path, 'utf8').replace(/\n$/, '').split('\n');
const plain = (line: string): string => line.replace(VIRTUAL_COUNTER, '');

class World {
  readonly chain: FollowedChain;
  readonly log = new MemoryLog();
  readonly history: ReturnType<typeof historySource>;

  private constructor(chain: FollowedChain, operationsMax: number) {
    this.chain = chain;
    const recorder = new AccountHistory(emptyStore(), { accounts: undefined, operationsMax, isPartial: true });
    const added = chain.host.add(recorder);
    this.history = historySource(() => (added.hurry() ? recorder : undefined));
  }

  static async open(operationsMax = 1000): Promise<World> {
    const world = new World(await FollowedChain.open(genesis), operationsMax);
    await new Promise(setImmediate);
    return world;
  }

  /** Of the state, since this was 0 the last time. */
  reads = 0;

  start(options: Partial<Options>, history: HistorySource = this.history): OpenPart<undefined> {
    const { queries, subscribe } = viewOf(this.chain);
    const counting: ReadState = Object.create(queries.state, {
      committed: {
        value: (definition: AnyObjectDef, instance: number) => {
          this.reads++;
          return queries.state.committed(definition, instance);
        },
      },
    });
    const chain: ChainView = {
      subscribe,
      queries: new Proxy(queries, {
        get: (target, name) => (name === 'state' ? counting : Reflect.get(target, name, target)),
      }),
    };
    return snapshotPart.open({
      needs: { chain, history: { current: history } },
      options: { ...NONE, ...options },
      dataDir: '',
      clock: new FakeClock(),
      random: { bytes: (count) => new Uint8Array(count) },
      log: this.log,
      signal: new AbortController().signal,
      fail: () => undefined,
    }) as OpenPart<undefined>;
  }
}

/** All blocks come in one go, before anything is written of one among them. */
async function dump(t: Test, options: Partial<Options>): Promise<string[]> {
  const world = await World.open();
  const path = join(t.testdir(), 'dump.json');
  const part = world.start({ 'snapshot-to': path, ...options });
  world.chain.push(blocks);
  await part.close?.();
  await world.chain.close();
  t.equal(part.health?.(), undefined);
  return linesOf(path);
}

const select = (text: string) => ({ 'snapshot-objects': selectionOption.parse(text) ?? NONE['snapshot-objects'] });

const RUNS: readonly (readonly [name: string, options: Partial<Options>])[] = [
  ['at-block-10', { 'snapshot-at-block': 10 }],
  ['at-block-20-accounts', { 'snapshot-at-block': 20, ...select('1 2 *') }],
  ['at-block-20-space-2', { 'snapshot-at-block': 20, ...select('2 /* /*') }],
  ['at-block-20-all-by-star', { 'snapshot-at-block': 20, ...select('* * *') }],
  ['at-time', { 'snapshot-at-time': timeOption.parse('2017-09-29T00:00:54') as number, ...select('1 6 *') }],
  ['at-time-between', { 'snapshot-at-time': timeOption.parse('2017-09-29T00:00:55') as number, ...select('2 1 *') }],
  ['relative-path', { 'snapshot-at-block': 10, ...select('2 1 *') }],
];

for (const [name, options] of RUNS) {
  t.test(`${name}: the recorded objects in the recorded order`, async (t) => {
    const wanted = recorded(name);
    // Quirk: the reference writes the global properties once more at the end of everything.
    if (wanted.length > 60_000) t.match(wanted.pop(), '"id":"2.0.0"');
    const found = await dump(t, options);
    t.equal(found.length, wanted.length);
    const at = found.findIndex((line, i) => plain(line) !== plain(wanted[i] ?? ''));
    if (at >= 0) t.equal(plain(found[at] as string), plain(wanted[at] ?? ''), `line ${at}`);
  });
}

t.test('one object is that object', async (t) => {
  const [line, ...rest] = await dump(t, { 'snapshot-at-block': 20, ...select('1 2 5') });
  t.match(line, /^\{"id":"1\.2\.5",/);
  t.same(rest, []);
  t.same(await dump(t, { 'snapshot-at-block': 20, ...select('1 99 *') }), ['']);
});

t.test(
  'blocks do not wait: a block comes between any two slices, and the objects are those of the block',
  async (t) => {
    const world = await World.open();
    const path = join(t.testdir(), 'dump.json');
    const part = world.start({ 'snapshot-to': path, 'snapshot-at-block': 10 });
    world.chain.push(blocks, 10);
    t.notOk(existsSync(`${path}.tmp`), 'nothing is written while the block is at work');
    const wanted = recorded('at-block-10').slice(0, -1);
    let [most, all] = [0, 0];
    while (!existsSync(path) && part.health?.() === undefined) {
      world.chain.push(blocks, Math.min(blocks.length, world.chain.head + 1));
      world.reads = 0;
      await new Promise(setImmediate);
      all += world.reads;
      most = Math.max(most, world.reads);
    }
    t.ok(all > 65_536 && most > 0 && most <= 2 * 256, `${most} of ${all} objects at once`);
    t.equal(world.chain.head, blocks.length);
    t.same(linesOf(path).map(plain), wanted.map(plain));
    await part.close?.();
    await world.chain.close();
  },
);

t.test('what later blocks remove from histories is in the dump', async (t) => {
  const LIMIT = 2;
  const file = async (at: number, to: number): Promise<string[]> => {
    const world = await World.open(LIMIT);
    const path = join(t.testdir(), 'dump.json');
    const part = world.start({ 'snapshot-to': path, 'snapshot-at-block': at, ...select('2 * *') });
    world.chain.push(blocks, to);
    await part.close?.();
    await world.chain.close();
    t.equal(part.health?.(), undefined);
    return linesOf(path);
  };
  // Block 6 has several operations of one account.
  for (const at of [5, 20]) {
    const [still, moved] = [await file(at, at), await file(at, blocks.length)];
    const first = still.findIndex((line, i) => line !== moved[i]);
    t.equal(first, -1, `${still[first]} became ${moved[first]}`);
    t.equal(moved.length, still.length);
    t.ok(
      still.some((line) => line.startsWith('{"id":"2.9.')),
      'there are entries',
    );
  }
});

t.test('a block that is undone is not written: the one that takes its place is', async (t) => {
  const world = await World.open();
  const { log } = world;
  const path = join(t.testdir(), 'dump.json');
  const part = world.start({ 'snapshot-to': path, 'snapshot-at-block': 3, ...select('1 2 *') });
  world.chain.push(blocks, 4);
  world.chain.stored.chain.blocks.popTo(3);
  world.chain.push(blocks, 5);
  world.chain.stored.chain.blocks.popTo(2);
  while (part.health?.() === undefined) await new Promise(setImmediate);
  t.match(part.health?.(), `${path} cannot be written: the block was undone`);
  t.notOk(existsSync(path) || existsSync(`${path}.tmp`));
  world.chain.push(blocks, 5);
  await part.close?.();
  t.equal(part.health?.(), undefined);
  t.ok(existsSync(path));
  t.equal(log.entries.filter(({ text }) => text === 'the objects are written').length, 1);
  await world.chain.close();
});

t.test('at a time, too: when the first block of that time is another one, that is written', async (t) => {
  const world = await World.open();
  const { log } = world;
  const path = join(t.testdir(), 'dump.json');
  const time = blocks[9]?.timestamp ?? 0;
  const part = world.start({ 'snapshot-to': path, 'snapshot-at-time': time, ...select('1 2 *') });
  world.chain.push(blocks, 10);
  world.chain.stored.chain.blocks.popTo(9);
  await eventually('it is given up', () => part.health?.());
  t.notOk(existsSync(path));
  world.chain.push(blocks, 12);
  await part.close?.();
  t.equal(part.health?.(), undefined);
  const written = log.entries.filter(({ text }) => text === 'the objects are written');
  t.same(
    written.map(({ values }) => values.block),
    [10],
  );
  await world.chain.close();
});

t.test('the end of one that was given up takes nothing from the one that follows', async (t) => {
  const world = await World.open();
  const path = join(t.testdir(), 'dump.json');
  const part = world.start({ 'snapshot-to': path, 'snapshot-at-block': 10 });
  world.chain.push(blocks, 10);
  world.chain.stored.chain.blocks.popTo(9);
  world.chain.push(blocks, 10);
  await eventually('the first is given up', () => part.health?.());
  world.chain.push(blocks);
  await part.close?.();
  t.same(linesOf(path).map(plain), recorded('at-block-10').slice(0, -1).map(plain));
  await world.chain.close();
});

t.test(
  'a block that is past is said to be, one that is to come is not; nothing is written behind the end',
  async (t) => {
    const world = await World.open();
    const path = join(t.testdir(), 'dump.json');
    world.chain.push(blocks, 5);
    const past = (): number =>
      world.log.texts('warn').filter((text) => text.endsWith('were to be written is past')).length;
    const timeOf = (number: number): number => blocks[number - 1]?.timestamp ?? 0;
    for (const [when, isPast] of [
      [{ 'snapshot-at-block': 4 }, true],
      [{ 'snapshot-at-block': 5 }, true],
      [{ 'snapshot-at-block': 6 }, false],
      [{ 'snapshot-at-time': timeOf(5) }, true],
      [{ 'snapshot-at-time': timeOf(5) + 1 }, false],
    ] as const) {
      const before = past();
      const part = world.start({ 'snapshot-to': path, ...when });
      t.equal(past() - before, isPast ? 1 : 0, JSON.stringify(when));
      await part.close?.();
    }
    world.chain.push(blocks, 7);
    await new Promise(setImmediate);
    t.notOk(existsSync(path) || existsSync(`${path}.tmp`));
    await world.chain.close();
  },
);

t.test('what would be a mixture is given up by name', async (t) => {
  const world = await World.open();
  const folder = t.testdir();
  let isStopped = false;
  const stopping: HistorySource = {
    ...world.history,
    changesOf: (block) => (isStopped ? undefined : world.history.changesOf(block)),
  };
  const failing = async (name: string, history: HistorySource | undefined, meanwhile: () => void): Promise<unknown> => {
    const at = { 'snapshot-to': join(folder, name), 'snapshot-at-block': world.chain.head + 1 };
    const part = world.start({ ...at, ...select('1 2 *') }, history);
    world.chain.push(blocks, world.chain.head + 1);
    meanwhile();
    await part.close?.();
    return part.health?.();
  };
  const byHand = await failing('amended', world.history, () => {
    const update = { id: '1.2.5', _action: 'update', network_fee_percentage: 1 };
    world.chain.stored.chain.debug.amendHead(readObjectUpdate(update));
  });
  t.match(byHand, 'amended cannot be written: the state was changed by hand');
  const stopped = await failing('stopped', stopping, () => {
    isStopped = true;
    world.chain.push(blocks, world.chain.head + 1);
  });
  t.match(stopped, 'stopped cannot be written: the histories of accounts do not keep up with the chain');
  const without = await failing('without', stopping, () => undefined);
  t.equal(without, undefined, 'histories that are not there from the start are left out, and said to be');
  t.ok(world.log.entries.some(({ text }) => text.startsWith('the objects are written without histories')));
  await world.chain.close();
});

t.test('its options ask for it, whatever plugins are named', (t) => {
  const isAskedFor = (options: Partial<Options>) => snapshotPart.plugin?.isAskedFor?.({ ...NONE, ...options });
  t.equal(isAskedFor({}), false);
  t.equal(isAskedFor({ 'snapshot-to': 'dump.json' }), true);
  t.equal(isAskedFor({ 'snapshot-at-block': 5 }), true);
  t.equal(isAskedFor({ 'snapshot-at-time': 5 }), true);
  t.end();
});

t.test('what cannot be is said: at the start, or while the node goes on', async (t) => {
  const world = await World.open();
  refused(t, SNAPSHOT_DUMP_ERRORS.dump_without_when, () => world.start({ 'snapshot-to': 'x' }));
  refused(t, SNAPSHOT_DUMP_ERRORS.dump_without_file, () => world.start({ 'snapshot-at-block': 1 }));
  t.equal(world.start(select('1 2 *')).close, undefined, 'nothing to do');
  for (const text of ['a b c', '1 2', '1 2 3 4', '-1 2 3']) t.equal(selectionOption.parse(text), undefined, text);
  for (const text of ['yesterday', '2017-13-01T00:00:00']) t.equal(timeOption.parse(text), undefined, text);
  t.equal(selectionOption.format(selectionOption.parse('* 2 5') as never), '* * *');
  t.equal(timeOption.format(timeOption.parse('2017-09-29T00:00:54') as number), '2017-09-29T00:00:54');
  const path = join(t.testdir(), 'missing', 'dump.json');
  const part = world.start({ 'snapshot-to': path, 'snapshot-at-block': 10 });
  world.chain.push(blocks);
  await part.close?.();
  t.equal(world.chain.head, 25, 'blocks go on');
  t.match(part.health?.(), `${path} cannot be written: ENOENT`);
  const late = world.start({ 'snapshot-to': path, 'snapshot-at-block': 10 });
  t.ok(world.log.entries.some(({ text }) => text === 'the block whose objects were to be written is past'));
  await late.close?.();
  await world.chain.close();
});
