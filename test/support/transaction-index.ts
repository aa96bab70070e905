import { IdRuns } from '../../src/storage/transaction-index/id-runs.js';
import { TransactionIndex } from '../../src/storage/transaction-index/transaction-index.js';

/** An index in a folder that is there. */
export const openIndex = (folder: string, chainId: string): TransactionIndex =>
  new TransactionIndex(IdRuns.open(folder, chainId));
