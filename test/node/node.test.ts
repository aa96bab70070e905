import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { encodeWith } from '../../src/codec/binary.js';
import { signatureDigest } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { NODE_GENESIS_ERRORS } from '../../src/node/chain/genesis.js';
import { DEV_ACCOUNTS, DEV_FAUCET, DEV_SIGNING_KEYS, DEV_WITNESS_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { loadSettings } from '../../src/node/load-settings.js';
import { startNode } from '../../src/node/node.js';
import { systemRandom } from '../../src/node/runtime/random.js';
import { makeAsset } from '../../src/protocol/asset.js';
import { CORE_ASSET } from '../../src/protocol/ids.js';
import type { OperationBody } from '../../src/protocol/operation-slot.js';
import { type SignedTransaction, transaction } from '../../src/protocol/transaction.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { globalPropertyObject } from '../../src/state/objects/global-property.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import { balanceOf } from '../../src/state/rules/balances.js';
import { stateHash } from '../../src/state/state-hash.js';
import type { ReadState } from '../../src/state/views.js';
import { STORAGE_ERRORS } from '../../src/storage/errors.js';
import { type DevNode, lineOf, startDevNode } from '../support/dev-node.js';
import { FakeClock } from '../support/fake-clock.js';
import { MemoryLog } from '../support/memory-log.js';
import { NETWORK } from '../support/network.js';
import { projectPath } from '../support/paths.js';
import { refusedLater } from '../support/refused.js';

const TEN_MILLION = 10_000_000_00000n;
const FEE = 1000n;

const idOf = (s: ReadState, name: string): number => s.findBy(accountObject.by.name, name)?.id as number;
const stateOf = ({ node }: DevNode): ReadState => node.chain.queries.state;
const fullHash = ({ node }: DevNode): string => node.chain.snapshots.withHeadState((state) => stateHash(state));

function transfer(dev: DevNode, amount: bigint, key: PrivateKey = (DEV_ACCOUNTS[0] as (typeof DEV_ACCOUNTS)[0]).key) {
  const s = stateOf(dev);
  const { head } = dev.node.chain.queries;
  const body = {
    ref_block_num: head.number & 0xffff,
    ref_block_prefix: Buffer.from(head.id, 'hex').readUInt32LE(4),
    expiration: s.headTime + 60,
    operations: [
      [
        0,
        {
          fee: makeAsset(FEE, CORE_ASSET),
          from: idOf(s, 'alice'),
          to: idOf(s, 'bob'),
          amount: makeAsset(amount, CORE_ASSET),
          memo: undefined,
          extensions: [],
        } as OperationBody,
      ] as [number, OperationBody],
    ],
    extensions: [],
  };
  const digest = encodeWith(transaction, body, (bytes) => signatureDigest(s.chainId, bytes));
  return { ...body, signatures: [signatureBackend().sign(digest, key)] } as SignedTransaction;
}

t.test('a development node makes blocks, and the money is there from the first one', async (t) => {
  const dev = await startDevNode(t.testdir());
  t.teardown(() => dev.node.stop());
  dev.clock.advance(30_000);
  const { head } = dev.node.chain.queries;
  t.ok(head.number >= 9 && head.number <= 11, `${head.number} blocks in 30 s`);
  t.ok(head.irreversible > 0);
  const s = stateOf(dev);
  for (const { name } of DEV_ACCOUNTS) t.equal(balanceOf(s, idOf(s, name), CORE_ASSET), TEN_MILLION, name);
  t.ok(s.active('HF_1029'), 'every fork is active');
  t.same(dev.log.texts('warn', 'error'), []);
  const lines = dev.log.entries.filter((entry) => entry.module === 'chain' && entry.text === 'block');
  t.equal(lines.length, head.number, 'one line per block');
  t.match(lines[0]?.values, { num: 1, witness: 'init0', txs: 8, irreversible: 1 });
  t.match(lines[0]?.values.id, /^00000001[0-9a-f]{8}$/);
});

t.test('the development chain is set up by its first blocks', async (t) => {
  const dev = await startDevNode(t.testdir());
  t.teardown(() => dev.node.stop());
  const symbols = () => [0, 1].map((id) => stateOf(dev).get(assetObject, id).symbol);
  dev.clock.advance(3_000);
  t.same(symbols(), ['GXC', 'GXS']);
  // The second step is taken when the first block is over, not inside it.
  await new Promise((resolve) => setImmediate(resolve));
  dev.clock.advance(3_000);
  t.same(symbols(), ['GXCOLD', 'GXC']);
  const s = stateOf(dev);
  t.equal(s.single(globalPropertyObject).active_witnesses.length, 3);
  t.equal(s.single(globalPropertyObject).active_committee_members.length, 3);
  t.same(
    [...s.all(witnessObject)].map((one) => one.total_missed),
    [0n, 0n, 0n],
  );
  t.ok(balanceOf(s, 0, CORE_ASSET) > 0n, 'the committee can pay');
  for (const { name } of DEV_ACCOUNTS) t.equal(balanceOf(s, idOf(s, name), CORE_ASSET), TEN_MILLION, name);
  t.same(dev.log.texts('warn', 'error'), []);
});

t.test('the genesis file of the development network has the published keys', async (t) => {
  const file = JSON.parse(readFileSync(projectPath('genesis', 'dev.json'), 'utf8')) as {
    initial_accounts: { name: string; owner_key: string; is_lifetime_member: boolean }[];
    initial_witness_candidates: { owner_name: string; block_signing_key: string }[];
  };
  for (const { name, key } of [...DEV_ACCOUNTS, ...DEV_WITNESS_ACCOUNTS, DEV_FAUCET]) {
    const text = publicKeyToText(key.publicKey, NETWORK.keyPrefix);
    t.match(
      file.initial_accounts.find((one) => one.name === name),
      { owner_key: text, active_key: text },
    );
  }
  t.equal(file.initial_accounts.find((one) => one.name === 'alice')?.is_lifetime_member, true);
  t.same(
    file.initial_witness_candidates.map((one) => one.block_signing_key),
    DEV_SIGNING_KEYS.map((key) => publicKeyToText(key.publicKey, NETWORK.keyPrefix)),
  );
  t.equal(DEV_ACCOUNTS[0]?.key.publicKey, PrivateKey.fromSeed('trustnode dev alice').publicKey);
});

t.test('a transfer lands in the next block; without the right key it is refused', async (t) => {
  const dev = await startDevNode(t.testdir());
  t.teardown(() => dev.node.stop());
  dev.clock.advance(6_000);
  const { pending } = dev.node.chain;
  pending.push({ transaction: transfer(dev, 5n) });
  t.throws(() => pending.push({ transaction: transfer(dev, 6n, DEV_ACCOUNTS[1]?.key) }), /Missing Active Authority/);
  const before = dev.node.chain.queries.head.number;
  dev.clock.advance(3_000);
  const block = dev.node.chain.queries.blockByNumber(before + 1);
  t.equal(block?.transactions.length, 1);
  const s = stateOf(dev);
  t.equal(balanceOf(s, idOf(s, 'bob'), CORE_ASSET), TEN_MILLION + 5n);
  t.equal(balanceOf(s, idOf(s, 'alice'), CORE_ASSET), TEN_MILLION - 5n - FEE);
});

t.test('a node that was stopped goes on where it was, without a replay', async (t) => {
  const folder = t.testdir();
  const first = await startDevNode(folder);
  first.clock.advance(120_000);
  first.node.chain.pending.push({ transaction: transfer(first, 7n) });
  first.clock.advance(3_000);
  const { head } = first.node.chain.queries;
  const hash = fullHash(first);
  t.equal(await first.node.stop(), true, 'everything closed');
  t.equal(first.clock.timers, 0, 'no timer is left');
  t.same(
    first.log.entries
      .filter((entry) => entry.text === 'stopped')
      .map((entry) => entry.values.part)
      .at(-1),
    'answers while starting',
  );

  const second = await startDevNode(folder, {}, first.clock);
  t.teardown(() => second.node.stop());
  t.same(second.node.chain.queries.head, head);
  t.equal(fullHash(second), hash);
  const loaded = second.log.entries.find((entry) => entry.text === 'state loaded');
  t.equal(loaded?.values.block, head.irreversible, 'everything irreversible was stored');
  second.clock.advance(9_000);
  t.ok(second.node.chain.queries.head.number > head.number);
  t.same(second.log.texts('warn', 'error'), []);
});

t.test('replay and resync', async (t) => {
  const folder = t.testdir();
  const first = await startDevNode(folder);
  first.clock.advance(60_000);
  const { head } = first.node.chain.queries;
  const hash = fullHash(first);
  await first.node.stop();

  const replayed = await startDevNode(folder, { 'replay-blockchain': 'true' }, first.clock);
  t.same(replayed.node.chain.queries.head, head);
  t.equal(fullHash(replayed), hash);
  await replayed.node.stop();

  const anew = await startDevNode(folder, { 'resync-blockchain': 'true' }, first.clock);
  t.equal(anew.node.chain.queries.head.number, 0);
  await anew.node.stop();
});

t.test('two nodes cannot share a data directory, nor two networks one after the other', async (t) => {
  const folder = t.testdir({ 'other.json': '{}' });
  const dev = await startDevNode(folder);
  await refusedLater(t, STORAGE_ERRORS.storage_in_use, startDevNode(folder));
  await dev.node.stop();
  const text = readFileSync(join(folder, 'data', 'genesis.json'), 'utf8');
  t.equal(text, readFileSync(projectPath('genesis', 'dev.json'), 'utf8'));
  const other = startDevNode(folder, { dev: 'false', 'genesis-json': join(folder, 'other.json') });
  await refusedLater(t, NODE_GENESIS_ERRORS.genesis_differs, other);
  const without = startDevNode(join(folder, 'empty'), { dev: 'false' });
  await refusedLater(t, NODE_GENESIS_ERRORS.genesis_missing, without);
  t.notOk(existsSync(join(folder, 'empty', 'data', 'blockchain')));
  // The copy of the genesis file is enough for later starts.
  const later = await startDevNode(folder, { dev: 'false', 'genesis-json': [] });
  await later.node.stop();
});

t.test('without the plugin, or without a witness, no blocks are made', async (t) => {
  const folder = t.testdir();
  const dev = await startDevNode(folder, { plugins: 'none' });
  dev.clock.advance(10_000);
  t.equal(dev.node.chain.queries.head.number, 0);
  await dev.node.stop();
});

t.test('checkpoints are obeyed', async (t) => {
  const folder = t.testdir();
  const wrong = `[3,"00000003${'ab'.repeat(16)}"]`;
  const dev = await startDevNode(folder, { checkpoint: [wrong] });
  t.teardown(() => dev.node.stop());
  dev.clock.advance(30_000);
  t.equal(dev.node.chain.queries.head.number, 2);
  t.match(dev.log.texts('error')[0], /the chain refused the block/);
});

t.test('a chain that slept for a day wakes up', async (t) => {
  const folder = t.testdir();
  const first = await startDevNode(folder);
  first.clock.advance(30_000);
  const before = first.node.chain.queries.head.number;
  await first.node.stop();
  first.clock.jump(86_400_000);
  const second = await startDevNode(folder, {}, first.clock);
  t.teardown(() => second.node.stop());
  second.clock.advance(30_000);
  const { head } = second.node.chain.queries;
  t.ok(head.number >= before + 9);
  t.ok(Math.abs(head.time - second.clock.nowMs() / 1000) < 4, 'the new blocks are of today');
  t.same(second.log.texts('warn', 'error'), []);
});

t.test('a signal during the start stops the start', async (t) => {
  const folder = t.testdir();
  const settings = loadSettings(lineOf({ dev: 'true', 'data-dir': join(folder, 'data'), 'verify-threads': '0' }));
  const stop = new AbortController();
  stop.abort();
  const world = { clock: new FakeClock(Date.now()), random: systemRandom, log: new MemoryLog() };
  t.equal(await startNode(settings, world, stop.signal), undefined);
  t.equal(world.clock.timers, 0);
  const dev = await startDevNode(folder);
  t.equal(await dev.node.stop(), true, 'everything was closed');
});
