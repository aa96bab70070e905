import { type Child, facts, h } from '../../page/dom.js';
import { operationFields } from '../amounts.js';
import type { Amount, Block, HistoryEntry, Operation, Transaction } from '../answers.js';
import { memoSection } from '../memo-form.js';
import { group, operationName } from '../names.js';
import { finality, NotFound, type Page, type View } from '../page.js';
import { json, operationLine, quiet, section, when } from '../parts.js';
import { blockHref } from '../routes.js';
import { tracesOf } from '../traces.js';

interface Place {
  readonly id: string;
  readonly block: number;
  readonly index: number;
  readonly transaction: Transaction;
}

/** Whose histories are searched for what happened inside. */
const ACCOUNTS_ASKED = 6;
const ENTRIES_ASKED = 100;

/** `#/tx/ID`, and `#/tx/BLOCK.POSITION` for who knows no id. */
export const transactionView: View = async (page, [wanted = ''], left) => {
  const place = await placeOf(page, wanted);
  if (place === undefined) return waitingTransaction(page, wanted, left);
  const { transaction } = place;
  const [within, traces] = await Promise.all([
    happenedWithin(page, place),
    contractTraces(page, place.id, transaction),
  ]);
  await page.names.prepare(transaction.operations, transaction.operation_results, within);
  return {
    title: `Transaction ${place.id.slice(0, 8)}`,
    body: [
      section(
        'Where it is',
        facts(
          ['State', finality(page, place.block)],
          ['Id', h('span', { class: 'mono' }, place.id)],
          ['Block', h('a', { href: blockHref(place.block) }, group(place.block))],
          ['Position', `${place.index}`],
          ['Fees', h('span', {}, ...feesOf(page, transaction))],
          ['Expires', when(transaction.expiration)],
        ),
      ),
      ...operationsOf(page, transaction),
      ...withinOf(page, within),
      traces,
      signaturesOf(transaction),
      json(transaction),
    ],
  };
};

async function placeOf(page: Page, wanted: string): Promise<Place | undefined> {
  const [, number, index] = /^(\d{1,10})\.(\d{1,5})$/.exec(wanted) ?? [];
  if (number !== undefined && index !== undefined) {
    const block = await page.node.call<Block | null>('get_block', Number(number));
    const transaction = block?.transactions[Number(index)];
    const id = block?.transaction_ids[Number(index)];
    if (transaction === undefined || id === undefined) throw new NotFound(`There is no transaction ${wanted}.`);
    return { id, block: Number(number), index: Number(index), transaction };
  }
  if (!/^[0-9a-f]{40}$/i.test(wanted)) throw new NotFound(`${wanted} is no id of a transaction.`);
  const found = await page.node.call<{
    block_num: number;
    trx_in_block: number;
    transaction: Transaction;
  } | null>('get_transaction_confirmation', wanted.toLowerCase());
  if (found === null) return undefined;
  return {
    id: wanted.toLowerCase(),
    block: found.block_num,
    index: found.trx_in_block,
    transaction: found.transaction,
  };
}

const CALL_TAG = 75;

/** Nothing where no contract is called, and where nobody remembers what it did. */
async function contractTraces(page: Page, id: string, { operations }: Transaction): Promise<HTMLElement | undefined> {
  return operations.some(([tag]) => tag === CALL_TAG) ? tracesOf(page, id) : undefined;
}

async function waitingTransaction(page: Page, id: string, left: AbortSignal): ReturnType<View> {
  const waiting = await page.node.call<Transaction | null>('get_recent_transaction_by_id', id.toLowerCase());
  if (waiting === null) {
    throw new NotFound(
      'This node knows no such transaction. It may have expired before a block took it, or be older than what the node keeps.',
    );
  }
  const traces = await contractTraces(page, id.toLowerCase(), waiting);
  await page.names.prepare(waiting.operations);
  page.onBlock(async () => {
    const place = await placeOf(page, id);
    // Whoever has gone elsewhere while the node was asked stays there.
    if (place !== undefined && !left.aborted) page.go(`#/tx/${id}`);
  });
  return {
    title: `Transaction ${id.slice(0, 8)}`,
    body: [
      section(
        'Where it is',
        facts(
          ['State', h('span', { class: 'state wait' }, 'accepted, waits for a block')],
          ['Id', h('span', { class: 'mono' }, id)],
          ['Expires', when(waiting.expiration)],
        ),
      ),
      ...operationsOf(page, waiting),
      traces,
      signaturesOf(waiting),
      json(waiting),
    ],
  };
}

