import { field, h, messageOf } from '../../page/dom.js';
import { readExactly } from '../exact-json.js';
import { shorten } from '../names.js';
import { NodeLink } from '../node.js';
import type { Page, View } from '../page.js';
import { quiet, section } from '../parts.js';
import { href } from '../routes.js';

/** Any method by a form: methods and arguments come from the OpenRPC document. */

interface Schema {
  readonly type?: string;
  readonly title?: string;
  readonly oneOf?: readonly Schema[];
  readonly $ref?: string;
}

interface Param {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

interface Method {
  readonly name: string;
  readonly description?: string;
  readonly params: readonly Param[];
}

interface Call {
  readonly method: string;
  readonly params: readonly string[];
}

const ANSWER_CHARS_MAX = 200_000;
const FIRST_METHOD = 'get_dynamic_global_properties';
const HISTORY_KEY = 'explorer-console';
const HISTORY_MAX = 20;
/** Never kept: it has a password. */
const UNKEPT = 'login.login';

/** The newest notices, and how much of each. */
const NOTICES_MAX = 20;
const NOTICE_CHARS_MAX = 2000;

/**
 * A connection of its own: a node knows one callback of a kind for each connection, so that what is set here would take the
 * place of the page's, and a login here opens nothing to it.
 */
let own: Promise<NodeLink> | undefined;
let onNotice: (callback: number, argument: unknown) => void = () => undefined;
function ownLink({ url }: NodeLink): Promise<NodeLink> {
  own ??= new Promise((resolve) => {
    const link = new NodeLink(url, {
      state: () => undefined,
      opened: () => resolve(link),
      notice: (callback, argument) => onNotice(callback, argument),
    });
  });
  return own;
}

let known: Promise<readonly Method[]> | undefined;
function methodsOf(page: Page): Promise<readonly Method[]> {
  known ??= page.node.call<{ methods: Method[] }>('rpc.discover').then(({ methods }) => methods);
  known.catch(() => {
    known = undefined;
  });
  return known;
}

/** Methods of a development chain are called by their bare names, as its page writes them. */
const calledName = (name: string): string => name.replace(/^dev\./, '');

function sample({ required, schema }: Param): string {
  // Left out, it is what the description says.
  if (!required) return '';
  if (schema.type === 'array') return '[]';
  if (schema.type === 'boolean') return 'false';
  if (schema.type === 'integer' || schema.oneOf?.[0]?.type === 'integer') return '0';
  if (schema.$ref) return '{}';
  if (schema.title === 'account_id') return '1.2.0';
  if (schema.title === 'asset_id') return '1.3.1';
  return '';
}

/** Without those at the end that may be left out and are empty. */
function givenOf(params: readonly string[], declared: readonly Param[] = []): readonly string[] {
  let { length } = params;
  while (length > 0 && params[length - 1]?.trim() === '' && declared[length - 1]?.required === false) length--;
  return params.slice(0, length);
}

/** Bare words are texts, so that names and ids need no quotes. */
function read(text: string): unknown {
  const trimmed = text.trim();
  const isJson = /^[[{"]/.test(trimmed) || /^(true|false|null|-?\d+(\.\d+)?)$/.test(trimmed);
  if (!isJson) return trimmed;
  return readExactly(trimmed);
}

function kept(): Call[] {
  try {
    const list: unknown = JSON.parse(sessionStorage.getItem(HISTORY_KEY) ?? '[]');
    return Array.isArray(list) ? (list as Call[]) : [];
  } catch {
    // A browser may forbid storage: then nothing is kept.
    return [];
  }
}

function keep(call: Call): void {
  if (call.method === UNKEPT) return;
  const text = JSON.stringify(call);
  const list = [call, ...kept().filter((one) => JSON.stringify(one) !== text)].slice(0, HISTORY_MAX);
  try {
    sessionStorage.setItem(HISTORY_KEY, JSON.stringify(list));
  } catch {
    // See above.
  }
}

const linkOf = ({ method, params }: Call): string => href('console', method, ...params.map((one) => one || ' '));

/** `#/console`, `#/console/METHOD/ARGUMENT/…`: filled in, and called by whoever reads it alone. */
export const consoleView: View = async (page, [given = FIRST_METHOD, ...values], left) => {
  const methods = new Map((await methodsOf(page)).map((method) => [calledName(method.name), method]));
  const method = h('input', {
    list: 'methods',
    value: given,
    spellcheck: 'false',
    autocomplete: 'off',
    name: 'method',
  });
  const about = h('p', { id: 'about', class: 'quiet' });
  const params = h('div', { id: 'params', class: 'row' });
  const took = h('span', { class: 'quiet', role: 'status' });
  const request = h('pre', { id: 'request', tabindex: '0', 'aria-label': 'Request', hidden: true });
  const answer = h('pre', { id: 'answer', tabindex: '0', 'aria-label': 'Answer', hidden: true });
  const notices = h('pre', { id: 'notices', tabindex: '0', 'aria-label': 'Notices', hidden: true });
  const share = h('a', { href: '#/console', id: 'share' }, 'Link to this call');
  const past = h('ul', { id: 'past' });

  const inputs = (): HTMLInputElement[] => [...params.querySelectorAll('input')];
  const call = (): Call => ({ method: method.value, params: inputs().map(({ value }) => value) });
  const showShare = (): void => {
    share.href = linkOf(call());
  };
  const showMethod = (filled: readonly string[] = []): void => {
    const found = methods.get(calledName(method.value));
    about.textContent = found?.description ?? (method.value === '' ? '' : 'There is no such method.');
    params.replaceChildren(
      ...(found?.params ?? []).map((param, i) => {
        const { name, required } = param;
        const value = (filled[i] ?? sample(param)).trim();
        return field(
          name,
          h('input', { name, value, spellcheck: 'false', oninput: showShare }),
          required ? {} : { hint: 'may be left out' },
        );
      }),
    );
    showShare();
  };
  const showPast = (): void => {
    const items = kept().map((one) =>
      h('li', {}, h('a', { href: linkOf(one), class: 'mono' }, shorten(`${one.method} ${one.params.join(' ')}`, 80))),
    );
    past.replaceChildren(...(items.length === 0 ? [h('li', { class: 'quiet' }, 'Nothing was called yet.')] : items));
  };
  const say = (target: HTMLElement, text: string, isError = false): void => {
    target.hidden = false;
    target.className = isError ? 'bad' : '';
    target.textContent = shorten(text, ANSWER_CHARS_MAX);
  };
  const run = async (): Promise<void> => {
    const made = call();
    let values: unknown[];
    try {
      values = givenOf(made.params, methods.get(calledName(made.method))?.params).map(read);
    } catch (error) {
      say(answer, `An argument is no JSON: ${messageOf(error)}`, true);
      return;
    }
    say(request, JSON.stringify({ method: made.method, params: values }));
    const start = performance.now();
    try {
      const reply = await (await ownLink(page.node)).ask(made.method, values);
      took.textContent = `${(performance.now() - start).toFixed(1)} ms`;
      keep(made);
      showPast();
      say(answer, JSON.stringify(reply.error ?? reply.result, null, 2), reply.error !== undefined);
    } catch (error) {
      say(answer, messageOf(error), true);
    }
  };

  const heard: string[] = [];
  onNotice = (callback, argument) => {
    if (left.aborted) return;
    heard.unshift(shorten(`callback ${callback}: ${JSON.stringify(argument)}`, NOTICE_CHARS_MAX));
    heard.length = Math.min(heard.length, NOTICES_MAX);
    say(notices, heard.join('\n'));
  };

  method.addEventListener('input', () => showMethod());
  showMethod(values);
  showPast();
  const onSubmit = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  return {
    title: 'RPC console',
    body: [
      h(
        'form',
        { id: 'console', class: 'card', onsubmit: onSubmit },
        field('Method', method),
        h('datalist', { id: 'methods' }, ...[...methods.keys()].map((value) => h('option', { value }))),
        about,
        params,
        h('div', { class: 'actions' }, h('button', { type: 'submit' }, 'Call'), share, took),
        request,
        answer,
        notices,
      ),
      section('Calls before', quiet('Kept by this tab alone, until it is closed.'), past),
    ],
  };
};
