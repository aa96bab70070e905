import { createRequire } from 'node:module';
import fc from 'fast-check';
import t from 'tap';
import { toHex } from '../../src/base/bytes.js';
import { encode } from '../../src/codec/binary.js';
import type { Json } from '../../src/codec/json.js';
import type { AnyType } from '../../src/codec/type.js';
import { signatureDigest } from '../../src/crypto/digests.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { OPERATIONS } from '../../src/operations/index.js';
import { authority } from '../../src/protocol/authority.js';
import { nameFromText } from '../../src/protocol/name.js';
import { transaction } from '../../src/protocol/transaction.js';
import { arbitraryOf } from '../support/arbitrary.js';
import { NETWORK } from '../support/network.js';

/**
 * The public JavaScript client, installed and run: what it serializes and signs, we serialize and accept equally, and
 * the other way round.
 */

interface ClientType {
  fromObject(json: unknown): unknown;
  fromBuffer(bytes: Buffer): unknown;
  toBuffer(value: unknown): Buffer;
}
interface ClientKey {
  toPublicKey(): { toString(): string };
}
interface Client {
  ops: Record<string, ClientType>;
  PrivateKey: { fromWif(wif: string): ClientKey };
  PublicKey: { fromPublicKeyString(text: string): unknown };
  Signature: {
    signBuffer(bytes: Buffer, key: ClientKey): { toBuffer(): Buffer };
    fromBuffer(bytes: Buffer): { verifyBuffer(bytes: Buffer, key: unknown): boolean };
  };
}
const client = createRequire(import.meta.url)('gxbjs') as Client;

/** Where the client is known to write other bytes, or none. Nothing else may differ. */
const DIFFERENT: Readonly<Record<number, string>> = {
  44: 'fba_distribute: fields fee and extensions only',
  56: 'data_transaction_update: the memo is a string without presence byte',
  79: 'inter_contract_call: the amount is mandatory and the method a string',
};
for (const tag of [45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 58, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70]) {
  (DIFFERENT as Record<number, string>)[tag] = 'declared without fields';
}

const keys = Array.from({ length: 12 }, (_, i) => PrivateKey.fromSeed(`client-test-${i}`));
const chainId = '4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8';

/**
 * Only what the client can express: real keys, instances of 31 bits, empty extension sets, valid text. Lists hold at
 * most one element, because the client sorts lists that the chain keeps in their order.
 */
const options = {
  depth: 2,
  nameFromText,
  lengthMax: 1,
  instances: fc.nat(0x7fffffff),
  scalars: {
    public_key: fc.constantFrom(...keys.map((key) => key.publicKey)),
    vote_id: fc.tuple(fc.nat(2), fc.nat(0xffffff)).map(([type, instance]) => instance * 256 + type),
    string: fc.string({ maxLength: 20 }),
  },
};

function withoutExtensions(json: Json): Json {
  if (Array.isArray(json)) return json.map(withoutExtensions);
  if (json === null || typeof json !== 'object') return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name, name.endsWith('extensions') ? [] : withoutExtensions(value)]),
  );
}

/** True when a proposal carries, at any depth, an operation that the client writes differently. */
function carriesDifferent(json: Json): boolean {
  if (Array.isArray(json)) return json.some(carriesDifferent);
  if (json === null || typeof json !== 'object') return false;
  return Object.entries(json).some(([name, value]) =>
    name === 'op' && Array.isArray(value)
      ? Number(value[0]) in DIFFERENT || carriesDifferent(value)
      : carriesDifferent(value),
  );
}

function transactionWith(tag: number, body: unknown): { json: Json; ours: Uint8Array } {
  const definition = OPERATIONS[tag] as (typeof OPERATIONS)[number];
  const json = withoutExtensions({
    ref_block_num: 4660,
    ref_block_prefix: 305419896,
    expiration: '2030-01-01T00:00:00',
    operations: [[tag, (definition.schema as AnyType).toJson(body, NETWORK)]],
    extensions: [],
  });
  return { json, ours: encode(transaction, transaction.fromJson(json, NETWORK)) };
}

