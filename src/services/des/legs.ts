import type { Kysely, Transaction } from 'kysely';
import { crashPoint } from '../../base/crash-point.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Instance } from '../../protocol/ids.js';
import { questionText, signText } from '../../trade/authorization.js';
import { writeJson } from '../../trade/json.js';
import { transact } from '../common/database.js';
import type { DiskWatch } from '../common/disk-watch.js';
import type { ContentStore } from '../content/content-store.js';
import type { ContentTables } from '../content/tables.js';
import { type DeliveryOutcome, type ExchangeTables, nextNumber } from '../exchange/tables.js';
import type { Payments } from '../payment/payments.js';
import { AUTHORIZATION_SEC_MIN, type PaymentUser } from '../payment/releases.js';
import type { PaymentTables } from '../payment/tables.js';
import { type AskLimits, askSource, type SourceAnswer } from './ask.js';
import { urlOf } from './products.js';
import type { DesTables, LegRow, RequestRow } from './tables.js';

/**
 * The way of each source's share of a request: asked, answered, stored, paid, shown. Every step is recorded before the
 * next one, and every step can be done again by whoever takes it up after a crash: the payment's lease says whose it is.
 */

export type AllTables = DesTables & ExchangeTables & PaymentTables & ContentTables;
export type Trx = Transaction<AllTables>;

export interface LegParts {
  readonly db: Kysely<AllTables>;
  readonly content: ContentStore;
  readonly payments: () => Payments;
  readonly exchange: { readonly account: string; readonly key: PrivateKey };
  readonly limits: AskLimits;
  readonly disk: Pick<DiskWatch, 'failed'>;
  readonly asksMax: number;
  readonly clock: Clock;
  readonly log: Logger;
}

const WORK_MS = 1000;
const AT_ONCE_MAX = 50;
/** What cannot be stored for so long after it came has failed. */
const STORE_MS = 60_000;
const STORE_PAUSE_MS = 250;
const STORE_PAUSE_MS_MAX = 4000;

/** What a buyer is told of a payment that the chain has refused. */
const COMMENTS: Readonly<Record<string, string>> = {
  balance: 'BALANCE_NOT_ENOUGH',
  expired: 'AUTHORIZATION_EXPIRED',
  used: 'SIGNATURE_USED',
};

/** Whole signatures have no place in logs. */
const shown = (signature: string): string => signature.slice(0, 16);

type Ended = Extract<SourceAnswer, { kind: 'none' | 'timeout' | 'fail' }>;

function outcomeOf(answer: Ended): readonly [DeliveryOutcome, string] {
  if (answer.kind === 'none') return ['NONE', ''];
  return answer.kind === 'timeout' ? ['TIMEOUT', ''] : ['FAIL', answer.comment];
}

export class Legs {
  readonly #parts: LegParts;
  readonly #stop = new AbortController();
  /** By signature. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #turns: (() => void)[] = [];
  #asking = 0;
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();

  constructor(parts: LegParts) {
    this.#parts = parts;
  }

  /** What payments tell: the buyer may have it, or never will. */
  user(releaseAt: PaymentUser['releaseAt']): PaymentUser {
    return {
      purpose: 'des',
      releaseAt,
      keepsReserved: true,
      paid: async (given, row) => {
        const trx = given.withTables<AllTables>() as Trx;
        await this.decide(trx, row.signature, 'SUCCESS', '');
        await this.#parts.content.release(row.signature, trx.withTables<ContentTables>());
      },
      unpaid: async (given, row) => {
        const trx = given.withTables<AllTables>() as Trx;
        await this.decide(trx, row.signature, 'FAIL', COMMENTS[row.failure ?? ''] ?? 'PROXY_TRANSFER_ERROR');
        await this.#parts.content.unpin(row.signature, trx.withTables<ContentTables>() as Transaction<ContentTables>);
      },
    };
  }

