import { facts, field, h } from '../../page/dom.js';
import type { ChainObject, GlobalProperties, Operation } from '../answers.js';
import { NotFound, type Page, type View } from '../page.js';
import { json, operationLine, quiet, when } from '../parts.js';
import { href } from '../routes.js';

export interface Proposal extends ChainObject {
  readonly expiration_time: string;
  readonly review_period_time?: string;
  readonly proposed_transaction: { readonly operations: readonly Operation[] };
  readonly required_active_approvals: readonly string[];
  readonly available_active_approvals: readonly string[];
  readonly required_owner_approvals: readonly string[];
  readonly available_owner_approvals: readonly string[];
  readonly available_key_approvals: readonly string[];
}

/** Asked for their proposals where nobody is named: those who decide for the chain. */
const DECIDERS_MAX = 40;
const COMMITTEE_ACCOUNT = '1.2.0';

async function deciders(page: Page): Promise<readonly string[]> {
  const globals = await page.node.call<GlobalProperties>('get_global_properties');
  const ids = [...globals.active_committee_members, ...globals.active_witnesses];
  const objects = await page.node.call<(ChainObject | null)[]>('get_objects', ids);
  const accounts = objects.map((one) => one?.committee_member_account ?? one?.witness_account ?? '');
  return [...new Set([COMMITTEE_ACCOUNT, ...accounts])].filter((one) => one !== '').slice(0, DECIDERS_MAX);
}

/** `#/proposals`, `#/proposals/NAME` */
export const proposalsView: View = async (page, [name]) => {
  let accounts: readonly string[];
  if (name === undefined) accounts = await deciders(page);
  else {
    const [id] = await page.node.call<({ id: string } | null)[]>('lookup_account_names', [name]);
    if (!id) throw new NotFound(`There is no account ${name}.`);
    accounts = [id.id];
  }
  const lists = await Promise.all(accounts.map((id) => page.node.call<Proposal[]>('get_proposed_transactions', id)));
  const known = new Map(lists.flat().map((one) => [one.id, one]));
  const all = [...known.values()].sort((a, b) => Number(b.id.slice(5)) - Number(a.id.slice(5)));
  await page.names.prepare(all);
  const input = h('input', {
    name: 'account',
    value: name ?? '',
    autocomplete: 'off',
    autocapitalize: 'none',
    spellcheck: 'false',
  });
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    const wanted = input.value.trim();
    location.hash = wanted === '' ? '#/proposals' : href('proposals', wanted);
  };
  return {
    title: name === undefined ? 'Proposals' : `Proposals for ${name}`,
    body: [
      quiet(
        name === undefined
          ? 'Those that wait for the committee or for active witnesses. Others are found by an account that they wait for.'
          : 'Those that wait for this account, or that it has approved.',
      ),
      h(
        'form',
        { class: 'card', onsubmit: onSubmit },
        field('Account', input),
        h('div', { class: 'actions' }, h('button', { type: 'submit' }, 'Show its proposals')),
      ),
      all.length === 0 ? quiet('There are none.') : h('div', { class: 'list' }, ...all.map((one) => card(page, one))),
    ],
  };
};

function approvals(page: Page, required: readonly string[], given: readonly string[]): HTMLElement {
  const items = [...new Set([...required, ...given])].map((id) =>
    h(
      'li',
      {},
      page.names.link(id),
      ' ',
      h(
        'span',
        { class: given.includes(id) ? 'state good' : 'state wait' },
        given.includes(id) ? 'approves' : 'not yet',
      ),
    ),
  );
  return h('ul', {}, ...items);
}

function card(page: Page, proposal: Proposal): HTMLElement {
  return h(
    'section',
    { class: 'card' },
    h('h2', {}, h('a', { href: href('object', proposal.id) }, `Proposal ${proposal.id}`)),
    proposalBody(page, proposal),
  );
}

/** In plain words: what would be done, who has to agree, and until when. */
export function proposalBody(page: Page, proposal: Proposal): HTMLElement {
  const keys = proposal.available_key_approvals.map((key) => h('li', {}, page.names.key(key)));
  const lines = proposal.proposed_transaction.operations.map((one) => h('li', {}, operationLine(page.names, one)));
  const needsOwner = proposal.required_owner_approvals.length + proposal.available_owner_approvals.length > 0;
  return h(
    'div',
    {},
    h('ol', {}, ...lines),
    facts(
      ['Open until', when(proposal.expiration_time)],
      ...(proposal.review_period_time === undefined
        ? []
        : ([['No approvals any more from', when(proposal.review_period_time)]] as const)),
      ['Approvals', approvals(page, proposal.required_active_approvals, proposal.available_active_approvals)],
      ...(needsOwner
        ? ([
            ['As owner', approvals(page, proposal.required_owner_approvals, proposal.available_owner_approvals)],
          ] as const)
        : []),
      ...(keys.length > 0 ? ([['Keys that approve', h('ul', {}, ...keys)]] as const) : []),
    ),
    json(proposal),
  );
}
