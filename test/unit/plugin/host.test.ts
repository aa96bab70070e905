import t, { type Test } from 'tap';
import '../../../src/operations/index.js';
import { feedLog } from '../../../src/node/chain/feed-log.js';
import type { StoredChain } from '../../../src/node/chain/stored-chain.js';
import { BlockFeed, type FeedLimits } from '../../../src/plugin/feed.js';
import type {
  AddedFollower,
  BlockPlace,
  FeedBlock,
  FeedPart,
  Follower,
  FollowerStatus,
} from '../../../src/plugin/follower.js';
import { FollowerHost } from '../../../src/plugin/host.js';
import type { SignedBlock } from '../../../src/protocol/block.js';
import { STORAGE_FOLDERS } from '../../../src/storage/storage.js';
import { goldenBlocks, goldenGenesis } from '../../support/golden.js';
import { type HistoryObject, historyObject, undisturbedHistory } from '../../support/history.js';
import { MemoryDisk } from '../../support/memory-disk.js';
import { MemoryLog } from '../../support/memory-log.js';

/** Followers of the recorded chain on a disk in memory. */

const LAST = 80;
const genesis = goldenGenesis();
const blocks = [...goldenBlocks()].slice(0, LAST);
const history = undisturbedHistory(genesis, blocks);

/** Keeps what it was told, and itself in order. */
class Recorder implements Follower {
  readonly name: string;
  readonly reads: FeedPart = 'operations';
  readonly calls: string[] = [];
  readonly blocks: FeedBlock[] = [];
  readonly base: BlockPlace;
  settled = 0;
  isClosed = false;
  /** Waited for before a block is taken. */
  gate: Promise<void> | undefined;
  failsAt: number | undefined;

  constructor(name: string, base: BlockPlace = { number: 0, id: '' }) {
    this.name = name;
    this.base = base;
  }

  get position(): BlockPlace {
    const { number, id } = this.blocks.at(-1) ?? this.base;
    return { number, id };
  }

  apply(block: FeedBlock): void | Promise<void> {
    if (block.number === this.failsAt) throw new Error('the disk of this follower is full');
    if (this.gate !== undefined) return this.gate.then(() => this.#take(block));
    this.#take(block);
  }

  #take(block: FeedBlock): void {
    this.calls.push(`+${block.number}`);
    this.blocks.push(block);
  }

  undo({ number }: BlockPlace): void {
    this.calls.push(`-${number}`);
    this.blocks.pop();
  }

  settle(number: number): void {
    this.settled = number;
  }

  close(): void {
    this.isClosed = true;
  }

  get history(): HistoryObject[] {
    return this.blocks.flatMap(({ number, operations }) =>
      operations.map((one) => historyObject(one.instance, number, one.virtual, one)),
    );
  }
}

class World {
  readonly stored: StoredChain;
  readonly feed: BlockFeed;
  readonly host: FollowerHost;
  readonly log = new MemoryLog();
  /** Moves by so much whenever somebody looks at it. */
  tickMs = 0;
  #nowMs = 0;

