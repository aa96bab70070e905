import { type Child, h } from '../page/dom.js';
import type { Amount, ChainObject, Int, Operation } from './answers.js';
import { readExactly } from './exact-json.js';
import type { NodeLink } from './node.js';
import { accountHref, href } from './routes.js';
import { WORDS } from './words.js';

/** Names for ids, amounts with their symbols, operations as sentences whose every id is a link. */

const OBJECT_ID = /^\d+\.\d+\.\d+$/;
/**
 * Whose names are shown in the place of their ids. A node refuses a question with one id that is too large, and texts of
 * the chain, which anybody writes, may look like one.
 */
const NAMED = /^1\.(?:[2356]|1[6789])\.\d{1,14}$/;
const WHOLE = /^-?\d+$/;
const ASSET_ID = /^1\.3\.\d{1,14}$/;
const PUBLIC_KEY = /^[A-Z]{2,6}[1-9A-HJ-NP-Za-km-z]{50}$/;
const CHAIN_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/;
const IDS_AT_ONCE = 200;
const KNOWN_MAX = 5000;
const TEXT_MAX = 120;
/** Longer lists are told as JSON, cut off. */
const LIST_MAX = 12;
/** What is deeper is told as JSON. */
const DEPTH_MAX = 3;
const ITEMS_MAX = 50;

interface NamedObject extends ChainObject {
  readonly product_name?: string;
  readonly league_name?: string;
  readonly category_name?: string;
}

/** Tables of contracts have the bare number of an asset; texts of the chain may have anything. */
function isAmount(value: unknown): value is { readonly amount: Int; readonly asset_id: string | number } {
  if (value === null || typeof value !== 'object' || !('amount' in value) || !('asset_id' in value)) return false;
  const { amount, asset_id: asset } = value;
  const isWhole =
    typeof amount === 'number' ? Number.isInteger(amount) : typeof amount === 'string' && WHOLE.test(amount);
  const isOfAsset =
    typeof asset === 'number' ? Number.isInteger(asset) : typeof asset === 'string' && ASSET_ID.test(asset);
  return isWhole && isOfAsset;
}

/** Undefined for any other text, and for an object without fields. */
function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const object = readExactly(text) as Readonly<Record<string, unknown>>;
    return Object.keys(object).length > 0 ? object : undefined;
  } catch {
    // Whoever wrote it has not meant JSON.
    return undefined;
  }
}

export const shorten = (text: string, room: number): string =>
  text.length > room ? `${text.slice(0, room - 1)}…` : text;

/** `1234567` is `1 234 567`, with spaces that do not break. */
export const group = (number: Int): string => String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');

/** `12.5`, exact. */
export function decimal(amount: Int, precision: number): string {
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(String(amount)) ?? [];
  const padded = digits.padStart(precision + 1, '0');
  const part = padded.slice(padded.length - precision || undefined).replace(/0+$/, '');
  const whole = group(padded.slice(0, padded.length - precision));
  return `${sign}${whole}${precision === 0 || part === '' ? '' : `.${part}`}`;
}

/** So many of an asset, which is a link. */
export const amountOf = (units: string, asset: HTMLAnchorElement): HTMLElement =>
  h('span', { class: 'amount' }, `${units} `, asset);

/** UTC as the chain has it. */
export function when(chainTime: string): HTMLElement {
  return h('time', { datetime: `${chainTime}Z` }, `${chainTime.replace('T', ' ')} UTC`);
}

/** For programs: without the spaces. */
export const plainUnits = (text: string): string => text.replaceAll('\u202f', '');

export class Names {
  readonly #node: NodeLink;
  readonly #objects = new Map<string, NamedObject | null>();

  constructor(node: NodeLink) {
    this.#node = node;
  }

