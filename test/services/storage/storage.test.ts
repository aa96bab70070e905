import { join } from 'node:path';
import t, { type Test } from 'tap';
import { connect } from '../../../src/client/client.js';
import { nodeTransportWith } from '../../../src/http/node-server.js';
import { accountId } from '../../../src/protocol/ids.js';
import { startDevProcess } from '../../clients/support/dev-process.js';
import { Signer } from '../../clients/support/signer.js';
import { RawClient } from '../../http/support/ask.js';
import { transports } from '../../http/support/servers.js';
import { eventually } from '../../support/eventually.js';
import { keepOnFiles } from '../support/databases.js';
import { keptIn } from '../support/kept-files.js';
import { formOf, md5, post, type StoreForm, signForm, signFormWithLibrary, unsignedForm } from '../support/payer.js';
import { type StorageInProcess, startInProcess } from '../support/storage-service.js';

/** Paid storage against a real node: what it answers, what it takes, and what it never takes twice. */

const node = await startDevProcess(t.testdir());
t.teardown(() => node.stop());
const client = await connect(`http://${node.endpoint}`);
const { alice, bob, carol } = node;
const where = { endpoint: node.endpoint, provider: bob };
const FEE = 20;

const balanceOf = async (id: string): Promise<bigint> => {
  const [found] = await client.database.get_account_balances({ id: accountId.fromJson(id), assets: [1] });
  return found?.amount ?? 0n;
};
const headTime = async (): Promise<number> => (await client.database.get_dynamic_global_properties()).time;

let turn = 0;
/** Each authorization is another one: the chain takes each once. */
async function formFor(data: Uint8Array, more: Partial<StoreForm> = {}, wif = alice.wif): Promise<StoreForm> {
  const amount = String(FEE * Math.max(1, Math.ceil(data.length / 1024)));
  const expiration = (await headTime()) + 1800 + turn++;
  const form = { ...unsignedForm({ from: alice.id, provider: bob.id, data, amount, expiration }), ...more };
  return more.signatures === undefined ? signForm(form, wif) : { ...form, signatures: more.signatures };
}

const text = (words: string): Uint8Array => Buffer.from(words);
const store = async (service: StorageInProcess, data: Uint8Array, form?: StoreForm) =>
  post(`${service.url}/store`, formOf(form ?? (await formFor(data)), data));

