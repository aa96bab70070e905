import { defineErrors, fail } from '../../src/base/errors.js';
import { CHAIN_VIEW, FOLLOWERS, PLUGIN_STORES, type PluginStores } from '../../src/plugin/api.js';
import type { AddedFollower } from '../../src/plugin/follower.js';
import { definePart } from '../../src/plugin/part.js';
import { AccountHistory, type HistoryOptions, optionsText } from './history.js';
import { historyApi } from './methods.js';
import { historyOptions } from './options.js';
import { CURSOR_KEY, type Cursor, unpackCursor } from './records.js';
import { historySource } from './source.js';

export const HISTORY_STATE_ERRORS = defineErrors({
  history_behind: {
    kind: 'limit',
    text: 'the histories of accounts are being built: they hold blocks up to ${number} of ${head}. Ask again later',
  },
  history_stopped: {
    kind: 'environment',
    text: 'the histories of accounts have stopped at block ${number} of ${head}: ${reason}. Start the node again',
  },
});

const NAME = 'account_history';

/** What accounts did, for the history API and for get_objects. */
export default definePart({
  name: NAME,
  needs: { chain: CHAIN_VIEW, followers: FOLLOWERS, stores: PLUGIN_STORES },
  options: { title: 'Histories of accounts', table: historyOptions },
  plugin: { isDefault: true },
  async open({ needs: { chain, followers, stores }, options, log }) {
    const named = options['track-account'];
    const settings: HistoryOptions = {
      accounts: named.length === 0 ? undefined : new Set(named),
      operationsMax: options['max-ops-per-account'],
      isPartial: options['partial-operations'],
    };
    // The default: nothing is kept, and whoever asks is told so.
    if (settings.operationsMax === 0 && settings.isPartial) return { value: undefined };
    const { queries } = chain;
    const isOfChain = (cursor: Cursor): boolean =>
      cursor.place.number === 0 || queries.blockIdOf(cursor.place.number) === cursor.place.id;
    const history = await openHistory(stores, queries.chainId, settings, isOfChain);
    const added = followers.add(history);
    if (history.from > 1) log.info('the histories begin behind a snapshot', { from: history.from });
    const current = (): AccountHistory => atHead(history, added, queries.head.number);
    return {
      value: undefined,
      close: () => added.close(),
      apis: [historyApi(current)],
      history: historySource(() => (added.hurry() ? history : undefined)),
    };
  },
});

/** The history, or the refusal that says why it is not there. */
export function atHead(
  history: AccountHistory,
  added: Pick<AddedFollower, 'hurry' | 'status'>,
  head: number,
): AccountHistory {
  if (added.hurry()) return history;
  const { state, reason } = added.status;
  const about = { number: history.position.number, head, reason };
  const isOver = state === 'failed' || state === 'refused';
  return fail(HISTORY_STATE_ERRORS[isOver ? 'history_stopped' : 'history_behind'], about);
}

/** Of another chain, of other options or of a later head it is of no use. */
async function openHistory(
  stores: PluginStores,
  chainId: string,
  options: HistoryOptions,
  isOfChain: (cursor: Cursor) => boolean,
): Promise<AccountHistory> {
  let store = await stores.open(NAME);
  const bytes = store.get(CURSOR_KEY);
  let cursor = bytes === undefined ? undefined : unpackCursor(bytes);
  const reason =
    bytes === undefined
      ? undefined
      : cursor === undefined
        ? 'it has another format'
        : cursor.chain !== chainId
          ? 'it is of another chain'
          : cursor.options !== optionsText(options)
            ? 'other operations are to be kept'
            : isOfChain(cursor)
              ? undefined
              : 'its newest block is not in the chain';
  if (reason !== undefined) {
    store = await stores.renew(store, reason);
    cursor = undefined;
  }
  return new AccountHistory(store, chainId, options, cursor);
}
