import { h } from '../../page/dom.js';
import type { GlobalProperties } from '../answers.js';
import { type Bar, barChart } from '../bars.js';
import { group } from '../names.js';
import type { Page } from '../page.js';
import { quiet, section, timeMs } from '../parts.js';
import { href } from '../routes.js';
import { type Mark, missedBetween, type Skips } from '../slots.js';

/**
 * Slots that nobody filled, over time. A chain keeps one number for each witness and none of its past; but blocks are in
 * their slots, so a header here and there says how many were left out between. Whose they were is not written anywhere.
 */

const HOUR_MS = 3_600_000;
const SPANS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 168 * HOUR_MS, month: 720 * HOUR_MS, all: undefined } as const;
type Span = keyof typeof SPANS;
const BARS = 24;

/** `#/witnesses/day`: a header for each bar. */
export async function missedSlots(page: Page, wanted: string | undefined): Promise<HTMLElement> {
  const span: Span = wanted !== undefined && Object.hasOwn(SPANS, wanted) ? (wanted as Span) : 'day';
  const { parameters } = await page.node.call<GlobalProperties>('get_global_properties');
  const skips: Skips = {
    intervalMs: 1000 * page.interval,
    maintenanceMs: 1000 * parameters.maintenance_interval,
    slots: parameters.maintenance_skip_slots,
  };
  const head: Mark = { number: page.head.head_block_number, timeMs: timeMs(page.head.time) };
  const blocks = Math.min(head.number - 1, (SPANS[span] ?? Number.POSITIVE_INFINITY) / skips.intervalMs);
  const count = Math.min(BARS, Math.floor(blocks));
  const numbers = Array.from({ length: count }, (_, i) => Math.round(head.number - ((count - i) * blocks) / count));
  const marks = await Promise.all(numbers.map((number) => markOf(page, number)));
  const known = [...marks.filter((mark) => mark !== undefined), head];
  const bars = known.slice(1).map((to, i): Bar => {
    const from = known[i] as Mark;
    return { label: `Blocks ${group(from.number)} to ${group(to.number)}`, value: missedBetween(from, to, skips) };
  });
  const total = bars.reduce((sum, { value }) => sum + value, 0);
  const links = Object.keys(SPANS).map((one) =>
    h('a', { href: href('witnesses', one), 'aria-current': one === span ? 'true' : undefined }, one),
  );
  return section(
    'Missed slots over time',
    h('nav', { class: 'pages', 'aria-label': 'Time shown' }, ...links),
    bars.length === 0
      ? quiet('There are no blocks yet.')
      : barChart(
          `${group(total)} missed between blocks ${group((known[0] as Mark).number)} and ${group(head.number)}`,
          bars,
          'missed',
        ),
  );
}

async function markOf(page: Page, number: number): Promise<Mark | undefined> {
  const header = await page.node.tryCall<{ timestamp: string } | null>('get_block_header', number);
  return header ? { number, timeMs: timeMs(header.timestamp) } : undefined;
}
