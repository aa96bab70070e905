import type { Buyer, Product } from '../../trade/buyer.js';
import { amountText } from '../amounts.js';
import { field, form, h, link, say } from '../dom.js';
import { exchangeOf } from '../exchange.js';
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

/** Who does not know whether he has bought wants to know what a second click does. */
function sayWhatNext(error: unknown): never {
  const isAsking = error instanceof Error && 'key' in error && error.key === 'buyer_asking';
  if (!isAsking) throw error;
  throw new Error(`${error.message}. Buy once more asks for this very purchase, as long as this page stays open.`);
}

/** Each step is told as it is done. */
async function run(buyer: Buyer, { offer, params, sources, unitsMax }: Wish, steps: HTMLElement): Promise<HTMLElement> {
  const tell = (text: string): void => steps.append(h('li', {}, text));
  tell('Encrypting for each source, and signing what may be paid…');
  const requestId = await buyer.ask(offer, params, { sources, unitsMax }).catch(sayWhatNext);
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
  const result = h('div', { 'aria-live': 'polite' });
  const buy = async (): Promise<undefined> => {
    const steps = h('ol', { class: 'steps' });
    result.replaceChildren(steps);
    const params = parameters.read();
    const offer = await buyer.product(Number(id));
    checkOffer(offer);
    const wish = { offer, params, sources: Number(count.value), unitsMax: cost() };
    const shown = await run(buyer, wish, steps);
    result.append(shown);
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
