import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { checkSettings } from '../../src/node/check-settings.js';
import { devAccountEntries, FORK_FAUCET } from '../../src/node/dev/dev-network.js';
import { FORK_SIGNING_KEY } from '../../src/node/dev/fork-setup.js';
import { LOAD_DUMP_ERRORS } from '../../src/node/dev/load-dump.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { NODE_PARTS } from '../../src/node/parts/list.js';
import { type SignedTransaction, signedTransaction } from '../../src/protocol/transaction.js';
import type { DevPort } from '../../src/rpc/ports.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { assetDynamicDataObject } from '../../src/state/objects/asset-dynamic-data.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, type Line, lineOf, startDevNode } from '../support/dev-node.js';
import type { FakeClock } from '../support/fake-clock.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { type RealChain, realChain } from '../support/real-chain.js';
import { refused } from '../support/refused.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';
import { supplySnapshot, supplyViolations } from '../support/supply.js';

/** A fork of a chain that has gone its way, with local keys for its witnesses. */

const folder = t.testdir({ forks: {} });
let real: RealChain;
t.before(async () => {
  real = await realChain(folder);
});

let forks = 0;
const place = (): string => join(folder, 'forks', String(++forks));

const forkLine = (line: Line = {}): Line => ({
  'fork-snapshot': real.files[1],
  'genesis-json': real.genesis,
  'recount-votes': 'true',
  ...line,
});

async function fork(t: Test, at: string, line: Line = {}, clock?: FakeClock): Promise<DevNode> {
  const dev = await startDevNode(at, forkLine(line), clock);
  t.teardown(() => dev.node.stop());
  return dev;
}

const portOf = ({ node }: DevNode): DevPort => node.dev as DevPort;
const stateOf = ({ node }: DevNode) => node.chain.queries.state;
const hashOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);

function units(dev: DevNode, name: string): bigint {
  const state = stateOf(dev);
  const account = state.findBy(accountObject.by.name, name);
  return account === undefined ? -1n : balanceOf(state, account.id, state.coreAsset);
}

async function signedTransfer(dev: DevNode, from: string, to: string, amount: number): Promise<SignedTransaction> {
  const { plain } = dev.node.endpoints;
  const [a, b] = await rpcCall<{ id: string }[]>(plain, 'lookup_account_names', [[from, to]]);
  const body = { from: a?.id, to: b?.id, amount: { amount, asset_id: '1.3.1' }, extensions: [] };
  const key = from === FORK_FAUCET.name ? FORK_FAUCET.key : undefined;
  return signedBy(plain, key, [[0, body]]);
}

async function transfer(dev: DevNode, from: string, to: string, amount: number): Promise<void> {
  const signed = await signedTransfer(dev, from, to, amount);
  await rpcCall(dev.node.endpoints.plain, 'call', [
    'network_broadcast',
    'broadcast_transaction',
    [signedTransaction.toJson(signed, NETWORK)],
  ]);
}

t.test('it goes on from the snapshot, with all witnesses and balances, and accounts of its own', async (t) => {
  const at = place();
  const dev = await fork(t, at);
  const { queries } = dev.node.chain;
  t.equal(dev.node.chainId, real.chainId, 'the chain id is that of the real chain');
  t.equal(queries.head.number, real.blocks[1]);
  t.equal(units(dev, 'treasury'), real.treasury);
  t.ok(dev.log.texts('warn').some((text) => text.includes('may be valid there')));

  dev.clock.advance(120_000);
  t.ok(queries.head.number > real.blocks[1] + 30, `blocks are made: ${queries.head.number}`);
  t.ok(queries.head.irreversible > real.blocks[1], 'and are irreversible');
  const makers = new Set<number>();
  for (let n = real.blocks[1] + 1; n <= queries.head.number; n++) {
    makers.add(queries.blockByNumber(n)?.witness as number);
  }
  t.equal(makers.size, 3, 'of all active witnesses');
  t.same(
    [...new Set([...stateOf(dev).all(witnessObject)].map((one) => one.signing_key))],
    [FORK_SIGNING_KEY.publicKey],
  );

  t.same(
    devAccountEntries(stateOf(dev)).map(({ name }) => name),
    ['dev-faucet', 'dev-1', 'dev-2', 'dev-3'],
  );
  t.equal(units(dev, 'dev-3'), 1_000_000_000n);
  t.equal(units(dev, 'dev-faucet'), 100_000_000_000n);
  t.same(supplyViolations(real.supply, dev.node.chain.snapshots.withHeadState(supplySnapshot)), []);
  const { options, dynamic_asset_data_id } = stateOf(dev).get(assetObject, 1);
  const { current_supply } = stateOf(dev).get(assetDynamicDataObject, dynamic_asset_data_id);
  t.ok(current_supply <= options.max_supply, 'more coins are allowed than the chain had');
  await transfer(dev, 'dev-faucet', 'dev-1', 5);
  dev.clock.advance(6_000);
  t.equal(units(dev, 'dev-1'), 1_000_000_005n, 'its key is the one that everybody knows');
});

