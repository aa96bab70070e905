import type { Expression, ExpressionBuilder, Kysely, SqlBool, Transaction } from 'kysely';
import { toHex } from '../../base/bytes.js';
import type { Clock, Logger } from '../../base/world.js';
import type { Instance } from '../../protocol/ids.js';
import { proxyTransferOperation } from '../../protocol/operations/transfers.js';
import type { ProxyTransferParams } from '../../protocol/proxy-transfer.js';
import type { BlockListener, BlockSource, FollowedBlock } from '../chain/follower.js';
import { OwnBranch } from '../chain/own-branch.js';
import { transact } from '../common/database.js';
import type { PaymentRefusal } from './refusal.js';
import type { PaymentRow, PaymentTables } from './tables.js';

/**
 * What becomes of payments that a node has got: when what they are for may be handed out, which block has them, and which
 * of them no block will ever have.
 */

type Trx = Transaction<PaymentTables>;

const RELEASE_POINTS = ['sent', 'included', 'final'] as const;
export type ReleasePoint = (typeof RELEASE_POINTS)[number];

/** Who has asked for payments. All of it is called in the transaction that changes the payment. */
export interface PaymentUser {
  /** Of this one's payments: others may be in the same database. */
  readonly purpose: string;
  /** When it is handed out: as soon as a node has taken the payment, as a block has it, or when that block is irreversible. */
  readonly releaseAt: ReleasePoint;
  /** Whether it takes up by itself what was reserved by somebody who has gone. Otherwise that is given up. */
  readonly keepsReserved: boolean;
  /** What it is for may be handed out. */
  paid(trx: Trx, row: PaymentRow): Promise<void>;
  /** Nothing was paid, and nothing will be. */
  unpaid(trx: Trx, row: PaymentRow): Promise<void>;
}

/** An authorization that ends sooner is not tried. */
export const AUTHORIZATION_SEC_MIN = 10;
/** Of the payer: made anew, the payment would meet them again. */
const PAYERS_FAULT: ReadonlySet<string> = new Set<PaymentRefusal>(['balance', 'signature', 'expired']);

/** Enough to find it in the database; whole signatures have no place in logs. */
export const shown = (signature: string): string => signature.slice(0, 16);

export class Releases implements BlockListener {
  readonly #db: Kysely<PaymentTables>;
  /** Who brings the payments to the chain. */
  readonly #proxy: Instance;
  readonly #user: PaymentUser;
  readonly #branch: OwnBranch;
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(
    db: Kysely<PaymentTables>,
    proxy: Instance,
    user: PaymentUser,
    blockAt: BlockSource,
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ) {
    this.#db = db;
    this.#proxy = proxy;
    this.#user = user;
    this.#branch = new OwnBranch(blockAt);
    this.#clock = clock;
    this.#log = log;
  }

  /** The node has it. */
  async taken(row: PaymentRow): Promise<void> {
    await transact(this.#db, async (trx) => {
      const taken = await trx
        .updateTable('payment')
        .set({ state: 'sent', sent_ms: this.#clock.nowMs(), failure: null })
        .where('signature', '=', row.signature)
        .where('state', '=', 'signed')
        .where('txid', '=', row.txid)
        .returningAll()
        .executeTakeFirst();
      if (taken !== undefined) await this.#reached(trx, taken, 'sent');
    });
  }

  /** Hands out what it is for, once, when it is far enough. */
  async #reached(trx: Trx, row: PaymentRow, point: ReleasePoint): Promise<void> {
    const isFarEnough = RELEASE_POINTS.indexOf(point) >= RELEASE_POINTS.indexOf(this.#user.releaseAt);
    if (row.released_ms !== null || !isFarEnough) return;
    const released_ms = this.#clock.nowMs();
    await trx.updateTable('payment').set({ released_ms }).where('signature', '=', row.signature).execute();
    await this.#user.paid(trx, { ...row, released_ms });
  }

  /** As it is now, and as nobody else changes it until the end of the transaction. */
  #hold(trx: Trx, signature: string): Promise<PaymentRow | undefined> {
    return trx
      .updateTable('payment')
      .set({ signature })
      .where('signature', '=', signature)
      .returningAll()
      .executeTakeFirst();
  }

