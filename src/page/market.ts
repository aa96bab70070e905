import { DistinctTimes } from '../base/distinct-times.js';
import type { PrivateKey } from '../crypto/private-key.js';
import { bindingText, marketCallText } from '../trade/authorization.js';
import type { Signer } from '../trade/signer.js';

/** The calls of the market that the page makes; those in somebody's name are signed here. */

export interface Settings {
  readonly asset: string;
  readonly symbol: string;
  readonly precision: number;
  /** Minutes that the days of bills are ahead of UTC. */
  readonly timeZone: number;
  readonly chainId: string;
  readonly keyPrefix: string;
  /** Null where the operator has named none. */
  readonly exchange: string | null;
  readonly node: string | null;
  readonly gateway: string | null;
  readonly wallet: string | null;
}

export interface User {
  /** `1.2.n` */
  readonly account: string;
  readonly name: string;
  readonly signer: Signer;
  /** Undefined where the wallet has it. */
  readonly key: PrivateKey | undefined;
}

export interface Price {
  readonly amount: string | number;
  readonly assetId: string;
}

interface ListedProduct {
  readonly productId: number;
  readonly productName: string;
  readonly logoUrl: string;
  readonly briefDesc: string;
  readonly privacy: boolean;
  readonly price: Price;
  readonly categoryId: number;
  readonly createdAt: number;
}

export interface Descriptor {
  readonly type: string;
  readonly desc?: string;
  readonly required?: boolean;
  readonly sample?: unknown;
}
export type Descriptors = Readonly<Record<string, Descriptor>>;

export interface ProductDetail extends Omit<ListedProduct, 'productId' | 'categoryId' | 'createdAt'> {
  readonly categoryId: string;
  readonly input: Descriptors;
  readonly output: Descriptors;
  readonly version: number;
  readonly onSale: boolean;
  readonly voteThreshold: number;
  readonly issuer: number;
  readonly members: readonly number[];
}

interface SourceRecord {
  readonly accountId: string;
  readonly merchantId: number;
  readonly merchantName: string;
  readonly asked: number;
  readonly delivered: number;
  readonly successRate: number | null;
  readonly medianAnswerMs: number | null;
}

export interface Category {
  readonly categoryId: number;
  readonly categoryName: string;
}

export interface Merchant {
  readonly merchantId: number;
  readonly serviceUrl: string;
  readonly merchantName: string;
  readonly retryAt: number;
  readonly products: readonly {
    readonly productId: number;
    readonly productName: string;
    readonly isIssuer: boolean;
    readonly onSale: boolean;
    readonly joinedAt: number;
  }[];
}

class MarketError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const NOT_BOUND = 1005;
const TIMESTAMP_EXPIRED = 1003;

interface Answer<D> {
  readonly data: D;
  readonly total: number | null;
}

const encoder = new TextEncoder();

/** Times within half a minute are good. The header of an answer has whole seconds, and takes its time to come. */
const CLOCK_OFF_MS = 10_000;

/** For a change of the market. */
const newName = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-');

export interface Search {
  readonly text: string;
  readonly categoryId: string;
  readonly shareStatus: string;
  readonly priceMax: string;
  readonly sort: string;
}

export class Market {
  #user: User | undefined;
  /** What the clock of the market is ahead of this machine's. */
  #aheadMs = 0;
  /** No two alike: a change that is signed twice in the same millisecond would be the same one. */
  readonly #times = new DistinctTimes(1000);
  /** Changes of which it is not known what became, with the name that each was asked for under. */
  readonly #unanswered = new Map<string, string>();

  /** In whose name calls are signed from now on. */
  set user(user: User | undefined) {
    this.#user = user;
  }

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  #timestamp(): string {
    return String(this.#times.take(this.now()));
  }

