import { defineErrors } from '../../src/base/errors.js';

/** Why the search database is left alone. What passes by itself is tried again instead, for as long as it takes. */
export const SEARCH_ERRORS = defineErrors(
  {
    search_other_chain: {
      text: 'the search database holds the histories of chain ${found} under the prefix ${prefix}, and this is chain ${chain}',
    },
    search_format: {
      text: 'the search database was written by another version of trustnode: format ${found}, known is ${known}',
    },
    search_taken: {
      text: 'another node has written to the search database under the prefix ${prefix} since then, or an older copy of it was put in its place, or its index of the plugin is gone; start this node anew if it is to go on',
    },
    search_counts_lost: {
      text: 'the search database does not say how many operations account 1.2.${account} had at block ${number}: delete its index ${index}, and all is written anew',
    },
    search_gap: {
      text: 'the search database under the prefix ${prefix} has the blocks up to ${number}, and this node begins behind a snapshot with block ${first}: let a node with all blocks write what is between',
    },
    search_numbers_unknown: {
      text: 'this node begins behind a snapshot with block ${first}, and the snapshot does not say what all accounts have done before: make one on a node with account_history for all accounts',
    },
    search_auth_twice: { text: 'searchdb-basic-auth and searchdb-api-key cannot be used together' },
  },
  'environment',
);
