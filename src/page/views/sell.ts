import { field, form, h, link, table, time } from '../dom.js';
import { signInFirst } from '../guard.js';
import type { Merchant } from '../market.js';
import type { Page, View } from '../page.js';

/** Selling: whose merchant the account is, what it sells, and how its source is started. */

function bindForm(page: Page, merchant: Merchant | undefined, account: string): HTMLElement {
  const number = h('input', {
    type: 'number',
    min: 1,
    required: true,
    // One account is one merchant: a number that nobody else is likely to take.
    value: merchant?.merchantId ?? account.slice(4),
    readonly: merchant !== undefined,
  });
  const address = h('input', {
    type: 'url',
    required: true,
    placeholder: 'https://data.example/source',
    value: merchant?.serviceUrl,
  });
  const bind = async (): Promise<undefined> => {
    await page.market.bind(Number(number.value), address.value.trim());
    await page.again();
  };
  return form(
    merchant === undefined ? 'Bind' : 'Change the address',
    bind,
    field('Number of the merchant', number),
    field('Where your source is asked', address, { hint: 'An address that others reach: the exchange asks there.' }),
  );
}

/** Where it is asked at a port of its own, the source listens there; else whatever stands in front leads to the usual one. */
function endpointOf(serviceUrl: string): string {
  const { port } = new URL(serviceUrl);
  return port === '' ? '' : ` --endpoint 0.0.0.0:${port}`;
}

function howToStart({ settings, user }: Page, { products, serviceUrl }: Merchant): HTMLElement {
  const name = user?.name ?? '';
  const numbers = products.map(({ productId }) => `--product ${productId}`).join(' ');
  const where = `--node ${settings.node ?? 'URL'} --exchange ${settings.exchange ?? 'URL'}${endpointOf(serviceUrl)}`;
  const commands = [
    `trustnode keys open ${name}.key.json > source.key`,
    `trustnode datasource ${where} --account ${name} --key-file source.key ${numbers} --module your-source.mjs`,
  ];
  return h(
    'section',
    { class: 'card' },
    h('h2', {}, 'Start your source'),
    h(
      'p',
      {},
      'It tells the exchange every 30 seconds that it is there, opens questions, and seals what your module answers.',
    ),
    h('pre', { tabindex: '0', 'aria-label': 'Commands that start the source' }, commands.join('\n')),
    h(
      'p',
      { class: 'quiet' },
      'The first one asks for the password of your key file and leaves the key in source.key, which nobody else may read (chmod 600).',
    ),
  );
}

function productTable({ products }: Merchant): HTMLElement {
  return table(
    'What you sell',
    [
      { name: 'Product', cell: ({ productId, productName }) => link(`#/product/${productId}`, productName) },
      { name: 'Your part', cell: ({ isIssuer }) => (isIssuer ? 'issuer' : 'member') },
      { name: 'On sale', cell: ({ onSale }) => (onSale ? 'yes' : 'no') },
      { name: 'Since', cell: ({ joinedAt }) => time(joinedAt) },
    ],
    products,
  );
}

export const sellView: View = signInFirst('Sell', async (page) => {
  const { user } = page;
  const merchant = await page.market.self();
  const binding = h(
    'section',
    { class: 'card' },
    h('h2', {}, merchant === undefined ? 'Bind this account to a merchant' : `Merchant ${merchant.merchantId}`),
    bindForm(page, merchant, user?.account ?? ''),
  );
  if (merchant === undefined) return { title: 'Sell', body: [binding] };
  const { products } = merchant;
  return {
    title: 'Sell',
    body: [
      h('p', { class: 'parts' }, link('#/publish', 'Publish a product'), link('#/income', 'What I earned')),
      ...(products.length === 0 ? [] : [productTable(merchant), howToStart(page, merchant)]),
      binding,
    ],
  };
});
