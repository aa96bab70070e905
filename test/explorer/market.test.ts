import t from 'tap';
import { hasNoBrowser } from '../support/browser.js';
import { lookAt, openWatched } from '../support/looked-at.js';
import { ExplorerWorld, shows } from './support/explorer-world.js';

/** A data market in which something is sold, a described asset, and an account that votes. */

const HOSTILE = '<img src=x onerror="document.title=1"><b>bold</b>\u202e';
const SHOWN = HOSTILE.replace('\u202e', '\\u202e');
const CORE = '1.3.1';
const [ALICE, BOB, CAROL] = ['1.2.9', '1.2.10', '1.2.11'];
const [FREE, LEAGUE] = [1, 2];
const LONG = 'How many people went through the gates of each station, hour by hour, without anybody’s name';

/** Answers with the transaction that published a product. */
async function fillMarket(world: ExplorerWorld): Promise<string> {
  let published = '';
  const { time } = await world.call<{ time: string }>('get_dynamic_global_properties');
  const dated = { create_date_time: time, extensions: [] };
  const shown = { ...dated, recommend_expiration_date_time: '1970-01-01T00:00:00', issuer: ALICE };
  // She vouches for him, and one transaction has one signature here.
  await world.call('dev_impersonate', 'bob');
  for (const account of [ALICE, BOB]) {
    const given = { account_to_upgrade: account, auth_referrer: ALICE, extensions: [] };
    await world.send('alice', [45, { ...given, upgrade_to_merchant_member: true }]);
    await world.blocks(1);
    await world.send('alice', [46, { ...given, upgrade_to_datasource_member: true }]);
    await world.blocks(1);
  }
  await world.call('dev_stopImpersonate', 'bob');
  const category = { ...dated, issuer: ALICE, order_num: 1 };
  await world.send('alice', [61, { ...category, category_name: 'Transport and towns', data_market_type: FREE }]);
  await world.send('alice', [61, { ...category, category_name: 'Credit', data_market_type: LEAGUE }]);
  await world.blocks(1);
  const schema_context = JSON.stringify({ privacy: false, fields: { station: 'text', hour: 'time' } });
  const product = { ...shown, brief_desc: LONG, icon: '', schema_contexts: [{ version: '1.0', schema_context }] };
  const free = { ...product, category_id: '1.16.0', datasource: ALICE, parent_id: '' };
  for (const name of ['Passengers by station', HOSTILE]) {
    published = await world.send('alice', [63, { ...free, product_name: name, price: 1_234_560 }]);
  }
  const { recommend_expiration_date_time: _, ...leagueProduct } = product;
  const within = { category_id: '1.16.1' };
  await world.send('alice', [65, { ...leagueProduct, ...within, product_name: 'Late payers', refer_price: 500_000 }]);
  await world.blocks(1);
  const league = { ...shown, ...within, league_name: 'Banks of the north', brief_desc: LONG, icon: '' };
  await world.send('alice', [67, { ...league, data_products: ['1.18.0'], prices: [250_000], members: [ALICE, BOB] }]);
  await world.blocks(1);
  const request = { ...dated, version: '1.0', params: '{"station":"North"}' };
  await world.send('bob', [55, { ...request, request_id: 'a'.repeat(32), product_id: '1.17.0', requester: BOB }]);
  await world.send('bob', [
    55,
    { ...request, request_id: 'b'.repeat(32), product_id: '1.18.0', league_id: '1.19.0', requester: BOB },
  ]);
  await world.blocks(1);
  return published;
}