t.test('an account of the real chain acts without its key, and the chain can be taken back', async (t) => {
  const dev = await fork(t, place(), { 'dev-accounts': '1', 'dev-balance': '7' });
  const port = portOf(dev);
  port.setProducing(false);
  await t.rejects(transfer(dev, 'treasury', 'dev-1', 3), /Missing Active Authority/);
  port.impersonate('treasury');
  await transfer(dev, 'treasury', 'dev-1', 3);
  const id = port.snapshot();
  await port.mine(3, 0);
  t.equal(units(dev, 'dev-1'), 700_003n);
  port.faucet('dev-1', 10n);
  await port.mine(1, 86_400);
  t.equal(units(dev, 'dev-1'), 700_013n);
  port.setBalance('init2', '1.3.1', 55n);
  t.equal(units(dev, 'init2'), 55n);
  port.revert(id);
  t.equal(dev.node.chain.queries.head.number, real.blocks[1], 'back to where the fork begins');
  await port.mine(30, 0);
  t.equal(units(dev, 'dev-1'), 700_003n, 'what waited at the snapshot waits again');
});

t.test('what is signed for a fork is valid elsewhere if it refers to a block before it', async (t) => {
  // Two ways of one chain: that one of them is the real one makes no difference. Their blocks are of other times.
  const [one, other] = [await fork(t, place()), await fork(t, place())];
  const before = await signedTransfer(one, 'dev-faucet', 'dev-1', 1);
  one.clock.advance(15_000);
  const behind = await signedTransfer(one, 'dev-faucet', 'dev-1', 2);
  await portOf(other).mine(8, 6);
  const push = (transaction: SignedTransaction) => other.node.chain.pending.push({ transaction });
  t.throws(() => push(behind), { message: /ref_block_prefix|tapos/ });
  push(before);
  other.clock.advance(6_000);
  t.equal(units(other, 'dev-1'), 1_000_000_001n);
});

t.test('a restart goes on, without the file too', async (t) => {
  const at = place();
  const dev = await fork(t, at);
  dev.clock.advance(60_000);
  portOf(dev).setBalance('dev-2', '1.3.1', 77n);
  const [head, hash] = [dev.node.chain.queries.head, hashOf(dev)];
  await dev.node.stop();
  const again = await fork(t, at, { 'fork-snapshot': join(folder, 'gone') }, dev.clock);
  t.equal(again.node.chain.queries.head.id, head.id);
  t.equal(hashOf(again), hash);
  t.equal(units(again, 'dev-2'), 77n, 'nothing is set up a second time');
  again.clock.advance(60_000);
  t.ok(again.node.chain.queries.head.number >= head.number + 19);
});

t.test('a start that ended before its first block is finished by the next one', async (t) => {
  const at = place();
  const dev = await fork(t, at, { 'dev-accounts': '0' });
  await dev.node.stop();
  const again = await fork(t, at, { 'dev-accounts': '2' }, dev.clock);
  t.equal(units(again, 'dev-2'), 1_000_000_000n);
  const hash = hashOf(again);
  await again.node.stop();
  const third = await fork(t, at, { 'dev-accounts': '2' }, dev.clock);
  t.equal(hashOf(third), hash, 'and nothing is left to do for the one after it');
});

t.test('what was done on a fork is carried to another fork of the same snapshot', async (t) => {
  const file = join(folder, 'fork.dump');
  const one = await fork(t, place(), { 'dump-state': file });
  const port = portOf(one);
  port.setProducing(false);
  port.impersonate('treasury');
  await transfer(one, 'treasury', 'dev-1', 3);
  await port.mine(5, 60);
  port.setBalance('init1', '1.3.1', 55n);
  await port.mine(2, 0);
  port.faucet('dev-2', 9n);
  const [head, hash, dump] = [one.node.chain.queries.head, hashOf(one), port.dumpState()];
  await one.node.stop();

  const other = await fork(t, place());
  portOf(other).setProducing(false);
  portOf(other).loadState(dump);
  t.equal(other.node.chain.queries.head.id, head.id);
  t.equal(hashOf(other), hash);
  await portOf(other).mine(1, 0);
  t.equal(units(other, 'dev-2'), 1_000_000_009n, 'what waited waits there');
  refused(t, LOAD_DUMP_ERRORS.dev_state_not_fresh, () => portOf(other).loadState(dump));
  const at = place();
  const third = await fork(t, at, { 'load-state': file });
  t.equal(hashOf(third), hash, 'by the file of the first one too');
  await third.node.stop();
  const again = await fork(t, at, { 'load-state': file }, third.clock);
  t.equal(again.node.chain.queries.head.id, head.id, 'which is passed over where it is there already');

  await isRefused(t, place(), forkLine({ 'load-state': file, 'dev-accounts': '1' }), 'dev_state_other_beginning');
  await isRefused(t, place(), forkLine({ 'load-state': file, 'fork-snapshot': real.files[0] }), 'dev_state_other_base');
});

