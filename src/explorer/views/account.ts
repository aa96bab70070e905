import { type Child, facts, h, messageOf, table } from '../../page/dom.js';
import type { Account, Authority, Candidate, FullAccount, HistoryEntry, Operation } from '../answers.js';
import { group, operationName } from '../names.js';
import { NotFound, type Page, type Shown, type View } from '../page.js';
import { csvButton, json, operationLine, pager, quiet, section } from '../parts.js';
import { accountHref, blockHref, href } from '../routes.js';

const ENTRIES_A_PAGE = 25;
/** Accounts may be the authority of accounts of accounts. */
const AUTHORITY_DEPTH = 3;
const NEVER = '1970-01-01T00:00:00';
const FOR_EVER = /^21\d\d-|^20[89]\d-/;

/** `#/account/NAME`, `#/account/1.2.N`, `#/account/NAME/history/START` */
export const accountView: View = async (page, [wanted = '', part, start]) => {
  const full = await fullAccount(page, wanted);
  if (full === undefined) throw new NotFound(`There is no account ${wanted}.`);
  const { account } = full;
  const history = await historyOf(page, full, part === 'history' ? (start ?? '') : '');
  if (part === 'history' && start !== undefined)
    return { title: `History of ${account.name}`, body: [backTo(account), history] };
  await page.names.prepare(
    full.balances,
    full.locked_balances,
    full.votes,
    account.options,
    account.registrar,
    full.assets,
  );
  return {
    title: account.name,
    body: [
      facesOf(page, full),
      h('div', { class: 'two' }, balancesOf(page, full), votesOf(page, full)),
      section('Keys and authorities', ...(await authoritiesOf(page, account))),
      proposalsOf(page, full),
      history,
      json(full),
    ],
  };
};

async function fullAccount(page: Page, wanted: string): Promise<FullAccount | undefined> {
  if (!/^1\.2\.\d+$|^[a-z0-9.-]{1,63}$/.test(wanted)) return undefined;
  const [found] = await page.node.call<[string, FullAccount][]>('get_full_accounts', [wanted], false);
  return found?.[1];
}

const backTo = ({ name }: Account): HTMLElement => h('p', {}, h('a', { href: accountHref(name) }, `Back to ${name}`));

function membership(account: Account): string {
  if (FOR_EVER.test(account.membership_expiration_date)) return 'lifetime member';
  return account.membership_expiration_date === NEVER ? 'basic' : `member until ${account.membership_expiration_date}`;
}

function facesOf(page: Page, { account, statistics }: FullAccount): HTMLElement {
  const roles = [
    account.merchant_expiration_date !== NEVER && 'merchant',
    account.datasource_expiration_date !== NEVER && 'data source',
    account.code !== '' && 'contract',
  ].filter(Boolean);
  return section(
    'Account',
    facts(
      ['Id', h('a', { href: href('object', account.id) }, account.id)],
      ['Kind', [membership(account), ...roles].join(', ')],
      ['Registered by', page.names.link(account.registrar)],
      ['Fees paid ever', page.names.amount({ amount: statistics.lifetime_fees_paid, asset_id: page.core })],
      ...(account.code === ''
        ? []
        : ([
            ['Contract', h('a', { href: href('contract', account.name) }, `${account.abi.actions.length} actions`)],
          ] as const)),
    ),
  );
}

function balancesOf(page: Page, full: FullAccount): HTMLElement {
  const rows: { readonly kind: Child; readonly amount: Child }[] = [
    ...full.balances.map(({ asset_type: asset_id, balance: amount }) => ({
      kind: 'free',
      amount: page.names.amount({ amount, asset_id }),
    })),
    ...full.locked_balances.map(({ id, amount, lock_days: days, create_date_time: since }) => ({
      kind: h('span', {}, `locked for ${days} days since ${since.slice(0, 10)} (`, page.names.link(id), ')'),
      amount: page.names.amount(amount),
    })),
    ...full.vesting_balances.map(({ id, balance }) => ({
      kind: h('span', {}, 'free bit by bit (', page.names.link(id), ')'),
      amount: page.names.amount(balance),
    })),
    ...full.pledge_balances.map(({ id, amount }) => ({
      kind: h('span', {}, 'pledged (', page.names.link(id), ')'),
      amount: page.names.amount(amount),
    })),
  ];
  if (rows.length === 0) return section('Balances', quiet('It has none.'));
  return section(
    'Balances',
    table(
      'Balances',
      [
        { name: 'Amount', isNumber: true, cell: ({ amount }) => amount },
        { name: 'Kind', cell: ({ kind }) => kind },
      ],
      rows,
    ),
  );
}

