import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import accountHistory from '../../plugins/account_history/index.js';
import type { ChainEvent } from '../../src/chain/events.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { NODE_PARTS, nodeParts } from '../../src/node/parts/list.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import type { DevPort } from '../../src/rpc/ports.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, type Line, lineOf, startDevNode } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';

/** The state of a development chain goes to another one as one text. */

const PARTS = nodeParts([accountHistory]);
const LINE = { plugins: 'witness account_history', 'max-ops-per-account': '1000' };
const LATER_MS = 7_000_000;

const portOf = ({ node }: DevNode): DevPort => node.dev as DevPort;
const hashOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);
const headOf = ({ node }: DevNode) => node.chain.queries.head;
const dev = <T>({ node }: DevNode, method: string, ...params: unknown[]) =>
  rpcCall<T>(node.endpoints.plain, `dev_${method}`, params);
const othersHadTheirTurn = () => new Promise((resolve) => setImmediate(resolve));

/** For the chain that is dumped, and two that load it. */
function foldersOf(t: Test): [string, string, string] {
  const folder = t.testdir();
  return [join(folder, 'a'), join(folder, 'b'), join(folder, 'c')];
}

async function chainIn(t: Test, folder: string, line: Line = {}, clock = new FakeClock(Date.now())): Promise<DevNode> {
  const chain = await startDevNode(folder, { ...LINE, ...line }, clock, PARTS);
  t.teardown(() => chain.node.stop());
  portOf(chain).setProducing(false);
  return chain;
}

const freshChain = (t: Test, folder: string): Promise<DevNode> =>
  chainIn(t, folder, {}, new FakeClock(Date.now() + LATER_MS));

const idOf = async ({ node }: DevNode, name: string): Promise<string> => {
  const [account] = await rpcCall<{ id: string }[]>(node.endpoints.plain, 'lookup_account_names', [[name]]);
  return account?.id ?? '';
};

const historyOf = async (chain: DevNode, name: string): Promise<unknown[]> =>
  rpcCall(chain.node.endpoints.plain, 'call', [
    'history',
    'get_relative_account_history',
    [await idOf(chain, name), 0, 100, 0],
  ]);

/** Something of each kind: blocks far apart, a balance set by hand, a transaction without a signature, one that waits. */
async function livedIn(t: Test, folder: string): Promise<DevNode> {
  const chain = await chainIn(t, folder);
  const port = portOf(chain);
  await port.mine(2, 0);
  await othersHadTheirTurn();
  await port.mine(8, 0);
  port.setBalance('bob', 'GXC', 123_456n);
  port.faucet('bob', 7n);
  await port.mine(20, 3600);
  port.impersonate('alice');
  const { plain } = chain.node.endpoints;
  const [from, to] = [await idOf(chain, 'alice'), await idOf(chain, 'bob')];
  const transfer = [0, { from, to, amount: { amount: 5, asset_id: '1.3.1' }, extensions: [] }] as const;
  const transaction = await signedBy(plain, undefined, [transfer]);
  await rpcCall(plain, 'call', [
    'network_broadcast',
    'broadcast_transaction',
    [signedTransaction.toJson(transaction, NETWORK)],
  ]);
  await port.mine(1, 0);
  port.stopImpersonate('alice');
  port.setBalance('carol', 'GXC', 99n);
  port.faucet('bob', 8n);
  port.increaseTime(500);
  return chain;
}

const waitingOf = (chain: DevNode): string[] =>
  portOf(chain)
    .pending()
    .map(({ id }) => id);

