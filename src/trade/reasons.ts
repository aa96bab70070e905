/** What the words of exchanges mean to whoever buys. A word that is not here may be anything, and stays as it is. */
const REASONS: ReadonlyMap<string, string> = new Map([
  [
    'DATASOURCE_FAIL',
    'the exchange could not ask it, or got no answer that can be read; ask other sources, or this one later',
  ],
  ['DATASOURCE_OFFLINE', 'it is not online; ask other sources, or this one later'],
  ['QUERY_FAIL', 'it could not find out'],
  ['SELF_TRADE', 'nobody buys of himself'],
  ['STORE_FAIL', 'the exchange could not keep its answer; ask again later'],
  ['BALANCE_NOT_ENOUGH', 'the account had not enough for it'],
  ['AUTHORIZATION_EXPIRED', 'its answer came too late for what was signed'],
  ['PROXY_TRANSFER_ERROR', 'the chain has not taken the payment'],
]);

export const reasonOf = (comment: string): string | undefined => REASONS.get(comment);
