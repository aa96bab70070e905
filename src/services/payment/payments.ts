import type { Kysely, Transaction } from 'kysely';
import { fromHex, toHex } from '../../base/bytes.js';
import { crashPoint } from '../../base/crash-point.js';
import { ChainError, check, defineErrors, invariant } from '../../base/errors.js';
import type { Cancel, Clock, Logger } from '../../base/world.js';
import { RpcConnectionError, RpcError } from '../../client/connection.js';
import {
  buildTransaction,
  idOfTransaction,
  operationOf,
  packTransaction,
  signTransaction,
  unpackTransaction,
} from '../../client/transactions.js';
import { decode, encode } from '../../codec/binary.js';
import type { ChainId } from '../../crypto/digests.js';
import type { PrivateKey } from '../../crypto/private-key.js';
import type { Instance } from '../../protocol/ids.js';
import { proxyTransferOperation } from '../../protocol/operations/transfers.js';
import { type ProxyTransferParams, proxyTransferParams } from '../../protocol/proxy-transfer.js';
import type { ChainNode } from '../chain/node.js';
import { transact } from '../common/database.js';
import { type PaymentRefusal, refusalOf } from './refusal.js';
import { AUTHORIZATION_SEC_MIN, type PaymentUser, Releases, shown } from './releases.js';
import type { PaymentRow, PaymentState, PaymentTables } from './tables.js';

/**
 * Authorizations of payers, brought to the chain by `proxy_transfer`, each at most once whatever happens meanwhile: every
 * step is recorded before its effect, the signed bytes are recorded before anybody gets them, and the chain refuses a
 * second use of an authorization for ever. Several instances may share the database: each payment has one owner at a time.
 */

export const PAYMENT_ERRORS = defineErrors({
  payment_balance: { text: '${payer} has ${available} of ${asset} that is not held back, and ${units} are needed' },
});

export interface Payee {
  /** Of the service: it brings the payments to the chain and pays their fees. */
  readonly account: Instance;
  readonly key: PrivateKey;
  readonly chainId: ChainId;
  readonly feeAsset: Instance;
}

type Trx = Transaction<PaymentTables>;

export interface PaymentCounts {
  refused(reason: PaymentRefusal): void;
}

export interface PaymentWorld {
  /** The name of this instance. */
  readonly owner: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A block has to take it within this time; a later one can be made anew. */
const LIFETIME_SEC = 30;
/** Before the authorization ends. */
const MARGIN_SEC = 3;
/** Between two tries with the same bytes. */
const RETRY_MS = 2000;
const LOOK_MS = 100;
const WORK_MS = 1000;
const AT_ONCE_MAX = 50;

const HELD_BACK: readonly PaymentState[] = ['reserved', 'ready', 'signed'];
const OPEN: readonly PaymentState[] = [...HELD_BACK, 'sent', 'included'];
/** Known before a block has it. */
const DECIDED: ReadonlySet<PaymentState> = new Set(['sent', 'included', 'final', 'failed', 'lost']);

export const isDecided = ({ state }: Pick<PaymentRow, 'state'>): boolean => DECIDED.has(state);

export class Payments {
  /** To be told of blocks. */
  readonly releases: Releases;
  readonly #db: Kysely<PaymentTables>;
  readonly #node: ChainNode;
  readonly #payee: Payee;
  readonly #user: PaymentUser;
  readonly #counts: PaymentCounts;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #leaseMs: number;
  /** This instance. */
  readonly #owner: string;
  readonly #pauses = new Set<() => void>();
  #cancel: Cancel | undefined;
  #round: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(
    db: Kysely<PaymentTables>,
    node: ChainNode,
    payee: Payee,
    user: PaymentUser,
    counts: PaymentCounts,
    { owner, clock, log }: PaymentWorld,
    leaseSec: number,
  ) {
    this.#db = db;
    this.#node = node;
    this.#payee = payee;
    this.#user = user;
    this.#counts = counts;
    this.releases = new Releases(
      db,
      payee.account,
      user,
      (block_num) => node.ask('a block', (database) => database.get_block({ block_num })),
      { clock, log },
    );
    this.#clock = clock;
    this.#log = log;
    this.#leaseMs = leaseSec * 1000;
    this.#owner = owner;
  }

