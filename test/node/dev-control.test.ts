import t, { type Test } from 'tap';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { devSetup } from '../../src/node/dev/dev-setup.js';
import { signedForHead } from '../../src/node/dev/genesis-claims.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { NODE_PARTS } from '../../src/node/parts/list.js';
import { makeAsset } from '../../src/protocol/asset.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import type { SignedTransaction } from '../../src/protocol/transaction.js';
import { accountObject } from '../../src/state/objects/account.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { type DevNode, lineOf, startDevNode } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { rpcCall } from '../support/rpc-call.js';

/** Time and blocks of a development chain, over the wire. */

interface Status {
  readonly head_block_number: number;
  readonly head_block_time: string;
  readonly now: string;
  readonly producing: boolean;
}

const dev = ({ node }: DevNode, method: string, ...params: unknown[]) =>
  rpcCall<Status>(node.endpoints.plain, 'call', ['dev', `dev_${method}`, params]);

const secondsOf = (text: string): number => Date.parse(`${text}Z`) / 1000;
const headOf = ({ node }: DevNode): number => node.chain.queries.head.number;

/** From the first funded account to the second. */
function transferOf({ node }: DevNode): SignedTransaction {
  const { state } = node.chain.queries;
  const [from, to] = DEV_ACCOUNTS.map(({ name }) => state.findBy(accountObject.by.name, name)?.id);
  const fee = makeAsset(100_000n, 1);
  const body = { fee, from, to, amount: makeAsset(1n, 1), memo: undefined, extensions: [] };
  return signedForHead(state, [[0, body as unknown as OperationBody]], [DEV_ACCOUNTS[0]?.key as PrivateKey]);
}

/** On a chain that has come to the clock. */
async function started(t: Test): Promise<DevNode> {
  const node = await startDevNode(t.testdir());
  t.teardown(() => node.node.stop());
  node.clock.advance(6000);
  return node;
}

t.test('blocks at once, and the chain goes on at its time', async (t) => {
  const chain = await started(t);
  const before = await dev(chain, 'status');
  t.ok(before.head_block_number >= 1);
  const after = await dev(chain, 'mine', 20, 0);
  t.equal(after.head_block_number, before.head_block_number + 20);
  t.ok(secondsOf(after.now) >= secondsOf(after.head_block_time), 'the clock went along');
  t.same(
    chain.log.texts('warn').filter((text) => text.startsWith('the chain is ahead')),
    [],
  );
  const { block_interval } = chain.node.chain.queries.state.single(globalPropertyObject).parameters;
  chain.clock.advance(block_interval * 1000 + 1000);
  t.ok(headOf(chain) > after.head_block_number, 'without waiting for a minute');
});

t.test('mined blocks are signed by the witnesses whose turn it is', async (t) => {
  const chain = await started(t);
  const { head_block_number } = await dev(chain, 'mine', 3, 0);
  for (let number = head_block_number - 2; number <= head_block_number; number++) {
    const block = await rpcCall<{ witness_signature: string }>(chain.node.endpoints.plain, 'get_block', [number]);
    t.not(block.witness_signature, '00'.repeat(65));
  }
});

t.test('seconds between blocks are at least kept', async (t) => {
  const chain = await started(t);
  for (const seconds of [1, 7, 600]) {
    const { head_block_time } = await dev(chain, 'status');
    const after = await dev(chain, 'mine', 2, seconds);
    const passed = secondsOf(after.head_block_time) - secondsOf(head_block_time);
    t.ok(passed >= 2 * seconds && passed < 2 * (seconds + 10), `${seconds}: ${passed}`);
  }
});

t.test('the clock moves forward, and blocks follow it', async (t) => {
  const chain = await started(t);
  const before = await dev(chain, 'status');
  const moved = await dev(chain, 'increaseTime', 3600);
  t.equal(secondsOf(moved.now) - secondsOf(before.now), 3600);
  t.equal(moved.head_block_number, before.head_block_number, 'no block by itself');
  chain.clock.advance(11_000);
  const after = await dev(chain, 'status');
  t.ok(secondsOf(after.head_block_time) - secondsOf(before.head_block_time) >= 3600);
  const set = await dev(chain, 'setTime', '2027-01-02T03:04:05');
  t.equal(set.now, '2027-01-02T03:04:05');
});

