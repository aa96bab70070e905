import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ChainError } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { BlockFeed } from '../../plugin/feed.js';
import { guarded, STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { IdRuns } from '../../storage/transaction-index/id-runs.js';
import { TransactionIndex } from '../../storage/transaction-index/transaction-index.js';

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

/** Up to format 2 the index was a LevelDB, which has such a file. */
const OLDER = 'CURRENT';

export interface OpenTransactionIndex {
  readonly index: TransactionIndex;
  /** When the index is closed. */
  readonly release: () => Promise<void>;
}

/** Opens the index beside the chain, at whatever block it is; to bring it to the head is for the host of followers. */
export async function openTransactionIndex(parts: TransactionIndexParts): Promise<OpenTransactionIndex> {
  const path = parts.path ?? join(parts.dataDir, FOLDER);
  leaveOlder(path, parts);
  nodeFiles.makeFolder(path);
  // The data directory is held by the stored state. Of another folder a LevelDB says whether somebody has it: its lock ends with
  // the process, however that ends, which no file of ours would.
  const lock = parts.path === undefined ? undefined : await LevelKv.open(join(path, 'lock'));
  try {
    return { index: await openHeld(path, parts), release: async () => lock?.close() };
  } catch (error) {
    await lock?.close();
    throw error;
  }
}

async function openHeld(path: string, parts: TransactionIndexParts): Promise<TransactionIndex> {
  const { feed, log, isNew } = parts;
  if (isNew) IdRuns.clear(path);
  const index = openOrRenew(path, parts);
  const { storedFrom: from, storedNumber: indexed } = index;
  const first = feed.firstNumber('blocks');
  // Built beside a chain that began with a later snapshot: what it does not know it would say to be nowhere.
  const isLater = from !== undefined && from > first;
  if (feed.has(index.position) && !isLater) return index;
  if (isLater) log.warn('the transaction index begins behind the blocks and is built anew', { from, first });
  // The blocks were taken away by hand; what is left of the index cannot be told from what is wrong.
  else log.warn('the transaction index is ahead of the chain and is built anew', { indexed });
  await index.close();
  IdRuns.clear(path);
  return open(path, parts);
}

/** A folder of somebody's choice may have other things in it, or be another program's. */
function leaveOlder(path: string, { log, path: given }: TransactionIndexParts): void {
  if (!nodeFiles.exists(join(path, OLDER))) return;
  if (given !== undefined) {
    log.info('beside the transaction index lies a LevelDB, as earlier versions had it: it is not used any more', {
      path,
    });
    return;
  }
  log.info('the transaction index has the format of an earlier version and is built anew');
  // What tells of it goes last: a start that is killed meanwhile is followed by one that removes the rest.
  for (const name of guarded(path, () => readdirSync(path))) if (name !== OLDER) nodeFiles.remove(join(path, name));
  nodeFiles.remove(path);
}

/** Everything in it can be read from the block log: an index that is damaged is built anew, whatever else is wrong. */
function openOrRenew(path: string, parts: TransactionIndexParts): TransactionIndex {
  try {
    return open(path, parts);
  } catch (error) {
    if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.database_damaged) throw error;
    parts.log.warn('the transaction index is damaged and is built anew', { error: error.message });
    IdRuns.clear(path);
    return open(path, parts);
  }
}

const open = (path: string, { chainId }: TransactionIndexParts): TransactionIndex =>
  new TransactionIndex(IdRuns.open(path, chainId));