  find(signature: string): Promise<PaymentRow | undefined> {
    return this.#db
      .selectFrom('payment')
      .selectAll()
      .where('signature', 'in', formsOf(signature))
      .orderBy('signature', 'desc')
      .executeTakeFirst();
  }

  /**
   * Holds the amount back and makes this instance the owner. What comes back otherwise is the payment that there is for
   * this authorization. Throws `payment_balance`.
   */
  reserve(request: ProxyTransferParams): Promise<'reserved' | PaymentRow> {
    return this.reserveAll<never>([request], async () => undefined);
  }

  /**
   * All of one payer and one asset, or none of them. `within` runs in the same transaction, when nobody else can reserve
   * for this payer any more; what it gives ends the matter.
   */
  async reserveAll<T>(
    requests: readonly [ProxyTransferParams, ...ProxyTransferParams[]],
    within: (trx: Trx) => Promise<T | undefined>,
  ): Promise<'reserved' | PaymentRow | T> {
    const { from: payer, amount } = requests[0];
    const asset = amount.asset_id;
    const atMs = this.#clock.nowMs();
    const balance = await this.#node.balance(payer, asset);
    return transact(this.#db, async (trx) => {
      await this.#holdPayer(trx, payer, asset);
      const ended = await within(trx);
      if (ended !== undefined) return ended;
      const signatures = requests.flatMap((one) => formsOf(signatureOf(one)));
      const former = await trx
        .selectFrom('payment')
        .selectAll()
        .where('signature', 'in', signatures)
        .where('state', '!=', 'failed')
        .executeTakeFirst();
      if (former !== undefined) return former;
      const available = balance - (await this.#heldBack(trx, payer, asset, atMs));
      const units = requests.reduce((sum, one) => sum + one.amount.amount, 0n);
      check(available >= units, PAYMENT_ERRORS.payment_balance, {
        payer: `1.2.${payer}`,
        available,
        asset: `1.3.${asset}`,
        units,
      });
      // What failed has left nothing behind: it begins anew.
      await trx.deleteFrom('payment').where('signature', 'in', signatures).execute();
      await trx
        .insertInto('payment')
        .values(requests.map((one) => this.#reserved(one)))
        .execute();
      return 'reserved';
    });
  }

  #reserved(request: ProxyTransferParams): PaymentRow {
    const { from: payer, amount, expiration } = request;
    return {
      signature: signatureOf(request),
      purpose: this.#user.purpose,
      state: 'reserved',
      payer,
      asset: amount.asset_id,
      units: String(amount.amount),
      expiration,
      request: toHex(encode(proxyTransferParams, request)),
      memo: null,
      packed: null,
      txid: null,
      tx_expiration: null,
      after_block: null,
      attempts: 0,
      block: null,
      block_id: null,
      failure: null,
      created_ms: this.#clock.nowMs(),
      sent_ms: null,
      released_ms: null,
      ...this.#lease(),
    };
  }

  #lease(): Pick<PaymentRow, 'lease_owner' | 'lease_until_ms'> {
    return { lease_owner: this.#owner, lease_until_ms: this.#clock.nowMs() + this.#leaseMs };
  }

  /** Until the end of the transaction nobody else reserves for the same payer. */
  async #holdPayer(trx: Trx, account: number, asset: number): Promise<void> {
    const touched_ms = this.#clock.nowMs();
    await trx
      .insertInto('payer')
      .values({ account, asset, touched_ms })
      .onConflict((conflict) => conflict.columns(['account', 'asset']).doUpdateSet({ touched_ms }))
      .execute();
  }

