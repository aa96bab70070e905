import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ChainError } from '../../src/base/errors.js';
import { connect } from '../../src/client/client.js';
import { RpcError } from '../../src/client/connection.js';
import { encodeWith } from '../../src/codec/binary.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { addressOfKey, addressToText } from '../../src/crypto/address.js';
import { signatureDigest, tapos } from '../../src/crypto/digests.js';
import type { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { DEV_ACCOUNTS, DEV_SIGNING_KEYS, DEV_WITNESSES } from '../../src/node/dev/dev-network.js';
import { devSetup } from '../../src/node/dev/dev-setup.js';
import { packObjectId } from '../../src/protocol/ids.js';
import type { Operation, OperationBody } from '../../src/protocol/operation-slot.js';
import { type SignedTransaction, transaction } from '../../src/protocol/transaction.js';
import { type DevNode, startDevNode } from '../support/dev-node.js';
import { projectPath } from '../support/paths.js';
import { rpcText } from '../support/rpc-call.js';

/**
 * Two chains with different key prefixes and a client for each, all in one process at the same time: the prefix is
 * nowhere kept for the process as a whole.
 */

const PREFIXES = ['GXC', 'OTHER'] as const;
type Prefix = (typeof PREFIXES)[number];

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ key }) => key) as [PrivateKey, PrivateKey];

