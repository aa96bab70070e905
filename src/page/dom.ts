import { visible } from '../codec/visible.js';

/** Building blocks of the views. What comes from elsewhere is only ever set as text, never as markup, and can be seen. */

export type Child = Node | string | undefined | false;
type Listener = (event: Event) => unknown;
type Attributes = Readonly<Record<string, string | number | boolean | undefined | Listener>>;

/** What is read. Others are what somebody has typed and sends again, or are addresses. */
const READ: ReadonlySet<string> = new Set(['alt', 'aria-label', 'placeholder', 'title']);

const textOf = (name: string, value: string | number | true): string =>
  value === true ? '' : READ.has(name) ? visible(String(value)) : String(value);

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.replace(/^on/, ''), value);
    else if (value !== undefined && value !== false) element.setAttribute(name, textOf(name, value));
  }
  const isTyped = element.localName === 'textarea';
  for (const child of children) {
    if (child === undefined || child === false) continue;
    element.append(typeof child === 'string' && !isTyped ? visible(child) : child);
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

export function svg(name: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name);
  fill(element, attributes, children);
  return element;
}

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
}

/** For screen readers: what has just happened. */
export function say(text: string): void {
  byId('said').textContent = visible(text);
}

/** Of the window. */
export function entitle(text: string): void {
  document.title = visible(text);
}

let count = 0;
/** A name for an element that another one points at. */
export const freshId = (name: string): string => `${name}-${++count}`;

interface FieldOptions {
  readonly hint?: string;
  /** Beside the control instead of below the label. */
  readonly isInline?: boolean;
}

/** A control with its label, and a hint that belongs to it. */
export function field(
  label: Child,
  control: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement,
  { hint, isInline = false }: FieldOptions = {},
): HTMLElement {
  control.id ||= freshId('field');
  const hintId = `${control.id}-hint`;
  if (hint !== undefined) control.setAttribute('aria-describedby', hintId);
  return h(
    'div',
    { class: isInline ? 'field inline' : 'field' },
    h('label', { for: control.id }, label),
    control,
    hint !== undefined && h('span', { class: 'hint', id: hintId }, hint),
  );
}

export function select(
  attributes: Attributes,
  choices: readonly (readonly [value: string, text: string])[],
  chosen = '',
): HTMLSelectElement {
  const options = choices.map(([value, text]) => h('option', { value, selected: value === chosen }, text));
  return h('select', attributes, ...options);
}

interface Column<R> {
  readonly name: string;
  readonly isNumber?: boolean;
  readonly cell: (row: R) => Child;
}

/** A phone has no room for more columns beside each other. */
const NARROW_COLUMNS_MAX = 4;

/**
 * Wide ones scroll by themselves: a region that the keyboard reaches. On a phone each row is a list of names and values,
 * where a page wants that for all of them or for those with `many` columns; the roles say that it is a table all the same.
 */
export function table<R>(caption: string, columns: readonly Column<R>[], rows: readonly R[]): HTMLElement {
  const classOf = ({ isNumber }: Column<R>): string | undefined => (isNumber === true ? 'number' : undefined);
  const head = columns.map((column) =>
    h('th', { scope: 'col', role: 'columnheader', class: classOf(column) }, column.name),
  );
  const lineOf = (row: R): HTMLElement => {
    const cells = columns.map((column) =>
      h('td', { role: 'cell', class: classOf(column), 'data-name': column.name }, column.cell(row)),
    );
    return h('tr', { role: 'row' }, ...cells);
  };
  return h(
    'div',
    {
      class: columns.length > NARROW_COLUMNS_MAX ? 'scroll many' : 'scroll',
      role: 'region',
      'aria-label': caption,
      tabindex: '0',
    },
    h(
      'table',
      { role: 'table' },
      h('caption', {}, caption),
      h('thead', { role: 'rowgroup' }, h('tr', { role: 'row' }, ...head)),
      h('tbody', { role: 'rowgroup' }, ...rows.map(lineOf)),
    ),
  );
}

/** Name and value, one below the other on a phone. */
export const facts = (...entries: readonly (readonly [name: string, value: Child])[]): HTMLElement =>
  h('dl', { class: 'facts' }, ...entries.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));

export const link = (href: string, text: string): HTMLAnchorElement => h('a', { href }, text);

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
export const timeText = (ms: number): string => TIME.format(ms);

export function time(ms: number): HTMLElement {
  const at = new Date(ms);
  return h('time', { datetime: at.toISOString() }, timeText(ms));
}

/** However slow a browser is to take a file. */
const DOWNLOAD_MS = 60_000;

/** Hands a file over to whoever sits in front of the page. */
export function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  h('a', { href: url, download: name }).click();
  // Some browsers begin to read it only after the click, and a key that is not saved then is lost.
  setTimeout(() => URL.revokeObjectURL(url), DOWNLOAD_MS);
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A message in the place of what was to be shown, or beside a form. */
export const problem = (text: string): HTMLElement => h('p', { class: 'problem', role: 'alert' }, text);

/**
 * A form whose sending is shown: its button rests meanwhile, and what goes wrong stands below it. A button that rests loses
 * the focus, which whoever works by the keyboard gets back. `send` gives what is
 * said when it is done.
 */
export function form(
  action: string,
  send: () => Promise<string | undefined>,
  ...children: readonly Child[]
): HTMLFormElement {
  const outcome = h('div', { class: 'outcome', 'aria-live': 'polite' });
  const button = h('button', { type: 'submit' }, action);
  const run = async (): Promise<void> => {
    const hadFocus = document.activeElement === button;
    button.disabled = true;
    outcome.replaceChildren(h('p', { class: 'quiet' }, 'One moment…'));
    try {
      const done = await send();
      outcome.replaceChildren(...(done === undefined ? [] : [h('p', { class: 'good' }, done)]));
    } catch (error) {
      outcome.replaceChildren(problem(messageOf(error)));
    } finally {
      button.disabled = false;
      if (hadFocus && document.activeElement === document.body) button.focus({ preventScroll: true });
    }
  };
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return h('form', { onsubmit: onSubmit }, ...children, h('div', { class: 'actions' }, button), outcome);
}
