import { definePart } from '../../plugin/part.js';
import { openTransactionIndex } from '../chain/open-transaction-index.js';
import { transactionPort } from '../ports/transaction-port.js';
import { absolute } from '../settings/options.js';
import { blockFeedPart, followersPart } from './followers.js';
import { genesisPart } from './genesis.js';
import { SETTINGS } from './given.js';

/** Where each transaction stands; ready in the background. */
export const transactionIndexPart = definePart({
  name: 'transaction index',
  needs: { settings: SETTINGS, genesis: genesisPart, feed: blockFeedPart, followers: followersPart },
  logModule: 'storage',
  async open({ needs: { settings, genesis, feed, followers }, dataDir, log }) {
    const { 'resync-blockchain': isNew, 'query-txid-path': given } = settings.options;
    const path = given === undefined ? undefined : absolute(given);
    const { chainId } = genesis.source;
    const { index, release } = await openTransactionIndex({ dataDir, chainId, feed, log, isNew, path });
    const added = followers.add(index);
    const close = async (): Promise<void> => {
      try {
        await added.close();
      } finally {
        await release();
      }
    };
    return { value: transactionPort({ index, feed, added }), close };
  },
});
