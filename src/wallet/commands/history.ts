import { check } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import type { Json, JsonObject } from '../../codec/json.js';
import { i32, text, time, u32 } from '../../codec/scalars.js';
import { operationHistoryRecord } from '../../protocol/objects/chain.js';
import { accountIdText } from '../chain-view.js';
import { CHECK_ERRORS, LOOKUP_ERRORS } from '../errors.js';
import { asList, asObject } from '../node-link.js';
import { Describer } from '../text/operations.js';
import { memoReader } from '../text/review.js';
import type { Wallet } from '../wallet.js';
import { type CommandTable, command } from './define.js';

/** What accounts did, in words: the node must keep histories. */

const PAGE = 100;
const NEWEST = '1.11.0';

interface Entry {
  readonly json: JsonObject;
  readonly number: number;
  readonly block: number;
  readonly position: number;
  readonly tag: number;
}

function entryOf(json: Json): Entry {
  const entry = asObject(json, 'history');
  return {
    json: entry,
    number: Number(String(entry.id).slice(NEWEST.length - 1)),
    block: Number(entry.block_num),
    position: Number(entry.trx_in_block),
    tag: Number((entry.op as Json[] | undefined)?.[0]),
  };
}

async function ask(wallet: Wallet, method: string, ...params: Json[]): Promise<Json> {
  return wallet.world.node.call('history', method, params);
}

const accountOf = async (wallet: Wallet, name: string): Promise<string> =>
  accountIdText((await wallet.chain.account(name)).id);

/** The newest first. Ours: pages do not overlap; in the reference the last of each comes again as the first of the next. */
async function newest(wallet: Wallet, account: string, limit: number): Promise<Entry[]> {
  const all: Entry[] = [];
  let start = NEWEST;
  while (all.length < limit) {
    const count = Math.min(PAGE, limit - all.length);
    const method = 'get_account_history';
    const page = asList(await ask(wallet, method, account, NEWEST, count, start), method).map(entryOf);
    all.push(...page);
    const last = page[page.length - 1];
    // Number 0 would ask for the newest again.
    if (page.length < count || last === undefined || last.number <= 1) break;
    start = `1.11.${last.number - 1}`;
  }
  return all;
}

/** By position in the account's history, the newest first. Ours: from start 0 on pages go on as well. */
async function relative(wallet: Wallet, account: string, stop: number, limit: number, start: number): Promise<Entry[]> {
  const all: Entry[] = [];
  const method = 'get_relative_account_history';
  let from = start;
  while (all.length < limit) {
    const count = Math.min(PAGE, limit - all.length);
    const page = asList(await ask(wallet, method, account, stop, count, from), method).map(entryOf);
    all.push(...page);
    if (page.length < count) break;
    if (from === 0) from = await countOf(wallet, account, 'total_ops');
    from -= page.length;
    if (from < Math.max(1, stop)) break;
  }
  return all;
}

/** How many operations an account has had, or how many of them the node has no longer. */
async function countOf(wallet: Wallet, account: string, count: 'total_ops' | 'removed_ops'): Promise<number> {
  const statistics = `2.6.${account.slice('1.2.'.length)}`;
  return Number((await wallet.chain.objectOr(statistics, LOOKUP_ERRORS.object_null))[count] ?? 0);
}

interface Window {
  readonly total: number;
  readonly entries: readonly Entry[];
}

/** Positions `start` to `start + limit - 1`, the newest first. */
async function window(
  wallet: Wallet,
  account: string,
  types: readonly number[],
  start: number,
  limit: number,
): Promise<Window> {
  const method = 'get_account_history_by_operations';
  const answer = asObject(await ask(wallet, method, account, [...types], start, limit), method);
  const entries = asList(answer.operation_history_objs ?? [], method).map(entryOf);
  return { total: Number(answer.total_without_operations), entries };
}

interface Irreversible {
  readonly next: number;
  readonly entries: readonly Entry[];
}

/**
 * In the order of time from a position on, in windows as large as what is still wanted, each with its newest first. What
 * a fork switch can still take back is not there yet, and the next question begins with it.
 */
async function irreversible(
  wallet: Wallet,
  account: string,
  types: readonly number[],
  start: number,
  limit: number,
): Promise<Irreversible> {
  const { last_irreversible_block_num: last } = await wallet.chain.dynamic();
  const isWanted = ({ tag }: Entry): boolean => types.length === 0 || types.includes(tag);
  const found: Entry[] = [];
  let next = Math.max(1, start);
  while (found.length < limit) {
    const { entries } = await window(wallet, account, [], next, Math.min(PAGE, limit - found.length));
    const settled = entries.filter(({ block }) => block <= last);
    found.push(...settled.filter(isWanted));
    next += settled.length;
    if (settled.length < entries.length || entries.length === 0) break;
  }
  // Afterwards, since they also go meanwhile. Of a window with removed ones nobody can tell which are left.
  const removed = await countOf(wallet, account, 'removed_ops');
  check(removed < Math.max(1, start), CHECK_ERRORS.history_removed, { account, removed, first: removed + 1 });
  return { next, entries: found };
}

class Details {
  readonly #wallet: Wallet;
  readonly #describer: Describer;
  readonly #ids = new Map<number, Promise<Json[]>>();

  constructor(wallet: Wallet) {
    this.#wallet = wallet;
    this.#describer = new Describer(wallet.chain, wallet.world.rules, memoReader(wallet));
  }

