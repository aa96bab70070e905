import t from 'tap';
import '../../src/protocol/operations/index.js';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes.js';
import {
  idOfTransaction,
  operationOf,
  packTransaction,
  signTransaction,
  unpackTransaction,
} from '../../src/client/transactions.js';
import { decode, encode } from '../../src/codec/binary.js';
import { parseJson } from '../../src/codec/json.js';
import { aesEncrypt } from '../../src/crypto/aes.js';
import { sha256 } from '../../src/crypto/hash.js';
import { memoCipher, sharedPointX } from '../../src/crypto/memo.js';
import { PrivateKey } from '../../src/crypto/private-key.js';
import { publicKeyFromText } from '../../src/crypto/public-key.js';
import { signatureBackend } from '../../src/crypto/signature.js';
import { proxyTransferOperation } from '../../src/protocol/operations/transfers.js';
import { type ProxyTransferParams, proxyTransferParams } from '../../src/protocol/proxy-transfer.js';
import { isAuthorizedBy, signerOfText } from '../../src/services/chain/signatures.js';
import { checkOutside, isPublicAddress } from '../../src/services/common/outside.js';
import { readAnswer } from '../../src/services/des/ask.js';
import { heartbeatForms } from '../../src/services/des/heartbeats.js';
import { amountsFor } from '../../src/services/storage/store.js';
import { authorize, heartbeatText, signText } from '../../src/trade/authorization.js';
import { differences } from '../../src/trade/described.js';
import { writeJson } from '../../src/trade/json.js';
import { openKey, SEALED_KEY_ERRORS, sealKey } from '../../src/trade/key-file.js';
import { RememberedOrders } from '../../src/trade/orders.js';
import { md5OfText, openSealed, sealPacket } from '../../src/trade/packets.js';
import { INPUT_ERRORS, parameterOf } from '../../src/trade/parameters.js';
import { reasonOf } from '../../src/trade/reasons.js';
import { heartbeat, openQuestion } from '../../src/trade/seller.js';
import { refused, refusedLater } from '../support/refused.js';
import { open, seal } from './support/packets.js';

/** What is signed and encrypted, by vectors that two other programs have agreed upon. */

const merchant = PrivateKey.fromSeed('exchange-vector-merchant');
const source = PrivateKey.fromSeed('exchange-vector-datasource');
const proxy = PrivateKey.fromSeed('exchange-vector-proxy');
const PLAIN = '{"params":{"name":"alice","idcard":"330102199001010000"},"timestamp":1600000000000}';
const PARAMS =
  'a49d29fbc47da2a78f7b4c164ba6ea8eb154a47f2f4643927dea6cd72d73c972b700c2b18e1b62073f8961fe4ed92b3dda9be26330489f5d602896c7bfb742e241f8a9907c668b46031bb3b9069f7c7c48d0f971881a5dd91e2d587e53f2cb86';

t.test('V1: an authorization', async (t) => {
  t.equal(merchant.toWif(), '5KERaVd7kyC27HKr9P128P3vhd1fLV1XV8ebQjX2o47Jw2bp2F9');
  t.equal(merchant.publicKey, publicKeyFromText('GXC52ZVx9XQGW9QnX9o1mBmmzGsFr2NZpYBWz1vbk9yWZ9xfCgsXc', 'GXC'));
  t.equal(md5OfText(PLAIN), '9fd1c3e9469a2da6cdcf50c67cd1d028');
  const signed = authorize(
    {
      from: 200,
      to: 300,
      proxy_account: 17,
      amount: { amount: 100_000n, asset_id: 1 },
      percentage: 1000,
      memo: md5OfText(PLAIN),
      expiration: 1_600_001_800,
    },
    merchant,
  );
  t.equal(
    toHex(encode(proxyTransferParams, { ...signed, signatures: [] })),
    'c801ac0211a08601000000000001e80320396664316333653934363961326461366364636635306336376364316430323808175e5f00',
  );
  // Signers of the family take different nonces: each is good for the other.
  const theirs = fromHex(
    '1f032338b78335252cbfdb57fcb612dd1839f0c4e41507a63ccafe777747ba749f754c545b7ba20679960aa5ead80fdb6b2be1a673edb3b07daec0aa7398ee4546',
  );
  t.ok(isAuthorizedBy({ ...signed, signatures: [theirs] }, merchant.publicKey), 'by another program');
  t.ok(isAuthorizedBy(signed, merchant.publicKey), 'by ours');
  t.notOk(isAuthorizedBy({ ...signed, percentage: 1, signatures: [theirs] }, merchant.publicKey));
  const packed = encode(proxyTransferParams, signed);
  t.same(decode(proxyTransferParams, packed), signed);
});