t.test('what was dumped stands in another chain: state, blocks, histories, clock, what waits', async (t) => {
  const [a, b] = foldersOf(t);
  const chain = await livedIn(t, a);
  const dump = await dev<string>(chain, 'dumpState');
  t.match(dump, /^[A-Za-z0-9+/=]+$/);
  const clock = new FakeClock(Date.now() + LATER_MS);
  const other = await chainIn(t, b, {}, clock);
  portOf(other).snapshot();
  await portOf(other).mine(2, 0);
  const own = headOf(other).id;
  const heard: string[] = [];
  const stop = other.node.chain.blocks.subscribe((event: ChainEvent) => {
    if (event.kind === 'undone' || event.kind === 'applied') heard.push(`${event.kind} ${event.block.number}`);
    if (event.kind === 'amended') heard.push('amended');
  });
  t.same(await dev(other, 'loadState', dump), JSON.parse(JSON.stringify(await dev(chain, 'status'))));
  stop();
  t.same(heard.slice(0, 4), ['undone 2', 'undone 1', 'applied 1', 'applied 2'], 'followers hear of it');
  t.equal(heard.filter((one) => one === 'amended').length, 2);
  t.equal(heard.length, 2 + 31 + 2);
  t.not(other.node.chain.queries.blockIdOf(2), own);
  t.equal(hashOf(other), hashOf(chain));
  t.equal(headOf(other).id, headOf(chain).id);
  t.same(waitingOf(other), waitingOf(chain));
  t.equal(waitingOf(other).length, 1);
  t.same(await historyOf(other, 'bob'), await historyOf(chain, 'bob'));
  t.ok((await historyOf(other, 'bob')).length > 1);

  for (const one of [chain, other]) await portOf(one).mine(40, 0);
  t.equal(hashOf(other), hashOf(chain), 'both go on alike');
  t.ok(headOf(other).irreversible > 31, 'and nothing is kept back');
  const hash = hashOf(other);
  await other.node.stop();
  for (const more of [{}, { 'replay-blockchain': 'true' }]) {
    const again = await startDevNode(b, { ...LINE, ...more }, clock, PARTS);
    t.equal(hashOf(again), hash, 'also after a restart');
    await again.node.stop();
  }
});

t.test('blocks at their time go on behind it', async (t) => {
  const [a, b] = foldersOf(t);
  const chain = await livedIn(t, a);
  const dump = portOf(chain).dumpState();
  const other = await startDevNode(b, {}, new FakeClock(Date.now() + LATER_MS));
  t.teardown(() => other.node.stop());
  portOf(other).snapshot();
  other.clock.advance(3000);
  const { head_block_number: number } = portOf(other).loadState(dump);
  t.equal(number, 31);
  other.clock.advance(11_000);
  t.ok(headOf(other).number > number);
  t.same(other.log.texts('error'), []);
});

t.test('a chain that is not fresh takes it where a snapshot is old enough', async (t) => {
  const [a, b, c] = foldersOf(t);
  const chain = await livedIn(t, a);
  const dump = portOf(chain).dumpState();
  const other = await freshChain(t, b);
  const snapshot = portOf(other).snapshot();
  const without = await freshChain(t, c);
  for (const one of [other, without]) await portOf(one).mine(60, 0);
  const hash = hashOf(without);
  await t.rejects(dev(without, 'loadState', dump), /this chain is not fresh: its block 60 does not lead/);
  t.equal(hashOf(without), hash, 'nothing has changed');
  t.equal(headOf(without).number, 60);
  t.ok(headOf(without).irreversible > 50, 'nothing of it is kept back for that');
  portOf(other).setBalance('bob', 'GXC', 1n);
  await dev(other, 'loadState', dump);
  t.equal(hashOf(other), hashOf(chain));
  await t.rejects(dev(other, 'revert', snapshot), /there is no snapshot 1/, 'which is used up');
  await portOf(other).mine(40, 0);
  t.ok(headOf(other).irreversible > 31);
});

t.test('a balance set by hand here does not stay beside a loaded state', async (t) => {
  const [a, b] = foldersOf(t);
  const chain = await livedIn(t, a);
  const other = await freshChain(t, b);
  portOf(other).snapshot();
  await portOf(other).mine(1, 0);
  portOf(other).setBalance('witness-account', 'GXC', 1n);
  await dev(other, 'loadState', portOf(chain).dumpState());
  t.equal(hashOf(other), hashOf(chain));
});

