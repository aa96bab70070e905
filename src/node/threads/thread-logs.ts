import type { FeedBlock } from '../../plugin/follower.js';
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

/** The files of the node, read in a thread: they grow, and blocks that stay are never cut. */
export class ThreadLogs {
  readonly #paths: LogPaths;
  #logs: { readonly blocks: BlockLog; readonly journal: BlockLog } | undefined;

  constructor(paths: LogPaths) {
    this.#paths = paths;
  }

  /** Blocks that stay, and are on the disk. */
  blocks(from: number, to: number): Generator<FeedBlock> {
    const { blocks, journal } = this.#with(to);
    return loggedBlocks(blocks, journal, from, to);
  }

  #with(number: number): { readonly blocks: BlockLog; readonly journal: BlockLog } {
    if (this.#logs?.blocks.has(number) && this.#logs.journal.has(number)) return this.#logs;
    this.close();
    const { blockLogPath, journalPath, chainId } = this.#paths;
    const blocks = new BlockLog(readOnlyFiles, blockLogPath, chainId);
    this.#logs = { blocks, journal: new BlockLog(readOnlyFiles, journalPath, chainId, JOURNAL) };
    return this.#logs;
  }

  close(): void {
    this.#logs?.blocks.abandon();
    this.#logs?.journal.abandon();
    this.#logs = undefined;
  }
}
