import { join } from 'node:path';
import t from 'tap';
import { hasNoBrowser, openBrowser } from '../support/browser.js';
import { startDevNode } from '../support/dev-node.js';
import { eventually } from '../support/eventually.js';
import { FakeClock } from '../support/fake-clock.js';
import { freePort } from '../support/free-port.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { rpcCall } from '../support/rpc-call.js';
import { shows } from './support/explorer-world.js';

/** Peers of a node in the explorer, as its operator sees them. */

t.test('peers as a picture', { skip: hasNoBrowser }, async (t) => {
  const folder = t.testdir({ own: {}, a: {}, b: {}, c: {} });
  const clock = new FakeClock(Date.now());
  const port = await freePort();
  const open = { 'enable-network-node-api': 'true', 'p2p-private-addresses': 'true' };
  const own = await startDevNode(
    join(folder, 'own'),
    {
      ...open,
      'p2p-endpoint': '127.0.0.1:0',
      'rpc-endpoint': `127.0.0.1:${port}`,
      'rpc-origin': `http://127.0.0.1:${port}`,
    },
    clock,
  );
  const nodes = [own];
  const { listening_on } = await rpcCall<{ listening_on: string }>(own.node.endpoints.plain, 'call', [
    ...['network_node', 'get_info', []],
  ]);
  for (const name of ['a', 'b', 'c']) {
    const line = { ...open, plugins: 'none', 'seed-node': listening_on };
    const peer = await startDevNode(join(folder, name), line, clock);
    nodes.push(peer);
  }
  await eventually('all are connected', async () => {
    clock.advance(500);
    const peers = await rpcCall<object[]>(own.node.endpoints.plain, 'call', [
      'network_node',
      'get_connected_peers',
      [],
    ]);
    return peers.length >= 3;
  });
  const browser = await openBrowser();
  const { page, complaints } = await openWatched(browser, `http://127.0.0.1:${port}/#/peers`);
  t.match(await shows(page, 'Network'), 'Level with the network: 3 peers');
  const label = await page.locator('svg.picture').getAttribute('aria-label');
  t.equal(label, 'This node and 3 peers, 0 of them behind it');
  t.equal(await page.locator('svg.picture circle').count(), 4);
  await lookAt(t, page, 'peers');
  t.same(complaints, []);
  await browser.close();
  for (const { node } of nodes.reverse()) await node.stop();
});
