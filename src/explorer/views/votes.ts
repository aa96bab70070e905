import { type Child, h, table } from '../../page/dom.js';
import type { Candidate, GlobalProperties } from '../answers.js';
import { group, plainUnits, shorten } from '../names.js';
import type { Page, View } from '../page.js';
import { csvButton, growing, quiet, section } from '../parts.js';
import { blockHref } from '../routes.js';
import { missedSlots } from './missed.js';

/** Those who stand for election: witnesses, who make blocks, and members of the committee. */

const LISTED_MAX = 1000;
const IDS_AT_ONCE = 200;
const SHOWN_AT_FIRST = 50;

interface Listed {
  readonly list: readonly Candidate[];
  readonly active: ReadonlySet<string>;
}

async function candidates(page: Page, method: string, who: keyof GlobalProperties): Promise<Listed> {
  const [named, globals] = await Promise.all([
    page.node.call<[string, string][]>(method, '', LISTED_MAX),
    page.node.call<GlobalProperties>('get_global_properties'),
  ]);
  const ids = named.map(([, id]) => id);
  const list: Candidate[] = [];
  for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
    const found = await page.node.call<(Candidate | null)[]>('get_objects', ids.slice(from, from + IDS_AT_ONCE));
    list.push(...found.filter((one) => one !== null));
  }
  list.sort((a, b) => Number(b.total_votes) - Number(a.total_votes) || Number(a.id.slice(4)) - Number(b.id.slice(4)));
  await page.names.prepare(ids);
  return { list, active: new Set(globals[who] as readonly string[]) };
}

const state = (isActive: boolean, isNow = false): HTMLElement =>
  h('span', { class: isActive ? 'state good' : 'state quiet' }, isNow ? 'head' : isActive ? 'active' : 'stands by');

/** Addresses of strangers are shown and not linked: who wants to go there copies them. */
const siteOf = ({ url }: Candidate): Child => shorten(url, 40);

const votesOf = (page: Page, { total_votes: amount = 0 }: Candidate): string =>
  page.names.units({ amount, asset_id: page.core });

/** `#/witnesses`, `#/witnesses/week` */
export const witnessesView: View = async (page, [span], left) => {
  const room = h('div', {});
  let shown = '';
  const show = async (): Promise<void> => {
    const { list, active } = await candidates(page, 'lookup_witness_accounts', 'active_witnesses');
    if (left.aborted) return;
    const made = JSON.stringify(list);
    if (made === shown) return;
    shown = made;
    room.replaceChildren(witnessTable(page, list, active));
  };
  const [missed] = await Promise.all([missedSlots(page, span), show()]);
  page.onBlock(show);
  return {
    title: 'Witnesses',
    body: [
      quiet('They make the blocks, in turns. Votes weigh what their voters have.'),
      section('By votes', room),
      missed,
    ],
  };
};

function witnessTable(page: Page, list: readonly Candidate[], active: ReadonlySet<string>): HTMLElement {
  const ranks = new Map(list.map(({ id }, i) => [id, i + 1]));
  const rows = growing(list, SHOWN_AT_FIRST, (some) =>
    table(
      `${group(active.size)} active of ${group(list.length)}`,
      [
        { name: 'Rank', isNumber: true, cell: ({ id }: Candidate) => String(ranks.get(id)) },
        { name: 'Witness', cell: ({ id }) => page.names.link(id) },
        { name: 'State', cell: ({ id }) => state(active.has(id), id === page.head.current_witness) },
        { name: 'Votes', isNumber: true, cell: (one) => votesOf(page, one) },
        { name: 'Missed', isNumber: true, cell: ({ total_missed: missed = 0 }) => group(missed) },
        {
          name: 'Last block',
          isNumber: true,
          cell: ({ last_confirmed_block_num: last = 0 }) =>
            Number(last) === 0 ? 'none' : h('a', { href: blockHref(last) }, group(last)),
        },
        { name: 'Address', cell: siteOf },
      ],
      some,
    ),
  );
  const cells = (one: Candidate) => [
    ranks.get(one.id) ?? 0,
    page.names.name(one.id),
    one.id,
    active.has(one.id) ? 'yes' : 'no',
    plainUnits(votesOf(page, one)),
    one.total_missed ?? 0,
    one.last_confirmed_block_num ?? 0,
  ];
  const columns = ['rank', 'account', 'id', 'active', 'votes', 'missed', 'last_block'];
  return h(
    'div',
    {},
    rows,
    csvButton('witnesses', columns, () => list.map(cells)),
  );
}

/** `#/committee` */
export const committeeView: View = async (page) => {
  const { list, active } = await candidates(page, 'lookup_committee_member_accounts', 'active_committee_members');
  const rows = growing(list, SHOWN_AT_FIRST, (some) =>
    table(
      `${group(active.size)} active of ${group(list.length)}`,
      [
        { name: 'Member', cell: ({ id }: Candidate) => page.names.link(id) },
        { name: 'State', cell: ({ id }) => state(active.has(id)) },
        { name: 'Votes', isNumber: true, cell: (one) => votesOf(page, one) },
        { name: 'Address', cell: siteOf },
      ],
      some,
    ),
  );
  const cells = (one: Candidate) => [
    page.names.name(one.id),
    one.id,
    active.has(one.id) ? 'yes' : 'no',
    plainUnits(votesOf(page, one)),
  ];
  return {
    title: 'Committee',
    body: [
      quiet('It decides on the parameters of the chain, by proposals.'),
      section(
        'By votes',
        rows,
        csvButton('committee', ['account', 'id', 'active', 'votes'], () => list.map(cells)),
      ),
    ],
  };
};
