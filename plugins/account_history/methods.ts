import { historyApi as declared } from '../../src/api/readers.js';
import { check, defineErrors } from '../../src/base/errors.js';
import type { Instance } from '../../src/protocol/ids.js';
import { type ApiDef, implementApi, type RpcContext } from '../../src/rpc/define.js';
import type { OperationHistory } from '../../src/rpc/history-source.js';
import { HISTORY_LIMIT_ERRORS, HISTORY_MAX } from '../../src/rpc/limits.js';
import type { Pieces } from '../../src/rpc/pieces/pieces.js';
import { accountObject } from '../../src/state/objects/account.js';
import type { AccountHistory } from './history.js';
import type { Entry, KeptOperation } from './records.js';

export const HISTORY_ERRORS = defineErrors({
  history_empty: {
    text: "itr != itr_stop: can't find history",
    hint: 'nothing is kept of positions ${stop} to ${start} in the history of 1.2.${account}',
  },
  history_begins_later: {
    text: 'this node was started from a snapshot and has the history of 1.2.${account} from block ${block}, position ${first}, on: what came before has to be asked of another node',
  },
});

const checkLimit = (limit: number): void => check(limit <= HISTORY_MAX, HISTORY_LIMIT_ERRORS.history_limit);

/** An operation as clients see it: object 1.11.n */
export function shown(kept: KeptOperation): OperationHistory {
  const { instance, operation, result, block, transaction, index, virtual } = kept;
  return {
    id: instance,
    op: operation,
    result,
    block_num: block,
    trx_in_block: transaction,
    op_in_trx: index,
    virtual_op: virtual,
  };
}

/** Positions in an account's history, the newest first; 0 for `start` stands for the newest one. */
interface Range {
  readonly stop: number;
  readonly limit: number;
  readonly start: number;
}

interface Found {
  readonly entry: Entry;
  /** Where it is in memory. A fork switch may take it back while others are read from the disk. */
  readonly recent: KeptOperation | undefined;
}

/** Each of them may be as large as a block. */
function* shownAll(history: AccountHistory, found: readonly Found[]): Pieces<OperationHistory[]> {
  const out: OperationHistory[] = [];
  for (const { entry, recent } of found) {
    const kept = recent ?? history.operation(entry.operation);
    if (kept !== undefined) out.push(shown(kept));
    yield;
  }
  return out;
}

/** `current` is the history as far as it goes now, or the refusal that says why it is not there. */
export function historyApi(current: () => AccountHistory): ApiDef {
  /** Refuses an account that does not exist. */
  const open = ({ node }: RpcContext, account: Instance): AccountHistory => {
    node.chain.state.get(accountObject, account);
    return current();
  };

  const push = (history: AccountHistory, out: Found[], entry: Entry): void => {
    out.push({ entry, recent: history.recentOperation(entry.operation) });
  };

  /**
   * Quirk: who stops at 1.11.0 gets the operation of the very first entry of all, 2.9.0, if it is the account's, wherever
   * the walk began; on its way the walk never comes to it.
   */
  const pushFirst = (
    history: AccountHistory,
    out: Found[],
    { account, stop, limit }: { account: Instance; stop: Instance; limit: number },
    type?: number,
  ): void => {
    if (stop !== 0 || out.length >= limit) return;
    const first = history.entry(0);
    if (first?.account === account && (type === undefined || first.type === type)) push(history, out, first);
  };

  /**
   * Whoever would get nothing because what is asked for was before a snapshot hears of it: an empty list says that there
   * was nothing. `stop`: the operation down to which is asked.
   */
  const checkIsHere = (
    history: AccountHistory,
    out: readonly Found[],
    { account, stop, limit, newest }: { account: Instance; stop: Instance; limit: number; newest: number },
  ): void => {
    if (out.length > 0 || limit === 0 || newest === 0 || stop + 1 >= history.firstOperation) return;
    const { total } = history.earlier(account);
    const isHere = total <= history.countsOf(account).removed;
    const { from: block } = history;
    check(isHere, HISTORY_ERRORS.history_begins_later, { account, block, first: total + 1 });
  };

  const newest = (history: AccountHistory, account: Instance, start: Instance): number =>
    start === 0 ? history.countsOf(account).total : history.sequenceAt(account, start);

  const relative = (history: AccountHistory, account: Instance, { stop, limit, start }: Range): Found[] => {
    const { total, removed } = history.countsOf(account);
    const from = start === 0 || start > total ? total : start;
    const out: Found[] = [];
    if (from < stop || from <= removed || limit === 0) return out;
    const earlier = history.earlier(account).total;
    const { from: block } = history;
    check(from > earlier, HISTORY_ERRORS.history_begins_later, { account, block, first: earlier + 1 });
    check(history.entryAt(account, from) !== undefined, HISTORY_ERRORS.history_empty, { account, stop, start: from });
    for (let sequence = from; sequence >= stop && out.length < limit; sequence--) {
      const entry = history.entryAt(account, sequence);
      if (entry === undefined) break;
      push(history, out, entry);
    }
    return out;
  };

  return implementApi(declared, {
    get_account_history: (context, { account, stop, limit, start }) => {
      checkLimit(limit);
      const history = open(context, account);
      const out: Found[] = [];
      // Quirk: of an account whose newest entry is 2.9.0 nothing is shown.
      if (history.countsOf(account).recent === 0) return [];
      const from = newest(history, account, start);
      for (let sequence = from; out.length < limit; sequence--) {
        const entry = history.entryAt(account, sequence);
        if (entry === undefined || entry.operation <= stop || entry.instance === 0) break;
        push(history, out, entry);
      }
      pushFirst(history, out, { account, stop, limit });
      checkIsHere(history, out, { account, stop, limit, newest: from });
      return shownAll(history, out);
    },
    *get_account_history_by_operations(context, { account, operation_types, start, limit }) {
      check(limit <= HISTORY_MAX && limit > 0, HISTORY_LIMIT_ERRORS.history_limit_range);
      const history = open(context, account);
      const stop = start === 0 ? 1 : start;
      const found = relative(history, account, { stop, limit, start: stop + limit - 1 });
      const wanted = new Set(operation_types);
      const asked = wanted.size === 0 ? found : found.filter(({ entry: { type } }) => wanted.has(type));
      return { total_without_operations: found.length, operation_history_objs: yield* shownAll(history, asked) };
    },
    get_account_history_operations: async (context, { account, operation_type, start, stop, limit }) => {
      checkLimit(limit);
      const history = open(context, account);
      const out: Found[] = [];
      if (history.countsOf(account).recent === 0) return [];
      const from = newest(history, account, start);
      /** False: it stops here. */
      const add = (entry: Entry | undefined): boolean => {
        if (entry === undefined || entry.operation <= stop || entry.instance === 0) return false;
        push(history, out, entry);
        return true;
      };
      const recent = history.recentOfType(account, operation_type, from, limit);
      // At once: while others are read a fork switch may take these back, and put others at their positions.
      if (recent.every(add) && recent.length < limit) {
        const older = await history.storedOfType(account, operation_type, from, limit - recent.length);
        // Any of them may have been removed in the meantime.
        older.every((sequence) => add(history.entryAt(account, sequence)));
      }
      pushFirst(history, out, { account, stop, limit }, operation_type);
      checkIsHere(history, out, { account, stop, limit, newest: from });
      return shownAll(history, out);
    },
    get_relative_account_history: (context, { account, stop, limit, start }) => {
      checkLimit(limit);
      const history = open(context, account);
      return shownAll(history, relative(history, account, { stop, limit, start }));
    },
  });
}
