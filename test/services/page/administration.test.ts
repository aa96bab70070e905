import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import t from 'tap';
import { openMarket } from '../../../src/services/market/market.js';
import { hasNoBrowser } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { lookAt, openWatched } from '../../support/looked-at.js';
import type { Account } from '../support/des-world.js';
import { MarketClient } from '../support/market-client.js';
import { publish } from '../support/market-service.js';
import { type PageWorld, startPageWorld } from '../support/page-world.js';
import { startSmtp } from '../support/smtp.js';

/** What administrators of a market do on its page, and the views of members that no walk stands still at. */

const LOST = 'a'.repeat(130);

async function signIn(page: Page, { market }: PageWorld, { wif, name }: Account): Promise<void> {
  await page.goto(`${market.url}/#/account`);
  const key = page.getByLabel('Private key (WIF)');
  await key.fill(wif);
  await key.press('Enter');
  await page.waitForSelector(`#who:has-text("${name}")`);
}

async function goTo(page: Page, address: string, title: string): Promise<void> {
  await page.goto(address);
  await page.waitForSelector(`h1:has-text("${title}")`);
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

/** A payment that will never come, in the book of the market and the exchange. */
async function losePayment(database: string): Promise<void> {
  const db = await openMarket({ 'data-dir': join(database, '..'), database });
  const row = {
    ...{ purpose: 'des', payer: 17, asset: 1, units: '1000', expiration: 1, request: '', memo: null, packed: null },
    ...{ tx_expiration: null, after_block: null, attempts: 1, block: null, block_id: null, sent_ms: 2 },
    ...{ txid: 'c'.repeat(40), created_ms: 1, released_ms: 2, lease_owner: '', lease_until_ms: 0 },
  };
  await db
    .insertInto('payment')
    .values({ ...row, signature: LOST, state: 'lost', failure: 'expired' })
    .execute();
  await db.destroy();
}

t.test('administration', { skip: hasNoBrowser }, async (t) => {
  let isRefusing = true;
  const { received, port } = await startSmtp(t, () => isRefusing);
  const folder = mkdtempSync(join(tmpdir(), 'trustnode-page-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const smtp = join(folder, 'smtp');
  writeFileSync(smtp, `smtp://market:top%20secret@127.0.0.1:${port}\n`);
  const place = await startPageWorld(t, { 'mail-from': 'market@exchange.example', 'smtp-file': smtp });
  const { market, world, browser, admin } = place;
  const accounts = await Promise.all(['ruled-1', 'ruled-2'].map((name) => world.account(name)));
  const clients = accounts.map(
    (account, i) => new MarketClient(market.url, account, i + 1, () => market.clock.nowMs()),
  );
  const [one, two] = clients as [MarketClient, MarketClient];
  for (const client of clients) await client.bind('http://127.0.0.1:9/');
  await admin.post('/market/merchant/profile', { merchantId: 1, email: 'one@sellers.example' });
  const product = await publish(one, { productName: 'Fog' });
  const { data: begun } = await two.post<{ voteId: number }>(`/market/product/${product}/members/add`, {});
  await losePayment(join(t.testdirName, 'shared', 'exchange.db'));

  t.test('who is none is told so', async (t) => {
    const { page } = await openWatched(browser, `${market.url}/`);
    await goTo(page, `${market.url}/#/administration`, 'Administration');
    await page.waitForSelector('main >> text=Sign in');
    await signIn(page, place, accounts[0] as Account);
    await goTo(page, `${market.url}/#/administration`, 'Administration');
    await page.waitForSelector('text=is no administrator of this market');
    t.equal(await page.locator('main form').count(), 0);
    await page.context().close();
  });

  t.test('a market without a category says what is missing before a form is filled in', async (t) => {
    const { page } = await openWatched(browser, `${market.url}/`);
    await page.route('**/market/category/list', (route) =>
      route.fulfill({ json: { code: 1, msg: '', data: [], total: null } }),
    );
    await signIn(page, place, accounts[0] as Account);
    await goTo(page, `${market.url}/#/publish`, 'Publish a product');
    await page.waitForSelector('text=This market has no category yet');
    t.equal(await page.locator('main form').count(), 0);
    await page.context().close();
  });

  const { page, complaints } = await openWatched(browser, `${market.url}/`);

  t.test('categories, bans, lost payments and letters', async (t) => {
    await signIn(page, place, world.alice);
    await page.click('text=Administration');
    await page.waitForSelector('h2:has-text("Lost payments (1)")');
    await page.waitForSelector('h2:has-text("E-mails (1)")');

    await page.getByLabel('New category').fill('Sea');
    await press(page, 'Create');
    await page.waitForSelector('select >> nth=0');
    await page.getByLabel('Category to rename').selectOption('Sea');
    await page.getByLabel('Its new name').fill('Ocean');
    await press(page, 'Rename');
    await page.waitForSelector('option:has-text("Ocean")', { state: 'attached' });
    await page.getByLabel('Category to delete').selectOption('Weather');
    await press(page, 'Delete');
    await page.waitForSelector('[role=alert]');
    t.match(await page.textContent('[role=alert]'), /product/, 'something is in it');
    await page.getByLabel('Category to delete').selectOption('Ocean');
    await press(page, 'Delete');
    await page.waitForFunction(() => document.querySelectorAll('option').length === 2);

    const id = accounts[1]?.id ?? '';
    await page.getByLabel('Account', { exact: false }).first().fill(id);
    await page.getByLabel('Why the account').fill('sold nothing, at length: '.padEnd(200, 'no '));
    await press(page, 'Ban the account');
    await page.waitForSelector(`td:has-text("${id}")`);
    await page.getByLabel('Number of the product').fill(String(product));
    await page.getByLabel('Why the product').fill('not theirs');
    await press(page, 'Ban the product');
    await page.waitForSelector(`a:has-text("Product ${product}")`);
    await lookAt(t, page, 'administration');
    t.match(await two.bind('http://127.0.0.1:9/'), { status: 403 }, 'it counts');
    await press(page, `Lift the ban of ${id}`);
    await press(page, `Lift the ban of product ${product}`);
    await page.waitForSelector('text=Nobody and nothing is banned');
    t.match(await two.bind('http://127.0.0.1:9/'), { code: 1 });

    await page.getByLabel('What was done about it').fill('written off');
    await press(page, 'Settle');
    await page.waitForSelector('text=None waits for you');
    t.match(await admin.get('/market/admin/lost?settled=1'), {
      total: 1,
      data: [{ settled: { note: 'written off' } }],
    });

    isRefusing = false;
    await page.getByRole('button', { name: /^Send \d+ now$/ }).click();
    await eventually('the letter has gone', () => received.length === 1);
    await eventually('and the page says so', async () => {
      await goTo(page, `${market.url}/#/products`, 'Products');
      await goTo(page, `${market.url}/#/administration`, 'Administration');
      await page.waitForSelector('h2:has-text("E-mails")');
      return (await page.locator('td:has-text("sent")').count()) === 1;
    });
    t.equal(received[0]?.to[0], 'one@sellers.example');
  });

  t.test('members: of a product, its votes, a change, and what others see of it', async (t) => {
    await goTo(page, `${market.url}/#/products`, 'Products');
    await page.goto(`${market.url}/#/account`);
    await press(page, 'Sign out');
    await signIn(page, place, accounts[0] as Account);
    await goTo(page, `${market.url}/#/votes`, 'Votes');
    await page.waitForSelector('text=somebody wants to become a member');
    await lookAt(t, page, 'votes');
    await goTo(page, `${market.url}/#/vote/${begun.voteId}`, '');
    await page.waitForSelector('text=Cast my ballot');
    await goTo(page, `${market.url}/#/product/${product}`, 'Fog');
    await page.waitForSelector('h2:has-text("For its members")');
    await lookAt(t, page, 'members');
    await goTo(page, `${market.url}/#/change/${product}`, '');
    await page.waitForSelector('fieldset');
    await lookAt(t, page, 'change');
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(
      complaints.filter((one) => !/status of 4\d\d/.test(one)),
      [],
    );
  });
});

/** What the functions that run inside the browser use of it. */
declare const document: { querySelectorAll(selector: string): { readonly length: number } };
