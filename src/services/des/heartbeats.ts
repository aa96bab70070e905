import type { Kysely } from 'kysely';
import { check } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import type { Json } from '../../codec/json.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { RateBuckets } from '../../http/rate-buckets.js';
import { accountId, type Instance } from '../../protocol/ids.js';
import type { Accounts } from '../chain/accounts.js';
import { signerOfText } from '../chain/signatures.js';
import { transact } from '../common/database.js';
import type { ExchangeTables } from '../exchange/tables.js';
import { type AskLimits, isReached } from './ask.js';
import type { Heartbeat } from './declared.js';
import { DES_ERRORS } from './errors.js';
import { addressOf } from './products.js';
import type { RoleCheck } from './roles.js';
import type { DesTables, PresenceRow } from './tables.js';

/** Who sells at the moment: each source tells it again and again, signed, and is away when it does not. */

const ONLINE_MS = 50_000;
const VALID_MS = 3000;
/** Smaller ones are seconds. */
const MILLISECONDS_FROM = 1e11;
const BURST = 5;
/** One commit for all that come within this time. */
const GATHER_MS = 20;
/** Whoever sends a heartbeat waits so long to hear that he is reached again: he has a deadline, which may be short. */
const TELL_MS = 500;

type Heard = Omit<PresenceRow, 'unreached_url'>;

/** What is known of a source that says it is there. */
interface Known {
  readonly products: number[];
  readonly service_url: string;
  readonly unreached_url: string | null;
}

export interface HeartbeatParts {
  readonly db: Kysely<DesTables & ExchangeTables>;
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly skewMs: number;
  readonly perSecond: number;
  readonly checkRole: RoleCheck;
  readonly limits: AskLimits;
  /** As long as a source has for an answer. */
  readonly lookMs: number;
  readonly log: Logger;
}

/** The texts that clients sign, and whether each covers the address. */
export function heartbeatForms({ account, products, timestamp, queryUrl }: Heartbeat): readonly [string, boolean][] {
  const plain = `[${products.join(',')}]`;
  const spaced = `[${products.join(', ')}]`;
  const forms: [string, boolean][] = [
    [`${account}|${timestamp}`, false],
    [`${account}|${plain}|${timestamp}`, false],
  ];
  if (queryUrl !== undefined) forms.push([`${account}|${plain}|${queryUrl}|${timestamp}`, true]);
  forms.push([`${account}|${spaced}|${timestamp}`, false]);
  if (queryUrl !== undefined) forms.push([`${account}|${spaced}|${queryUrl}|${timestamp}`, true]);
  return forms;
}

/** Whether the address is covered; undefined where the key has signed none of the forms. */
function coverOf(heartbeat: Heartbeat, key: PublicKey): boolean | undefined {
  return heartbeatForms(heartbeat).find(([text]) => signerOfText(text, heartbeat.signature) === key)?.[1];
}

