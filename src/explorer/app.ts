import { byId, entitle, h, messageOf, problem, say } from '../page/dom.js';
import type { GlobalProperties, Head } from './answers.js';
import { Names, OBJECT_ID } from './names.js';
import { NodeLink } from './node.js';
import { NotFound, type Page, type View } from './page.js';
import { quiet } from './parts.js';
import { href, routeOf } from './routes.js';
import { schemeButton } from './scheme.js';
import { accountView, keyView } from './views/account.js';
import { assetsView, assetView } from './views/assets.js';
import { blockView } from './views/block.js';
import { broadcastView } from './views/broadcast.js';
import { consoleView } from './views/console.js';
import { contractView } from './views/contract.js';
import { homeView } from './views/home.js';
import { momentView } from './views/moment.js';
import { objectView } from './views/object.js';
import { peersView } from './views/peers.js';
import { productsView } from './views/products.js';
import { proposalsView } from './views/proposals.js';
import { searchView, suggestions } from './views/search.js';
import { transactionView } from './views/transaction.js';
import { committeeView, witnessesView } from './views/votes.js';
import { waitingView } from './views/waiting.js';

/** The block explorer: what stands behind the hash of its address says which view is shown. */

const VIEWS: Readonly<Record<string, View>> = {
  '': homeView,
  block: blockView,
  tx: transactionView,
  account: accountView,
  key: keyView,
  object: objectView,
  search: searchView,
  assets: assetsView,
  asset: assetView,
  witnesses: witnessesView,
  committee: committeeView,
  contract: contractView,
  proposals: proposalsView,
  products: productsView,
  waiting: waitingView,
  broadcast: broadcastView,
  time: momentView,
  peers: peersView,
  console: consoleView,
};
const MENU = [
  ['', 'Chain'],
  ['witnesses', 'Witnesses'],
  ['committee', 'Committee'],
  ['assets', 'Assets'],
  ['proposals', 'Proposals'],
  ['products', 'Data market'],
  ['waiting', 'Waiting'],
  ['peers', 'Network'],
  ['broadcast', 'Send'],
  ['console', 'Console'],
] as const;
const CORE_ASSET = '1.3.1';

class App implements Page {
  readonly node: NodeLink;
  readonly names: Names;
  readonly core = CORE_ASSET;
  interval = 3;
  chainId = '';
  #head: Head | undefined;
  #left = new AbortController();
  #onBlock: (() => void | Promise<void>)[] = [];
  #shows = Promise.resolve();