  async #send<D>(method: string, target: string, text: string, isSigned: boolean, name = ''): Promise<Answer<D>> {
    const headers = new Headers(text === '' ? {} : { 'Content-Type': 'application/json' });
    if (name !== '') headers.set('Idempotency-Key', name);
    const user = this.#user;
    if (isSigned) {
      if (user === undefined) throw new Error('Sign in first');
      const timestamp = this.#timestamp();
      const signed = marketCallText(user.account, { method, target, body: encoder.encode(text) }, timestamp);
      headers.set('X-Market-Account', user.account);
      headers.set('X-Market-Timestamp', timestamp);
      headers.set('X-Market-Signature', await user.signer.signText(signed));
    }
    const response = await fetch(target, { method, headers, ...(text === '' ? {} : { body: text }) }).catch(() => {
      throw new Error('The market does not answer: try again in a moment');
    });
    this.#lookAtClock(response);
    const read = (await response.json().catch(() => {
      // A proxy in front of it has words of its own.
      throw new Error(`The market cannot be reached at the moment (status ${response.status}): try again later`);
    })) as unknown;
    const answer = read as Answer<D> & { code: number; msg: string; hint?: string };
    if (answer.code === 1) return answer;
    throw new MarketError(answer.code, answer.hint ?? answer.msg);
  }

  /** The first answer of all tells: a newcomer works for the account by the time, before anything is signed. */
  #lookAtClock({ headers }: Response): void {
    const date = Date.parse(headers.get('Date') ?? '');
    if (Math.abs(date - this.now()) > CLOCK_OFF_MS) this.#aheadMs = date - Date.now();
  }

  async #call<D>(method: string, target: string, text: string, isSigned: boolean, name = ''): Promise<Answer<D>> {
    try {
      return await this.#send<D>(method, target, text, isSigned, name);
    } catch (error) {
      // The clock of this machine is off: now it is known by how much.
      const isLate = error instanceof MarketError && error.code === TIMESTAMP_EXPIRED;
      if (!isLate) throw error;
      return this.#send<D>(method, target, text, isSigned, name);
    }
  }

  async #read<D>(target: string): Promise<D> {
    return (await this.#call<D>('GET', target, '', false)).data;
  }

  get<D>(target: string): Promise<Answer<D>> {
    return this.#call<D>('GET', target, '', true);
  }

  /** Who asks for the same change again after an answer was lost means that one, and not another of its kind. */
  async post<D>(target: string, body: object = {}): Promise<D> {
    const text = JSON.stringify(body);
    const change = `${target} ${text}`;
    const name = this.#unanswered.get(change) ?? newName();
    this.#unanswered.set(change, name);
    try {
      const { data } = await this.#call<D>('POST', target, text, true, name);
      this.#unanswered.delete(change);
      return data;
    } catch (error) {
      if (error instanceof MarketError) this.#unanswered.delete(change);
      throw error;
    }
  }

  settings(): Promise<Settings> {
    return this.#read('/market/settings');
  }

  categories(): Promise<readonly Category[]> {
    return this.#read('/market/category/list');
  }

  search(wanted: Search, page: number, limit: number): Promise<Answer<readonly ListedProduct[]>> {
    const query = new URLSearchParams({ page: String(page), limit: String(limit) });
    for (const [name, value] of Object.entries(wanted)) if (value !== '') query.set(name, value);
    return this.#call('GET', `/market/product/search?${query}`, '', false);
  }

  product(id: string): Promise<ProductDetail> {
    return this.#read(`/market/product/${id}`);
  }

  sources(id: string): Promise<readonly SourceRecord[]> {
    return this.#read(`/market/product/${id}/sources`);
  }

  /** The caller as a merchant; undefined where its account is bound to none. */
  async self(): Promise<Merchant | undefined> {
    try {
      return (await this.get<Merchant>('/market/merchant/self')).data;
    } catch (error) {
      if (error instanceof MarketError && error.code === NOT_BOUND) return undefined;
      throw error;
    }
  }

  async bind(merchantId: number, serviceUrl: string): Promise<void> {
    const user = this.#user;
    if (user === undefined) throw new Error('Sign in first');
    const timestamp = Number(this.#timestamp());
    const signature = await user.signer.signText(bindingText(user.account, merchantId, serviceUrl, timestamp));
    const body = { accountId: user.account, merchantId, serviceUrl, timestamp, signature };
    await this.#call('POST', '/market/account/bind', JSON.stringify(body), false);
  }
}

/** Whatever name the market has: logos come from where the page comes from. */
export function logoPath(logoUrl: string): string | undefined {
  return URL.canParse(logoUrl) ? new URL(logoUrl).pathname : undefined;
}
