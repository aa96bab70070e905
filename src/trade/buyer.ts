import { toHex } from '../base/bytes.js';
import { DistinctTimes } from '../base/distinct-times.js';
import { ChainError, check, defineErrors, fail } from '../base/errors.js';
import { type Json, type JsonObject, parseJson } from '../codec/json.js';
import { isJsonObject } from '../codec/struct.js';
import { PrivateKey } from '../crypto/private-key.js';
import { DEFAULT_KEY_PREFIX, type PublicKey, publicKeyFromText } from '../crypto/public-key.js';
import { accountId, assetId, type Instance } from '../protocol/ids.js';
import type { ProxyTransferParams } from '../protocol/proxy-transfer.js';
import { differences } from './described.js';
import { writeJson } from './json.js';
import { type Order, type Orders, RememberedOrders } from './orders.js';
import { md5OfText } from './packets.js';
import { keySigner, type Signer } from './signer.js';

/** A buyer's side of the exchange: what is for sale, what it costs, and to ask for it, pay for it and read it. */

export const BUYER_ERRORS = defineErrors({
  buyer_refused: { text: 'the exchange refuses: ${code}: ${why}' },
  buyer_unreachable: { kind: 'environment', text: 'the exchange at ${url} does not answer: ${why}' },
  buyer_answer: { text: 'the exchange at ${url} answers something else than is agreed upon: ${why}' },
  buyer_price: {
    text: 'it costs ${units} of ${asset} from each of ${sources} sources, and at most ${max} may be spent',
  },
  buyer_former_price: {
    text: 'the same was asked for before and not answered: it may be paid until ${until} and costs up to ${units} of ${asset}, and at most ${max} may be spent',
    hint: 'Who allows as much means that request. After that time the same is another purchase.',
  },
  buyer_offline: { text: 'nobody who sells this product is online' },
  buyer_key: { text: '${source} has another key on the chain than the exchange says' },
  buyer_clock: {
    kind: 'environment',
    text: 'here it is ${here}, by the exchange ${there} and by the chain ${chain}: nothing is signed that could be paid at another time than is meant',
    hint: 'Set the clock of this machine, and ask a node that stands at the head of the chain.',
  },
  buyer_asking: {
    kind: 'environment',
    text: 'whether the exchange has taken the request is not known, and it may be paid until ${until}: ${why}',
    hint: 'Another request would be another purchase. What was paid stands among the transfers of the account.',
  },
  buyer_waiting: {
    kind: 'environment',
    text: 'what has come of the request ${request} is not known, and it may be paid: ${why}',
    hint: 'The same request can be asked for again later, by its id.',
  },
});

export interface Source {
  readonly account: Instance;
  readonly key: PublicKey;
}

export interface Product {
  readonly id: number;
  readonly name: string;
  readonly about: string;
  readonly version: number;
  /** For each source that delivers. */
  readonly price: { readonly units: bigint; readonly asset: Instance };
  readonly input: JsonObject;
  readonly output: JsonObject;
  readonly exchange: { readonly account: Instance; readonly percent: number };
  readonly online: readonly Source[];
}

/** What of a product is needed to see whether it was delivered. */
export type Described = Pick<Product, 'output'>;

export interface Delivery {
  readonly source: Instance;
  readonly status: 'SUCCESS' | 'FAIL' | 'NONE' | 'TIMEOUT';
  /** Why it failed, or why what was delivered cannot be read. */
  readonly comment: string;
  /** Transaction that has paid for it. */
  readonly txid: string | undefined;
  /** What the source has answered, decrypted; undefined where there is nothing, or nothing that can be read. */
  readonly data: Json | undefined;
  /** How it differs from what the product describes, as far as the product is known: it was paid, and is handed out. */
  readonly warnings: readonly string[];
}

export interface Purchase {
  readonly requestId: string;
  /** False where time was up first; `result` tells more later. */
  readonly isFinished: boolean;
  readonly deliveries: readonly Delivery[];
}