const NOBODY = '1.2.5';

function votesOf(page: Page, { account, votes }: FullAccount): HTMLElement {
  const { voting_account: proxy } = account.options;
  if (proxy !== NOBODY) return section('Votes', h('p', {}, 'It leaves its vote to ', page.names.link(proxy), '.'));
  const listed = (title: string, list: readonly Candidate[]): Child =>
    list.length > 0 && h('p', {}, `${title}: `, ...list.flatMap(({ id }, i) => [i > 0 && ', ', page.names.link(id)]));
  const known = votes.filter((one) => one !== null);
  return section(
    'Votes',
    listed(
      'Witnesses',
      known.filter(({ id }) => id.startsWith('1.6.')),
    ),
    listed(
      'Committee',
      known.filter(({ id }) => id.startsWith('1.5.')),
    ),
    listed(
      'Workers',
      known.filter(({ id }) => id.startsWith('1.14.')),
    ),
    known.length === 0 && quiet('It votes for nobody.'),
  );
}

/** Who may act for it: keys, and accounts with theirs. */
async function authoritiesOf(page: Page, account: Account): Promise<HTMLElement[]> {
  return [
    await authorityTree(page, 'Owner', account.owner, 'owner', new Set([account.id])),
    await authorityTree(page, 'Active', account.active, 'active', new Set([account.id])),
    h('h3', {}, 'Memo key'),
    h('p', {}, page.names.key(account.options.memo_key)),
  ];
}

async function authorityTree(
  page: Page,
  title: string,
  authority: Authority,
  kind: 'owner' | 'active',
  above: ReadonlySet<string>,
): Promise<HTMLElement> {
  return h('div', {}, h('h3', {}, title), await authorityList(page, authority, kind, above));
}

async function authorityList(
  page: Page,
  authority: Authority,
  kind: 'owner' | 'active',
  above: ReadonlySet<string>,
): Promise<HTMLElement> {
  const { weight_threshold: threshold, key_auths: keys, account_auths: accounts, address_auths: addresses } = authority;
  const count = keys.length + accounts.length + addresses.length;
  const items: HTMLElement[] = [
    ...keys.map(([key, weight]) => h('li', {}, weightOf(weight, threshold, count), page.names.key(key))),
    ...addresses.map(([address, weight]) =>
      h('li', {}, weightOf(weight, threshold, count), h('span', { class: 'mono' }, address)),
    ),
  ];
  await page.names.prepare(accounts);
  for (const [id, weight] of accounts) {
    const item = h('li', {}, weightOf(weight, threshold, count), page.names.link(id));
    if (above.has(id)) item.append(' (already named above)');
    else if (above.size < AUTHORITY_DEPTH) {
      const [found] = await page.node.call<(Account | null)[]>('get_objects', [id]);
      if (found) item.append(await authorityList(page, found[kind], kind, new Set([...above, id])));
    }
    items.push(item);
  }
  const words = count === 0 ? 'Nobody can act.' : count === 1 ? '' : `A weight of ${threshold} is needed.`;
  return h('div', {}, words !== '' && quiet(words), h('ul', { class: 'tree' }, ...items));
}

const weightOf = (weight: number, threshold: number, count: number): string =>
  count === 1 && weight >= threshold ? '' : `weight ${weight}: `;

function proposalsOf(page: Page, { proposals }: FullAccount): Child {
  if (proposals.length === 0) return undefined;
  const items = proposals.map(({ id }) => h('li', {}, page.names.link(id)));
  return section('Proposals that wait for it', h('ul', {}, ...items));
}

interface Entry {
  readonly op: Operation;
  readonly block: number | undefined;
  readonly index: number | undefined;
  readonly isVirtual: boolean;
}

interface Entries {
  readonly list: readonly Entry[];
  readonly next: string | undefined;
}

const NO_ENTRIES: Entries = { list: [], next: undefined };
const FIRST = '1.11.0';

/** From the plugin account_history, by id: pages stand still while the account goes on. */
async function fromHistory(page: Page, account: Account, start: string): Promise<Entries> {
  const list = await page.node.call<HistoryEntry[]>('call', 'history', 'get_account_history', [
    ...[account.id, FIRST, ENTRIES_A_PAGE + 1, start === '' ? FIRST : start],
  ]);
  return {
    list: list.slice(0, ENTRIES_A_PAGE).map(({ op, block_num: block, trx_in_block: index, virtual_op: number }) => ({
      op,
      block,
      index,
      isVirtual: number > 0,
    })),
    next: list[ENTRIES_A_PAGE]?.id,
  };
}

