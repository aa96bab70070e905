import { field, form, h, link } from '../dom.js';
import type { ProductDetail } from '../market.js';
import type { Page } from '../page.js';

/** What members of a product do with it, and others who want to become members. */

interface Begun {
  readonly voteId: number;
}

/** The only member of a product decides at once. */
function began(page: Page, { voteId }: Begun): undefined {
  page.go(`#/vote/${voteId}`);
}

function numbersOf(text: string): readonly number[] {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  if (words.length === 0 || !words.every((word) => /^[1-9]\d{0,14}$/.test(word))) {
    throw new Error('Merchants are named by their numbers, such as 12, 15');
  }
  return words.map(Number);
}

function inviteForm(page: Page, id: string): HTMLElement {
  const numbers = h('input', { required: true, inputmode: 'numeric', autocomplete: 'off' });
  const invite = async (): Promise<undefined> => {
    const body = { members: numbersOf(numbers.value) };
    return began(page, await page.market.post<Begun>(`/market/product/${id}/members/add`, body));
  };
  return form(
    'Invite',
    invite,
    field('Merchants to sell it with you', numbers, { hint: 'Their numbers. A vote of the members begins.' }),
  );
}

function saleForm(page: Page, id: string, onSale: boolean): HTMLElement {
  const turn = async (): Promise<undefined> => {
    await page.market.post(`/market/product/${id}/sale`, { onSale: !onSale });
    await page.again();
  };
  return form(onSale ? 'Take it off sale' : 'Put it on sale again', turn);
}

function leaveForm(page: Page, id: string): HTMLElement {
  const sure = h('input', { type: 'checkbox', required: true });
  const leave = async (): Promise<undefined> => {
    await page.market.post(`/market/product/${id}/members/leave`);
    page.go('#/sell');
  };
  return form('Leave', leave, field('I want to sell it no longer', sure, { isInline: true }));
}

function applyForm(page: Page, id: string): HTMLElement {
  const apply = async (): Promise<undefined> =>
    began(page, await page.market.post<Begun>(`/market/product/${id}/members/add`, {}));
  return form('Apply', apply, h('p', {}, 'You sell data of this kind? Its members vote on whether you join them.'));
}

/** Nothing for strangers, and for accounts that are bound to no merchant. */
export async function membersPart(page: Page, id: string, product: ProductDetail): Promise<readonly HTMLElement[]> {
  if (page.user === undefined) return [];
  const merchant = await page.market.self();
  if (merchant === undefined) return [];
  const part = (...children: HTMLElement[]): HTMLElement => h('section', { class: 'card' }, ...children);
  if (!product.members.includes(merchant.merchantId)) return [part(h('h2', {}, 'Sell it too'), applyForm(page, id))];
  return [
    part(
      h('h2', {}, 'For its members'),
      h(
        'p',
        {},
        link(`#/change/${id}`, 'Change it'),
        ': a vote of the members begins; the only member decides at once.',
      ),
      inviteForm(page, id),
      ...(product.issuer === merchant.merchantId ? [saleForm(page, id, product.onSale)] : []),
      leaveForm(page, id),
    ),
  ];
}