t.test('V2: packets', async (t) => {
  t.equal(sealPacket(merchant, source.publicKey, '459573139542560', PLAIN), PARAMS);
  const bytes = openSealed(source, merchant.publicKey, '459573139542560', PARAMS);
  t.equal(Buffer.from(bytes).toString(), PLAIN);
  t.equal(
    sealPacket(source, merchant.publicKey, '459573139542560', '{"result":true}'),
    '91810a6c1f1661d6429a51aa8ca2ade776d0d8d6596f3bb03c85b67fb309ce0e',
  );
  const key = 'GXC5vfaNEdu2SvsAWREQKNLHD43qgrjY1oAtJpS6o5kQoSuS3cxfH';
  const unpadded = seal(merchant.toWif(), key, '9223372036854775807', 'twelve bytes', 'not when whole');
  t.equal(unpadded.length, 32, 'one block');
  t.equal(
    Buffer.from(openSealed(source, merchant.publicKey, '9223372036854775807', unpadded)).toString(),
    'twelve bytes',
  );
  t.equal(open(merchant.toWif(), key, '5', sealPacket(merchant, source.publicKey, '5', 'æ')), 'æ');
});

t.test('packets of old clients, and what is none', async (t) => {
  // One shared point in 256 begins with a zero byte, which old clients leave out.
  let other = source;
  for (let i = 0; sharedPointX(merchant, other.publicKey)[0] !== 0; i++) other = PrivateKey.fromSeed(`shared ${i}`);
  const x = sharedPointX(merchant, other.publicKey);
  const packed = (plain: Uint8Array, point: Uint8Array): string => {
    const { key, iv } = memoCipher(point, '7');
    return toHex(aesEncrypt(concatBytes(sha256(plain).subarray(0, 4), plain), key, iv));
  };
  const bytes = Buffer.from('{"a":1}');
  for (const point of [x, x.subarray(x.findIndex((byte) => byte !== 0))]) {
    const opened = openSealed(other, merchant.publicKey, '7', packed(bytes, point));
    t.equal(Buffer.from(opened).toString(), '{"a":1}', `${point.length} bytes`);
  }
  for (const hex of ['', 'ab', PARAMS.slice(2), `${PARAMS.slice(0, -2)}xy`, `${PARAMS}0`]) {
    t.throws(
      () => openSealed(source, merchant.publicKey, '459573139542560', hex),
      { message: /whole blocks of 16 bytes/ },
      hex,
    );
  }
  t.throws(() => openSealed(source, merchant.publicKey, '1', PARAMS), { message: /does not open/ });
  const question = {
    buyerKey: merchant.publicKey,
    productId: 1,
    nonce: '7',
    buyer: '',
    requestId: '',
    memo: undefined,
  };
  const asked = (plain: Uint8Array) =>
    openQuestion({ ...question, params: packed(plain, sharedPointX(source, merchant.publicKey)) }, source, 5000);
  t.same(asked(Buffer.from('{"params":{"a":1},"timestamp":5}')), { a: 1 });
  for (const text of ['null', '5', '[]', '"x"', '{}', '{"params":[],"timestamp":5}', '{"params":null,"timestamp":5}']) {
    t.throws(() => asked(Buffer.from(text)), { message: /not as agreed upon/ }, text);
  }
  t.throws(() => asked(Buffer.from('{"params":{}}')), { message: /not as agreed upon/ }, 'no time');
  const notText = Buffer.concat([Buffer.from('{"params":{"a":"'), Buffer.of(0xff), Buffer.from('"},"timestamp":5}')]);
  t.throws(() => asked(notText), { message: /not as agreed upon/ }, 'no text');
  t.throws(() => asked(Buffer.from('{"params":{},"timestamp":606}')), { message: /too long ago/ });
  t.same(asked(Buffer.from('{"params":{},"timestamp":605}')), {}, 'ten minutes off');
});

