import { field, form, h } from '../../page/dom.js';
import { NotFound, type Page, type View } from '../page.js';
import { timeMs } from '../parts.js';
import { blockHref, href } from '../routes.js';

/** The first block from a moment on. */

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;

async function blockAt(page: Page, ms: number): Promise<number | undefined> {
  let [low, high] = [1, page.head.head_block_number];
  if (ms > timeMs(page.head.time)) return undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const header = await page.node.call<{ timestamp: string } | null>('get_block_header', middle);
    // A node that began behind a snapshot has no older ones.
    if (header === null || timeMs(header.timestamp) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `#/time/2026-11-23T12:00:00`, in UTC: goes on to the block. */
export const momentView: View = async (page, [wanted = ''], left) => {
  if (!TIME.test(wanted) || Number.isNaN(timeMs(wanted))) throw new NotFound(`${wanted} is no time.`);
  const number = await blockAt(page, timeMs(wanted));
  if (number === undefined) throw new NotFound(`${wanted.replace('T', ' ')} UTC is later than the head.`);
  // Whoever has gone elsewhere meanwhile stays there.
  if (!left.aborted) page.go(blockHref(number));
  return { title: `Looking for ${wanted}`, body: [] };
};

export function momentForm(page: Page): HTMLElement {
  const input = h('input', { type: 'datetime-local', step: 1, required: true, value: page.head.time });
  const go = async (): Promise<undefined> => {
    location.hash = href('time', input.value);
    return undefined;
  };
  return form('Go there', go, field('Block at a time (UTC)', input));
}
