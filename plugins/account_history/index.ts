import { CHAIN_VIEW, FOLLOWERS, PLUGIN_STORES } from '../../src/plugin/api.js';
import { definePart } from '../../src/plugin/part.js';
import { checkAtHead, openStored } from '../../src/plugin/stored-follower.js';
import { AccountHistory, type HistoryOptions, optionsText } from './history.js';
import { historyApi } from './methods.js';
import { historyOptions } from './options.js';
import { FORMAT } from './records.js';
import { historySource } from './source.js';

const NAME = 'account_history';
const PROGRAM = new URL('./writer.js', import.meta.url);

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
    const program = { url: PROGRAM, settings };
    const wanted = { name: NAME, format: FORMAT, options: optionsText(settings), program };
    const stored = await openStored(stores, chain, wanted);
    const history = new AccountHistory(stored, settings);
    const added = followers.add(history);
    if (history.from > 1) log.info('the histories begin behind a snapshot', { from: history.from });
    const current = (): AccountHistory => {
      checkAtHead(added, chain.queries.head.number);
      return history;
    };
    return {
      value: undefined,
      close: () => added.close(),
      apis: [historyApi(current)],
      history: historySource(() => (added.hurry() ? history : undefined)),
    };
  },
});