/** The dump with other words in it, and a sum that fits. */
function changed(dump: string, change: (body: Record<string, unknown>) => void): string {
  const text = gunzipSync(Buffer.from(dump, 'base64')).toString().split('\n')[1] ?? '';
  const body = JSON.parse(text) as Record<string, unknown>;
  change(body);
  const next = JSON.stringify(body);
  return gzipSync(`${sha256Hex(Buffer.from(next))}\n${next}`).toString('base64');
}

t.test('what is no dump of this chain is refused, and the chain stays as it is', async (t) => {
  const [a, b] = foldersOf(t);
  const dump = portOf(await livedIn(t, a)).dumpState();
  const other = await freshChain(t, b);
  const hash = hashOf(other);
  const waiting = waitingOf(other);
  t.ok(waiting.length > 0);
  const refused = (text: string, expected: RegExp) => t.rejects(dev(other, 'loadState', text), expected);
  await refused('tea', /this is no dumped state of a development chain/);
  await refused(dump.slice(0, -40), /this is no dumped state of a development chain/);
  await refused(gzipSync('x'.repeat(100)).toString('base64'), /its sum differs/);
  await refused(
    changed(dump, (body) => {
      body.what = 'another thing';
    }),
    /it says that it is something else/,
  );
  await refused(
    changed(dump, (body) => {
      body.format = 2;
    }),
    /dumped in format 2, and this program reads formats up to 1/,
  );
  await refused(
    changed(dump, (body) => {
      body.chain_id = '00'.repeat(32);
    }),
    /is of chain 0{64}, and this chain is/,
  );
  await refused(
    changed(dump, (body) => {
      body.updates = [];
    }),
    /the dump says/,
  );
  t.equal(hashOf(other), hash);
  t.equal(headOf(other).number, 0);
  t.same(waitingOf(other), waiting, 'what waited waits');
  await dev(other, 'loadState', dump);
  t.equal(headOf(other).number, 31, 'the sound one is taken afterwards');
});

t.test('dump-state when the node stops, load-state when one starts', async (t) => {
  const folder = t.testdir();
  const file = join(folder, 'state');
  const first = await chainIn(t, join(folder, 'a'), { 'dump-state': file });
  await portOf(first).mine(30, 60);
  portOf(first).setBalance('bob', 'GXC', 5n);
  const { hash, id } = { hash: hashOf(first), id: headOf(first).id };
  await first.node.stop();
  const clock = new FakeClock(Date.now() + LATER_MS);
  const second = await chainIn(t, join(folder, 'b'), { 'load-state': file }, clock);
  t.equal(hashOf(second), hash);
  t.equal(headOf(second).id, id);
  await portOf(second).mine(30, 0);
  const later = headOf(second).id;
  await second.node.stop();
  const third = await chainIn(t, join(folder, 'b'), { 'load-state': file }, clock);
  t.equal(headOf(third).id, later, 'a chain that has gone on from there goes on');
  await third.node.stop();
  writeFileSync(file, readFileSync(file, 'utf8').slice(100));
  await t.rejects(
    startDevNode(join(folder, 'c'), { ...LINE, 'load-state': file }, clock, PARTS),
    /this is no dumped state/,
  );
  await t.rejects(
    startDevNode(join(folder, 'd'), { ...LINE, 'load-state': join(folder, 'none') }, clock, PARTS),
    /there is no such file or folder/,
  );
});

t.test('nobody is warned of slots that were jumped over on the chain that is loaded', async (t) => {
  const [a, b] = foldersOf(t);
  const chain = await chainIn(t, a);
  await portOf(chain).mine(20, 86_400);
  const other = await chainIn(t, b);
  portOf(other).loadState(portOf(chain).dumpState());
  t.equal(other.log.texts('warn').filter((text) => text.includes('stayed empty')).length, 0);
  t.equal(headOf(other).id, headOf(chain).id);
});

t.test('load-state and dump-state are for development chains alone', (t) => {
  const folder = t.testdir();
  for (const option of ['load-state', 'dump-state']) {
    const given = lineOf({ 'data-dir': folder, [option]: 'file' });
    t.throws(() => loadSettings(given, NODE_PARTS), { message: new RegExp(option) });
  }
  t.end();
});
