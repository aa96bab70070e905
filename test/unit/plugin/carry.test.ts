import t from 'tap';
import type { KeyValueChange } from '../../../src/plugin/api.js';
import { type FeedBlock, NO_BLOCK } from '../../../src/plugin/follower.js';
import { type CarriedPart, StoredFollower, type Taken } from '../../../src/plugin/stored-follower.js';
import type { CarriedEntries } from '../../../src/storage/kv.js';
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
