import { accountId } from '../protocol/ids.js';
import { Buyer } from '../trade/buyer.js';
import { newKey } from './key-files.js';
import type { Page } from './page.js';

/** The buyer of the package's own library, in the name of whoever is signed in; anybody may look. */
export function exchangeOf({ settings, chain, user, market }: Page): Buyer | undefined {
  if (settings.exchange === null) return undefined;
  return new Buyer({
    exchange: settings.exchange,
    account: accountId.fromJson(user?.account ?? '1.2.0'),
    key: user?.signer ?? newKey(),
    keyPrefix: settings.keyPrefix,
    now: () => market.now(),
    ...(chain === undefined ? {} : { keyOf: (source) => chain.keyOf(source) }),
  });
}
