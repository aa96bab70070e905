import t from 'tap';
import { blockNumFromId } from '../../src/crypto/digests.js';
import { P2P_LIMITS } from '../../src/p2p/limits.js';
import { REASONS } from '../../src/p2p/policy/reasons.js';
import type { ChainView } from '../../src/p2p/ports.js';
import { endpointOfNode, MachineNet, type MachineNode } from './support/machine-net.js';

/** Machines among themselves, with real chains behind them, over links with latency: each seed is another order of events. */

const ALL = [1, 2, 3, 4];
const SEEDS = [1, 2];

const heads = (nodes: readonly MachineNode[]): string[] => nodes.map(({ head }) => head.id);
const bansOf = (nodes: readonly MachineNode[]): number =>
  nodes.reduce((sum, { machine }) => sum + machine.bans.length, 0);

const faultsSeenBy = (nodes: readonly MachineNode[]): string[] =>
  nodes.flatMap(({ machine }) => [...machine.closures.keys()]).filter((reason) => REASONS[reason].penalty > 0);

for (const seed of SEEDS) {
  t.test(`seed ${seed}: new nodes catch up with several peers at once, then follow`, async (t) => {
    const net = new MachineNet(seed, 2000);
    const first = net.add({ witnesses: ALL });
    net.prepare(first, 300);
    const second = net.add({ seeds: [0] });
    net.start();
    await net.run(20, false);
    t.equal(second.head.id, first.head.id, 'from one peer');
    const third = net.add({ seeds: [0, 1] });
    third.driver.start();
    await net.run(30, false);
    t.equal(third.head.id, first.head.id, 'from two');
    const [a, b] = [...third.machine.activePeers()];
    t.ok((a?.bytesReceived ?? 0) > 10_000 && (b?.bytesReceived ?? 0) > 10_000, 'both have given blocks');
    const before = first.head.number;
    await net.run(30);
    t.ok(first.head.number >= before + 8, 'blocks are made');
    t.equal(new Set(heads(net.nodes)).size, 1, 'and all have them');
    t.equal(bansOf(net.nodes), 0);
    t.same(faultsSeenBy(net.nodes), [], 'nobody was blamed for anything');
  });

  t.test(`seed ${seed}: two sides of a partition agree when it is over`, async (t) => {
    const net = new MachineNet(seed, 30);
    net.add({ witnesses: [1, 2], seeds: [1, 2, 3] });
    net.add({ witnesses: [3], seeds: [0, 2, 3] });
    net.add({ witnesses: [4], seeds: [0, 1, 3] });
    net.add({ seeds: [0, 1, 2] });
    net.start();
    await net.run(30);
    t.equal(new Set(heads(net.nodes)).size, 1);
    net.part([0, 3]);
    await net.run(40);
    const sides = new Set(heads(net.nodes));
    t.equal(sides.size, 2, 'each side has a chain of its own');
    net.heal();
    await net.run(70);
    t.equal(new Set(heads(net.nodes)).size, 1, 'one chain again');
    t.equal(bansOf(net.nodes), 0, 'and nobody is blamed for the other branch');
  });

  t.test(`seed ${seed}: two chains that have nothing but their genesis in common become one`, async (t) => {
    const net = new MachineNet(seed, 30);
    net.add({ witnesses: [1, 2], seeds: [1] });
    net.add({ witnesses: [3], seeds: [0] });
    net.part([0]);
    net.start();
    await net.run(30);
    const first = net.nodes.map(({ chain }) => chain.queries.blockIdOf(1));
    t.ok(first.every((id) => id !== undefined) && first[0] !== first[1], 'each has a first block of its own');
    net.heal();
    await net.run(80);
    t.equal(new Set(heads(net.nodes)).size, 1, 'one chain');
    t.equal(bansOf(net.nodes), 0);
  });

  t.test(`seed ${seed}: two nodes with one block each, not the same one, hear of each other's next`, async (t) => {
    const net = new MachineNet(seed, 60);
    const many = net.add({ witnesses: [1, 2, 3], seeds: [1] });
    const few = net.add({ witnesses: [4], seeds: [0] });
    for (const node of [many, few]) net.prepare(node, 1);
    t.not(many.head.id, few.head.id);
    net.start();
    await net.run(10, false);
    t.equal([...many.machine.activePeers()].length, 1, 'they are connected, and neither has more than the other');
    await net.run(30);
    t.equal(new Set(heads(net.nodes)).size, 1, 'one chain');
    t.ok(many.head.number > 5);
    t.equal(bansOf(net.nodes), 0);
  });

  t.test(`seed ${seed}: a new item crosses every node once`, async (t) => {
    const net = new MachineNet(seed, 30);
    net.add({ witnesses: ALL, seeds: [1, 2, 3] });
    for (let i = 1; i < 4; i++) net.add({ seeds: [0, 1, 2, 3].filter((other) => other !== i) });
    net.start();
    await net.run(20);
    const sent = () =>
      net.nodes.map((node) => [...node.machine.activePeers()].reduce((sum, p) => sum + p.bytesSent, 0));
    const before = sent();
    await net.run(60);
    const blocks = 20;
    const bytes = sent().reduce((sum, value, i) => sum + value - (before[i] as number), 0);
    // Three copies of each block of some 150 bytes, announcements, and what keeps connections alive.
    t.ok(bytes < blocks * (3 * 250 + 12 * 64) + 30_000, `${bytes} bytes`);
    t.equal(new Set(heads(net.nodes)).size, 1);
  });
}

