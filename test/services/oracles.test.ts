import { createRequire } from 'node:module';
import t from 'tap';
import '../../src/protocol/operations/index.js';
import { fromHex, toHex } from '../../src/base/bytes.js';
import { idOfTransaction, operationOf, packTransaction, signTransaction } from '../../src/client/transactions.js';
import { encode } from '../../src/codec/binary.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyToText } from '../../src/crypto/public-key.js';
import { proxyTransferOperation } from '../../src/protocol/operations/transfers.js';
import { proxyTransferParams } from '../../src/protocol/proxy-transfer.js';
import { isAuthorizedBy, signerOfText } from '../../src/services/chain/signatures.js';
import { authorize, heartbeatText, questionText, signText } from '../../src/trade/authorization.js';
import { openSealed, sealPacket } from '../../src/trade/packets.js';
import { SeededRandom } from '../sim/random.js';

/** Requests of the exchange as two public libraries build, encrypt and sign them, and as we do: the same, each way. */

interface Type {
  fromObject(value: object): unknown;
  toBuffer(value: unknown): Buffer;
}

interface Gxbjs {
  readonly ops: Readonly<Record<'signed_proxy_transfer_params' | 'transaction', Type>>;
  readonly PrivateKey: { fromWif(wif: string): unknown };
  readonly PublicKey: { fromPublicKeyString(text: string): unknown };
  readonly Signature: { fromHex(hex: string): { verifyBuffer(bytes: Buffer, key: unknown): boolean } };
  readonly Aes: {
    encrypt_with_checksum(own: unknown, other: unknown, nonce: string, message: Buffer): Buffer;
    decrypt_with_checksum(own: unknown, other: unknown, nonce: string, hex: string): Buffer;
  };
  readonly hash: { sha256(bytes: Buffer): Buffer };
}

interface Gxclient {
  readonly Types: Readonly<Record<'signed_proxy_transfer_params' | 'transaction', Type>>;
  serialize(value: unknown, type: Type): Buffer;
  readonly Signature: { signBuffer(bytes: Buffer, wif: string): { toHex(): string } };
}

const require = createRequire(import.meta.url);
const gxbjs = require('gxbjs') as Gxbjs;
const gxclient = require('gxclient') as Gxclient;
const random = new SeededRandom(16);
const below = (limit: number): number => random.below(limit);
const buyer = PrivateKey.fromSeed('oracle-buyer');
const seller = PrivateKey.fromSeed('oracle-seller');
const keyText = (key: PrivateKey): string => publicKeyToText(key.publicKey, 'GXC');
const theirs = (key: PrivateKey): unknown => gxbjs.PrivateKey.fromWif(key.toWif());
const theirPublic = (key: PrivateKey): unknown => gxbjs.PublicKey.fromPublicKeyString(keyText(key));

/** A request, and the same in their words. */
function requestOf(i: number) {
  const [from, to, proxy] = [below(2 ** 31), below(300), below(2 ** 20)];
  const units = BigInt(below(2 ** 31)) * BigInt(1 + below(2 ** 21));
  const asset = below(20_000);
  const percentage = below(10_001);
  const memo = `${i % 5 === 0 ? 'memo ' : ''}${below(2 ** 31)
    .toString(16)
    .padStart(32, '0')}`;
  const expiration = 1_600_000_000 + below(2 ** 31 - 1_600_000_000);
  const ours = {
    from,
    to,
    proxy_account: proxy,
    amount: { amount: units, asset_id: asset },
    percentage,
    memo,
    expiration,
  };
  const named = {
    from: `1.2.${from}`,
    to: `1.2.${to}`,
    proxy_account: `1.2.${proxy}`,
    amount: { amount: String(units), asset_id: `1.3.${asset}` },
    percentage,
    memo,
    expiration,
  };
  return { ours, named };
}

const unsignedBy = (named: object): Buffer => {
  const type = gxclient.Types.signed_proxy_transfer_params;
  return gxclient.serialize(type.fromObject({ ...named, signatures: [] }), type);
};

t.test('what buyers sign, by the same bytes', async (t) => {
  for (let i = 0; i < 200; i++) {
    const { ours, named } = requestOf(i);
    const bytes = toHex(encode(proxyTransferParams, { ...ours, signatures: [] }));
    t.equal(unsignedBy(named).toString('hex'), bytes, 'gxclient');
    const type = gxbjs.ops.signed_proxy_transfer_params;
    t.equal(type.toBuffer(type.fromObject({ ...named, signatures: [] })).toString('hex'), bytes, 'gxbjs');
  }
});