t.test('the data market with something in it', { skip: hasNoBrowser }, async (t) => {
  const world = await ExplorerWorld.start(t, { plugins: 'witness account_history', 'max-ops-per-account': '1000' });
  const published = await fillMarket(world);
  const { page, complaints } = await openWatched(world.browser, world.url);
  const go = async (route: string, title: string): Promise<string> => {
    await page.goto(`${world.url}#/${route}`);
    return shows(page, title);
  };

  t.test('categories, what is in them, and prices as people read them', async (t) => {
    t.match(await go('products', 'Data market'), /Transport and towns.*Credit/);
    await lookAt(t, page, 'market');
    const sold = await go('products/1.16.0', 'Transport and towns');
    t.match(sold, /Passengers by station.*12\.3456 GXC/);
    t.ok(sold.includes(SHOWN), 'nothing in them is hidden');
    t.equal(await page.locator('main img, main b').count(), 0, 'words of strangers are text');
    await lookAt(t, page, 'market-products');
    const leagues = await go('products/1.16.1', 'Credit');
    t.match(leagues, /Banks of the north/);
    t.match(leagues, /Late payers.*5 GXC/, 'what its owner asks for outside of a league');
    await lookAt(t, page, 'market-leagues');
  });

  t.test('each of its objects', async (t) => {
    const product = await go('object/1.17.0', 'Free data product 1.17.0');
    t.match(product, /price12\.3456 GXC/);
    t.match(product, /schema contextprivacyfalse/, 'a description in JSON is told field by field');
    await lookAt(t, page, 'market-product');
    const publishing = await go(`tx/${published}`, `Transaction ${published.slice(0, 8)}`);
    t.match(publishing, /price12\.3456 GXC/);
    t.match(await go('object/1.18.0', 'League data product 1.18.0'), /refer price5 GXC/);
    await lookAt(t, page, 'market-league-product');
    t.match(await go('object/1.19.0', 'League 1.19.0'), /data productsLate payers.*prices2\.5 GXC.*alice, bob/);
    await lookAt(t, page, 'market-league');
    const bought = await go('object/1.20.0', 'Data transaction 1.20.0');
    t.match(bought, /product idPassengers by station.*paramsstationNorth.*requesterbob/);
    await lookAt(t, page, 'market-transaction');
    const ofLeague = await go('object/1.20.1', 'Data transaction 1.20.1');
    t.match(ofLeague, /product idLate payers.*league idBanks of the north/);
  });

  t.test('its operations in a history', async (t) => {
    t.match(await go('account/bob', 'bob'), /bob asks for data of Passengers by station, request a{32}/);
    await lookAt(t, page, 'market-history');
  });

  t.test('an asset that is described in JSON', async (t) => {
    const rate = { base: { amount: 1, asset_id: CORE }, quote: { amount: 1, asset_id: '1.3.2' } };
    const text = { main: `A coin of ours ${HOSTILE}`, market: 'GXC', short_name: 'Coin' };
    const common_options = {
      ...{ max_supply: 123_456_789, market_fee_percent: 0, max_market_fee: 5_500, issuer_permissions: 0, flags: 0 },
      ...{ core_exchange_rate: rate, description: JSON.stringify(text), extensions: [] },
      ...{ whitelist_authorities: [], blacklist_authorities: [], whitelist_markets: [], blacklist_markets: [] },
    };
    const coin = { issuer: ALICE, symbol: 'COIN', precision: 3, is_prediction_market: false, extensions: [] };
    const [core] = await world.call<{ id: string }[]>('lookup_asset_symbols', ['GXC']);
    t.equal(core?.id, CORE);
    const tx = await world.send('alice', [10, { ...coin, common_options }]);
    await world.blocks(1);
    t.match(await go('asset/COIN', 'COIN'), /main.*A coin of ours.*short name.*Coin/);
    t.equal(await page.locator('main img, main b').count(), 0);
    await lookAt(t, page, 'described-asset');
    const [made] = await world.call<{ id: string }[]>('lookup_asset_symbols', ['COIN']);
    t.match(await go(`object/${made?.id}`, `Asset ${made?.id}`), /max supply123\u202f456\.789 COIN.*short nameCoin/);
    await lookAt(t, page, 'described-asset-object');
    const making = await go(`tx/${tx}`, `Transaction ${tx.slice(0, 8)}`);
    t.match(
      making,
      /max supply123\u202f456\.789 COIN.*max market fee5\.5 COIN/,
      'in its own units before it had an id',
    );
    t.match(making, /base0\.00001 GXC.*quote0\.001 COIN/, 'what stood for it in its rate is itself');
    await lookAt(t, page, 'described-asset-made');
    const new_options = {
      ...common_options,
      core_exchange_rate: { ...rate, quote: { amount: 1, asset_id: made?.id } },
    };
    const change = { issuer: ALICE, asset_to_update: made?.id, new_options, extensions: [] };
    const changed = await world.send('alice', [11, change]);
    await world.blocks(1);
    const changing = await go(`tx/${changed}`, `Transaction ${changed.slice(0, 8)}`);
    t.match(changing, /max supply123\u202f456\.789 COIN.*max market fee5\.5 COIN.*quote0\.001 COIN/);
  });

  t.test('whom an account votes for, and the chain at a glance with charts', async (t) => {
    const [carol] = await world.call<{ id: string; options: object }[]>('get_accounts', [CAROL]);
    const witnesses = await world.call<{ vote_id: string }[]>('get_objects', ['1.6.1', '1.6.2']);
    const members = await world.call<({ vote_id: string } | null)[]>('get_objects', ['1.5.0', '1.5.1']);
    const votes = [...witnesses, ...members].flatMap((one) => (one === null ? [] : [one.vote_id]));
    votes.sort((a, b) => Number(a.split(':')[1]) - Number(b.split(':')[1]));
    const new_options = { ...carol?.options, votes, num_witness: 2, num_committee: members.length };
    await world.send('carol', [6, { account: CAROL, new_options, extensions: {} }]);
    await world.blocks(1);
    await page.goto(`${world.url}#/account/carol`);
    const text = await shows(page, 'carol');
    t.match(text, /init\d/);
    await lookAt(t, page, 'votes');
    await go('', 'The chain now');
    await lookAt(t, page, 'home');
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${world.url}#/witnesses`);
    await shows(page, 'Witnesses');
    await page.waitForSelector('.chart');
    const [chart, line] = await Promise.all(
      ['.chart', '.chart .grid'].map((one) => page.locator(one).first().boundingBox()),
    );
    t.ok((line?.width ?? 0) > 0.98 * (chart?.width ?? 1), 'a chart is as wide as its card', { chart, line });
  });

  t.test('nothing went wrong unseen', async (t) => t.same(complaints, []));
});
