import { join } from 'node:path';
import { ChainError } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { BlockFeed } from '../../plugin/feed.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { TransactionIndex } from '../../storage/transaction-index.js';

export interface TransactionIndexParts {
  readonly dataDir: string;
  readonly chainId: string;
  readonly feed: BlockFeed;
  readonly log: Logger;
  /** The chain begins anew: what was indexed is of another one. */
  readonly isNew: boolean;
  /** Elsewhere than beside the chain. */
  readonly path?: string | undefined;
}

const FOLDER = join(STORAGE_FOLDERS.chain, 'transaction_index');

/** Opens the index beside the chain, at whatever block it is; to bring it to the head is for the host of followers. */
export async function openTransactionIndex(parts: TransactionIndexParts): Promise<TransactionIndex> {
  const { dataDir, feed, log } = parts;
  const path = parts.path ?? join(dataDir, FOLDER);
  if (parts.isNew) nodeFiles.remove(path);
  const index = await openOrRenew(path, parts);
  if (feed.has(index.position)) return index;
  // The blocks were taken away by hand; what is left of the index cannot be told from what is wrong.
  log.warn('the transaction index is ahead of the chain and is built anew', { indexed: index.storedNumber });
  await index.close();
  nodeFiles.remove(path);
  return await open(path, parts);
}

const ADVICE = 'Start again: the index is rebuilt from the block log then';

/** Everything in it can be read from the block log: an index that is damaged is built anew, whatever else is wrong. */
async function openOrRenew(path: string, parts: TransactionIndexParts): Promise<TransactionIndex> {
  try {
    return await open(path, parts);
  } catch (error) {
    if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.database_damaged) throw error;
    parts.log.warn('the transaction index is damaged and is built anew', { error: error.message });
    nodeFiles.remove(path);
    return await open(path, parts);
  }
}

async function open(path: string, { chainId, feed }: TransactionIndexParts): Promise<TransactionIndex> {
  nodeFiles.makeFolder(path);
  const kv = await LevelKv.open(path, ADVICE);
  try {
    return new TransactionIndex(kv, chainId, (number) => feed.idOf(number));
  } catch (error) {
    await kv.close();
    throw error;
  }
}
