import type { Kysely, Transaction } from 'kysely';
import { toHex } from '../../base/bytes.js';
import { crashPoint } from '../../base/crash-point.js';
import { ChainError, check, fail } from '../../base/errors.js';
import type { Clock, Random } from '../../base/world.js';
import type { Json } from '../../codec/json.js';
import { type PublicKey, publicKeyToText } from '../../crypto/public-key.js';
import { RateBuckets } from '../../http/rate-buckets.js';
import type { Instance } from '../../protocol/ids.js';
import type { ProxyTransferParams } from '../../protocol/proxy-transfer.js';
import { type Accounts, singleKey } from '../chain/accounts.js';
import type { ChainNode } from '../chain/node.js';
import { isAuthorizedBy, readAuthorization } from '../chain/signatures.js';
import { findBan } from '../exchange/bans.js';
import type { ProductRow } from '../exchange/tables.js';
import { PAYMENT_ERRORS, type Payments } from '../payment/payments.js';
import type { PaymentTables } from '../payment/tables.js';
import { type CreateElement, LEGS_MAX } from './declared.js';
import { DES_ERRORS } from './errors.js';
import type { AllTables, Legs, Trx } from './legs.js';
import type { DesOptions } from './options.js';
import { findOffer, type Offer } from './products.js';
import type { RoleCheck } from './roles.js';
import type { LegRow } from './tables.js';

/** Requests of buyers: checked, recorded with what they hold back, and told of. */

export interface RequestParts {
  readonly options: DesOptions;
  readonly db: Kysely<AllTables>;
  readonly exchange: Instance;
  readonly keyPrefix: string;
  readonly node: ChainNode;
  readonly accounts: Accounts;
  readonly payments: Payments;
  readonly legs: Legs;
  readonly checkRole: RoleCheck;
  readonly clock: Clock;
  readonly random: Random;
}

const BURST = 5;
const REQUEST_ID_BYTES = 32;
const MEMO = /^(?:memo )?[0-9a-fA-F]{32}$/;
/** An authorization has to live this long: asking and paying take their time. */
const AHEAD_SEC = 30;

interface Checked {
  readonly element: CreateElement;
  readonly request: ProxyTransferParams;
  readonly signature: string;
}

const bad = (why: string): never => fail(DES_ERRORS.des_params, { why });

export class Requests {
  readonly #parts: RequestParts;
  readonly #creates: RateBuckets;
  readonly #looks: RateBuckets;

  constructor(parts: RequestParts) {
    this.#parts = parts;
    const { options, clock } = parts;
    const bucketsOf = (perSecond: number): RateBuckets =>
      new RateBuckets({ perSecond, burst: Math.max(1, BURST * perSecond) }, clock);
    this.#creates = bucketsOf(options['creates-per-second']);
    this.#looks = bucketsOf(options['looks-per-second']);
  }

  /** Its id. */
  async create(productId: number, version: number | undefined, elements: readonly CreateElement[]): Promise<string> {
    check(elements.length > 0, DES_ERRORS.des_offline);
    const { db, clock, legs } = this.#parts;
    const signatures = signaturesOf(elements);
    const former = await this.#former(db, productId, signatures);
    if (former !== undefined) return former;
    const offer = await findOffer(db, productId, clock.nowMs());
    const { product, isOnSale } = offer;
    check(isOnSale, DES_ERRORS.des_forbidden, { product: productId });
    if (version !== undefined && version !== product.version) {
      bad(`version: the product is at version ${product.version}`);
    }
    const buyer = (elements[0] as CreateElement).requestParams.from;
    if (elements.some(({ requestParams }) => requestParams.from !== buyer)) bad('from: one buyer asks for all');
    const buyerKey = await this.#buyerKey(buyer);
    const checked = await this.#checkAll(elements, product, buyerKey, buyer);
    // Why somebody is banned is told to nobody else, and only who has signed counts for what a buyer may ask.
    await this.#checkNotBanned(buyer);
    check(this.#creates.take(String(buyer)), DES_ERRORS.des_rate, { whom: `1.2.${buyer}` });
    const rows = await this.#legRows(checked, offer, buyerKey);
    const id = rows[0]?.request_id as string;
    const known = await this.#record(checked, rows, product, buyer);
    if (known !== undefined) return known;
    crashPoint('leg_stored');
    for (const { signature, outcome } of rows) if (outcome === null) legs.begin(signature);
    return id;
  }

  async #checkNotBanned(buyer: Instance): Promise<void> {
    const ban = await findBan(this.#parts.db, 'account', buyer);
    check(ban === undefined, DES_ERRORS.des_banned, { account: `1.2.${buyer}`, reason: ban?.reason ?? '' });
  }

  async #buyerKey(buyer: Instance): Promise<PublicKey> {
    const account = await this.#parts.accounts.find(buyer);
    check(account !== undefined, DES_ERRORS.des_account, { why: `there is no account 1.2.${buyer}` });
    const key = singleKey(account);
    const why = `1.2.${buyer} has not exactly one active key, which the chain wants of whoever pays this way`;
    check(key !== undefined, DES_ERRORS.des_signature, { why });
    await this.#parts.checkRole?.(account, 'merchant');
    return key;
  }

