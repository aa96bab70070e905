import type { StoredData } from '../../src/plugin/stored-follower.js';
import { RelativeHistory } from './relative-history.js';

/** What runs in the thread that writes. */
export default (data: StoredData, entriesAtOnce: number): RelativeHistory => new RelativeHistory(data, entriesAtOnce);
