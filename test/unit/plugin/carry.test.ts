import t from 'tap';
import type { KeyValueChange } from '../../../src/plugin/api.js';
import { type Carried, type FeedBlock, NO_BLOCK } from '../../../src/plugin/follower.js';
import { type CarriedPart, StoredFollower, storedCursor, type Taken } from '../../../src/plugin/stored-follower.js';
import type { CarriedEntries, KeyValue } from '../../../src/storage/kv.js';
import { MemoryKv } from '../../../src/storage/memory-kv.js';

/** What a follower hands to a snapshot is of the block that the snapshot is of, whatever is written around it. */

class SlowKv extends MemoryKv {
  readonly waiting: (() => void)[] = [];

  override async write(changes: readonly KeyValueChange[]): Promise<void> {
    await new Promise<void>((resolve) => this.waiting.push(resolve));
    await super.write(changes);
  }
}

const KEY = Uint8Array.of(1);

class Last extends StoredFollower<Taken> {
  readonly name = 'last';
  readonly reads = 'blocks';

  #newest = 0;

  protected take({ number, id }: FeedBlock): Taken {
    this.#newest = number;
    return { number, id, records: 1, next: { number } };
  }
  protected takeBack(): void {}
  protected changesOf(blocks: readonly Taken[]): KeyValueChange[] {
    return [{ key: KEY, value: Uint8Array.of(blocks.at(-1)?.number ?? 0) }];
  }
  protected forget(): void {}
  protected next(): Readonly<Record<string, number>> {
    return { number: this.#newest + 1 };
  }
  protected override carried(): CarriedPart {
    return { about: { kind: 'last' }, from: KEY, to: Uint8Array.of(2) };
  }
  protected override beginWith(carried: Carried | undefined): string | undefined {
    return carried?.about.kind === 'last' ? undefined : 'nothing is known of what was before';
  }
  protected override changesFrom([key, value]: KeyValue): KeyValueChange[] {
    return [{ key, value }];
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const blockAt = (number: number): FeedBlock => ({ number, id: `id ${number}` }) as FeedBlock;

function open(): { kv: SlowKv; follower: Last } {
  const kv = new SlowKv();
  const cursor = { format: 1, chain: 'chain', options: '', place: NO_BLOCK, from: 1, next: {} };
  const follower = new Last({ store: kv, cursor, renew: async () => kv }, { blocks: 1, records: 1 });
  for (let number = 1; number <= 10; number++) follower.apply(blockAt(number));
  return { kv, follower };
}

t.test('neither less nor more is written before it is read', async (t) => {
  const { kv, follower } = open();
  const first = follower.settle(3);
  const found: unknown[] = [];
  const write = async ({ about, entries }: CarriedEntries): Promise<void> => {
    for await (const some of entries) for (const [, value] of some) found.push(about, value[0]);
  };
  const carrying = follower.carry({ number: 7, id: 'id 7' }, write);
  const second = follower.settle(10);
  for (let i = 0; i < 20; i++) {
    kv.waiting.shift()?.();
    await turn();
    follower.settle(10)?.catch(() => undefined);
  }
  t.equal(await carrying, true);
  t.same(found, [{ kind: 'last', number: 8 }, 7]);
  await Promise.all([first, second]);
  t.equal(kv.get(KEY)?.[0], 10, 'and the rest afterwards');
});

t.test('a block that it does not stand on, or is behind of, it says nothing about', async (t) => {
  const { kv, follower } = open();
  const never = async (): Promise<void> => {
    t.fail('nothing is to be written');
  };
  t.equal(await follower.carry({ number: 7, id: 'another' }, never), false);
  t.equal(await follower.carry({ number: 11, id: 'id 11' }, never), false);
  follower.settle(10)?.catch(() => undefined);
  while (kv.get(KEY)?.[0] !== 10) {
    kv.waiting.shift()?.();
    await turn();
  }
  await turn();
  t.equal(await follower.carry({ number: 9, id: 'id 9' }, never), false, 'what is stored cannot be taken back');
});

t.test('a snapshot that cannot be written is told, and the follower goes on', async (t) => {
  const { kv, follower } = open();
  const carrying = follower.carry({ number: 7, id: 'id 7' }, async () => {
    await turn();
    throw new Error('the disk of the snapshot is full');
  });
  const told = t.rejects(carrying, /the disk of the snapshot is full/);
  for (let i = 0; i < 10; i++) {
    kv.waiting.shift()?.();
    await turn();
  }
  await told;
  follower.settle(10)?.catch(() => undefined);
  for (let i = 0; i < 10; i++) {
    kv.waiting.shift()?.();
    await turn();
  }
  t.equal(kv.get(KEY)?.[0], 10);
});

t.test('a follower that could not write what it had has nothing for a snapshot', async (t) => {
  class FullKv extends MemoryKv {
    writes = 0;
    override async write(): Promise<void> {
      this.writes++;
      throw new Error('the disk is full');
    }
  }
  const kv = new FullKv();
  const cursor = { format: 1, chain: 'chain', options: '', place: NO_BLOCK, from: 1, next: {} };
  const follower = new Last({ store: kv, cursor, renew: async () => kv }, { blocks: 1, records: 1 });
  for (let number = 1; number <= 3; number++) follower.apply(blockAt(number));
  await t.rejects(async () => follower.settle(3), /the disk is full/);
  const { writes } = kv;
  const never = async (): Promise<void> => {
    t.fail('nothing is to be written');
  };
  t.equal(await follower.carry({ number: 3, id: 'id 3' }, never), false);
  t.equal(kv.writes, writes, 'nor is anything tried again');
});

t.test(
  'where earlier blocks are missing it begins anew, with what the snapshot of that block has for it',
  async (t) => {
    async function* entries(): AsyncGenerator<readonly KeyValue[]> {
      yield [[KEY, Uint8Array.of(20)]];
    }
    const carriedOf = (kind: string): Carried => ({ name: 'last', about: { kind }, entries: entries() });
    for (const [what, stood, given, note, value] of [
      ['a store of earlier blocks', 5, undefined, /nothing is known/, undefined],
      ['an empty one', 0, undefined, /nothing is known/, undefined],
      ['with what it needs', 5, carriedOf('last'), undefined, 20],
      ['with what it has no use for', 0, carriedOf('other'), /nothing is known/, undefined],
    ] as const) {
      const [left, fresh] = [new MemoryKv('left'), new MemoryKv('fresh')];
      if (stood > 0) await left.write([{ key: KEY, value: Uint8Array.of(stood) }]);
      const place = stood === 0 ? NO_BLOCK : { number: stood, id: `id ${stood}` };
      const cursor = { format: 1, chain: 'chain', options: '', place, from: 1, next: {} };
      const why: string[] = [];
      const renew = async (reason: string): Promise<MemoryKv> => {
        why.push(reason);
        return fresh;
      };
      const follower = new Last({ store: left, cursor, renew }, { blocks: 1, records: 1 });
      const said = await follower.skipTo({ number: 20, id: 'id 20' }, given);
      if (note === undefined) t.equal(said, undefined, what);
      else t.match(said, note, what);
      t.same(why, stood === 0 ? [] : ['blocks 6 to 20 are not there'], what);
      const store = stood === 0 ? left : fresh;
      t.equal(store.get(KEY)?.[0], value, what);
      t.match(storedCursor(store), { place: { number: 20, id: 'id 20' }, from: 21 }, what);
      t.same([follower.position, follower.from], [{ number: 20, id: 'id 20' }, 21], what);
      follower.apply(blockAt(21));
      await follower.settle(21);
      await follower.close();
      t.equal(store.get(KEY)?.[0], 21, `${what}: it goes on from there`);
    }
  },
);
