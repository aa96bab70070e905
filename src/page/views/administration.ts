import { amountText } from '../amounts.js';
import { type Child, field, form, h, link, select, table, time } from '../dom.js';
import { signInFirst } from '../guard.js';
import type { Page, View } from '../page.js';

/** For administrators of the market: categories, bans, lost payments, letters. Others are told that they are none. */

const LIMIT = 100;

interface Ban {
  readonly kind: 'account' | 'product';
  readonly accountId?: string;
  readonly productId?: number;
  readonly reason: string;
  readonly by: string;
  readonly since: number;
}

interface Loss {
  readonly signature: string;
  readonly payer: string;
  readonly units: string;
  readonly source: string | null;
  readonly productId: number | null;
  readonly txid: string | null;
  readonly createdAt: number;
}

interface Mail {
  readonly id: number;
  readonly address: string;
  readonly subject: string;
  readonly state: string;
  readonly attempts: number;
  readonly failure: string | null;
  readonly createdAt: number;
}

type Act = (name: string, body: object) => Promise<undefined>;

const actOn =
  (page: Page): Act =>
  async (name, body) => {
    await page.market.post(`/market/${name}`, body);
    await page.again();
  };

const part = (title: string, ...children: readonly Child[]): HTMLElement =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children);
const none = (text: string): HTMLElement => h('p', { class: 'quiet' }, text);

async function categoriesPart(page: Page, act: Act): Promise<HTMLElement> {
  const categories = await page.market.categories();
  const added = h('input', { required: true, maxlength: 100, autocomplete: 'off' });
  const add = form('Create', () => act('category/create', { categoryName: added.value }), field('New category', added));
  if (categories.length === 0) return part('Categories', add);
  const which = select(
    {},
    categories.map(({ categoryId, categoryName }) => [String(categoryId), categoryName] as const),
  );
  const name = h('input', { required: true, maxlength: 100, autocomplete: 'off' });
  const rename = (): Promise<undefined> =>
    act('admin/category/rename', { categoryId: Number(which.value), categoryName: name.value });
  const gone = select(
    {},
    categories.map(({ categoryId, categoryName }) => [String(categoryId), categoryName] as const),
  );
  const remove = (): Promise<undefined> => act('admin/category/delete', { categoryId: Number(gone.value) });
  return part(
    'Categories',
    add,
    form('Rename', rename, field('Category to rename', which), field('Its new name', name)),
    form('Delete', remove, field('Category to delete', gone, { hint: 'One that no product is in.' })),
  );
}

async function bansPart(page: Page, act: Act): Promise<HTMLElement> {
  const { data } = await page.market.get<readonly Ban[]>('/market/admin/bans');
  const account = h('input', { required: true, pattern: '1\\.2\\.[0-9]+', autocomplete: 'off' });
  const product = h('input', { required: true, inputmode: 'numeric', pattern: '[1-9][0-9]*', autocomplete: 'off' });
  const reasons = [0, 1].map(() => h('input', { required: true, maxlength: 300, autocomplete: 'off' })) as [
    HTMLInputElement,
    HTMLInputElement,
  ];
  const banAccount = (): Promise<undefined> =>
    act('admin/ban/account', { accountId: account.value.trim(), reason: reasons[0].value });
  const banProduct = (): Promise<undefined> =>
    act('admin/ban/product', { productId: Number(product.value), reason: reasons[1].value });
  const lift = ({ kind, accountId, productId }: Ban): Promise<undefined> =>
    act(`admin/allow/${kind}`, kind === 'account' ? { accountId } : { productId });
  const who = ({ accountId, productId }: Ban): string => accountId ?? `product ${productId}`;
  const list =
    data.length === 0
      ? none('Nobody and nothing is banned.')
      : table(
          'Bans, the newest first',
          [
            {
              name: 'Who or what',
              cell: ({ accountId, productId }) => accountId ?? link(`#/product/${productId}`, `Product ${productId}`),
            },
            { name: 'Why', cell: ({ reason }) => reason },
            { name: 'By', cell: ({ by }) => by },
            { name: 'Since', cell: ({ since }) => time(since) },
            { name: 'End', cell: (one) => form(`Lift the ban of ${who(one)}`, () => lift(one)) },
          ],
          data,
        );
  return part(
    'Bans',
    list,
    form(
      'Ban the account',
      banAccount,
      field('Account', account, { hint: 'Its id, such as 1.2.17. It neither buys nor sells from then on.' }),
      field('Why the account', reasons[0]),
    ),
    form('Ban the product', banProduct, field('Number of the product', product), field('Why the product', reasons[1])),
  );
}

async function lossesPart(page: Page, act: Act): Promise<HTMLElement> {
  const { data, total } = await page.market.get<readonly Loss[]>(`/market/admin/lost?limit=${LIMIT}`);
  if (data.length === 0) return part('Lost payments', none('None waits for you.'));
  const settle = ({ signature }: Loss): HTMLElement => {
    const note = h('input', { required: true, maxlength: 300, autocomplete: 'off' });
    return form(
      'Settle',
      () => act('admin/lost/settle', { signature, note: note.value }),
      field('What was done about it', note),
    );
  };
  return part(
    `Lost payments (${total})`,
    h('p', {}, 'The data was handed out, and the payment is in no block and never will be.'),
    table(
      'Lost payments, the newest first',
      [
        { name: 'When', cell: ({ createdAt }) => time(createdAt) },
        { name: 'Buyer', cell: ({ payer }) => payer },
        { name: 'Source', cell: ({ source }) => source ?? '' },
        { name: 'Product', cell: ({ productId }) => String(productId ?? '') },
        { name: 'Amount', isNumber: true, cell: ({ units }) => amountText(BigInt(units), page.settings) },
        { name: 'Transaction', cell: ({ txid }) => h('code', {}, txid ?? '') },
        { name: 'End', cell: settle },
      ],
      data,
    ),
  );
}

async function outboxPart(page: Page, act: Act): Promise<HTMLElement> {
  const { data, total } = await page.market.get<readonly Mail[]>(`/market/admin/outbox?limit=${LIMIT}`);
  if (data.length === 0) return part('E-mails', none('There are none.'));
  const change = (name: string, { id }: Mail): Promise<undefined> => act(`admin/outbox/${name}`, { id });
  return part(
    `E-mails (${total})`,
    table(
      'E-mails, the newest first',
      [
        { name: 'When', cell: ({ createdAt }) => time(createdAt) },
        { name: 'To', cell: ({ address }) => address },
        { name: 'Subject', cell: ({ subject }) => subject },
        { name: 'State', cell: ({ state, attempts }) => `${state}, ${attempts} tries` },
        { name: 'What went wrong', cell: ({ failure }) => failure ?? '' },
        {
          name: 'Change',
          cell: (one) =>
            h(
              'div',
              {},
              one.state !== 'sent' && form(`Send ${one.id} now`, () => change('retry', one)),
              ['waiting', 'dead'].includes(one.state) && form(`Drop ${one.id}`, () => change('drop', one)),
            ),
        },
      ],
      data,
    ),
  );
}

export const isAdmin = async (page: Page): Promise<boolean> =>
  (await page.market.get<{ readonly isAdmin: boolean }>('/market/admin/self')).data.isAdmin;

const TITLE = 'Administration';

export const administrationView: View = signInFirst(TITLE, async (page) => {
  if (!(await isAdmin(page))) return { title: TITLE, body: [none('This account is no administrator of this market.')] };
  const act = actOn(page);
  const parts = [bansPart, lossesPart, outboxPart, categoriesPart];
  return { title: TITLE, body: await Promise.all(parts.map((one) => one(page, act))) };
});
