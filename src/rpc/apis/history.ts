import * as declared from '../../api/readers.js';
import { check, defineErrors } from '../../base/errors.js';
import { implementApi } from '../define.js';

export const HISTORY_API_ERRORS = defineErrors({
  history_limit: { text: 'limit <= 100: ', hint: 'limit may be 100 at most' },
});

const LIMIT_MAX = 100;

const checkLimit = (limit: number): void => check(limit <= LIMIT_MAX, HISTORY_API_ERRORS.history_limit);

/**
 * Stands in until a plugin that records history brings its own: the methods and their arguments are the same. Answers
 * what a node answers that has recorded nothing: wallets ask without being told to and stop at an error.
 */
export const historyApi = implementApi(declared.historyApi, {
  get_account_history: (_context, { limit }) => {
    checkLimit(limit);
    return [];
  },
  get_account_history_by_operations: (_context, { limit }) => {
    checkLimit(limit);
    return { total_without_operations: 0, operation_history_objs: [] };
  },
  get_account_history_operations: (_context, { limit }) => {
    checkLimit(limit);
    return [];
  },
  get_relative_account_history: (_context, { limit }) => {
    checkLimit(limit);
    return [];
  },
});
