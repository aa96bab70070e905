import t from 'tap';
import { connect } from '../../src/client/client.js';
import {
  buildTransaction,
  idOfTransaction,
  operationOf,
  packTransaction,
  signTransaction,
  unpackTransaction,
} from '../../src/client/transactions.js';
import { encodeWith } from '../../src/codec/binary.js';
import { signatureDigest } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { OPERATIONS } from '../../src/operations/index.js';
import { CORE_ASSET } from '../../src/protocol/ids.js';
import { proposalCreateOperation } from '../../src/protocol/operations/governance.js';
import { OPERATION_DECLARATIONS } from '../../src/protocol/operations/index.js';
import { transferOperation } from '../../src/protocol/operations/transfers.js';
import { type SignedTransaction, transaction } from '../../src/protocol/transaction.js';
import { startDevNode } from '../support/dev-node.js';

const CHAIN_ID = 'ab'.repeat(32);
const KEY = PrivateKey.fromSeed('somebody');

t.test('every operation can be made, signed and packed without the chain', async (t) => {
  for (const declaration of OPERATION_DECLARATIONS) {
    const unsigned: SignedTransaction = {
      ref_block_num: 1,
      ref_block_prefix: 2,
      expiration: 1_700_000_000,
      operations: [operationOf(declaration, declaration.schema.default())],
      extensions: [],
      signatures: [],
    };
    const signed = signTransaction(unsigned, CHAIN_ID, [KEY]);
    t.same(unpackTransaction(packTransaction(signed)), signed, declaration.name);
    t.equal(idOfTransaction(signed), idOfTransaction(unsigned), 'signatures do not count');
    const digest = encodeWith(transaction, unsigned, (bytes) => signatureDigest(CHAIN_ID, bytes));
    t.equal(signatureBackend().recover(digest, signed.signatures[0] as Uint8Array), KEY.publicKey);
  }
});

t.test('the chain prices and packs by the same declarations', async (t) => {
  t.equal(OPERATIONS.length, OPERATION_DECLARATIONS.length);
  OPERATIONS.forEach((definition, tag) => {
    const declared = OPERATION_DECLARATIONS[tag];
    t.equal(definition.name, declared?.name);
    t.equal(definition.schema, declared?.schema, `${definition.name}: schema`);
    t.equal(definition.fee.schema, declared?.fee.schema, `${definition.name}: fee`);
  });
});

t.test('a node takes what the client has made', async (t) => {
  const dev = await startDevNode(t.testdir());
  t.teardown(() => dev.node.stop());
  dev.clock.advance(3_000);
  await new Promise((resolve) => setImmediate(resolve));
  dev.clock.advance(6_000);
  const client = await connect(`http://${dev.node.endpoints.plain}`);
  const alice = await client.database.get_account_by_name({ name: 'alice' });
  const bob = await client.database.get_account_by_name({ name: 'bob' });
  if (alice === undefined || bob === undefined) throw new Error('the development network has both');
  const pay = operationOf(transferOperation, {
    from: alice.id,
    to: bob.id,
    amount: { amount: 7n, asset_id: CORE_ASSET },
    memo: undefined,
    extensions: [],
  });
  const chainId = await client.database.get_chain_id();
  const [owner] = DEV_ACCOUNTS;
  const keys = owner === undefined ? [] : [owner.key];
  const send = async (trx: SignedTransaction): Promise<string> =>
    client.network_broadcast.broadcast_transaction({ trx: signTransaction(trx, chainId, keys) });
  const before = await client.database.get_account_balances({ id: bob.id, assets: [CORE_ASSET] });
  const trx = await buildTransaction(client, [pay]);
  t.ok((trx.operations[0]?.[1].fee.amount ?? 0n) > 0n, 'with the fee that the node asks for');
  t.equal(await send(trx), idOfTransaction(trx));
  const after = await client.database.get_account_balances({ id: bob.id, assets: [CORE_ASSET] });
  t.equal((after[0]?.amount ?? 0n) - (before[0]?.amount ?? 0n), 7n);

  const head = await client.database.get_dynamic_global_properties();
  const propose = operationOf(proposalCreateOperation, {
    fee_paying_account: alice.id,
    expiration_time: head.time + 3600,
    proposed_ops: [{ op: pay }],
    review_period_seconds: undefined,
    extensions: [],
  });
  t.equal(
    (await send(await buildTransaction(client, [propose], { lifetimeSec: 30 }))).length,
    40,
    'a proposal, priced with what it proposes',
  );
});

t.test('an operation for which the node names no fee is not made', async (t) => {
  const dev = await startDevNode(t.testdir());
  t.teardown(() => dev.node.stop());
  const { database } = await connect(`http://${dev.node.endpoints.plain}`);
  const short = { database: { ...database, get_required_fees: async () => [] } };
  const pay = operationOf(transferOperation, transferOperation.schema.default());
  await t.rejects(buildTransaction(short, [pay]), { message: 'the node names 0 fees for 1 operations' });
});
