import { defineErrors, fail } from '../../base/errors.js';
import { array } from '../../codec/containers.js';
import { i32, u32 } from '../../codec/scalars.js';
import { accountId, operationHistoryId } from '../../protocol/ids.js';
import { api, method } from '../define.js';
import { json } from '../types.js';

export const HISTORY_API_ERRORS = defineErrors({
  history_not_recorded: { text: '${method}: this node keeps no history; it needs the account_history plugin' },
});

const off = (name: string) => (): never => fail(HISTORY_API_ERRORS.history_not_recorded, { method: name });

/** Stands in until a plugin that records history brings its own: the methods and their arguments are the same. */
export const historyApi = api({
  name: 'history',
  about: 'What accounts did. Needs a plugin that records it.',
  methods: {
    get_account_history: method({
      about: 'Operations of an account, the newest first.',
      params: { account: accountId, stop: operationHistoryId, limit: u32, start: operationHistoryId },
      result: json,
      run: off('get_account_history'),
    }),
    get_account_history_by_operations: method({
      about: 'Operations of an account of some types, by position in its history.',
      params: { account: accountId, operation_types: array(u32), start: u32, limit: u32 },
      result: json,
      run: off('get_account_history_by_operations'),
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
      run: off('get_account_history_operations'),
    }),
    get_relative_account_history: method({
      about: 'Operations of an account by position in its history, the newest first.',
      params: { account: accountId, stop: u32, limit: u32, start: u32 },
      result: json,
      run: off('get_relative_account_history'),
    }),
  },
});