t.test('nobody is warned of slots that were jumped over on purpose', async (t) => {
  const chain = await started(t);
  const warned = () => chain.log.texts('warn').filter((text) => text.includes('stayed empty')).length;
  const before = warned();
  await dev(chain, 'increaseTime', 3600);
  chain.clock.advance(11_000);
  await dev(chain, 'mine', 2, 600);
  await dev(chain, 'setProducing', false);
  chain.clock.advance(60_000);
  await dev(chain, 'setProducing', true);
  chain.clock.advance(11_000);
  t.equal(warned(), before);
  // Where nobody has touched anything, they are told of as ever.
  chain.clock.jump(60_000);
  chain.clock.advance(11_000);
  t.ok(warned() > before);
});

t.test('time neither goes back behind the head nor beyond what blocks can say', async (t) => {
  const chain = await started(t);
  await t.rejects(dev(chain, 'setTime', '2000-01-01T00:00:00'), /does not go back behind the head block/);
  await t.rejects(dev(chain, 'increaseTime', 0xffff_ffff), /is beyond what the chain can write/);
  await t.rejects(dev(chain, 'mine', 1, 0xffff_ffff), /is beyond what the chain can write/);
  await t.rejects(dev(chain, 'mine', 100_001, 0), /at most 100000 blocks/);
});

t.test('without production blocks come by dev_mine alone', async (t) => {
  const chain = await started(t);
  const off = await dev(chain, 'setProducing', false);
  t.equal(off.producing, false);
  chain.clock.advance(60_000);
  t.equal(headOf(chain), off.head_block_number);
  t.equal((await dev(chain, 'mine', 1, 0)).head_block_number, off.head_block_number + 1);
  t.equal((await dev(chain, 'setProducing', true)).producing, true);
  chain.clock.advance(11_000);
  t.ok(headOf(chain) > off.head_block_number + 1);
});

/** Resolves when the head has that number. */
const untilBlock = ({ node }: DevNode, number: number): Promise<void> =>
  new Promise((resolve) => {
    const stop = node.chain.blocks.subscribe((event) => {
      if (event.kind !== 'applied' || event.block.number < number) return;
      stop();
      resolve();
    });
  });

t.test('dev_mine makes its block where the clock has been set to', async (t) => {
  const chain = await started(t);
  await dev(chain, 'setProducing', false);
  const { head_block_time } = await dev(chain, 'status');
  await dev(chain, 'increaseTime', 3600);
  const after = await dev(chain, 'mine', 1, 0);
  t.ok(secondsOf(after.head_block_time) - secondsOf(head_block_time) >= 3595);
});

t.test('waiting transactions are listed and dropped', async (t) => {
  const chain = await started(t);
  await dev(chain, 'setProducing', false);
  await dev(chain, 'mine', 5, 0);
  t.same(await dev(chain, 'pending'), []);
  const transaction = transferOf(chain);
  chain.node.chain.pending.push({ transaction });
  t.match(await dev(chain, 'pending'), [{ id: /^[0-9a-f]{40}$/, trx: { operations: [[0, {}]] } }]);
  t.equal(await dev(chain, 'dropPending'), 1);
  t.same(await dev(chain, 'pending'), []);
  const { head_block_number } = await dev(chain, 'mine', 1, 0);
  const block = await rpcCall(chain.node.endpoints.plain, 'get_block', [head_block_number]);
  t.match(block, { transactions: [] });
});

t.test('the faucet pays, twice the same too', async (t) => {
  const chain = await started(t);
  await dev(chain, 'setProducing', false);
  // The set-up of the chain is over, and nothing else changes the balance.
  await dev(chain, 'mine', 5, 0);
  const balance = async (): Promise<bigint> => {
    const found = await rpcCall<{ amount: string | number }[]>(
      chain.node.endpoints.plain,
      'get_named_account_balances',
      ['bob', ['1.3.1']],
    );
    return BigInt(found[0]?.amount ?? 0);
  };
  const before = await balance();
  const ids = [await dev(chain, 'faucet', 'bob', 12_345), await dev(chain, 'faucet', 'bob', '12345')];
  t.same(
    (await rpcCall<{ id: string }[]>(chain.node.endpoints.plain, 'call', ['dev', 'dev_pending', []])).map(
      ({ id }) => id,
    ),
    ids,
  );
  await dev(chain, 'mine', 1, 0);
  t.equal((await balance()) - before, 24_690n);
  await t.rejects(dev(chain, 'faucet', 'nobody-here', 1), /there is no account nobody-here on this chain/);
});

