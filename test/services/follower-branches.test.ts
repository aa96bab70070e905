import t from 'tap';
import type { NodeClient } from '../../src/client/client.js';
import { systemClock } from '../../src/node/runtime/clock.js';
import { BlockFollower, type BlockListener } from '../../src/services/chain/follower.js';
import { ChainNode, type Head } from '../../src/services/chain/node.js';
import { MemoryLog } from '../support/memory-log.js';

/** What a follower tells when its node changes the branch in between two of its questions. */

/** Longer than any of these nodes is asked, where all goes well. */
const QUESTIONS_MAX = 100;

/** Blocks by name, the last letter of which is the branch: `5a` stands on `4a`, and on `4` where the branch begins there. */
type Branch = readonly string[];

class PlayedNode extends ChainNode {
  branch: Branch;
  irreversible = 0;
  /** Once, behind an answer. */
  afterHead: (() => void) | undefined;
  #questions = 0;

  constructor(branch: Branch) {
    super('http://127.0.0.1:1', 1000, systemClock);
    this.branch = branch;
  }

  #count(): void {
    if (++this.#questions > QUESTIONS_MAX) throw new Error('it asks for ever');
  }

  override async freshHead(): Promise<Head> {
    this.#count();
    const head_block_number = this.branch.length;
    const head = {
      head_block_number,
      head_block_id: this.branch.at(-1),
      last_irreversible_block_num: this.irreversible,
    };
    this.afterHead?.();
    this.afterHead = undefined;
    return head as unknown as Head;
  }

  override async ask<V>(_what: string, question: (database: NodeClient['database']) => Promise<V>): Promise<V> {
    this.#count();
    const get_block = async ({ block_num: number }: { block_num: number }) => {
      const block_id = this.branch[number - 1];
      return block_id && { block_id, previous: this.branch[number - 2] ?? '', timestamp: number };
    };
    return question({ get_block } as unknown as NodeClient['database']);
  }
}

/** Listeners write to a database: one thing after another has to wait for it. */
const written = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

class Told implements BlockListener {
  readonly branch: string[] = [];
  readonly settledBlocks: string[] = [];
  undoneCount = 0;

  async applied({ block_id }: { block_id: string }): Promise<void> {
    await written();
    this.branch.push(block_id);
  }

  async undone(_number: number, id: string): Promise<void> {
    await written();
    t.equal(this.branch.pop(), id, 'the last one');
    this.undoneCount++;
  }

  async settled(number: number): Promise<void> {
    this.settledBlocks.push(this.branch[number - 1] as string);
  }
}

const OLD: Branch = ['1', '2', '3', '4a', '5a'];
const NEW: Branch = ['1', '2', '3', '4b', '5b', '6b', '7b'];

/** Has read the old branch, of which nothing behind block 2 is irreversible. */
async function follow() {
  const node = new PlayedNode(OLD);
  node.irreversible = 2;
  const told = new Told();
  const follower = new BlockFollower(node, 1, told, { clock: systemClock, log: new MemoryLog() });
  await follower.poll();
  t.same(told.branch, OLD);
  t.same(told.settledBlocks, ['2']);
  return { node, told, follower };
}

t.test('another branch, which is irreversible further on', async (t) => {
  const { node, told, follower } = await follow();
  [node.branch, node.irreversible] = [NEW, 5];
  await follower.poll();
  t.same(told.branch, NEW);
  t.same(told.settledBlocks, ['2', '5b']);
});

t.test('stopped when it has the new head and none of its blocks', async (t) => {
  const { node, told, follower } = await follow();
  [node.branch, node.irreversible] = [NEW, 5];
  const stopped = new Promise<void>((done) => {
    node.afterHead = () => {
      void follower.stop().then(done);
    };
  });
  await follower.poll();
  await stopped;
  t.same(told.settledBlocks, ['2'], 'the irreversible block 5 is not the one that was told');
});

t.test('the node is away again when it has said where its branch ends', async (t) => {
  const { node, told, follower } = await follow();
  [node.branch, node.irreversible] = [NEW, 5];
  node.afterHead = () => {
    node.branch = NEW.slice(0, 4);
  };
  await follower.poll();
  t.same(told.settledBlocks, ['2']);
  node.branch = NEW;
  await follower.poll();
  t.same(told.branch, NEW);
  t.same(told.settledBlocks, ['2', '5b']);
});

t.test('a node that is behind, on another branch', async (t) => {
  const { node, told, follower } = await follow();
  [node.branch, node.irreversible] = [NEW.slice(0, 4), 4];
  await follower.poll();
  t.same(told.settledBlocks.slice(1), [], 'block 4 of the other branch is irreversible there');
  [node.branch, node.irreversible] = [NEW, 5];
  await follower.poll();
  t.same(told.branch, NEW);
  t.same(told.settledBlocks, ['2', '5b']);
});

t.test('the branch changes when the node has said which is its head', async (t) => {
  const { node, told, follower } = await follow();
  node.branch = [...OLD, '6a'];
  node.afterHead = () => {
    node.branch = NEW;
    node.irreversible = 5;
  };
  await follower.poll();
  t.same(told.branch, NEW);
  t.equal(told.undoneCount, 2, 'none of the new ones was');
  t.same(told.settledBlocks, ['2', '5b']);
});

t.test('a branch that leaves the chain before what was irreversible is said, and not followed', async (t) => {
  const { node, told, follower } = await follow();
  node.branch = ['1', '2b', '3b', '4b', '5b', '6b'];
  await t.rejects(follower.poll(), { message: /the node no longer has the irreversible block 2/ });
  t.same(told.branch, ['1', '2']);
});
