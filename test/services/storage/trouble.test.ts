import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { CID } from 'multiformats/cid';
import t from 'tap';
import { connect } from '../../../src/client/client.js';
import { accountId } from '../../../src/protocol/ids.js';
import { openStorageDatabase } from '../../../src/services/storage/storage.js';
import { Signer } from '../../clients/support/signer.js';
import { RawClient } from '../../http/support/ask.js';
import { eventually } from '../../support/eventually.js';
import { Wire } from '../support/cut-off.js';
import { lockOut, placeOf } from '../support/databases.js';
import { keptIn } from '../support/kept-files.js';
import { download, FEE, PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startInProcess } from '../support/storage-service.js';

/** A request that is still at work, a disk and a database that take nothing, and one address that wants all the room. */

const [PAYMENT_FEE, SOME_UNITS] = [100n, 100_000n];

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());
const where = { endpoint: chain.node.endpoint, provider: chain.node.bob };

t.test('409: the same request is still at work, and its result comes with a later call', async (t) => {
  const wire = await Wire.to(chain.node.endpoint);
  t.teardown(() => wire.close());
  const service = await startInProcess(t, { ...where, endpoint: wire.endpoint });
  const store = async () => post(`${service.url}/store`, formOf(form, data));
  const { form, data } = await chain.request('at work');
  const before = await chain.balance();
  wire.loses = (text) => (text.includes('broadcast_transaction') ? 'request' : undefined);
  const first = store();
  await eventually('it has begun', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return text.includes('trustnode_payments{state="signed"} 1');
  });
  for (const answer of await Promise.all([first, store()])) {
    t.match(answer, { status: 200, code: 409, msg: 'REQ_PROCESSING', data: null, hint: /still at work/ });
  }
  t.equal(await chain.balance(), before, 'nothing is paid meanwhile');
  wire.loses = () => undefined;
  const later = await eventually('its result', async () => {
    const answer = await store();
    return answer.code !== 409 && answer;
  });
  t.match(later, { code: 200, data: { txid: /^[0-9a-f]{40}$/ } });
  t.equal(await chain.balance(), before - FEE, 'paid once');
  t.equal(await download(service.url, later.data?.cid ?? ''), 'at work');
});

t.test('an orderly end answers what was taken in', async (t) => {
  const service = await startInProcess(t, where);
  // More than is kept in memory: its file is cleared away before the answer goes.
  const { form, data } = await chain.requestFor(Buffer.alloc(100_000, 'the end'));
  const answer = post(`${service.url}/store`, formOf(form, data));
  await eventually('it has begun', async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    return text.includes('trustnode_payments{state=');
  });
  await service.close();
  t.match(await answer, { code: 200 });
});

