import t from 'tap';
import type { SignedBlock } from '../../../src/protocol/block.js';
import { aheadOf, type BlockLoad, LOOK_AHEAD } from '../../../src/verify/pipeline.js';

/** Blocks are told apart by their timestamp; only the number of their transactions matters besides. */
const block = (number: number, transactions = 0): SignedBlock =>
  ({ timestamp: number, transactions: new Array(transactions).fill(undefined) }) as unknown as SignedBlock;

async function* blocksOf(...list: readonly SignedBlock[]): AsyncGenerator<SignedBlock> {
  yield* list;
}

/** A transaction takes a hundred bytes. */
const loadOf = ({ transactions: { length } }: SignedBlock): BlockLoad => ({
  transactions: length,
  bytes: 100 * length,
});

const numbers = (count: number): SignedBlock[] => Array.from({ length: count }, (_, i) => block(i));

t.test('order is kept whatever is ready first', async (t) => {
  const done: (() => void)[] = [];
  const work = async (one: SignedBlock): Promise<number> => {
    const finished = new Promise<void>((resolve) => {
      done[one.timestamp] = resolve;
    });
    // All have begun: they finish one after the other, in another order.
    if (one.timestamp === 5) setImmediate(finishAll);
    await finished;
    return one.timestamp;
  };
  const finishAll = async (): Promise<void> => {
    for (const number of [5, 1, 3, 4, 2, 0]) {
      done[number]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const seen: number[] = [];
  for await (const number of aheadOf(blocksOf(...numbers(6)), work, loadOf, LOOK_AHEAD)) seen.push(number);
  t.strictSame(seen, [0, 1, 2, 3, 4, 5]);
});

t.test('the queue is bounded by blocks, transactions and bytes, and always has the next of the largest', async (t) => {
  for (const [limit, blocks, expected] of [
    [{ blocks: 4, transactions: 1000, bytes: 100_000 }, numbers(20), 4],
    [{ blocks: 64, transactions: 30, bytes: 100_000 }, Array.from({ length: 20 }, (_, i) => block(i, 10)), 3],
    [{ blocks: 64, transactions: 1000, bytes: 4_900 }, Array.from({ length: 20 }, (_, i) => block(i, 10)), 5],
    [{ blocks: 64, transactions: 5, bytes: 5 }, Array.from({ length: 20 }, (_, i) => block(i, 10)), 2],
  ] as const) {
    let underWay = 0;
    let most = 0;
    const work = async (one: SignedBlock): Promise<SignedBlock> => {
      most = Math.max(most, ++underWay);
      return one;
    };
    let done = 0;
    for await (const _ of aheadOf(blocksOf(...blocks), work, loadOf, limit)) {
      underWay--;
      done++;
    }
    t.equal(done, 20);
    t.equal(most, expected);
  }
});

t.test(
  'half of what is ahead is used before more is read, so that the threads get many small blocks at once',
  async (t) => {
    for (const [limit, each, expected] of [
      [{ blocks: 8, transactions: 1000, bytes: 100_000 }, 1, [8, 12, 16, 20]],
      [{ blocks: 64, transactions: 80, bytes: 100_000 }, 10, [8, 12, 16, 20]],
      [{ blocks: 64, transactions: 1000, bytes: 8_000 }, 10, [8, 12, 16, 20]],
      // The threads have one while another is applied, however large both are.
      [
        { blocks: 64, transactions: 5, bytes: 5 },
        10,
        [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20],
      ],
    ] as const) {
      let begun = 0;
      const bursts = new Set<number>();
      const work = async (one: SignedBlock): Promise<number> => {
        begun++;
        return one.timestamp;
      };
      const blocks = Array.from({ length: 20 }, (_, i) => block(i, each));
      for await (const _ of aheadOf(blocksOf(...blocks), work, loadOf, limit)) bursts.add(begun);
      t.strictSame([...bursts], expected);
    }
  },
);

t.test('an error comes out at the turn of its block', async (t) => {
  const work = async (one: SignedBlock): Promise<number> => {
    if (one.timestamp === 3) throw new Error('third');
    return one.timestamp;
  };
  const seen: number[] = [];
  const walk = (async () => {
    for await (const number of aheadOf(blocksOf(...numbers(10)), work, loadOf, LOOK_AHEAD)) seen.push(number);
  })();
  await t.rejects(walk, { message: 'third' });
  t.strictSame(seen, [0, 1, 2]);
});

t.test('an error of the source comes after the blocks before it; the source is closed', async (t) => {
  let isClosed = false;
  async function* broken(): AsyncGenerator<SignedBlock> {
    try {
      yield* numbers(3);
      throw new Error('torn file');
    } finally {
      isClosed = true;
    }
  }
  const seen: number[] = [];
  const walk = (async () => {
    for await (const one of aheadOf(broken(), async (b) => b.timestamp, loadOf, LOOK_AHEAD)) seen.push(one);
  })();
  await t.rejects(walk, { message: 'torn file' });
  t.strictSame(seen, [0, 1, 2]);
  t.ok(isClosed);

  isClosed = false;
  async function* endless(): AsyncGenerator<SignedBlock> {
    try {
      for (let i = 0; ; i++) yield block(i);
    } finally {
      isClosed = true;
    }
  }
  for await (const one of aheadOf(endless(), async (b) => b.timestamp, loadOf, LOOK_AHEAD)) if (one === 5) break;
  t.ok(isClosed, 'also when the caller stops');
});
