import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { packCommand } from '../../src/commands/snapshot/pack.js';
import { restoreCommand } from '../../src/commands/snapshot/restore.js';
import { SNAPSHOT } from '../../src/node/ports/snapshot-port.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, type Line, startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { rpcCall } from '../support/rpc-call.js';

/** Nodes that begin with a snapshot, between nodes that have every block. */

const SLOT_MS = 3000;
const OPEN: Line = {
  'enable-network-node-api': 'true',
  'p2p-private-addresses': 'true',
  'p2p-endpoint': '127.0.0.1:0',
};

const network = <T>({ node }: DevNode, method: string, params: unknown[] = []): Promise<T> =>
  rpcCall<T>(node.endpoints.plain, 'call', ['network_node', method, params]);

const placeOf = async (dev: DevNode): Promise<string> =>
  (await network<{ listening_on: string }>(dev, 'get_info')).listening_on;

const stateOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);
const headOf = ({ node }: DevNode) => node.chain.queries.head;

async function makeBlocks(clock: FakeClock, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    clock.advance(SLOT_MS);
    await new Promise(setImmediate);
  }
}

/** Time passes until then, but too little of it for a block. */
async function passing(clock: FakeClock, what: string, done: () => boolean | Promise<boolean>): Promise<void> {
  await eventually(what, async () => {
    clock.advance(500);
    return done();
  });
}

t.test('a node that begins with a packed snapshot goes on from peers, and serves them what it has', async (t) => {
  const folder = t.testdir({ a: {}, b: {}, c: {}, d: {} });
  const clock = new FakeClock(Date.now());
  const snapshots = join(folder, 'snapshots');
  const a = await startDevNode(join(folder, 'a'), { ...OPEN, 'state-snapshots-dir': snapshots }, clock);
  await makeBlocks(clock, 40);
  const made = await rpcCall<{ head_block_num: number }>(a.node.endpoints.plain, 'create_snapshot', []);
  await makeBlocks(clock, 20);

  const said: string[] = [];
  const terminal = { out: (text: string) => void said.push(text) };
  const packed = join(folder, 'packed');
  const snapshot = join(snapshots, readdirSync(snapshots).find((name) => SNAPSHOT.test(name)) as string);
  const genesisJson = join(folder, 'a', 'data', 'genesis.json');
  const run = (command: typeof packCommand, args: object): unknown =>
    command.handler({ _: [], $0: '', ...args }, terminal as never);
  await run(packCommand, { snapshot, file: packed, dataDir: join(folder, 'a', 'data') });
  for (const name of ['b', 'd']) {
    await run(restoreCommand, { snapshot: packed, dataDir: join(folder, name, 'data'), genesisJson });
  }
  t.equal(new Set(said).size, 1, 'the same state');

  const follows = { ...OPEN, plugins: 'none' };
  const b = await startDevNode(join(folder, 'b'), { ...follows, 'seed-node': await placeOf(a) }, clock);
  t.equal(headOf(b).number, made.head_block_num);
  await passing(clock, 'it has what came behind the snapshot', () => headOf(b).id === headOf(a).id);
  t.equal(stateOf(b), stateOf(a));
  t.equal(b.node.chain.queries.blockIdOf(made.head_block_num - 1), undefined, 'it has no block before');

  // Another one that stands on the snapshot can go on from it alone; one that has nothing needs somebody else.
  const alone = { ...follows, 'seed-node': await placeOf(b) };
  const d = await startDevNode(join(folder, 'd'), alone, clock);
  await passing(clock, 'blocks come from the one behind the snapshot', () => headOf(d).id === headOf(a).id);
  const c = await startDevNode(join(folder, 'c'), alone, clock);
  await passing(
    clock,
    'they are connected',
    async () => (await network<unknown[]>(c, 'get_connected_peers')).length === 1,
  );
  await makeBlocks(clock, 3);
  await passing(
    clock,
    'both have the new blocks',
    () => headOf(d).id === headOf(a).id && headOf(b).id === headOf(a).id,
  );
  await network(c, 'add_node', [await placeOf(a)]);
  // Time that passes for the one makes blocks that the other still has to hear of.
  await passing(
    clock,
    'it has found somebody with all blocks',
    () => headOf(c).id === headOf(a).id && headOf(d).id === headOf(a).id,
  );
  t.equal(stateOf(c), stateOf(d));
  for (const { node } of [c, d, b, a]) t.equal(await node.stop(), true);
});
