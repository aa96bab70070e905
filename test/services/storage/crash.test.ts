import { join } from 'node:path';
import t from 'tap';
import { connect } from '../../../src/client/client.js';
import { accountId } from '../../../src/protocol/ids.js';
import { startDevProcess } from '../../clients/support/dev-process.js';
import { eventually } from '../../support/eventually.js';
import { Wire } from '../support/cut-off.js';
import { formOf, post, type StoreForm, signForm, unsignedForm } from '../support/payer.js';
import { startStorageProcess } from '../support/storage-process.js';

/** Paid storage that is killed between its steps, and a node that goes away: never two payments, never data for nothing. */

const FEE = 20n;

const node = await startDevProcess(t.testdir());
t.teardown(() => node.stop());
const client = await connect(`http://${node.endpoint}`);
const { alice, bob } = node;
const service = { node: `http://${node.endpoint}`, account: bob.name, wif: bob.wif };

const balance = async (): Promise<bigint> => {
  const [found] = await client.database.get_account_balances({ id: accountId.fromJson(alice.id), assets: [1] });
  return found?.amount ?? 0n;
};
const headTime = async (): Promise<number> => (await client.database.get_dynamic_global_properties()).time;

let turn = 0;
async function request(words: string, lifetimeSec = 1800): Promise<{ form: StoreForm; data: Uint8Array }> {
  const data = Buffer.from(words);
  const expiration = (await headTime()) + lifetimeSec + turn++;
  const wanted = { from: alice.id, provider: bob.id, data, amount: String(FEE), expiration };
  return { form: signForm(unsignedForm(wanted), alice.wif), data };
}

const download = async (url: string, cid: string): Promise<string | undefined> => {
  const response = await fetch(`${url}/data/${cid}`);
  const body = await response.text();
  return response.status === 200 ? body : undefined;
};

/** Ids are known before anybody has stored anything. */
async function cidOf(url: string, words: string): Promise<string> {
  const { form, data } = await request(words);
  const answer = await post(`${url}/store`, formOf(form, data));
  return answer.data?.cid ?? '';
}

t.test('killed between the steps', async (t) => {
  for (const [crashPoint, isFinished] of [
    ['payment_reserved', false],
    ['content_written', false],
    ['content_pinned', false],
    ['payment_ready', true],
    ['payment_signed', true],
    ['payment_taken', true],
  ] as const) {
    await t.test(crashPoint, async (t) => {
      const dataDir = join(t.testdir(), 'storage');
      const words = `survives ${crashPoint}`;
      const { form, data } = await request(words);
      const before = await balance();
      const armed = await startStorageProcess({ ...service, dataDir, crashPoint });
      await t.rejects(post(`${armed.url}/store`, formOf(form, data)), 'no answer comes');
      t.match(await armed.process.finished, { signal: 'SIGKILL' });
      const next = await startStorageProcess({ ...service, dataDir });
      if (isFinished) {
        // Nobody asks again: what was stored is paid all the same, since its authorization is still good.
        await eventually('the payment', async () => (await balance()) === before - FEE, 100);
      }
      const answer = await post(`${next.url}/store`, formOf(form, data));
      t.match(answer, { code: 200, data: { txid: /^[0-9a-f]{40}$/ } }, answer.hint ?? 'taken');
      t.equal(await download(next.url, answer.data?.cid ?? ''), words);
      t.same(await post(`${next.url}/store`, formOf(form, data)), answer);
      t.equal(await balance(), before - FEE, 'paid once');
      t.equal(await next.stop(), 0, 'an orderly end');
    });
  }
});

t.test('what was not paid in time is nobody’s', async (t) => {
  const dataDir = join(t.testdir(), 'storage');
  const other = await startStorageProcess({ ...service, dataDir: join(t.testdir(), 'other') });
  const cid = await cidOf(other.url, 'too late');
  await other.stop();
  const before = await balance();
  const armed = await startStorageProcess({ ...service, dataDir, crashPoint: 'payment_ready' });
  // Soon over, and not before a busy machine has come to it.
  const { form, data } = await request('too late', 60);
  await t.rejects(post(`${armed.url}/store`, formOf(form, data)));
  await armed.process.finished;
  await eventually('the authorization ends', async () => (await headTime()) > Number(form.expiration) - 10, 500);
  const next = await startStorageProcess({ ...service, dataDir }, '--log-level', 'debug');
  const metrics = async (): Promise<string> => (await fetch(`${next.url}/metrics`)).text();
  await eventually('it is given up', async () => (await metrics()).includes('payments{state="failed"} 1'), 200);
  t.equal(await download(next.url, cid), undefined);
  t.equal(await balance(), before);
  t.equal(await next.stop(), 0);
});

t.test('a node that goes away in the middle', async (t) => {
  const wire = await Wire.to(node.endpoint);
  t.teardown(() => wire.close());
  const dataDir = join(t.testdir(), 'storage');
  const running = await startStorageProcess({ ...service, node: `http://${wire.endpoint}`, dataDir });
  for (const lost of ['request', 'answer'] as const) {
    const before = await balance();
    let left = 2;
    wire.loses = (text) => (text.includes('broadcast_transaction') && left-- > 0 ? lost : undefined);
    const { form, data } = await request(`lost ${lost}`);
    const answer = await post(`${running.url}/store`, formOf(form, data));
    t.match(answer, { code: 200 }, `the ${lost} is lost: ${answer.hint}`);
    t.equal(await balance(), before - FEE);
  }
  wire.loses = () => 'request';
  const { form, data } = await request('no node at all');
  t.match(await post(`${running.url}/store`, formOf(form, data)), { status: 200, code: 500, msg: 'CHAIN_FAIL' });
  await eventually('it says so', async () => (await fetch(`${running.url}/readyz`)).status === 503, 100);
  wire.loses = () => undefined;
  t.match(await post(`${running.url}/store`, formOf(form, data)), { code: 200 }, 'and then it is back');
  await eventually('it says so', async () => (await fetch(`${running.url}/readyz`)).status === 200, 100);
  t.equal(await running.stop(), 0);
});