  async of({ json }: Entry): Promise<JsonObject> {
    const { op, result } = this.#wallet.chain.read(operationHistoryRecord.schema, 'history', json);
    const { memo, description } = await this.#describer.describe(op, result);
    return { memo, description, op: json };
  }

  /** What belongs to a block and to no transaction has no id. */
  async withId(entry: Entry): Promise<JsonObject> {
    const ids = this.#ids.get(entry.block) ?? this.#idsOf(entry.block);
    this.#ids.set(entry.block, ids);
    return { ...(await this.of(entry)), transaction_id: (await ids)[entry.position] ?? '0'.repeat(40) };
  }

  async #idsOf(block: number): Promise<Json[]> {
    const found = asObject(await this.#wallet.chain.ask('get_block', block), 'get_block');
    return asList(found.transaction_ids ?? [], 'get_block');
  }

  async all(entries: readonly Entry[], form: 'of' | 'withId'): Promise<JsonObject[]> {
    const out: JsonObject[] = [];
    for (const entry of entries) out.push(await this[form](entry));
    return out;
  }
}

/**
 * Anybody can write a memo of several lines: none of them begins where an operation's does. What stands behind a memo
 * keeps the place that it has in the family's wallet.
 */
const inPlace = (description: string): string => description.replace(/\n(?! {3}\(Fee: )/g, '\n    ');

/** `2026-11-21T20:44:27 Transfer …`, with the time of the block. */
async function lines(wallet: Wallet, details: Json, end: (detail: JsonObject) => string): Promise<string> {
  const times = new Map<number, string>();
  const out: string[] = [];
  for (const detail of asList(details, 'history') as JsonObject[]) {
    const block = Number((detail.op as JsonObject).block_num);
    let at = times.get(block);
    if (at === undefined) {
      const header = await wallet.chain.client.database.get_block_header({ block_num: block });
      at = header === undefined ? '' : (time.toJson(header.timestamp) as string);
      times.set(block, at);
    }
    out.push(`${at} ${inPlace(String(detail.description))}${end(detail)}\n`);
  }
  return out.join('');
}

const OPERATIONS = 'vector<operation_detail>';
const transactionId = (gap: string) => (detail: JsonObject) =>
  ` transaction_id : ${String(detail.transaction_id)}${gap}`;

export const historyCommands = {
  get_account_history: command({
    params: { name: text, limit: i32 },
    result: OPERATIONS,
    help: 'What an account did and what was done to it, the newest first. Memos are readable while the wallet is unlocked.',
    examples: ['get_account_history "alice" 10'],
    run: async (wallet, { name, limit }) =>
      new Details(wallet).all(await newest(wallet, await accountOf(wallet, name), limit), 'of'),
    show: (wallet, result) => lines(wallet, result, () => ' '),
  }),
  get_relative_account_history: command({
    params: { name: text, stop: u32, limit: i32, start: u32 },
    result: OPERATIONS,
    help: 'The same by position in the account’s history, which begins at 1: from start, or with 0 from the newest, down to stop.',
    run: async (wallet, { name, stop, limit, start }) => {
      return new Details(wallet).all(await relative(wallet, await accountOf(wallet, name), stop, limit, start), 'of');
    },
    show: (wallet, result) => lines(wallet, result, () => ' '),
  }),
  get_account_history_by_operations: command({
    params: { name: text, operation_types: array(u32), start: u32, limit: i32 },
    result: 'account_history_operation_detail',
    help: 'Of the positions from start on, at most 100, the operations of some types; [] for all types.',
    examples: ['get_account_history_by_operations "alice" [0] 1 100'],
    run: async (wallet, { name, operation_types, start, limit }) => {
      check(limit <= PAGE, CHECK_ERRORS.wallet_history_limit);
      const account = await accountOf(wallet, name);
      const { total, entries } = await window(wallet, account, operation_types, start, Math.max(0, limit));
      return {
        total_without_operations: total,
        details: await new Details(wallet).all(entries, 'withId'),
      };
    },
    show: async (wallet, result) => {
      const { total_without_operations, details = [] } = asObject(result, 'history');
      return `total_without_operations : ${String(total_without_operations)} \n${await lines(wallet, details, transactionId(' '))}`;
    },
  }),
  get_irreversible_account_history: command({
    params: { name: text, operation_types: array(u32), start: u32, limit: i32 },
    result: 'irreversible_account_history_detail',
    help: 'Operations that nothing can take back, in the order of time: ask again with next_start_sequence as start. Made for watching deposits.',
    examples: ['get_irreversible_account_history "exchange" [0] 1 100'],
    run: async (wallet, { name, operation_types, start, limit }) => {
      const account = await accountOf(wallet, name);
      const { next, entries } = await irreversible(wallet, account, operation_types, start, limit);
      return {
        next_start_sequence: next,
        result_count: entries.length,
        details: await new Details(wallet).all(entries, 'withId'),
      };
    },
    show: async (wallet, result) => {
      const { next_start_sequence, result_count, details = [] } = asObject(result, 'history');
      const head = `next_start_sequence : ${String(next_start_sequence)}\nresult_count : ${String(result_count)}\n`;
      return `${head}${await lines(wallet, details, transactionId(''))}`;
    },
  }),
} satisfies CommandTable;
