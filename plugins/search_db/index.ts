import { toHex } from '../../src/base/bytes.js';
import { CHAIN_VIEW, FOLLOWERS } from '../../src/plugin/api.js';
import type { AddedFollower } from '../../src/plugin/follower.js';
import { definePart } from '../../src/plugin/part.js';
import { clientOptions } from './client.js';
import { searchMetrics } from './metrics.js';
import { searchOptions } from './options.js';
import type { SearchReport, SearchSettings } from './thread.js';

const NAME = 'search_db';
const PROGRAM = new URL('./thread.js', import.meta.url);

/** What is there is sent at the end of the node, if the database takes it within this time. */
const LAST_WORDS_MS = 3000;
const WRITER_BYTES = 8;

/** The histories of all accounts in a search database, for explorers and whoever else asks more than an RPC answers. */
export default definePart({
  name: NAME,
  needs: { chain: CHAIN_VIEW, followers: FOLLOWERS },
  options: { title: 'Search database (plugin search_db)', table: searchOptions },
  plugin: { isDefault: false },
  open({ needs: { chain, followers }, options, clock, random, log }) {
    const { queries } = chain;
    // What is wrong with them is told before anything begins.
    clientOptions(options);
    const settings: SearchSettings = {
      options,
      chain: queries.chainId,
      network: queries.state.network,
      writer: toHex(random.bytes(WRITER_BYTES)),
    };
    let report: SearchReport = { trouble: undefined, block: 0, documents: 0, requests: 0, retries: 0, reduced: 0 };
    const thread = followers.inThread(
      { name: NAME, reads: 'operations', url: PROGRAM, settings },
      {
        log,
        onReport: (told) => {
          report = told as SearchReport;
        },
      },
    );
    let added: AddedFollower | undefined;
    let failure: string | undefined;
    let isClosing = false;

    // Until the database is there nobody waits for it.
    const begun = thread.begun.then(
      (follower) => {
        log.info('the search database is there', { block: follower.position.number });
        added = followers.add(follower);
      },
      (error: Error) => {
        if (isClosing) return;
        failure = error.message;
        log.error('the search database cannot be used, the node goes on', { error: failure });
      },
    );
    return {
      value: undefined,
      async close() {
        isClosing = true;
        const isInTrouble = report.trouble !== undefined || added === undefined;
        const cancel = isInTrouble ? undefined : clock.after(LAST_WORDS_MS, () => thread.giveUp());
        if (isInTrouble) thread.giveUp();
        await begun;
        try {
          await added?.close();
        } finally {
          cancel?.();
          await thread.end();
        }
      },
      health: () => failure,
      metrics: searchMetrics({
        report: () => report,
        lastNumber: () => (options['searchdb-head'] ? queries.head.number : queries.head.irreversible),
      }),
    };
  },
});
