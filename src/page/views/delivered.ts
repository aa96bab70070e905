import type { Delivery, Purchase } from '../../trade/buyer.js';
import { reasonOf } from '../../trade/reasons.js';
import { facts, h, problem } from '../dom.js';
import { jsonLines } from '../json.js';

/** What sources have delivered, opened in this browser. */

const WORDS: Readonly<Record<Delivery['status'], string>> = {
  SUCCESS: 'delivered',
  NONE: 'has no such data',
  TIMEOUT: 'has not answered in time',
  FAIL: 'has failed',
};

/** In words, with the one of the exchange for whoever asks its operator. */
function reasonShown(comment: string): string {
  const reason = reasonOf(comment);
  return reason === undefined ? comment : `${reason} (${comment})`;
}

function deliveryOf({ source, status, comment, txid, data, warnings }: Delivery): HTMLElement {
  return h(
    'li',
    { class: 'card delivery' },
    h('h3', {}, `1.2.${source} ${WORDS[status]}`),
    facts(
      txid === undefined ? ['Paid', 'nothing'] : ['Paid by transaction', h('code', {}, txid)],
      ...(comment === '' ? [] : [['Reason', reasonShown(comment)] as const]),
    ),
    warnings.length > 0 && problem(`It is not what the product describes: ${warnings.join('; ')}.`),
    data !== undefined && h('pre', { tabindex: '0', 'aria-label': `Data of 1.2.${source}` }, jsonLines(data)),
    status === 'SUCCESS' &&
      data === undefined &&
      comment === '' &&
      h('p', { class: 'quiet' }, 'The exchange keeps the data no longer.'),
  );
}

export function delivered({ requestId, isFinished, deliveries }: Purchase): HTMLElement {
  return h(
    'div',
    { class: 'delivered' },
    h('p', { class: 'quiet' }, 'Request ', h('code', {}, requestId)),
    !isFinished && h('p', {}, 'Not all sources have answered yet. It goes on without this page; look under Purchases.'),
    h('ul', { class: 'plain-list' }, ...deliveries.map(deliveryOf)),
  );
}