t.test('V3: texts', async (t) => {
  for (const [text, signature] of [
    [
      '1.2.300|1600000003000',
      '1f5a1533a9da5496c406da874e8446834a35711558262e8208a5f0c0bf94c23dfa15ad541fdeebd15d035b5cea10d39ea136394dfe3dc0781b021c5a46e72a18b8',
    ],
    [
      heartbeatText('1.2.300', [1, 2], 1_600_000_003_000),
      '2029bdc77fa6ec75bd34e83d4aebc65d92c4a81d3fd5c398301c3f51e237b65dfa3573ac190a78d5ad264de844299f47e65e645e491df66b3209f63499b26601f3',
    ],
    [
      heartbeatText('1.2.300', [1, 2], 1_600_000_003_000, 'http://127.0.0.1:9990/query'),
      '201a1099acef76db0aae045e1101ae494482dcc1632c873f04e8791867c191cb6a263f978d858d1b3e50ff256bef56a27877279e5a61a1808db5d2c9f6e1e41a8c',
    ],
  ] as const) {
    t.equal(signerOfText(text, signText(text, source)), source.publicKey, text);
    t.equal(signerOfText(text, signature), source.publicKey);
  }
  const [account, timestamp, signature] = ['1.2.300', '5', ''];
  const given = { account, timestamp, signature, products: [1, 2], queryUrl: 'http://x/' };
  t.same(heartbeatForms(given), [
    ['1.2.300|5', false],
    ['1.2.300|[1,2]|5', false],
    ['1.2.300|[1,2]|http://x/|5', true],
    ['1.2.300|[1, 2]|5', false],
    ['1.2.300|[1, 2]|http://x/|5', true],
  ]);
  t.equal(heartbeatForms({ ...given, queryUrl: undefined }).length, 3);
  t.match(heartbeat('1.2.300', source, [1, 2], 1_600_000_003_000), {
    account: '1.2.300',
    products: [1, 2],
    signature: /^[0-9a-f]{130}$/,
  });
});

t.test('V4: an authorization of storage', async (t) => {
  const data = Buffer.from('Hello GXChain!');
  const memo = md5OfText('Hello GXChain!');
  t.equal(memo, '04693a8e5f062b609eb43bf808a4ce96');
  const amounts = amountsFor(data.length, { asset: 1, units: 20n });
  const request = {
    from: 200,
    to: 17,
    proxy_account: 17,
    amount: { amount: amounts.min, asset_id: 1 },
    percentage: 0,
    memo,
    expiration: 1_600_001_800,
  };
  const signed = authorize(request, merchant);
  t.equal(
    toHex(encode(proxyTransferParams, { ...signed, signatures: [] })),
    'c8011111140000000000000001000020303436393361386535663036326236303965623433626638303861346365393608175e5f00',
  );
  const theirs = fromHex(
    '1f428984cd7b4952e8242ec2baa293890f574c944769ecda28437fb496f85222605c5aecf7b031f906359a6517576e608c1e5d92fffa8be9f04c14a500f20c7664',
  );
  t.ok(isAuthorizedBy({ ...signed, signatures: [theirs] }, merchant.publicKey));
  t.ok(isAuthorizedBy(signed, merchant.publicKey));
});

