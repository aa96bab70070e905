import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../support/eventually.js';
import { download, FEE, PaidStorage } from '../support/paid-storage.js';
import { formOf, post } from '../support/payer.js';
import { startStorageProcess } from '../support/storage-process.js';

/** Paid storage that is killed between its steps: never two payments, never data for nothing. */

const chain = await PaidStorage.start(t.testdir());
t.teardown(() => chain.node.stop());

for (const [crashPoint, isFinished] of [
  ['payment_reserved', false],
  ['content_written', false],
  ['content_pinned', false],
  ['payment_ready', true],
  ['payment_signed', true],
  ['payment_taken', true],
] as const) {
  t.test(`killed at ${crashPoint}`, async (t) => {
    const wanted = { ...chain.service, dataDir: join(t.testdir(), 'storage') };
    const words = `survives ${crashPoint}`;
    const { form, data } = await chain.request(words);
    const before = await chain.balance();
    const armed = await startStorageProcess({ ...wanted, crashPoint });
    await t.rejects(post(`${armed.url}/store`, formOf(form, data)), 'no answer comes');
    t.match(await armed.process.finished, { signal: 'SIGKILL' });
    const next = await startStorageProcess(wanted);
    if (isFinished) {
      // Nobody asks again: what was stored is paid all the same, since its authorization is still good.
      await eventually('the payment', async () => (await chain.balance()) === before - FEE, 100);
    }
    const answer = await post(`${next.url}/store`, formOf(form, data));
    t.match(answer, { code: 200, data: { txid: /^[0-9a-f]{40}$/ } }, answer.hint ?? 'taken');
    t.equal(await download(next.url, answer.data?.cid ?? ''), words);
    t.same(await post(`${next.url}/store`, formOf(form, data)), answer);
    t.equal(await chain.balance(), before - FEE, 'paid once');
    t.equal(await next.stop(), 0, 'an orderly end');
  });
}