for (const definition of OPERATIONS) {
  const known = DIFFERENT[definition.tag];
  t.test(`${definition.tag} ${definition.name}`, async (t) => {
    const values = fc
      .sample(arbitraryOf(definition.schema, options), { numRuns: 40, seed: 7 })
      .filter((body) => !carriesDifferent((definition.schema as AnyType).toJson(body, NETWORK)));
    t.ok(values.length >= 10, 'enough values');
    let equal = 0;
    for (const body of values) {
      const { json, ours } = transactionWith(definition.tag, body);
      const theirs = serialize(json);
      if (known === undefined) {
        if (!(theirs instanceof Error) && theirs.equals(ours)) equal++;
        else
          t.equal(theirs instanceof Error ? theirs.message : theirs.toString('hex'), toHex(ours), JSON.stringify(json));
      } else if (!(theirs instanceof Error) && theirs.equals(ours)) equal++;
    }
    if (known === undefined) t.equal(equal, values.length, 'every value serializes equally');
    else t.not(equal, values.length, `differs as known: ${known}`);
  });
}

function serialize(json: Json): Buffer | Error {
  try {
    const type = client.ops.transaction as ClientType;
    return type.toBuffer(type.fromObject(json));
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

t.test('signatures verify both ways', async (t) => {
  const backends = [signatureBackend('auto'), signatureBackend('noble')];
  const transfer = fc.sample(arbitraryOf((OPERATIONS[0] as (typeof OPERATIONS)[number]).schema, options), {
    numRuns: 6,
    seed: 3,
  });
  for (const [i, body] of transfer.entries()) {
    const { ours } = transactionWith(0, body);
    const key = keys[i % keys.length] as PrivateKey;
    const text = publicKeyToText(key.publicKey, NETWORK.keyPrefix);
    const signed = Buffer.concat([Buffer.from(chainId, 'hex'), ours]);
    const digest = signatureDigest(chainId, ours);
    const theirKey = client.PrivateKey.fromWif(key.toWif());
    t.equal(theirKey.toPublicKey().toString(), text, 'the same public key');
    const theirs = client.Signature.signBuffer(signed, theirKey).toBuffer();
    for (const backend of backends) {
      t.equal(backend.recover(digest, theirs), key.publicKey, `${backend.name} accepts the client's signature`);
      const ourSignature = Buffer.from(backend.sign(digest, key));
      const accepted = client.Signature.fromBuffer(ourSignature).verifyBuffer(
        signed,
        client.PublicKey.fromPublicKeyString(text),
      );
      t.ok(accepted, `the client accepts a signature of ${backend.name}`);
    }
  }
});

t.test('key order: the client compares texts, the chain address bytes', async (t) => {
  // Two keys whose address texts have different lengths.
  const short = 'GXC5LN7zURpBgqhjxzNBL2VnUKCHkTJKa6u1HpAibALFBkTpvfnQM';
  const long = 'GXC4vBA1LFbpjKvDFqC2BZ36qBXDVhVSobNEu2oubXQALD6DKd8N2';
  const json = {
    weight_threshold: 2,
    account_auths: [],
    key_auths: [
      [short, 1],
      [long, 1],
    ],
    address_auths: [],
  };
  const type = client.ops.authority as ClientType;
  const theirs = type.toBuffer(type.fromObject(json)).toString('hex');
  const ours = toHex(encode(authority, authority.fromJson(json as unknown as Json, NETWORK)));
  t.equal(
    ours,
    '020000000002023ac0c7a25b39de2eb6262b5d75648153dfcaf6234e8d062f86ff47ba0870d1b801000203d42e858af1124cb641842753dd83136960d5d1375c667bb9283858e92b2f75010000',
  );
  t.not(theirs, ours, 'differs as known: such a transaction must be signed over our bytes');
});
