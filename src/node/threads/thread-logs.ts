import type { FeedBlock, FeedPart } from '../../plugin/follower.js';
import { BlockLog } from '../../storage/block-log.js';
import { JOURNAL } from '../../storage/log-kind.js';
import { readOnlyFiles } from '../../storage/read-only-files.js';
import { loggedBlocks } from '../chain/logged-blocks.js';

/** Where the node keeps its blocks and what they did. */
export interface LogPaths {
  readonly blockLogPath: string;
  readonly journalPath: string;
  readonly chainId: string;
}

interface Opened {
  readonly blocks: BlockLog;
  /** Undefined for who reads blocks alone. */
  readonly journal: BlockLog | undefined;
}

/** The files of the node, read in a thread: they grow, and blocks that stay are never cut. */
export class ThreadLogs {
  readonly #paths: LogPaths;
  readonly #reads: FeedPart;
  #logs: Opened | undefined;

  constructor(paths: LogPaths, reads: FeedPart) {
    this.#paths = paths;
    this.#reads = reads;
  }

  /** Blocks that stay, and are on the disk. */
  blocks(from: number, to: number): Generator<FeedBlock> {
    const { blocks, journal } = this.#with(to);
    return loggedBlocks(blocks, journal, from, to);
  }

  #with(number: number): Opened {
    const open = this.#logs;
    if (open?.blocks.has(number) && open.journal?.has(number) !== false) return open;
    this.close();
    const { blockLogPath, journalPath, chainId } = this.#paths;
    const blocks = new BlockLog(readOnlyFiles, blockLogPath, chainId);
    const readsAll = this.#reads === 'operations';
    const journal = readsAll ? new BlockLog(readOnlyFiles, journalPath, chainId, JOURNAL) : undefined;
    this.#logs = { blocks, journal };
    return this.#logs;
  }

  close(): void {
    this.#logs?.blocks.abandon();
    this.#logs?.journal?.abandon();
    this.#logs = undefined;
  }
}
