import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { eventually } from '../../support/eventually.js';
import type { MarketClient, VoteBegun } from '../support/market-client.js';
import {
  boundMerchants,
  MarketChain,
  publish,
  startMarketInProcess,
  startMarketProcess,
} from '../support/market-service.js';
import { startSmtp } from '../support/smtp.js';

/** E-mails of votes: to a real SMTP server, and past a market that is killed in the middle. */

const chain = await MarketChain.start(t.testdir());
t.teardown(() => chain.stop());
const accounts = await chain.accounts(3, 'reader');
const FROM = 'market@exchange.example';

const PROFILE = { authorizerName: 'A', merchantName: 'M' };

/** A product of two sellers who can be written to. */
async function sellers(market: Parameters<typeof boundMerchants>[0]) {
  const { admin, merchants } = await boundMerchants(market, chain, accounts);
  const [one, two, three] = merchants as [MarketClient, MarketClient, MarketClient];
  for (const [merchantId, email] of [
    [1, 'one@sellers.example'],
    [2, 'two@sellers.example'],
  ] as const) {
    await admin.post('/market/merchant/profile', { merchantId, email, ...PROFILE });
  }
  const id = await publish(one, { voteThrehold: 1, productName: 'Wetter für morgen' });
  await one.post(`/market/product/${id}/members/add`, { members: [2] });
  const apply = () => three.post<VoteBegun>(`/market/product/${id}/members/add`, {});
  return { admin, one, two, three, id, apply };
}

t.test('over SMTP, again when the server turns it away, and then no more', async (t) => {
  let isRefusing = true;
  const { received, port } = await startSmtp(t, () => isRefusing);
  const folder = t.testdir();
  const file = join(folder, 'smtp');
  writeFileSync(file, `smtp://market:top%20secret@127.0.0.1:${port}\n`);
  const market = await startMarketInProcess(t, chain, {
    'mail-from': FROM,
    'smtp-file': file,
    'data-dir': join(folder, 'market'),
  });
  const { apply, admin } = await sellers(market);
  const { voteId } = (await apply()).data;
  const turnedAway = () => market.log.entries.filter(({ text }) => text === 'an e-mail could not be sent');
  await eventually('both are turned away', () => turnedAway().length >= 2);
  t.same(received, []);
  isRefusing = false;
  market.clock.move(59_000);
  market.clock.move(2000);
  await eventually('both have come', () => received.length === 2);
  t.same(received.flatMap(({ to }) => to).sort(), ['one@sellers.example', 'two@sellers.example']);
  for (const { text } of received) {
    t.match(text, new RegExp(`^Message-ID: <vote-${voteId}-[12]-vote-created@exchange.example>`, 'mi'));
    t.match(text, /^From: market@exchange\.example/m);
    t.match(text, /^Subject: =\?UTF-8\?Q\?Vote_\d+_on_Wetter_f=C3=BCr_morgen\?=/im);
  }
  t.match(await (await fetch(`${market.url}/metrics`)).text(), /trustnode_market_mails\{state="sent"\} 2/);
  market.clock.move(3_600_000);
  isRefusing = true;
  await apply();
  t.equal(received.length, 2, 'no letter twice');
  t.notMatch(JSON.stringify(market.log.entries), /top secret|top%20secret/);
  for (const email of ['a@b.example\r\nBcc: x@y.example', 'a@b, c@d', 'a b@c.example', '"x" <a@b.example>']) {
    t.match(await admin.post('/market/merchant/profile', { merchantId: 1, email }), { status: 400, code: 1001 }, email);
  }
});