t.test('V5: the whole transaction', async (t) => {
  const request_params = {
    from: 200,
    to: 300,
    proxy_account: 17,
    amount: { amount: 100_000n, asset_id: 1 },
    percentage: 1000,
    memo: md5OfText(PLAIN),
    expiration: 1_600_001_800,
    signatures: [
      fromHex(
        '1f032338b78335252cbfdb57fcb612dd1839f0c4e41507a63ccafe777747ba749f754c545b7ba20679960aa5ead80fdb6b2be1a673edb3b07daec0aa7398ee4546',
      ),
    ],
  };
  const [tag, body] = operationOf(proxyTransferOperation, {
    proxy_memo: 'QmNN6jex5RgR6ZzqB2kjW63dyLWGtE4GREprvu7d6Ez3Sa',
    request_params,
    extensions: [],
  });
  const trx = {
    ref_block_num: 54_701,
    ref_block_prefix: 2_861_949_695,
    expiration: 1_600_000_030,
    operations: [[tag, { ...body, fee: { amount: 100n, asset_id: 1 } }] as never],
    extensions: [],
    signatures: [],
  };
  const signed = signTransaction(trx, `${'0'.repeat(63)}1`, [proxy]);
  const unsigned =
    'add5ffe295aa1e105e5f01492e516d4e4e366a657835526752365a7a7142326b6a57363364794c574774453447524570727675376436457a335361640000000000000001c801ac0211a08601000000000001e80320396664316333653934363961326461366364636635306336376364316430323808175e5f011f032338b78335252cbfdb57fcb612dd1839f0c4e41507a63ccafe777747ba749f754c545b7ba20679960aa5ead80fdb6b2be1a673edb3b07daec0aa7398ee45460000';
  t.equal(toHex(packTransaction(signed)), `${unsigned}01${toHex(signed.signatures[0] as Uint8Array)}`);
  t.equal(idOfTransaction(signed), 'f2b8594aa9b14d90356091abe140578096286612');
  const digest = fromHex('d45fd48b4616aaeb289cc57d83ea0fe4645c4ed3af3696f8720550d86908440c');
  const theirs = fromHex(
    '204a7d1a5d7dcc130d1a2340137e26a35b5fed5c7284824e7d44d224a34c030c323a10edc130097f9e06003953188f4b090c0165e7422b0ba6c8cce7b5b9583188',
  );
  for (const signature of [theirs, signed.signatures[0] as Uint8Array]) {
    t.equal(signatureBackend().recover(digest, signature), proxy.publicKey, 'over the same digest');
  }
});

