import { h, svg } from '../page/dom.js';
import { ceiling } from '../page/round-numbers.js';

/** Charts of the latest blocks, drawn here: a picture with a sentence, and each bar says what it is. */

export interface Bar {
  readonly label: string;
  readonly value: number;
}

const WIDTH = 360;
const HEIGHT = 106;
const TOP = 1;
const LEFT = 2;

const roundText = (value: number): string => String(Number(value.toPrecision(4)));

/** One bar for each block, the newest on the right. */
export function barChart(title: string, bars: readonly Bar[], unit: string): HTMLElement {
  const top = ceiling(Math.max(0, ...bars.map(({ value }) => value)));
  const room = (WIDTH - LEFT) / Math.max(1, bars.length);
  const height = HEIGHT - TOP;
  const rects = bars.map(({ label, value }, i) => {
    const tall = Math.max(value > 0 ? 1.5 : 0, (height * value) / top);
    return svg(
      'rect',
      {
        class: 'bar',
        x: (LEFT + i * room + room * 0.1).toFixed(1),
        y: (HEIGHT - tall).toFixed(1),
        width: (room * 0.8).toFixed(1),
        height: tall.toFixed(1),
      },
      svg('title', {}, `${label}: ${roundText(value)} ${unit}`),
    );
  });
  const mean = bars.length === 0 ? 0 : bars.reduce((sum, { value }) => sum + value, 0) / bars.length;
  const highest = Math.max(0, ...bars.map(({ value }) => value));
  const words = `${roundText(mean)} ${unit} on average, ${roundText(highest)} at most`;
  return h(
    'figure',
    {},
    h('figcaption', {}, title),
    // Beside the picture, which grows and shrinks with the page.
    h('p', { class: 'quiet scale' }, `${roundText(top)} ${unit}`),
    svg(
      'svg',
      {
        class: 'chart',
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        // As wide as its card, however low that makes the bars: there is no text in it that would be pulled apart.
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `${title}: ${words}`,
      },
      svg('line', { class: 'grid', x1: 0, x2: WIDTH, y1: TOP, y2: TOP }),
      svg('line', { class: 'grid', x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }),
      ...rects,
    ),
    h('p', { class: 'quiet' }, words),
  );
}

/** 128 slots, the newest on the right. What lies before the first filled one is no miss but another time. */
export function slotChart(filledDecimal: string): SVGElement {
  const filled = BigInt(filledDecimal);
  const known = filled === 0n ? 0 : filled.toString(2).length;
  let missed = 0;
  const rects = Array.from({ length: 128 }, (_, i) => {
    const isFilled = ((filled >> BigInt(127 - i)) & 1n) === 1n;
    const isMissed = !isFilled && 127 - i < known;
    if (isMissed) missed++;
    const name = isFilled ? 'good' : isMissed ? 'bad' : 'idle';
    return svg('rect', { x: i * 3, y: 0, width: 2.4, height: 24, rx: 0.8, class: `slot-${name}` });
  });
  const label = `The last 128 slots: ${missed} missed`;
  return svg('svg', { class: 'slots', viewBox: '0 0 384 24', role: 'img', 'aria-label': label }, ...rects);
}
