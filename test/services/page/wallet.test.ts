import { join } from 'node:path';
import t from 'tap';
import { hasNoBrowser } from '../../support/browser.js';
import { freePort } from '../../support/free-port.js';
import { lookAt, openWatched } from '../../support/looked-at.js';
import { runTrustnode } from '../../support/run-trustnode.js';
import { askWallet, startWallet } from '../../wallet/support/daemon.js';
import { MarketClient } from '../support/market-client.js';
import { publish } from '../support/market-service.js';
import { startPageWorld } from '../support/page-world.js';
import { SourceServer } from '../support/source-server.js';

/** A buyer whose key never comes near the browser: the wallet signs for the page, and for this page alone. */

const PASSWORD = 'secret';

t.test('bought by the wallet', { skip: hasNoBrowser }, async (t) => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { world, market, exchange, browser } = await startPageWorld(t, { 'page-wallet': url });
  const seller = await world.account('wallet-seller-1');
  const buyer = await world.account('wallet-buyer-1', 5_000_000);
  const client = new MarketClient(market.url, seller, 2, () => market.clock.nowMs());
  const source = await SourceServer.start(seller);
  t.teardown(() => source.close());
  await client.bind(source.url);
  await publish(client, { productName: 'Rain of yesterday', price: { amount: 1000, assetId: '1.3.1' } });
  await world.isThere(exchange, source, [1]);

  const words = ['-w', join(t.testdir(), 'wallet.json'), '-s', `ws://${world.node.endpoint}`];
  const lines = [`set_password ${PASSWORD}`, `unlock ${PASSWORD}`, `import_key ${buyer.name} ${buyer.wif}`];
  const made = await runTrustnode(['wallet', ...words, ...lines.flatMap((line) => ['--exec', line])]);
  t.equal(made.code, 0, made.stdout + made.stderr);

  const { page, complaints } = await openWatched(browser, `${market.url}/#/account`);
  const form = page.locator('section', { hasText: 'With your wallet' });
  const signIn = () => form.getByRole('button', { name: 'Sign in with the wallet' }).click();
  const shown = await form.locator('pre').textContent();
  await form.getByLabel('Name of the account').fill(buyer.name);
  await signIn();
  await page.waitForSelector(`[role=alert]:has-text("No wallet answers at ${url}")`);
  await lookAt(t, page, 'wallet');

  // As the page says it, beside who the test is.
  const told = (shown ?? '').split(' ').slice(4);
  t.match(told, [...words.slice(2), '-H', `127.0.0.1:${port}`, '--origin', market.url, '--allow']);
  const access = ['--http-user', 'me', '--http-password', 'mine', '--allow', 'unlock'];
  const wallet = await startWallet([...words.slice(0, 2), ...told, ...access]);
  t.teardown(() => wallet.stop());
  await form.getByLabel('User', { exact: true }).fill('me');
  await form.getByLabel('Password of that user').fill('mine');
  await signIn();
  await page.waitForSelector('[role=alert]:has-text("The wallet says")');
  const authorization = `Basic ${Buffer.from('me:mine').toString('base64')}`;
  t.match(await askWallet(url, 'unlock', [PASSWORD], { authorization }), { status: 200 });
  await signIn();
  await page.waitForSelector(`#who:has-text("${buyer.name}")`);
  await page.waitForSelector('text=Your wallet has the key');
  await lookAt(t, page, 'wallet-account');

  await page.click('#nav >> text=Products');
  await page.click('text=Rain of yesterday');
  await page.waitForSelector('.state.online');
  await page.getByLabel('city').fill('Hangzhou 杭州');
  // No hand on the mouse: a line is sent by its key.
  await page.getByLabel('city').press('Enter');
  await page.waitForSelector('.delivered pre');
  t.match(await page.textContent('.delivered pre'), /"city": "Hangzhou 杭州"/, 'opened by the wallet');
  t.equal(await world.balance(buyer.id), 4_999_000n);
  await page.click('#nav >> text=Purchases');
  await page.waitForSelector('td:has-text("0.01 GXC")');

  const foreign = await fetch(url, {
    method: 'OPTIONS',
    headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
  });
  t.equal(foreign.headers.get('access-control-allow-origin'), null, 'no other page');
  t.same(
    complaints.filter((one) => !/ERR_CONNECTION_REFUSED|status of [45]\d\d/.test(one)),
    [],
  );
  await page.context().close();
});