t.test('given up after five pauses', async (t) => {
  const { port } = await startSmtp(t, () => true);
  const folder = t.testdir();
  const file = join(folder, 'smtp');
  writeFileSync(file, `smtp://127.0.0.1:${port}`);
  const line = { 'mail-from': FROM, 'smtp-file': file, 'data-dir': join(folder, 'market') };
  const market = await startMarketInProcess(t, chain, line);
  const { apply } = await sellers(market);
  await apply();
  const tries = () => market.log.entries.filter(({ text }) => text === 'an e-mail could not be sent').length;
  let expected = 2;
  for (const minutes of [0, 1, 5, 30, 120, 720]) {
    market.clock.move(minutes * 60_000 + 1);
    const wanted = expected;
    await eventually(`try after ${minutes} minutes`, () => tries() >= wanted);
    expected += 2;
  }
  market.clock.move(7 * 86_400_000);
  const metrics = await eventually('they are dead', async () => {
    const text = await (await fetch(`${market.url}/metrics`)).text();
    return /trustnode_market_mails\{state="dead"\} 2/.test(text);
  });
  t.ok(metrics);
  t.equal(tries(), 12);
});

t.test('killed between the vote and its letters', async (t) => {
  const folder = t.testdir();
  const dataDir = join(folder, 'market');
  const mails = join(folder, 'mails');
  const more = ['--mail-from', FROM, '--mail-folder', mails, '--writes-per-second', '0'];
  const first = await startMarketProcess({ chain, dataDir }, ...more);
  const { one, two, three, id } = await sellers(first);
  t.equal(await first.stop(), 0, 'an orderly end');
  const armed = await startMarketProcess({ chain, dataDir, crashPoint: 'vote_recorded' }, ...more);
  three.url = armed.url;
  await t.rejects(three.post(`/market/product/${id}/members/add`, {}), 'no answer comes');
  t.match(await armed.process.finished, { signal: 'SIGKILL' });
  // Two at once on the same database: each letter is one instance's.
  const [next, beside] = await Promise.all([
    startMarketProcess({ chain, dataDir }, ...more),
    startMarketProcess({ chain, dataDir }, ...more),
  ]);
  const letters = () => (existsSync(mails) ? readdirSync(mails).filter((name) => name.endsWith('.eml')) : []);
  await eventually('a letter for each member', () => letters().length >= 2, 100);
  for (const client of [one, two, three]) client.url = next.url;
  t.match(await three.post(`/market/product/${id}/members/add`, {}), { status: 409, code: 1007 }, 'the vote is there');
  t.same(letters().length, 2);
  t.match(readFileSync(join(mails, letters()[0] as string), 'utf8'), /^To: one@sellers\.example$/m);
  for (const [client, url] of [
    [one, next.url],
    [two, beside.url],
  ] as const) {
    client.url = url;
    const { data } = await client.get<{ kind: string }[]>('/market/notification/list');
    t.equal(data.filter(({ kind }) => kind === 'VOTE_CREATED').length, 1);
  }
  const output = `${next.process.stderr}${beside.process.stderr}${armed.process.stderr}`;
  t.notMatch(output, /could not|has failed/, 'nobody stumbled over the other');
  t.equal(await next.stop(), 0);
  t.equal(await beside.stop(), 0);
});

t.test('killed between a letter and the record of it', async (t) => {
  const folder = t.testdir();
  const dataDir = join(folder, 'market');
  const mails = join(folder, 'mails');
  const mail = { 'mail-from': FROM, 'mail-folder': mails };
  const first = await startMarketInProcess(t, chain, { 'data-dir': dataDir });
  const { three, id } = await sellers(first);
  await first.close();
  const more = ['--mail-from', FROM, '--mail-folder', mails];
  const armed = await startMarketProcess({ chain, dataDir, crashPoint: 'mail_taken' }, ...more);
  three.url = armed.url;
  await three.post(`/market/product/${id}/members/add`, {}).catch(() => undefined);
  t.match(await armed.process.finished, { signal: 'SIGKILL' });
  const letters = () => readdirSync(mails).filter((name) => name.endsWith('.eml'));
  t.equal(letters().length, 1);
  const next = await startMarketInProcess(t, chain, { 'data-dir': dataDir, ...mail });
  const sent = async (count: number) =>
    new RegExp(`trustnode_market_mails\\{state="sent"\\} ${count}`).test(
      await (await fetch(`${next.url}/metrics`)).text(),
    );
  await eventually('the other one goes at once', () => sent(1));
  t.equal(letters().length, 2);
  next.clock.move(121_000);
  await eventually('the first one once more, when nobody can have it any more', () => sent(2));
  t.equal(letters().length, 2, 'under the same name');
});
