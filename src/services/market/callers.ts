import type { Kysely } from 'kysely';
import { check, fail } from '../../base/errors.js';
import type { Clock } from '../../base/world.js';
import { sha256Hex } from '../../crypto/hash.js';
import type { PublicKey } from '../../crypto/public-key.js';
import { isInside } from '../../http/addresses.js';
import { RateBuckets } from '../../http/rate-buckets.js';
import type { RouteContext } from '../../http/routes.js';
import type { Instance } from '../../protocol/ids.js';
import { bindingText, marketCallText } from '../../trade/authorization.js';
import type { Accounts, KnownAccount } from '../chain/accounts.js';
import { signerOfText } from '../chain/signatures.js';
import { MARKET_ERRORS } from './errors.js';
import type { MarketOptions } from './options.js';
import type { MarketTables } from './tables.js';

/** Who calls: an account that has signed what it wants, and has not asked for the same before. */

type Asked = Pick<RouteContext<unknown, unknown, unknown>, 'request' | 'raw' | 'target'>;

export interface CallerParts {
  readonly options: MarketOptions;
  readonly db: Kysely<MarketTables>;
  readonly accounts: Accounts;
  readonly clock: Clock;
}

const CALL_MS = 30_000;
const BIND_MS = 300_000;
/** Longer than a signed call is good for, on clocks that differ. */
const SEEN_MS = 2 * CALL_MS;
/** So many at once, for each one a second. */
const BURST = 5;

/** A key that acts for the account all by itself. */
const actsAlone = ({ keys, threshold }: KnownAccount, key: PublicKey): boolean =>
  keys.some(([own, weight]) => own === key && weight >= threshold);

export class Callers {
  readonly #parts: CallerParts;
  readonly #reads: RateBuckets;
  readonly #writes: RateBuckets;
  readonly #binds: RateBuckets;

  constructor(parts: CallerParts) {
    this.#parts = parts;
    const buckets = (perSecond: number): RateBuckets =>
      new RateBuckets({ perSecond, burst: Math.max(1, BURST * perSecond) }, parts.clock);
    this.#reads = buckets(parts.options['reads-per-second']);
    this.#writes = buckets(parts.options['writes-per-second']);
    this.#binds = buckets(parts.options['binds-per-second']);
  }

  /** Somebody, for what is public. */
  checkReader({ request }: Pick<Asked, 'request'>): void {
    this.#checkAddress(request, this.#reads);
  }

  #checkAddress({ caller }: Asked['request'], buckets: RateBuckets): void {
    const fits = caller.isLocal || buckets.take(caller.countedAs);
    check(fits, MARKET_ERRORS.market_rate, { whom: 'this address' });
  }

  /** The account that asks for something. */
  async reader(asked: Asked): Promise<Instance> {
    this.checkReader(asked);
    return (await this.#account(asked)).account;
  }

  /** The account that wants a change, this time only. */
  async writer(asked: Asked): Promise<Instance> {
    const { account, text } = await this.#account(asked);
    // Only who has signed counts: nobody uses up what belongs to another.
    check(this.#writes.take(String(account)), MARKET_ERRORS.market_rate, { whom: `1.2.${account}` });
    if (text !== undefined) await this.#useOnce(text, SEEN_MS);
    return account;
  }

  async #account({ request, raw, target }: Asked): Promise<{ account: Instance; text: string | undefined }> {
    const { options } = this.#parts;
    const given = request.header('x-market-account');
    const account = /^1\.2\.\d{1,12}$/.test(given) ? Number(given.slice(4)) : undefined;
    check(account !== undefined, MARKET_ERRORS.market_signature, { why: 'X-Market-Account names none' });
    if (options['market-auth'] !== 'signed') {
      const isUpstream = options['market-auth'] === 'open' || isInside(request.caller.address);
      check(isUpstream, MARKET_ERRORS.market_signature, { why: 'the request comes from no private address' });
      await this.#known(account);
      return { account, text: undefined };
    }
    const timestamp = request.header('x-market-timestamp');
    check(/^\d{1,15}$/.test(timestamp), MARKET_ERRORS.market_signature, { why: 'X-Market-Timestamp is no time' });
    this.#checkTime(Number(timestamp), CALL_MS);
    const text = marketCallText(given, { method: request.method, target, body: raw }, timestamp);
    await this.#checkSigned(account, text, request.header('x-market-signature'));
    return { account, text };
  }

  #checkTime(ms: number, spanMs: number): void {
    const isTimely = Math.abs(this.#parts.clock.nowMs() - ms) <= spanMs;
    check(isTimely, MARKET_ERRORS.market_timestamp, { seconds: spanMs / 1000 });
  }

  async #known(account: Instance): Promise<KnownAccount> {
    const found = await this.#parts.accounts.find(account);
    return found ?? fail(MARKET_ERRORS.market_signature, { why: `there is no account 1.2.${account}` });
  }

  async #checkSigned(account: Instance, text: string, signature: string): Promise<void> {
    const key = signerOfText(text, signature);
    check(key !== undefined, MARKET_ERRORS.market_signature, { why: 'the signature is none' });
    const known = await this.#known(account);
    check(actsAlone(known, key), MARKET_ERRORS.market_signature, { why: `of 1.2.${account}` });
  }

  /** One statement tells who was first, whatever instance each of them has asked. */
  async #useOnce(text: string, keptMs: number): Promise<void> {
    const { db, clock } = this.#parts;
    const { numInsertedOrUpdatedRows } = await db
      .insertInto('seen_call')
      .values({ digest: sha256Hex(Buffer.from(text, 'utf8')), until_ms: clock.nowMs() + keptMs })
      .onConflict((conflict) => conflict.column('digest').doNothing())
      .executeTakeFirst();
    check(numInsertedOrUpdatedRows === 1n, MARKET_ERRORS.market_replayed);
  }

  /** The account proves by a signature of its own what it is bound to. */
  async checkBinding({ request }: Pick<Asked, 'request'>, binding: Binding): Promise<void> {
    this.#checkAddress(request, this.#binds);
    const { account, merchantId, serviceUrl, timestamp, signature } = binding;
    this.#checkTime(timestamp, BIND_MS);
    await this.#checkSigned(account, bindingText(`1.2.${account}`, merchantId, serviceUrl, timestamp), signature);
  }
}

export interface Binding {
  readonly account: Instance;
  readonly merchantId: number;
  readonly serviceUrl: string;
  readonly timestamp: number;
  readonly signature: string;
}