for (const transport of transports) {
  t.test(`a file is stored, paid and given back (${transport.name})`, async (t) => {
    const service = await startInProcess(t, where, {}, transport);
    await t.test('the provider, by every path and method', async (t) => {
      for (const prefix of ['', '/storage', '/api', '/api/storage']) {
        for (const method of ['GET', 'POST']) {
          const response = await fetch(`${service.url}${prefix}/provider`, { method });
          t.match(await response.json(), {
            code: 200,
            msg: 'ok',
            data: { account_id: bob.id, fees: [{ fee_per_kbytes: FEE, asset_id: '1.3.1' }] },
          });
          t.match(response.headers.get('content-type'), /^application\/json/);
          t.equal(response.headers.get('access-control-allow-origin'), '*');
        }
      }
    });

    await t.test('money and bytes', async (t) => {
      const before = [await balanceOf(alice.id), await balanceOf(bob.id)] as const;
      const data = text(`Hello ${transport.name}!`);
      const answer = await store(service, data);
      t.match(answer, { status: 200, code: 200, msg: 'ok', data: { txid: /^[0-9a-f]{40}$/, cid: /^Qm\w{44}$/ } });
      const { txid, cid } = answer.data as { txid: string; cid: string };
      const found = await fetch(`${service.url}/api/storage/data/${cid}`);
      t.equal(found.status, 200);
      t.same(Buffer.from(await found.arrayBuffer()), Buffer.from(data));
      t.match(Object.fromEntries(found.headers), {
        'content-type': 'application/octet-stream',
        'content-length': String(data.length),
        'content-disposition': `attachment; filename="${cid}.baas"`,
        etag: `"${cid}"`,
        'cache-control': /immutable/,
      });
      const again = await fetch(`${service.url}/data/${cid}`, { headers: { 'If-None-Match': `"${cid}"` } });
      t.equal(again.status, 304);
      const part = await fetch(`${service.url}/data/${cid}`, { headers: { Range: 'bytes=1-3' } });
      t.same([part.status, await part.text()], [206, 'ell']);
      const block = await eventually(
        'the payment is in a block',
        async () => {
          const { head_block_number } = await client.database.get_dynamic_global_properties();
          for (let number = head_block_number; number > 0 && number > head_block_number - 5; number--) {
            const one = await client.database.get_block({ block_num: number });
            if (one?.transaction_ids.includes(txid) === true) return one;
          }
          return undefined;
        },
        200,
      );
      const [operation] = block.transactions[block.transaction_ids.indexOf(txid)]?.operations ?? [];
      t.match(operation, [73, { proxy_memo: cid, request_params: { memo: md5(data), percentage: 0 } }]);
      const { fee } = operation?.[1] as unknown as { fee: { amount: bigint } };
      t.equal(await balanceOf(alice.id), before[0] - BigInt(FEE), 'the payer gave the price');
      t.equal(await balanceOf(bob.id), before[1] + BigInt(FEE) - fee.amount, 'the provider got it and paid the fee');
    });

    await t.test('bytes of all values, in any order, of one block and of several', async (t) => {
      const every = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 7) & 0xff);
      for (const [data, order] of [
        [every, 'last'],
        [every.subarray(0, 256), 'last'],
        [new Uint8Array(), 'first'],
      ] as const) {
        const form = await formFor(data);
        const answer = await post(`${service.url}/api/storage/store`, formOf(form, data, order));
        t.equal(answer.code, 200, answer.hint ?? 'taken');
        const found = await fetch(`${service.url}/data/${answer.data?.cid}`);
        t.equal(Buffer.compare(Buffer.from(await found.arrayBuffer()), data), 0, `${data.length} bytes`);
      }
      t.same(keptIn(join(service.dataDir, 'uploads')), [], 'nothing is left of the uploads');
    });

    await t.test('what a form of any client looks like', async (t) => {
      const data = text(`line\r\n--not-a-boundary\r\n${transport.name}`);
      const form = await formFor(data);
      const named = new FormData();
      for (const [name, value] of Object.entries(form)) named.append(name, value);
      named.append('data', new Blob([Uint8Array.from(data)], { type: 'text/plain' }), '../../etc/passwd');
      t.equal((await post(`${service.url}/store`, named)).code, 200, 'with a file name, as a text');
      const bare = await formFor(text(`bare ${transport.name}`));
      const parts = Object.entries({ ...bare, data: `bare ${transport.name}` });
      const body = parts.map(
        ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const headers = { 'Content-Type': 'multipart/form-data; boundary=b' };
      t.equal((await post(`${service.url}/store`, `${body.join('')}--b--`, headers)).code, 200, 'without a type');
    });
  });
}

t.test('every code', async (t) => {
  const service = await startInProcess(t, where, { 'data-bytes-max': '5000' });
  const data = text('coded');
  const answer = async (more: Partial<StoreForm>, wif?: string) => store(service, data, await formFor(data, more, wif));
  const time = await headTime();
  const good = await formFor(data);
  // r of the signature with its highest bit set: what the chain does not take.
  const bent = `${good.signatures.slice(0, 2)}f${good.signatures.slice(3)}`;
  for (const [why, form, code, msg] of [
    ['not the provider', { to: carol.id }, 400, 'PARAM_INVALID'],
    ['another proxy', { proxy_account: carol.id }, 400, 'PARAM_INVALID'],
    ['a share', { percent: '1' }, 400, 'PARAM_INVALID'],
    ['no account', { from: 'alice', signatures: 'x' }, 400, 'PARAM_INVALID'],
    ['from the provider', { from: bob.id }, 400, 'PARAM_INVALID'],
    ['over', { expiration: String(time) }, 404, 'REQ_EXPIRATION'],
    ['too far ahead', { expiration: String(time + 90_000) }, 404, 'REQ_EXPIRATION'],
    ['another hash', { memo: md5(text('other')) }, 405, 'DATA_MD5_INVALID'],
    ['a constant instead of the hash', { memo: '[object Object]' }, 405, 'DATA_MD5_INVALID'],
    ['nobody', { from: '1.2.999999' }, 406, 'ACCOUNT_NO_EXIT'],
    ['64 bytes', { signatures: good.signatures.slice(2) }, 401, 'DATA_SIGN_FAILURE'],
    ['not canonical', { signatures: bent }, 401, 'DATA_SIGN_FAILURE'],
    ['of another request', { signatures: good.signatures }, 401, 'DATA_SIGN_FAILURE'],
    ['too little', { amount: '19' }, 408, 'AMOUNT_INVALID'],
    ['too much', { amount: '21' }, 408, 'AMOUNT_INVALID'],
    ['a fraction', { amount: '29.296875', signatures: good.signatures }, 408, 'AMOUNT_INVALID'],
    ['another asset', { asset_id: '1.3.0' }, 408, 'AMOUNT_INVALID'],
  ] as const) {
    const found = await answer(form);
    t.match(found, { status: 200, code, msg, data: null }, `${why}: ${found.hint}`);
  }
  t.match(await answer({}, bob.wif), { code: 401 }, 'signed by somebody else');
  const { memo: _, ...incomplete } = good;
  t.match(await post(`${service.url}/store`, formOf(incomplete, data)), { code: 400, hint: 'memo: it is missing' });
  t.match(await post(`${service.url}/store`, formOf(good, undefined)), { code: 400, hint: 'data: it is missing' });
  const twice = formOf(good, data);
  twice.append('memo', 'again');
  t.match(await post(`${service.url}/store`, twice), { code: 400, hint: /twice/ });
  const json = { 'Content-Type': 'application/json' };
  t.match(await post(`${service.url}/store`, '{}', json), { status: 200, code: 400 });
  t.match(await store(service, new Uint8Array(5001)), { status: 200, code: 407, msg: 'DATA_OVER_SIZE' });
  t.match(await store(service, new Uint8Array(100_000)), { status: 200, code: 407 }, 'seen by its length alone');
  t.match(await store(service, new Uint8Array(5000)), { code: 200 }, 'the largest one');
  t.match(await store(service, data, good), { code: 200 }, 'none of it has used the authorization');
});

