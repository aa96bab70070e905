import { decimalText, readUnits } from '../amounts.js';
import { field, form, freshId, h, select } from '../dom.js';
import { bindFirst } from '../guard.js';
import type { Category, Descriptor, Descriptors, ProductDetail } from '../market.js';
import type { Page, View } from '../page.js';

/** Publishing a product, and changing one: a form that builds the descriptors. */

/** What all clients know comes first. */
const TYPES = ['string', 'integer', 'boolean', 'number', 'date', 'json', 'array', 'raw'] as const;
const LOGO_BYTES_MAX = 204_800;
const NO_CATEGORY =
  'This market has no category yet, and a product is in one: its operator makes them under Administration.';

interface Row {
  readonly element: HTMLElement;
  read(): readonly [string, Descriptor] | undefined;
}

/** A sample is a value of the type. */
function sampleOf(name: string, type: string, text: string): unknown {
  if (text === '') return undefined;
  if (type === 'string' || type === 'date') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`The sample of ${name} is no ${type}`);
  }
}

function descriptorRow(isInput: boolean, name: string, one: Descriptor | undefined, gone: () => void): Row {
  const named = h('input', {
    value: name,
    pattern: '[A-Za-z0-9_.\\-]{1,64}',
    autocomplete: 'off',
    spellcheck: 'false',
  });
  const type = select(
    {},
    TYPES.map((value) => [value, value] as const),
    one?.type ?? 'string',
  );
  const desc = h('input', { value: one?.desc ?? '', maxlength: 1000 });
  const required = h('input', { type: 'checkbox', checked: one?.required ?? true });
  const known = one?.sample;
  const sample = h('input', {
    value: known === undefined ? '' : typeof known === 'string' ? known : JSON.stringify(known),
  });
  const remove = (): void => {
    element.remove();
    gone();
  };
  const element: HTMLElement = h(
    'div',
    { class: 'row', role: 'group', 'aria-label': isInput ? 'A parameter' : 'A value' },
    field('Name', named),
    field('Type', type),
    field('What it is', desc),
    field('Sample', sample),
    isInput && field('Required', required, { isInline: true }),
    h('button', { type: 'button', class: 'plain', onclick: remove }, 'Remove'),
  );
  return {
    element,
    read: () => {
      const key = named.value.trim();
      if (key === '') return undefined;
      const value = sampleOf(key, type.value, sample.value.trim());
      return [
        key,
        {
          type: type.value,
          desc: desc.value.trim(),
          ...(isInput ? { required: required.checked } : {}),
          ...(value === undefined ? {} : { sample: value }),
        },
      ];
    },
  };
}

/** Rows that come and go. */
function descriptorsField(legend: string, isInput: boolean, known: Descriptors) {
  const rows = new Set<Row>();
  const list = h('div', { class: 'rows' });
  const more = h('button', { type: 'button', class: 'plain' }, isInput ? 'One more parameter' : 'One more value');
  const add = (name = '', one?: Descriptor): Row => {
    const row = descriptorRow(isInput, name, one, () => {
      rows.delete(row);
      more.focus();
    });
    rows.add(row);
    list.append(row.element);
    return row;
  };
  more.addEventListener('click', () => add().element.querySelector('input')?.focus());
  for (const [name, one] of Object.entries(known)) add(name, one);
  if (rows.size === 0) add();
  return {
    element: h('fieldset', {}, h('legend', {}, legend), list, h('div', { class: 'actions' }, more)),
    read: (): Descriptors => {
      const entries = [...rows].flatMap((row) => {
        const read = row.read();
        return read === undefined ? [] : [read];
      });
      const names = entries.map(([name]) => name);
      if (new Set(names).size < names.length) throw new Error('Two of them have the same name');
      return Object.fromEntries(entries);
    },
  };
}

async function logoOf(input: HTMLInputElement): Promise<string | undefined> {
  const file = input.files?.[0];
  if (file === undefined) return undefined;
  if (file.size > LOGO_BYTES_MAX) throw new Error('The logo is larger than 200 KiB');
  const bytes = new Uint8Array(await file.arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

function productForm(
  { settings }: Page,
  categories: readonly Category[],
  known: ProductDetail | undefined,
  send: (body: object) => Promise<undefined>,
) {
  const name = h('input', { required: true, maxlength: 100, value: known?.productName });
  const brief = h('textarea', { rows: 3, maxlength: 1000 }, known?.briefDesc ?? '');
  const category = select(
    { required: true },
    categories.map(({ categoryId, categoryName }) => [String(categoryId), categoryName] as const),
    known?.categoryId,
  );
  const price = h('input', {
    required: true,
    inputmode: 'decimal',
    value: known === undefined ? '' : decimalText(BigInt(known.price.amount), settings.precision),
  });
  const share = h('input', { type: 'number', min: 1, max: 100, value: 51, required: true, id: freshId('share') });
  const logo = h('input', { type: 'file', accept: 'image/png,image/jpeg,image/gif,image/webp' });
  const privacy = h('input', { type: 'checkbox', checked: known?.privacy });
  const input = descriptorsField('What buyers give', true, known?.input ?? {});
  const output = descriptorsField('What buyers get', false, known?.output ?? {});
  const run = async (): Promise<undefined> => {
    const picture = await logoOf(logo);
    return send({
      productName: name.value.trim(),
      briefDesc: brief.value.trim(),
      categoryId: Number(category.value),
      price: { amount: Number(readUnits(price.value, settings)), assetId: settings.asset },
      privacy: privacy.checked,
      input: input.read(),
      output: output.read(),
      ...(known === undefined ? { voteThrehold: Number(share.value) / 100 } : {}),
      ...(picture === undefined ? {} : { logoImgBase64: picture }),
    });
  };
  return form(
    known === undefined ? 'Publish' : 'Ask the members for this change',
    run,
    field('Name', name),
    field('Description', brief),
    field('Category', category),
    field(`Price of one answer (${settings.symbol})`, price),
    known === undefined &&
      field('Members who must agree to changes, in percent', share, { hint: 'It never changes afterwards.' }),
    field('Logo', logo, { hint: 'PNG, JPEG, GIF or WebP of at most 200 KiB' }),
    field('The person whom the data is about has to agree', privacy, { isInline: true }),
    input.element,
    output.element,
  );
}

export const publishView: View = bindFirst('Publish a product', async (page) => {
  const publish = async (body: object): Promise<undefined> => {
    await page.market.post('/market/product/create', body);
    page.go('#/sell');
  };
  const title = 'Publish a product';
  // Each product is in one, and only administrators make them.
  const categories = await page.market.categories();
  if (categories.length === 0) return { title, body: [h('p', {}, NO_CATEGORY)] };
  return { title, body: [productForm(page, categories, undefined, publish)] };
});

export const changeView: View = bindFirst('Change a product', async (page, _, [id = '']) => {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw new Error('There is no such product');
  const product = await page.market.product(id);
  const categories = await page.market.categories();
  const change = async (body: object): Promise<undefined> => {
    const { voteId } = await page.market.post<{ readonly voteId: number }>(`/market/product/${id}/update`, body);
    page.go(`#/vote/${voteId}`);
  };
  return { title: `Change ${product.productName}`, body: [productForm(page, categories, product, change)] };
});
