import { join } from 'node:path';
import { ChainError } from '../../base/errors.js';
import type { Logger } from '../../base/world.js';
import type { Chain } from '../../chain/chain.js';
import { encodeWith } from '../../codec/binary.js';
import { transactionId } from '../../crypto/digests.js';
import { transaction } from '../../protocol/transaction.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { TransactionIndex } from '../../storage/transaction-index.js';
import type { Settings } from '../settings/options.js';

export interface TransactionIndexParts {
  readonly settings: Settings;
  readonly chain: Chain;
  readonly log: Logger;
  readonly onFailure: (error: unknown) => void;
}

const FOLDER = join(STORAGE_FOLDERS.chain, 'transaction_index');
/** Blocks of the log that are read before others get their turn. */
const SLICE_BLOCKS = 200;
const PROGRESS_BLOCKS = 50_000;

/** Opens the index beside the chain, and brings it to the chain's head from the block log. */
export async function openTransactionIndex(parts: TransactionIndexParts): Promise<TransactionIndex> {
  const { settings, chain, log, onFailure } = parts;
  const path = join(settings.dataDir, FOLDER);
  if (settings.options['resync-blockchain']) nodeFiles.remove(path);
  let index = await openOrRenew(path, chain.chainId, log);
  if (index.storedNumber > chain.blocks.head.number) {
    // The blocks were taken away by hand; what is left of the index cannot be told from what is wrong.
    log.warn('the transaction index is ahead of the chain and is built anew', { indexed: index.storedNumber });
    await index.close();
    nodeFiles.remove(path);
    index = await open(path, chain.chainId);
  }
  try {
    await bringToHead(index, chain, log);
  } catch (error) {
    await index.close();
    throw error;
  }
  const opened = index;
  chain.blocks.subscribe((event) => {
    if (event.kind === 'applied') {
      const ids = event.block.transactions.map((one) => one.id);
      opened.add(event.block.number, ids);
    } else if (event.kind === 'undone') opened.undo(event.block.number);
    else if (event.kind === 'irreversible') void opened.settle(event.number)?.catch(onFailure);
  });
  return index;
}

async function bringToHead(index: TransactionIndex, chain: Chain, log: Logger): Promise<void> {
  const { head } = chain.blocks;
  if (head.irreversible - index.storedNumber > PROGRESS_BLOCKS) {
    log.info('building the transaction index', { from: index.storedNumber + 1, to: head.number });
  }
  for (let number = index.storedNumber + 1; number <= head.number; number++) {
    // A log that was started behind a snapshot does not have the oldest blocks.
    const transactions = chain.queries.blockByNumber(number)?.transactions ?? [];
    const ids = transactions.map((one) => encodeWith(transaction, one, transactionId));
    index.add(number, ids);
    if (number % PROGRESS_BLOCKS === 0) log.info('indexed', { block: number, of: head.number });
    if (number % SLICE_BLOCKS === 0) {
      await index.settle(Math.min(number, head.irreversible));
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  await index.settle(head.irreversible);
}

const ADVICE = 'Start again: the index is rebuilt from the block log then';

/** Everything in it can be read from the block log: an index that is damaged is built anew, whatever else is wrong. */
async function openOrRenew(path: string, chainId: string, log: Logger): Promise<TransactionIndex> {
  try {
    return await open(path, chainId);
  } catch (error) {
    if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.database_damaged) throw error;
    log.warn('the transaction index is damaged and is built anew', { error: error.message });
    nodeFiles.remove(path);
    return await open(path, chainId);
  }
}

async function open(path: string, chainId: string): Promise<TransactionIndex> {
  nodeFiles.makeFolder(path);
  const kv = await LevelKv.open(path, ADVICE);
  try {
    return new TransactionIndex(kv, chainId);
  } catch (error) {
    await kv.close();
    throw error;
  }
}
