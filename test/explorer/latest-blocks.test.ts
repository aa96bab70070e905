import t from 'tap';
import type { Block } from '../../src/explorer/answers.js';
import { LatestBlocks } from '../../src/explorer/blocks.js';

/** The latest blocks that home shows are of one branch, whatever the chain does between two looks. */

type Links = ConstructorParameters<typeof LatestBlocks>[0];

/** Answers from a chain that changes its mind when a test says so. */
class ToldNode {
  readonly asked: number[] = [];
  received = 0;
  chars = 1;
  readonly #ids: string[] = [];

  /** From block `from` on, blocks of this branch up to `head`. */
  branch(name: string, from: number, head: number): this {
    this.#ids.length = from;
    for (let number = from; number <= head; number++) this.#ids[number] = `${number} of ${name}`;
    return this;
  }

  id(number: number): string {
    return this.#ids[number] ?? '';
  }

  readonly call = (async (_method: string, number: number): Promise<Partial<Block> | null> => {
    this.asked.push(number);
    this.received += this.chars;
    const id = this.#ids[number];
    return id === undefined ? null : { block_id: id, previous: this.#ids[number - 1] ?? '' };
  }) as unknown as Links['call'];

  async look(latest: LatestBlocks, head: number, count?: number): Promise<string[]> {
    this.asked.length = 0;
    return (await latest.load(head, this.id(head), count)).map((block) => block.block_id);
  }
}

const downTo = (name: string, head: number, last: number): string[] =>
  Array.from({ length: head - last + 1 }, (_, i) => `${head - i} of ${name}`);

t.test('the newest first, each asked for once', async (t) => {
  const node = new ToldNode().branch('a', 0, 101);
  const latest = new LatestBlocks(node);
  t.same(await node.look(latest, 100, 12), downTo('a', 100, 89));
  t.equal(node.asked.length, 12);
  t.same(await node.look(latest, 100), downTo('a', 100, 41), 'sixty at most');
  t.equal(node.asked.length, 48, 'what was there is not asked for again');
  t.same(await node.look(latest, 101), downTo('a', 101, 42));
  t.same(node.asked, [101]);
  t.same(await node.look(new LatestBlocks(node), 3), downTo('a', 3, 1), 'a young chain has fewer');
});

t.test('after a fork no block of the branch that was left is shown', async (t) => {
  for (const [what, from, head] of [
    ['as long', 98, 100],
    ['shorter', 98, 99],
    ['longer', 98, 103],
    ['a long one', 70, 104],
  ] as const) {
    const node = new ToldNode().branch('a', 0, 100);
    const latest = new LatestBlocks(node);
    await node.look(latest, 100);
    node.branch('b', from, head);
    const wanted = [...downTo('b', head, from), ...downTo('a', from - 1, head - 59)];
    // Whoever looks meanwhile may see fewer of them, none of another branch.
    const first = await node.look(latest, head);
    t.ok(first.length > 0, what);
    t.same(first, wanted.slice(0, first.length), `${what}, at once`);
    t.same(await node.look(latest, head), wanted, `${what}, with the next look`);
  }
});

t.test('a chain that changes its mind between two answers', async (t) => {
  const node = new ToldNode().branch('a', 0, 100);
  const latest = new LatestBlocks(node);
  const head = node.id(100);
  node.branch('b', 99, 100);
  t.same(await latest.load(100, head), [], 'the head is gone already');
  t.same((await node.look(latest, 100)).slice(0, 3), ['100 of b', '99 of b', '98 of a']);
});

t.test('full blocks: a phone is shown fewer of them', async (t) => {
  const node = new ToldNode().branch('a', 0, 100);
  node.chars = 300_000;
  t.same(await node.look(new LatestBlocks(node), 100), downTo('a', 100, 95));
});
