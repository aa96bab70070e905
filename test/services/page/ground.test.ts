import t from 'tap';
import { hasNoBrowser } from '../../support/browser.js';
import { lookAt, openWatched } from '../../support/looked-at.js';
import { MarketClient } from '../support/market-client.js';
import { publish } from '../support/market-service.js';
import { type PageWorld, startPageWorld } from '../support/page-world.js';

/** The page of the market before anything is bought: how it is served, what it shows, and who signs in. */

const HOUR_MS = 3_600_000;
const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>\u202e\u200b';
const SHOWN = HOSTILE.replace('\u202e\u200b', '\\u202e\\u200b');

async function sellers(place: PageWorld): Promise<MarketClient> {
  const { world, market } = place;
  const seller = new MarketClient(market.url, await world.account('seller-one'), 1, () => market.clock.nowMs());
  await seller.bind('http://127.0.0.1:9/');
  for (let i = 1; i <= 13; i++) {
    await publish(seller, { productName: `Rain gauge ${i}`, price: { amount: 1000 * i, assetId: '1.3.1' } });
  }
  await publish(seller, {
    productName: HOSTILE,
    brieDesc: HOSTILE,
    output: { x: { type: 'string', desc: HOSTILE, sample: HOSTILE } },
  });
  return seller;
}

