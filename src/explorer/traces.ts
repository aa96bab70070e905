import { type Child, h } from '../page/dom.js';
import type { Amount } from './answers.js';
import { shorten } from './names.js';
import type { Page } from './page.js';
import { quiet, section, txLink } from './parts.js';
import { accountHref } from './routes.js';

/** What contract calls did and printed: a development chain remembers it, see docs/dev-chain.md. */

interface Traced {
  readonly contract: string;
  readonly action: string;
  readonly arguments: unknown;
  readonly sender: string;
  readonly amount?: Amount;
  readonly prints: string;
  readonly failed?: string;
  readonly inline: readonly (Traced | { readonly transfer: Payment })[];
}

interface Payment {
  readonly from: string;
  readonly to: string;
  readonly amount: Amount;
}

interface TracedCall extends Traced {
  /** Where calls of several transactions are told; none where it was refused before it was sent. */
  readonly transaction?: string;
}

const ARGUMENTS_ROOM = 200;

/** The calls of one transaction, with those that they made. */
export async function tracesOf(page: Page, transaction: string): Promise<HTMLElement | undefined> {
  const calls = await page.node.tryCall<TracedCall[]>('dev_trace', transaction);
  if (calls === undefined) return undefined;
  await page.names.prepare(calls);
  return section(
    'What contracts did and printed',
    h('ol', { class: 'trace' }, ...calls.map((one) => h('li', {}, action(page, one)))),
  );
}

/** The newest calls of a contract, refused ones too. */
export async function tracesOfContract(page: Page, name: string): Promise<HTMLElement | undefined> {
  const calls = await page.node.tryCall<TracedCall[]>('dev_contractTraces', name);
  if (calls === undefined || calls.length === 0) return undefined;
  await page.names.prepare(calls);
  return section(
    'What it did and printed',
    quiet('This development chain remembers its newest calls, refused ones too.'),
    h('ol', { class: 'trace' }, ...calls.map((one) => h('li', {}, action(page, one), placeOf(one)))),
  );
}

const placeOf = ({ transaction }: TracedCall): HTMLElement =>
  h(
    'p',
    { class: 'quiet' },
    ...(transaction === undefined ? ['Refused when its fee was asked for.'] : ['Transaction ', txLink(transaction)]),
  );

function action(page: Page, traced: Traced): HTMLElement {
  const { contract, action: method, arguments: given, sender, amount, prints, failed, inline } = traced;
  const inner = inline.map((one) => h('li', {}, 'action' in one ? action(page, one) : payment(page, one.transfer)));
  // Whoever called what failed has failed as well; the reason stands where it happened.
  const isReason = failed !== undefined && !inline.some((one) => 'action' in one && one.failed !== undefined);
  return h(
    'div',
    { class: 'operation' },
    h('span', { class: 'kind' }, method),
    ' of ',
    account(contract),
    // An action without any has an empty text.
    given === '' ? '' : h('span', { class: 'mono' }, ` ${shorten(JSON.stringify(given), ARGUMENTS_ROOM)}`),
    ' from ',
    account(sender),
    ...(amount === undefined ? [] : [', with ', page.names.amount(amount)]),
    prints !== '' && h('pre', { class: 'prints', tabindex: '0', 'aria-label': `Printed by ${method}` }, prints),
    isReason && h('p', { class: 'refused' }, failed),
    inner.length > 0 && h('ol', { class: 'trace' }, ...inner),
  );
}

const payment = (page: Page, { from, to, amount }: Payment): Child =>
  h('div', { class: 'operation' }, 'pays ', page.names.amount(amount), ' from ', account(from), ' to ', account(to));

const account = (name: string): HTMLElement => h('a', { href: accountHref(name) }, name);
