import { join } from 'node:path';
import t from 'tap';
import { DEV_SIGNING_KEYS } from '../../src/node/dev/dev-network.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { rpcCall } from '../support/rpc-call.js';

/** A witness whose node was away for an hour. */

const OPEN: Line = {
  'enable-network-node-api': 'true',
  'p2p-private-addresses': 'true',
  'p2p-endpoint': '127.0.0.1:0',
};
const SLOT_MS = 3000;
const HOUR_SLOTS = 1200;
/** After that long at the head a witness has no excuse. */
const SETTLED_MS = 10_000;
const SLOTS_LOOKED_AT = 60;

const speaksFor = (...witnesses: readonly number[]): Line => ({
  ...OPEN,
  'witness-id': witnesses.map((id) => `1.6.${id}`),
  'private-key': witnesses.map((id) => (DEV_SIGNING_KEYS[id - 1] as (typeof DEV_SIGNING_KEYS)[number]).toWif()),
});

const headOf = ({ node }: DevNode) => node.chain.queries.head;
const missedOf = ({ node }: DevNode, witness: number): number =>
  Number(node.chain.queries.state.get(witnessObject, witness).total_missed);

t.test('a node that was away for an hour catches up, and from then on it fills every slot of its own', async (t) => {
  const folder = t.testdir({ a: {}, b: {} });
  const clock = new FakeClock(Date.now());
  const a = await startDevNode(join(folder, 'a'), speaksFor(1, 2), clock);
  for (let slot = 0; slot < HOUR_SLOTS; slot++) {
    clock.advance(SLOT_MS);
    await new Promise(setImmediate);
  }
  const away = headOf(a).number;
  t.ok(
    away > HOUR_SLOTS / 2 && missedOf(a, 3) > HOUR_SLOTS / 4,
    `${away} blocks, ${missedOf(a, 3)} missed by the other`,
  );

  const { listening_on } = await rpcCall<{ listening_on: string }>(a.node.endpoints.plain, 'call', [
    'network_node',
    'get_info',
    [],
  ]);
  const line = { ...speaksFor(3), 'seed-node': listening_on, 'enable-stale-production': 'false' };
  const b = await startDevNode(join(folder, 'b'), line, clock);
  const made = (): number => b.log.entries.filter(({ text }) => text === 'block produced').length;
  // Time goes on while it catches up.
  await eventually('it is level', async () => {
    if (headOf(a).id === headOf(b).id) return true;
    clock.advance(20);
    return false;
  });
  t.equal(made(), 0, 'nothing was made on top of an old head');

  const step = async (): Promise<void> => {
    clock.advance(500);
    await eventually('both have the same head', () => headOf(a).id === headOf(b).id);
  };
  for (let ms = 0; ms < SETTLED_MS; ms += 500) await step();
  const before = [1, 2, 3].map((witness) => missedOf(a, witness));
  const from = headOf(a).number;
  for (let ms = 0; ms < SLOTS_LOOKED_AT * SLOT_MS; ms += 500) await step();
  t.equal(headOf(a).number - from, SLOTS_LOOKED_AT, 'a block in every slot');
  t.same(
    [1, 2, 3].map((witness) => missedOf(a, witness)),
    before,
    'nobody has missed one',
  );
  t.ok(made() >= SLOTS_LOOKED_AT / 3 - 1, `${made()} of them are its own`);
  await b.node.stop();
  await a.node.stop();
});
