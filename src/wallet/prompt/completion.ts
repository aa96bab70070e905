import type { Json } from '../../codec/json.js';
import type { AnyType } from '../../codec/type.js';
import type { CommandTable } from '../commands/define.js';
import { asList, asObject } from '../node-link.js';
import type { Wallet } from '../wallet.js';
import type { Completer } from './line-reader.js';

/** What a word may become: commands first, then what the parameter is called tells what it is. */

const SHOWN_MAX = 20;
const ACCOUNT =
  /account|^from$|^to$|^to_|^name$|^id$|^issuer$|^registrar|^referrer|^requester$|^datasource$|^witness$|owner_account|witness_name|committee_member$|propos(?:er|ing)|^payer$|^contract$/;
const ASSET = /symbol|^asset_name_or_id$|^fee_asset/;

const startingWith = (words: Iterable<string>, part: string): string[] =>
  [...new Set(words)].filter((word) => word.startsWith(part)).slice(0, SHOWN_MAX);

async function accounts(wallet: Wallet, part: string): Promise<string[]> {
  const own = wallet.data.my_accounts.map(({ name }) => name);
  const found = asList(await wallet.chain.ask('lookup_accounts', part, SHOWN_MAX), 'lookup_accounts') as Json[][];
  return startingWith([...own, ...found.map(([name]) => String(name))], part);
}

async function assets(wallet: Wallet, part: string): Promise<string[]> {
  const from = part.toUpperCase();
  const found = asList(await wallet.chain.ask('list_assets', from, SHOWN_MAX), 'list_assets');
  return startingWith(
    found.map((one) => String(asObject(one, 'list_assets').symbol)),
    from,
  );
}

function wordsOf(wallet: Wallet, name: string, type: AnyType | undefined, part: string): Promise<string[]> {
  if (type?.name === 'bool') return Promise.resolve(startingWith(['true', 'false'], part));
  if (ASSET.test(name)) return assets(wallet, part);
  return ACCOUNT.test(name) ? accounts(wallet, part) : Promise.resolve([]);
}

export function completerOf(wallet: Wallet, table: CommandTable): Completer {
  return async (line) => {
    const words = line.trimStart().split(/\s+/);
    const last = words[words.length - 1] ?? '';
    const [command = ''] = words;
    if (words.length <= 1 || command === 'gethelp') {
      return [startingWith(Object.keys(table).sort(), last).map((word) => `${word} `), last];
    }
    const definition = Object.hasOwn(table, command) ? table[command] : undefined;
    const params = Object.entries((definition?.params ?? {}) as Readonly<Record<string, AnyType>>);
    const [name = '', type] = params[words.length - 2] ?? [];
    // Inside of a quote or a bracket only what stands behind it is the word.
    const part = last.replace(/^.*["[{:,]/, '');
    return [await wordsOf(wallet, name, type, part), part];
  };
}
