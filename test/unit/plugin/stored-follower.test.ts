import t from 'tap';
import type { ChainView, KeyValueChange, PluginStores } from '../../../src/plugin/api.js';
import { type FeedBlock, NO_BLOCK } from '../../../src/plugin/follower.js';
import type { Cursor, StoreWriter, Written } from '../../../src/plugin/store-writer.js';
import {
  type CarriedPart,
  openStored,
  StoredFollower,
  type Taken,
  type WriteLimits,
} from '../../../src/plugin/stored-follower.js';
import type { HeldReads } from '../../../src/storage/kv.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';
import { eventually } from '../../support/eventually.js';

/** When what a follower has taken is written, where somebody beside it writes as much as a moment is enough for. */

const blockAt = (number: number): FeedBlock =>
  ({ number, id: `id ${number}`, block: { transactions: [1, 2] } }) as unknown as FeedBlock;

/** One block for each order, which ends when it is let. */
class SlowWriter implements StoreWriter {
  readonly orders: number[] = [];
  readonly #waiting: (() => void)[] = [];
  isHeld = false;
  fails = false;

  async write(cursor: Cursor, number: number): Promise<Written> {
    this.orders.push(number);
    if (this.isHeld) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else await new Promise((resolve) => setImmediate(resolve));
    if (this.fails) throw new Error('the disk is full');
    const next = cursor.place.number + 1;
    return { cursor: { ...cursor, place: { number: next, id: `id ${next}` } }, operations: 2 };
  }

