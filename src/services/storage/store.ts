import { toHex } from '../../base/bytes.js';
import { crashPoint } from '../../base/crash-point.js';
import { ChainError, check, fail } from '../../base/errors.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Caller } from '../../http/caller.js';
import { boundaryOf, type FormPart, readForm } from '../../http/multipart.js';
import { RateBuckets } from '../../http/rate-buckets.js';
import type { Instance } from '../../protocol/ids.js';
import type { ProxyTransferParams } from '../../protocol/proxy-transfer.js';
import { type Accounts, singleKey } from '../chain/accounts.js';
import type { ChainNode } from '../chain/node.js';
import { isAuthorizedBy, readAuthorization } from '../chain/signatures.js';
import { isDatabaseError } from '../common/database.js';
import type { DiskWatch } from '../common/disk-watch.js';
import type { ContentStore, Stored } from '../content/content-store.js';
import { isDecided, PAYMENT_ERRORS, type Payments } from '../payment/payments.js';
import { AUTHORIZATION_SEC_MIN } from '../payment/releases.js';
import type { PaymentRow } from '../payment/tables.js';
import { type StoreFields, storeFields } from './declared.js';
import { STORAGE_ERRORS } from './errors.js';
import type { Fee, StorageOptions } from './options.js';
import type { Spool, SpoolFolder } from './spool.js';
import type { Unpaid } from './unpaid.js';

/** One file against one authorization: taken in, checked, stored, paid, in this order, and each of them at most once. */

export interface StoreParts {
  readonly options: StorageOptions;
  readonly provider: Instance;
  readonly node: ChainNode;
  readonly accounts: Accounts;
  readonly payments: Payments;
  readonly content: ContentStore;
  readonly unpaid: Unpaid;
  readonly spools: SpoolFolder;
  readonly disk: Pick<DiskWatch, 'failed'>;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface StoreResult {
  readonly txid: string;
  readonly cid: string;
}

const FIELD_BYTES_MAX = 4096;
/** For a payment, or another one's work on it: somebody brings it to its end afterwards. */
const PATIENCE_MS = 10_000;
const KILOBYTE = 1024n;
/** So many files of one account at once, for each one a second. */
const BURST = 5;

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** What the data may cost: some clients pay for begun kilobytes, others for parts of them. */
export function amountsFor(bytes: number, { units }: Fee): { readonly min: bigint; readonly max: bigint } {
  const size = BigInt(bytes);
  return { min: most(units, ceilDivide(size * units, KILOBYTE)), max: most(1n, ceilDivide(size, KILOBYTE)) * units };
}

interface Taken {
  readonly fields: Readonly<Record<string, string>>;
  readonly data: Spool;
}

/** No amount will do. */
const NOTHING = { min: 1n, max: 0n };

/** What became of a payment that the chain has refused. */
const FAILURES: Readonly<Record<string, () => ChainError>> = {
  balance: () => new ChainError(STORAGE_ERRORS.storage_balance, { why: 'the chain has refused the transfer' }),
  signature: () => new ChainError(STORAGE_ERRORS.storage_signature, { account: 'the payer' }),
  expired: () => new ChainError(STORAGE_ERRORS.storage_expiration, { why: 'it has ended meanwhile' }),
};

export class Store {
  readonly #parts: StoreParts;
  readonly #files: RateBuckets;
  readonly #bytes: RateBuckets;
  #uploads = 0;
  /** By address, where there are any. */
  readonly #uploadsOf = new Map<string, number>();
  readonly #paying = new Set<Promise<unknown>>();
  #isStopping = false;

  constructor(parts: StoreParts) {
    this.#parts = parts;
    const { options, clock } = parts;
    const perSecond = options['stores-per-second'];
    this.#files = new RateBuckets({ perSecond, burst: Math.max(1, BURST * perSecond) }, clock);
    const perMinute = options['bytes-per-minute'];
    const burst = Math.max(perMinute, options['data-bytes-max']);
    this.#bytes = new RateBuckets({ perSecond: perMinute / 60, burst }, clock);
  }

  async store(
    contentType: string,
    body: AsyncIterable<Uint8Array>,
    caller: Pick<Caller, 'countedAs' | 'isLocal'>,
  ): Promise<StoreResult> {
    const leave = this.#enter(caller);
    try {
      const taken = await this.#take(contentType, body);
      const paying = this.#settled(taken);
      this.#paying.add(paying);
      return await paying.finally(() => this.#paying.delete(paying));
    } catch (error) {
      if (!isDatabaseError(error) && !isDiskError(error)) throw error;
      this.#parts.log.error('the database or the disk did not take a change', { error });
      this.#parts.disk.failed(error);
      return fail(STORAGE_ERRORS.storage_store);
    } finally {
      leave();
    }
  }

  async #settled(taken: Taken): Promise<StoreResult> {
    try {
      return await this.#paid(taken);
    } finally {
      await taken.data.discard();
    }
  }