t.test('nodes that dial each other at the same moment have one connection then', async (t) => {
  for (let seed = 1; seed <= 10; seed++) {
    const net = new MachineNet(seed, 30);
    for (let i = 0; i < 3; i++) net.add({ seeds: [0, 1, 2].filter((other) => other !== i) });
    net.start();
    await net.run(8, false);
    const peers = net.nodes.map(({ machine }) => [...machine.activePeers()].map(({ identity }) => identity));
    t.same(
      peers.map((all) => [all.length, new Set(all).size]),
      [
        [2, 2],
        [2, 2],
        [2, 2],
      ],
      `seed ${seed}`,
    );
    t.same(faultsSeenBy(net.nodes), []);
  }
});

t.test('a node that was cut off for long has its peers again soon after', async (t) => {
  const net = new MachineNet(1, 30);
  net.add({ seeds: [1] });
  net.add({ seeds: [0] });
  net.start();
  await net.run(8, false);
  net.part([0]);
  await net.run(3600, false);
  t.same(
    net.nodes.map(({ machine }) => machine.activeCount),
    [0, 0],
  );
  net.heal();
  await net.run((P2P_LIMITS.dial_retry_ms + 2 * P2P_LIMITS.dial_ms) / 1000, false);
  t.same(
    net.nodes.map(({ machine }) => machine.activeCount),
    [1, 1],
  );
});

const inventedId = (number: number): string => number.toString(16).padStart(8, '0') + 'ab'.repeat(16);

/** Lists blocks that nobody has. */
const withInventedBlocks =
  (count: number) =>
  (truth: ChainView): ChainView =>
    Object.create(truth, {
      head: {
        get: () => ({ ...truth.head, number: truth.head.number + count, id: inventedId(truth.head.number + count) }),
      },
      blockIdOf: {
        value: (number: number) => (number > truth.head.number ? inventedId(number) : truth.blockIdOf(number)),
      },
      isKnownBlock: { value: () => true },
    }) as ChainView;

/** Serves blocks whose witness has signed something else. */
const withForgedBlocks = (truth: ChainView): ChainView =>
  Object.create(truth, {
    blockBytes: {
      value: (id: string) => {
        const bytes = truth.blockBytes(id);
        if (bytes === undefined || blockNumFromId(id) % 50 !== 0) return bytes;
        const forged = bytes.slice();
        forged[30] = (forged[30] as number) ^ 1;
        return forged;
      },
    },
  }) as ChainView;

/** Takes requests for blocks and never answers. */
const withSilence = (truth: ChainView): ChainView =>
  Object.create(truth, { blockBytes: { value: () => undefined } }) as ChainView;

for (const [name, lie] of [
  ['lists blocks that do not exist', withInventedBlocks(200)],
  ['serves blocks under ids that are not theirs', withForgedBlocks],
  ['has listed what it does not give', withSilence],
] as const) {
  t.test(`a liar that ${name} does not keep a new node from the chain`, async (t) => {
    for (const seed of SEEDS) {
      const net = new MachineNet(seed, 2000);
      const honest = net.add({ witnesses: ALL });
      net.prepare(honest, 160);
      const liar = net.add({ seeds: [0], lie });
      for (let n = 1; n <= 160; n++) {
        const block = honest.chain.queries.blockByNumber(n);
        if (block !== undefined) liar.chain.blocks.push({ block });
      }
      const late = net.add({ seeds: [1] });
      net.start();
      await net.run(10, false);
      late.driver.addPeer(endpointOfNode(0));
      await net.run(60, false);
      t.equal(late.head.id, honest.head.id, `seed ${seed}: ${[...late.machine.closures.keys()].join(' ')}`);
      const reasons = [...late.machine.closures.keys()];
      t.notSame(reasons, [], 'the liar is noticed');
      t.equal(late.machine.reputation.scoreOf('10.0.0.1', late.machine.now.monotonicMs), 0, 'the honest one is not');
      await net.run(20);
      t.equal(late.head.id, honest.head.id, 'and the new node follows the chain');
    }
  });
}