  /** What the balance that was read then does not tell of: what waits, and what the node has taken since. */
  async #heldBack(trx: Trx, payer: number, asset: number, sinceMs: number): Promise<bigint> {
    const own = trx.selectFrom('payment').select('units').where('payer', '=', payer).where('asset', '=', asset);
    // One after the other, each by an index of its own: together they would read all that was ever paid.
    const waiting = await own.where('state', 'in', [...HELD_BACK]).execute();
    const taken = await own
      .where('sent_ms', '>=', sinceMs)
      .where('state', 'not in', [...HELD_BACK])
      .execute();
    return [...waiting, ...taken].reduce((sum, { units }) => sum + BigInt(units), 0n);
  }

  /** What is paid for is there; `memo` says so on the chain. False where it is no longer this instance's. */
  async ready(signature: string, memo: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('payment')
      .set({ state: 'ready', memo, ...this.#lease() })
      .where('signature', '=', signature)
      .where('state', '=', 'reserved')
      .where('lease_owner', '=', this.#owner)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** In the transaction of whoever records something of it: nobody else takes it up before the end. */
  async keep(trx: Trx, signature: string): Promise<boolean> {
    const { numUpdatedRows } = await trx
      .updateTable('payment')
      .set(this.#lease())
      .where('signature', '=', signature)
      .where('state', '=', 'reserved')
      .where('lease_owner', '=', this.#owner)
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** Nothing was made of it: as if it had never been. */
  async abandon(signature: string): Promise<void> {
    await this.#abandon(signature, this.#owner, Number.POSITIVE_INFINITY);
  }

  /** The same, in the transaction of whoever has reserved it and has found that nothing comes of it. */
  async giveBack(trx: Trx, signature: string): Promise<boolean> {
    const { numDeletedRows } = await trx
      .deleteFrom('payment')
      .where('signature', '=', signature)
      .where('state', '=', 'reserved')
      .where('lease_owner', '=', this.#owner)
      .executeTakeFirst();
    return numDeletedRows === 1n;
  }

  /** One statement: whoever holds it may have renewed its lease, or made something of it, since it was looked at. */
  async #abandon(signature: string, owner: string, beforeMs: number): Promise<void> {
    await transact(this.#db, async (trx) => {
      const row = await trx
        .deleteFrom('payment')
        .where('signature', '=', signature)
        .where('state', '=', 'reserved')
        .where('lease_owner', '=', owner)
        .$if(Number.isFinite(beforeMs), (query) => query.where('lease_until_ms', '<', beforeMs))
        .returningAll()
        .executeTakeFirst();
      if (row !== undefined) await this.#user.unpaid(trx, row);
    });
  }

  /** Brings it on until it is decided, and not longer than until then; somebody else goes on after that. */
  async drive(signature: string, untilMs: number): Promise<PaymentRow> {
    for (;;) {
      const row = await this.find(signature);
      invariant(row !== undefined, 'a payment that is ready is never taken out');
      if (isDecided(row)) return row;
      if (this.#clock.nowMs() >= untilMs || this.#isStopped) {
        await this.letGo(signature);
        return row;
      }
      const isMine = await this.renew(signature);
      const pauseMs = !isMine ? LOOK_MS : row.state === 'ready' ? await this.#sign(row) : await this.#send(row);
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  /** Waits for what others do with it. Undefined: it was given up, and may be asked for again. */
  async watch(signature: string, untilMs: number): Promise<PaymentRow | undefined> {
    for (;;) {
      const row = await this.find(signature);
      if (row === undefined || isDecided(row) || this.#clock.nowMs() >= untilMs || this.#isStopped) return row;
      await this.#pause(LOOK_MS);
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        cancel();
        this.#pauses.delete(done);
        resolve();
      };
      const cancel = this.#clock.after(ms, done);
      this.#pauses.add(done);
      if (this.#isStopped) done();
    });
  }

  /** This instance is its owner for another while; false where another one is. */
  async renew(signature: string): Promise<boolean> {
    const { numUpdatedRows } = await this.#db
      .updateTable('payment')
      .set(this.#lease())
      .where('signature', '=', signature)
      .where((where) =>
        where.or([where('lease_owner', '=', this.#owner), where('lease_until_ms', '<', this.#clock.nowMs())]),
      )
      .executeTakeFirst();
    return numUpdatedRows === 1n;
  }

  /** This instance stays its owner, however long the work takes, until what comes back is called. */
  hold(signature: string): () => void {
    let cancel: Cancel = () => undefined;
    let isOver = false;
    const again = (): void => {
      cancel = this.#clock.after(this.#leaseMs / 3, () => {
        void this.renew(signature)
          .catch((error: unknown) => this.#log.warn('could not hold on to a payment', { error }))
          .then(() => {
            if (!isOver) again();
          });
      });
    };
    again();
    return () => {
      isOver = true;
      cancel();
    };
  }

  /** What was left by instances that are no more may be taken up at once. */
  async inherit(owners: readonly string[]): Promise<void> {
    if (owners.length === 0) return;
    await this.#db
      .updateTable('payment')
      .set({ lease_until_ms: 0 })
      .where('state', 'in', [...OPEN])
      .where('lease_owner', 'in', [...owners])
      .execute();
  }

  /** Whoever wants it may take it up at once. */
  async letGo(signature: string): Promise<void> {
    await this.#db
      .updateTable('payment')
      .set({ lease_until_ms: 0 })
      .where('signature', '=', signature)
      .where('lease_owner', '=', this.#owner)
      .execute();
  }

  /** Makes and records the transaction. How long to wait before the next step. */
  async #sign(row: PaymentRow): Promise<number> {
    const { signature, expiration, memo } = row;
    invariant(memo !== null, 'what is ready says what it is for');
    let head: Awaited<ReturnType<ChainNode['freshHead']>>;
    let trx: Awaited<ReturnType<typeof buildTransaction>>;
    try {
      head = await this.#node.freshHead();
      if (expiration <= head.time + AUTHORIZATION_SEC_MIN) {
        await this.releases.fail(row, 'expired');
        return 0;
      }
      const { feeAsset } = this.#payee;
      const lifetimeSec = Math.min(LIFETIME_SEC, expiration - MARGIN_SEC - head.time);
      const request_params = decode(proxyTransferParams, fromHex(row.request));
      const operation = operationOf(proxyTransferOperation, { proxy_memo: memo, request_params, extensions: [] });
      const { client } = this.#node;
      trx = await this.#node.ask('a fee', () => buildTransaction(client, [operation], { lifetimeSec, feeAsset, head }));
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      this.#log.warn('a payment waits for the node', { signature: shown(signature), why: error.message });
      return RETRY_MS;
    }
    const { chainId, key } = this.#payee;
    const signed = signTransaction(trx, chainId, [key]);
    const { numUpdatedRows } = await this.#db
      .updateTable('payment')
      .set({
        state: 'signed',
        packed: toHex(packTransaction(signed)),
        txid: idOfTransaction(signed),
        tx_expiration: signed.expiration,
        // A fork switch can take all blocks after it back, and put it into another one.
        after_block: row.after_block ?? head.last_irreversible_block_num,
        attempts: 0,
        failure: null,
      })
      .where('signature', '=', signature)
      .where('state', '=', 'ready')
      .where('lease_owner', '=', this.#owner)
      .executeTakeFirst();
    if (numUpdatedRows === 1n) crashPoint('payment_signed');
    return 0;
  }

  /** Gives the recorded bytes to the node, again and again the same ones. */
  async #send(row: PaymentRow): Promise<number> {
    const { signature, packed } = row;
    if (row.state !== 'signed' || packed === null) return LOOK_MS;
    const trx = unpackTransaction(fromHex(packed));
    // These bytes, and only while they are this instance's: another one may have made others since.
    const counted = await this.#db
      .updateTable('payment')
      .set((of) => ({ attempts: of('attempts', '+', 1) }))
      .where('signature', '=', signature)
      .where('state', '=', 'signed')
      .where('txid', '=', row.txid)
      .where('lease_owner', '=', this.#owner)
      .returning('attempts')
      .executeTakeFirst();
    if (counted === undefined) return LOOK_MS;
    try {
      await this.#node.client.network_broadcast.broadcast_transaction({ trx });
    } catch (error) {
      if (error instanceof RpcConnectionError) {
        this.#log.warn('nobody knows whether the node has got a payment', {
          signature: shown(signature),
          why: error.message,
        });
        return RETRY_MS;
      }
      if (!(error instanceof RpcError)) throw error;
      return this.#refused(row, error, counted.attempts === 1);
    }
    crashPoint('payment_taken');
    await this.releases.taken(row);
    return 0;
  }

  async #refused(row: PaymentRow, error: RpcError, isFirst: boolean): Promise<number> {
    const { signature, txid } = row;
    const reason = refusalOf(error);
    this.#counts.refused(reason);
    const values = { signature: shown(signature), txid, reason, why: error.message };
    if (reason === 'known') {
      await this.releases.taken(row);
      return 0;
    }
    if (reason === 'used') {
      // The block that has it names the transaction that did it.
      this.#log.info('a payment is on the chain already', values);
      await this.#note(row, reason);
      return RETRY_MS;
    }
    if (reason === 'fee') this.#log.error('the account of this service cannot pay the fee of a payment', values);
    else this.#log.info('the node refuses a payment', values);
    // Neither is the payer's fault. Where they are too old others are made, as soon as no block can have these any more.
    if (reason === 'stale' || reason === 'busy') return RETRY_MS;
    // Only these bytes' first try leaves no doubt: nobody else can have them.
    if (isFirst && reason !== 'fee') {
      await this.releases.fail(row, reason);
      return 0;
    }
    await this.#note(row, reason);
    return RETRY_MS;
  }

  /** What it fails for if nothing better comes. */
  async #note({ signature }: PaymentRow, failure: PaymentRefusal): Promise<void> {
    await this.#db
      .updateTable('payment')
      .set({ failure })
      .where('signature', '=', signature)
      .where('state', '=', 'signed')
      .execute();
  }

  /** Takes up what others have left, until it is stopped. */
  start(): void {
    const again = (): void => {
      if (this.#isStopped) return;
      this.#round = this.#work().then(
        () => undefined,
        (error: unknown) => this.#log.error('payments could not be brought on', { error }),
      );
      void this.#round.then(() => {
        if (!this.#isStopped) this.#cancel = this.#clock.after(WORK_MS, again);
      });
    };
    again();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel?.();
    for (const wake of [...this.#pauses]) wake();
    await this.#round;
  }

  async #work(): Promise<void> {
    const nowMs = this.#clock.nowMs();
    const rows = await this.#db
      .selectFrom('payment')
      .selectAll()
      .where('purpose', '=', this.#user.purpose)
      .where('state', 'in', this.#user.keepsReserved ? ['ready', 'signed'] : [...HELD_BACK])
      .where('lease_until_ms', '<', nowMs)
      .orderBy('created_ms')
      .limit(AT_ONCE_MAX)
      .execute();
    await Promise.all(
      rows.map(async (row) => {
        // Whoever was at it has gone before it was ready: the payer has no answer, and nothing was paid.
        if (row.state === 'reserved') await this.#abandon(row.signature, row.lease_owner, nowMs);
        else if (await this.renew(row.signature)) await this.drive(row.signature, nowMs + this.#leaseMs / 2);
      }),
    );
  }

  /** The block after which all open payments are. */
  async firstBlock(): Promise<number> {
    const { first } = await this.#db
      .selectFrom('payment')
      .select((select) => select.fn.min('after_block').as('first'))
      .where('purpose', '=', this.#user.purpose)
      .where('state', 'in', [...OPEN])
      .executeTakeFirstOrThrow();
    return first ?? (await this.#node.freshHead()).last_irreversible_block_num;
  }

  /** How many there are in each state, and what is lost. */
  async counts(): Promise<readonly { readonly state: PaymentState; readonly count: number }[]> {
    const rows = await this.#db
      .selectFrom('payment')
      .select(['state', (select) => select.fn.countAll().as('count')])
      .where('purpose', '=', this.#user.purpose)
      .groupBy('state')
      .execute();
    return rows.map(({ state, count }) => ({ state, count: Number(count) }));
  }
}

const signatureOf = ({ signatures }: ProxyTransferParams): string => {
  const [first] = signatures;
  invariant(first !== undefined && signatures.length === 1, 'an authorization has one signature');
  return toHex(first);
};

const [HEADER_FIRST, HEADER_LAST, HEADER_STEP] = [31, 34, 4];

/**
 * How it may be recorded, as it is now first. Earlier builds recorded the header that it came with, 27 to 30 for 31 to 34:
 * for the chain that is another signature, and it would be paid once more.
 */
function formsOf(signature: string): readonly string[] {
  const header = Number.parseInt(signature.slice(0, 2), 16);
  if (header < HEADER_FIRST || header > HEADER_LAST) return [signature];
  return [signature, `${(header - HEADER_STEP).toString(16)}${signature.slice(2)}`];
}
