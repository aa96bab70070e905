import type { Page, Route } from 'playwright-core';
import t from 'tap';
import { PrivateKey } from '../../../src/crypto/private-key.js';
import { accountId } from '../../../src/protocol/ids.js';
import { Buyer } from '../../../src/trade/buyer.js';
import { hasNoBrowser, LAST_RESORT_MS } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { lookAt, openWatched } from '../../support/looked-at.js';
import type { Account } from '../support/des-world.js';
import { MarketClient } from '../support/market-client.js';
import { publish } from '../support/market-service.js';
import { startPageWorld } from '../support/page-world.js';
import { SourceServer } from '../support/source-server.js';

/** Two walks over the page of the market, from nothing: a newcomer who buys, and a seller who earns. */

const PRICE = 1000;
const MONEY = 5_000_000;

/** What the functions that run inside the browser use of it. */
declare const localStorage: object;
declare const document: { querySelector(selector: string): { readonly textContent: string } | null };

async function signIn(page: Page, url: string, { wif, name }: Account): Promise<void> {
  await page.goto(`${url}/#/account`);
  const key = page.getByLabel('Private key (WIF)');
  await key.fill(wif);
  await key.press('Enter');
  await page.waitForSelector(`#who:has-text("${name}")`);
}

/** A seller fills in the form of a new product, and is told of a sample that does not fit. */
async function describeSnow(page: Page): Promise<void> {
  await page.click('text=Publish a product');
  await page.waitForSelector('h1:has-text("Publish a product")');
  await page.getByLabel('Name', { exact: true }).first().fill('Snow of tomorrow');
  await page.getByLabel('Description').fill('How deep it will be');
  await page.getByLabel('Price of one answer').fill('0.01');
  await page.getByLabel('Members who must agree').fill('100');
  const input = page.locator('fieldset', { hasText: 'What buyers give' }).locator('.row');
  await input.getByLabel('Name').fill('city');
  await input.getByLabel('What it is').fill('where');
  await input.getByLabel('Sample').fill('Hangzhou');
  const output = page.locator('fieldset', { hasText: 'What buyers get' });
  await output.getByLabel('Name').fill('depth');
  await output.getByLabel('Type').selectOption('number');
  await output.getByLabel('Sample').fill('deep');
  await press(page, 'Publish');
  await page.waitForSelector('[role=alert]:has-text("The sample of depth is no number")');
  await output.getByLabel('Sample').fill('12.5');
  await press(page, 'One more value');
  await output.getByLabel('Name').last().fill('powder');
  await output.getByLabel('Type').last().selectOption('boolean');
}

/** Nothing is read before the view of this title is there. */
async function goTo(page: Page, address: string, title: string): Promise<void> {
  await page.goto(address);
  await page.waitForSelector(`h1:has-text("${title}")`);
}

const HOUR_MS = 3_600_000;

/** Of the machine of whoever looks: nothing that is signed or worked for may go by it. */
async function setClockAhead(page: Page): Promise<void> {
  await page.addInitScript((ms) => {
    const { now } = Date;
    Date.now = () => now() + ms;
  }, HOUR_MS);
}

