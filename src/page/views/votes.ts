import { amountText } from '../amounts.js';
import { facts, field, form, h, link, table, time } from '../dom.js';
import { bindFirst } from '../guard.js';
import type { Price } from '../market.js';
import type { Page, View } from '../page.js';

/** Votes of the members of products: to cast, cast, and over. */

const KINDS = [
  ['0', 'To cast'],
  ['3', 'Cast, still open'],
  ['1', 'Passed'],
  ['2', 'Rejected'],
] as const;
const LIMIT = 50;
const STATUS: Readonly<Record<string, string>> = { INPROGRESS: 'open', PASS: 'passed', REJECT: 'rejected' };
const TYPES: Readonly<Record<string, string>> = {
  APPLY: 'somebody wants to become a member',
  ADD_MEMBER: 'merchants are invited',
  UPDATE_PRODUCT: 'the product is to change',
};

interface Listed {
  readonly voteId: number;
  readonly productId: number;
  readonly productName: string;
  readonly createDate: string;
  readonly status: string;
  readonly requester: number;
  readonly type: string;
}

interface Values {
  readonly productName: string;
  readonly briefDesc: string;
  readonly price: Price;
  readonly categoryId: number;
  readonly privacy: boolean;
  readonly input: object;
  readonly output: object;
}

interface Vote extends Omit<Listed, 'productName'> {
  readonly expireAt: number;
  readonly members?: readonly { readonly merchantId: number; readonly merchantName: string }[];
  readonly from?: Values;
  readonly to?: Values;
}

export const votesView: View = bindFirst('Votes', async (page, _, [given = '0']) => {
  const kind = KINDS.find(([value]) => value === given)?.[0] ?? '0';
  const { data } = await page.market.get<readonly Listed[]>(`/market/product/all/votes/${kind}?limit=${LIMIT}`);
  const parts = KINDS.map(([value, text]) =>
    h('a', { href: `#/votes/${value}`, 'aria-current': value === kind ? 'page' : undefined }, text),
  );
  const rows =
    data.length === 0
      ? h('p', { class: 'quiet' }, 'There are none.')
      : table(
          'Votes, the newest first',
          [
            { name: 'Vote', cell: ({ voteId, type }) => link(`#/vote/${voteId}`, `${voteId}: ${TYPES[type] ?? type}`) },
            { name: 'Product', cell: ({ productId, productName }) => link(`#/product/${productId}`, productName) },
            { name: 'Asked for by', cell: ({ requester }) => `Merchant ${requester}` },
            { name: 'Begun', cell: ({ createDate }) => time(Date.parse(`${createDate}Z`)) },
          ],
          data,
        );
  return { title: 'Votes', body: [h('nav', { class: 'parts', 'aria-label': 'Kinds of votes' }, ...parts), rows] };
});

/** Before and after, of what differs. */
function changes(page: Page, from: Values, to: Values): HTMLElement {
  const shown = (values: Values): Readonly<Record<string, string>> => ({
    Name: values.productName,
    Description: values.briefDesc,
    Price: amountText(BigInt(values.price.amount), page.settings),
    Category: String(values.categoryId),
    'Consent of the person': values.privacy ? 'needed' : 'not needed',
    'What is given': JSON.stringify(values.input, null, 2),
    'What comes back': JSON.stringify(values.output, null, 2),
  });
  const [before, after] = [shown(from), shown(to)];
  const rows = Object.keys(before).filter((name) => before[name] !== after[name]);
  if (rows.length === 0) return h('p', { class: 'quiet' }, 'Nothing but the logo changes.');
  return table(
    'What is to change',
    [
      { name: 'What', cell: (name) => name },
      { name: 'Now', cell: (name) => h('pre', {}, before[name] ?? '') },
      { name: 'Then', cell: (name) => h('pre', {}, after[name] ?? '') },
    ],
    rows,
  );
}

function ballot(page: Page, voteId: number): HTMLElement {
  const [yes, no] = ['1', '0'].map((value) => h('input', { type: 'radio', name: 'agree', value, required: true })) as [
    HTMLInputElement,
    HTMLInputElement,
  ];
  const cast = async (): Promise<undefined> => {
    await page.market.post('/market/product/vote', { agree: yes.checked ? 1 : 0, voteId });
    await page.again();
  };
  return form(
    'Cast my ballot',
    cast,
    h(
      'fieldset',
      {},
      h('legend', {}, 'Do you agree?'),
      field('I agree', yes, { isInline: true }),
      field('I do not agree', no, { isInline: true }),
    ),
  );
}

/** Running ones that still wait for the caller's ballot. */
async function maysVote(page: Page, productId: number, voteId: number): Promise<boolean> {
  const { data } = await page.market.get<readonly Listed[]>(`/market/product/${productId}/votes/0?limit=100`);
  return data.some((one) => one.voteId === voteId);
}

export const voteView: View = bindFirst('Vote', async (page, { merchantId }, [id = '']) => {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new Error('There is no such vote');
  const { data: vote } = await page.market.get<Vote>(`/market/product/votes/${id}`);
  const { type, status, requester, productId, expireAt, members = [], from, to } = vote;
  const isOpen = status === 'INPROGRESS';
  const isOwnWish = type === 'APPLY' && requester === merchantId;
  const mayVote = isOpen && !isOwnWish && (await maysVote(page, productId, vote.voteId));
  return {
    title: `Vote ${id}: ${TYPES[type] ?? type}`,
    body: [
      facts(
        ['Product', link(`#/product/${productId}`, `Product ${productId}`)],
        ['Asked for by', `Merchant ${requester}`],
        ['State', STATUS[status] ?? status],
        [isOpen ? 'Open until' : 'Would have ended', time(expireAt)],
        ...(members.length === 0
          ? []
          : [
              [
                'Who',
                members.map(({ merchantId: one, merchantName }) => merchantName || `Merchant ${one}`).join(', '),
              ] as const,
            ]),
      ),
      ...(from === undefined || to === undefined ? [] : [changes(page, from, to)]),
      ...(mayVote ? [h('section', { class: 'card' }, ballot(page, vote.voteId))] : []),
    ],
  };
});