function feesOf(page: Page, { operations }: Transaction): Child[] {
  const sums = new Map<string, bigint>();
  for (const [, body] of operations) {
    const fee = body.fee as Amount | undefined;
    if (fee !== undefined) sums.set(fee.asset_id, (sums.get(fee.asset_id) ?? 0n) + BigInt(fee.amount));
  }
  const paid = [...sums].filter(([, sum]) => sum > 0n);
  if (paid.length === 0) return ['none'];
  return paid.flatMap(([asset_id, sum], i) => [i > 0 && ' + ', page.names.amount({ amount: String(sum), asset_id })]);
}

const RESULT_NONE = 0;
const RESULT_OBJECT = 1;
const RESULT_ASSET = 2;

function resultOf(page: Page, [tag, value]: readonly [number, unknown]): Child {
  if (tag === RESULT_NONE) return undefined;
  if (tag === RESULT_OBJECT) return h('p', {}, 'Made or touched ', page.names.value(value));
  if (tag === RESULT_ASSET) return h('p', {}, 'Result: ', page.names.value(value));
  return h(
    'div',
    {},
    h('p', { class: 'quiet' }, 'Receipt of the contract'),
    page.names.fields((value ?? {}) as Record<string, unknown>),
  );
}

const PROPOSAL_CREATE = 22;

/** What a proposal would do; its fields would be too deep within those of what proposes it. */
function proposedBy([tag, body]: Operation): readonly Operation[] {
  const proposed = tag === PROPOSAL_CREATE ? body.proposed_ops : undefined;
  return Array.isArray(proposed) ? (proposed as readonly { readonly op: Operation }[]).map(({ op }) => op) : [];
}

function operationSections(page: Page, operation: Operation, title: string, result?: Child): HTMLElement[] {
  const memo = memoSection(operation);
  const proposed = proposedBy(operation);
  const fields = operationFields(operation, page.core);
  const told = section(
    title,
    h('p', { class: 'lead' }, operationLine(page.names, operation)),
    page.names.fields(proposed.length > 0 ? { ...fields, proposed_ops: [] } : fields),
    result,
  );
  const would = proposed.flatMap((one, i) =>
    operationSections(page, one, `Proposed: ${i + 1}. ${operationName(one[0])}`),
  );
  return [told, ...(memo === undefined ? [] : [memo]), ...would];
}

function operationsOf(page: Page, { operations, operation_results: results }: Transaction): HTMLElement[] {
  return operations.flatMap((operation, i) => {
    const result = results?.[i];
    const title = operations.length === 1 ? 'What it does' : `${i + 1}. ${operationName(operation[0])}`;
    return operationSections(page, operation, title, result !== undefined && resultOf(page, result));
  });
}

function signaturesOf({ signatures }: Transaction): HTMLElement {
  const list = signatures.map((one) => h('li', { class: 'mono' }, one));
  return h('details', { class: 'card' }, h('summary', {}, `Signatures: ${list.length}`), h('ul', {}, ...list));
}

/** Inline transfers and calls of contracts, and what else the chain did because of it: histories of accounts know them. */
async function happenedWithin(page: Page, { block, index, transaction }: Place): Promise<HistoryEntry[]> {
  const accounts = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value === 'string') {
      if (/^1\.2\.\d+$/.test(value)) accounts.add(value);
    } else if (value !== null && typeof value === 'object') Object.values(value).forEach(visit);
  };
  visit(transaction.operations);
  const found = new Map<string, HistoryEntry>();
  const signed = new Set(transaction.operations.map((operation) => JSON.stringify(operation)));
  const asked = [...accounts].slice(0, ACCOUNTS_ASKED).map(async (account) => {
    const entries = await page.node.tryCall<HistoryEntry[]>('call', 'history', 'get_account_history', [
      ...[account, '1.11.0', ENTRIES_ASKED, '1.11.0'],
    ]);
    for (const entry of entries ?? []) {
      const isHere = entry.block_num === block && entry.trx_in_block === index;
      if (isHere && !signed.has(JSON.stringify(entry.op))) found.set(entry.id, entry);
    }
  });
  await Promise.all(asked);
  return [...found.values()].sort((a, b) => a.virtual_op - b.virtual_op);
}

function withinOf(page: Page, entries: readonly HistoryEntry[]): HTMLElement[] {
  if (entries.length === 0) return [];
  const lines = entries.map(({ op }) => h('li', {}, operationLine(page.names, op)));
  return [
    section(
      'What happened within',
      quiet('Not signed by anybody: done by contracts and by the chain.'),
      h('ol', {}, ...lines),
    ),
  ];
}
