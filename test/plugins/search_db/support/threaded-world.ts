import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { searchOptions } from '../../../../plugins/search_db/options.js';
import type { SearchReport, SearchSettings } from '../../../../plugins/search_db/thread.js';
import { resolveOptions } from '../../../../src/config/load.js';
import { feedLog } from '../../../../src/node/chain/feed-log.js';
import type { StoredChain } from '../../../../src/node/chain/stored-chain.js';
import { systemClock } from '../../../../src/node/runtime/clock.js';
import { FollowerInThread } from '../../../../src/node/threads/follower-thread.js';
import { BlockFeed } from '../../../../src/plugin/feed.js';
import type { AddedFollower } from '../../../../src/plugin/follower.js';
import { FollowerHost } from '../../../../src/plugin/host.js';
import { STORAGE_FOLDERS } from '../../../../src/storage/storage.js';
import { MemoryLog } from '../../../support/memory-log.js';
import { NETWORK } from '../../../support/network.js';
import { projectPath } from '../../../support/paths.js';

export interface ThreadedSettings {
  readonly prefix: string;
  readonly options?: Readonly<Record<string, string>>;
  /** Where the chain's files are: then the thread reads them by itself. */
  readonly dataDir?: string;
}

/** A chain and the search database's follower in a thread, as the plugin puts them together. */
export class ThreadedWorld {
  readonly log = new MemoryLog();
  readonly #host: FollowerHost;
  readonly #feed: BlockFeed;
  readonly #thread: FollowerInThread;
  #report: SearchReport | undefined;
  #added: AddedFollower | undefined;

  constructor({ chain, storage }: StoredChain, url: string, { prefix, options = {}, dataDir }: ThreadedSettings) {
    const feed = new BlockFeed(chain.blocks, feedLog(storage));
    const { objects } = storage;
    this.#feed = feed;
    this.#host = new FollowerHost({ feed, clock: systemClock, log: this.log, carried: objects.carried.bind(objects) });
    const given = { 'searchdb-node-url': url, 'searchdb-index-prefix': prefix, 'searchdb-replicas': '0', ...options };
    const settings: SearchSettings = {
      options: resolveOptions(
        searchOptions,
        new Map(Object.entries(given).map(([name, value]) => [name, [value]])),
        new Map(),
      ),
      chain: chain.chainId,
      network: NETWORK,
      writer: randomBytes(8).toString('hex'),
    };
    this.#thread = new FollowerInThread(
      {
        program: `file://${projectPath('dist', 'plugins', 'search_db', 'thread.js')}`,
        settings,
        logs: dataDir === undefined ? undefined : pathsOf(dataDir, chain.chainId),
      },
      {
        log: this.log,
        onReport: (report) => {
          this.#report = report as SearchReport;
        },
        chain: () => ({ head: feed.headNumber, irreversible: feed.irreversibleNumber }),
      },
    );
  }

  /** Settles when it stands on the last block that there is for it. */
  async follow(): Promise<void> {
    this.#added ??= this.#host.add(await this.#thread.begun);
    await this.#added.caughtUp();
    const { state, reason } = this.#added.status;
    if (state === 'failed' || state === 'refused') throw new Error(reason);
  }

  get report(): SearchReport | undefined {
    return this.#report;
  }

  get status(): AddedFollower['status'] | undefined {
    return this.#added?.status;
  }

  /** Blocks that the main thread has read for it. */
  get readHere(): number {
    return this.#feed.readFromLog;
  }

  /** As when the node ends in order. */
  async close(): Promise<void> {
    await this.#host.close();
    await this.#thread.end();
  }

  /** As when its process is killed: nothing more is written. */
  async kill(): Promise<void> {
    this.#thread.giveUp();
    await this.#thread.begun.catch(() => undefined);
    await this.close();
  }
}

const pathsOf = (dataDir: string, chainId: string) => ({
  blockLogPath: join(dataDir, STORAGE_FOLDERS.blockLog),
  journalPath: join(dataDir, STORAGE_FOLDERS.journal),
  chainId,
});
