import { type ChainError, check, fail } from '../../base/errors.js';
import type { Cancel } from '../../base/world.js';
import { type Json, parseJson } from '../../codec/json.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Header, HttpAnswer, HttpRequest } from '../../http/handler.js';
import type { Given } from '../../http/routes.js';
import type { Transport } from '../../http/transport.js';
import { questionText } from '../../trade/authorization.js';
import { BUYER_ERRORS, Buyer, type Product } from '../../trade/buyer.js';
import { writeJson } from '../../trade/json.js';
import { heartbeat, type Question, readQuestion } from '../../trade/seller.js';
import { Accounts } from '../chain/accounts.js';
import { toldOfChain } from '../chain/errors.js';
import { ChainNode } from '../chain/node.js';
import { ownAccount } from '../chain/own-account.js';
import { signerOfText } from '../chain/signatures.js';
import { Closing } from '../common/closing.js';
import { type Endpoint, jsonEndpoint } from '../common/endpoint.js';
import type { Described } from '../common/schema.js';
import { type RunningService, ServiceMetrics, type ServiceWorld, serve } from '../common/service.js';
import { Answerer } from './answerer.js';
import { DATASOURCE_ERRORS } from './errors.js';
import { knownBy } from './knows.js';
import type { DatasourceOptions } from './options.js';

/** A source of data for sellers: tells the exchange that it is there, opens questions, has them answered, seals answers. */

const QUESTION_BYTES = 4_194_304;
const BEAT_MS = 30_000;
const BEAT_AGAIN_MS = 3000;
/** The exchange forgets a source then. */
const ONLINE_MS = 50_000;
const PRODUCT_MS = 60_000;
/** However often somebody asks for what a product does not take. */
const PRODUCT_NOW_MS = 1000;
/** How old a signed question may be. */
const FRESH_MS = 30_000;

const HEADERS: readonly Header[] = [
  ['Content-Type', 'application/json'],
  ['Cache-Control', 'no-store'],
];
const answer = (status: number, value: Json): HttpAnswer => ({ status, headers: HEADERS, body: writeJson(value) });

/** Products as the exchange describes them, asked for once in a while. */
class Products {
  readonly #buyer: Buyer;
  readonly #now: () => number;
  readonly #kept = new Map<number, { readonly atMs: number; readonly product: Promise<Product> }>();

  constructor(buyer: Buyer, now: () => number) {
    this.#buyer = buyer;
    this.#now = now;
  }

