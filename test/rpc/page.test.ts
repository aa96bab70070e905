import t from 'tap';
import type { NetworkPort } from '../../src/rpc/ports.js';
import { Rpc } from '../../src/rpc/rpc.js';
import { ApiAccess } from '../../src/rpc/sessions/access.js';
import { dynamicGlobalPropertyObject } from '../../src/state/objects/dynamic-global-property.js';
import { hasNoBrowser, LAST_RESORT_MS, openBrowser } from '../support/browser.js';
import { freePort } from '../support/free-port.js';
import { FakeChain } from './support/fake-chain.js';
import { EVERY_API, goldenPorts } from './support/golden-rpc.js';
import { transactionsOf } from './support/recorded-transactions.js';
import { serveRpcHere } from './support/serve-rpc.js';

/** What the functions that run inside the browser use of it. */
declare const document: {
  getElementById(id: string): { textContent: string; className: string } | null;
  querySelector(selector: string): { textContent: string } | null;
  documentElement: { scrollWidth: number };
};

/** The page in a real browser, over the recorded chain at its final height. */

async function serve(chain: FakeChain): Promise<{ url: string; close(): Promise<void> }> {
  const rpc = new Rpc(chain.ports, { access: ApiAccess.open(EVERY_API) });
  const running = await serveRpcHere(rpc, chain.ports);
  return { url: `http://127.0.0.1:${running.port}/`, close: () => running.close() };
}

t.test('the page', { skip: hasNoBrowser }, async (t) => {
  const chain = new FakeChain(goldenPorts());
  const server = await serve(chain);
  const browser = await openBrowser();
  t.teardown(async () => {
    await browser.close();
    await server.close();
  });
  const page = await browser.newPage({ viewport: { width: 375, height: 800 } });
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.setDefaultTimeout(LAST_RESORT_MS);
  await page.goto(server.url);
  await page.waitForFunction(() => document.getElementById('head')?.textContent === '792');

  const shows = async (title: string): Promise<string> => {
    await page.waitForFunction((text) => document.querySelector('h1')?.textContent === text, title);
    return (await page.textContent('main')) ?? '';
  };

  t.test('shows the head and the missed blocks', async (t) => {
    t.equal(await page.textContent('#irreversible'), '770');
    t.equal(await page.textContent('#behind'), '22 blocks behind');
    t.equal(await page.textContent('#connection'), 'live');
    t.equal(await page.locator('.slots rect').count(), 128);
    t.ok((await page.locator('.slots rect.slot-bad').count()) > 0, 'missed slots are seen');
    t.equal(await page.locator('#blocks tbody tr').count(), 12);
    t.match(
      await page.locator('svg.chart').first().getAttribute('aria-label'),
      /Transactions: .* per second on average/,
    );
  });

  t.test('shows recent transactions in words', async (t) => {
    const rows = await page.locator('#transactions tbody tr').allTextContents();
    t.ok(rows.length > 3);
    t.ok(
      rows.some((row) => /alice sends .* to bob/.test(row)),
      rows.join('\n'),
    );
  });

  t.test('fits a phone', async (t) => {
    t.equal(await page.evaluate(() => document.documentElement.scrollWidth), 375);
  });

  t.test('follows the chain', async (t) => {
    const head = chain.ports.chain.state.single(dynamicGlobalPropertyObject) as { head_block_number: number };
    head.head_block_number = 793;
    t.teardown(() => {
      head.head_block_number = 792;
    });
    chain.applied(793);
    await page.waitForFunction(() => document.getElementById('head')?.textContent === '793');
    t.pass('a block that is applied is shown without asking');
  });

  t.test('finds blocks, transactions, accounts, keys, assets and objects', async (t) => {
    const find = async (text: string, title: string): Promise<string> => {
      await page.fill('#query', text);
      await page.press('#query', 'Enter');
      return shows(title);
    };
    await find('700', 'Block 700');
    await find('0000031693ca443d15f9b96ac3416b40a0c96bfc', 'Block 790');
    t.match(await find('alice', 'alice'), /Id1\.2\.32Kind.*Registered byalice/);
    await find('1.2.33', 'bob');
    await find('2.1.0', 'Dynamic global properties 2.1.0');
    await find('99999', 'Nothing here');
    const block = transactionsOf(chain.ports.chain, 700);
    chain.applied(700, [], block);
    const { transaction_ids } = JSON.parse(
      await page.evaluate(async () => {
        const body = '{"id":1,"method":"get_block","params":[700]}';
        const answer = (await (await fetch('/', { method: 'POST', body })).json()) as { result: unknown };
        return JSON.stringify(answer.result);
      }),
    );
    const [id] = transaction_ids;
    t.match(await find(id, `Transaction ${id.slice(0, 8)}`), /Stateirreversible.*Block700Position0/);
    await find('700.0', `Transaction ${id.slice(0, 8)}`);
    t.match(
      await find('<img src=x onerror=alert(1)>', 'Nothing found for <img src=x onerror=alert(1)>'),
      'is found',
      'markup stays text',
    );
    t.equal(await page.locator('main img').count(), 0);
    t.match(await find('fffffffffffffffffffffffffffffffffffffff0', 'Nothing here'), 'no such transaction');
    t.match(await find('ali', 'Nothing is named ali'), 'alice');
    await page.click('main a:has-text("alice")');
    await shows('alice');
  });

  t.test('the console calls any method', async (t) => {
    await page.click('#nav a:has-text("Console")');
    await shows('RPC console');
    await page.fill('input[name=method]', 'get_account_by_name');
    t.match(await page.textContent('#about'), 'The account of this name');
    await page.fill('#params input[name=name]', 'carol');
    await page.click('#console button');
    await page.waitForFunction(() => /"name": "carol"/.test(document.getElementById('answer')?.textContent ?? ''));
    t.equal(await page.getAttribute('#share', 'href'), '#/console/get_account_by_name/carol');
    t.equal(await page.locator('#past a').first().textContent(), 'get_account_by_name carol');
    await page.fill('input[name=method]', 'asset.get_asset_holders_count');
    await page.fill('#params input[name=asset_id]', '1.3.1');
    await page.click('#console button');
    await page.waitForFunction(() => document.getElementById('answer')?.textContent === '58');
    await page.fill('#params input[name=asset_id]', 'nonsense');
    await page.click('#console button');
    await page.waitForFunction(() => document.getElementById('answer')?.className.includes('bad'));
    t.match(await page.textContent('#answer'), 'first_dot != second_dot');
    // A link that somebody passes on fills the form in, and calls nothing by itself.
    await page.click('#past a:has-text("carol")');
    await page.waitForFunction(() => document.querySelector('#params label')?.textContent === 'name');
    t.equal(await page.inputValue('#params input[name=name]'), 'carol');
    t.equal(await page.locator('#answer').isVisible(), false);
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(complaints, []);
  });
});

