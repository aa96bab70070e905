import type { Metric } from 'prom-client';
import t, { type Test } from 'tap';
import delayedPart from '../../plugins/delayed_node/index.js';
import '../../src/operations/index.js';
import type { BlockIntake, ChainView } from '../../src/plugin/api.js';
import type { OpenPart } from '../../src/plugin/part.js';
import type { SignedBlock } from '../../src/protocol/block.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { freePort } from '../support/free-port.js';
import { MemoryLog } from '../support/memory-log.js';
import { NETWORK } from '../support/network.js';
import { rpcCall } from '../support/rpc-call.js';

/** What the operator is told of a trusted node that is away, and how often it is asked meanwhile. */

const TROUBLE = 'nothing comes from the trusted node, it is tried again';
const BLOCK_MS = 3000;

class World {
  readonly clock = new FakeClock();
  readonly log = new MemoryLog();
  readonly taken: number[] = [];
  /** Waited for before a block is taken. */
  gate: Promise<void> | undefined;
  readonly part: OpenPart<undefined>;
  readonly #ids: string[] = [];

  constructor(t: Test, endpoint: string, chainId: string) {
    const { taken } = this;
    const ids = this.#ids;
    const queries = {
      chainId,
      state: { network: NETWORK },
      get head() {
        return { number: taken.length, irreversible: taken.length };
      },
      blockIdOf: (number: number) => ids[number],
    };
    const intake = {
      take: async (block: SignedBlock) => {
        await this.gate;
        // Each names the one before it.
        ids[taken.length] = block.previous;
        taken.push(taken.length + 1);
      },
    };
    this.part = delayedPart.open({
      needs: { chain: { queries } as unknown as ChainView, intake: intake as unknown as BlockIntake },
      options: { 'trusted-node': `ws://${endpoint}` },
      dataDir: '',
      clock: this.clock,
      random: { bytes: (count) => new Uint8Array(count) },
      log: this.log,
      signal: new AbortController().signal,
      fail: (error) => t.fail(String(error)),
    }) as OpenPart<undefined>;
  }

  async metric(name: string): Promise<number | undefined> {
    const found = this.part.metrics?.find((one: Metric & { readonly name?: string }) => one.name === name);
    return (await found?.get())?.values[0]?.value;
  }

  get pauses(): unknown[] {
    return this.log.entries.filter(({ text }) => text === TROUBLE).map(({ values }) => values.inSeconds);
  }
}

t.test('a trusted node that is away is asked again after longer and longer pauses, of a minute at most', async (t) => {
  const world = new World(t, `127.0.0.1:${await freePort()}`, 'ab');
  const wanted = [1, 2, 4, 8, 16, 32, 60, 60];
  for (const [i, seconds] of wanted.entries()) {
    await eventually(`pause ${i}`, () => world.pauses.length > i && world.clock.timers > 0);
    world.clock.advance(seconds * 1000 - 1);
    await new Promise((resolve) => setImmediate(resolve));
    t.equal(world.pauses.length, i + 1, 'not before');
    world.clock.advance(1);
  }
  await eventually('all of them', () => world.pauses.length > wanted.length);
  t.same(world.pauses.slice(0, wanted.length), wanted);
  t.match(world.part.warning?.(), /^nothing comes from the trusted node: ./);
  t.equal(await world.metric('trustnode_delayed_node_connected'), 0);
  await world.part.close?.();
});

t.test(
  'what is seen of it: that it is away, that it answers, how far this node is behind, that it is gone',
  async (t) => {
    const folder = t.testdir();
    const endpoint = `127.0.0.1:${await freePort()}`;
    const start = () => startDevNode(folder, { 'rpc-endpoint': endpoint });
    const first = await start();
    for (let i = 0; i < 12; i++) {
      first.clock.advance(BLOCK_MS);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const chainId = await rpcCall<string>(endpoint, 'get_chain_id', []);
    await first.node.stop();

    const world = new World(t, endpoint, chainId);
    let open: () => void = () => undefined;
    world.gate = new Promise((resolve) => {
      open = resolve;
    });
    const behind = (): Promise<number | undefined> => world.metric('trustnode_delayed_node_blocks_behind');
    await eventually('two pauses', () => {
      if (world.pauses.length === 1) world.clock.advance(1000);
      return world.pauses.length === 2;
    });
    t.equal(await behind(), 0, 'nobody knows');
    const second = await start();
    type Head = { readonly last_irreversible_block_num: number };
    const { last_irreversible_block_num: last } = await rpcCall<Head>(endpoint, 'get_dynamic_global_properties', []);
    t.ok(last > 3);
    world.clock.advance(2000);
    await eventually('it has been asked', async () => (await behind()) === last);
    open();
    await eventually('all is well', () => world.part.warning?.() === undefined);
    t.equal(await behind(), 0);
    t.equal(world.taken.length, last);
    t.equal(await world.metric('trustnode_delayed_node_connected'), 1);

    await second.node.stop();
    await eventually('it is missed', () => {
      if (world.pauses.length === 2) world.clock.advance(BLOCK_MS);
      return world.pauses.length > 2;
    });
    t.same(world.pauses, [1, 2, 1], 'it had answered in between');
    t.match(world.part.warning?.(), /^nothing comes from the trusted node: ./);
    t.equal(await world.metric('trustnode_delayed_node_connected'), 0);
    await world.part.close?.();
  },
);