/** From the plugin account_history_kv, by position from the oldest; it does not say where in a block. */
async function fromKv(page: Page, account: Account, start: string): Promise<Entries | undefined> {
  const ask = (from: number, limit: number) =>
    page.node.tryCall<{
      total_relative_ops_number: number;
      ops: { op: Operation; is_virtual: boolean }[];
    } | null>('get_account_relative_ops', account.id, from, limit);
  const first = await ask(1, 1);
  // Refused where the account has none yet.
  if (first === undefined) return NO_ENTRIES;
  if (first === null) return undefined;
  const total = first.total_relative_ops_number;
  const end = /^\d+$/.test(start) ? Math.max(1, Math.min(Number(start), total)) : total;
  const from = Math.max(1, end - ENTRIES_A_PAGE + 1);
  const [found, places] = await Promise.all([
    ask(from, end - from + 1),
    page.node.tryCall<{ blocks: number[] } | null>('get_account_relative_blocks', account.id, from, end - from + 1),
  ]);
  const list = (found?.ops ?? []).map(({ op, is_virtual: isVirtual }, i) => ({
    op,
    block: places?.blocks[i],
    index: undefined,
    isVirtual,
  }));
  return {
    list: list.reverse(),
    next: from > 1 ? String(from - 1) : undefined,
  };
}

const HOW_TO =
  'This node keeps no histories of accounts. Its operator switches them on with --plugins "witness account_history" --max-ops-per-account 1000, or another number; what came before is read from the blocks that it has.';

async function historyOf(page: Page, { account, statistics }: FullAccount, start: string): Promise<HTMLElement> {
  let entries: Entries;
  try {
    // Pages of one history begin with an id, those of the other with a position.
    const isPosition = /^\d+$/.test(start);
    entries = isPosition ? NO_ENTRIES : await fromHistory(page, account, start);
  } catch (error) {
    // A history that is still read from the blocks refuses, and says how far it is.
    return section('History', quiet(messageOf(error)));
  }
  if (entries.list.length === 0) {
    const kv = await fromKv(page, account, start);
    if (kv !== undefined) entries = kv;
    else if (statistics.total_ops === 0) return section('History', quiet(HOW_TO));
  }
  if (entries.list.length === 0) return section('History', quiet('Nothing has happened to it yet.'));
  const { list, next } = entries;
  await page.names.prepare(list.map(({ op }) => op));
  const place = ({ block }: Entry): Child =>
    block === undefined ? '' : h('a', { href: blockHref(block) }, group(block));
  return section(
    'History',
    table(
      'The newest first',
      [
        { name: 'Block', cell: place },
        { name: 'What happened', cell: ({ op }) => operationLine(page.names, op) },
        {
          name: 'Transaction',
          cell: ({ block, index, isVirtual }) =>
            isVirtual
              ? 'by the chain'
              : block === undefined || index === undefined
                ? ''
                : h('a', { href: href('tx', `${block}.${index}`) }, `No. ${index}`),
        },
      ],
      list,
    ),
    csvButton(`history-${account.name}`, ['block', 'position', 'operation', 'words', 'by_chain'], () =>
      list.map(({ op, block = '', index = '', isVirtual }) => [
        block,
        index,
        operationName(op[0]),
        page.names.sentence(op).textContent ?? '',
        isVirtual ? 'yes' : 'no',
      ]),
    ),
    pager(
      { text: 'The newest', href: start === '' ? undefined : accountHref(account.name) },
      { text: 'Earlier', href: next === undefined ? undefined : href('account', account.name, 'history', next) },
    ),
  );
}

/** `#/key/PUB` */
export const keyView: View = async (page, [key = '']): Promise<Shown> => {
  const found = await page.node.tryCall<string[][]>('get_key_references', [key]);
  if (found === undefined) throw new NotFound(`${key} is no public key of this chain.`);
  const unique = [...new Set(found[0])];
  await page.names.prepare(unique);
  const items = unique.map((id) => h('li', {}, page.names.link(id)));
  return {
    title: 'Public key',
    body: [
      h('p', { class: 'mono' }, key),
      section('Accounts that name it', items.length === 0 ? quiet('None.') : h('ul', {}, ...items)),
    ],
  };
};
