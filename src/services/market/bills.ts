import { type Kysely, sql } from 'kysely';
import { check, fail } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import type { PaymentState } from '../payment/tables.js';
import { MARKET_ERRORS } from './errors.js';
import { type Decimal, decimalOf } from './json-text.js';
import type { Page } from './products.js';
import type { MarketTables } from './tables.js';

/**
 * What was bought, sold and paid: sums over deliveries whose payment stands. Lost payments are on no bill. Days are those
 * of the configured offset.
 */

const PAID: readonly PaymentState[] = ['sent', 'included', 'final'];
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const RECENT_DAYS = 30;
const DETAILS_MAX = 1000;
const PARTS = 10_000n;

/** From one moment up to but without another. */
export interface Span {
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
}

export interface BillParts {
  readonly db: Kysely<MarketTables>;
  readonly asset: Instance;
  readonly precision: number;
  /** Of days, ahead of UTC. */
  readonly offsetMinutes: number;
  readonly logoUrl: (logo: string) => string;
}

interface Line {
  readonly productId: number;
  readonly units: bigint;
  readonly count: number;
}

/** Days of a calendar as texts write them. */
function dayOf(text: string, name: string): number {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  const ms = match === null ? Number.NaN : Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  // The thirty-first of a short month is none.
  const isDay = !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text;
  check(isDay, MARKET_ERRORS.market_params, { why: `${name}: it has to be a day such as 2020-09-13` });
  return ms / DAY_MS;
}

export class Bills {
  readonly #parts: BillParts;
  readonly #offsetMs: number;

  constructor(parts: BillParts) {
    this.#parts = parts;
    this.#offsetMs = parts.offsetMinutes * MINUTE_MS;
  }

  money(units: bigint): Decimal {
    return decimalOf(units, this.#parts.precision);
  }

  #startOf(day: number): number {
    return day * DAY_MS - this.#offsetMs;
  }

  #day(ms: number): number {
    return Math.floor((ms + this.#offsetMs) / DAY_MS);
  }

  /** Both days are part of it. */
  spanOf(from: string | undefined, to: string | undefined, names: readonly [string, string]): Span {
    return {
      fromMs: from === undefined ? undefined : this.#startOf(dayOf(from, names[0])),
      toMs: to === undefined ? undefined : this.#startOf(dayOf(to, names[1]) + 1),
    };
  }

  /** The month of a day, or one that is named. */
  monthOf(date: string | undefined): Span {
    const match = /^(\d{4})-(\d\d)(?:-\d\d)?$/.exec(date ?? '');
    if (match === null || date === undefined) {
      fail(MARKET_ERRORS.market_params, { why: 'date: it has to be a month such as 2020-09' });
    }
    const first = dayOf(`${date.slice(0, 7)}-01`, 'date');
    if (date.length > 7) dayOf(date, 'date');
    const next = Date.UTC(Number(match[1]), Number(match[2]), 1) / DAY_MS;
    return { fromMs: this.#startOf(first), toMs: this.#startOf(next) };
  }

  #paid({ fromMs, toMs }: Span) {
    const { db, asset } = this.#parts;
    return db
      .selectFrom('delivery')
      .innerJoin('payment', 'payment.signature', 'delivery.signature')
      .where('payment.state', 'in', PAID)
      .where('delivery.asset', '=', asset)
      .$if(fromMs !== undefined, (query) => query.where('delivery.created_ms', '>=', fromMs as number))
      .$if(toMs !== undefined, (query) => query.where('delivery.created_ms', '<', toMs as number));
  }

  async log(buyer: Instance, productId: number | undefined, span: Span, { page, limit }: Page) {
    const all = this.#paid(span)
      .where('buyer', '=', buyer)
      .$if(productId !== undefined, (query) => query.where('delivery.product_id', '=', productId as number));
    const { total } = await all.select((of) => of.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
    const rows = await all
      .leftJoin('product', 'product.product_id', 'delivery.product_id')
      .select(['delivery.id', 'request_id', 'delivery.product_id', 'name', 'delivery.units', 'delivery.created_ms'])
      .orderBy('delivery.created_ms', 'desc')
      .orderBy('delivery.id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute();
    const data = rows.map((row) => ({
      id: row.id,
      requestId: row.request_id,
      productId: row.product_id,
      productName: row.name ?? '',
      amount: this.money(BigInt(row.units)),
      gmtCreated: row.created_ms,
    }));
    return { data, total: Number(total) };
  }

  async detail(
    account: Instance,
    wanted: { readonly buyer?: Instance; readonly requestId?: string; readonly txid?: string },
    span: Span,
  ) {
    const { buyer, requestId, txid } = wanted;
    const rows = await this.#paid(span)
      .where((where) => where.or([where('buyer', '=', account), where('source', '=', account)]))
      .$if(buyer !== undefined, (query) => query.where('buyer', '=', buyer as number))
      .$if(requestId !== undefined, (query) => query.where('request_id', '=', requestId as string))
      .$if(txid !== undefined, (query) => query.where('txid', '=', txid as string))
      .select(['delivery.id', 'delivery.created_ms', 'source', 'buyer', 'request_id', 'txid'])
      .orderBy('delivery.created_ms', 'desc')
      .orderBy('delivery.id', 'desc')
      .limit(DETAILS_MAX)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      gmtCreated: row.created_ms,
      fromAccount: `1.2.${row.source}`,
      toAccount: `1.2.${row.buyer}`,
      requestId: row.request_id,
      txid: row.txid,
    }));
  }