  async find(id: number, ageMs = PRODUCT_MS): Promise<Product> {
    const kept = this.#kept.get(id);
    if (kept !== undefined && this.#now() < kept.atMs + ageMs) return kept.product;
    const product = this.#buyer.product(id);
    this.#kept.set(id, { atMs: this.#now(), product });
    product.catch(() => this.#kept.delete(id));
    return product;
  }
}

/** The question as it came: what is wrong with it is told by its reader. */
const anyQuestion: Described<Given> = {
  json: {
    type: 'object',
    properties: {
      params: { type: 'string', description: 'encrypted for this source, hex' },
      publicKey: { type: 'string', description: 'active key of the buyer' },
      productId: { type: 'integer' },
      nonce: { type: 'integer', description: 'up to 63 bits' },
      merchantAccountId: { type: 'string', description: 'account of the buyer' },
      memo: { type: 'string', description: 'MD5 of what is encrypted' },
      requestId: { type: 'string' },
    },
    required: ['params', 'publicKey', 'productId', 'nonce'],
  },
  fromJson: (given) => given,
};

interface Asked {
  readonly products: Products;
  readonly answerer: Answerer;
  readonly accounts: Accounts;
  readonly keyPrefix: string;
  readonly options: DatasourceOptions;
  readonly world: ServiceWorld;
}

/** Whoever else asked would get for nothing what others pay for. What was answered is no secret to whoever repeats it. */
async function checkExchange(
  { products, accounts, answerer, options, world }: Asked,
  request: HttpRequest,
  question: Question,
  raw: Uint8Array,
) {
  if (options['any-exchange']) return;
  const timestamp = request.header('x-des-timestamp');
  const isTime = /^\d{1,15}$/.test(timestamp);
  const isFresh = isTime && Math.abs(Number(timestamp) - world.clock.nowMs()) <= FRESH_MS;
  check(isFresh || (isTime && answerer.has(question)), DATASOURCE_ERRORS.datasource_stranger);
  const { exchange } = await products.find(options.product[0] as number);
  const account = `1.2.${exchange.account}`;
  const text = questionText(account, question.requestId, timestamp, raw);
  const key = (await accounts.find(exchange.account))?.keys[0]?.[0];
  const isOwn =
    key !== undefined &&
    request.header('x-des-account') === account &&
    signerOfText(text, request.header('x-des-signature')) === key;
  check(isOwn, DATASOURCE_ERRORS.datasource_stranger);
}

function questionEndpoint(parts: Asked): Endpoint {
  return jsonEndpoint({
    summary: 'A question of the exchange',
    about: 'Opened, answered by the program of the seller, and sealed for the buyer.',
    method: 'POST',
    pattern: '/data/request',
    bytesMax: QUESTION_BYTES,
    body: anyQuestion,
    answers: {
      200: { about: 'success and data, or success false where it could not be found out' },
      400: { about: 'The question is not as agreed upon' },
      401: { about: 'Somebody else than the exchange asks' },
      404: { about: 'There is no such data' },
    },
    run: async ({ request, body, raw }) => {
      const question = readQuestion(body as Json, parts.keyPrefix);
      await checkExchange(parts, request, question, raw);
      const found = await parts.answerer.answer(question);
      return found === undefined ? answer(404, { success: false, message: 'no data' }) : answer(200, found);
    },
  });
}

const STATUS: ReadonlyMap<unknown, number> = new Map([
  [DATASOURCE_ERRORS.datasource_stranger, 401],
  [DATASOURCE_ERRORS.datasource_unknown, 200],
]);

/** Strangers may ask too: where the exchange is asked is as little theirs as where the node is. */
const toldOf = (error: ChainError): string =>
  error.row === BUYER_ERRORS.buyer_unreachable
    ? 'the exchange does not answer this source; try again later'
    : toldOfChain(error);

/** What an exchange says to a heartbeat. */
interface Heard {
  /** Those that it takes of this source. */
  readonly products: readonly number[];
  /** Where it does not reach this source. */
  readonly unreached: string | undefined;
}

/** Heartbeats, one after another. */
class Heart {
  readonly #beat: () => Promise<Heard>;
  readonly #world: ServiceWorld;
  #lastMs: number | undefined;
  #why = 'the exchange has not heard of this source yet';
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #wanted: readonly number[];
  /** What was told of what the exchange has said. */
  #told = '';

  constructor(beat: () => Promise<Heard>, wanted: readonly number[], world: ServiceWorld) {
    this.#beat = beat;
    this.#wanted = wanted;
    this.#world = world;
  }

  /** Why nobody buys here. It is told once, and once more when it changes. */
  get warning(): string | undefined {
    return this.#told === '' ? undefined : this.#told;
  }

  #look({ products, unreached }: Heard): void {
    const refused = this.#wanted.filter((id) => !products.includes(id)).join(', ');
    const told = [
      ...(refused === ''
        ? []
        : [`nobody can buy the products ${refused} of this source: its account is no member of them`]),
      ...(unreached === undefined
        ? []
        : [
            'nobody can buy of this source: the exchange cannot connect to the address that it is bound to, or has named',
          ]),
    ].join('; ');
    if (told === this.#told) return;
    this.#told = told;
    const { log } = this.#world;
    if (told === '') log.info('the exchange takes all products of this source now, and reaches it');
    else log.warn(told, unreached === undefined ? {} : { address: unreached });
  }

  get trouble(): string | undefined {
    const { clock } = this.#world;
    return this.#lastMs !== undefined && clock.monotonicMs() - this.#lastMs < ONLINE_MS ? undefined : this.#why;
  }

  start(): void {
    const { clock, log } = this.#world;
    this.#round = this.#beat().then(
      (heard) => {
        const { products } = heard;
        if (this.#lastMs === undefined) log.info('the exchange knows that this source is there', { products });
        this.#look(heard);
        this.#lastMs = clock.monotonicMs();
        this.#again(BEAT_MS);
      },
      (error: unknown) => {
        const { message, cause } = error as Error;
        log.warn('the exchange did not take the heartbeat', { why: cause instanceof Error ? cause.message : message });
        // What others say of it is in the log alone.
        this.#why = 'the exchange did not take the last heartbeat: the log says why';
        this.#again(BEAT_AGAIN_MS);
      },
    );
  }

  #again(ms: number): void {
    if (!this.#isStopped) this.#cancel = this.#world.clock.after(ms, () => this.start());
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    await this.#round;
  }
}

/** One that gets no answer is tried again long before the exchange forgets this source. */
async function beatOnce(url: string, body: Json, wanted: readonly number[], timeoutMs: number): Promise<Heard> {
  const response = await fetch(`${url}/api/datasource/heartbeat`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: writeJson(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`the exchange refuses: ${text.slice(0, 300)}`);
  const { products, unreached } = parseJson(text) as unknown as Partial<Heard>;
  // Not every exchange tells.
  return { products: products ?? wanted, unreached: typeof unreached === 'string' ? unreached : undefined };
}

export async function startDatasource(
  options: DatasourceOptions,
  key: PrivateKey,
  world: ServiceWorld,
  transport?: Transport,
): Promise<RunningService> {
  const { account = fail(DATASOURCE_ERRORS.datasource_account_needed) } = options;
  check(options.product.length > 0, DATASOURCE_ERRORS.datasource_products_needed);
  const knows = await knownBy(options);
  const { clock } = world;
  const log = world.log.child('datasource');
  const node = new ChainNode(options.node, options['node-timeout'] * 1000, clock);
  await node.chainId(options['chain-id']);
  const keyPrefix = await node.keyPrefix();
  const accounts = new Accounts(node, clock);
  const { id, name } = await ownAccount(account, key, node, accounts);
  const url = options.exchange.replace(/\/+$/, '');
  const timeoutMs = options['exchange-timeout'] * 1000;
  const asking = new Buyer({ exchange: url, account: id, key, keyPrefix, timeoutMs });
  const products = new Products(asking, () => clock.monotonicMs());
  const answerer = new Answerer({
    key,
    knows,
    products: new Set(options.product),
    product: (product) => products.find(product),
    productNow: (product) => products.find(product, PRODUCT_NOW_MS),
    asksMax: options['asks-max'],
    timeoutMs: options['ask-timeout'] * 1000,
    clock,
    log,
  });
  const beat = (): Promise<Heard> =>
    beatOnce(
      url,
      heartbeat(`1.2.${id}`, key, options.product, clock.nowMs(), options['query-url']),
      options.product,
      timeoutMs,
    );
  const heart = new Heart(beat, options.product, { ...world, log });
  const service = await serve(
    options,
    {
      info: { title: 'Data source', about: 'Answers the questions of an exchange of data.', prefixes: [] },
      endpoints: [questionEndpoint({ products, answerer, accounts, keyPrefix, options, world })],
      metrics: new ServiceMetrics(),
      refusal: (_request, status, error) =>
        answer(STATUS.get(error.row) ?? status, { success: false, message: toldOf(error) }),
      notReady: () => heart.trouble,
      warning: () => heart.warning,
    },
    world,
    transport,
  );
  const closing = new Closing();
  closing.add(() => service.close());
  heart.start();
  closing.add(() => heart.stop());
  log.info('the data source listens', { url: service.url, monitor: service.monitor, account: `1.2.${id}`, name });
  return { ...service, close: () => closing.run() };
}
