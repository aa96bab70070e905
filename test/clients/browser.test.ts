import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import type { Client, openClient as OpenClient } from '../../src/client/library.js';
import { DEV_ACCOUNTS } from '../../src/node/dev/dev-network.js';
import { hasNoBrowser, openBrowser } from '../support/browser.js';
import { freePort } from '../support/free-port.js';
import { NodeProcess } from '../support/node-process.js';
import { projectPath } from '../support/paths.js';

/** The client in a real browser, on a page of its own that talks to a node somewhere else. */

/** What the functions that run inside the browser use of it. */
declare const window: {
  client: Client;
  blocks: number[];
  states: string[];
  openClient: typeof OpenClient;
  load(): Promise<{ openClient: typeof OpenClient }>;
};
declare const document: { querySelector(selector: string): { readonly textContent: string } | null };

const SCRIPT = readFileSync(projectPath('dist/src/client/browser.js'));
const EXAMPLE = readFileSync(projectPath('docs/examples/browser.html'), 'utf8');
/** Scripts of the page alone, and none made of texts: as careful pages have it. */
const POLICY = "default-src 'none'; script-src 'self'; connect-src ws://127.0.0.1:*";
const PACKED_MAX = 64_000;
const [alice] = DEV_ACCOUNTS;
const WIF = alice?.key.toWif() ?? '';

const port = await freePort();
const dataDir = join(t.testdir(), 'data');
async function start(): Promise<NodeProcess> {
  const options = ['--dev', '--data-dir', dataDir, '--verify-threads', '0', '--rpc-endpoint', `127.0.0.1:${port}`];
  const node = new NodeProcess(['start', ...options]);
  process.once('exit', () => node.kill('SIGKILL'));
  await node.until(/RPC +http/);
  return node;
}

t.test('in a browser', { skip: hasNoBrowser }, async (t) => {
  let node = await start();
  t.teardown(() => node.kill('SIGKILL'));
  await node.until(/chain +block +num=3 /);
  const server = createServer(({ url }, response) => {
    if (url === '/trustnode-client.js') response.setHeader('Content-Type', 'text/javascript').end(SCRIPT);
    else if (url === '/load.js')
      response.setHeader('Content-Type', 'text/javascript').end("window.load = () => import('./trustnode-client.js');");
    else if (url === '/pay') response.setHeader('Content-Type', 'text/html').end(EXAMPLE);
    else
      response
        .setHeader('Content-Security-Policy', POLICY)
        .setHeader('Content-Type', 'text/html')
        .end('<!doctype html><title>A page</title><script src="/load.js"></script>');
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // A node that is gone is complained of by the browser itself.
    if (message.type() === 'error' && !message.text().includes('WebSocket')) complaints.push(message.text());
  });
  await page.goto(origin);

  t.test('it is small, and all of it', async (t) => {
    const packed = gzipSync(SCRIPT, { level: 9 }).length;
    t.ok(packed < PACKED_MAX, `${packed} bytes packed`);
    t.notMatch(String(SCRIPT), /from ?"node:|import\("/, 'nothing is loaded from elsewhere');
  });

  t.test('it asks, signs, encrypts and waits, without code made of texts', async (t) => {
    const paid = await page.evaluate(
      async ({ url, wif }) => {
        const { openClient } = await window.load();
        window.states = [];
        window.client = await openClient(url, {
          keys: [wif],
          onState: (state) => window.states.push(state),
          retryMs: { first: 50, longest: 500 },
        });
        const receipt = await window.client.transfer({ from: 'alice', to: 'bob', amount: '1.5 GXC', memo: 'grüße' });
        const memo = receipt.transaction?.operations[0]?.[1].memo as Parameters<Client['open']>[0];
        const [money] = await window.client.balances('alice');
        return { ...receipt, transaction: undefined, text: window.client.open(memo), type: typeof money?.amount };
      },
      { url: `ws://127.0.0.1:${port}`, wif: WIF },
    );
    t.match(paid, { state: 'included', block_num: Number, text: 'grüße', type: 'bigint' });
  });

  t.test('it comes back with its subscriptions when the node was killed', async (t) => {
    await page.evaluate(async () => {
      window.blocks = [];
      await window.client.onBlock(({ number }) => void window.blocks.push(number));
    });
    await page.waitForFunction(() => window.blocks.length > 0);
    node.kill('SIGKILL');
    await node.finished;
    await page.waitForFunction(() => window.states.includes('lost'));
    const before = await page.evaluate(() => window.blocks.at(-1) ?? 0);
    node = await start();
    await page.waitForFunction((last) => (window.blocks.at(-1) ?? 0) > last + 1, before);
    const [all, states] = await page.evaluate(() => [window.blocks, window.states] as const);
    t.same(states, ['lost', 'open']);
    const first = all[0] ?? 0;
    t.same(
      [...new Set(all)].sort((a, b) => a - b),
      Array.from({ length: Math.max(...all) - first + 1 }, (_, i) => first + i),
      'no block is missing',
    );
  });

  t.test('the example of the documents', async (t) => {
    const shown = readFileSync(projectPath('docs/client.md'), 'utf8');
    t.ok(shown.includes(`\`\`\`html\n${EXAMPLE}\`\`\``), 'is shown as it is');
    await page.goto(`${origin}/pay`);
    await page.fill('[name=url]', `ws://127.0.0.1:${port}`);
    await page.fill('[name=key]', WIF);
    await page.fill('[name=memo]', 'for the tea');
    await page.click('button');
    await page.waitForFunction(() => document.querySelector('output')?.textContent !== '');
    t.match((await page.textContent('output')) ?? '', /^1\.5 GXC to bob: block \d+, transaction [0-9a-f]{40}$/);
    await page.fill('[name=to]', 'nobody-at-all');
    await page.click('button');
    await page.waitForFunction(() => document.querySelector('output')?.textContent.startsWith('That') === true);
    t.match((await page.textContent('output')) ?? '', /there is no account nobody-at-all/);
  });

  t.test('nothing went wrong unseen', async (t) => {
    t.same(complaints, []);
  });
});