  /** Looks up what these values mention, so that they can be shown without waiting. */
  async prepare(...values: readonly unknown[]): Promise<void> {
    if (this.#objects.size > KNOWN_MAX) this.#objects.clear();
    const wanted = new Set<string>();
    const visit = (value: unknown): void => {
      if (typeof value === 'string') {
        if (NAMED.test(value) && !this.#objects.has(value)) wanted.add(value);
      } else if (value !== null && typeof value === 'object') Object.values(value).forEach(visit);
    };
    visit(values);
    const behind: string[] = [];
    const ids = [...wanted];
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const some = ids.slice(from, from + IDS_AT_ONCE);
      const found = await this.#node.call<(NamedObject | null)[]>('get_objects', some);
      some.forEach((id, i) => {
        const object = found[i] ?? null;
        // What is not there yet may come.
        if (object !== null) this.#objects.set(id, object);
        const account = object?.witness_account ?? object?.committee_member_account;
        if (account !== undefined && !this.#objects.has(account)) behind.push(account);
      });
    }
    if (behind.length > 0) await this.prepare(behind);
  }

  name(id: string): string {
    const object = this.#objects.get(id);
    const account = object?.witness_account ?? object?.committee_member_account;
    if (account !== undefined) return this.name(account);
    return object?.name ?? object?.symbol ?? object?.product_name ?? object?.league_name ?? object?.category_name ?? id;
  }

  /** The id as a link that says its name. */
  link(id: string, text = this.name(id)): HTMLAnchorElement {
    const object = this.#objects.get(id);
    const account = object?.witness_account ?? object?.committee_member_account;
    if (account !== undefined) return this.link(account, text);
    if (id.startsWith('1.2.')) return h('a', { href: accountHref(object?.name ?? id), title: id }, text);
    if (id.startsWith('1.3.')) return h('a', { href: href('asset', object?.symbol ?? id), title: id }, text);
    return h('a', { href: href('object', id), title: id }, text);
  }

  units({ amount, asset_id: assetId }: Amount): string {
    return decimal(amount, this.#objects.get(assetId)?.precision ?? 0);
  }

  amount(amount: Amount): HTMLElement {
    return amountOf(this.units(amount), this.link(amount.asset_id));
  }

  key(key: string): HTMLAnchorElement {
    return h('a', { class: 'mono', href: href('key', key) }, key);
  }

  /** Any value of the chain, as short as a line wants it. */
  value(value: unknown): Child {
    if (isAmount(value)) {
      const { amount, asset_id: asset } = value;
      return this.amount({ amount, asset_id: typeof asset === 'number' ? `1.3.${asset}` : asset });
    }
    if (Array.isArray(value) && value.length > 0 && value.length <= LIST_MAX) {
      return h('span', {}, ...value.flatMap((one, i) => [i > 0 && ', ', this.value(one)]));
    }
    if (typeof value === 'string') {
      if (OBJECT_ID.test(value)) return this.link(value);
      if (CHAIN_TIME.test(value)) return when(value);
      if (PUBLIC_KEY.test(value)) return h('a', { href: href('key', value) }, shorten(value, 14));
      return shorten(value, TEXT_MAX);
    }
    if (typeof value === 'object' && value !== null) return shorten(JSON.stringify(value), TEXT_MAX);
    return String(value ?? '');
  }

  sentence([tag, body]: Operation): HTMLElement {
    const [, words = ''] = WORDS[tag] ?? [];
    const children: Child[] = [];
    // `{amount? with }`: only where there is one, with these words before it.
    for (const part of words.split(/(\{[^}]+\})/)) {
      const [, field = '', lead] = /^\{(\w+)(?:\?([^}]*))?\}$/.exec(part) ?? [];
      const value = body[field];
      if (field === '') children.push(part);
      else if (lead === undefined) children.push(this.value(value));
      else if (value !== undefined && value !== null) children.push(lead, this.value(value));
    }
    return h('span', { class: 'sentence' }, ...children);
  }

  /** Text of the chain: what is an object in JSON, as descriptions often are, field by field. */
  text(text: string, depth = 0): Child {
    const object = depth < DEPTH_MAX ? jsonObject(text) : undefined;
    return object === undefined ? this.value(text) : this.fields(object, depth + 1);
  }

  /** Everything of it, one field below the other, as deep as it goes. What is drawn already is taken as it is. */
  fields(body: Readonly<Record<string, unknown>>, depth = 0): HTMLElement {
    const rows = Object.entries(body)
      .filter(([, value]) => value !== '' && !(Array.isArray(value) && value.length === 0))
      .flatMap(([name, value]) => [h('dt', {}, name.replaceAll('_', ' ')), h('dd', {}, this.#deep(value, depth))]);
    return h('dl', { class: 'facts' }, ...rows);
  }

  #deep(value: unknown, depth: number): Child {
    if (value instanceof Node) return value;
    if (typeof value === 'string') return this.text(value, depth);
    const isPlain = value === null || typeof value !== 'object' || isAmount(value);
    if (isPlain || depth >= DEPTH_MAX) return this.value(value);
    if (!Array.isArray(value)) return this.fields(value as Readonly<Record<string, unknown>>, depth + 1);
    if (!value.some((one) => one !== null && typeof one === 'object')) return this.value(value);
    const items = value.slice(0, ITEMS_MAX).map((one) => h('li', {}, this.#deep(one, depth + 1)));
    const left = value.length - items.length;
    return h('div', {}, h('ul', {}, ...items), left > 0 && `and ${left} more`);
  }
}

export const operationName = (tag: number): string => (WORDS[tag]?.[0] ?? `operation ${tag}`).replaceAll('_', ' ');
export { OBJECT_ID, PUBLIC_KEY };
