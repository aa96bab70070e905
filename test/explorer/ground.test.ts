import type { Page } from 'playwright-core';
import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** The explorer over a real node: chain, blocks, transactions, accounts, and what is not there. */

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';
const CORE = '1.3.1';
const [ALICE, BOB] = ['1.2.9', '1.2.10'];

/** What the functions that run inside the browser use of it. */
declare const document: {
  readonly activeElement: { readonly id: string; readonly tagName: string; readonly textContent: string } | null;
  querySelectorAll(selector: string): Iterable<{ getAttribute(name: string): string | null }>;
  querySelector(selector: string): { textContent: string } | null;
};

const pay = (memo?: object): [number, Readonly<Record<string, unknown>>] => [
  0,
  { from: ALICE, to: BOB, amount: { amount: 123456, asset_id: CORE }, memo, extensions: [] },
];

t.test('the ground', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, {
    plugins: 'witness account_history',
    'max-ops-per-account': '1000',
  });
  const id = await world.send('alice', pay(world.memo('alice', 'bob', HOSTILE)));
  await world.blocks(1);
  const [number] = await world
    .call<[number]>('get_dynamic_global_properties')
    .then((head) => [(head as unknown as { head_block_number: number }).head_block_number]);
  await world.send('alice', [35, { payer: ALICE, required_auths: [], id: 7, data: 'c0ffee' }]);
  await world.blocks(2);
  const { page, complaints } = await openWatched(world.browser, world.url);
  await shows(page, 'The chain now');

  t.test('is served with a policy, packed', async (t) => {
    const index = await fetch(world.url, { headers: { Accept: 'text/html' } });
    const policy = index.headers.get('content-security-policy') ?? '';
    t.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; /);
    t.match(policy, /require-trusted-types-for 'script'; trusted-types 'none'$/);
    t.notMatch(policy, /unsafe|data:|\*/);
    t.notMatch(await index.text(), /https?:\/\//, 'nothing from elsewhere');
  });

  t.test('home is live', async (t) => {
    await lookAt(t, page, 'home');
    t.match(await page.textContent('#transactions'), /alice sends 1\.23456 GXC to bob/);
    const before = Number(await page.textContent('#head'));
    await world.blocks(1);
    await page.waitForFunction((head) => Number(document.querySelector('#head')?.textContent) > head, before);
    t.equal(Number(await page.textContent('#blocks tbody a')), before + 1, 'the newest block stands first');
  });

  t.test('a block, its transaction, and back', async (t) => {
    await page.click(`#transactions a[href="#/block/${number}"]`);
    t.match(await shows(page, `Block ${number}`), /Transactions1/);
    await lookAt(t, page, 'block');
    await page.click(`main a[href="#/tx/${id}"]`);
    const text = await shows(page, `Transaction ${id.slice(0, 8)}`);
    t.match(text, /alice sends 1\.23456 GXC to bob/);
    t.match(text, new RegExp(`Id${id}Block${number}Position0`));
    await lookAt(t, page, 'transaction');
    await page.goBack();
    await shows(page, `Block ${number}`);
    await page.goBack();
    await shows(page, 'The chain now');
    await page.goForward();
    await shows(page, `Block ${number}`);
  });

  t.test('becomes irreversible before the eyes', async (t) => {
    await world.blocks(1);
    const { head_block_number: head } = await world.call<{ head_block_number: number }>(
      'get_dynamic_global_properties',
    );
    await page.goto(`${world.url}#/block/${head}`);
    await shows(page, `Block ${head}`);
    await page.waitForSelector('.state.wait:has-text("not irreversible yet")');
    await world.blocks(6);
    await page.waitForSelector('.state.good:has-text("irreversible")');
    await page.click('a:has-text("Next block")');
    await shows(page, `Block ${head + 1}`);
    t.pass('the next block has a link as soon as it is there');
  });

  t.test('an account with its history, in pages', async (t) => {
    for (let i = 0; i < 27; i++) {
      await world.send('alice', [35, { payer: ALICE, required_auths: [], id: i, data: '00' }]);
      await world.blocks(1);
    }
    await page.goto(`${world.url}#/account/alice`);
    const text = await shows(page, 'alice');
    t.match(text, /lifetime member/);
    t.equal(await page.locator('section:has(h2:text-is("History")) tbody tr').count(), 25);
    await lookAt(t, page, 'account');
    await page.click('a:has-text("Earlier")');
    t.match(await shows(page, 'History of alice'), /alice sends 1\.23456 GXC to bob/);
    await page.click('a:has-text("Back to alice")');
    await shows(page, 'alice');
    await page.click('section:has(h2:text-is("Keys and authorities")) a');
    t.match(await shows(page, 'Public key'), /alice/);
    await lookAt(t, page, 'key');
  });

  t.test('what is not there is said, and how to go on', async (t) => {
    const gone = [
      ...['block/99999999', 'block/x', `tx/${'f'.repeat(40)}`, 'tx/x', 'account/nobody', 'account/%', 'asset/NONE'],
      ...['object/x', 'key/x', 'constructor', 'toString'],
    ];
    for (const one of gone) {
      await page.goto(`${world.url}#/${one}`);
      await page.goto(`${world.url}#/`);
      await page.goto(`${world.url}#/${one}`);
      await shows(page, 'Nothing here');
    }
    t.match(await page.textContent('main'), 'The chain now');
    await lookAt(t, page, 'nothing');
    await page.goto(`${world.url}#/object/1.10.999`);
    t.match(await shows(page, 'Proposal 1.10.999'), 'it is gone, or has not been there');
  });

  t.test('by keyboard alone', async (t) => {
    await page.goto(world.url);
    await shows(page, 'The chain now');
    await page.keyboard.press('Tab');
    t.equal(await page.evaluate(() => document.activeElement?.textContent), 'Skip to content');
    await page.keyboard.press('Enter');
    t.equal(await page.evaluate(() => document.activeElement?.id), 'content');
    await page.fill('#query', 'al');
    await page.waitForSelector('#suggestions option[value=alice]', { state: 'attached' });
    await page.fill('#query', 'alice');
    await page.keyboard.press('Enter');
    await shows(page, 'alice');
    t.equal(await page.evaluate(() => document.activeElement?.tagName), 'H1', 'reading goes on at the heading');
    await page.goBack();
    await shows(page, 'The chain now');
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(complaints, []);
  });
});