const press = (page: Page, name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();

t.test('walks', { skip: hasNoBrowser }, async (t) => {
  const place = await startPageWorld(t);
  const { market, world, browser, exchange } = place;
  const [seller, second] = await Promise.all(['seller-1', 'seller-2'].map((name) => world.account(name)));
  if (seller === undefined || second === undefined) throw new Error('both are there');
  const other = new MarketClient(market.url, second, 2, () => market.clock.nowMs());
  const source = await SourceServer.start(second);
  t.teardown(() => source.close());
  await other.bind(source.url);
  await publish(other, { productName: 'Rain of yesterday', price: { amount: PRICE, assetId: '1.3.1' } });
  await world.isThere(exchange, source, [1]);

  t.test('a newcomer registers, gets money, looks, buys, reads, and sees the bill', async (t) => {
    const { page, complaints } = await openWatched(browser, 'about:blank');
    await setClockAhead(page);
    await page.goto(`${market.url}/`);
    await page.click('text=Sign in');
    await page.click('text=Register one');
    await page.getByLabel('Name').fill('seller-1');
    await page.getByLabel('Password of the key file').fill('correct horse battery');
    await page.getByLabel('The password once more').fill('correct horse battery');
    await press(page, 'Make a key and register');
    await page.waitForSelector('[role=alert]:has-text("belongs to somebody else")');
    await lookAt(t, page, 'register');
    await page.getByLabel('Name').fill('newcomer-1');
    const kept = page.waitForEvent('download');
    await press(page, 'Make a key and register');
    t.equal((await kept).suggestedFilename(), 'newcomer-1.key.json', 'the key is kept first');
    await page.waitForSelector('dd:has-text("0 GXC")');
    const id = (await page.locator('#who small').textContent()) ?? '';
    await world.pay(id, MONEY);
    await press(page, 'Refresh');
    await page.waitForSelector('dd:has-text("50 GXC")');
    await page.click('#nav >> text=Products');
    await page.click('text=Rain of yesterday');
    await page.waitForSelector('.state.online');
    await page.getByLabel('city').fill('Hangzhou 杭州');
    await press(page, 'Buy');
    await page.waitForSelector('.delivered pre');
    t.match(await page.textContent('.delivered pre'), /"city": "Hangzhou 杭州"/, 'opened in the browser');
    t.match(await page.textContent('.steps'), /1 of 1 delivered; what came was opened\.$/);
    t.match(await page.textContent('.delivered'), /delivered.*[0-9a-f]{40}/);
    const unlike = 'It is not what the product describes: degrees is missing.';
    t.equal(await page.textContent('.delivered [role=alert]'), unlike, 'beside the data');
    await lookAt(t, page, 'bought');
    await page.waitForSelector('td:has-text("1 of 1")');
    const { behaviour } = source;
    source.behaviour = (_, answer) => void answer.end('{"success":true}');
    await page.getByLabel('city').fill('nowhere');
    t.match(await other.post('/market/product/1/update', { price: { amount: 2 * PRICE, assetId: '1.3.1' } }), {
      code: 1,
    });
    await press(page, 'Buy');
    await page.waitForSelector('[role=alert]:has-text("The price of one answer is 0.02 GXC now")');
    t.match(await page.textContent('.price'), /^Costs at most 0\.02 GXC/, 'who agrees to it can buy');
    t.match(await other.post('/market/product/1/update', { price: { amount: PRICE, assetId: '1.3.1' } }), { code: 1 });
    await press(page, 'Buy');
    await page.waitForSelector('h3:has-text("has no such data")');
    t.match(await page.textContent('.steps'), /Nothing was delivered, and nothing is paid\.$/);
    source.behaviour = (_, answer) => void answer.writeHead(500).end();
    await press(page, 'Buy');
    await page.waitForSelector(
      '.delivered:has-text("got no answer that can be read; ask other sources, or this one later (DATASOURCE_FAIL)")',
    );
    source.behaviour = behaviour;
    t.equal(await world.balance(id), BigInt(MONEY - PRICE), 'paid once, and to the unit');
    await page.click('#nav >> text=Purchases');
    await page.waitForSelector('td:has-text("0.01 GXC")');
    await lookAt(t, page, 'purchases');
    await page.click('text=Read');
    await page.waitForSelector('.delivered pre');
    t.match(await page.textContent('.delivered pre'), /杭州/, 'and once more, later');
    t.equal(await page.textContent('.delivered [role=alert]'), unlike);
    // What came in counts when it is irreversible.
    await eventually('the money is on the bill', async () => {
      await goTo(page, `${market.url}/#/purchases`, 'Purchases');
      await goTo(page, `${market.url}/#/bills`, 'Bills');
      await page.waitForSelector('svg.chart');
      return /: 50 GXC/.test((await page.locator('svg.chart').last().getAttribute('aria-label')) ?? '');
    });
    await page.waitForSelector('caption:has-text("since the beginning")');
    t.match(await page.locator('svg.chart').first().getAttribute('aria-label'), /^Spent .*: 0\.01 GXC$/);
    t.match(await page.locator('svg.chart').last().getAttribute('aria-label'), /^Came in.*: 50 GXC$/);
    t.equal(await page.locator('svg.chart rect').count(), 60);
    t.match(await page.textContent('main'), /Of all paidRain of yesterday10\.01 GXC0\.01 GXC100\.0 %/);
    t.match(await page.textContent('main'), /Balance now.*49\.99 GXC/);
    await lookAt(t, page, 'bills');
    t.same(complaints.filter(isTrouble), []);
    await page.context().close();
  });

  t.test('a page that was closed before the exchange had answered, and who has not enough', async (t) => {
    const { page } = await openWatched(browser, `${market.url}/`);
    const buy = async (page: Page, who: Account): Promise<void> => {
      await signIn(page, market.url, who);
      await goTo(page, `${market.url}/#/product/1`, 'Rain');
      await page.waitForSelector('.state.online');
      await page.getByLabel('city').fill('Ürümqi');
      await press(page, 'Buy');
    };
    const before = await world.balance(world.alice.id);
    const bodies: (string | null)[] = [];
    const taken = new Promise<void>((resolve) => {
      void page.route('**/api/request/create/**', async (route) => {
        bodies.push(route.request().postData());
        await route.fetch();
        resolve();
      });
    });
    await buy(page, world.alice);
    await taken;
    const kept = await page.evaluate(() => JSON.stringify(localStorage));
    t.match(kept, /trustnode-order/);
    t.notMatch(kept, /Ürümqi/, 'what was asked for is not in it');
    const again = await page.context().newPage();
    again.setDefaultTimeout(LAST_RESORT_MS);
    again.on('request', (request) => {
      if (/\/create\//.test(request.url())) bodies.push(request.postData());
    });
    await buy(again, world.alice);
    await again.waitForSelector('.delivered pre');
    t.equal(new Set(bodies).size, 2, 'not the one that another page is still sending');
    await page.close();
    await again.reload();
    await buy(again, world.alice);
    await again.waitForSelector('.delivered pre');
    t.equal(bodies.at(-1), bodies[0], 'the same request');
    t.equal(new Set(bodies).size, 2);
    t.equal(before - (await world.balance(world.alice.id)), BigInt(2 * PRICE), 'each is paid once');
    t.same(await again.evaluate(() => Object.keys(localStorage)), [], 'what is answered is not kept');
    await again.reload();
    await buy(again, seller);
    await again.waitForSelector(
      '[role=alert]:has-text("Your account has not enough for 0.01 GXC. It has 0 GXC. What other requests")',
    );
    await again.context().close();
  });

  t.test('a seller binds, publishes, is online, invites, votes and earns', async (t) => {
    const { page, complaints } = await openWatched(browser, `${market.url}/`);
    await signIn(page, market.url, seller);
    await goTo(page, `${market.url}/#/votes`, 'Votes');
    await page.waitForSelector('text=bound to no merchant');
    await goTo(page, `${market.url}/#/sell`, 'Sell');
    const own = await SourceServer.start(seller);
    t.teardown(() => own.close());
    await page.getByLabel('Number of the merchant').fill('1');
    await page.getByLabel('Where your source is asked').fill(own.url);
    await press(page, 'Bind');
    await page.waitForSelector('h2:has-text("Merchant 1")');

    await describeSnow(page);
    await lookAt(t, page, 'publish');
    const loseAnswer = async (route: Route): Promise<void> => {
      await route.fetch();
      await route.abort();
    };
    await page.route('**/market/product/create', loseAnswer, { times: 1 });
    await press(page, 'Publish');
    await page.waitForSelector('[role=alert]:has-text("The market does not answer")');
    t.same(complaints.splice(0).filter(isTrouble), ['Failed to load resource: net::ERR_FAILED']);
    await press(page, 'Publish');
    const listed = page.locator('td >> text=Snow of tomorrow');
    await listed.first().waitFor();
    t.equal(await listed.count(), 1, 'an answer that was lost made no second one');
    await listed.click();
    await page.waitForSelector('h2:has-text("For its members")');
    const { data: made } = await other.get('/market/product/2');
    t.match(made, {
      productName: 'Snow of tomorrow',
      price: { amount: '1000', assetId: '1.3.1' },
      voteThreshold: 1,
      input: { city: { type: 'string', desc: 'where', required: true, sample: 'Hangzhou' } },
      output: { depth: { type: 'number', sample: 12.5 }, powder: { type: 'boolean' } },
    });

    await page.waitForSelector('.state.away');
    await world.isThere(exchange, own, [2]);
    await goTo(page, `${market.url}/#/sell`, 'Sell');
    t.equal(
      await page.textContent('pre'),
      [
        'trustnode keys open seller-1.key.json > source.key',
        `trustnode datasource --node http://${world.node.endpoint} --exchange ${exchange.url} --endpoint 0.0.0.0:${new URL(own.url).port} --account seller-1 --key-file source.key --product 2 --module your-source.mjs`,
      ].join('\n'),
    );
    await lookAt(t, page, 'sell');
    await goTo(page, `${market.url}/#/product/2`, 'Snow');
    await page.waitForSelector('.state.online');

    await page.getByLabel('Merchants to sell it with you').fill('2');
    await press(page, 'Invite');
    await page.waitForSelector('h1:has-text("merchants are invited")');
    await page.waitForSelector('dd:has-text("passed")');
    const price = { amount: PRICE * 2, assetId: '1.3.1' };
    const { code } = await other.post('/market/product/2/update', { price });
    t.equal(code, 1);
    await page.click('#nav >> text=Notifications');
    await page.waitForSelector('text=(new)');
    await lookAt(t, page, 'notices');
    await page.click('button:has-text("as read")');
    await page.waitForFunction(() => !/\(new\)/.test(document.querySelector('main')?.textContent ?? '(new)'));
    await page.click('#nav >> text=Votes');
    await page.click('text=the product is to change');
    await page.waitForSelector('td:has-text("0.02 GXC")');
    await page.getByLabel('I agree').check();
    await lookAt(t, page, 'vote');
    await press(page, 'Cast my ballot');
    await page.waitForSelector('dd:has-text("passed")');

    await world.pay(second.id, PRICE * 2);
    for (const { id, wif } of [world.alice, second]) {
      const key = PrivateKey.fromWif(wif);
      const buyer = new Buyer({ exchange: exchange.url, account: accountId.fromJson(id), key });
      const { deliveries } = await buyer.buy(2, { city: 'x' }, { patienceMs: LAST_RESORT_MS, unitsMax: 2000n });
      t.match(deliveries, [{ status: 'SUCCESS' }]);
    }
    await goTo(page, `${market.url}/#/income`, 'Income');
    await page.waitForSelector('td:has-text("0.018 GXC")');
    t.match(await page.locator('svg.chart').getAttribute('aria-label'), /^Earned in the last 30 days: 0\.036 GXC$/);
    t.match(
      await page.textContent('main'),
      /Of all income(.*0\.018 GXC50\.0 %){2}/,
      'of the sum, and not of the largest',
    );
    await lookAt(t, page, 'income');
    t.same(complaints.filter(isTrouble), []);
    await page.context().close();
  });

  t.test('sources come and go before the eyes of a buyer', async (t) => {
    const { page, complaints } = await openWatched(browser, `${market.url}/`);
    await signIn(page, market.url, world.alice);
    await goTo(page, `${market.url}/#/product/2`, 'Snow');
    const choice = (count: number): string => `label:has-text("Sources to ask, of ${count} online")`;
    await page.waitForSelector(choice(1));
    await page.getByLabel('city').fill('Hangzhou');
    const { db } = exchange;
    await db.updateTable('des_presence').set({ expire_ms: 0 }).execute();
    await page.waitForSelector('text=Nobody who sells it is online');
    await page.waitForSelector('.state.away');
    await db
      .updateTable('des_presence')
      .set({ expire_ms: Date.now() + 3_600_000 })
      .execute();
    await page.waitForSelector(choice(1));
    t.equal(await page.getByLabel('city').inputValue(), 'Hangzhou', 'what is written stays');
    t.same(complaints.filter(isTrouble), []);
    await page.context().close();
  });
});

/** Browsers write into their console what a server refuses: asking whether an account is bound is asked that way. */
const isTrouble = (text: string): boolean => !/responded with a status of 4\d\d/.test(text);
