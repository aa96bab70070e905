import { h, table } from '../../page/dom.js';
import type { Block, Transaction } from '../answers.js';
import { barChart, slotChart } from '../bars.js';
import { feesOf, LatestBlocks } from '../blocks.js';
import { group, plainUnits } from '../names.js';
import type { Page, View } from '../page.js';
import { operationLines, quiet, section, timeMs, txLink, when } from '../parts.js';
import { blockHref } from '../routes.js';
import { momentForm } from './moment.js';

/** The chain at a glance, live. */

const BLOCKS_SHOWN = 12;
const TRANSACTIONS_SHOWN = 12;
const AGE_LOOK_MS = 1000;
const STANDS_STILL_INTERVALS = 4;

const loaders = new WeakMap<object, LatestBlocks>();
function latestOf(page: Page): LatestBlocks {
  const known = loaders.get(page.node) ?? new LatestBlocks(page.node);
  loaders.set(page.node, known);
  return known;
}

const fact = (name: string, value: HTMLElement): HTMLElement => h('div', { class: 'fact' }, h('dt', {}, name), value);

function glance(page: Page, left: AbortSignal): { element: HTMLElement; update(rate: number, accounts: number): void } {
  const values = {
    head: h('a', { class: 'big', id: 'head', href: '#/' }),
    age: h('small', { id: 'age', class: 'quiet' }),
    irreversible: h('a', { id: 'irreversible', href: '#/' }),
    behind: h('small', { class: 'quiet', id: 'behind' }),
    participation: h('span', { id: 'participation' }),
    witness: h('span', { id: 'producer' }),
    maintenance: h('span', {}),
    accounts: h('span', {}),
  };
  const slots = h('div', {});
  const showAge = (): void => {
    const age = Math.max(0, Math.round((Date.now() - timeMs(page.head.time)) / 1000));
    const words = age < STANDS_STILL_INTERVALS * page.interval ? '' : ', the chain stands still';
    values.age.textContent = ` ${age} s ago${words}`;
  };
  const timer = setInterval(showAge, AGE_LOOK_MS);
  left.addEventListener('abort', () => clearInterval(timer));
  const element = h(
    'section',
    { class: 'card', 'aria-label': 'The chain now' },
    h(
      'dl',
      { class: 'glance' },
      fact('Head block', h('dd', {}, values.head, values.age)),
      fact('Irreversible', h('dd', {}, values.irreversible, ' ', values.behind)),
      fact('Participation', h('dd', {}, values.participation)),
      fact('Witness of the head', h('dd', {}, values.witness)),
      fact('Next maintenance', h('dd', {}, values.maintenance)),
      fact('Accounts', h('dd', {}, values.accounts)),
    ),
    slots,
    quiet('The last 128 slots, the newest on the right; red ones were missed.'),
  );
  const update = (rate: number, accounts: number): void => {
    const { head } = page;
    const last = head.last_irreversible_block_num;
    const behind = head.head_block_number - last;
    values.head.textContent = group(head.head_block_number);
    values.head.href = blockHref(head.head_block_number);
    values.irreversible.textContent = group(last);
    values.irreversible.href = blockHref(last);
    values.behind.textContent = `${behind} ${behind === 1 ? 'block' : 'blocks'} behind`;
    values.participation.textContent = `${(rate / 100).toFixed(1)} %`;
    values.witness.replaceChildren(page.names.link(head.current_witness));
    values.maintenance.replaceChildren(when(head.next_maintenance_time));
    values.accounts.textContent = group(accounts);
    slots.replaceChildren(slotChart(head.recent_slots_filled));
    showAge();
  };
  return { element, update };
}

function charts(page: Page, blocks: readonly Block[]): HTMLElement[] {
  const oldestFirst = [...blocks].reverse();
  const bars = (measure: (block: Block, seconds: number) => number) =>
    oldestFirst.map((block, i) => {
      const before = oldestFirst[i - 1];
      const seconds =
        before === undefined ? page.interval : (timeMs(block.timestamp) - timeMs(before.timestamp)) / 1000;
      const number = blockNumber(block);
      return { label: `Block ${number}`, value: measure(block, Math.max(1, seconds)) };
    });
  const fee = (block: Block): number =>
    Number(plainUnits(page.names.units({ amount: String(feesOf(block, page.core)), asset_id: page.core })));
  return [
    barChart(
      'Transactions',
      bars((block, seconds) => block.transactions.length / seconds),
      'per second',
    ),
    barChart('Fees', bars(fee), `${page.names.name(page.core)} per block`),
  ];
}