t.test(
  'without histories it says how to have them, and all links lead somewhere',
  { skip: hasNoBrowser },
  async (t) => {
    const world = await ExplorerWorld.start(t, { plugins: 'witness' });
    await world.send('alice', pay());
    await world.blocks(2);
    const { page, complaints } = await openWatched(world.browser, `${world.url}#/account/alice`);
    t.match(await shows(page, 'alice'), 'account_history');
    t.same(await brokenLinks(page, world.url), []);
    t.same(complaints, []);
  },
);

t.test('the other history, by position', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness account_history_kv' });
  for (let i = 0; i < 26; i++) {
    await world.send('alice', pay());
    await world.blocks(1);
  }
  const { head_block_number: head } = await world.call<{ head_block_number: number }>('get_dynamic_global_properties');
  const told = async (): Promise<number> =>
    (await world.call<{ ops: object[] }>('get_account_relative_ops', ALICE, 1, 100)).ops.length;
  await eventually('the history follows', async () => ((await told()) >= 26 ? told() : undefined));
  const { page, complaints } = await openWatched(world.browser, `${world.url}#/account/alice`);
  await shows(page, 'alice');
  const rows = page.locator('section:has(h2:text-is("History")) tbody tr');
  t.equal(await rows.count(), 25);
  t.equal(await rows.first().locator('a').first().textContent(), String(head), 'the newest first, in its block');
  await page.click('a:has-text("Earlier")');
  await shows(page, 'History of alice');
  t.ok((await rows.count()) >= 1, 'the oldest are on the next page');
  t.same(complaints, []);
});

const OF_A_KIND = 5;

/** Follows links from home, some of each kind of view, and names those that lead to nothing. */
async function brokenLinks(page: Page, url: string): Promise<string[]> {
  const [todo, seen, kinds] = [['#/'], new Set<string>(['#/']), new Map<string, number>()];
  const broken: string[] = [];
  for (let next = todo.shift(); next !== undefined; next = todo.shift()) {
    await page.goto(url + next);
    await page.waitForSelector('main[data-view]:not([aria-busy]) h1');
    const title = (await page.textContent('h1')) ?? '';
    if (/^(Nothing|That did not work)/.test(title)) broken.push(next);
    const links = await page.evaluate(() =>
      [...document.querySelectorAll('main a, nav a')].map((one) => one.getAttribute('href') ?? ''),
    );
    for (const link of links) {
      const kind = link.split('/')[1] ?? '';
      const count = kinds.get(kind) ?? 0;
      if (!link.startsWith('#/') || seen.has(link) || count >= OF_A_KIND) continue;
      kinds.set(kind, count + 1);
      seen.add(link);
      todo.push(link);
    }
  }
  return broken;
}