async function isRefused(t: Test, at: string, line: Line, key: string): Promise<void> {
  const found = await startDevNode(at, line).then(
    () => 'not refused',
    (error: unknown) => (error instanceof ChainError ? error.row.key : String(error)),
  );
  t.equal(found, key, JSON.stringify(line));
}

t.test('a start that ended while the snapshot was restored is begun anew', async (t) => {
  const at = place();
  const dev = await fork(t, at);
  const hash = hashOf(dev);
  await dev.node.stop();
  for (const lost of ['object_database', '.']) {
    rmSync(join(at, 'data', 'blockchain', lost), { recursive: true });
    const again = await fork(t, at, {}, dev.clock);
    t.equal(hashOf(again), hash, lost);
    await again.node.stop();
  }
});

t.test('a fork of the main network has its genesis, and neither its seeds nor its port', (t) => {
  const line = { dev: 'true', 'data-dir': place(), network: 'mainnet', 'fork-snapshot': 'x' };
  const { options, isDev } = loadSettings(lineOf(line));
  t.ok(isDev);
  t.equal(options['genesis-json'], projectPath('genesis', 'mainnet.json'));
  t.same(options['seed-nodes'], []);
  t.same(options['seed-node'], []);
  t.equal(options['p2p-endpoint'], undefined);
  const { mistakes } = checkSettings(lineOf(line), NODE_PARTS, Date.now());
  t.same(
    mistakes.map(({ error }) => error.row.key),
    ['storage_missing'],
    'check-config misses the snapshot alone',
  );
  t.end();
});

t.test('a fork has no peers, is of one snapshot, and is nothing else afterwards', async (t) => {
  const at = place();
  const line = forkLine();
  const no = (given: Line, key: string) => isRefused(t, at, given, key);
  const one: readonly [string, string][] = [
    ['p2p-endpoint', '127.0.0.1:0'],
    ['seed-node', '127.0.0.1:1'],
    ['seed-nodes', '["127.0.0.1:1"]'],
    ['p2p-peer', '127.0.0.1:1'],
    ['replay-blockchain', 'true'],
    ['resync-blockchain', 'true'],
    ['truncate', '3'],
    ['genesis-timestamp', '0'],
    ['dbg-init-key', FORK_SIGNING_KEY.toWif()],
    ['first-transactions', 'x'],
  ];
  for (const [name, value] of one) await no({ ...line, [name]: value }, 'options_exclude');
  await no({ ...line, dev: 'false' }, 'option_needs');
  await no({ ...line, dev: 'false', network: 'mainnet' }, 'option_needs');
  await no({ 'fork-snapshot': real.files[1] }, 'genesis_missing');
  await no({ 'fork-snapshot': real.files[1], network: 'testnet' }, 'snapshot_other_chain');
  await no({ ...line, 'fork-snapshot': real.unpacked }, 'fork_needs_packed');
  await no({ ...line, 'fork-snapshot': join(folder, 'gone') }, 'storage_missing');

  const dev = await fork(t, at);
  t.notOk(dev.log.texts('info').includes('the network is open'));
  await dev.node.stop();
  await no({ ...line, 'fork-snapshot': real.files[0] }, 'fork_other_snapshot');
  await no({}, 'fork_data_dir');
  await no({ dev: 'false', 'genesis-json': real.genesis }, 'fork_data_dir');
  await no({ dev: 'false', network: 'mainnet' }, 'fork_data_dir');
  const ordinary = await startDevNode(place());
  await ordinary.node.stop();
  await isRefused(
    t,
    join(folder, 'forks', String(forks)),
    { 'fork-snapshot': real.files[1], network: 'dev' },
    'fork_not_fresh',
  );
  t.match(JSON.parse(readFileSync(join(at, 'data', 'fork.json'), 'utf8')), { block: real.blocks[1] });
});
