import type { Client } from '@elastic/elasticsearch';
import type { Network } from '../../src/codec/type.js';
import type { FollowerProgram, ThreadWorld } from '../../src/plugin/follower-thread.js';
import { searchClient } from './client.js';
import { SearchDatabase } from './database.js';
import { SearchFollower } from './follower.js';
import type { SearchOptions } from './options.js';
import { textOf } from './retry.js';

export interface SearchSettings {
  readonly options: SearchOptions;
  readonly chain: string;
  readonly network: Network;
  /** Tells this process from all others. */
  readonly writer: string;
}

/** What the node tells of it. */
export interface SearchReport {
  /** Why the database did not take what it was given last. */
  readonly trouble: string | undefined;
  /** Up to where all is there. */
  readonly block: number;
  readonly documents: number;
  readonly requests: number;
  readonly retries: number;
  readonly reduced: number;
}

const LINES_PER_DOCUMENT = 2;

const documentsOf = (lines: number): number => Math.max(1, Math.floor(lines / LINES_PER_DOCUMENT));

/** What runs in the thread: documents are made, and sent, where no block waits for it. */
const search: FollowerProgram<SearchSettings> = (settings, world) => {
  const { options, chain, writer } = settings;
  const { clock, log, signal } = world;
  let client: Client | undefined;
  let database: SearchDatabase | undefined;
  return {
    async begin() {
      client = await searchClient(options);
      const opened = new SearchDatabase(
        {
          client,
          prefix: options['searchdb-index-prefix'],
          chain,
          copies: { shards: options['searchdb-shards'], replicas: options['searchdb-replicas'] },
          writer,
          nowMs: () => clock.nowMs(),
          onReduced: (id, reason) =>
            log.warn('the search database refuses a document, it gets it with less in it', { id, reason }),
        },
        { clock, log, onChange: () => world.tell() },
      );
      database = opened;
      const giveUp = (): void => opened.retry.giveUp();
      if (signal.aborted) giveUp();
      signal.addEventListener('abort', giveUp);
      try {
        await opened.begin();
      } catch (error) {
        throw new Error(textOf(error));
      }
      return followerOf(opened, settings, world);
    },
    report: (): SearchReport => ({
      trouble: database?.retry.trouble,
      block: database?.cursor.place.number ?? 0,
      documents: database?.bulk.counts.documents ?? 0,
      requests: database?.bulk.counts.requests ?? 0,
      retries: database?.retry.count ?? 0,
      reduced: database?.bulk.counts.reduced ?? 0,
    }),
    async end() {
      await client?.close();
    },
  };
};

function followerOf(
  database: SearchDatabase,
  { options, network }: SearchSettings,
  world: ThreadWorld,
): SearchFollower {
  const writesHead = options['searchdb-head'];
  return new SearchFollower({
    database,
    style: { network, hasObjects: options['searchdb-operation-object'] },
    prefix: options['searchdb-index-prefix'],
    replayDocuments: documentsOf(options['searchdb-bulk-replay']),
    syncDocuments: documentsOf(options['searchdb-bulk-sync']),
    startAfterBlock: options['searchdb-start-after-block'],
    writesHead,
    nowMs: () => world.clock.nowMs(),
    monotonicMs: () => world.clock.monotonicMs(),
    lastNumber: () => (writesHead ? world.chain.head : world.chain.irreversible),
  });
}

export default search;
