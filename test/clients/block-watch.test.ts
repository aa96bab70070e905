import t from 'tap';
import type { NodeClient } from '../../src/client/client.js';
import type { LastingConnection } from '../../src/client/lasting-connection.js';
import { type SeenBlock, watchBlocks } from '../../src/client/watching.js';
import { eventually } from '../support/eventually.js';

/** A node that changes its branch while the client hears nothing of it. */

const idOf = (number: number, branch: string): string => `${number.toString(16).padStart(8, '0')}${branch.repeat(32)}`;

class ForkingNode {
  /** A letter for each block, from number 1 on. */
  branch = 'aaaaaaaaa';
  #listener: (id: string) => void = () => undefined;
  #repeat = async (): Promise<void> => undefined;

  #id(number: number): string {
    return idOf(number, this.branch[number - 1] as string);
  }

  get client(): Pick<NodeClient, 'database'> {
    const database = {
      set_block_applied_callback: async () => undefined,
      get_dynamic_global_properties: async () => ({
        head_block_number: this.branch.length,
        head_block_id: this.#id(this.branch.length),
      }),
      get_block: async ({ block_num: number }: { block_num: number }) =>
        number > this.branch.length ? undefined : { block_id: this.#id(number), previous: this.#id(number - 1) },
    };
    return { database } as unknown as NodeClient;
  }

  get connection(): LastingConnection {
    return {
      subscribe: (listener: (id: string) => void) => {
        this.#listener = listener;
        return 1n;
      },
      always: async (work: () => Promise<void>) => {
        this.#repeat = work;
        await work();
        return () => undefined;
      },
    } as unknown as LastingConnection;
  }

  /** A block comes, and the client is told of it. */
  add(branch: string): void {
    this.branch += branch;
    this.#listener(this.#id(this.branch.length));
  }

  reconnect(): Promise<void> {
    return this.#repeat();
  }
}

async function watched() {
  const node = new ForkingNode();
  const told: string[] = [];
  const tell = ({ number, id }: SeenBlock): void => void told.push(`${number}${id.at(-1)}`);
  const stop = await watchBlocks(node.client, node.connection, tell);
  for (const branch of 'aa') node.add(branch);
  await eventually('both are told', () => told.length === 2);
  return { node, told, stop };
}

t.test('a branch that was changed while the connection was lost is told from where it begins', async (t) => {
  const { node, told } = await watched();
  t.same(told.splice(0), ['10a', '11a']);
  node.branch = 'aaaaaaaaabbb';
  await node.reconnect();
  t.same(told.splice(0), ['10b', '11b', '12b']);
  node.add('b');
  await eventually('the next one', () => told.length > 0);
  t.same(told.splice(0), ['13b']);
});

t.test('a notice from behind a change of branch that nobody was told of', async (t) => {
  const { node, told } = await watched();
  told.splice(0);
  node.branch = 'aaaaaaaaabbb';
  node.add('b');
  await eventually('all of them', () => told.includes('13b'));
  t.same(told, ['10b', '11b', '12b', '13b']);
});

t.test('a shorter branch, and one that comes back', async (t) => {
  const { node, told } = await watched();
  told.splice(0);
  node.branch = 'aaaaaaaaab';
  await node.reconnect();
  t.same(told.splice(0), ['10b']);
  node.branch = 'aaaaaaaaaaa';
  await node.reconnect();
  t.same(told.splice(0), ['10a', '11a']);
});

t.test('a node that has fallen behind tells nothing a second time', async (t) => {
  const { node, told } = await watched();
  told.splice(0);
  node.branch = 'aaaaaaaaaa';
  await node.reconnect();
  node.add('a');
  node.add('a');
  await eventually('the next one', () => told.length > 0);
  t.same(told, ['12a']);
});

t.test('who has ended it hears nothing more', async (t) => {
  const { node, told, stop } = await watched();
  stop();
  node.add('a');
  await node.reconnect();
  t.equal(told.length, 2);
});