  constructor(stored: StoredChain, limits?: FeedLimits) {
    this.stored = stored;
    this.feed = new BlockFeed(stored.chain.blocks, feedLog(stored.storage), limits);
    const clock = { monotonicMs: () => (this.#nowMs += this.tickMs) };
    this.host = new FollowerHost({ feed: this.feed, clock, log: this.log });
  }

  static async open(limits?: FeedLimits, disk = new MemoryDisk(genesis)): Promise<World> {
    return new World(await disk.open({ saveBlocks: 1 }), limits);
  }

  readonly added = new Map<string, AddedFollower>();

  add(follower: Follower): void {
    this.added.set(follower.name, this.host.add(follower));
  }

  async caughtUp(name: string): Promise<void> {
    await this.added.get(name)?.caughtUp();
  }

  statusOf(name: string): FollowerStatus | undefined {
    return this.added.get(name)?.status;
  }

  get head(): number {
    return this.stored.chain.blocks.head.number;
  }

  push(to: number): void {
    for (let number = this.head + 1; number <= to; number++) {
      this.stored.chain.blocks.push({ block: blocks[number - 1] as SignedBlock });
    }
  }
}

function same(t: Test, recorder: Recorder, to: number, what: string): void {
  const wanted = history.filter(({ block_num }) => (block_num as number) <= to);
  t.equal(recorder.position.number, to, `${what}: stands on block ${to}`);
  t.equal(recorder.history.length, wanted.length, `${what}: as many operations`);
  t.ok(JSON.stringify(recorder.history) === JSON.stringify(wanted), `${what}: the same ones`);
}

t.test('early or late, a follower gets every block with all its operations, and then each new one', async (t) => {
  const w = await World.open();
  const early = new Recorder('early');
  w.add(early);
  w.push(50);
  const late = new Recorder('late');
  w.add(late);
  t.equal(late.blocks.length, 0, 'nothing happens at once');
  for (const name of ['early', 'late']) await w.caughtUp(name);
  same(t, early, 50, 'early');
  same(t, late, 50, 'late');
  t.equal(w.statusOf('late')?.state, 'live');
  w.push(LAST);
  t.equal(early.position.number, 50, 'not while a block is at work');
  for (const name of ['early', 'late']) await w.caughtUp(name);
  same(t, early, LAST, 'early');
  same(t, late, LAST, 'late');
  const ids = w.stored.chain.queries.blockByNumber(60)?.transactions.length;
  t.equal(late.blocks[59]?.transactionIds.length, ids);
  await w.host.close();
  t.ok(early.isClosed && late.isClosed);
  t.equal(w.statusOf('early')?.state, 'closed');
});

t.test('blocks that are taken back are undone, whether the follower is live or on its way', async (t) => {
  const w = await World.open();
  const live = new Recorder('live');
  w.add(live);
  w.push(40);
  await w.caughtUp('live');
  const { irreversible } = w.stored.chain.blocks.head;
  t.ok(irreversible < 38);
  w.stored.chain.blocks.popTo(38);
  await w.caughtUp('live');
  t.same(live.calls.slice(-2), ['-40', '-39']);
  // What comes and goes before a follower has its turn, it never hears of.
  w.push(45);
  w.stored.chain.blocks.popTo(39);
  w.push(42);
  await w.caughtUp('live');
  t.same(live.calls.slice(-4), ['+39', '+40', '+41', '+42']);
  same(t, live, 42, 'live');

  // Whoever was given a block may look at what it did when it is no longer part of the chain.
  const given = new BlockFeed(w.stored.chain.blocks, feedLog(w.stored.storage)).read(42);
  w.stored.chain.blocks.popTo(39);
  const wanted = history.filter(({ block_num }) => block_num === 42);
  t.equal(given?.operations.length, wanted.length);
  w.push(42);
  await w.caughtUp('live');

  // A slice is one block: the chain changes under a follower that is on its way.
  w.tickMs = 10;
  const slow = new Recorder('slow');
  w.add(slow);
  while (slow.position.number < 42) await new Promise((resolve) => setImmediate(resolve));
  w.stored.chain.blocks.popTo(39);
  w.push(50);
  await w.caughtUp('slow');
  same(t, slow, 50, 'slow');
  await w.host.close();
});

t.test('catching up is cut in slices: others have their turn in between', async (t) => {
  const w = await World.open();
  w.push(40);
  w.tickMs = 1;
  const recorder = new Recorder('recorder');
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  w.add(recorder);
  await w.caughtUp('recorder');
  isDone = true;
  t.ok(turns >= 40 / 4, `${turns} turns for 40 blocks of which four fit into a slice`);
  await w.host.close();
});

t.test('new blocks come from a bounded queue, what fell out of it from the logs', async (t) => {
  const w = await World.open({ blocks: 4, operations: 1000 });
  const [fast, slow] = [new Recorder('fast'), new Recorder('slow')];
  w.push(10);
  w.add(fast);
  w.add(slow);
  for (const name of ['fast', 'slow']) await w.caughtUp(name);
  w.feed.readFromLog = 0;
  let open: () => void = () => undefined;
  slow.gate = new Promise((resolve) => (open = resolve));
  for (let number = 11; number <= 40; number++) {
    w.push(number);
    await w.caughtUp('fast');
  }
  t.equal(w.feed.readFromLog, 0, 'nothing was read for the fast one');
  t.equal(slow.position.number, 10, 'the slow one has stopped nobody');
  open();
  await w.caughtUp('slow');
  t.equal(w.feed.readFromLog, 25, 'all but the first, which it had, and the newest four');
  same(t, fast, 40, 'fast');
  same(t, slow, 40, 'slow');
  await w.host.close();
  const few = await World.open({ blocks: 100, operations: 1 });
  const recorder = new Recorder('few operations');
  few.add(recorder);
  few.push(60);
  await few.caughtUp('few operations');
  t.ok(few.feed.readFromLog > 0, 'the queue is bounded in operations too');
  same(t, recorder, 60, 'few operations');
});

t.test('one that fails stops alone, with its reason in the log and in its status', async (t) => {
  const w = await World.open();
  const [good, bad] = [new Recorder('good'), new Recorder('bad')];
  bad.failsAt = 30;
  w.add(bad);
  w.add(good);
  w.push(LAST);
  await w.caughtUp('good');
  await w.caughtUp('bad');
  same(t, good, LAST, 'good');
  const reason = 'the disk of this follower is full';
  t.match(w.statusOf('bad'), { state: 'failed', position: { number: 29 }, reason });
  t.match(w.log.entries.at(-1), { level: 'error', values: { follower: 'bad', block: 29, error: reason } });
  t.equal(w.head, LAST);
  await w.host.close();
  t.ok(bad.isClosed, 'it is closed as well');
  t.equal(w.statusOf('bad')?.state, 'failed');
});

t.test('a follower that says it stands elsewhere is not believed', async (t) => {
  const w = await World.open();
  w.push(10);
  const stuck = new Recorder('stuck');
  stuck.apply = () => undefined;
  w.add(stuck);
  await w.caughtUp('stuck');
  const id = w.stored.chain.queries.blockIdOf(1);
  t.match(w.statusOf('stuck')?.reason, `follower stuck was given block 1 ${id} and says that it stands on block 0`);
  const foreign = new Recorder('foreign', { number: 5, id: 'ab'.repeat(20) });
  foreign.undo = () => undefined;
  w.add(foreign);
  await w.caughtUp('foreign');
  t.match(
    w.statusOf('foreign')?.reason,
    `follower foreign stands on block 5 ${'ab'.repeat(20)}, which is not in this chain, and does not take it back`,
  );
  t.throws(() => w.add(new Recorder('stuck')), 'there are two followers with the name stuck');
  await w.host.close();
});

t.test('settled is what is irreversible and on the disk', async (t) => {
  const w = await World.open();
  const recorder = new Recorder('recorder');
  w.add(recorder);
  w.push(40);
  await w.caughtUp('recorder');
  t.ok(w.stored.chain.blocks.head.irreversible > 20);
  t.equal(recorder.settled, 0, 'nothing is on the disk yet');
  await w.stored.storage.flush();
  const stored = w.stored.storage.objects.head?.number;
  w.push(41);
  await w.caughtUp('recorder');
  t.equal(recorder.settled, stored);
  w.stored.chain.blocks.popTo(w.stored.chain.blocks.head.irreversible);
  w.push(50);
  await w.caughtUp('recorder');
  t.ok(recorder.calls.filter((call) => call.startsWith('-')).every((call) => -Number(call) > (stored ?? 0)));
  await w.host.close();
});

t.test('a follower goes on where it was, in another life of the node', async (t) => {
  const disk = new MemoryDisk(genesis);
  const first = await World.open(undefined, disk);
  first.push(40);
  await first.stored.close();
  const known = { number: 30, id: first.stored.chain.queries.blockIdOf(30) as string };
  const second = await World.open(undefined, disk);
  const recorder = new Recorder('recorder', known);
  second.add(recorder);
  second.push(50);
  await second.caughtUp('recorder');
  t.same([recorder.blocks[0]?.number, recorder.position.number], [31, 50]);
  const [one] = recorder.history;
  const wanted = history.find(({ block_num }) => (block_num as number) > 30);
  t.same(one, wanted, 'numbered from anywhere');
  await second.host.close();
});

t.test('a follower that needs more than the journal has is refused by name, unless it can begin there', async (t) => {
  const disk = new MemoryDisk(genesis);
  const first = await World.open(undefined, disk);
  first.push(60);
  await first.stored.close();
  disk.files.remove(`data/${STORAGE_FOLDERS.journal}`);
  const w = await World.open(undefined, disk);
  const begin = w.stored.storage.journal.firstNumber;
  t.ok(begin > 20);
  w.add(new Recorder('whole history'));
  class Blocks extends Recorder {
    override readonly reads = 'blocks';
  }
  const withoutOperations = new Blocks('blocks alone');
  w.add(withoutOperations);
  class Late extends Recorder {
    #from: BlockPlace | undefined;
    skipTo(place: BlockPlace): void {
      this.#from = place;
    }
    override get position(): BlockPlace {
      return this.blocks.length === 0 && this.#from !== undefined ? this.#from : super.position;
    }
  }
  const late = new Late('from anywhere');
  w.add(late);
  for (const { name } of w.host.statuses) await w.caughtUp(name);
  t.match(w.statusOf('whole history'), {
    state: 'refused',
    reason: `follower whole history needs block 1, and this node has operations from block ${begin} on`,
  });
  t.equal(withoutOperations.position.number, w.head, 'the block log has all blocks');
  t.same([late.blocks[0]?.number, late.position.number], [begin, w.head]);
  const rest = history.filter(({ block_num }) => (block_num as number) >= begin && (block_num as number) <= w.head);
  t.same(late.history, rest);
  await w.host.close();
});

t.test('a snapshot that lacks what a follower would go on with is made, and said to', async (t) => {
  const w = await World.open();
  w.push(5);
  class Carrying extends Recorder {
    readonly asked: number[] = [];
    answer: () => Promise<boolean> = async () => true;
    carry({ number }: BlockPlace): Promise<boolean> {
      this.asked.push(number);
      return this.answer();
    }
  }
  const [able, failed] = [new Carrying('able'), new Carrying('failed')];
  failed.failsAt = 5;
  w.add(able);
  w.add(failed);
  w.add(new Recorder('with nothing to carry'));
  for (const { name } of w.host.statuses) await w.caughtUp(name);
  const warned = (): unknown[] =>
    w.log.entries.filter(({ text }) => text.startsWith('a snapshot is made without')).map(({ values }) => values);
  const place = { number: 4, id: 'id 4' };
  const carry = (): Promise<void> => w.host.carry(place, () => async () => undefined);
  await carry();
  const ofFailed = { follower: 'failed', block: 4, snapshot: 4 };
  t.same(warned(), [ofFailed]);
  t.same([able.asked, failed.asked], [[4], []], 'one that has stopped is not asked');
  able.answer = async () => false;
  await carry();
  t.same(warned().slice(1), [ofFailed, { follower: 'able', block: 5, snapshot: 4 }]);
  able.answer = () => Promise.reject(new Error('the disk of the snapshot is full'));
  await t.rejects(carry(), /the disk of the snapshot is full/);
  await w.host.close();
});

t.test('one that wants irreversible blocks alone gets those, never has to undo, and waits for lost ones', async (t) => {
  class Final extends Recorder {
    readonly upTo = 'irreversible';
  }
  const disk = new MemoryDisk(genesis);
  const w = await World.open(undefined, disk);
  const final = new Final('final');
  w.add(final);
  w.push(40);
  await w.caughtUp('final');
  const { irreversible } = w.stored.chain.blocks.head;
  t.ok(irreversible > 20 && irreversible < 38);
  t.equal(final.position.number, irreversible);
  t.equal(final.settled, irreversible, 'nothing is on the disk, and it stays all the same');
  w.stored.chain.blocks.popTo(irreversible);
  w.push(50);
  await w.caughtUp('final');
  t.ok(final.calls.every((call) => call.startsWith('+')));
  same(t, final, w.stored.chain.blocks.head.irreversible, 'final');
  await w.host.close();

  // The node comes back without its newest blocks, as after a loss of power.
  const again = await World.open();
  again.push(30);
  const ahead = new Final('ahead', final.position);
  again.add(ahead);
  await new Promise((resolve) => setImmediate(resolve));
  t.match(again.statusOf('ahead'), { position: final.position, reason: undefined });
  again.push(70);
  await again.caughtUp('ahead');
  t.equal(ahead.blocks[0]?.number, final.position.number + 1);
  const foreign = new Final('foreign', { number: 5, id: 'ab'.repeat(20) });
  again.add(foreign);
  await again.caughtUp('foreign');
  t.match(again.statusOf('foreign')?.reason, 'is not in this chain');
  t.same(foreign.calls, [], 'it is not asked to undo');
  await again.host.close();
});
