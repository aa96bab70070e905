import { definePart } from '../../plugin/part.js';
import { openTransactionIndex } from '../chain/open-transaction-index.js';
import { chainPart } from './chain.js';
import { SETTINGS } from './given.js';

/** Where each transaction stands. */
export const transactionIndexPart = definePart({
  name: 'transaction index',
  needs: { settings: SETTINGS, chain: chainPart },
  logModule: 'storage',
  async open({ needs: { settings, chain }, log, fail }) {
    const value = await openTransactionIndex({ settings, chain: chain.chain, log, onFailure: fail });
    return { value, close: () => value.close() };
  },
});