  /** Whoever sends slowly, and much of it, leaves room for others. */
  #enter({ countedAs: address, isLocal }: Pick<Caller, 'countedAs' | 'isLocal'>): () => void {
    const { options } = this.#parts;
    const hasRoom = this.#uploads < options['uploads-max'] && !this.#isStopping;
    check(hasRoom, STORAGE_ERRORS.storage_rate, { whom: 'all clients' });
    const own = this.#uploadsOf.get(address) ?? 0;
    const isFair = isLocal || own < options['uploads-per-address-max'];
    check(isFair, STORAGE_ERRORS.storage_rate, { whom: 'this address' });
    this.#uploads++;
    this.#uploadsOf.set(address, own + 1);
    return () => {
      this.#uploads--;
      const left = (this.#uploadsOf.get(address) ?? 1) - 1;
      if (left === 0) this.#uploadsOf.delete(address);
      else this.#uploadsOf.set(address, left);
    };
  }

  /** Takes nothing more, and waits for what has been taken. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.allSettled([...this.#paying]);
    // The answers go out before anybody closes their connections.
    await new Promise<void>((resolve) => this.#parts.clock.after(0, resolve));
  }

  async #take(contentType: string, body: AsyncIterable<Uint8Array>): Promise<Taken> {
    const boundary = boundaryOf(contentType);
    const fields: Record<string, string> = {};
    const data = this.#parts.spools.open(this.#parts.options['data-bytes-max']);
    const names = new Set<string>();
    try {
      await readForm(body, boundary, (name): FormPart => {
        check(!names.has(name), STORAGE_ERRORS.storage_param, { why: 'a part of the form comes twice' });
        names.add(name);
        if (name === 'data') return data;
        return textPart((text) => {
          // Names of what every object has are names like others.
          Object.defineProperty(fields, name, { value: text, enumerable: true });
        });
      });
      check(names.has('data'), STORAGE_ERRORS.storage_param, { why: 'data: it is missing' });
      return { fields, data };
    } catch (error) {
      await data.discard();
      throw error;
    }
  }

  /** All that can be said without storing or paying anything, in the order of the specification. */
  async #check(given: Readonly<Record<string, string>>, data: Spool): Promise<ProxyTransferParams> {
    const { node, provider, accounts } = this.#parts;
    const fields = storeFields.fromJson(given);
    for (const name of ['to', 'proxy_account'] as const) {
      const isProvider = fields[name] === provider;
      check(isProvider, STORAGE_ERRORS.storage_param, { why: `${name}: it has to be 1.2.${provider}` });
    }
    check(fields.percent === 0, STORAGE_ERRORS.storage_param, { why: 'percent: it has to be 0' });
    check(fields.from !== provider, STORAGE_ERRORS.storage_param, { why: 'from: the provider pays nobody' });
    const [head, lifetime] = await Promise.all([node.head(), node.lifetimeMax()]);
    const [from, to] = [head.time + AUTHORIZATION_SEC_MIN + 1, head.time + lifetime];
    const isTimely = fields.expiration >= from && fields.expiration <= to;
    const why = `it has to be from ${from} to ${to}, seconds since 1970`;
    // Whoever got no answer asks again when he likes: that it was paid is true after its time as well.
    check(isTimely || (await this.#isPaid(fields.signatures)), STORAGE_ERRORS.storage_expiration, { why });
    check(fields.memo === data.md5, STORAGE_ERRORS.storage_md5, { md5: data.md5 });
    const account = await accounts.find(fields.from);
    check(account !== undefined, STORAGE_ERRORS.storage_account, { account: `1.2.${fields.from}` });
    const request = this.#request(fields, data.bytes);
    const key = singleKey(account);
    const isSigned = key !== undefined && request !== undefined && isAuthorizedBy(request, key);
    check(isSigned, STORAGE_ERRORS.storage_signature, { account: `1.2.${fields.from}` });
    this.#checkAmount(request.amount, data.bytes);
    return request;
  }

  async #isPaid(signatures: string): Promise<boolean> {
    const signature = readAuthorization(signatures);
    if (signature === undefined) return false;
    const row = await this.#parts.payments.find(toHex(signature));
    return row !== undefined && isDecided(row) && row.state !== 'failed' && row.state !== 'lost';
  }

