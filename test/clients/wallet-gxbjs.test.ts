import { createRequire } from 'node:module';
import t from 'tap';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes.js';
import { encode } from '../../src/codec/binary.js';
import type { Json, JsonObject } from '../../src/codec/json.js';
import { sha256Hex } from '../../src/crypto/hash.js';
import { publicKey } from '../../src/protocol/keys.js';
import { signedTransaction, transaction } from '../../src/protocol/transaction.js';
import { runCommand } from '../../src/wallet/commands/index.js';
import { NETWORK } from '../support/network.js';
import { linkTo, openRecorded, recordedChain } from '../wallet/support/frozen.js';

/** What the wallet makes, the public JavaScript client writes to the same bytes; each accepts the other's signatures. */

interface ClientType {
  fromObject(json: unknown): unknown;
  toBuffer(value: unknown): Buffer;
}
interface Client {
  ops: Record<string, ClientType>;
  PrivateKey: { fromWif(wif: string): unknown };
  PublicKey: { fromPublicKeyString(text: string): unknown };
  Signature: {
    signBuffer(bytes: Buffer, key: unknown): { toBuffer(): Buffer };
    fromBuffer(bytes: Buffer): { verifyBuffer(bytes: Buffer, key: unknown): boolean };
  };
}
const client = createRequire(import.meta.url)('gxbjs') as Client;

const frozen = await openRecorded('10-frozen-start.json', linkTo(recordedChain()), 1_795_293_900_000);
t.teardown(frozen.remove);
const { wallet } = frozen;
wallet.ring.unlock('supersecret');

const OPTIONS = {
  max_supply: '100000000000',
  core_exchange_rate: { base: { amount: 10, asset_id: '1.3.1' }, quote: { amount: 7, asset_id: '1.3.2' } },
  description: 'by the wallet',
};
const MADE: readonly (readonly [string, ...Json[]])[] = [
  ['transfer', 'nathan', 'alice', '1.23456', 'GXS', '', false],
  ['transfer', 'alice', 'bob', '1', 'MYTOK', 'a memo: grüße', false],
  ['transfer', 'multi', 'alice', '2', 'GXS', '', false],
  ['vote_for_witness', 'bob', 'init3', true, false],
  ['update_account_multisig', 'bob', 'owner', 2, ['alice', 'carol'], [1, 1], 'GXS', false],
  ['create_asset', 'alice', 'CLIENTTOK', 4, OPTIONS, 'GXS', false],
  ['issue_asset', 'bob', '10', 'MYTOK', '', 'GXS', false],
  ['reserve_asset', 'bob', '0.5', 'MYTOK', 'GXS', false],
  ['withdraw_vesting', 'init0', '0.00001', 'GXS', 'GXS', false],
  ['approve_proposal', 'nathan', '1.10.11', { active_approvals_to_add: ['alice'] }, false],
  ['call_contract', 'bob', 'bank-c1', { amount: 100_000, asset_id: '1.3.1' }, 'deposit', '{}', 'GXS', false],
];

for (const [name, ...params] of MADE) {
  t.test(`${name} ${JSON.stringify(params).slice(0, 60)}`, async (t) => {
    const json = (await runCommand(wallet, name, params)).result as JsonObject;
    const tx = signedTransaction.fromJson(json, NETWORK);
    const ours = encode(transaction, tx);
    // The client knows no extensions of account updates but an empty list.
    const plain = JSON.parse(JSON.stringify(json).replaceAll('"extensions":{}', '"extensions":[]')) as JsonObject;
    const type = client.ops.transaction as ClientType;
    const theirs = type.toBuffer(type.fromObject(plain));
    t.equal(toHex(theirs), toHex(ours), 'the same bytes');
    const id = (await runCommand(wallet, 'get_transaction_id', [json])).result;
    t.equal(id, sha256Hex(Uint8Array.from(theirs)).slice(0, 40), 'the same id');

    const signed = Buffer.from(concatBytes(fromHex(wallet.chainId), ours));
    const signers = wallet.ring.publicKeys();
    for (const signature of tx.signatures) {
      const accepted = signers.filter((key) =>
        client.Signature.fromBuffer(Buffer.from(signature)).verifyBuffer(
          signed,
          client.PublicKey.fromPublicKeyString(publicKey.toJson(key, NETWORK) as string),
        ),
      );
      t.equal(accepted.length, 1, 'the client accepts the signature, of one key');
      const key = accepted[0] ?? '';
      const byClient = client.Signature.signBuffer(signed, client.PrivateKey.fromWif(wallet.ring.get(key).toWif()));
      const other = { ...json, signatures: [byClient.toBuffer().toString('hex')] };
      const verified = await runCommand(wallet, 'verify_transaction_signature', [
        other,
        publicKey.toJson(key, NETWORK),
      ]);
      t.equal(verified.result, true, 'and the wallet that of the client');
    }
    t.ok(tx.signatures.length > 0);
  });
}
