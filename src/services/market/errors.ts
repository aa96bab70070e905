import { defineErrors, FAMILY } from '../../base/errors.js';

/** What clients of the market know by number and name. */
export const MARKET_ERRORS = defineErrors({
  market_params: { code: 1001, name: 'INVALID_PARAMS', title: 'INVALID_PARAMS', text: '${why}' },
  market_signature: {
    code: 1002,
    name: 'SIGNATURE_VERIFY_FAIL',
    title: 'SIGNATURE_VERIFY_FAIL',
    text: 'not signed with an active key of the account: ${why}',
  },
  market_timestamp: {
    code: 1003,
    name: 'TIMESTAMP_EXPIRED',
    title: 'TIMESTAMP_EXPIRED',
    text: 'the timestamp has to be within ${seconds} seconds of now',
  },
  market_forbidden: { code: 1004, name: 'FORBIDDEN', title: 'FORBIDDEN', text: '${why}' },
  market_not_bound: {
    code: 1005,
    name: 'ACCOUNT_NOT_BOUND',
    title: 'ACCOUNT_NOT_BOUND',
    text: '${whom} has no binding of merchant and account',
  },
  market_not_found: { code: 1006, name: 'NOT_FOUND', title: 'NOT_FOUND', text: 'there is no ${what}' },
  market_duplicate: { code: 1007, name: 'DUPLICATE', title: 'DUPLICATE', text: '${why}' },
  market_vote_closed: { code: 1008, name: 'VOTE_CLOSED', title: 'VOTE_CLOSED', text: 'the vote is over' },
  market_voted: { code: 1009, name: 'ALREADY_VOTED', title: 'ALREADY_VOTED', text: 'this merchant has voted already' },
  market_banned: {
    code: 1010,
    name: 'APPLY_BANNED',
    title: 'APPLY_BANNED',
    text: 'too many applications in a row were rejected; the next one may come at ${retryAt}',
  },
  market_size: { kind: 'limit', code: 1011, name: 'LOGO_INVALID', title: 'LOGO_INVALID', text: '${why}' },
  market_rate: {
    kind: 'limit',
    code: 1012,
    name: 'RATE_LIMITED',
    title: 'RATE_LIMITED',
    text: 'too much at once from ${whom}; try again later',
  },
  market_chain: {
    kind: 'environment',
    code: 1013,
    name: 'CHAIN_UNAVAILABLE',
    title: 'CHAIN_UNAVAILABLE',
    text: '${why}',
  },
  market_replayed: {
    code: 1014,
    name: 'REPLAYED',
    title: 'REPLAYED',
    text: 'this very request was made already; a new one needs a new timestamp',
  },
  market_internal: {
    kind: 'environment',
    code: 1099,
    name: 'INTERNAL',
    title: 'INTERNAL',
    text: 'the market could not do it; its log says why',
  },
  market_gateway: {
    ...FAMILY.invalidArgument,
    text: 'market-auth = ${mode} believes everybody who reaches this service: it needs an endpoint on a private address',
  },
  market_backup_file: { ...FAMILY.invalidArgument, text: 'the action ${action} needs a file' },
});
