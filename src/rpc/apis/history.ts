import * as declared from '../../api/readers.js';
import { check } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { implementApi, type RpcContext } from '../define.js';
import { HISTORY_LIMIT_ERRORS, HISTORY_MAX } from '../limits.js';

function checkCall({ node }: RpcContext, account: Instance, limit: number): void {
  check(limit <= HISTORY_MAX, HISTORY_LIMIT_ERRORS.history_limit);
  node.chain.state.get(accountObject, account);
}

/**
 * Stands in until a plugin that records history brings its own: the methods and their arguments are the same. Answers
 * what a node answers that has recorded nothing: wallets ask without being told to and stop at an error.
 */
export const historyApi = implementApi(declared.historyApi, {
  get_account_history: (context, { account, limit }) => {
    checkCall(context, account, limit);
    return [];
  },
  get_account_history_by_operations: (context, { account, limit }) => {
    check(limit <= HISTORY_MAX && limit > 0, HISTORY_LIMIT_ERRORS.history_limit_range);
    checkCall(context, account, limit);
    return { total_without_operations: 0, operation_history_objs: [] };
  },
  get_account_history_operations: (context, { account, limit }) => {
    checkCall(context, account, limit);
    return [];
  },
  get_relative_account_history: (context, { account, limit }) => {
    checkCall(context, account, limit);
    return [];
  },
});
