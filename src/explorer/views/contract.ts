import { type Child, facts, h, table } from '../../page/dom.js';
import type { Abi, Account, HistoryEntry } from '../answers.js';
import { group } from '../names.js';
import { NotFound, type Page, type View } from '../page.js';
import { json, operationLine, pager, quiet, section } from '../parts.js';
import { accountHref, blockHref, href } from '../routes.js';
import { tracesOfContract } from '../traces.js';

const ROWS_A_PAGE = 25;
const CALLS_SHOWN = 25;
const FIRST = '1.11.0';
const CALL_TAG = 75;
const BYTES_A_HEX_DIGIT = 0.5;

/** `#/contract/NAME`, `#/contract/NAME/TABLE`, `#/contract/NAME/TABLE/FROM_KEY` */
export const contractView: View = async (page, [name = '', tableName, from]) => {
  const account = await page.node.tryCall<Account | null>('get_account_by_name', name);
  if (!account) throw new NotFound(`There is no contract ${name}.`);
  if (account.code === '') throw new NotFound(`There is no contract ${name}.`, accountLink(name));
  if (tableName !== undefined) {
    return {
      title: `Table ${tableName}`,
      body: [
        h('p', {}, h('a', { href: href('contract', name) }, `Back to ${name}`)),
        await rowsOf(page, account, tableName, from),
      ],
    };
  }
  const { abi } = account;
  const size = account.code.length * BYTES_A_HEX_DIGIT;
  return {
    title: `Contract ${name}`,
    body: [
      section(
        'Contract',
        facts(
          ['Account', h('a', { href: accountHref(name) }, name)],
          ['Code', `${group(size)} bytes for VM ${account.vm_type}`],
          ['Hash of the code', h('span', { class: 'mono' }, account.code_version)],
        ),
      ),
      section('Actions', ...actionsOf(abi)),
      section('Tables', tablesOf(name, abi)),
      await callsOf(page, account),
      await tracesOfContract(page, name),
      h('details', { class: 'card' }, h('summary', {}, 'ABI'), json(abi, true)),
    ],
  };
};

const accountLink = (name: string): HTMLElement => h('a', { href: accountHref(name) }, `The account ${name}`);

function noTable(contract: string, wanted: string): NotFound {
  const link = h('a', { href: href('contract', contract) }, `The contract ${contract}`);
  return new NotFound(`The contract ${contract} has no table ${wanted}.`, link);
}

function actionsOf({ actions, structs }: Abi): HTMLElement[] {
  if (actions.length === 0) return [quiet('It has none.')];
  return [
    table(
      'What can be called',
      [
        { name: 'Action', cell: ({ name }: Abi['actions'][number]) => h('span', { class: 'mono' }, name) },
        {
          name: 'Arguments',
          cell: ({ type }) =>
            (structs.find(({ name }) => name === type)?.fields ?? [])
              .map((one) => `${one.name}: ${one.type}`)
              .join(', ') || 'none',
        },
        { name: 'Takes money', cell: ({ payable }) => (payable ? 'yes' : 'no') },
      ],
      actions,
    ),
  ];
}

function tablesOf(contract: string, { tables }: Abi): HTMLElement {
  if (tables.length === 0) return quiet('It has none.');
  return table(
    'What it keeps',
    [
      {
        name: 'Table',
        cell: ({ name }: Abi['tables'][number]) => h('a', { href: href('contract', contract, name) }, name),
      },
      { name: 'Type of a row', cell: ({ type }) => type },
      {
        name: 'Keys',
        cell: ({ key_names: names, key_types: types }) => names.map((one, i) => `${one}: ${types[i]}`).join(', '),
      },
    ],
    tables,
  );
}

async function rowsOf(page: Page, { name, abi }: Account, wanted: string, from = '0'): Promise<HTMLElement> {
  const declared = abi.tables.find((one) => one.name === wanted);
  if (declared === undefined) throw noTable(name, wanted);
  const start = /^\d{1,20}$/.test(from) ? from : '0';
  const { rows, more } = await page.node.call<{ rows: Readonly<Record<string, unknown>>[]; more: boolean }>(
    'get_table_rows_ex',
    name,
    wanted,
    { lower_bound: start, limit: ROWS_A_PAGE },
  );
  if (rows.length === 0) return section('Rows', quiet('There are none.'));
  await page.names.prepare(rows);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const key = rows.at(-1)?.[declared.key_names[0] ?? ''];
  const next = more && /^\d+$/.test(String(key)) ? String(BigInt(String(key)) + 1n) : undefined;
  return section(
    'Rows',
    table(
      start === '0' ? 'By primary key' : `By primary key, from ${start} on`,
      columns.map((column) => ({
        name: column,
        cell: (row: Readonly<Record<string, unknown>>): Child => page.names.value(row[column]),
      })),
      rows,
    ),
    pager(
      { text: 'From the beginning', href: start === '0' ? undefined : href('contract', name, wanted) },
      { text: 'More', href: next === undefined ? undefined : href('contract', name, wanted, next) },
    ),
  );
}

async function callsOf(page: Page, { id, name }: Account): Promise<HTMLElement> {
  const calls = await page.node.tryCall<HistoryEntry[]>('call', 'history', 'get_account_history_operations', [
    ...[id, CALL_TAG, FIRST, FIRST, CALLS_SHOWN],
  ]);
  if (calls === undefined || calls.length === 0) {
    return section('Calls', quiet('None are in the history of this contract, as far as this node keeps one.'));
  }
  await page.names.prepare(calls);
  return section(
    'Calls',
    table(
      'The newest first',
      [
        {
          name: 'Block',
          cell: (one: HistoryEntry) => h('a', { href: blockHref(one.block_num) }, group(one.block_num)),
        },
        { name: 'Call', cell: ({ op }) => operationLine(page.names, op) },
        {
          name: 'Transaction',
          cell: (one) =>
            h('a', { href: href('tx', `${one.block_num}.${one.trx_in_block}`) }, `No. ${one.trx_in_block}`),
        },
      ],
      calls,
    ),
    h('p', {}, h('a', { href: accountHref(name) }, 'The whole history')),
  );
}