t.test('V6: real traffic of the public network', async (t) => {
  const chain = fromHex('4f7d07969c446f8342033acb3ab2ae5044cbe0fde93db02de75bd17fa8fd84b8');
  for (const { unsigned, txid, memo, buyer, signature } of [
    {
      unsigned:
        'ea7cc048fe11c06c605c01492e516d635077454d446463654d717a474e6337434375666647374776516e4346444a4774655a4d68544e74535961410100000000000000058389012ed0ab2a102700000000000005e803203064646164363864636239383561383033316666316136306337393834643336aa73605c012016918af85ee94ce72cf46f0dd8c0dec3e55eba9cf7b892e582f15b10f2949a3f7a6e4f9bdb1470414da2098032132c2ceb7725a9183fe2fe0eaa2b87c087ab880000',
      txid: 'b53c8626bae9e17a07457fccca350c8edac42888',
      memo: 'QmcPwEMDdceMqzGNc7CCuffG7GvQnCFDJGteZMhTNtSYaA',
      buyer: 'GXC53WAdo65RkQCJZQ8oY8bcmEwZb2b5YnAxVu4gEwZkbDXd6ZkV5',
      signature:
        '1b0a289b4322ea6f522f7400bc368673a60aec7c28da463fcebf338a591cf7d8c8081ca39533a7ae28346cea503745804064f3d9f946f9bb2a13d5a04a3f751cfc',
    },
    {
      unsigned:
        'eb7cdee3cf92c16c605c01492e516d544b3664486e456978534e6f57674231346a315a756a4b685431526a4567587655564a74636457774a6f5458010000000000000005801e2ed0ab2a102700000000000005e803203562666132366565363564646330383535386138626630663031646665393361ad73605c012041dafb5c38ecc885f730af79cf741f5fc50c0f5b24c4f2d9fbfca7a34009394b3efea5ef426f4f7eb864431c8f9462b31a0e08af7fa6367b99d5673c502fe4730000',
      txid: '26a893ed6f6fd1b9781262c750dc8905a9af2add',
      memo: 'QmTK6dHnEixSNoWgB14j1ZujKhT1RjEgXvUVJtcdWwJoTX',
      buyer: 'GXC63A2SukexB5LU4qjCUrYiKNwEjbdz9xYUVjucocr8KqZ478Zx5',
      signature: undefined,
    },
  ]) {
    const trx = unpackTransaction(fromHex(`${unsigned}00`));
    t.equal(idOfTransaction(trx), txid);
    const [, body] = trx.operations[0] as unknown as [
      number,
      { request_params: ProxyTransferParams; fee: object; proxy_memo: string },
    ];
    t.same(body.fee, { amount: 1n, asset_id: 5 });
    t.equal(body.proxy_memo, memo);
    t.match(body.request_params, { percentage: 1000, amount: { amount: 10_000n, asset_id: 5 } });
    const packed = encode(proxyTransferParams, { ...body.request_params, signatures: [] });
    t.ok(unsigned.includes(toHex(packed).slice(0, -2)), 'the preimage stands in the transaction');
    t.ok(isAuthorizedBy(body.request_params, publicKeyFromText(buyer, 'GXC')), 'by the buyer');
    if (signature === undefined) continue;
    const digest = sha256(concatBytes(chain, fromHex(unsigned)));
    const signer = publicKeyFromText('GXC8JD5i35DjLnyV8i9gYLRRLFVmdw1JfaDoDqrMfXUfn4cAYY66e', 'GXC');
    t.equal(signatureBackend().recover(digest, fromHex(signature)), signer, 'and the exchange');
  }
});

t.test('integers of any size', async (t) => {
  const text = '{"a":5247992605059325062,"b":[1,"x",null,true],"c":1.5}';
  t.equal(writeJson(parseJson(text)), text);
  t.equal(writeJson({ a: undefined as never, b: 1 }), '{"b":1}');
});

t.test('a key file that asks for more work than any, and numbers that are none, are refused', async (t) => {
  const file = { form: 'trustnode-key-1', account: '1.2.17', name: 'a', salt: '00', iv: '00', secret: '00' };
  for (const wrong of [
    ...[0, 10_000_001, 1e15, 1.5, '5', undefined].map((iterations) => ({ iterations })),
    ...['salt', 'iv', 'secret'].flatMap((name) =>
      [undefined, null, 7, '', '0', 'zz'].map((value) => ({ [name]: value })),
    ),
    { form: 'trustnode-key-2' },
  ]) {
    const text = JSON.stringify({ ...file, iterations: 1, ...wrong });
    await refusedLater(t, SEALED_KEY_ERRORS.sealed_key_form, openKey(text, 'x'));
  }
  const { sealed_key_password } = SEALED_KEY_ERRORS;
  await refusedLater(t, sealed_key_password, openKey(JSON.stringify({ ...file, iterations: 1 }), 'x'));
  for (const type of ['number', 'integer']) refused(t, INPUT_ERRORS.input_type, () => parameterOf('n', type, ' '));
  t.equal(parameterOf('n', 'number', ' 1.5 '), 1.5);
});