t.test('with dev-block-ms 0 a block comes as soon as a transaction waits', async (t) => {
  const chain = await startDevNode(t.testdir(), { 'dev-block-ms': '0' });
  t.teardown(() => chain.node.stop());
  // The clock stands still: only what waits makes blocks, those that set up the chain among them.
  await untilBlock(chain, 2);
  await dev(chain, 'mine', 2, 0);
  const { head_block_number } = await dev(chain, 'setProducing', false);
  chain.node.chain.pending.push({ transaction: transferOf(chain) });
  await dev(chain, 'status');
  t.equal(headOf(chain), head_block_number, 'unless production is off');
  const made = untilBlock(chain, head_block_number + 1);
  await dev(chain, 'setProducing', true);
  await made;
  t.equal(chain.node.chain.pending.count, 0);
  const second = untilBlock(chain, head_block_number + 2);
  chain.node.chain.pending.push({ transaction: transferOf(chain) });
  await second;
  chain.clock.advance(60_000);
  t.equal(headOf(chain), head_block_number + 2, 'time alone makes none');
});

t.test('with dev-block-ms blocks come that often', async (t) => {
  const chain = await startDevNode(t.testdir(), { 'dev-block-ms': '200' });
  t.teardown(() => chain.node.stop());
  chain.clock.advance(0);
  t.equal(headOf(chain), 1, 'the first one at once');
  chain.clock.advance(2000);
  t.equal(headOf(chain), 11);
  await dev(chain, 'setProducing', false);
  chain.clock.advance(2000);
  t.equal(headOf(chain), 11);
});

t.test('whoever pays at once is not refused: the first block does not wait for the next full second', async (t) => {
  // In the middle of a slot and of a second.
  const chain = await startDevNode(t.testdir(), {}, new FakeClock(Math.floor(Date.now() / 3000) * 3000 + 1100));
  t.teardown(() => chain.node.stop());
  chain.clock.advance(0);
  t.equal(headOf(chain), 1);
  const { state } = chain.node.chain.queries;
  const prepared = devSetup(state);
  t.equal(prepared.length, 1, 'the core asset gets its symbol and rate');
  await new Promise((resolve) => setImmediate(resolve));
  t.same(devSetup(state), [], 'which waits for the second block, and counts already');
  const fees = await rpcCall<{ amount: unknown }[]>(chain.node.endpoints.plain, 'get_required_fees', [
    [[0, { from: '1.2.9', to: '1.2.10', amount: { amount: 1, asset_id: '1.3.1' }, extensions: [] }]],
    '1.3.1',
  ]);
  t.match(fees, [{ amount: Number, asset_id: '1.3.1' }]);
  chain.node.chain.pending.push({ transaction: transferOf(chain) });
  chain.clock.advance(3000);
  t.equal(headOf(chain), 2);
  t.equal(chain.node.chain.pending.count, 0);
});

t.test('where there may be peers, a chain begins with the next full second as ever', async (t) => {
  const chain = await startDevNode(t.testdir(), { 'p2p-endpoint': '127.0.0.1:0' });
  t.teardown(() => chain.node.stop());
  chain.clock.advance(0);
  t.equal(headOf(chain), 0);
});

t.test('dev-block-ms is for development chains alone', (t) => {
  const folder = t.testdir();
  const given = lineOf({ 'data-dir': folder, 'dev-block-ms': '0' });
  t.throws(() => loadSettings(given, NODE_PARTS), { message: /dev-block-ms/ });
  t.end();
});

t.test('a chain that was mined ahead goes on after a restart', async (t) => {
  const folder = t.testdir();
  const first = await startDevNode(folder);
  first.clock.advance(6000);
  const { head_block_number } = await dev(first, 'mine', 10, 600);
  await first.node.stop();
  const second = await startDevNode(folder, {}, first.clock);
  t.teardown(() => second.node.stop());
  t.equal(headOf(second), head_block_number);
  second.clock.advance(11_000);
  t.ok(headOf(second) > head_block_number);
});