/** A network in the hands of the test. */
class FakeNetwork {
  status = { blocksBehind: 0, blocksPerSec: 0, transactionsPerSec: 0, leftSec: 0 as number | undefined };
  banned: { address: string; reason: string; until: string }[] = [];

  get port(): NetworkPort {
    const info = { subver: '<b>node</b>', inbound: true, current_head_block_number: 1234, banscore: '40' };
    return {
      progress: () => this.status,
      connectionCount: () => 1,
      peers: () => [{ host: '8.8.8.8:6789', info }],
      bans: () => this.banned,
    } as Partial<NetworkPort> as NetworkPort;
  }
}

t.test('the page of a node with peers', { skip: hasNoBrowser }, async (t) => {
  const network = new FakeNetwork();
  const ports = { ...goldenPorts(), network: network.port };
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const rpc = new Rpc(ports, { access: ApiAccess.open(EVERY_API) });
  const server = await serveRpcHere(rpc, ports, { port, origins: [origin] });
  const browser = await openBrowser();
  t.teardown(async () => {
    await browser.close();
    await server.close();
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(LAST_RESORT_MS);
  await page.goto(`${origin}/#/peers`);
  const says = (text: string) =>
    page.waitForFunction((wanted) => document.getElementById('sync')?.textContent === wanted, text);

  await says('Level with the network: 1 peer, 0 addresses banned');
  await page.waitForSelector('#peers tbody td');
  t.same(await page.locator('#peers tbody td').allTextContents(), [
    ...['8.8.8.8:6789', '<b>node</b>', 'from there', '1\u202f234', '40'],
  ]);
  const told = await page.getAttribute('#peers svg', 'aria-label');
  t.equal(told, 'This node and 1 peer, 0 of them behind it');
  t.equal(await page.locator('#bans table').count(), 0, 'nobody is banned');

  network.status = { blocksBehind: 7200, blocksPerSec: 96.4, transactionsPerSec: 1500.2, leftSec: 74.2 };
  network.banned = [{ address: '9.9.9.9', reason: 'message_flood', until: '2026-01-02T03:04:05' }];
  const pace = '96 blocks/s, 1\u202f500 transactions/s, 1 min 15 s left';
  await says(`Catching up: 7\u202f200 blocks to go, ${pace}; 1 peer, 1 address banned`);
  await page.waitForSelector('#bans tbody td');
  t.same(await page.locator('#bans tbody td').allTextContents(), [
    ...['9.9.9.9', 'message flood', '2026-01-02 03:04:05 UTC'],
  ]);
  network.status = { ...network.status, leftSec: undefined };
  await page.waitForFunction(() => /unknown time left/.test(document.getElementById('sync')?.textContent ?? ''));
});

t.test('a page whose user may not see the peers, and a node without a network', { skip: hasNoBrowser }, async (t) => {
  const network = new FakeNetwork();
  network.banned = [{ address: '9.9.9.9', reason: 'message_flood', until: '2026-01-02T03:04:05' }];
  const ports = { ...goldenPorts(), network: network.port };
  const closed = await serveRpcHere(new Rpc(ports, { access: ApiAccess.open([]) }), ports);
  const alone = await serve(new FakeChain(goldenPorts()));
  const browser = await openBrowser();
  t.teardown(async () => {
    await browser.close();
    await closed.close();
    await alone.close();
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(LAST_RESORT_MS);
  await page.goto(`http://127.0.0.1:${closed.port}/#/peers`);
  await page.waitForFunction(() => /1 peer/.test(document.getElementById('sync')?.textContent ?? ''));
  t.match(await page.textContent('#peers'), 'rpc-origin');
  t.equal(await page.locator('#peers table').count(), 0);
  t.equal(await page.locator('#bans table').isVisible(), true, 'bans are for everybody');
  await page.goto(`${alone.url}#/peers`);
  await page.waitForSelector('#sync:has-text("no network")');
});