function isHttp(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

export class Heartbeats {
  readonly #parts: HeartbeatParts;
  readonly #rate: RateBuckets;
  readonly #stop = new AbortController();
  /** Addresses that are tried at the moment, by account and address. */
  readonly #looks = new Map<string, Promise<boolean>>();
  #waiting: { readonly row: Heard; done(error?: unknown): void }[] = [];

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    const { perSecond, clock } = parts;
    this.#rate = new RateBuckets({ perSecond, burst: Math.max(1, BURST * perSecond) }, clock);
  }

  async take(heartbeat: Heartbeat): Promise<Json> {
    const { accounts, clock, skewMs } = this.#parts;
    const { account: text, timestamp, queryUrl } = heartbeat;
    const given = Number(timestamp);
    const atMs = given < MILLISECONDS_FROM ? given * 1000 : given;
    const nowMs = clock.nowMs();
    const isFresh = Math.abs(atMs - nowMs) <= VALID_MS + skewMs;
    check(isFresh, DES_ERRORS.des_signature, { why: 'timestamp: it is not the time of this heartbeat' });
    const id = accountId.fromJson(text);
    const account = await accounts.find(id);
    check(account !== undefined, DES_ERRORS.des_account, { why: `there is no account ${text}` });
    const key = account.keys[0]?.[0];
    const covers = key === undefined ? undefined : coverOf(heartbeat, key);
    const why = `signature: it is not that of the active key of ${text} over account, products, queryUrl and timestamp`;
    check(covers !== undefined, DES_ERRORS.des_signature, { why });
    check(this.#rate.take(text), DES_ERRORS.des_rate, { whom: text });
    await this.#parts.checkRole?.(account, 'data source');
    const { products, service_url, unreached_url } = await this.#known(id, heartbeat.products, text);
    const url = covers && queryUrl !== undefined ? queryUrl : null;
    check(url === null || isHttp(url), DES_ERRORS.des_params, { why: 'queryUrl: it has to be a URL of http or https' });
    const expire_ms = nowMs + ONLINE_MS;
    const at = addressOf(url, service_url);
    const isThere = unreached_url !== at || (await this.#isBack(id, at));
    await this.#keep({ account: id, products: JSON.stringify(products), query_url: url, expire_ms });
    return { account: text, products, expireAt: expire_ms, ...(isThere ? {} : { unreached: at }) };
  }

  /** What is tried when the exchange ends is not tried any further. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#looks.values());
  }

  /** As far as it is known in time for the answer: one that is slow to connect is offered a moment later all the same. */
  async #isBack(account: Instance, url: string): Promise<boolean> {
    const key = `${account} ${url}`;
    const look = this.#looks.get(key) ?? this.#look(account, url).finally(() => this.#looks.delete(key));
    this.#looks.set(key, look);
    let cancel: Cancel | undefined;
    const late = new Promise<boolean>((resolve) => {
      cancel = this.#parts.clock.after(TELL_MS, () => resolve(false));
    });
    const isBack = await Promise.race([look, late]);
    cancel?.();
    return isBack;
  }

  /** That it sends heartbeats says nothing of where it is asked: who was not reached there is offered once he is. */
  async #look(account: Instance, url: string): Promise<boolean> {
    const { db, limits, lookMs, log } = this.#parts;
    const source = `1.2.${account}`;
    try {
      if (!(await isReached(url, lookMs, limits, this.#stop.signal))) return false;
      await db
        .updateTable('des_presence')
        .set({ unreached_url: null })
        .where('account', '=', account)
        .where('unreached_url', '=', url)
        .execute();
    } catch (error) {
      log.error('whether a source is reached again could not be kept', { source, url, error });
      return false;
    }
    log.info('a source is reached again', { source, url });
    return true;
  }

  /** With those of the products of which it is a member. */
  async #known(account: number, wanted: readonly number[], text: string): Promise<Known> {
    const { db } = this.#parts;
    const merchant = await db
      .selectFrom('merchant')
      .leftJoin('des_presence', 'des_presence.account', 'merchant.account')
      .select(['merchant_id', 'service_url', 'unreached_url'])
      .where('merchant.account', '=', account)
      .executeTakeFirst();
    check(merchant !== undefined, DES_ERRORS.des_account, { why: `${text} is not bound to a merchant` });
    const rows = await db
      .selectFrom('product_member')
      .select('product_id')
      .where('merchant_id', '=', merchant.merchant_id)
      .execute();
    const own = new Set(rows.map(({ product_id }) => product_id));
    const { service_url, unreached_url } = merchant;
    return { products: [...new Set(wanted)].filter((id) => own.has(id)), service_url, unreached_url };
  }

  #keep(row: Heard): Promise<void> {
    const kept = new Promise<void>((resolve, reject) => {
      this.#waiting.push({ row, done: (error) => (error === undefined ? resolve() : reject(error)) });
    });
    if (this.#waiting.length === 1) this.#parts.clock.after(GATHER_MS, () => void this.#write());
    return kept;
  }

  async #write(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    // In one order in all instances: two that write the same ones do not wait for each other in a circle.
    const rows = waiting.map(({ row }) => row).sort((a, b) => a.account - b.account);
    try {
      await transact(this.#parts.db, async (trx) => {
        for (const row of rows) {
          const { account, ...rest } = row;
          await trx
            .insertInto('des_presence')
            .values(row)
            .onConflict((one) => one.column('account').doUpdateSet(rest))
            .execute();
        }
      });
      for (const { done } of waiting) done();
    } catch (error) {
      for (const { done } of waiting) done(error);
    }
  }
}
