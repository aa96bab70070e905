import { h, link } from './dom.js';
import type { Merchant } from './market.js';
import type { Page, Shown, View } from './page.js';

/** Views for those alone who are signed in. */
export function signInFirst(title: string, view: View): View {
  return async (page, words, left) => {
    if (page.user !== undefined) return view(page, words, left);
    return { title, body: [h('p', {}, link('#/account', 'Sign in'), ' to see it.')] };
  };
}

type MerchantView = (page: Page, merchant: Merchant, words: readonly string[]) => Promise<Shown>;

/** Views for accounts alone that are bound to a merchant. */
export function bindFirst(title: string, view: MerchantView): View {
  return signInFirst(title, async (page, words) => {
    const merchant = await page.market.self();
    if (merchant !== undefined) return view(page, merchant, words);
    const body = [h('p', {}, 'This account is bound to no merchant yet: ', link('#/sell', 'bind it'), ' first.')];
    return { title, body };
  });
}