  /** What was signed; undefined without anything that can be a signature. */
  #request(fields: StoreFields, bytes: number): ProxyTransferParams | undefined {
    const { from, to, proxy_account, percent: percentage, memo, expiration } = fields;
    // Some clients sign another number than they send: nothing can be checked over it.
    const isWhole = /^\d{1,18}$/.test(fields.amount);
    if (!isWhole) this.#refuseAmount(bytes, this.#feeIn(fields.asset_id));
    const signature = readAuthorization(fields.signatures);
    if (signature === undefined) return undefined;
    const amount = { amount: BigInt(fields.amount), asset_id: fields.asset_id };
    return { from, to, proxy_account, amount, percentage, memo, expiration, signatures: [signature] };
  }

  #feeIn(asset: Instance): Fee | undefined {
    return this.#parts.options.fee.find((one) => one.asset === asset);
  }

  #checkAmount({ amount, asset_id }: ProxyTransferParams['amount'], bytes: number): void {
    const fee = this.#feeIn(asset_id);
    const { min, max } = fee === undefined ? NOTHING : amountsFor(bytes, fee);
    if (amount < min || amount > max) this.#refuseAmount(bytes, fee);
  }

  #refuseAmount(bytes: number, wanted: Fee | undefined): never {
    const { fee: fees } = this.#parts.options;
    const fee = wanted ?? (fees[0] as Fee);
    const assets = fees.map(({ asset }) => `1.3.${asset}`).join(' or ');
    fail(STORAGE_ERRORS.storage_amount, { assets, ...amountsFor(bytes, fee) });
  }

  #checkRate(from: Instance, bytes: number): void {
    // Only who has signed counts: nobody uses up what belongs to another.
    const whom = `1.2.${from}`;
    const fits = this.#files.take(whom) && (bytes === 0 || this.#bytes.take(whom, bytes));
    check(fits, STORAGE_ERRORS.storage_rate, { whom });
  }

  async #paid({ fields, data }: Taken): Promise<StoreResult> {
    const { payments, clock } = this.#parts;
    const request = await this.#check(fields, data);
    const untilMs = clock.nowMs() + PATIENCE_MS;
    const signature = toHex(request.signatures[0] as Uint8Array);
    for (;;) {
      const former = await payments.find(signature);
      if (former === undefined || former.state === 'failed') this.#checkRate(request.from, data.bytes);
      const begun = await this.#begin(request);
      if (begun === 'reserved') return this.#resultOf(await this.#storeAndPay(signature, data));
      const row = await payments.watch(signature, untilMs);
      // Whoever was at it has given it up or has failed: the same request begins anew.
      if (row !== undefined && row.state !== 'failed') return this.#resultOf(row);
      if (clock.nowMs() >= untilMs) fail(STORAGE_ERRORS.storage_processing);
    }
  }

  async #begin(request: ProxyTransferParams): Promise<'reserved' | PaymentRow> {
    try {
      return await this.#parts.payments.reserve(request);
    } catch (error) {
      const isBalance = error instanceof ChainError && error.row === PAYMENT_ERRORS.payment_balance;
      throw isBalance ? new ChainError(STORAGE_ERRORS.storage_balance, { why: error.message }) : error;
    }
  }

  async #storeAndPay(signature: string, data: Spool): Promise<PaymentRow> {
    const { payments, content, unpaid, disk, clock, log } = this.#parts;
    crashPoint('payment_reserved');
    let stored: Stored;
    const release = payments.hold(signature);
    try {
      stored = await content.add(data.read(), signature);
    } catch (error) {
      log.error('data could not be stored', { error });
      disk.failed(error);
      await payments.abandon(signature);
      return fail(STORAGE_ERRORS.storage_store);
    } finally {
      release();
    }
    // Another instance took it for left behind: the next call finds what has become of it.
    if (!(await payments.ready(signature, stored.cid))) {
      await unpaid.forget(signature);
      fail(STORAGE_ERRORS.storage_processing);
    }
    crashPoint('payment_ready');
    // A large file may have taken longer than anybody waits for a payment.
    return payments.drive(signature, clock.nowMs() + PATIENCE_MS);
  }

  #resultOf(row: PaymentRow): StoreResult {
    const { state, txid, memo: cid, failure } = row;
    if (isDecided(row) && state !== 'failed' && txid !== null && cid !== null) return { txid, cid };
    if (failure === null) fail(STORAGE_ERRORS.storage_processing);
    throw FAILURES[failure]?.() ?? new ChainError(STORAGE_ERRORS.storage_chain, { why: failure });
  }
}

/** Of the file of an upload: the disk is full, or the folder has gone. */
const isDiskError = (error: unknown): boolean =>
  error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined;

function textPart(take: (text: string) => void): FormPart {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  return {
    write: (piece) => {
      bytes += piece.length;
      check(bytes <= FIELD_BYTES_MAX, STORAGE_ERRORS.storage_param, { why: 'a part of the form is too long' });
      pieces.push(piece);
    },
    end: () => take(Buffer.concat(pieces).toString('utf8')),
  };
}
