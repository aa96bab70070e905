import { accountId } from '../protocol/ids.js';
import { Buyer } from '../trade/buyer.js';
import { newKey } from './key-files.js';
import type { User } from './market.js';
import { browserStorage, KeptOrders } from './orders.js';
import type { Page } from './page.js';

/** One for each who is signed in, whatever views are shown: it knows which requests were left without an answer. */
const buyers = new WeakMap<User, Buyer>();

/** The buyer of the package's own library, in the name of whoever is signed in; anybody may look. */
export function exchangeOf(page: Page): Buyer | undefined {
  const { settings, user } = page;
  if (settings.exchange === null) return undefined;
  const known = user === undefined ? undefined : buyers.get(user);
  if (known !== undefined) return known;
  const buyer = buyerOf(page, settings.exchange);
  if (user !== undefined) buyers.set(user, buyer);
  return buyer;
}

/** Whether a request that got no answer outlives this page. */
export const keepsOrders = (): boolean => browserStorage() !== undefined;

function buyerOf({ settings, chain, user, market }: Page, exchange: string): Buyer {
  const storage = browserStorage();
  const isKept = storage !== undefined && user !== undefined;
  return new Buyer({
    exchange,
    account: accountId.fromJson(user?.account ?? '1.2.0'),
    key: user?.signer ?? newKey(),
    keyPrefix: settings.keyPrefix,
    now: () => market.now(),
    ...(isKept ? { orders: new KeptOrders(storage, `${exchange} ${user.account}`, () => market.now()) } : {}),
    ...(chain === undefined ? {} : { keyOf: (source) => chain.keyOf(source) }),
  });
}
