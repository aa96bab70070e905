import type { AnyPart } from '../../plugin/part.js';
import { chainPart, chainViewPart } from './chain.js';
import { chainPortPart } from './chain-port.js';
import { debugPart } from './debug.js';
import { devChainPart } from './dev-chain.js';
import { devControlPart } from './dev-control.js';
import { devTracesPart } from './dev-traces.js';
import { diskRoomPart } from './disk-room.js';
import { figuresPart } from './figures.js';
import { firstTransactionsPart } from './first-transactions.js';
import { blockFeedPart, followersPart } from './followers.js';
import { forkPart } from './fork.js';
import { genesisPart } from './genesis.js';
import { historyViewPart } from './history-view.js';
import { blockIntakePart, importerPart } from './importer.js';
import { metricsPart } from './metrics.js';
import { networkPart } from './network.js';
import { pluginStoresPart } from './plugin-stores.js';
import { rpcPart } from './rpc.js';
import { signatureThreadsPart } from './signature-threads.js';
import { snapshotsPart } from './snapshots.js';
import { startingPart } from './starting.js';
import { blockLogCheckPart, storagePart } from './storage.js';
import { transactionIndexPart } from './transaction-index.js';
import { witnessPart } from './witness.js';

/** What a node consists of, in the order in which it is opened. Plugins come before whoever shows what they add. */
export function nodeParts(plugins: readonly AnyPart[]): readonly AnyPart[] {
  return [
    genesisPart,
    startingPart,
    diskRoomPart,
    signatureThreadsPart,
    metricsPart,
    devTracesPart,
    forkPart,
    storagePart,
    blockLogCheckPart,
    chainPart,
    chainViewPart,
    devChainPart,
    firstTransactionsPart,
    importerPart,
    blockIntakePart,
    chainPortPart,
    blockFeedPart,
    followersPart,
    transactionIndexPart,
    debugPart,
    devControlPart,
    snapshotsPart,
    networkPart,
    pluginStoresPart,
    historyViewPart,
    figuresPart,
    ...plugins,
    rpcPart,
    witnessPart,
  ];
}

/** A node without plugins of others. */
export const NODE_PARTS = nodeParts([]);
