import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** Whoever tries calls at the console breaks nothing of the page around it, which says truly whether it hears the node. */

/** What the functions that run inside the browser use of it. */
declare const sessionStorage: object;
declare const document: {
  querySelector(selector: string): { readonly textContent: string; readonly className: string } | null;
};

t.test('the console and the page keep their callbacks apart', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness' });
  const { page, complaints } = await openWatched(world.browser, world.url);
  await shows(page, 'The chain now');
  t.equal(await page.textContent('#connection'), 'live');

  // The page has a number of its own for this very callback; so has the console, and any number may be the same.
  for (const number of [1, 2, 3]) {
    await page.goto(`${world.url}#/console/set_block_applied_callback/${number}`);
    await shows(page, 'RPC console');
    await page.click('main button');
    await page.waitForSelector('#answer:has-text("null")');
  }
  await world.blocks(1);
  await page.waitForSelector('#notices:has-text("callback 3: ")');
  t.match(await page.textContent('#notices'), /^callback 3: ".*[0-9a-f]{40}"$/);
  await lookAt(t, page, 'console-notices');

  await page.goto(`${world.url}#/console/dev_mine`);
  await shows(page, 'RPC console');
  t.match(await page.textContent('#about'), /^Makes this many blocks at once/, 'by its bare name');
  await page.click('main button');
  await page.waitForSelector('#answer:has-text("head_block_number")');
  t.match(await page.textContent('#request'), /"params":\[\]/, 'what may be left out is left out');
  await page.getByLabel('blocks').fill('2');
  await page.click('main button');
  await page.waitForSelector('#request:has-text("[2]")');
  await lookAt(t, page, 'console-dev');

  await page.goto(`${world.url}#/console/login.login/nobody/secret`);
  await shows(page, 'RPC console');
  await page.click('main button');
  await page.waitForSelector('#answer:not([hidden])');
  const kept = await page.evaluate(() => JSON.stringify(sessionStorage));
  t.match(kept, /dev_mine/);
  t.notMatch(`${kept} ${await page.textContent('#past')}`, /secret/, 'a password is not kept');

  await page.goBack();
  await shows(page, 'RPC console');
  await page.goto(`${world.url}#/`);
  await shows(page, 'The chain now');
  const before = Number(await page.textContent('#head'));
  await world.blocks(1);
  await page.waitForFunction((head) => Number(document.querySelector('#head')?.textContent) > head, before);
  t.pass('the page still hears of blocks');
  t.same(complaints, []);

  await world.dev.node.stop();
  await page.waitForFunction(() => document.querySelector('#connection')?.className === 'pill off');
  t.equal(await page.textContent('#connection'), 'no connection, trying again');
});
