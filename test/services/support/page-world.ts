import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Test } from 'tap';
import { openBrowser } from '../../support/browser.js';
import { DesWorld, type Exchange } from './des-world.js';
import { openTestGateway } from './gateway-world.js';
import { MarketClient } from './market-client.js';
import { MarketChain, type MarketInProcess, startMarketInProcess } from './market-service.js';

/** A chain, market and exchange on one database, and a browser before the page of the market. */

export interface PageWorld {
  readonly world: DesWorld;
  readonly market: MarketInProcess;
  readonly exchange: Exchange;
  readonly browser: Browser;
  readonly admin: MarketClient;
}

export async function startPageWorld(t: Test, line: Readonly<Record<string, string>> = {}): Promise<PageWorld> {
  const world = await DesWorld.start(t, '--plugins', 'witness account_history_kv');
  const folder = join(t.testdir({}), 'shared');
  const shared = { 'data-dir': folder, database: join(folder, 'exchange.db') };
  const guard = { guard: 'work', 'work-bits': '8' };
  const gateway = await openTestGateway(t, world.node.endpoint, world.alice, guard);
  const patience = { 'source-timeout': '60', 'connect-timeout': '30', 'clock-skew': '60000' };
  const exchange = await world.exchange(t, { ...shared, ...patience });
  const market = await startMarketInProcess(t, MarketChain.over(world.node, world.client), {
    ...shared,
    'private-urls': 'true',
    'page-exchange': exchange.url,
    'page-gateway': gateway.url,
    'page-node': `http://${world.node.endpoint}`,
    ...line,
  });
  const admin = new MarketClient(market.url, world.alice, 0, () => market.clock.nowMs());
  const { code, msg } = await admin.post('/market/category/create', { categoryName: 'Weather' });
  if (code !== 1) throw new Error(msg);
  const browser = await openBrowser();
  t.teardown(() => browser.close());
  return { world, market, exchange, browser, admin };
}
