import { type Buyer, type Product, RESTART_MS } from '../../trade/buyer.js';
import { amountText } from '../amounts.js';
import { field, form, h, link, say, timeText } from '../dom.js';
import { exchangeOf, keepsOrders } from '../exchange.js';
import type { Descriptor, ProductDetail } from '../market.js';
import type { Page } from '../page.js';
import { parametersOf } from '../parameters.js';
import { delivered } from './delivered.js';

/** Buying: what is asked is encrypted and signed here, and what comes back is opened here. */

/** Sources have their own deadline, which is shorter. */
const PATIENCE_MS = 180_000;

interface Wish {
  readonly offer: Product;
  readonly params: ReturnType<ReturnType<typeof parametersOf>['read']>;
  readonly sources: number;
  readonly unitsMax: bigint;
}

/** Of a refusal of the buyer's library. */
interface Refusal extends Error {
  readonly key: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const isRefusal = (error: unknown, key: string): error is Refusal =>
  error instanceof Error && 'key' in error && error.key === key;

/** In the words and amounts of the page. */
async function inOwnWords(error: unknown, { chain, user, settings }: Page, cost: bigint): Promise<unknown> {
  if (isRefusal(error, 'buyer_asking')) {
    // Who does not know whether he has bought wants to know what a second click does.
    const until = keepsOrders() ? ', also after this page was closed.' : ', as long as this page stays open.';
    return new Error(`${error.message}. Buy once more asks for this very purchase${until}`);
  }
  if (isRefusal(error, 'buyer_former_price')) {
    const { units, until } = error.data as { readonly units: bigint; readonly until: string };
    const may = `may cost ${amountText(units, settings)} until ${timeText(Date.parse(until))}`;
    return new Error(`The same was asked for before and not answered: it ${may}. Buy agrees to it.`);
  }
  if (isRefusal(error, 'buyer_refused') && error.data.code === 'BALANCE_NOT_ENOUGH') {
    const has = user && (await chain?.balance(user.account).catch(() => undefined));
    const balance = has === undefined ? '' : ` It has ${amountText(has, settings)}.`;
    const needed = `Your account has not enough for ${amountText(cost, settings)}.${balance}`;
    return new Error(`${needed} What other requests under way may cost is held back.`);
  }
  return error;
}

/** Each step is told as it is done. */
async function run(buyer: Buyer, { offer, params, sources, unitsMax }: Wish, steps: HTMLElement): Promise<HTMLElement> {
  const tell = (text: string): void => steps.append(h('li', {}, text));
  tell('Encrypting for each source, and signing what may be paid…');
  const requestId = await buyer.ask(offer, params, { sources, unitsMax });
  tell('The exchange has recorded the request; waiting for the sources…');
  const purchase = await buyer.wait(requestId, PATIENCE_MS, offer);
  const { deliveries } = purchase;
  const count = deliveries.filter(({ status }) => status === 'SUCCESS').length;
  const isNothing = purchase.isFinished && count === 0;
  if (isNothing) tell('Nothing was delivered, and nothing is paid.');
  else tell(`${count} of ${deliveries.length} delivered; what came was opened.`);
  return delivered(purchase);
}

/** What a form is made of. */
function askedBy(input: object): string {
  const described = Object.entries(input) as readonly [string, Descriptor][];
  return JSON.stringify(described.map(([name, { type, required }]) => [name, type, required === true]));
}

/** The part of the page, which is told who is online, then and again. */
export interface BuyPart {
  readonly element: HTMLElement;
  setOnline(online: ReadonlySet<string>): void;
}

export function buyPart(page: Page, id: string, product: ProductDetail): BuyPart {
  const { user, settings } = page;
  const buyer = exchangeOf(page);
  const part = (...children: (Node | string)[]): HTMLElement =>
    h('section', { class: 'card' }, h('h2', {}, 'Buy an answer'), ...children);
  const onlySaid = (...children: (Node | string)[]): BuyPart => ({
    element: part(...children),
    setOnline: () => undefined,
  });
  if (buyer === undefined) return onlySaid('The operator of this market has named no exchange to buy at.');
  if (!product.onSale) return onlySaid('It is off sale.');
  if (user === undefined) return onlySaid(link('#/account', 'Sign in'), ' to buy.');
  let price = BigInt(product.price.amount);
  const count = h('input', { type: 'number', min: 1, value: 1, required: true });
  const sum = h('p', { class: 'price', role: 'status' });
  const cost = (): bigint => price * BigInt(Math.max(1, Math.trunc(Number(count.value)) || 1));
  const showCost = (): void => {
    sum.textContent = `Costs at most ${amountText(cost(), settings)}: what is not delivered is not paid.`;
  };
  count.addEventListener('input', showCost);
  showCost();
  const parameters = parametersOf(product.input);
  /** Members change a product while somebody fills in its form: nobody pays more, or for something else, than he has read. */
  const checkOffer = (offer: Product): void => {
    if (askedBy(offer.input) !== askedBy(product.input)) {
      throw new Error('The product asks for something else now: choose it anew under Products.');
    }
    const { units } = offer.price;
    const isDearer = units > price;
    price = units;
    showCost();
    if (isDearer) {
      throw new Error(`The price of one answer is ${amountText(units, settings)} now: Buy agrees to it.`);
    }
  };
  /** What a request that was left unanswered may cost, once that was read. */
  let agreed = 0n;
  const result = h('div', { 'aria-live': 'polite' });
  const buy = async (): Promise<undefined> => {
    const steps = h('ol', { class: 'steps' });
    result.replaceChildren(steps);
    const params = parameters.read();
    const offer = await buyer.product(Number(id), RESTART_MS);
    checkOffer(offer);
    const unitsMax = agreed > cost() ? agreed : cost();
    try {
      result.append(await run(buyer, { offer, params, sources: Number(count.value), unitsMax }, steps));
    } catch (error) {
      if (isRefusal(error, 'buyer_former_price')) agreed = error.data.units as bigint;
      throw await inOwnWords(error, page, cost());
    }
    agreed = 0n;
    say('Your purchase is finished');
  };
  const label = h('span', {});
  const sources = field(label, count, { hint: 'Each one that delivers is paid.' });
  const nobody = h('p', {}, 'Nobody who sells it is online at the moment.');
  const order = form('Buy', buy, ...parameters.fields, sources, sum);
  order.hidden = true;
  const setOnline = (online: ReadonlySet<string>): void => {
    const others = [...online].filter((account) => account !== user.account).length;
    nobody.hidden = others > 0;
    // A source that is away for a moment takes nobody's form with all that is written in it.
    if (others > 0) order.hidden = false;
    count.max = String(Math.max(1, others));
    label.textContent = `Sources to ask, of ${others} online`;
  };
  return { element: part(nobody, order, result), setOnline };
}
