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
  documentElement: { scrollWidth: number };
};

interface Hidden {
  hidden: boolean;
}

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

  t.test('shows the head, the schedule and the missed blocks', async (t) => {
    t.equal(await page.textContent('#irreversible'), '770');
    t.equal(await page.textContent('#behind'), '22 blocks');
    t.equal(await page.textContent('#connection'), 'live');
    t.equal(await page.locator('#slots rect').count(), 128);
    t.ok((await page.locator('#slots rect.bad').count()) > 0, 'missed slots are seen');
    t.ok((await page.locator('#ring path').count()) > 10, 'the ring has its witnesses');
    t.equal(await page.locator('#ring path.now').count(), 1);
    t.ok((await page.locator('#witnesses tbody tr').count()) > 10);
  });

  t.test('shows recent transactions in words', async (t) => {
    await page.waitForFunction(() => (document.getElementById('no-transactions') as unknown as Hidden).hidden);
    const rows = await page.locator('#transactions tr').allTextContents();
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

  t.test('finds blocks, transactions, accounts and objects', async (t) => {
    const find = async (text: string): Promise<string> => {
      await page.fill('#query', text);
      await page.press('#query', 'Enter');
      await page.waitForFunction(
        () => !/^Looking/.test(document.getElementById('found-title')?.textContent ?? 'Looking'),
      );
      return `${await page.textContent('#found-title')}\n${await page.textContent('#found-body')}`;
    };
    t.match(await find('700'), /^Block 700\n/);
    t.match(await find('0000031693ca443d15f9b96ac3416b40a0c96bfc'), /^Block 790\n/);
    t.match(await find('alice'), /^Account alice\n1\.2\.32, registered by alice/);
    t.match(await find('1.2.33'), /^Account bob\n/);
    t.match(await find('2.1.0'), /^Object 2\.1\.0\n/);
    const block = transactionsOf(chain.ports.chain, 700);
    chain.applied(700, [], block);
    const { transaction_ids } = JSON.parse(
      await page.evaluate(async () => {
        const body = '{"id":1,"method":"get_block","params":[700]}';
        const answer = (await (await fetch('/', { method: 'POST', body })).json()) as { result: unknown };
        return JSON.stringify(answer.result);
      }),
    );
    t.match(await find(transaction_ids[0]), /^Transaction [0-9a-f]{40}\nIn block 700, position 0, irreversible/);
    t.match(await find('<img src=x onerror=alert(1)>'), /^Nothing found for <img/, 'markup stays text');
    t.match(await find('fffffffffffffffffffffffffffffffffffffff0'), /^Nothing found/);
  });

  t.test('the console calls any method', async (t) => {
    await page.fill('#method', 'get_account_by_name');
    t.match(await page.textContent('#about'), 'The account of this name');
    await page.fill('#params input[name=name]', 'carol');
    await page.click('#console button');
    await page.waitForFunction(() => /"name": "carol"/.test(document.getElementById('answer')?.textContent ?? ''));
    await page.fill('#method', 'asset.get_asset_holders_count');
    await page.fill('#params input[name=asset_id]', '1.3.1');
    await page.click('#console button');
    await page.waitForFunction(() => document.getElementById('answer')?.textContent === '58');
    await page.fill('#params input[name=asset_id]', 'nonsense');
    await page.click('#console button');
    await page.waitForFunction(() => document.getElementById('answer')?.className.includes('error'));
    t.match(await page.textContent('#answer'), 'first_dot != second_dot');
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
  await page.goto(`${origin}/`);
  const says = (text: string) =>
    page.waitForFunction((wanted) => document.getElementById('sync')?.textContent === wanted, text);

  await says('Level with the network: 1 peer, 0 addresses banned');
  t.equal(await page.locator('#network').isVisible(), true);
  await page.waitForSelector('#peers tbody td');
  t.same(await page.locator('#peers tbody td').allTextContents(), [
    ...['8.8.8.8:6789', '<b>node</b>', 'from there', '1 234', '40'],
  ]);
  t.equal(await page.locator('#bans').isVisible(), false, 'nobody is banned');

  network.status = { blocksBehind: 7200, blocksPerSec: 96.4, transactionsPerSec: 1500.2, leftSec: 74.2 };
  network.banned = [{ address: '9.9.9.9', reason: 'message_flood', until: '2026-01-02T03:04:05' }];
  const pace = '96 blocks/s, 1 500 transactions/s, 1 min 15 s left';
  await says(`Catching up: 7 200 blocks to go, ${pace}; 1 peer, 1 address banned`);
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
  await page.goto(`http://127.0.0.1:${closed.port}/`);
  await page.waitForFunction(() => /1 peer/.test(document.getElementById('sync')?.textContent ?? ''));
  await page.waitForSelector('#peers-closed:not([hidden])');
  t.equal(await page.locator('#peers').isVisible(), false);
  t.equal(await page.locator('#bans').isVisible(), true, 'bans are for everybody');
  await page.goto(alone.url);
  await page.waitForFunction(() => document.getElementById('head')?.textContent === '792');
  t.equal(await page.locator('#network').isVisible(), false);
});