  let(): void {
    this.isHeld = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  isClosed = false;

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

/** What only the thread writes. */
const KEY = Uint8Array.of(7);

class Numbers extends StoredFollower<Taken> {
  readonly name = 'numbers';
  readonly reads = 'blocks';

  protected take({ number, id }: FeedBlock): Taken {
    return { number, id, records: 1, next: {} };
  }
  protected takeBack(): void {}
  protected changesOf(): KeyValueChange[] {
    return [];
  }
  protected forget(): void {}
  peek(): Uint8Array | undefined {
    return this.store.get(KEY);
  }
  protected next(): Readonly<Record<string, number>> {
    return {};
  }
  protected override standBehind(): void {}
  protected override carried(): CarriedPart {
    return { about: {}, from: Uint8Array.of(1), to: Uint8Array.of(2) };
  }
}

function open(limits: WriteLimits, blocks: number, store = new MemoryKv()): { writer: SlowWriter; follower: Numbers } {
  const writer = new SlowWriter();
  const cursor = { format: 1, chain: 'chain', options: '', place: NO_BLOCK, from: 1, next: {} };
  const follower = new Numbers({ store, cursor, renew: async () => store, writer }, limits);
  for (let number = 1; number <= blocks; number++) follower.apply(blockAt(number));
  return { writer, follower };
}

const at = ({ cursor }: Numbers): number => cursor.place.number;

t.test('all that stays is written, although it is told once and an order ends early', async (t) => {
  const { writer, follower } = open({ blocks: 4, records: 1000 }, 12);
  t.equal(follower.settle(6), undefined, 'nobody has to wait for so little');
  await eventually('less than is worth it is left', () => at(follower) === 3);
  t.same(writer.orders, [6, 6, 6]);
  await new Promise((resolve) => setImmediate(resolve));
  t.same(writer.orders, [6, 6, 6], 'the rest waits for more');
  await follower.flush();
  t.equal(at(follower), 6);
  await follower.close();
});

t.test('where more comes than is written, blocks wait until less is left', async (t) => {
  for (const [limits, left] of [
    [{ blocks: 4, records: 1000 }, 7],
    [{ blocks: 1000, records: 6 }, 5],
  ] as const) {
    const { follower } = open(limits, 20);
    await follower.settle(20);
    t.equal(20 - at(follower), left, 'less than twice as much as is written together');
    await follower.close();
    t.equal(at(follower), 20);
  }
});

t.test('a snapshot of an earlier block is made first, and then the rest is written', async (t) => {
  const { writer, follower } = open({ blocks: 7, records: 1000 }, 16);
  writer.isHeld = true;
  const found: number[] = [];
  const carrying = follower.carry({ number: 5, id: 'id 5' }, async () => void found.push(at(follower)));
  t.equal(follower.settle(13), undefined);
  writer.let();
  t.equal(await carrying, true);
  t.same(found, [5], 'it is read as of its block');
  await eventually('what stays is written', () => at(follower) === 7);
  await follower.close();
});

t.test('nothing is written behind a snapshot that has failed', async (t) => {
  const { writer, follower } = open({ blocks: 2, records: 1000 }, 16);
  writer.fails = true;
  await t.rejects(
    follower.carry({ number: 5, id: 'id 5' }, async () => void t.fail('there is nothing to read')),
    /the disk is full/,
  );
  await new Promise((resolve) => setImmediate(resolve));
  t.same(writer.orders, [5]);
  await follower.close();
});

t.test('a failure of what was written on the way is told, and nothing more is tried', async (t) => {
  const { writer, follower } = open({ blocks: 4, records: 1000 }, 12);
  writer.isHeld = true;
  t.equal(follower.settle(6), undefined);
  writer.fails = true;
  writer.let();
  await eventually('it is known', () => {
    try {
      follower.settle(7);
      return false;
    } catch (error) {
      return (error as Error).message === 'the disk is full';
    }
  });
  t.same(writer.orders, [6]);
  await follower.close();
});

t.test('where the thread reads the blocks by itself, nothing more is tried after a failure either', async (t) => {
  const { writer, follower } = open({ blocks: 4, records: 1000 }, 12);
  writer.fails = true;
  t.equal(follower.settle(6), undefined);
  await eventually('it has failed', () => {
    try {
      follower.settle(6);
      return false;
    } catch {
      return true;
    }
  });
  await t.rejects(async () => follower.advance?.(8), /the disk is full/);
  t.same(writer.orders, [6]);
  await follower.close();
});

t.test('what a thread writes is read when all of it is there, and nothing is held longer', async (t) => {
  class Counted extends MemoryKv {
    held = 0;
    override hold(): HeldReads {
      this.held++;
      const { release, ...reads } = super.hold();
      return {
        ...reads,
        release: async () => {
          this.held--;
          await release();
        },
      };
    }
  }
  const store = new Counted();
  const { writer, follower } = open({ blocks: 1, records: 1000 }, 1, store);
  writer.isHeld = true;
  t.equal(follower.settle(1), undefined);
  const batch = store.batch();
  batch.add({ key: KEY, value: KEY });
  await batch.write();
  t.equal(follower.peek(), undefined, 'it is still being written');
  t.equal(store.held, 1);
  writer.let();
  await follower.flush();
  t.same(follower.peek(), KEY);
  t.equal(store.held, 0);
  await follower.close();
});

t.test('at the end thread and store are closed, also when what is left cannot be written', async (t) => {
  class Closing extends MemoryKv {
    isClosed = false;
    override async close(): Promise<void> {
      this.isClosed = true;
    }
  }
  for (const fails of [false, true]) {
    const store = new Closing();
    const { writer, follower } = open({ blocks: 4, records: 1000 }, 3, store);
    follower.settle(3);
    writer.fails = fails;
    if (fails) await t.rejects(follower.close(), /the disk is full/);
    else await follower.close();
    t.same([writer.isClosed, store.isClosed], [true, true]);
  }
});

t.test('a store of another chain, format, options or branch is begun anew, any other is gone on with', async (t) => {
  const kept: Cursor = {
    format: 1,
    chain: 'chain',
    options: 'all',
    place: { number: 5, id: 'id 5' },
    from: 1,
    next: {},
  };
  for (const [what, found, why] of [
    ['as it was left', kept, undefined],
    ['format', { ...kept, format: 2 }, /^it has format 2, not 1$/],
    ['chain', { ...kept, chain: 'other' }, /^it is of another chain$/],
    ['options', { ...kept, options: 'some' }, /^it was made with other options: some$/],
    [
      'branch',
      { ...kept, place: { number: 5, id: 'id 5 of another branch' } },
      /^its newest block 5 is not in the chain$/,
    ],
    ['too new', { ...kept, place: { number: 7, id: 'id 7' } }, /^its newest block 7 is not in the chain$/],
    ['empty', undefined, undefined],
    ['nothing but its origin', { ...kept, place: NO_BLOCK }, undefined],
  ] as const) {
    const [left, fresh] = [new MemoryKv(), new MemoryKv()];
    if (found !== undefined) {
      const batch = left.batch();
      batch.add({ key: Uint8Array.of(0), value: new TextEncoder().encode(JSON.stringify(found)) });
      await batch.write();
    }
    const renewed: string[] = [];
    const stores = {
      open: async () => left,
      renew: async (_: unknown, reason: string) => {
        renewed.push(reason);
        return fresh;
      },
    } as unknown as PluginStores;
    const blockIdOf = (number: number) => (number <= 6 ? `id ${number}` : undefined);
    const chain = { queries: { chainId: 'chain', blockIdOf } } as unknown as ChainView;
    const { store, cursor } = await openStored(stores, chain, { name: 'x', format: 1, options: 'all' });
    t.equal(store, why === undefined ? left : fresh, what);
    t.match(renewed, why === undefined ? [] : [why]);
    const isKept = found !== undefined && why === undefined;
    t.same(cursor, isKept ? found : { ...kept, place: NO_BLOCK });
  }
});
