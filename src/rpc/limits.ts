import { defineErrors } from '../base/errors.js';

/** The refusals name the limit in the words of the family's nodes. */
export const LIST_ERRORS = defineErrors({
  limit_1000: { text: 'limit <= 1000: ', hint: 'limit may be 1000 at most' },
  limit_100: { text: 'limit <= 100: ', hint: 'limit may be 100 at most' },
  limit_30: { text: 'limit<30: ', hint: 'limit must be below 30' },
  list_too_long: { kind: 'limit', text: 'at most ${limit} elements in one request, not ${count}' },
});

/** Of histories, whichever plugin answers, or none. */
export const HISTORY_LIMIT_ERRORS = defineErrors({
  history_limit: { text: 'limit <= 100: ', hint: 'limit may be 100 at most' },
  history_limit_range: { text: 'limit <= 100 && limit > 0: ', hint: 'limit may be from 1 to 100' },
});
export const HISTORY_MAX = 100;

export const NAMES_MAX = 1000;
export const ASSETS_MAX = 100;

/** Ids, names or keys in one request: enough for every client, little enough to answer soon. Checked while arguments are decoded. */
export const LIST_MAX = 10_000;