t.test('STORE_FAIL: a disk that takes no block', async (t) => {
  const service = await startInProcess(t, where);
  const { form, data } = await chain.request('hello world');
  const hash = Buffer.from(CID.parse('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD').multihash.digest);
  const blocks = join(service.dataDir, 'blocks');
  const inTheWay = join(blocks, hash.toString('hex').slice(0, 2));
  mkdirSync(blocks, { recursive: true });
  // A file where the folder of the block has to be.
  writeFileSync(inTheWay, '');
  const before = await chain.balance();
  const failed = await post(`${service.url}/store`, formOf(form, data));
  t.match(failed, { status: 200, code: 500, msg: 'STORE_FAIL', data: null });
  t.match(service.log.texts('error'), ['data could not be stored'], 'the log knows');
  t.equal(await chain.balance(), before);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  t.notMatch(metrics, /payments\{state="/, 'nothing is held back');
  t.same(keptIn(join(service.dataDir, 'uploads')), []);
  rmSync(inTheWay);
  t.match(await post(`${service.url}/store`, formOf(form, data)), { code: 200 }, 'the same request once there is room');
  t.equal(await chain.balance(), before - FEE);
});

t.test('STORE_FAIL: a disk that takes no upload', async (t) => {
  const service = await startInProcess(t, where);
  const { form, data } = await chain.requestFor(Buffer.alloc(100_000, 'more than is kept in memory'));
  const uploads = join(service.dataDir, 'uploads');
  rmSync(uploads, { recursive: true });
  const failed = await post(`${service.url}/store`, formOf(form, data));
  t.match(failed, { status: 200, code: 500, msg: 'STORE_FAIL', data: null });
  t.match(service.log.texts('error'), [/disk did not take a change/], 'the log knows');
  const ready = async (): Promise<string> => (await fetch(`${service.url}/readyz`)).text();
  await eventually(
    'nobody is sent there',
    async () => (await ready()) === 'the disk takes no files: the log says why\n',
  );
  mkdirSync(uploads);
  await eventually('until there is room', async () => (await ready()).startsWith('ready\n'));
  t.match(await post(`${service.url}/store`, formOf(form, data)), { code: 200 }, 'the same request once there is room');
});

t.test('STORE_FAIL: a database that somebody else holds', async (t) => {
  const service = await startInProcess(t, where);
  const other = await openStorageDatabase(await placeOf(service.dataDir));
  t.teardown(() => other.destroy());
  const { form, data } = await chain.request('locked out');
  const before = await chain.balance();
  await other.connection().execute(async (held) => {
    await lockOut(held);
    const failed = await post(`${service.url}/store`, formOf(form, data));
    await sql`ROLLBACK`.execute(held);
    t.match(failed, { status: 200, code: 500, msg: 'STORE_FAIL' });
  });
  t.equal(await chain.balance(), before);
  t.match(await post(`${service.url}/store`, formOf(form, data)), { code: 200 });
  t.equal(await chain.balance(), before - FEE);
});

t.test('one address with many uploads leaves room for others', async (t) => {
  const limits = { 'trusted-proxy': '127.0.0.1', 'uploads-per-address-max': '2', 'uploads-max': '4' };
  const service = await startInProcess(t, where, limits);
  const port = Number(new URL(service.url).port);
  const begin = async (address: string): Promise<RawClient> => {
    const client = await RawClient.open(port);
    t.teardown(() => client.socket.destroy());
    client.write(
      `POST /store HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: ${address}\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 1000\r\n\r\n--b\r\nContent-Disposition: form-data; name="data"\r\n\r\nx`,
    );
    return client;
  };
  const uploads = (): number => keptIn(join(service.dataDir, 'uploads')).length;
  const from = async (address: string) => {
    const { form, data } = await chain.request(`from ${address}`);
    const headers = { 'X-Forwarded-For': address };
    return post(`${service.url}/store`, formOf(form, data), headers);
  };
  const ours = [await begin('2001:db8:0:1::1'), await begin('2001:db8:0:1::2')];
  await eventually('a network is one address', async () => (await from('2001:db8:0:1::3')).code === 429);
  t.match(await from('2001:db8:0:2::1'), { code: 200 }, 'and its neighbour another one');
  for (const client of ours) client.socket.destroy();
  await eventually('their places are free', async () => (await from('2001:db8:0:1::3')).code === 200);
  const [one, two] = [await begin('198.51.100.7'), await begin('198.51.100.7')];
  const refused = { status: 429, code: 429, msg: 'RATE_LIMITED', hint: /too much at once from this address/ };
  await eventually('both are under way', async () => (await from('198.51.100.7')).code === 429);
  t.match(await from('198.51.100.7'), refused, 'a third one');
  t.match(await from('198.51.100.8'), { code: 200 }, 'another address');
  one.socket.destroy();
  await eventually('its place is free', async () => (await from('198.51.100.7')).code === 200);
  t.match(await from('198.51.100.7'), { code: 200 }, 'those that are done hold no place');
  const more = [await begin('198.51.100.9'), await begin('198.51.100.9'), await begin('198.51.100.10')];
  await eventually('all places are taken', async () => (await from('198.51.100.11')).code === 429);
  t.match(await from('198.51.100.11'), { code: 429, hint: /from all clients/ });
  for (const client of [two, ...more]) client.socket.destroy();
  await eventually('all places are free', async () => (await from('198.51.100.11')).code === 200);
  t.equal(uploads(), 0);
});

t.test('an account that cannot pay the fees of the chain: log, metrics and /readyz', async (t) => {
  const client = await connect(`http://${chain.node.endpoint}`);
  const ready = async (service: { readonly url: string }): Promise<string> =>
    (await fetch(`${service.url}/readyz`)).text();
  const metrics = async (service: { readonly url: string }): Promise<string> =>
    (await fetch(`${service.url}/metrics`)).text();
  const { alice, bob } = chain.node;
  const id = accountId.fromJson(bob.id);
  const has = async (): Promise<bigint> => {
    const [found] = await client.database.get_account_balances({ id, assets: [1] });
    return found?.amount ?? 0n;
  };
  const signer = new Signer(client, bob.wif);
  const away = (units: bigint) =>
    signer.send('transfer', { from: bob.id, to: alice.id, amount: { amount: String(units), asset_id: '1.3.1' } });
  await away((await has()) - SOME_UNITS);
  const rest = await has();
  const fee = SOME_UNITS - rest;
  await away(rest - fee - 2n * PAYMENT_FEE);
  t.equal(await has(), 2n * PAYMENT_FEE);
  const service = await startInProcess(t, where);
  await eventually('it is told before', async () => /fees of \d more payments/.test(await ready(service)));
  t.match(service.log.texts('error'), [/will soon be unable to pay fees/]);
  t.match(await metrics(service), /^trustnode_fee_payments_left [12]$/m);
  const rich = await startInProcess(t, where, { 'data-dir': t.testdir(), 'fee-reserve': '1' });
  await eventually('it has looked', async () => /^trustnode_fee_payments_left [12]$/m.test(await metrics(rich)));
  t.notMatch(await ready(rich), /payments/, 'enough for who wants no more');
  await eventually('the last fee is paid, and the next one is refused', async () => {
    const { form, data } = await chain.request(`poor ${Date.now()}`);
    await post(`${service.url}/store`, formOf(form, data));
    return /^trustnode_payment_refusals_total\{reason="fee"\} [1-9]/m.test(await metrics(service));
  });
  await eventually('it is told', async () => /cannot pay the fee of a payment/.test(await ready(service)));
});