t.test('a key file is opened by its password, whichever way that is typed', async (t) => {
  const key = PrivateKey.fromSeed('seller');
  const file = await sealKey({ account: '1.2.17', name: 'a', key }, 'Zu\u0308rich \u212bngstro\u0308m');
  t.equal((await openKey(file, 'Z\u00fcrich \u00c5ngstr\u00f6m')).toWif(), key.toWif());
  await refusedLater(t, SEALED_KEY_ERRORS.sealed_key_password, openKey(file, 'Zurich'));
});

t.test('what is described has to be there itself, and not by the nature of all objects', async (t) => {
  const output = { toString: { type: 'string' }, depth: { type: 'number', required: true } };
  t.same(differences({ depth: 1 }, output), ['toString is missing']);
  t.same(differences({ depth: 'deep', toString: 'x' }, output), ['depth has to be a number']);
});

t.test('a request that was left is meant once', async (t) => {
  const orders = new RememberedOrders();
  const order = { path: '/', body: [], expiration: 1 };
  orders.leave('wish', order);
  t.equal(orders.take('other'), undefined);
  t.equal(orders.take('wish'), order);
  t.equal(orders.take('wish'), undefined);
});

t.test('what the answers of sources mean', async (t) => {
  t.same(readAnswer('{"data":"ab"}'), { kind: 'data', data: 'ab', nonce: undefined });
  t.same(readAnswer('{"data":"ab","nonce":9223372036854775806}'), {
    kind: 'data',
    data: 'ab',
    nonce: '9223372036854775806',
  });
  t.same(readAnswer('{"success":true,"data":"AB","nonce":"7"}'), { kind: 'data', data: 'AB', nonce: '7' });
  t.match(readAnswer('[]'), { kind: 'fail', comment: 'DATASOURCE_FAIL' });
  t.match(readAnswer('{"success":false}'), { kind: 'fail', comment: 'QUERY_FAIL' });
  t.same(readAnswer('{}'), { kind: 'none' });
  t.same(readAnswer('{"data":""}'), { kind: 'none' });
});

t.test('what the words of exchanges mean, and words of their own', (t) => {
  t.match(reasonOf('DATASOURCE_OFFLINE'), /ask other sources, or this one later$/);
  for (const word of ['', 'constructor', '__proto__', 'WE_ARE_CLOSED']) t.equal(reasonOf(word), undefined, word);
  t.end();
});

t.test('addresses that nobody outside can reach', async (t) => {
  for (const host of [
    '127.0.0.1',
    '0x7f000001',
    '2130706433',
    '0177.0.0.1',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '0.1.2.3',
    '192.0.0.1',
    '192.0.2.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::ffff:a9fe:a9fe]',
    '[64:ff9b::7f00:1]',
    '[fd00::1]',
    '[fe80::1]',
    '[2002:7f00:1::]',
    '[::ffff:0:7f00:1]',
    '[64:ff9b:1::1]',
    '[100::1]',
    '[2001::1]',
    '[2001:db8::1]',
    '[3fff::1]',
    '[5f00::1]',
    '[fec0::1]',
    '[ff02::1]',
  ]) {
    t.throws(() => checkOutside(`http://${host}/x`, false), { message: /is an address of this machine/ }, host);
    t.ok(checkOutside(`http://${host}/x`, true), `${host}, where that is wanted`);
  }
  for (const text of [
    'ftp://example.com',
    'file:///etc/passwd',
    'http://u:p@example.com/',
    'http://:p@example.com/',
    'x',
    'gopher://1.1.1.1',
  ]) {
    t.throws(() => checkOutside(text, true), { message: /whole URL of http/ }, text);
  }
  t.ok(isPublicAddress('1.1.1.1'));
  t.ok(isPublicAddress('2606:4700::1111'));
  t.notOk(isPublicAddress('example.com'), 'a name is none');
  t.ok(checkOutside('https://example.com:8443/x?y', false));
});
