import { readdirSync } from 'node:fs';
import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { projectPath } from '../support/paths.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** Memos opened in the page, a transaction sent, a moment found; and how much of it goes over the wire. */

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>';
const CORE = '1.3.1';
const [ALICE, BOB] = ['1.2.9', '1.2.10'];
const transfer = { from: ALICE, to: BOB, amount: { amount: 300000, asset_id: CORE }, extensions: [] };
/** For everything that a visitor could ever load of the page, and what home asks of the node. */
const WIRE_BYTES_MAX = 200_000;

declare const document: { readonly documentElement: { readonly outerHTML: string } };
declare const location: { hash: string };
declare function addEventListener(name: string, run: () => void, options: { readonly once: boolean }): void;
declare const localStorage: object;
declare const sessionStorage: object;

t.test('the tools', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness' });
  const { page, complaints } = await openWatched(world.browser, world.url);
  const sent: string[] = [];
  page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
  await page.reload();
  await shows(page, 'The chain now');

  t.test('a memo is opened by a key that stays', async (t) => {
    const id = await world.send('alice', [0, { ...transfer, memo: world.memo('alice', 'bob', HOSTILE) }]);
    await world.blocks(1);
    await page.goto(`${world.url}#/tx/${id}`);
    await shows(page, `Transaction ${id.slice(0, 8)}`);
    const key = page.getByLabel('Memo key');
    const enter = async (wif: string): Promise<void> => {
      await key.fill(wif);
      await key.press('Enter');
    };
    await enter('5nonsense');
    await page.waitForSelector('[role=alert]:has-text("no private key in wallet import format")');
    await enter(world.key('carol').toWif());
    await page.waitForSelector('[role=alert]:has-text("neither side")');
    for (const side of ['bob', 'alice']) {
      await enter(world.key(side).toWif());
      await page.waitForSelector('p.memo:has-text("<img")');
      t.equal(await page.textContent('p.memo'), HOSTILE);
      const kept = await page.evaluate(() =>
        JSON.stringify([localStorage, sessionStorage, document.documentElement.outerHTML]),
      );
      t.notOk(kept.includes(world.key(side).toWif()));
      t.equal(await key.inputValue(), '', 'nor in its field');
      t.ok(sent.length > 3, 'what is sent is seen');
      t.notOk(sent.some((one) => one.includes(world.key(side).toWif())));
    }
    t.equal(await page.locator('main img, main b').count(), 0);
    await lookAt(t, page, 'memo');
  });

  t.test('a memo that anybody may read needs no key', async (t) => {
    const nobody = `GXC${'1'.repeat(33)}4T1Anm`;
    const message = `00000000${Buffer.from(HOSTILE).toString('hex')}`;
    const id = await world.send('alice', [0, { ...transfer, memo: { from: nobody, to: nobody, nonce: 0, message } }]);
    await world.blocks(1);
    await page.goto(`${world.url}#/tx/${id}`);
    await shows(page, `Transaction ${id.slice(0, 8)}`);
    t.equal(await page.textContent('p.memo'), HOSTILE);
  });

  t.test('a transaction that was signed elsewhere is shown, then sent', async (t) => {
    await page.goto(`${world.url}#/broadcast`);
    await shows(page, 'Send a transaction');
    const text = page.getByLabel('Signed transaction');
    for (const [wrong, said] of [
      ['x', 'no JSON'],
      ['{"operations":[]}', 'not signed'],
      ['{}', 'no operations'],
      ['{"operations":[],"signatures":[]}', 'not signed'],
    ] as const) {
      await text.fill(wrong);
      await page.click('button:has-text("Look at it")');
      await page.waitForSelector(`[role=alert]:has-text("${said}")`);
    }
    await text.fill(JSON.stringify(await world.signed('alice', [0, transfer])));
    await page.click('button:has-text("Look at it")');
    await page.waitForSelector('li:has-text("alice sends 3 GXC to bob")');
    await text.press('End');
    await text.press('Space');
    await page.waitForSelector('button:has-text("Send it")', { state: 'detached' });
    t.pass('what is sent is what was looked at');
    await page.click('button:has-text("Look at it")');
    await page.waitForSelector('li:has-text("alice sends 3 GXC to bob")');
    await lookAt(t, page, 'broadcast');
    await page.click('button:has-text("Send it")');
    await page.waitForSelector('.state:has-text("accepted, waits for a block")');
    await lookAt(t, page, 'accepted');
    await world.blocks(1);
    await page.waitForSelector('.state:has-text("not irreversible yet")');
    await world.blocks(6);
    await page.waitForSelector('.state.good:has-text("irreversible")');
  });

  t.test('the chain at a time', async (t) => {
    const times = await Promise.all(
      [4, 5].map(async (number) => (await world.call<{ timestamp: string }>('get_block_header', number)).timestamp),
    );
    await page.goto(world.url);
    await shows(page, 'The chain now');
    await page.getByLabel('Block at a time').fill(times[1] ?? '');
    await page.click('button:has-text("Go there")');
    await shows(page, 'Block 5');
    await page.goBack();
    await shows(page, 'The chain now');
    await page.goto(`${world.url}#/time/${times[0]}`);
    await shows(page, 'Block 4');
    await page.goto(`${world.url}#/time/2001-01-01T00:00`);
    await shows(page, 'Block 1');
    for (const one of ['2101-01-01T00:00', '2020-13-01T00:00', 'x']) {
      await page.goto(`${world.url}#/time/${one}`);
      await shows(page, 'Nothing here');
      await page.goto(world.url);
      t.match(await shows(page, 'The chain now'), 'Head block');
    }
  });

  t.test('whoever goes elsewhere while something is looked for stays there', async (t) => {
    for (const looked of ['#/time/2001-01-01T00:00', '#/search/alice']) {
      await page.goto(world.url);
      await shows(page, 'The chain now');
      await page.evaluate((hash) => {
        location.hash = hash;
        // Behind the page's own listener, which has begun to look by then.
        const leave = (): void => {
          location.hash = '#/assets';
        };
        addEventListener('hashchange', leave, { once: true });
      }, looked);
      await shows(page, 'Assets');
      t.equal(new URL(page.url()).hash, '#/assets', looked);
    }
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(complaints, []);
  });
});

t.test('the whole page is small on the wire', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness' });
  const page = await world.browser.newPage();
  const session = await page.context().newCDPSession(page);
  let bytes = 0;
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  session.on('Network.webSocketFrameReceived', ({ response }) => {
    bytes += response.payloadData.length;
  });
  await page.goto(world.url);
  await shows(page, 'The chain now');
  t.ok(bytes > 10_000, `home: ${bytes} bytes`);
  // What is only loaded when somebody asks for it counts as well.
  const later = readdirSync(projectPath('dist/src/explorer/site')).filter((name) => name.endsWith('.js'));
  t.ok(later.length > 1);
  for (const name of later.filter((one) => one !== 'app.js')) {
    const answer = await fetch(`${world.url}page/${name}`);
    t.equal(answer.status, 200);
    bytes += Number(answer.headers.get('content-length'));
  }
  t.ok(bytes < WIRE_BYTES_MAX, `everything: ${bytes} bytes`);
});
