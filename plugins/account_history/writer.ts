import type { StoredData } from '../../src/plugin/stored-follower.js';
import { AccountHistory, type HistoryOptions } from './history.js';

/** What runs in the thread that writes. */
export default (data: StoredData, settings: HistoryOptions): AccountHistory => new AccountHistory(data, settings);
