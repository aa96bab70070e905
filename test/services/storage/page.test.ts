import t from 'tap';
import { hasNoBrowser, LAST_RESORT_MS, openBrowser } from '../../support/browser.js';
import { PaidStorage } from '../support/paid-storage.js';
import { startInProcess } from '../support/storage-service.js';

/** What runs inside the browser uses of it. */
declare const document: { readonly body: { readonly scrollWidth: number } };

/** The page on which the calls of a service can be tried, in a real browser, as wide as a phone. */

const WIDTH = 375;

t.test('calls are shown and made', { skip: hasNoBrowser }, async (t) => {
  const chain = await PaidStorage.start(t.testdir());
  t.teardown(() => chain.node.stop());
  const service = await startInProcess(t, { endpoint: chain.node.endpoint, provider: chain.node.bob });
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  const page = await browser.newPage({ viewport: { width: WIDTH, height: 800 } });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.setDefaultTimeout(LAST_RESORT_MS);
  await page.goto(`${service.url}/`);
  await page.waitForSelector('details');
  t.equal(await page.textContent('h1'), 'Paid storage test');
  t.equal(await page.locator('details').count(), 5);
  await page.click('summary:has-text("GET /provider")');
  await page.click('details[open] button');
  await page.waitForSelector('details[open] pre:has-text("fee_per_kbytes")');
  const store = page.locator('details', { has: page.locator('summary:has-text("POST /store")') });
  await store.locator('summary').click();
  t.equal(await store.locator('input').count(), 10, 'a field for each part of the form');
  t.equal(await store.locator('input[type=file]').getAttribute('name'), 'data');
  t.ok((await page.evaluate(() => document.body.scrollWidth)) <= WIDTH, 'nothing hangs over the edge');
  t.same(complaints, []);
});
