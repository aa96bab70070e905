import { check, defineErrors } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { i32, u32 } from '../../codec/scalars.js';
import { accountId, operationHistoryId } from '../../protocol/ids.js';
import { api, method } from '../define.js';
import { json } from '../types.js';

export const HISTORY_API_ERRORS = defineErrors({
  history_limit: { text: 'limit <= 100: ', hint: 'limit may be 100 at most' },
});

const LIMIT_MAX = 100;

const checkLimit = (limit: number): void => check(limit <= LIMIT_MAX, HISTORY_API_ERRORS.history_limit);

/**
 * Stands in until a plugin that records history brings its own: the methods and their arguments are the same. Answers
 * what a node answers that has recorded nothing: wallets ask without being told to and stop at an error.
 */
export const historyApi = api({
  name: 'history',
  about: 'What accounts did. Empty without a plugin that records it.',
  methods: {
    get_account_history: method({
      about: 'Operations of an account, the newest first.',
      params: { account: accountId, stop: operationHistoryId, limit: u32, start: operationHistoryId },
      result: json,
      run: (_context, { limit }) => {
        checkLimit(limit);
        return [];
      },
    }),
    get_account_history_by_operations: method({
      about: 'Operations of an account of some types, by position in its history.',
      params: { account: accountId, operation_types: array(u32), start: u32, limit: u32 },
      result: json,
      run: (_context, { limit }) => {
        checkLimit(limit);
        return { total_without_operations: 0, operation_history_objs: [] };
      },
    }),
    get_account_history_operations: method({
      about: 'Operations of an account of one type, the newest first.',
      params: {
        account: accountId,
        operation_type: i32,
        start: operationHistoryId,
        stop: operationHistoryId,
        limit: u32,
      },
      result: json,
      run: (_context, { limit }) => {
        checkLimit(limit);
        return [];
      },
    }),
    get_relative_account_history: method({
      about: 'Operations of an account by position in its history, the newest first.',
      params: { account: accountId, stop: u32, limit: u32, start: u32 },
      result: json,
      run: (_context, { limit }) => {
        checkLimit(limit);
        return [];
      },
    }),
  },
});
