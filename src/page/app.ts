import { Chain } from './chain.js';
import { byId, entitle, h, link, messageOf, problem, say } from './dom.js';
import { Market, type Settings, type User } from './market.js';
import type { Page, View } from './page.js';
import { accountView } from './views/account.js';
import { administrationView } from './views/administration.js';
import { billsView } from './views/bills.js';
import { incomeView } from './views/income.js';
import { noticesView } from './views/notices.js';
import { productView } from './views/product.js';
import { productsView } from './views/products.js';
import { changeView, publishView } from './views/publish.js';
import { purchasesView, purchaseView } from './views/purchases.js';
import { registerView } from './views/register.js';
import { sellView } from './views/sell.js';
import { votesView, voteView } from './views/votes.js';

/** The page of the market: what stands behind the hash of its address says which view is shown. */

const VIEWS: Readonly<Record<string, View>> = {
  products: productsView,
  product: productView,
  purchases: purchasesView,
  purchase: purchaseView,
  bills: billsView,
  sell: sellView,
  publish: publishView,
  change: changeView,
  income: incomeView,
  votes: votesView,
  vote: voteView,
  notices: noticesView,
  account: accountView,
  register: registerView,
  administration: administrationView,
};
const MENU = [
  ['products', 'Products'],
  ['purchases', 'Purchases'],
  ['bills', 'Bills'],
  ['sell', 'Sell'],
  ['votes', 'Votes'],
  ['notices', 'Notifications'],
  ['account', 'Account'],
] as const;
const FIRST = 'products';

class App implements Page {
  readonly settings: Settings;
  readonly market: Market;
  readonly chain: Chain | undefined;
  user: User | undefined;
  #left = new AbortController();

  constructor(market: Market, settings: Settings) {
    this.market = market;
    this.settings = settings;
    this.chain = settings.node === null ? undefined : new Chain(settings.node, settings);
  }

  enter(user: User | undefined): void {
    this.user = user;
    this.market.user = user;
    const words = user === undefined ? [link('#/account', 'Sign in')] : [`${user.name} `, h('small', {}, user.account)];
    byId('who').replaceChildren(...words);
  }

  go(target: string): void {
    if (location.hash === target) void this.again();
    else location.hash = target;
  }

  async again(): Promise<void> {
    await this.show(false);
  }

  /** `isMove`: whoever reads it goes on from the heading of what is new. */
  async show(isMove = true): Promise<void> {
    this.#left.abort();
    const left = new AbortController();
    this.#left = left;
    const [given = '', ...words] = location.hash.replace(/^#\/?/, '').split('/');
    const name = Object.hasOwn(VIEWS, given) ? given : FIRST;
    this.#mark(name);
    const content = byId('content');
    content.setAttribute('aria-busy', 'true');
    try {
      const { title, body } = await (VIEWS[name] as View)(this, words, left.signal);
      if (left.signal.aborted) return;
      content.replaceChildren(h('h1', { tabindex: '-1' }, title), ...body);
      entitle(`${title} – Data market`);
    } catch (error) {
      if (left.signal.aborted) return;
      content.replaceChildren(h('h1', { tabindex: '-1' }, 'That did not work'), problem(messageOf(error)));
    }
    content.removeAttribute('aria-busy');
    if (!isMove) return;
    scrollTo(0, 0);
    content.querySelector('h1')?.focus({ preventScroll: true });
    say(document.title);
  }

  #mark(name: string): void {
    const entries = MENU.map(([target, text]) =>
      h('a', { href: `#/${target}`, 'aria-current': target === name ? 'page' : undefined }, text),
    );
    byId('nav').replaceChildren(...entries);
  }
}

async function start(): Promise<void> {
  const market = new Market();
  const app = new App(market, await market.settings());
  app.enter(undefined);
  addEventListener('hashchange', () => void app.show());
  // The hash is the page's own: this link moves the focus alone.
  byId('skip').addEventListener('click', (event) => {
    event.preventDefault();
    byId('content').focus();
  });
  await app.show(false);
}

start().catch((error: unknown) => byId('content').replaceChildren(problem(messageOf(error))));
