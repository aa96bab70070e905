import { join } from 'node:path';
import t from 'tap';
import { DEV_SIGNING_KEYS } from '../../src/node/dev/dev-network.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { metricOf } from '../support/measured-process.js';
import { rpcCall } from '../support/rpc-call.js';

/** A node that gets no time in a slot of its witness says so afterwards. */

const OPEN: Line = {
  'enable-network-node-api': 'true',
  'p2p-private-addresses': 'true',
  'p2p-endpoint': '127.0.0.1:0',
};
const OTHERS = [1, 2];
const OWN = 3;

const speaksFor = (...witnesses: readonly number[]): Line => ({
  ...OPEN,
  'witness-id': witnesses.map((id) => `1.6.${id}`),
  'private-key': witnesses.map((id) => (DEV_SIGNING_KEYS[id - 1] as (typeof DEV_SIGNING_KEYS)[number]).toWif()),
});

const headOf = ({ node }: DevNode) => node.chain.queries.head;
const missedOf = ({ node }: DevNode): number => Number(node.chain.queries.state.get(witnessObject, OWN).total_missed);
const linesOf = ({ log }: DevNode) =>
  log.entries.filter(({ text }) => text === 'a slot of a witness of this node stayed empty');

t.test('the log of the node whose slots stayed empty names each of them with its reason', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const clock = new FakeClock(Date.now());
  const a = await startDevNode(join(folder, 'a'), speaksFor(...OTHERS), clock);
  const { listening_on } = await rpcCall<{ listening_on: string }>(a.node.endpoints.plain, 'call', [
    'network_node',
    'get_info',
    [],
  ]);
  const line = { ...speaksFor(OWN), 'seed-node': listening_on, 'monitor-endpoint': '127.0.0.1:0' };
  const own = new FakeClock(clock.nowMs());
  const b = await startDevNode(join(folder, 'b'), line, own);
  const level = () => eventually('both have the same head', () => headOf(a).id === headOf(b).id);
  const both = async (): Promise<void> => {
    clock.advance(500);
    own.advance(500);
    await level();
  };
  await eventually('they are connected', async () => {
    clock.advance(500);
    own.advance(500);
    return headOf(a).number > 0 && headOf(a).id === headOf(b).id;
  });
  const made = (): number => b.log.entries.filter(({ text }) => text === 'block produced').length;
  while (made() === 0) await both();
  const before = missedOf(b);
  const said = linesOf(b).length;

  // Its time passes without it, and what the other one makes comes all the same.
  while (missedOf(a) < before + 2) {
    clock.advance(500);
    own.jump(500);
    await level();
  }
  const lines = linesOf(b).slice(said);
  t.equal(lines.length, 2, 'a line for each slot');
  for (const { values, level, module } of lines) {
    t.match(values, { witness: `1.6.${OWN}`, because: /^this node stood still for \d+ s from / });
    t.equal(level, 'warn');
    t.equal(module, 'witness');
  }
  t.ok(
    (await metricOf(
      b.node.endpoints.monitor ?? '',
      `\\w*trustnode_witness_slots_missed_total\\{witness="1.6.${OWN}"\\}`,
    )) >= 2,
    'and as a figure',
  );
  t.same(linesOf(a), [], 'the other one has missed nothing');
  await b.node.stop();
  await a.node.stop();
});

t.test('nobody has missed slots from before the first block', async (t) => {
  const line = {
    dev: 'false',
    'genesis-json': 'genesis/dev.json',
    ...speaksFor(...OTHERS, OWN),
    'begin-chain': 'true',
  };
  const one = await startDevNode(t.testdir({}), line);
  while (headOf(one).number === 0) one.clock.advance(500);
  t.ok(
    one.log.entries.some(({ text }) => text.startsWith('not producing: the chain has no block yet')),
    'it has waited for peers, over slots of its own',
  );
  while (headOf(one).number < 3) one.clock.advance(500);
  t.same(linesOf(one), []);
  await one.node.stop();
});