  /** What is shown once stays. A failure alone gives way, to a payment that came after all. */
  async decide(trx: Trx, signature: string, outcome: DeliveryOutcome, comment: string): Promise<void> {
    const leg = await trx.selectFrom('des_leg').selectAll().where('signature', '=', signature).executeTakeFirst();
    if (leg === undefined) return;
    const isOpen = leg.outcome === null || (outcome === 'SUCCESS' && leg.outcome === 'FAIL');
    if (!isOpen) return;
    await trx
      .updateTable('des_leg')
      .set({ outcome, comment, params: null, decided_ms: this.#parts.clock.nowMs() })
      .where('signature', '=', signature)
      .execute();
    const request = await trx
      .selectFrom('des_request')
      .selectAll()
      .where('request_id', '=', leg.request_id)
      .executeTakeFirstOrThrow();
    await this.#deliver(trx, leg, request, outcome);
  }

  async #deliver(trx: Trx, leg: LegRow, request: RequestRow, outcome: DeliveryOutcome): Promise<void> {
    const { signature, request_id, source, answer_ms, created_ms } = leg;
    const { product_id, buyer, asset, units, percent } = request;
    const id = await nextNumber(trx.withTables<ExchangeTables>() as Transaction<ExchangeTables>, 'delivery');
    const row = { request_id, product_id, buyer, source, outcome, asset, units, percent, answer_ms, created_ms };
    await trx
      .insertInto('delivery')
      .values({ id, signature, ...row })
      .onConflict((one) => one.column('signature').doUpdateSet({ outcome, answer_ms }))
      .execute();
  }

  /** Works on a leg that this instance owns. */
  begin(signature: string): void {
    // Its lease may have ended meanwhile, while the machine slept or the database was away: it is not asked for twice.
    if (this.#running.has(signature)) return;
    const work = this.#run(signature)
      .catch((error: unknown) => this.#parts.log.error('a request could not be brought on', { error }))
      .finally(() => this.#running.delete(signature));
    this.#running.set(signature, work);
  }

  async #run(signature: string): Promise<void> {
    const payments = this.#parts.payments();
    const leg = await this.#find(signature);
    if (leg === undefined || leg.outcome !== null) return;
    // People may take minutes to consent.
    const release = payments.hold(signature);
    try {
      const answered = leg.data === null ? await this.#ask(leg) : leg;
      if (answered === undefined) return;
      const cid = await this.#store(answered);
      // Another instance took it for left behind, or it has failed.
      if (cid === undefined || !(await payments.ready(signature, cid))) return;
      crashPoint('payment_ready');
    } finally {
      release();
    }
    await payments.drive(signature, this.#parts.clock.nowMs() + STORE_MS);
  }

  #find(signature: string): Promise<LegRow | undefined> {
    return this.#parts.db.selectFrom('des_leg').selectAll().where('signature', '=', signature).executeTakeFirst();
  }

  /** Its turn, where very many are asked at once. */
  async #turn(): Promise<() => void> {
    if (this.#asking < this.#parts.asksMax) this.#asking++;
    else await new Promise<void>((go) => this.#turns.push(go));
    return () => {
      const next = this.#turns.shift();
      if (next === undefined) this.#asking--;
      else next();
    };
  }

  async #ask(leg: LegRow): Promise<LegRow | undefined> {
    const { db, clock, limits, log } = this.#parts;
    const { signature } = leg;
    const done = await this.#turn();
    let answer: SourceAnswer;
    let asked_ms: number;
    let url: string | undefined;
    try {
      const nowMs = clock.nowMs();
      asked_ms = leg.asked_ms ?? nowMs;
      url = await urlOf(db, leg.source);
      const body = await this.#question(leg);
      if (nowMs >= leg.deadline_ms) answer = { kind: 'timeout' };
      else if (url === undefined)
        answer = { kind: 'fail', comment: 'DATASOURCE_FAIL', why: 'it is not bound any more', isReached: false };
      else {
        await db.updateTable('des_leg').set({ asked_ms }).where('signature', '=', signature).execute();
        const { headers, text } = this.#signed(leg.request_id, body);
        answer = await askSource(url, text, headers, leg.deadline_ms - clock.nowMs(), limits, this.#stop.signal);
      }
    } finally {
      done();
    }
    if (answer.kind === 'stopped') {
      await this.#parts.payments().letGo(signature);
      return undefined;
    }
    crashPoint('leg_asked');
    const answer_ms = answer.kind === 'timeout' ? null : clock.nowMs() - asked_ms;
    if (answer.kind === 'data') {
      const values = { data: answer.data, answer_nonce: answer.nonce ?? null, answer_ms };
      if (!(await this.#recordAnswer(signature, values))) {
        // Whoever has it now has asked the source too, and may have been told something else.
        log.info('an answer came to a request that another instance has taken up', { request: leg.request_id });
        return undefined;
      }
      crashPoint('leg_answered');
      return { ...leg, ...values, asked_ms };
    }
    if (answer.kind === 'fail') {
      const source = `1.2.${leg.source}`;
      log.info('a source has failed', { source, request: leg.request_id, url, why: answer.why });
      if (!answer.isReached && url !== undefined) await this.#notReached(leg.source, url);
    }
    await this.#end(signature, ...outcomeOf(answer), answer_ms);
    return undefined;
  }

  /** Nobody is offered a source there any more, until a heartbeat finds it there again. */
  async #notReached(source: Instance, url: string): Promise<void> {
    const { db, log } = this.#parts;
    const { numUpdatedRows } = await db
      .updateTable('des_presence')
      .set({ unreached_url: url })
      .where('account', '=', source)
      .where((is) => is.or([is('unreached_url', 'is', null), is('unreached_url', '!=', url)]))
      .executeTakeFirst();
    if (Number(numUpdatedRows) === 0) return;
    log.warn('a source was not reached, and is not offered until it is', { source: `1.2.${source}`, url });
  }

  /** False where it is no longer this instance's. */
  async #recordAnswer(
    signature: string,
    values: Pick<LegRow, 'data' | 'answer_nonce' | 'answer_ms'>,
  ): Promise<boolean> {
    return transact(this.#parts.db, async (trx) => {
      const payments = trx.withTables<PaymentTables>() as Transaction<PaymentTables>;
      if (!(await this.#parts.payments().keep(payments, signature))) return false;
      await trx.updateTable('des_leg').set(values).where('signature', '=', signature).execute();
      return true;
    });
  }

  async #question(leg: LegRow): Promise<string> {
    const { product_id, buyer } = await this.#parts.db
      .selectFrom('des_request')
      .select(['product_id', 'buyer'])
      .where('request_id', '=', leg.request_id)
      .executeTakeFirstOrThrow();
    return writeJson({
      params: leg.params,
      publicKey: leg.buyer_key,
      productId: product_id,
      nonce: BigInt(leg.nonce),
      merchantAccountId: `1.2.${buyer}`,
      memo: leg.memo,
      requestId: leg.request_id,
    });
  }

  /** By which a source knows that it is this exchange that asks. */
  #signed(requestId: string, text: string): { readonly headers: Record<string, string>; readonly text: string } {
    const { exchange, clock } = this.#parts;
    const timestamp = String(clock.nowMs());
    const signature = signText(questionText(exchange.account, requestId, timestamp, Buffer.from(text)), exchange.key);
    const headers = {
      'X-Des-Account': exchange.account,
      'X-Des-Timestamp': timestamp,
      'X-Des-Signature': signature,
    };
    return { headers, text };
  }

  /** Nothing came of it, and nothing is paid. */
  async #end(signature: string, outcome: DeliveryOutcome, comment: string, answer_ms: number | null): Promise<void> {
    await transact(this.#parts.db, async (trx) => {
      const payments = trx.withTables<PaymentTables>() as Transaction<PaymentTables>;
      if (!(await this.#parts.payments().giveBack(payments, signature))) return;
      await trx.updateTable('des_leg').set({ answer_ms }).where('signature', '=', signature).execute();
      await this.decide(trx, signature, outcome, comment);
      // An answer may have been stored by somebody who has gone.
      await this.#parts.content.unpin(signature, trx.withTables<ContentTables>() as Transaction<ContentTables>);
    });
  }

  /** By its content id; nobody may have it yet. Undefined: it has failed, or it is no longer this instance's. */
  async #store(leg: LegRow): Promise<string | undefined> {
    const { signature, data, created_ms, expiration, asked_ms, answer_ms } = leg;
    const { content, disk, clock, log } = this.#parts;
    const bytes = Buffer.from(data ?? '', 'ascii');
    // Where people have to consent it may come long after the request.
    const cameMs = (asked_ms ?? created_ms) + (answer_ms ?? 0);
    const lastMs = Math.min(cameMs + STORE_MS, (expiration - AUTHORIZATION_SEC_MIN) * 1000);
    for (let pauseMs = STORE_PAUSE_MS; ; pauseMs = Math.min(STORE_PAUSE_MS_MAX, 2 * pauseMs)) {
      try {
        const source = (async function* () {
          yield bytes;
        })();
        return (await content.add(source, signature)).cid;
      } catch (error) {
        log.error('an answer could not be stored', { error, signature: shown(signature) });
        disk.failed(error);
      }
      if (this.#stop.signal.aborted) {
        await this.#parts.payments().letGo(signature);
        return undefined;
      }
      if (clock.nowMs() + pauseMs > lastMs) {
        await this.#end(signature, 'FAIL', 'STORE_FAIL', answer_ms);
        return undefined;
      }
      await new Promise<void>((resolve) => {
        clock.after(pauseMs, resolve);
      });
    }
  }

  /** Takes up what others have left. */
  start(): void {
    const again = (): void => {
      if (this.#stop.signal.aborted) return;
      this.#round = this.#work().then(
        () => undefined,
        (error: unknown) => this.#parts.log.error('requests could not be brought on', { error }),
      );
      void this.#round.then(() => {
        if (!this.#stop.signal.aborted) this.#cancel = this.#parts.clock.after(WORK_MS, again);
      });
    };
    again();
  }

  async #work(): Promise<void> {
    const { db, clock } = this.#parts;
    const rows = await db
      .selectFrom('des_leg')
      .innerJoin('payment', 'payment.signature', 'des_leg.signature')
      .select('des_leg.signature')
      .where('outcome', 'is', null)
      .where('payment.state', '=', 'reserved')
      .where('lease_until_ms', '<', clock.nowMs())
      .orderBy('des_leg.created_ms')
      .limit(AT_ONCE_MAX)
      .execute();
    for (const { signature } of rows) if (await this.#parts.payments().renew(signature)) this.begin(signature);
  }

  /** What is under way is left to the next start; nothing of it is lost. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#cancel?.();
    await this.#round;
    await Promise.allSettled(this.#running.values());
  }
}
