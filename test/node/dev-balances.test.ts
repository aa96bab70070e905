import t, { type Test } from 'tap';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { signedTransaction } from '../../src/protocol/transaction.js';
import type { DevPort } from '../../src/rpc/ports.js';
import { stateHash } from '../../src/state/state-hash.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { NETWORK } from '../support/network.js';
import { rpcCall, signedBy } from '../support/rpc-call.js';
import { supplySnapshot, supplyViolations } from '../support/supply.js';

/** Money from nowhere, and transactions without a signature, on a development chain. */

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ key }) => key) as [PrivateKey, PrivateKey];

const portOf = ({ node }: DevNode): DevPort => node.dev as DevPort;
const hashOf = ({ node }: DevNode): string => node.chain.snapshots.withHeadState(stateHash);
const dev = <T>({ node }: DevNode, method: string, ...params: unknown[]) =>
  rpcCall<T>(node.endpoints.plain, `dev_${method}`, params);

async function quietChain(t: Test, folder = t.testdir()): Promise<DevNode> {
  const chain = await startDevNode(folder);
  t.teardown(() => chain.node.stop());
  portOf(chain).setProducing(false);
  await portOf(chain).mine(5, 0);
  // The chain is set up between its first blocks.
  await new Promise((resolve) => setImmediate(resolve));
  await portOf(chain).mine(5, 0);
  return chain;
}

const supplyOf = ({ node }: DevNode) => node.chain.snapshots.withHeadState(supplySnapshot);

async function balanceOf({ node }: DevNode, name: string, asset: string): Promise<bigint> {
  const found = await rpcCall<{ amount: string | number }[]>(node.endpoints.plain, 'get_named_account_balances', [
    name,
    [asset],
  ]);
  return BigInt(found[0]?.amount ?? 0);
}

const idOf = async ({ node }: DevNode, name: string): Promise<string> => {
  const [account] = await rpcCall<{ id: string }[]>(node.endpoints.plain, 'lookup_account_names', [[name]]);
  return account?.id ?? '';
};

const paying = async (chain: DevNode, from: string, to: string, amount: number) =>
  [
    0,
    { from: await idOf(chain, from), to: await idOf(chain, to), amount: { amount, asset_id: '1.3.1' }, extensions: [] },
  ] as const;

async function send(chain: DevNode, key: PrivateKey | undefined, ...transfer: [string, string, number]) {
  const { plain } = chain.node.endpoints;
  const transaction = await signedBy(plain, key, [await paying(chain, ...transfer)]);
  const text = signedTransaction.toJson(transaction, NETWORK);
  if (key !== undefined) {
    chain.node.chain.pending.push({ transaction });
    return;
  }
  await rpcCall(plain, 'call', ['network_broadcast', 'broadcast_transaction', [text]]);
}

t.test('a balance is what it is set to, and amounts add up to the supply', async (t) => {
  const folder = t.testdir();
  const chain = await quietChain(t, folder);
  const before = supplyOf(chain);
  const supply = before.assets.get(1)?.supply ?? 0n;
  const had = await balanceOf(chain, 'bob', '1.3.1');
  await dev(chain, 'setBalance', 'bob', 'GXC', String(had + 5n));
  t.equal(await balanceOf(chain, 'bob', '1.3.1'), had + 5n);
  t.equal(supplyOf(chain).assets.get(1)?.supply, supply + 5n);
  await dev(chain, 'setBalance', await idOf(chain, 'bob'), '1.3.1', 7);
  t.equal(await balanceOf(chain, 'bob', '1.3.1'), 7n);
  t.equal(await balanceOf(chain, 'committee-account', '1.3.2'), 0n);
  t.same(supplyViolations(before, supplyOf(chain)), []);
  // Of somebody who never had any.
  await dev(chain, 'setBalance', 'witness-account', 'GXC', 3);
  t.equal(await balanceOf(chain, 'witness-account', '1.3.1'), 3n);
  await portOf(chain).mine(60, 0);
  await dev(chain, 'setBalance', 'carol', 'GXC', 1_000_000);
  t.same(supplyViolations(before, supplyOf(chain)), []);
  const hash = hashOf(chain);
  await chain.node.stop();
  for (const more of [{}, { 'replay-blockchain': 'true' }]) {
    const again = await startDevNode(folder, more, chain.clock);
    t.equal(hashOf(again), hash);
    await again.node.stop();
  }
});

