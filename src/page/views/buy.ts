import type { Buyer } from '../../trade/buyer.js';
import { amountText } from '../amounts.js';
import { field, form, h, link, say } from '../dom.js';
import { exchangeOf } from '../exchange.js';
import type { ProductDetail } from '../market.js';
import type { Page } from '../page.js';
import { parametersOf } from '../parameters.js';
import { delivered } from './delivered.js';

/** Buying: what is asked is encrypted and signed here, and what comes back is opened here. */

/** Sources have their own deadline, which is shorter. */
const PATIENCE_MS = 180_000;

interface Wish {
  readonly id: number;
  readonly params: ReturnType<ReturnType<typeof parametersOf>['read']>;
  readonly sources: number;
  readonly unitsMax: bigint;
}

/** Each step is told as it is done. */
async function run(buyer: Buyer, { id, params, sources, unitsMax }: Wish, steps: HTMLElement): Promise<HTMLElement> {
  const tell = (text: string): void => steps.append(h('li', {}, text));
  const offer = await buyer.product(id);
  tell('Encrypting for each source, and signing what may be paid…');
  const requestId = await buyer.ask(offer, params, { sources, unitsMax });
  tell('The exchange has recorded the request; waiting for the sources…');
  const purchase = await buyer.wait(requestId, PATIENCE_MS);
  const { deliveries } = purchase;
  const count = deliveries.filter(({ status }) => status === 'SUCCESS').length;
  const isNothing = purchase.isFinished && count === 0;
  if (isNothing) tell('Nothing was delivered, and nothing is paid.');
  else tell(`${count} of ${deliveries.length} delivered; what came was opened.`);
  return delivered(purchase);
}

export function buyPart(page: Page, id: string, product: ProductDetail, online: ReadonlySet<string>): HTMLElement {
  const { user, settings } = page;
  const buyer = exchangeOf(page);
  const part = (...children: (Node | string)[]): HTMLElement =>
    h('section', { class: 'card' }, h('h2', {}, 'Buy an answer'), ...children);
  if (buyer === undefined) return part('The operator of this market has named no exchange to buy at.');
  if (!product.onSale) return part('It is off sale.');
  if (user === undefined) return part(link('#/account', 'Sign in'), ' to buy.');
  const others = [...online].filter((account) => account !== user.account).length;
  if (others === 0) return part('Nobody who sells it is online at the moment.');
  const price = BigInt(product.price.amount);
  const count = h('input', { type: 'number', min: 1, max: others, value: 1, required: true });
  const sum = h('p', { class: 'price', role: 'status' });
  const cost = (): bigint => price * BigInt(Math.max(1, Math.trunc(Number(count.value)) || 1));
  const showCost = (): void => {
    sum.textContent = `Costs at most ${amountText(cost(), settings)}: what is not delivered is not paid.`;
  };
  count.addEventListener('input', showCost);
  showCost();
  const parameters = parametersOf(product.input);
  const result = h('div', { 'aria-live': 'polite' });
  const buy = async (): Promise<undefined> => {
    const steps = h('ol', { class: 'steps' });
    result.replaceChildren(steps);
    const wish = { id: Number(id), params: parameters.read(), sources: Number(count.value), unitsMax: cost() };
    const shown = await run(buyer, wish, steps);
    result.append(shown);
    say('Your purchase is finished');
  };
  const sources = field(`Sources to ask, of ${others} online`, count, { hint: 'Each one that delivers is paid.' });
  return part(form('Buy', buy, ...parameters.fields, sources, sum), result);
}