t.test('the ground', { skip: hasNoBrowser }, async (t) => {
  const place = await startPageWorld(t);
  const { market, browser, world } = place;
  await sellers(place);
  const { page, complaints } = await openWatched(browser, `${market.url}/`);

  t.test('is served with a policy, once and packed', async (t) => {
    const html = { Accept: 'text/html' };
    const index = await fetch(`${market.url}/`, { headers: html });
    const policy = index.headers.get('content-security-policy') ?? '';
    t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self';/);
    t.match(policy, `connect-src 'self' ${place.exchange.url} http://${world.node.endpoint} http://127.0.0.1:`);
    t.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/);
    t.notMatch(policy, /unsafe|data:|\*/);
    t.equal(index.headers.get('x-content-type-options'), 'nosniff');
    const text = await index.text();
    t.notMatch(text, /https?:\/\//, 'nothing from elsewhere');
    const script = await fetch(`${market.url}/app/app.js`);
    t.equal(script.headers.get('content-encoding'), 'gzip');
    const bytes = (await script.arrayBuffer()).byteLength;
    t.ok(bytes < 300_000, `${bytes} bytes of script`);
    const again = await fetch(`${market.url}/app/app.js`, {
      headers: { 'If-None-Match': script.headers.get('etag') ?? '' },
    });
    t.equal(again.status, 304);
    t.equal((await fetch(`${market.url}/app/nothing.js`)).status, 404);
    const calls = await fetch(`${market.url}/calls`, { headers: html });
    t.match(await calls.text(), /page\/page\.js/, 'the calls can still be tried');
  });

  t.test('a market that does not answer, or a proxy in its place, is said to be', async (t) => {
    const { page } = await openWatched(browser, `${market.url}/`);
    await page.waitForSelector('.product');
    await page.route('**/market/product/*', (route) =>
      route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
    );
    await page.goto(`${market.url}/#/product/1`);
    await page.waitForSelector('[role=alert]:has-text("cannot be reached at the moment (status 502)")');
    await page.route('**/market/product/*', (route) => route.abort());
    await page.goto(`${market.url}/#/product/2`);
    await page.waitForSelector('[role=alert]:has-text("does not answer: try again in a moment")');
    await page.close();
    t.pass('in words');
  });

  t.test('products are listed, found and paged', async (t) => {
    await page.waitForSelector('.product');
    t.equal(await page.locator('.product').count(), 12);
    t.match(await page.textContent('main'), '14 products');
    await lookAt(t, page, 'products');
    await page.click('text=Next');
    await page.waitForSelector('text=Page 2 of 2');
    t.equal(await page.locator('.product').count(), 2);
    await page.getByLabel('Name or description').fill('GAUGE 1');
    await page.getByLabel('Order').selectOption('cheapest');
    await page.getByLabel('Price up to').fill('0.12');
    await page.click('button:has-text("Search")');
    await page.waitForSelector('text=4 products');
    t.same(
      await page.locator('.product h2').allTextContents(),
      [1, 10, 11, 12].map((n) => `Rain gauge ${n}`),
    );
    await page.getByLabel('Price up to').fill('cheap');
    await page.click('button:has-text("Search")');
    await page.waitForSelector('[role=alert]:has-text("digits")');
  });

  t.test('one product, with everything that sellers wrote as text', async (t) => {
    await page.goto(`${market.url}/#/products`);
    // Not one of those that were found before: they stand there until the new list has come.
    await page.waitForSelector('text=14 products');
    await page.click('.product a');
    await page.waitForSelector('h1:has-text("<img")');
    t.equal(await page.textContent('h1'), SHOWN, 'and nothing that nobody sees');
    t.equal(await page.title(), `${SHOWN} – Data market`);
    t.equal(await page.locator('main img, main b').count(), 0);
    t.match(await page.textContent('main'), '0.01 GXC');
    t.match(await page.locator('table').first().textContent(), 'Hangzhou');
    t.match(await page.locator('table').last().textContent(), /Merchant 1.*away/);
    await lookAt(t, page, 'product');
    await page.goto(`${market.url}/#/product/99`);
    await page.waitForSelector('[role=alert]:has-text("there is no product 99")');
    await page.goto(`${market.url}/#/product/x`);
    await page.waitForSelector('[role=alert]:has-text("no such product")');
  });

  t.test('a key signs in, and is in no place where it would be left', async (t) => {
    await page.goto(`${market.url}/#/account`);
    await page.waitForSelector('h1:has-text("Sign in")');
    await lookAt(t, page, 'sign-in');
    const key = page.getByLabel('Private key (WIF)');
    const enter = async (wif: string): Promise<void> => {
      await key.fill(wif);
      await key.press('Enter');
    };
    await enter('5nonsense');
    await page.waitForSelector('[role=alert]');
    await enter('5KERaVd7kyC27HKr9P128P3vhd1fLV1XV8ebQjX2o47Jw2bp2F9');
    await page.waitForSelector('[role=alert]:has-text("acts for no account")');
    await enter(world.alice.wif);
    await page.waitForSelector('#who:has-text("alice")');
    await page.waitForSelector('text=Balance');
    await lookAt(t, page, 'account');
    const kept = await page.evaluate(() =>
      JSON.stringify([localStorage, sessionStorage, document.documentElement.outerHTML]),
    );
    t.notOk(kept.includes(world.alice.wif));
  });

  t.test('a machine whose clock is ahead or behind is served as well', async (t) => {
    for (const ahead of [HOUR_MS, -HOUR_MS]) {
      const { page } = await openWatched(browser, 'about:blank');
      await page.addInitScript((ms) => {
        const { now } = Date;
        Date.now = () => now() + ms;
      }, ahead);
      await page.goto(`${market.url}/#/account`);
      const key = page.getByLabel('Private key (WIF)');
      await key.fill(world.alice.wif);
      await key.press('Enter');
      await page.waitForSelector('#who:has-text("alice")');
      await page.goto(`${market.url}/#/purchases`);
      await page.waitForSelector('h1:has-text("Purchases"), h1:has-text("That did not work")');
      t.match(await page.textContent('main'), 'Nothing was bought yet.', `by ${ahead / HOUR_MS} h`);
      await page.close();
    }
  });

  t.test('a key file opens with its password, and with no other', async (t) => {
    await page.getByLabel('Password').fill('short');
    await page.getByLabel('Once more').fill('short');
    await page.click('button:has-text("Save as a file")');
    await page.waitForSelector('[role=alert]:has-text("at least 10")');
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByLabel('Once more').fill('correct horse battery');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.click('button:has-text("Save as a file")'),
    ]);
    t.equal(download.suggestedFilename(), 'alice.key.json');
    const file = await download.path();
    await page.click('button:has-text("Sign out")');
    await page.waitForSelector('h1:has-text("Sign in")');
    const open = async (password: string): Promise<void> => {
      await page.getByLabel('Key file').setInputFiles(file);
      await page.getByLabel('Its password').fill(password);
      await page.click('button:has-text("Open and sign in")');
    };
    await open('wrong horse battery');
    await page.waitForSelector('[role=alert]:has-text("not the one")');
    await open('correct horse battery');
    await page.waitForSelector('#who:has-text("alice")');
    await page.reload();
    await page.waitForSelector('#who:has-text("Sign in")');
    t.pass('who reloads is a stranger');
  });

  t.test('by keyboard alone', async (t) => {
    await page.goto(`${market.url}/`);
    await page.waitForSelector('.product');
    await page.keyboard.press('Tab');
    t.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
    await page.keyboard.press('Enter');
    t.equal(await page.evaluate(() => document.activeElement?.id), 'content');
    await page.locator('.product a').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('h1:has-text("<img")');
    t.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1', 'reading goes on at the heading');
    await page.goto(`${market.url}/#/account`);
    await page.getByLabel('Private key (WIF)').fill('no key');
    await page.getByRole('button', { name: 'Sign in', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('form [role=alert]');
    t.equal(await page.evaluate(() => document.activeElement?.textContent), 'Sign in', 'the button rested meanwhile');
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(
      complaints.filter((one) => !/status of 404/.test(one)),
      [],
    );
  });
});

/** What the functions that run inside the browser use of it. */
declare const document: {
  readonly activeElement: { readonly id: string; readonly tagName: string; readonly textContent: string } | null;
  readonly documentElement: { readonly outerHTML: string };
};
declare const localStorage: object;
declare const sessionStorage: object;
