import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { openWatched } from '../support/looked-at.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** Texts that anybody may write on the chain, made up so that they look like something that they are not. */

const CORE = '1.3.1';
const ALICE = '1.2.9';
const options = {
  ...{ max_supply: 1000, market_fee_percent: 0, max_market_fee: 0, issuer_permissions: 0, flags: 0, extensions: [] },
  ...{ whitelist_authorities: [], blacklist_authorities: [], whitelist_markets: [], blacklist_markets: [] },
  core_exchange_rate: { base: { amount: 1, asset_id: CORE }, quote: { amount: 1, asset_id: '1.3.2' } },
};

/** Symbol and description. */
const MADE_UP = [
  ['NOID', '1.3.99999999999999999999999'],
  ['NOPERSON', '1.2.18446744073709551616'],
  ['NOAMOUNT', JSON.stringify({ main: { amount: 1, asset_id: null }, short: { amount: [], asset_id: {} } })],
  [
    'NOASSET',
    JSON.stringify({
      main: [{ amount: '5', asset_id: '2.1.0' }],
      short: { amount: 1.5, asset_id: 1 },
      more: { amount: 1, asset_id: ['1.3.1'] },
    }),
  ],
] as const;

t.test('what looks like an id or an amount and is none is a text', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness account_history', 'max-ops-per-account': '1000' });
  const { page, complaints } = await openWatched(world.browser, world.url);
  const sent: string[] = [];
  for (const [symbol, description] of MADE_UP) {
    const asset = { issuer: ALICE, symbol, precision: 3, is_prediction_market: false, extensions: [] };
    sent.push(await world.send('alice', [10, { ...asset, common_options: { ...options, description } }]));
    await world.blocks(1);
  }
  await page.goto(world.url);
  t.match(await shows(page, 'The chain now'), /NOASSET.*NOAMOUNT.*NOPERSON.*NOID/, 'home shows all of them');
  for (const [i, [symbol, description]] of MADE_UP.entries()) {
    await page.goto(`${world.url}#/asset/${symbol}`);
    const shown = await shows(page, symbol);
    if (i < 2) t.ok(shown.includes(description), description);
    await page.goto(`${world.url}#/tx/${sent[i]}`);
    t.match(await shows(page, `Transaction ${sent[i]?.slice(0, 8)}`), new RegExp(symbol));
  }
  await page.goto(`${world.url}#/account/alice`);
  t.match(await shows(page, 'alice'), /NOASSET/);
  t.same(complaints, []);
});