const blockNumber = ({ block_id: id }: Block): number => Number.parseInt(id.slice(0, 8), 16);

function blockTable(page: Page, blocks: readonly Block[]): HTMLElement {
  return table(
    'Latest blocks',
    [
      {
        name: 'Block',
        cell: (block: Block) => h('a', { href: blockHref(blockNumber(block)) }, group(blockNumber(block))),
      },
      { name: 'Time', cell: ({ timestamp }) => h('time', { datetime: `${timestamp}Z` }, timestamp.slice(11)) },
      { name: 'Witness', cell: ({ witness }) => page.names.link(witness) },
      { name: 'Transactions', isNumber: true, cell: ({ transactions }) => group(transactions.length) },
    ],
    blocks.slice(0, BLOCKS_SHOWN),
  );
}

interface Row {
  readonly block: number;
  readonly id: string;
  readonly transaction: Transaction;
}

function rowsOf(blocks: readonly Block[]): Row[] {
  const rows: Row[] = [];
  for (const block of blocks) {
    for (let i = block.transactions.length - 1; i >= 0 && rows.length < TRANSACTIONS_SHOWN; i--) {
      const transaction = block.transactions[i] as Transaction;
      rows.push({ block: blockNumber(block), id: block.transaction_ids[i] ?? '', transaction });
    }
  }
  return rows;
}

function transactionTable(page: Page, rows: readonly Row[]): HTMLElement {
  if (rows.length === 0) return quiet('None in the latest blocks.');
  return table(
    'Latest transactions',
    [
      { name: 'Transaction', cell: ({ id }: Row) => txLink(id, 10) },
      { name: 'Block', cell: ({ block }) => h('a', { href: blockHref(block) }, group(block)) },
      { name: 'What it does', cell: ({ transaction }) => operationLines(page.names, transaction) },
    ],
    rows,
  );
}

export const homeView: View = async (page, _words, left) => {
  const { element, update } = glance(page, left);
  const drawn = h('div', { class: 'charts' });
  const blockRoom = h('div', { id: 'blocks' });
  const transactionRoom = h('div', { id: 'transactions' });
  const refresh = async (count?: number): Promise<void> => {
    const { head } = page;
    const [rate, accounts, blocks] = await Promise.all([
      page.node.call<number>('get_witness_participation_rate'),
      page.node.call<number>('get_account_count'),
      latestOf(page).load(head.head_block_number, head.head_block_id, count),
    ]);
    const rows = rowsOf(blocks);
    const operations = rows.map(({ transaction }) => transaction.operations);
    await page.names.prepare(
      head.current_witness,
      blocks.slice(0, BLOCKS_SHOWN).map(({ witness }) => witness),
      operations,
    );
    if (left.aborted) return;
    update(rate, accounts);
    drawn.replaceChildren(...charts(page, blocks));
    replaceKeepingFocus(blockRoom, blockTable(page, blocks));
    replaceKeepingFocus(transactionRoom, transactionTable(page, rows));
  };
  // The first look is a short one: charts fill up behind it.
  await refresh(BLOCKS_SHOWN);
  void refresh().catch(() => undefined);
  page.onBlock(() => refresh());
  return {
    title: 'The chain now',
    body: [
      element,
      section('The latest blocks', drawn),
      h('div', { class: 'two' }, section('Blocks', blockRoom), section('Transactions', transactionRoom)),
      section('Go back in time', momentForm(page)),
    ],
  };
};

/** Whoever reads a table with the keyboard stays at the same link while blocks come. */
function replaceKeepingFocus(room: HTMLElement, fresh: HTMLElement): void {
  const focused = document.activeElement;
  const target = focused !== null && room.contains(focused) ? focused.getAttribute('href') : null;
  const isRegion = focused !== null && focused === room.firstElementChild;
  room.replaceChildren(fresh);
  if (isRegion) fresh.focus({ preventScroll: true });
  if (target === null) return;
  for (const link of fresh.querySelectorAll('a')) {
    if (link.getAttribute('href') !== target) continue;
    link.focus({ preventScroll: true });
    return;
  }
}