  constructor() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.node = new NodeLink(`${scheme}://${location.host}/`, {
      state: (isOpen) => this.#showConnection(isOpen),
      opened: () => void this.#connected().catch((error: unknown) => this.#fail(error)),
    });
    this.names = new Names(this.node);
  }

  get head(): Head {
    if (this.#head === undefined) throw new Error('the node has not answered yet');
    return this.#head;
  }

  onBlock(run: () => void | Promise<void>): void {
    this.#onBlock.push(run);
  }

  go(target: string): void {
    if (location.hash === target) this.show();
    else location.replace(target);
  }

  #showConnection(isOpen: boolean): void {
    const pill = byId('connection');
    pill.className = `pill ${isOpen ? 'on' : 'off'}`;
    pill.textContent = isOpen ? 'live' : 'no connection, trying again';
  }

  #fail(error: unknown): void {
    byId('content').replaceChildren(h('h1', { tabindex: '-1' }, 'That did not work'), problem(messageOf(error)));
  }

  /** At first, and again whenever the connection is new: subscriptions end with theirs. */
  async #connected(): Promise<void> {
    const isFirst = this.#head === undefined;
    const { node } = this;
    // First the subscription, then the look, in the order in which they are sent: no block can slip in between.
    const [, chainId, globals, head] = await Promise.all([
      node.call(
        'set_block_applied_callback',
        node.listen(() => void this.#block().catch(() => undefined)),
      ),
      node.call<string>('get_chain_id'),
      node.call<GlobalProperties>('get_global_properties'),
      node.call<Head>('get_dynamic_global_properties'),
      this.names.prepare(this.core),
    ]);
    this.interval = globals.parameters.block_interval;
    this.chainId = chainId;
    byId('chain-id').textContent = `chain ${chainId}`;
    this.#head = head;
    if (isFirst) this.#firstShow();
    else this.show(false);
  }

  #firstShow(): void {
    addEventListener('hashchange', () => this.show());
    this.show(false);
  }

  #isLooking = false;
  #looksAgain = false;

  /** Blocks may come faster than their pictures: what came meanwhile is shown together. */
  async #block(): Promise<void> {
    this.#looksAgain = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#looksAgain) {
        this.#looksAgain = false;
        this.#head = await this.node.call<Head>('get_dynamic_global_properties');
        for (const run of [...this.#onBlock]) await run();
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** `isMove`: whoever reads it goes on from the heading of what is new. */
  show(isMove = true): void {
    this.#left.abort();
    const left = new AbortController();
    this.#left = left;
    this.#onBlock = [];
    const { view, words } = routeOf(location.hash);
    markMenu(view);
    // One after another: what views ask to run after each block is theirs alone.
    this.#shows = this.#shows.then(() =>
      left.signal.aborted ? undefined : this.#show(view, words, left.signal, isMove),
    );
  }

  async #show(view: string, words: readonly string[], left: AbortSignal, isMove: boolean): Promise<void> {
    const content = byId('content');
    content.setAttribute('aria-busy', 'true');
    let title: string;
    try {
      const shown = Object.hasOwn(VIEWS, view) ? await (VIEWS[view] as View)(this, words, left) : undefined;
      if (left.aborted) return;
      if (shown === undefined) throw new NotFound(`This page has no view ${view}.`);
      title = shown.title;
      content.replaceChildren(h('h1', { tabindex: '-1' }, title));
      for (const part of shown.body) if (part !== undefined && part !== false) content.append(part);
    } catch (error) {
      if (left.aborted) return;
      title = error instanceof NotFound ? 'Nothing here' : 'That did not work';
      const words = error instanceof NotFound ? quiet(error.message) : problem(messageOf(error));
      const instead = error instanceof NotFound && error.instead ? h('p', {}, error.instead) : undefined;
      content.replaceChildren(
        h('h1', { tabindex: '-1' }, title),
        words,
        ...(instead ? [instead] : []),
        h('p', {}, h('a', { href: '#/' }, 'The chain now')),
      );
    }
    content.dataset.view = view === '' ? 'home' : view;
    content.removeAttribute('aria-busy');
    entitle(`${title} – trustnode`);
    if (!isMove) return;
    scrollTo(0, 0);
    content.querySelector('h1')?.focus({ preventScroll: true });
    say(document.title);
  }
}

function markMenu(view: string): void {
  const entries = MENU.map(([target, text]) =>
    h('a', { href: target === '' ? '#/' : href(target), 'aria-current': target === view ? 'page' : undefined }, text),
  );
  const nav = byId('nav');
  nav.replaceChildren(...entries);
  // On a phone it is one line that scrolls.
  const here = nav.querySelector<HTMLElement>('[aria-current]');
  nav.scrollLeft = here === null ? 0 : here.offsetLeft - nav.clientWidth / 2;
}

function searchForm(app: App): void {
  const input = byId('query') as HTMLInputElement;
  let asked = 0;
  input.addEventListener('input', async () => {
    const mine = ++asked;
    const text = input.value.trim();
    const found = text.length === 0 || OBJECT_ID.test(text) ? [] : await suggestions(app, text).catch(() => []);
    if (mine !== asked) return;
    byId('suggestions').replaceChildren(...found.map((value) => h('option', { value })));
  });
  byId('search').addEventListener('submit', (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (text === '') return;
    const target = href('search', text);
    if (location.hash === target) app.show();
    else location.hash = target;
  });
}

schemeButton();
const app = new App();
searchForm(app);
// The hash is the page's own: this link moves the focus alone.
byId('skip').addEventListener('click', (event) => {
  event.preventDefault();
  byId('content').focus();
});
