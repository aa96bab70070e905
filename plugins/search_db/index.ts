import { toHex } from '../../src/base/bytes.js';
import { CHAIN_VIEW, FOLLOWERS } from '../../src/plugin/api.js';
import type { AddedFollower } from '../../src/plugin/follower.js';
import { definePart } from '../../src/plugin/part.js';
import { searchClient } from './client.js';
import { SearchDatabase } from './database.js';
import { SearchFollower } from './follower.js';
import { searchMetrics } from './metrics.js';
import { searchOptions } from './options.js';
import { GivenUp, textOf } from './retry.js';

/** What is there is sent at the end of the node, if the database takes it within this time. */
const LAST_WORDS_MS = 3000;
const LINES_PER_DOCUMENT = 2;
const WRITER_BYTES = 8;

const documentsOf = (lines: number): number => Math.max(1, Math.floor(lines / LINES_PER_DOCUMENT));

/** The histories of all accounts in a search database, for explorers and whoever else asks more than an RPC answers. */
export default definePart({
  name: 'search_db',
  needs: { chain: CHAIN_VIEW, followers: FOLLOWERS },
  options: { title: 'Search database (plugin search_db)', table: searchOptions },
  plugin: { isDefault: false },
  async open({ needs: { chain, followers }, options, clock, random, log }) {
    const { queries } = chain;
    const prefix = options['searchdb-index-prefix'];
    const client = await searchClient(options);
    const database = new SearchDatabase(
      {
        client,
        prefix,
        chain: queries.chainId,
        copies: { shards: options['searchdb-shards'], replicas: options['searchdb-replicas'] },
        writer: toHex(random.bytes(WRITER_BYTES)),
        onReduced: (id, reason) =>
          log.warn('the search database refuses a document, it gets it with less in it', { id, reason }),
      },
      { clock, log },
    );
    const writesHead = options['searchdb-head'];
    const lastNumber = (): number => (writesHead ? queries.head.number : queries.head.irreversible);
    let added: AddedFollower | undefined;
    let failure: string | undefined;

    // Until the database is there nobody waits for it.
    const begun = database.begin().then(
      () => {
        const follower = new SearchFollower({
          database,
          style: { network: queries.state.network, hasObjects: options['searchdb-operation-object'] },
          prefix,
          replayDocuments: documentsOf(options['searchdb-bulk-replay']),
          syncDocuments: documentsOf(options['searchdb-bulk-sync']),
          startAfterBlock: options['searchdb-start-after-block'],
          writesHead,
          nowMs: () => clock.nowMs(),
          monotonicMs: () => clock.monotonicMs(),
          lastNumber,
        });
        log.info('the search database is there', { block: follower.position.number });
        added = followers.add(follower);
      },
      (error: unknown) => {
        if (error instanceof GivenUp) return;
        failure = textOf(error);
        log.error('the search database cannot be used, the node goes on', { error: failure });
      },
    );
    return {
      value: undefined,
      async close() {
        const isInTrouble = database.retry.trouble !== undefined || added === undefined;
        const cancel = isInTrouble ? undefined : clock.after(LAST_WORDS_MS, () => database.retry.giveUp());
        if (isInTrouble) database.retry.giveUp();
        await begun;
        await added?.close();
        cancel?.();
        await client.close();
      },
      health: () => failure,
      metrics: searchMetrics({ database, lastNumber }),
    };
  },
});
