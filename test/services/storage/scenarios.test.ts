import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { NodeStorage } from '../support/node-storage.js';
import { FEE, PaidStorage } from '../support/paid-storage.js';
import { formOf, md5, post } from '../support/payer.js';
import { startInProcess } from '../support/storage-service.js';

/** Paid storage by the public JavaScript client, with what it can and what it cannot; and the largest file. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());
const service = await startInProcess(t, { endpoint: chain.node.endpoint, provider: chain.node.bob });
const client = new NodeStorage(`${service.url}/api`, chain.node.alice);
const MEBIBYTE = 1_048_576;

t.test('E37: fourteen bytes', async (t) => {
  const words = 'Hello GXChain!';
  const before = await chain.balance();
  const answer = await client.store(words);
  t.match(answer, { status: 200, code: 200, msg: 'ok', data: { txid: /^[0-9a-f]{40}$/ } });
  const { txid = '', cid = '' } = answer.data ?? {};
  t.equal(cid, 'QmSJhEQDiAR5FmJE1BgSUfDU6bjNRENbu3LJnFMR64ciyR');
  t.equal(before - (await chain.balance()), FEE);
  const found = await fetch(`${service.url}/api/data/${cid}`);
  t.equal(found.headers.get('content-disposition'), `attachment; filename="${cid}.baas"`);
  t.equal(await found.text(), words);
  const operation = await eventually('a block has it', () => chain.operationOf(txid), 200);
  t.match(operation, [73, { proxy_memo: cid, request_params: { memo: md5(Buffer.from(words)), percentage: 0 } }]);
});

t.test('E38: where it produces whole numbers, and where it does not', async (t) => {
  const before = await chain.balance();
  t.match(await client.store('a'.repeat(1024)), { status: 200, code: 200 });
  t.match(await client.store('b'.repeat(1280)), { status: 200, code: 200 }, '25 units');
  t.equal(before - (await chain.balance()), 45n);
  t.equal((await client.form('c'.repeat(1500))).amount, '29.296875');
  for (const length of [1025, 1500]) {
    t.match(await client.store('c'.repeat(length)), { status: 200, code: 408, msg: 'AMOUNT_INVALID' }, `${length}`);
  }
  t.equal(before - (await chain.balance()), 45n);
});

t.test('E39: bytes instead of a text have a hash that is none', async (t) => {
  t.match(await client.store(Buffer.from('Hello GXChain!')), { status: 200, code: 405, msg: 'DATA_MD5_INVALID' });
});

t.test('E40: the largest file, and one byte more', async (t) => {
  const largest = await chain.requestFor(new Uint8Array(10 * MEBIBYTE));
  t.match(await post(`${service.url}/store`, formOf(largest.form, largest.data)), {
    code: 200,
    data: { cid: 'QmaJ6kN9fW3TKpVkpf1NuW7cjhHjNp5Jwr3cQuHzsoZWkJ' },
  });
  const larger = await chain.requestFor(new Uint8Array(10 * MEBIBYTE + 1));
  const before = await chain.balance();
  const answer = await post(`${service.url}/store`, formOf(larger.form, larger.data));
  t.match(answer, { status: 200, code: 407, msg: 'DATA_OVER_SIZE', data: null });
  t.equal(await chain.balance(), before);
});
