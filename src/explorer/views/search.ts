import { h } from '../../page/dom.js';
import { OBJECT_ID, PUBLIC_KEY } from '../names.js';
import type { Page, View } from '../page.js';
import { quiet, section } from '../parts.js';
import { accountHref, blockHref, href } from '../routes.js';

/** Finds what a person pasted: number or id of a block, id of a transaction, object, key, name, symbol, a time. */

const SUGGESTIONS_MAX = 8;
const NAME = /^[a-z][a-z0-9.-]{0,62}$/;
const SYMBOL = /^[A-Z][A-Z0-9.]{0,15}$/;

/** As people and this page write it; a day is its first moment. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ]+(\d\d:\d\d(?::\d\d)?))?(?: ?UTC|Z)?$/i;

/** Accounts and assets whose names begin so. */
export async function suggestions(page: Page, text: string): Promise<readonly string[]> {
  const name = text.toLowerCase();
  const symbol = text.toUpperCase();
  const [accounts = [], assets = []] = await Promise.all([
    NAME.test(name) ? page.node.tryCall<[string, string][]>('lookup_accounts', name, SUGGESTIONS_MAX) : [],
    SYMBOL.test(symbol) ? page.node.tryCall<{ symbol: string }[]>('list_assets', symbol, SUGGESTIONS_MAX) : [],
  ]);
  return [
    ...accounts.map(([one]) => one).filter((one) => one.startsWith(name)),
    ...assets.map((one) => one.symbol).filter((one) => one.startsWith(symbol)),
  ].slice(0, SUGGESTIONS_MAX);
}

/** Where it is shown, if it is there. */
async function find(page: Page, text: string): Promise<string | undefined> {
  const { node } = page;
  const digits = text.replace(/[\s\u202f,]/g, '');
  if (/^\d{1,10}$/.test(digits)) return blockHref(digits);
  if (/^[0-9a-f]{40}$/i.test(text)) {
    const id = text.toLowerCase();
    return (await node.call('get_block_by_id', id)) === null ? href('tx', id) : href('block', id);
  }
  if (/^\d{1,10}\.\d{1,5}$/.test(text)) return href('tx', text);
  if (/^1\.2\.\d+$/.test(text)) return accountHref(text);
  if (/^1\.3\.\d+$/.test(text)) return href('asset', text);
  if (OBJECT_ID.test(text)) return href('object', text);
  if (PUBLIC_KEY.test(text)) return href('key', text);
  const [, day, hour = '00:00'] = MOMENT.exec(text) ?? [];
  if (day !== undefined) return href('time', `${day}T${hour}`);
  const name = text.toLowerCase();
  if (NAME.test(name) && (await node.call('get_account_by_name', name)) !== null) return accountHref(name);
  const symbol = text.toUpperCase();
  if (SYMBOL.test(symbol)) {
    const [asset] = await node.call<(object | null)[]>('lookup_asset_symbols', [symbol]);
    if (asset) return href('asset', symbol);
  }
  return undefined;
}

/** `#/search/TEXT` goes on to what it is, and says so where it is nothing. */
export const searchView: View = async (page, words, left) => {
  const text = words.join('/').trim();
  const target = await find(page, text);
  if (target !== undefined) {
    // Whoever has gone elsewhere meanwhile stays there.
    if (!left.aborted) page.go(target);
    return { title: `Looking for ${text}`, body: [] };
  }
  const near = await suggestions(page, text);
  const items = near.map((one) => h('li', {}, h('a', { href: href('search', one) }, one)));
  if (near.length > 0)
    return { title: `Nothing is named ${text}`, body: [section('Names that begin so', h('ul', {}, ...items))] };
  return {
    title: `Nothing found for ${text}`,
    body: [
      quiet(
        'A number or id of a block, an id of a transaction or object, a public key, the name of an account, a symbol or a time in UTC is found.',
      ),
    ],
  };
};