/** The development network with another prefix: the same people and keys. */
function genesisWith(prefix: Prefix, folder: string): string {
  const text = readFileSync(projectPath('genesis/dev.json'), 'utf8');
  const path = join(folder, `${prefix}.json`);
  writeFileSync(
    path,
    text
      .replaceAll(/"GXC(?=[1-9A-HJ-NP-Za-km-z]{30})/g, `"${prefix}`)
      .replace('"key_prefix": "GXC"', `"key_prefix": "${prefix}"`),
  );
  return path;
}

const folder = t.testdir({ GXC: {}, OTHER: {} });

async function startChain(prefix: Prefix): Promise<DevNode> {
  const dev = await startDevNode(join(folder, prefix), {
    dev: 'false',
    'genesis-json': genesisWith(prefix, folder),
    'enable-stale-production': 'true',
    'witness-id': DEV_WITNESSES.map((id) => `1.6.${id}`),
    'private-key': DEV_SIGNING_KEYS.map((key) => key.toWif()),
  });
  t.teardown(() => dev.node.stop());
  // The first block still follows the rules by which everybody takes what the genesis file gives them.
  for (const trx of devSetup(dev.node.chain.queries.state)) dev.node.chain.pending.push({ transaction: trx });
  dev.clock.advance(6_000);
  return dev;
}

async function openNetwork(prefix: Prefix) {
  const dev = await startChain(prefix);
  const client = await connect(`ws://${dev.node.endpoints.plain}`);
  t.teardown(() => client.connection.close());
  const raw = async (method: string, params: unknown[]): Promise<JsonObject> =>
    JSON.parse(await rpcText(dev.node.endpoints.plain, method, params)) as JsonObject;
  return { prefix, dev, client, raw, keyText: (key: PrivateKey) => publicKeyToText(key.publicKey, prefix) };
}

type OpenNetwork = Awaited<ReturnType<typeof openNetwork>>;
const networks = await Promise.all(PREFIXES.map(openNetwork));

/** Both at once, so that whatever one of them keeps would be seen by the other. */
const both = <T>(work: (network: OpenNetwork, other: OpenNetwork) => Promise<T>): Promise<T[]> =>
  Promise.all(networks.map((one, i) => work(one, networks[1 - i] as OpenNetwork)));

async function transactionWith({ client }: OpenNetwork, tag: number, body: object, key?: PrivateKey) {
  const head = await client.database.get_dynamic_global_properties();
  const chainId = await client.database.get_chain_id();
  const unsigned: SignedTransaction = {
    ...tapos(head.head_block_id),
    expiration: head.time + 60,
    operations: [[tag, { fee: { amount: 500_000n, asset_id: 1 }, ...body } as OperationBody] as Operation],
    extensions: [],
    signatures: [],
  };
  const digest = encodeWith(transaction, unsigned, (bytes) => signatureDigest(chainId, bytes));
  return { ...unsigned, signatures: key === undefined ? [] : [signatureBackend().sign(digest, key)] };
}

const memo = { from: ALICE.publicKey, to: BOB.publicKey, nonce: 7n, message: Uint8Array.of(1, 2, 3) };

async function transferWith(network: OpenNetwork, key?: PrivateKey) {
  const alice = await network.client.database.get_account_by_name({ name: 'alice' });
  const bob = await network.client.database.get_account_by_name({ name: 'bob' });
  const amount = { amount: 5n, asset_id: 1 };
  return transactionWith(network, 0, { from: alice?.id, to: bob?.id, amount, memo, extensions: [] }, key);
}

t.test('the same account has the same key in memory and another text on each wire', async (t) => {
  const seen = await both(async ({ client, raw, keyText, prefix }) => {
    const account = await client.database.get_account_by_name({ name: 'alice' });
    t.equal(account?.options.memo_key, ALICE.publicKey);
    const { result } = await raw('get_account_by_name', ['alice']);
    t.match(result, { options: { memo_key: keyText(ALICE) } });
    t.match((await raw('get_config', [])).result, { GRAPHENE_ADDRESS_PREFIX: prefix });
    return account?.active;
  });
  t.same(seen[0], seen[1]);
});

t.test('a node knows its own form of a key and no other', async (t) => {
  await both(async ({ client, raw, keyText, prefix }, other) => {
    t.equal(await client.database.is_public_key_registered({ public_key: keyText(ALICE) }), true);
    t.equal(await client.database.is_public_key_registered({ public_key: other.keyText(ALICE) }), false);
    t.match(await client.database.get_key_references({ keys: [ALICE.publicKey] }), [[Number]]);
    const { error } = await raw('get_key_references', [[`X${keyText(ALICE)}`]]);
    t.match(error, { message: new RegExp(`public key must begin with ${prefix}$`) });
  });
});

t.test('addresses', async (t) => {
  await both(async ({ client, raw, prefix }, other) => {
    const address = addressOfKey(ALICE.publicKey);
    t.type(await client.database.get_balance_objects({ addresses: [address] }), Array);
    const asked = (form: Prefix) => raw('get_balance_objects', [[addressToText(address, form)]]);
    t.type((await asked(prefix)).result, Array);
    t.type((await asked(other.prefix)).error, 'object', 'the address of another network is refused');
  });
});

t.test('a refusal shows keys as its network writes them', async (t) => {
  await both(async (network) => {
    const unsigned = await transferWith(network);
    const refusal = await network.client.network_broadcast.broadcast_transaction({ trx: unsigned }).catch((e) => e);
    t.ok(refusal instanceof RpcError);
    const [frame] = (refusal.error.data as { stack: { data: JsonObject }[] }).stack;
    t.match(frame?.data, { auth: { key_auths: [[network.keyText(ALICE), 1]] } });
  });
});

t.test('transactions with memos go to both chains, and notices of them come back', async (t) => {
  await both(async (network) => {
    const { client, dev, keyText } = network;
    const told: Json[] = [];
    const pending = client.connection.subscribe((argument) => told.push(argument));
    await client.database.set_pending_transaction_callback({ cb: pending });
    const trx = await transferWith(network, ALICE);
    const id = await client.network_broadcast.broadcast_transaction({ trx });
    t.match(id, /^[0-9a-f]{40}$/);
    const changed = client.connection.subscribe((argument) => told.push(argument));
    await client.database.set_subscribe_callback({ cb: changed, notify_remove_create: true });
    await client.database.get_objects({ ids: [packObjectId(1, 6, 1)] });
    dev.clock.advance(3_000);
    const head = await client.database.get_dynamic_global_properties();
    const block = await client.database.get_block({ block_num: head.head_block_number });
    t.match(block?.transactions[0]?.operations[0]?.[1], { memo: { from: ALICE.publicKey, nonce: 7n } });
    t.match(told[0], { operations: [[0, { memo: { from: keyText(ALICE), to: keyText(BOB) } }]] });
    dev.clock.advance(6_000);
    await client.database.get_chain_id();
    const [signing] = DEV_SIGNING_KEYS as [PrivateKey];
    t.ok(
      JSON.stringify(told).includes(`"signing_key":"${keyText(signing)}"`),
      'a witness that made a block is told of',
    );
  });
});

t.test('a transfer by proxy, whose memo has keys as well, packs to the same bytes', async (t) => {
  const [one, two] = await both(async ({ client }) => {
    const body = {
      proxy_memo: 'p',
      request_params: {
        from: 17,
        to: 18,
        proxy_account: 19,
        amount: { amount: 1n, asset_id: 1 },
        percentage: 1,
        memo: 'm',
        expiration: 1_600_000_000,
        signatures: [new Uint8Array(65).fill(1)],
      },
      extensions: [],
    };
    const trx: SignedTransaction = {
      ref_block_num: 1,
      ref_block_prefix: 2,
      expiration: 1_600_000_000,
      operations: [
        [73, { fee: { amount: 0n, asset_id: 1 }, ...body } as OperationBody] as Operation,
        [
          0,
          {
            fee: { amount: 0n, asset_id: 1 },
            from: 17,
            to: 18,
            amount: { amount: 1n, asset_id: 1 },
            memo,
            extensions: [],
          } as OperationBody,
        ] as Operation,
      ],
      extensions: [],
      signatures: [],
    };
    return client.database.get_transaction_hex({ trx });
  });
  t.match(one, /^[0-9a-f]+$/);
  t.equal(one, two);
});

t.test('who says the prefix is not asked for it', async (t) => {
  const { dev, keyText } = networks[1] as OpenNetwork;
  const client = await connect(`http://${dev.node.endpoints.plain}`, { keyPrefix: 'OTHER' });
  t.equal((await client.database.get_account_by_name({ name: 'bob' }))?.options.memo_key, BOB.publicKey);
  const wrong = await connect(`http://${dev.node.endpoints.plain}`, { keyPrefix: 'GXC' });
  await t.rejects(wrong.database.get_account_by_name({ name: 'bob' }), ChainError);
  t.ok(keyText(BOB).startsWith('OTHER'));
});