t.test('signatures, each accepted by the other', async (t) => {
  for (let i = 0; i < 8; i++) {
    const { ours, named } = requestOf(i);
    const bytes = unsignedBy(named);
    const signature = gxclient.Signature.signBuffer(bytes, buyer.toWif()).toHex();
    const given = { ...ours, signatures: [fromHex(signature)] };
    t.ok(isAuthorizedBy(given, buyer.publicKey), 'theirs');
    t.notOk(isAuthorizedBy({ ...given, percentage: ours.percentage ^ 1 }, buyer.publicKey), 'for nothing else');
    const own = toHex(authorize(ours, buyer).signatures[0] as Uint8Array);
    t.ok(gxbjs.Signature.fromHex(own).verifyBuffer(bytes, theirPublic(buyer)), 'ours');
    t.notOk(gxbjs.Signature.fromHex(own).verifyBuffer(bytes, theirPublic(seller)));
  }
});

t.test('texts of sources, merchants and the exchange', async (t) => {
  const body = Buffer.from('{"nonce":9223372036854775807}');
  for (const text of [
    heartbeatText('1.2.17', [1, 22, 333], 1_600_000_000_000, 'https://sources.example/æ?x=1'),
    heartbeatText('1.2.17', [], 1_600_000_000_000),
    `1.2.17|14|https://sources.example|1600000000000`,
    `market-v1|1.2.17|POST|/market/product/vote|${'0'.repeat(64)}|1600000000000`,
    questionText('1.2.18', 'a request', '1600000000000', body),
  ]) {
    const bytes = Buffer.from(text, 'utf8');
    const signature = gxclient.Signature.signBuffer(bytes, seller.toWif()).toHex();
    t.equal(signerOfText(text, signature), seller.publicKey, text);
    t.ok(gxbjs.Signature.fromHex(signText(text, seller)).verifyBuffer(bytes, theirPublic(seller)));
  }
});

t.test('packets of all lengths, under nonces of all sizes', async (t) => {
  for (let length = 0; length < 70; length++) {
    const text = 'æ'.repeat(length % 3) + 'x'.repeat(length);
    const digits = String((BigInt(below(2 ** 31)) << 32n) | BigInt(below(2 ** 31)));
    const nonce = length % 10 === 0 ? '' : digits;
    const made = gxbjs.Aes.encrypt_with_checksum(theirs(buyer), theirPublic(seller), nonce, Buffer.from(text));
    t.equal(sealPacket(buyer, seller.publicKey, nonce, text), made.toString('hex'), `${length}`);
    const opened = openSealed(seller, buyer.publicKey, nonce, made.toString('hex'));
    t.equal(Buffer.from(opened).toString(), text);
    const back = sealPacket(seller, buyer.publicKey, nonce, text);
    const read = gxbjs.Aes.decrypt_with_checksum(theirs(buyer), theirPublic(seller), nonce, back);
    t.equal(Buffer.from(read).toString('utf8'), text);
  }
});

t.test('the transaction that pays', async (t) => {
  const chainId = '4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8';
  const exchange = PrivateKey.fromSeed('oracle-exchange');
  for (let i = 0; i < 5; i++) {
    const { ours, named } = requestOf(i);
    const request_params = authorize(ours, buyer);
    const signatures = request_params.signatures.map(toHex);
    const proxy_memo = `Qm${'x'.repeat(44)}`;
    const [tag, body] = operationOf(proxyTransferOperation, { proxy_memo, request_params, extensions: [] });
    const head = { ref_block_num: below(65_536), ref_block_prefix: below(2 ** 32), expiration: 1_600_000_030 };
    const paid = [tag, { ...body, fee: { amount: 100n, asset_id: 1 } }] as never;
    const signed = signTransaction({ ...head, operations: [paid], extensions: [], signatures: [] }, chainId, [
      exchange,
    ]);
    const fee = { amount: '100', asset_id: '1.3.1' };
    const operations = [[73, { proxy_memo, fee, request_params: { ...named, signatures }, extensions: [] }]];
    const type = gxclient.Types.transaction;
    const bytes = gxclient.serialize(type.fromObject({ ...head, operations, extensions: [] }), type);
    t.equal(`${bytes.toString('hex')}01${toHex(signed.signatures[0] as Uint8Array)}`, toHex(packTransaction(signed)));
    t.equal(gxbjs.hash.sha256(bytes).toString('hex').slice(0, 40), idOfTransaction(signed));
    const whole = Buffer.concat([Buffer.from(chainId, 'hex'), bytes]);
    const signature = gxbjs.Signature.fromHex(toHex(signed.signatures[0] as Uint8Array));
    t.ok(signature.verifyBuffer(whole, theirPublic(exchange)), 'and is signed for this chain');
  }
});