export interface BuyerOptions {
  /** Such as `http://127.0.0.1:7001`. */
  readonly exchange: string;
  readonly account: Instance;
  /** The only active key of the account, or who has it. */
  readonly key: PrivateKey | Signer;
  readonly keyPrefix?: string;
  /** The keys of sources by the chain itself; without it the exchange is taken at its word. */
  keyOf?(source: Instance): Promise<PublicKey | undefined>;
  /**
   * Milliseconds since 1970 of the chain's head: where the clock of this machine is off, the exchange is believed as far as
   * the chain bears it out. Without it the exchange is taken at its word: by a time far ahead it could have the money later.
   */
  chainTimeMs?(): Promise<number>;
  /** Milliseconds since 1970, for whoever has a better clock. */
  now?(): number;
  /** A question to the exchange is given up then. */
  readonly timeoutMs?: number;
  /** Where it is kept what the exchange has not answered; in memory without it. */
  readonly orders?: Orders;
}

export interface BuyOptions {
  /** Ask so many sources at most, and never spend more than this on all of them together. */
  readonly sources?: number;
  readonly unitsMax?: bigint;
  /** How long the authorization lives: the exchange cannot take the money later. */
  readonly lifetimeSec?: number;
  /** For an answer of the exchange that it has the request, and as long again for what comes of it. */
  readonly patienceMs?: number;
}

const LIFETIME_SEC = 1800;
const PATIENCE_MS = 30_000;
/** An exchange that is started again is there by then. */
export const RESTART_MS = 10_000;
const POLL_MS = 100;
const ASK_AGAIN_MS = 500;
const TIMEOUT_MS = 30_000;
/** Also where patience is nearly over. */
const TIMEOUT_MS_MIN = 1000;
/** An answer takes its time to come. */
const CLOCK_OFF_MS = 60_000;
const TOO_MANY = 429;
const SERVER_ERROR = 500;
/** A reader of doubles loses nothing of a nonce below 2^53. */
const NONCE_STEP = 256;

type Terms = Omit<ProxyTransferParams, 'to' | 'signatures'>;

const instanceOf = (text: Json | undefined): Instance => accountId.fromJson(text ?? null);

function member(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

const list = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : []);
const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** Whether the same question may be answered a moment later: nobody is there, or has no time. */
function mayPass(error: ChainError): boolean {
  const { row, data } = error;
  if (row === BUYER_ERRORS.buyer_unreachable) return true;
  return hasTooMuch(error) || (row === BUYER_ERRORS.buyer_refused && Number(data.status) >= SERVER_ERROR);
}

/** Whether the exchange may have the request all the same: something in between may have answered in its place. */
const leavesOpen = (error: ChainError): boolean => mayPass(error) || error.row === BUYER_ERRORS.buyer_answer;

const hasTooMuch = ({ row, data }: ChainError): boolean =>
  row === BUYER_ERRORS.buyer_refused && data.status === TOO_MANY;