t.test('what is not there, and what nobody serves', async (t) => {
  const service = await startInProcess(t, where);
  const of = async (path: string, accept = '*/*') => {
    const response = await fetch(`${service.url}${path}`, { headers: { Accept: accept } });
    return { status: response.status, text: await response.text(), id: response.headers.get('x-request-id') };
  };
  const unknown = 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH';
  for (const cid of [unknown, 'x'.repeat(65), '..%2f..%2fetc%2fpasswd', 'Qm', `${unknown}%00`]) {
    const found = await of(`/data/${cid}`);
    t.match(found, { status: 404, id: /^[0-9a-f]{16}$/ }, cid);
    t.match(JSON.parse(found.text), { code: 401, msg: 'NO_EXIT' });
  }
  t.match(await of('/data/../storage.db'), { status: 404 });
  t.match(await of(`/ipfs/${unknown}?format=raw`), { status: 404 });
  t.match(await of(`/ipfs/${unknown}`), { status: 406 });
  t.match(await of(`/ipfs/${unknown}?format=tar`), { status: 400 });
  t.match(await of('/ipfs/bafkqaaa?format=raw'), { status: 200, text: '' }, 'the question whether a gateway is there');
  t.match(await of('/healthz'), { status: 200, text: 'ok\n' });
  t.equal(await eventually('it is ready', async () => (await of('/readyz')).status === 200), true);
  t.match(await of('/metrics'), { status: 200, text: /trustnode_service_requests_total\{endpoint="\/data\/:cid"/ });
  t.match(await of('/', 'text/html'), { status: 200, text: /<script type="module"/ });
  const document = JSON.parse((await of('/openapi.json')).text);
  t.same(Object.keys(document.paths), ['/provider', '/store', '/data/{cid}', '/ipfs/{cid}']);
  const form = document.paths['/store'].post.requestBody.content['multipart/form-data'].schema;
  t.equal(form.required.length, 10, 'ten parts, and all of them are needed');
  t.equal(service.log.texts('error').length, 0);
});

t.test('the same request again, and again at the same time, is one payment', async (t) => {
  const service = await startInProcess(t, where);
  const data = text('only once');
  const form = await formFor(data);
  const before = await balanceOf(alice.id);
  const all = await Promise.all(Array.from({ length: 5 }, () => store(service, data, form)));
  all.push(await store(service, data, form));
  for (const answer of all) t.same(answer, all[0]);
  t.match(all[0], { code: 200 });
  // As somebody could who has seen it on the chain: the chain takes each header once.
  const header = (Number.parseInt(form.signatures.slice(0, 2), 16) - 4).toString(16);
  const otherwise = { ...form, signatures: `${header}${form.signatures.slice(2)}` };
  t.same(await store(service, data, otherwise), all[0], 'written in another way');
  t.equal(await balanceOf(alice.id), before - BigInt(FEE));
  await service.close();
  const other = await startInProcess(t, where, { 'data-dir': service.dataDir });
  t.same(await store(other, data, form), all[0], 'the next one on the same data knows it');
});

t.test('what the public library signs is taken', async (t) => {
  const service = await startInProcess(t, where);
  const data = text('signed by gxbjs');
  const { signatures: _, ...unsigned } = await formFor(data);
  const form = signFormWithLibrary(unsigned, alice.wif);
  t.match(await store(service, data, form), { code: 200 });
  const part = new Uint8Array(1280);
  const paid = await formFor(part, { amount: '25' });
  t.match(await store(service, part, paid), { code: 200 }, 'clients that pay for parts of kilobytes');
});

t.test('a balance is spent once', async (t) => {
  const signer = new Signer(client, carol.wif);
  const send = async (amount: bigint): Promise<void> => {
    await signer.send('transfer', {
      from: carol.id,
      to: alice.id,
      amount: { amount: String(amount), asset_id: '1.3.1' },
    });
  };
  const ofFee = (
    await client.database.get_required_fees({
      ops: [
        [
          0,
          {
            fee: { amount: 0n, asset_id: 1 },
            from: 17,
            to: 18,
            amount: { amount: 1n, asset_id: 1 },
            memo: undefined,
            extensions: [],
          },
        ],
      ] as never,
      id: 1,
    })
  )[0]?.fee.amount as bigint;
  // What is left suffices for one file of two, and for nothing else.
  await send((await balanceOf(carol.id)) - ofFee - BigInt(FEE + 5));
  t.equal(await balanceOf(carol.id), BigInt(FEE + 5));
  const service = await startInProcess(t, where);
  const two = await Promise.all(
    ['one', 'two'].map(async (words) => {
      const data = text(words);
      return store(service, data, await formFor(data, { from: carol.id }, carol.wif));
    }),
  );
  t.same(two.map(({ code }) => code).sort(), [200, 402]);
  t.match(
    two.find(({ code }) => code === 402),
    { msg: 'BALANCE_NO_ENOUGH' },
  );
  t.equal(await balanceOf(carol.id), 5n);
});

t.test('limits of accounts and of bodies', async (t) => {
  const service = await startInProcess(
    t,
    where,
    { 'stores-per-second': '1' },
    nodeTransportWith({ body: 200, check: 20 }),
  );
  const many = await Promise.all(
    Array.from({ length: 20 }, async (_, i) => {
      const data = text(`rate ${i}`);
      return { data, form: await formFor(data) };
    }),
  );
  const answers = await Promise.all(many.map(({ data, form }) => store(service, data, form)));
  const taken = answers.filter(({ code }) => code === 200).length;
  t.ok(taken >= 5 && taken < 20, `${taken} of 20 at once`);
  t.match(
    answers.find(({ code }) => code !== 200),
    { status: 429, code: 429, msg: 'RATE_LIMITED' },
  );
  const slow = await RawClient.open(Number(new URL(service.url).port));
  t.teardown(() => slow.socket.destroy());
  slow.write(
    'POST /store HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\n',
  );
  await slow.closed;
  t.match(slow.text, /^HTTP\/1\.1 408 .*"msg":"HTTP_SLOW"/s);
  t.same(await eventually('the upload is gone', () => keptIn(join(service.dataDir, 'uploads')).length === 0), true);
});

async function refusedStart(t: Test, line: Record<string, string>, wif = bob.wif): Promise<unknown> {
  try {
    await startInProcess(t, { ...where, provider: { id: bob.id, wif } }, line);
    return 'started';
  } catch (error) {
    return (error as { key?: unknown }).key;
  }
}

t.test('starts that cannot be', async (t) => {
  t.equal(await refusedStart(t, {}, alice.wif), 'chain_other_key');
  t.equal(await refusedStart(t, { account: 'nobody-here' }), 'chain_no_account');
  t.equal(await refusedStart(t, { account: '1.2.0' }), 'chain_no_single_key');
  t.equal(await refusedStart(t, { 'chain-id': '0'.repeat(64) }), 'chain_other');
  t.equal(await refusedStart(t, { node: 'http://127.0.0.1:1' }), 'chain_unreachable');
  t.equal(await refusedStart(t, { account: '' }), 'storage_account_needed');
  keepOnFiles('/dev/null/x');
  t.equal(await refusedStart(t, { account: bob.name, 'data-dir': '/dev/null/x' }), 'database_file');
});
