import { type Child, facts, h, table } from '../../page/dom.js';
import type { Asset, Int } from '../answers.js';
import { group, plainUnits } from '../names.js';
import { NotFound, type Page, type View } from '../page.js';
import { csvButton, growing, json, pager, quiet, section } from '../parts.js';
import { href } from '../routes.js';

const ASSETS_A_PAGE = 50;

interface DynamicData {
  readonly current_supply: Int;
  readonly accumulated_fees: Int;
  readonly fee_pool: Int;
}

interface Holder {
  readonly name: string;
  readonly account_id: string;
  readonly amount: Int;
}

/** `#/assets`, `#/assets/SYMBOL` from a symbol on */
export const assetsView: View = async (page, [from = '']) => {
  const found = await page.node.call<Asset[]>('list_assets', from, ASSETS_A_PAGE + 1);
  const list = found.slice(0, ASSETS_A_PAGE);
  const data = await page.node.call<(DynamicData | null)[]>(
    'get_objects',
    list.map((asset) => asset.dynamic_asset_data_id),
  );
  await page.names.prepare(list.map(({ id, issuer }) => [id, issuer]));
  const supply = (i: number): Child =>
    page.names.units({ amount: data[i]?.current_supply ?? 0, asset_id: list[i]?.id ?? '' });
  const next = found[ASSETS_A_PAGE]?.symbol;
  return {
    title: 'Assets',
    body: [
      section(
        'By symbol',
        table(
          'Assets',
          [
            { name: 'Symbol', cell: ({ asset }: { asset: Asset; i: number }) => page.names.link(asset.id) },
            { name: 'Id', cell: ({ asset }) => asset.id },
            { name: 'Supply', isNumber: true, cell: ({ i }) => supply(i) },
            { name: 'Issuer', cell: ({ asset }) => page.names.link(asset.issuer) },
          ],
          list.map((asset, i) => ({ asset, i })),
        ),
        pager(
          { text: 'From the beginning', href: from === '' ? undefined : '#/assets' },
          { text: 'More', href: next === undefined ? undefined : href('assets', next) },
        ),
      ),
    ],
  };
};

async function assetOf(page: Page, wanted: string): Promise<Asset> {
  const found = await page.node.tryCall<(Asset | null)[]>('lookup_asset_symbols', [wanted]);
  if (!found?.[0]) throw new NotFound(`There is no asset ${wanted}.`);
  return found[0];
}

const PERCENT = 100;

/** `#/asset/SYMBOL`, `#/asset/1.3.N` */
export const assetView: View = async (page, [wanted = '']) => {
  const asset = await assetOf(page, wanted);
  const [[data], holders] = await Promise.all([
    page.node.call<(DynamicData | null)[]>('get_objects', [asset.dynamic_asset_data_id]),
    holdersRoom(page, asset),
  ]);
  const { base, quote } = asset.options.core_exchange_rate;
  await page.names.prepare(asset.id, asset.issuer, base, quote);
  const amount = (units: Int): Child => page.names.amount({ amount: units, asset_id: asset.id });
  return {
    title: asset.symbol,
    body: [
      section(
        'Asset',
        facts(
          ['Id', h('a', { href: href('object', asset.id) }, asset.id)],
          ['Description', page.names.text(asset.options.description || 'none')],
          ['Issuer', page.names.link(asset.issuer)],
          ['Supply', amount(data?.current_supply ?? 0)],
          ['At most', amount(asset.options.max_supply)],
          ['Digits', `${asset.precision}`],
          ['Rate for fees', h('span', {}, page.names.amount(base), ' for ', page.names.amount(quote))],
          ['Fee pool', page.names.amount({ amount: data?.fee_pool ?? 0, asset_id: page.core })],
          ['Market fee', `${asset.options.market_fee_percent / PERCENT} %`],
        ),
      ),
      section('Holders', holders(data?.current_supply ?? 0)),
      json(asset),
    ],
  };
};

function shareOf(amount: Int, supply: Int): string {
  return Number(supply) === 0 ? '' : `${((100 * Number(amount)) / Number(supply)).toFixed(2)} %`;
}

/** The node sends all holders at once: beyond so many somebody has to ask for them. */
const HOLDERS_UNASKED = 10_000;
const HOLDERS_A_PAGE = 50;

async function holdersRoom(page: Page, { id, symbol }: Asset): Promise<(supply: Int) => HTMLElement> {
  const count = await page.node.tryCall<number>('call', 'asset', 'get_asset_holders_count', [id]);
  if (count === undefined) {
    return () => quiet('This node does not open its asset API: its operator does with --api-access.');
  }
  const load = (): Promise<Holder[]> => page.node.call<Holder[]>('call', 'asset', 'get_asset_holders', [id]);
  const show = (holders: readonly Holder[], supply: Int): HTMLElement => {
    const units = ({ amount }: Holder): string => page.names.units({ amount, asset_id: id });
    const rows = growing(holders, HOLDERS_A_PAGE, (some) =>
      table(
        `The highest first, ${group(some.length)} of ${group(holders.length)}`,
        [
          { name: 'Account', cell: ({ account_id: account, name }: Holder) => page.names.link(account, name) },
          { name: symbol, isNumber: true, cell: units },
          { name: 'Share', isNumber: true, cell: ({ amount }) => shareOf(amount, supply) },
        ],
        some,
      ),
    );
    const cells = (holder: Holder) => [holder.name, holder.account_id, plainUnits(units(holder))];
    return h(
      'div',
      {},
      rows,
      csvButton(`holders-${symbol}`, ['account', 'id', 'amount'], () => holders.map(cells)),
    );
  };
  if (count > HOLDERS_UNASKED) {
    return (supply) => {
      const room = h('div', { 'aria-live': 'polite' });
      const ask = async (): Promise<void> => room.replaceChildren(show(await load(), supply));
      room.append(h('button', { type: 'button', class: 'plain', onclick: ask }, `Load ${group(count)} holders`));
      return room;
    };
  }
  const holders = await load();
  return (supply) => (holders.length === 0 ? quiet('Nobody has any.') : show(holders, supply));
}