  /** Sums by product: added up here, since no database adds texts, but few prices stand for many rows. */
  async #lines(buyer: Instance, span: Span): Promise<Line[]> {
    const rows = await this.#paid(span)
      .where('buyer', '=', buyer)
      .select(['delivery.product_id', 'delivery.units', (of) => of.fn.countAll<number>().as('count')])
      .groupBy(['delivery.product_id', 'delivery.units'])
      .execute();
    const lines = new Map<number, Line>();
    for (const { product_id: productId, units, count } of rows) {
      const former = lines.get(productId) ?? { productId, units: 0n, count: 0 };
      const times = Number(count);
      lines.set(productId, {
        productId,
        units: former.units + BigInt(units) * BigInt(times),
        count: former.count + times,
      });
    }
    return [...lines.values()].sort((a, b) =>
      a.units === b.units ? a.productId - b.productId : a.units < b.units ? 1 : -1,
    );
  }

  async productLines(buyer: Instance, span: Span, hasLogo: boolean) {
    const lines = await this.#lines(buyer, span);
    const ids = lines.map(({ productId }) => productId);
    const rows =
      ids.length === 0
        ? []
        : await this.#parts.db.selectFrom('product').selectAll().where('product_id', 'in', ids).execute();
    const products = new Map(rows.map((row) => [row.product_id, row]));
    return lines.map(({ productId, units, count }) => {
      const product = products.get(productId);
      return {
        productId,
        productName: product?.name ?? '',
        ...(hasLogo ? { logoUrl: product === undefined ? '' : this.#parts.logoUrl(product.logo) } : {}),
        transferCount: count,
        unitPrice: this.money(BigInt(product?.units ?? 0)),
        consumeAmount: this.money(units),
      };
    });
  }

  async consumed(buyer: Instance, span: Span): Promise<{ readonly units: bigint; readonly count: number }> {
    const lines = await this.#lines(buyer, span);
    return lines.reduce((sum, { units, count }) => ({ units: sum.units + units, count: sum.count + count }), {
      units: 0n,
      count: 0,
    });
  }

  /** What was sent to the account, sales apart. */
  async recharged(account: Instance, { fromMs, toMs }: Span): Promise<bigint> {
    const rows = await this.#parts.db
      .selectFrom('income')
      .select('units')
      .where('account', '=', account)
      .$if(fromMs !== undefined, (query) => query.where('time_ms', '>=', fromMs as number))
      .$if(toMs !== undefined, (query) => query.where('time_ms', '<', toMs as number))
      .execute();
    return rows.reduce((sum, { units }) => sum + BigInt(units), 0n);
  }

  #recentDays(nowMs: number): readonly number[] {
    const today = this.#day(nowMs);
    return Array.from({ length: RECENT_DAYS }, (_, i) => today - i);
  }

  get #dayOfRow() {
    return sql<number>`(delivery.created_ms + ${this.#offsetMs}) / ${DAY_MS}`;
  }

  /** Today and the 29 days before, newest first. */
  async recent(account: Instance, nowMs: number) {
    const days = this.#recentDays(nowMs);
    const fromMs = this.#startOf(days.at(-1) as number);
    const spent = await this.#paid({ fromMs })
      .where('buyer', '=', account)
      .select([this.#dayOfRow.as('day'), 'delivery.units', (of) => of.fn.countAll<number>().as('count')])
      .groupBy(['day', 'delivery.units'])
      .execute();
    const sent = await this.#parts.db
      .selectFrom('income')
      .select(['units', 'time_ms'])
      .where('account', '=', account)
      .where('time_ms', '>=', fromMs)
      .execute();
    return days.map((day) => {
      const rows = spent.filter((row) => Math.floor(Number(row.day)) === day);
      const consumed = rows.reduce((sum, { units, count }) => sum + BigInt(units) * BigInt(count), 0n);
      const income = sent
        .filter(({ time_ms }) => this.#day(time_ms) === day)
        .reduce((sum, { units }) => sum + BigInt(units), 0n);
      return {
        date: this.#startOf(day),
        consumeAmount: this.money(consumed),
        incomeAmount: this.money(income),
        transferCount: rows.reduce((sum, { count }) => sum + Number(count), 0),
        balance: null,
        average: null,
      };
    });
  }

  /** Of each day since the first purchase, rounded half up. */
  async average(buyer: Instance, units: bigint, nowMs: number): Promise<Decimal> {
    const { first } = await this.#paid({})
      .where('buyer', '=', buyer)
      .select((of) => of.fn.min('delivery.created_ms').as('first'))
      .executeTakeFirstOrThrow();
    if (first === null || first === undefined) return this.money(0n);
    const days = BigInt(this.#day(nowMs) - this.#day(Number(first)) + 1);
    return this.money((2n * units + days) / (2n * days));
  }

  /** What a source has earned on each of the same days. */
  async earnedRecently(source: Instance, nowMs: number) {
    const days = this.#recentDays(nowMs);
    const sold = await this.#paid({ fromMs: this.#startOf(days.at(-1) as number) })
      .where('source', '=', source)
      .select([this.#dayOfRow.as('day'), 'delivery.units', 'percent', (of) => of.fn.countAll<number>().as('count')])
      .groupBy(['day', 'delivery.units', 'percent'])
      .execute();
    return days.map((day) => {
      const rows = sold.filter((row) => Math.floor(Number(row.day)) === day);
      const { count, paid, earned } = rows.reduce(sumOf, NOTHING);
      return {
        date: this.#startOf(day),
        paidAmount: this.money(paid),
        incomeAmount: this.money(earned),
        transferCount: count,
      };
    });
  }

  /** What a source has earned, the share of the exchange taken off. */
  async earned(source: Instance, span: Span) {
    const rows = await this.#paid(span)
      .leftJoin('product', 'product.product_id', 'delivery.product_id')
      .where('source', '=', source)
      .select(['delivery.product_id', 'name', 'buyer', 'delivery.units', 'percent'])
      .select((of) => of.fn.countAll<number>().as('count'))
      .groupBy(['delivery.product_id', 'name', 'buyer', 'delivery.units', 'percent'])
      .execute();
    const lines = new Map<string, EarnedLine>();
    for (const { product_id: productId, name, buyer, units, percent, count } of rows) {
      const key = `${productId} ${buyer}`;
      const former = lines.get(key) ?? { productId, productName: name ?? '', buyer, ...NOTHING };
      lines.set(key, { ...former, ...sumOf(former, { units, percent, count }) });
    }
    const all = [...lines.values()].sort((a, b) =>
      a.earned !== b.earned ? (a.earned < b.earned ? 1 : -1) : a.productId - b.productId || a.buyer - b.buyer,
    );
    return {
      paidAmount: this.money(all.reduce((sum, { paid }) => sum + paid, 0n)),
      incomeAmount: this.money(all.reduce((sum, { earned }) => sum + earned, 0n)),
      transferCount: all.reduce((sum, { count }) => sum + count, 0),
      lines: all.map(({ buyer, paid, earned, count, ...product }) => ({
        ...product,
        buyer: `1.2.${buyer}`,
        transferCount: count,
        paidAmount: this.money(paid),
        incomeAmount: this.money(earned),
      })),
    };
  }
}

interface Earned {
  readonly count: number;
  readonly paid: bigint;
  readonly earned: bigint;
}

interface EarnedLine extends Earned {
  readonly productId: number;
  readonly productName: string;
  readonly buyer: number;
}

const NOTHING: Earned = { count: 0, paid: 0n, earned: 0n };

interface SoldRows {
  readonly units: string;
  readonly percent: number;
  /** Sold so often at this price and share. */
  readonly count: number;
}

function sumOf(former: Earned, { units, percent, count }: SoldRows): Earned {
  const [price, times] = [BigInt(units), BigInt(count)];
  const share = (price * BigInt(percent)) / PARTS;
  return {
    count: former.count + Number(count),
    paid: former.paid + price * times,
    earned: former.earned + (price - share) * times,
  };
}
