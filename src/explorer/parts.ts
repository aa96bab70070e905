import { type Child, download, h } from '../page/dom.js';
import type { Operation, Transaction } from './answers.js';
import { type Cell, csvText } from './csv.js';
import { type Names, operationName, shorten } from './names.js';
import { href } from './routes.js';

/** Pieces that several views have in common. */

export { when } from './names.js';

const JSON_CHARS_MAX = 200_000;

/** As it came from the node, for whoever wants to know it exactly. */
export function json(value: unknown, isOpen = false): HTMLElement {
  const text = JSON.stringify(value, null, 2);
  return h(
    'details',
    { open: isOpen },
    h('summary', {}, 'As JSON'),
    h('pre', { tabindex: '0', 'aria-label': 'JSON' }, shorten(text, JSON_CHARS_MAX)),
  );
}

export const section = (title: string, ...children: readonly Child[]): HTMLElement =>
  h('section', { class: 'card' }, h('h2', {}, title), ...children);

export const quiet = (text: string): HTMLElement => h('p', { class: 'quiet' }, text);

export const timeMs = (chainTime: string): number => Date.parse(`${chainTime}Z`);

export function txLink(id: string, room = 14): HTMLAnchorElement {
  return h('a', { class: 'mono', href: href('tx', id), title: id }, shorten(id, room));
}

/** One line: kind, then the sentence. */
export function operationLine(names: Names, operation: Operation): HTMLElement {
  return h(
    'div',
    { class: 'operation' },
    h('span', { class: 'kind' }, operationName(operation[0])),
    ' ',
    names.sentence(operation),
  );
}

const LINES_MAX = 4;

export function operationLines(names: Names, { operations }: Transaction): HTMLElement {
  const shown = operations.slice(0, LINES_MAX).map((operation) => operationLine(names, operation));
  const left = operations.length - shown.length;
  return h('div', {}, ...shown, left > 0 && h('div', { class: 'quiet' }, `and ${left} more`));
}

export interface PageLink {
  readonly href: string | undefined;
  readonly text: string;
}

/** Earlier and later, where there are any. */
export function pager(...links: readonly PageLink[]): HTMLElement {
  const shown = links.flatMap(({ href: target, text }) =>
    target === undefined ? [] : [h('a', { href: target }, text)],
  );
  return shown.length === 0 ? h('span', {}) : h('nav', { class: 'pages', 'aria-label': 'Pages' }, ...shown);
}

/** The first of many, and a button for more of them. */
export function growing<R>(rows: readonly R[], step: number, draw: (some: readonly R[]) => HTMLElement): HTMLElement {
  const room = h('div', {});
  const show = (count: number): void => {
    const more = h('button', { type: 'button', class: 'plain', onclick: () => show(count + step) }, 'Show more');
    room.replaceChildren(draw(rows.slice(0, count)), ...(count < rows.length ? [h('p', {}, more)] : []));
  };
  show(step);
  return room;
}

/** A list as a file for spreadsheets. */
export function csvButton(
  name: string,
  columns: readonly string[],
  rows: () => readonly (readonly Cell[])[],
): HTMLElement {
  const save = (): void => download(`${name}.csv`, 'text/csv', csvText(columns, rows()));
  return h('p', {}, h('button', { type: 'button', class: 'plain', onclick: save }, 'Save as CSV'));
}
