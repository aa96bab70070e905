import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { Wire } from '../support/cut-off.js';
import { download, FEE, PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startStorageProcess } from '../support/storage-process.js';

/** Authorizations that end before anybody was paid, and a node that goes away in the middle. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());

t.test('a node that goes away in the middle', async (t) => {
  const wire = await Wire.to(chain.node.endpoint);
  t.teardown(() => wire.close());
  const dataDir = join(t.testdir(), 'storage');
  const running = await startStorageProcess({ ...chain.service, node: `http://${wire.endpoint}`, dataDir });
  for (const lost of ['request', 'answer'] as const) {
    const before = await chain.balance();
    let left = 2;
    wire.loses = (text) => (text.includes('broadcast_transaction') && left-- > 0 ? lost : undefined);
    const { form, data } = await chain.request(`lost ${lost}`);
    const url = `${running.url}/store`;
    // On a busy machine the first call may run out of patience: the same one again tells what has become of it.
    const answer = await eventually('an answer', async () => {
      const one = await post(url, formOf(form, data));
      return one.code !== 409 && one;
    });
    t.match(answer, { code: 200 }, `the ${lost} is lost: ${answer.hint}`);
    t.equal(await chain.balance(), before - FEE);
  }
  wire.loses = () => 'request';
  const { form, data } = await chain.request('no node at all');
  t.match(await post(`${running.url}/store`, formOf(form, data)), { status: 200, code: 500, msg: 'CHAIN_FAIL' });
  await eventually('it says so', async () => (await fetch(`${running.url}/readyz`)).status === 503, 100);
  wire.loses = () => undefined;
  t.match(await post(`${running.url}/store`, formOf(form, data)), { code: 200 }, 'and then it is back');
  await eventually('it says so', async () => (await fetch(`${running.url}/readyz`)).status === 200, 100);
  t.equal(await running.stop(), 0);
});

t.test('what was not paid in time is nobody’s', async (t) => {
  const words = 'too late';
  const elsewhere = join(t.testdir(), 'other');
  const other = await startStorageProcess({ ...chain.service, dataDir: elsewhere });
  const first = await chain.request(words);
  const stored = await post(`${other.url}/store`, formOf(first.form, first.data));
  t.match(stored, { code: 200 });
  // Soon over, and not before a busy machine has come to it.
  const brief = await chain.request('in time', 45);
  const paid = await post(`${other.url}/store`, formOf(brief.form, brief.data));
  t.match(paid, { code: 200 });
  await other.stop();
  const dataDir = join(elsewhere, '..', 'storage');
  const before = await chain.balance();
  const armed = await startStorageProcess({ ...chain.service, dataDir, crashPoint: 'payment_ready' });
  const { form, data } = await chain.request(words, 45);
  await t.rejects(post(`${armed.url}/store`, formOf(form, data)));
  t.match(await armed.process.finished, { signal: 'SIGKILL' });
  await eventually('its end', async () => (await chain.headTime()) > Number(form.expiration) - 10, 500);
  const next = await startStorageProcess({ ...chain.service, dataDir });
  const metrics = async (): Promise<string> => (await fetch(`${next.url}/metrics`)).text();
  await eventually(
    'it is given up',
    async () => (await metrics()).includes('trustnode_payments{state="failed"} 1'),
    200,
  );
  t.equal(await download(next.url, stored.data?.cid ?? ''), undefined);
  t.equal(await chain.balance(), before);
  t.match(await post(`${next.url}/store`, formOf(form, data)), { code: 404 }, 'and is over');
  t.equal(await next.stop(), 0);
  const again = await startStorageProcess({ ...chain.service, dataDir: elsewhere });
  t.same(await post(`${again.url}/store`, formOf(brief.form, brief.data)), paid, 'what was paid is told later too');
  t.equal(await chain.balance(), before);
  t.equal(await again.stop(), 0);
});
