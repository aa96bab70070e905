import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** What stands around the chain itself: colours, the market, missed slots, the console, the search. */

const MARKET = 'https://market.example.com/of"quotes';

/** What the functions that run inside the browser use of it. */
declare const document: {
  readonly body: object;
  readonly documentElement: { readonly scrollWidth: number };
  querySelector(selector: string): { readonly textContent: string; getAttribute(name: string): string | null } | null;
};
declare const getComputedStyle: (element: object) => { readonly backgroundColor: string };

t.test('around the chain', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, {
    plugins: 'witness',
    'explorer-market': `${MARKET.replace('"', '%22')}/`,
  });
  const { page, complaints } = await openWatched(world.browser, world.url);
  await shows(page, 'The chain now');
  const go = async (route: string, title: string): Promise<string> => {
    await page.goto(`${world.url}#/${route}`);
    return shows(page, title);
  };

  t.test('what is long and not found makes no page wider than the screen', async (t) => {
    const sizeBefore = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    await go(`account/${'x'.repeat(300)}`, 'Nothing here');
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    if (sizeBefore !== null) await page.setViewportSize(sizeBefore);
    await go('', 'The chain now');
  });

  t.test('colours are those of the system until somebody says otherwise, and stay', async (t) => {
    const back = (): Promise<string> => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.emulateMedia({ colorScheme: 'light' });
    const light = await back();
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await back();
    t.not(light, dark);
    const button = page.locator('#scheme');
    t.equal(await button.textContent(), 'Colours: system');
    await button.click();
    t.equal(await button.textContent(), 'Colours: light');
    t.equal(await back(), light, 'light in a dark system');
    await page.reload();
    await shows(page, 'The chain now');
    t.equal(await back(), light, 'kept');
    await button.click();
    await page.emulateMedia({ colorScheme: 'light' });
    t.equal(await button.textContent(), 'Colours: dark');
    t.equal(await back(), dark, 'dark in a light system');
    await lookAt(t, page, 'dark-by-choice');
    await button.click();
    t.equal(await back(), light, 'as the system again');
    await page.emulateMedia({ colorScheme: 'dark' });
    t.equal(await back(), dark);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  t.test('the market that the operator has named', async (t) => {
    await go('products', 'Data market');
    const link = page.locator('a:has-text("Open the market")');
    t.equal(await link.getAttribute('href'), `${MARKET.replace('"', '%22')}/#/products`);
    await lookAt(t, page, 'market-link');
  });

  t.test('slots that were missed, over time', async (t) => {
    t.match(await go('witnesses/hour', 'Witnesses'), /0 missed between blocks/);
    world.dev.clock.jump(12_000);
    await world.blocks(2);
    await go('', 'The chain now');
    t.match(await go('witnesses/hour', 'Witnesses'), /[345] missed between blocks 1 and \d+/);
    t.equal(await page.locator('nav a[aria-current=true]').textContent(), 'hour');
    await lookAt(t, page, 'missed');
    await page.click('nav[aria-label="Time shown"] a:has-text("all")');
    await page.waitForFunction(() => document.querySelector('nav a[aria-current=true]')?.textContent === 'all');
  });

  t.test('the console, the search, what is not found', async (t) => {
    await go('console/get_account_by_name/alice', 'RPC console');
    await page.locator('main button').first().click();
    await page.waitForSelector('main pre');
    await lookAt(t, page, 'console-answer');
    await go('search/ini', 'Nothing is named ini');
    await go('search/nothing-has-this-name', 'Nothing found for nothing-has-this-name');
    await lookAt(t, page, 'search-nothing');
    type Head = { readonly time: string; readonly head_block_number: number };
    const { time, head_block_number } = await world.call<Head>('get_dynamic_global_properties');
    for (const written of [time, `${time.replace('T', ' ')} UTC`, `${time}z`]) {
      await go(`search/${encodeURIComponent(written)}`, `Block ${head_block_number}`);
    }
    await go('search/2001-01-01', 'Block 1');
    const { block_id } = await world.call<{ readonly block_id: string }>('get_block', 2);
    for (const written of [block_id, block_id.toUpperCase(), ` ${block_id} `]) {
      await go(`search/${encodeURIComponent(written)}`, 'Block 2');
    }
    await go(`search/${'F'.repeat(40)}`, 'Nothing here');
    t.match(page.url(), `#/tx/${'f'.repeat(40)}`, 'what is no block would be a transaction');
    await go('time/x', 'Nothing here');
    await lookAt(t, page, 'jump');
    t.match(await go('peers', 'Network'), 'makes its blocks alone');
    await lookAt(t, page, 'no-network');
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(complaints, []);
  });
});
