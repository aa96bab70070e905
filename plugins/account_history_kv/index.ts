import { join } from 'node:path';
import { defineOptions, maybe, pathOption } from '../../src/config/define.js';
import { CHAIN_VIEW, FOLLOWERS, PLUGIN_STORES } from '../../src/plugin/api.js';
import { definePart } from '../../src/plugin/part.js';
import { checkAtHead, openStored } from '../../src/plugin/stored-follower.js';
import type { HistoryCounts, HistorySource } from '../../src/rpc/history-source.js';
import { relativeApi } from './methods.js';
import { FORMAT, RelativeHistory } from './relative-history.js';

const NAME = 'account_history_kv';
const PROGRAM = new URL('./writer.js', import.meta.url);
const FILE = 'op_entry.db';
const ENTRIES_AT_ONCE = 500;

/** All operations of all accounts by position, for get_account_relative_ops. It may run beside the other histories. */
export default definePart({
  name: NAME,
  needs: { chain: CHAIN_VIEW, followers: FOLLOWERS, stores: PLUGIN_STORES },
  options: {
    title: 'Histories of accounts',
    table: defineOptions({
      'account-history-kv-path': {
        kind: maybe(pathOption),
        initial: undefined,
        help: `Folder of the store of account_history_kv. The default is ${FILE} in the data directory.`,
      },
    }),
  },
  plugin: { isDefault: false },
  async open({ needs: { chain, followers, stores }, options, dataDir, log }) {
    const path = options['account-history-kv-path'] ?? join(dataDir, FILE);
    const entriesAtOnce = stores.entriesAtOnce ?? ENTRIES_AT_ONCE;
    const program = { url: PROGRAM, settings: entriesAtOnce };
    const stored = await openStored(stores, chain, { name: NAME, path, format: FORMAT, options: '', program });
    const history = new RelativeHistory(stored, entriesAtOnce);
    const added = followers.add(history);
    if (history.from > 1) log.info('the histories begin behind a snapshot', { from: history.from });
    const current = (): RelativeHistory => {
      checkAtHead(added, chain.queries.head.number);
      return history;
    };
    const shown = (total: number): HistoryCounts | undefined =>
      total === 0 ? undefined : { most_recent_op: 0, total_ops: total, removed_ops: 0 };
    const source: HistorySource = {
      operation: () => undefined,
      entry: () => undefined,
      counts: (account) => shown(added.hurry() ? history.total(account) : 0),
      numbers: () => ({ operations: 0, entries: 0 }),
      changesOf(block) {
        const before = added.hurry() ? history.totalsBefore(block) : undefined;
        if (before === undefined) return undefined;
        return { objects: [], counts: new Map([...before].map(([account, total]) => [account, shown(total)])) };
      },
    };
    return {
      value: undefined,
      close: () => added.close(),
      apis: [relativeApi(current)],
      history: source,
    };
  },
});