t.test('balances that cannot be are refused', async (t) => {
  const chain = await quietChain(t);
  const hash = hashOf(chain);
  await t.rejects(dev(chain, 'setBalance', 'nobody-here', 'GXC', 1), /there is no account nobody-here/);
  await t.rejects(dev(chain, 'setBalance', '1.2.999', 'GXC', 1), /there is no account 1\.2\.999/);
  await t.rejects(dev(chain, 'setBalance', '1.3.1', 'GXC', 1), /there is no account 1\.3\.1/);
  await t.rejects(dev(chain, 'setBalance', 'bob', 'NONE', 1), /there is no asset NONE/);
  await t.rejects(dev(chain, 'setBalance', 'bob', 'GXC', -1), /a balance is not negative/);
  await t.rejects(dev(chain, 'setBalance', 'bob', 'GXC', '9000000000000000000'), /its maximum is/);
  t.equal(hashOf(chain), hash);
});

t.test('a snapshot takes a balance back that was set after it', async (t) => {
  const chain = await quietChain(t);
  const hash = hashOf(chain);
  const snapshot = portOf(chain).snapshot();
  await dev(chain, 'setBalance', 'bob', 'GXC', 7);
  await portOf(chain).mine(3, 0);
  portOf(chain).revert(snapshot);
  t.equal(hashOf(chain), hash);
});

t.test('who is impersonated needs no signature, until that ends, and blocks are applied again without', async (t) => {
  const folder = t.testdir();
  const chain = await quietChain(t, folder);
  await t.rejects(send(chain, undefined, 'alice', 'carol', 11), /[Mm]issing [Aa]ctive [Aa]uthority/);
  const alice = await idOf(chain, 'alice');
  t.same(await dev(chain, 'impersonate', 'alice'), [alice]);
  await send(chain, undefined, 'alice', 'carol', 11);
  await t.rejects(send(chain, undefined, 'bob', 'carol', 12), /[Mm]issing [Aa]ctive [Aa]uthority/, 'nobody else');
  await send(chain, ALICE, 'alice', 'carol', 13);
  await send(chain, BOB, 'bob', 'carol', 14);
  const had = await balanceOf(chain, 'carol', '1.3.1');
  await portOf(chain).mine(2, 0);
  t.equal(chain.node.chain.pending.count, 0);
  t.equal(await balanceOf(chain, 'carol', '1.3.1'), had, 'all of them are in blocks');
  const { number } = chain.node.chain.queries.head;
  const block = await rpcCall<{ transactions: { signatures: string[] }[] }>(chain.node.endpoints.plain, 'get_block', [
    number - 1,
  ]);
  t.same(
    block.transactions.map(({ signatures }) => signatures.length),
    [0, 1, 1],
  );
  t.same(await dev(chain, 'stopImpersonate', 'alice'), []);
  await t.rejects(send(chain, undefined, 'alice', 'carol', 15), /[Mm]issing [Aa]ctive [Aa]uthority/);
  await portOf(chain).mine(60, 0);
  const hash = hashOf(chain);
  await chain.node.stop();
  for (const more of [{}, { 'replay-blockchain': 'true' }]) {
    const again = await startDevNode(folder, more, chain.clock);
    t.equal(hashOf(again), hash);
    await t.rejects(send(again, undefined, 'alice', 'carol', 16), /[Mm]issing [Aa]ctive [Aa]uthority/);
    await again.node.stop();
  }
});

t.test('one transaction that waits is dropped, the others go on waiting', async (t) => {
  const chain = await quietChain(t);
  const ids = [1n, 2n, 3n].map((amount) => portOf(chain).faucet('bob', amount));
  t.equal(await dev(chain, 'dropTransaction', ids[1]), true);
  t.same(
    portOf(chain)
      .pending()
      .map(({ id }) => id),
    [ids[0], ids[2]],
  );
  t.equal(await dev(chain, 'dropTransaction', ids[1]), false);
  await portOf(chain).mine(1, 0);
  t.same(portOf(chain).pending(), []);
});