  /** No block will ever have it; said of these bytes, of which others may have been made since. */
  async fail({ signature, state, txid }: PaymentRow, failure: PaymentRefusal): Promise<void> {
    await transact(this.#db, async (trx) => {
      const row = await this.#hold(trx, signature);
      if (row === undefined || row.state !== state || row.txid !== txid) return;
      const isLost = row.released_ms !== null;
      await trx
        .updateTable('payment')
        .set({ state: isLost ? 'lost' : 'failed', failure })
        .where('signature', '=', signature)
        .execute();
      const { purpose, units, payer } = row;
      const values = { signature: shown(signature), purpose, failure, units, payer };
      if (isLost) this.#log.error('a payment was lost after what it is for was handed out', values);
      else await this.#user.unpaid(trx, { ...row, failure });
    });
  }

  async applied(block: FollowedBlock): Promise<void> {
    const { block_id } = block;
    const number = this.#branch.applied(block);
    await this.#notIn(number, (where) => where.or([where('block_id', 'is', null), where('block_id', '!=', block_id)]));
    for (const { signature, txid } of this.#paymentsIn(block)) await this.#included(signature, txid, number, block_id);
  }

  *#paymentsIn({ transactions, transaction_ids }: FollowedBlock): Generator<{ signature: string; txid: string }> {
    for (const [i, { operations }] of transactions.entries()) {
      for (const [tag, body] of operations) {
        if (tag !== proxyTransferOperation.tag) continue;
        const { request_params } = body as unknown as { request_params: ProxyTransferParams };
        const [first] = request_params.signatures;
        if (request_params.proxy_account !== this.#proxy || first === undefined) continue;
        yield { signature: toHex(first), txid: transaction_ids[i] as string };
      }
    }
  }

  /** The authorization tells which payment it is: the transaction may be an earlier one than the last that was made. */
  async #included(signature: string, txid: string, number: number, block_id: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const row = await this.#hold(trx, signature);
      if (row === undefined || row.purpose !== this.#user.purpose || row.state === 'final') return;
      if (row.state === 'failed')
        this.#log.error('a payment that had failed is in a block', { signature: shown(signature), txid });
      await trx
        .updateTable('payment')
        .set({
          state: 'included',
          txid,
          block: number,
          block_id,
          failure: null,
          sent_ms: row.sent_ms ?? this.#clock.nowMs(),
        })
        .where('signature', '=', signature)
        .execute();
      await this.#reached(trx, { ...row, txid, block: number, block_id }, 'included');
    });
  }

  /** Another instance may have seen it in a block of the other branch already. */
  async undone(number: number, id: string): Promise<void> {
    this.#branch.undone(number);
    await this.#notIn(number, (where) => where.or([where('block_id', 'is', null), where('block_id', '=', id)]));
  }

  async #notIn(
    number: number,
    which: (of: ExpressionBuilder<PaymentTables, 'payment'>) => Expression<SqlBool>,
  ): Promise<void> {
    await this.#db
      .updateTable('payment')
      .set({ state: 'sent', block: null, block_id: null })
      .where('purpose', '=', this.#user.purpose)
      .where('block', '=', number)
      .where('state', '=', 'included')
      .where(which)
      .execute();
  }

  async settled(number: number, time: number): Promise<void> {
    const { purpose } = this.#user;
    const settled = await this.#db
      .selectFrom('payment')
      .select(['signature', 'block', 'block_id'])
      .where('purpose', '=', purpose)
      .where('state', '=', 'included')
      .where('block', '<=', number)
      .execute();
    const own = settled.filter(({ block, block_id }) => this.#branch.has(block, block_id));
    for (const { signature, block_id } of own) await this.#final(signature, block_id as string);
    const over = await this.#db
      .selectFrom('payment')
      .selectAll()
      .where('purpose', '=', purpose)
      .where('state', 'in', ['signed', 'sent'])
      .where('tx_expiration', '<', time)
      .execute();
    if (over.length === 0) return;
    const found = await this.#lookedUp(over, number);
    if (found === undefined) return;
    for (const row of over) if (!found.has(row.signature)) await this.#over(row, number, time);
  }

  /** Those that an irreversible block has all the same. Undefined where the blocks cannot be looked through now. */
  async #lookedUp(rows: readonly PaymentRow[], settled: number): Promise<ReadonlySet<string> | undefined> {
    const wanted = new Set(rows.map(({ signature }) => signature));
    const found = new Set<string>();
    const first = Math.min(...rows.map(({ after_block }) => after_block ?? settled)) + 1;
    const time = Math.max(...rows.map(({ tx_expiration }) => tx_expiration ?? 0));
    const isThrough = await this.#branch.lookThrough({ first, last: settled, time }, async (block, number) => {
      for (const { signature, txid } of this.#paymentsIn(block)) {
        if (!wanted.has(signature)) continue;
        found.add(signature);
        this.#log.warn('a payment that was taken for open is in a block', { signature: shown(signature), number });
        await this.#included(signature, txid, number, block.block_id);
        await this.#final(signature, block.block_id);
      }
      return found.size === wanted.size;
    });
    return isThrough ? found : undefined;
  }

  async #final(signature: string, id: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      const row = await this.#hold(trx, signature);
      // Another instance may have seen its block undone meanwhile.
      if (row?.state !== 'included' || row.block_id !== id) return;
      await trx.updateTable('payment').set({ state: 'final' }).where('signature', '=', signature).execute();
      await this.#reached(trx, row, 'final');
    });
  }

  /** Its transaction stands in no block, and none can have it any more. */
  async #over(row: PaymentRow, number: number, time: number): Promise<void> {
    const { signature, failure } = row;
    const isAlive = row.expiration > time + AUTHORIZATION_SEC_MIN;
    if (!isAlive || (failure !== null && PAYERS_FAULT.has(failure))) {
      await this.fail(row, (failure ?? 'expired') as PaymentRefusal);
      return;
    }
    this.#log.warn('a payment was in no block in time and is made anew', {
      signature: shown(signature),
      txid: row.txid,
    });
    await this.#db
      .updateTable('payment')
      // What is made anew needs not be looked for before.
      .set({ state: 'ready', lease_until_ms: 0, after_block: number })
      .where('signature', '=', signature)
      .where('state', '=', row.state)
      .where('txid', '=', row.txid)
      .execute();
  }
}