/** Something between here and the exchange may answer in words of its own. */
function jsonIn(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** Of all that an order asks. */
function costOf({ body }: Order): { readonly units: bigint; readonly asset: string } {
  const amounts = list(body).map((one) => member(member(one, 'requestParams'), 'amount'));
  const units = amounts.reduce((sum: bigint, one) => {
    const amount = member(one, 'amount');
    // What has none is refused by the exchange.
    return typeof amount === 'bigint' || Number.isSafeInteger(amount) ? sum + BigInt(amount as number | bigint) : sum;
  }, 0n);
  return { units, asset: String(member(amounts[0], 'asset_id')) };
}

let turn = 0;
/** Requests are told apart by them: the same question at the same time is one purchase. */
const times = new DistinctTimes(1000);

export class Buyer {
  readonly #options: BuyerOptions;
  readonly #url: string;
  readonly #signer: Signer;
  readonly #timeoutMs: number;
  readonly #orders: Orders;
  #saidAheadMs = 0;
  #aheadMs = 0;

  constructor(options: BuyerOptions) {
    this.#options = options;
    this.#signer = options.key instanceof PrivateKey ? keySigner(options.key) : options.key;
    this.#url = options.exchange.replace(/\/+$/, '');
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    this.#orders = options.orders ?? new RememberedOrders();
  }

  /** Milliseconds since 1970: by the exchange where the clock of this machine is off, unless there is a better one. */
  nowMs(): number {
    return this.#options.now?.() ?? Date.now() + this.#aheadMs;
  }

  /** Sources take questions of the last minutes alone, and say of others that they failed. */
  #lookAtClock(headers: Headers): void {
    if (this.#options.now !== undefined) return;
    const aheadMs = Date.parse(headers.get('Date') ?? '') - Date.now();
    if (Math.abs(aheadMs - this.#saidAheadMs) > CLOCK_OFF_MS) this.#saidAheadMs = aheadMs;
  }

  /** Before something is signed. */
  async #setClock(): Promise<void> {
    const { chainTimeMs } = this.#options;
    const saidAheadMs = this.#saidAheadMs;
    if (chainTimeMs !== undefined && Math.abs(saidAheadMs) > CLOCK_OFF_MS) {
      const chainMs = await chainTimeMs();
      const hereMs = Date.now();
      const thereMs = hereMs + saidAheadMs;
      this.#aheadMs = 0;
      if (Math.abs(chainMs - hereMs) <= CLOCK_OFF_MS) return;
      const [here, there, chain] = [hereMs, thereMs, chainMs].map((ms) => new Date(ms).toISOString());
      check(Math.abs(chainMs - thereMs) <= CLOCK_OFF_MS, BUYER_ERRORS.buyer_clock, { here, there, chain });
    }
    this.#aheadMs = saidAheadMs;
  }

  async #call(path: string, body?: Json, timeoutMs = this.#timeoutMs): Promise<Json> {
    const sent =
      body === undefined
        ? {}
        : { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: writeJson(body) };
    const giveUp = new AbortController();
    // It holds the process, which `AbortSignal.timeout` does not: Node 20 forgets a request whose connection is closed at once.
    const timer = setTimeout(() => giveUp.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${this.#url}/api${path}`, { ...sent, signal: giveUp.signal });
      text = await response.text();
    } catch (error) {
      const { cause, message } = error as Error;
      const why = cause instanceof Error ? cause.message : message;
      throw new ChainError(BUYER_ERRORS.buyer_unreachable, { url: this.#url, why });
    } finally {
      clearTimeout(timer);
    }
    this.#lookAtClock(response.headers);
    const value = jsonIn(text);
    const { status } = response;
    if (!response.ok) {
      const code = String(member(value, 'code') ?? status);
      throw new ChainError(BUYER_ERRORS.buyer_refused, { code, why: String(member(value, 'message') ?? ''), status });
    }
    return value ?? fail(BUYER_ERRORS.buyer_answer, { url: this.#url, why: 'it is no JSON' });
  }

  async #callAgain(path: string, patienceMs: number): Promise<Json> {
    const endMs = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.#call(path);
      } catch (error) {
        const isOver = performance.now() + ASK_AGAIN_MS >= endMs;
        if (isOver || !(error instanceof ChainError && mayPass(error))) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }

  /** What the exchange answers is somebody else's text. */
  async #read<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw new ChainError(BUYER_ERRORS.buyer_answer, { url: this.#url, why: (error as Error).message });
    }
  }

  #keyFrom(value: Json | undefined): PublicKey {
    return publicKeyFromText(String(value), this.#options.keyPrefix ?? DEFAULT_KEY_PREFIX);
  }

  /** An exchange that is away is asked again for `patienceMs`: nothing is signed yet, so asking twice buys nothing twice. */
  async product(id: number, patienceMs = 0): Promise<Product> {
    const answer = await this.#callAgain(`/product/${id}`, patienceMs);
    return this.#read(() => {
      const product = member(answer, 'product');
      const price = member(product, 'price');
      const exchange = member(answer, 'des');
      return {
        id,
        name: String(member(product, 'productName')),
        about: String(member(product, 'briefDesc')),
        version: Number(member(product, 'version')),
        price: {
          units: BigInt(member(price, 'amount') as number | bigint),
          asset: assetId.fromJson(member(price, 'asset_id') ?? null),
        },
        input: objectOf(member(product, 'input')),
        output: objectOf(member(product, 'output')),
        exchange: {
          account: instanceOf(member(exchange, 'account_id')),
          percent: Number(member(exchange, 'percent')),
        },
        online: list(member(answer, 'onlineDatasources')).map((source) => ({
          account: instanceOf(member(source, 'account_id')),
          key: this.#keyFrom(member(source, 'publicKey')),
        })),
      };
    });
  }

  /**
   * Asks, and gives the id of the request. While there is no answer the same is asked again, until patience is over: the
   * same authorizations are one purchase, and others would be another one. So whoever wishes the same again after
   * `buyer_asking` means that purchase, for as long as nobody knows of it.
   */
  async ask(product: Product, params: JsonObject, options: BuyOptions = {}): Promise<string> {
    await this.#setClock();
    const wish = writeJson({ product: product.id, params, sources: options.sources ?? null });
    const former = await this.#orders.take(wish);
    if (former !== undefined) this.#checkFormer(wish, former, options.unitsMax);
    const order = former ?? (await this.#order(product, params, options));
    this.#orders.begin(wish, order);
    try {
      const id = await this.#create(order, former === undefined, options.patienceMs ?? PATIENCE_MS);
      this.#orders.end(wish, order);
      return id;
    } catch (error) {
      if (error instanceof ChainError && error.row === BUYER_ERRORS.buyer_asking) this.#orders.leave(wish, order);
      else this.#orders.end(wish, order);
      throw error;
    }
  }

  async #order(product: Product, params: JsonObject, options: BuyOptions): Promise<Order> {
    const { account } = this.#options;
    const others = product.online.filter((source) => source.account !== account);
    const sources = others.slice(0, options.sources ?? others.length);
    check(sources.length > 0, BUYER_ERRORS.buyer_offline);
    this.#checkPrice(product, sources.length, options.unitsMax);
    await this.#checkKeys(sources);
    const nowMs = times.take(this.nowMs());
    const text = writeJson({ params, timestamp: nowMs });
    const terms = {
      from: account,
      proxy_account: product.exchange.account,
      amount: { amount: product.price.units, asset_id: product.price.asset },
      percentage: product.exchange.percent,
      memo: md5OfText(text),
      expiration: Math.floor(nowMs / 1000) + (options.lifetimeSec ?? LIFETIME_SEC),
    };
    const body: Json[] = [];
    for (const source of sources) body.push(await this.#element(source, terms, text, nowMs));
    return { path: `/request/create/${product.id}/${product.version}`, body, expiration: terms.expiration };
  }

  /** `isNew`: nobody can have got it yet. */
  async #create({ path, body, expiration }: Order, isNew: boolean, patienceMs: number): Promise<string> {
    const endMs = performance.now() + patienceMs;
    let isKnown = isNew;
    for (;;) {
      try {
        const id = member(await this.#call(path, body), 'request_id');
        if (typeof id === 'string') return id;
        fail(BUYER_ERRORS.buyer_answer, { url: this.#url, why: 'it names no request' });
      } catch (error) {
        if (!(error instanceof ChainError && leavesOpen(error))) throw error;
        isKnown &&= hasTooMuch(error);
        if (performance.now() >= endMs) {
          if (isKnown) throw error;
          const until = new Date(expiration * 1000).toISOString();
          fail(BUYER_ERRORS.buyer_asking, { until, why: error.message });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
    }
  }

  #checkPrice({ price }: Product, sources: number, max: bigint | undefined): void {
    const fits = max === undefined || price.units * BigInt(sources) <= max;
    check(fits, BUYER_ERRORS.buyer_price, { units: price.units, asset: `1.3.${price.asset}`, sources, max });
  }

  /** It was signed when the price was another one, or more might be spent. */
  #checkFormer(wish: string, order: Order, max: bigint | undefined): void {
    const { units, asset } = costOf(order);
    if (max === undefined || units <= max) return;
    this.#orders.leave(wish, order);
    const until = new Date(order.expiration * 1000).toISOString();
    fail(BUYER_ERRORS.buyer_former_price, { units, asset, max, until });
  }

  /** Whoever names another key for a source could read what is meant for it. */
  async #checkKeys(sources: readonly Source[]): Promise<void> {
    const { keyOf } = this.#options;
    if (keyOf === undefined) return;
    const keys = await Promise.all(sources.map(({ account }) => keyOf(account)));
    for (const [i, { account, key }] of sources.entries()) {
      check(keys[i] === key, BUYER_ERRORS.buyer_key, { source: `1.2.${account}` });
    }
  }

  async #element({ account, key }: Source, terms: Terms, text: string, nowMs: number): Promise<Json> {
    const nonce = String(nowMs * NONCE_STEP + (turn++ % NONCE_STEP));
    const request = await this.#signer.authorize({ ...terms, to: account });
    const { from, proxy_account, amount, percentage, memo, expiration, signatures } = request;
    return {
      params: await this.#signer.seal(key, nonce, text),
      nonce: BigInt(nonce),
      requestParams: {
        from: `1.2.${from}`,
        to: `1.2.${account}`,
        proxy_account: `1.2.${proxy_account}`,
        percent: percentage,
        amount: { amount: amount.amount, asset_id: `1.3.${amount.asset_id}` },
        memo,
        expiration,
        signatures: signatures.map(toHex),
      },
    };
  }

  /** How it stands now, with what can be read of it, compared with what the product describes. */
  result(requestId: string, product?: Described): Promise<Purchase> {
    return this.#result(requestId, this.#timeoutMs, product);
  }

  async #result(requestId: string, timeoutMs: number, product: Described | undefined): Promise<Purchase> {
    const answer = await this.#call(`/request/${requestId}`, undefined, timeoutMs);
    return this.#read(async () => {
      const deliveries: Delivery[] = [];
      for (const leg of list(member(answer, 'datasources'))) deliveries.push(await this.#delivery(leg, product));
      return { requestId, isFinished: member(answer, 'status') === 'FINISHED', deliveries };
    });
  }

  async #delivery(leg: Json, product: Described | undefined): Promise<Delivery> {
    const data = member(leg, 'data');
    const txid = member(leg, 'txid');
    const delivery = {
      source: instanceOf(member(leg, 'datasource')),
      status: String(member(leg, 'status')) as Delivery['status'],
      comment: String(member(leg, 'comment') ?? ''),
      txid: typeof txid === 'string' ? txid : undefined,
      data: undefined,
      warnings: [],
    };
    if (typeof data !== 'string') return delivery;
    try {
      const opened = await this.#open(leg, data);
      return { ...delivery, data: opened, warnings: differences(opened, product?.output ?? {}) };
    } catch (error) {
      // What one source has sent takes nothing from what the others have delivered.
      return { ...delivery, comment: `what it has delivered cannot be read: ${(error as Error).message}` };
    }
  }

  async #open(leg: Json, data: string): Promise<Json> {
    const key = this.#keyFrom(member(leg, 'datasourcePublicKey'));
    return parseJson(await this.#signer.open(key, String(member(leg, 'nonce')), data));
  }

  /** Until it is finished, or patience is over. An exchange that is away meanwhile is asked again. */
  async wait(requestId: string, patienceMs = PATIENCE_MS, product?: Described): Promise<Purchase> {
    const endMs = performance.now() + patienceMs;
    for (;;) {
      const isOver = (): boolean => performance.now() >= endMs;
      const timeoutMs = Math.min(this.#timeoutMs, Math.max(TIMEOUT_MS_MIN, Math.ceil(endMs - performance.now())));
      try {
        const purchase = await this.#result(requestId, timeoutMs, product);
        if (purchase.isFinished || isOver()) return purchase;
      } catch (error) {
        if (!(error instanceof ChainError && mayPass(error))) throw error;
        // Without its id nobody could ask for what is paid.
        if (isOver()) fail(BUYER_ERRORS.buyer_waiting, { request: requestId, why: error.message });
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  }

  /** All of it: looks at the product, asks its sources, waits for them. */
  async buy(productId: number, params: JsonObject, options: BuyOptions = {}): Promise<Purchase> {
    const product = await this.product(productId, Math.min(RESTART_MS, options.patienceMs ?? RESTART_MS));
    const id = await this.ask(product, params, options);
    return this.wait(id, options.patienceMs, product);
  }
}