  /** The same authorizations again are the same request, whatever has become of it. */
  async #former(
    db: Kysely<AllTables> | Trx,
    productId: number,
    signatures: readonly string[],
  ): Promise<string | undefined> {
    const rows = await db
      .selectFrom('des_leg')
      .innerJoin('des_request', 'des_request.request_id', 'des_leg.request_id')
      .select(['des_leg.signature', 'des_leg.request_id', 'product_id'])
      .where('des_leg.signature', 'in', [...signatures])
      .execute();
    const [first] = rows;
    if (first === undefined) return undefined;
    const isSame =
      rows.length === signatures.length &&
      first.product_id === productId &&
      rows.every(({ request_id }) => request_id === first.request_id);
    return isSame ? first.request_id : bad('signatures: some of them belong to another request');
  }

  async #checkAll(
    elements: readonly CreateElement[],
    product: ProductRow,
    key: PublicKey,
    buyer: Instance,
  ): Promise<readonly [Checked, ...Checked[]]> {
    const { node } = this.#parts;
    for (const { requestParams } of elements) this.#checkTerms(requestParams, product);
    const [head, lifetime] = await Promise.all([node.head(), node.lifetimeMax()]);
    for (const { requestParams } of elements) {
      const { expiration } = requestParams;
      const fits = expiration > head.time + AHEAD_SEC && expiration <= head.time + lifetime;
      if (!fits) bad(`expiration: more than ${AHEAD_SEC} seconds and at most ${lifetime} seconds ahead of the chain`);
    }
    return elements.map((element) => checkSignature(element, key, buyer)) as [Checked, ...Checked[]];
  }

  #checkTerms(given: CreateElement['requestParams'], product: ProductRow): void {
    const { exchange, options } = this.#parts;
    if (given.proxy_account !== exchange) bad(`proxy_account: it has to be 1.2.${exchange}`);
    if (given.percent !== options.percent) bad(`percent: it has to be ${options.percent}`);
    if (given.amount.amount !== BigInt(product.units) || given.amount.asset_id !== product.asset) {
      bad(`amount: the price is ${product.units} of 1.3.${product.asset}`);
    }
    if (!MEMO.test(given.memo)) bad('memo: it has to be the MD5 of what is encrypted');
  }

  async #legRows(checked: readonly Checked[], offer: Offer, buyerKey: PublicKey): Promise<readonly LegRow[]> {
    const { options, clock, random, accounts, keyPrefix } = this.#parts;
    const created_ms = clock.nowMs();
    const request_id = toHex(random.bytes(REQUEST_ID_BYTES));
    const patience = offer.product.privacy === 1 ? options['consent-timeout'] : options['source-timeout'];
    const online = new Set(offer.members.filter(({ url }) => url !== undefined).map(({ account }) => account));
    const isAsked = ({ request }: Checked): boolean => request.to !== request.from && online.has(request.to);
    check(checked.some(isAsked), DES_ERRORS.des_offline);
    return Promise.all(
      checked.map(async (one, position): Promise<LegRow> => {
        const { element, request, signature } = one;
        const outcome = isAsked(one) ? null : 'FAIL';
        const key = (await accounts.find(request.to))?.keys[0]?.[0];
        return {
          signature,
          request_id,
          position,
          source: request.to,
          source_key: key === undefined ? '' : publicKeyToText(key, keyPrefix),
          buyer_key: publicKeyToText(buyerKey, keyPrefix),
          nonce: element.nonce.digits,
          nonce_is_text: element.nonce.isText ? 1 : 0,
          memo: request.memo,
          params: outcome === null ? element.params : null,
          deadline_ms: created_ms + patience * 1000,
          expiration: request.expiration,
          asked_ms: null,
          answer_ms: null,
          data: null,
          answer_nonce: null,
          outcome,
          comment: outcome === null ? '' : request.to === request.from ? 'SELF_TRADE' : 'DATASOURCE_OFFLINE',
          created_ms,
          decided_ms: outcome === null ? null : created_ms,
        };
      }),
    );
  }

  /** With what it holds back, or nothing of it; the id of an equal one that was recorded meanwhile. */
  async #record(
    checked: readonly [Checked, ...Checked[]],
    rows: readonly LegRow[],
    product: ProductRow,
    buyer: Instance,
  ): Promise<string | undefined> {
    const { payments } = this.#parts;
    const open = new Set(rows.filter(({ outcome }) => outcome === null).map(({ signature }) => signature));
    const requests = checked.filter(({ signature }) => open.has(signature)).map(({ request }) => request);
    const within = async (given: Transaction<PaymentTables>): Promise<string | undefined> => {
      const trx = given.withTables<AllTables>() as Trx;
      const signatures = rows.map(({ signature }) => signature);
      const former = await this.#former(trx, product.product_id, signatures);
      if (former === undefined) await this.#insert(trx, rows, product, buyer);
      return former;
    };
    let reserved: Awaited<ReturnType<typeof payments.reserveAll<string>>>;
    try {
      reserved = await payments.reserveAll(requests as [ProxyTransferParams, ...ProxyTransferParams[]], within);
    } catch (error) {
      const isBalance = error instanceof ChainError && error.row === PAYMENT_ERRORS.payment_balance;
      throw isBalance ? new ChainError(DES_ERRORS.des_balance, { why: error.message }) : error;
    }
    if (reserved === 'reserved') return undefined;
    return typeof reserved === 'string' ? reserved : bad('signatures: some of them are used already');
  }

  async #insert(trx: Trx, rows: readonly LegRow[], product: ProductRow, buyer: Instance): Promise<void> {
    const { options, legs } = this.#parts;
    const [first] = rows as [LegRow];
    const { product_id, asset, units } = product;
    const { request_id, created_ms } = first;
    const { percent } = options;
    await trx
      .insertInto('des_request')
      .values({ request_id, product_id, buyer, asset, units, percent, created_ms })
      .execute();
    // Those that end at once are decided like others, so that they are counted.
    for (const row of rows) {
      await trx
        .insertInto('des_leg')
        .values({ ...row, outcome: null })
        .execute();
      if (row.outcome !== null) await legs.decide(trx, row.signature, row.outcome, row.comment);
    }
  }

  async status(id: string): Promise<Json> {
    const { db } = this.#parts;
    check(this.#looks.take(id.slice(0, 2 * REQUEST_ID_BYTES)), DES_ERRORS.des_rate, { whom: 'this request' });
    const rows = await db
      .selectFrom('des_leg')
      .leftJoin('payment', 'payment.signature', 'des_leg.signature')
      .select(['outcome', 'comment', 'source', 'source_key', 'nonce', 'nonce_is_text', 'data', 'answer_nonce', 'txid'])
      .where('request_id', '=', id)
      .orderBy('position')
      .limit(LEGS_MAX)
      .execute();
    check(rows.length > 0, DES_ERRORS.des_not_found, { what: 'request' });
    const decided = rows.filter(({ outcome }) => outcome !== null);
    return {
      status: decided.length === rows.length ? 'FINISHED' : 'IN_PROGRESS',
      total: rows.length,
      datasources: decided.map((row) => {
        const isSuccess = row.outcome === 'SUCCESS';
        const digits = (isSuccess ? row.answer_nonce : null) ?? row.nonce;
        return {
          status: row.outcome,
          comment: row.comment,
          datasource: `1.2.${row.source}`,
          datasourcePublicKey: row.source_key,
          nonce: row.nonce_is_text === 1 ? digits : BigInt(digits),
          data: isSuccess ? row.data : null,
          txid: isSuccess ? row.txid : null,
        };
      }),
    };
  }
}

/** As they are kept: each once. */
function signaturesOf(elements: readonly CreateElement[]): readonly string[] {
  const signatures = elements.map(
    ({
      requestParams: {
        signatures: [text = ''],
      },
    }) => {
      const bytes = readAuthorization(text);
      // What is none is told later.
      return bytes === undefined ? text.toLowerCase() : toHex(bytes);
    },
  );
  if (new Set(signatures).size !== signatures.length) bad('signatures: the same one stands there twice');
  return signatures;
}

function checkSignature(element: CreateElement, key: PublicKey, buyer: Instance): Checked {
  const { percent, signatures, ...rest } = element.requestParams;
  const why = `signatures: exactly one, of the only active key of 1.2.${buyer}, in the form that the chain takes`;
  const [text, ...more] = signatures;
  const bytes = text === undefined || more.length > 0 ? undefined : readAuthorization(text);
  check(bytes !== undefined, DES_ERRORS.des_signature, { why });
  const request = { ...rest, percentage: percent, signatures: [bytes] };
  check(isAuthorizedBy(request, key), DES_ERRORS.des_signature, { why });
  return { element, request, signature: toHex(bytes) };
}
