import { h, svg, table } from './dom.js';
import { ceiling } from './round-numbers.js';

/** Charts of bills, drawn here. Each is a picture with a sentence, and a table for whoever wants the numbers. */

interface Day {
  readonly label: string;
  readonly amount: number;
}

/** In pixels; all widths are parts of what the page gives, so that texts have one size however wide that is. */
const HEIGHT = 200;
const BOTTOM = 28;
const TOP = 12;
/** Every so many days have their name below. */
const NAMED = 7;

const percent = (part: number): string => `${(100 * part).toFixed(2)}%`;

const roundText = (value: number): string => String(Number(value.toPrecision(12)));

function asTable(title: string, symbol: string, days: readonly Day[]): HTMLElement {
  return h(
    'details',
    {},
    h('summary', {}, 'The same as a table'),
    table(
      title,
      [
        { name: 'Day', cell: ({ label }) => label },
        { name: symbol, isNumber: true, cell: ({ amount }) => roundText(amount) },
      ],
      days,
    ),
  );
}

/** One bar for each day, the oldest on the left. */
export function dayChart(title: string, symbol: string, days: readonly Day[], name: 'spent' | 'received'): HTMLElement {
  const top = ceiling(Math.max(...days.map(({ amount }) => amount)));
  const room = 1 / days.length;
  const height = HEIGHT - BOTTOM - TOP;
  const yOf = (value: number): number => TOP + height * (1 - value / top);
  const lines = [0, 0.5, 1].map((part) => {
    const y = yOf(top * part);
    return svg(
      'g',
      {},
      svg('line', { class: 'grid', x1: 0, x2: '100%', y1: y, y2: y }),
      // Beside the newest days: on a phone those are what is seen of a chart.
      svg('text', { class: 'scale', x: '100%', dx: 8, y: y + 4 }, roundText(top * part)),
    );
  });
  const bars = days.map(({ label, amount }, i) =>
    svg(
      'rect',
      {
        class: name,
        x: percent((i + 0.15) * room),
        y: yOf(amount).toFixed(1),
        width: percent(0.7 * room),
        height: ((height * amount) / top).toFixed(1),
      },
      svg('title', {}, `${label}: ${roundText(amount)} ${symbol}`),
    ),
  );
  const last = days.length - 1;
  const names = days.flatMap(({ label }, i) => {
    if ((last - i) % NAMED !== 0) return [];
    return [svg('text', { class: 'day', x: percent((i + 0.5) * room), y: HEIGHT - 8 }, label)];
  });
  const sum = roundText(days.reduce((all, { amount }) => all + amount, 0));
  const picture = {
    class: 'chart',
    height: HEIGHT,
    role: 'img',
    'aria-label': `${title}: ${sum} ${symbol}`,
  };
  return h(
    'figure',
    {},
    h('figcaption', {}, `${title}: ${sum} ${symbol}`),
    h(
      'div',
      { class: 'scroll', role: 'region', 'aria-label': title, tabindex: '0' },
      svg('svg', picture, ...lines, ...bars, ...names),
    ),
    asTable(title, symbol, days),
  );
}

/** What part of a sum it is: the number, and the same as a bar. */
export function partOf(amount: number, sum: number): HTMLElement {
  const part = sum > 0 ? amount / sum : 0;
  return h(
    'div',
    { class: 'part' },
    `${(100 * part).toFixed(1)} %`,
    svg(
      'svg',
      { height: 12, 'aria-hidden': 'true', focusable: 'false' },
      svg('rect', { class: 'idle', width: '100%', height: '100%' }),
      svg('rect', { class: 'spent', width: percent(part), height: '100%' }),
    ),
  );
}
