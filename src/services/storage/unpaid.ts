import type { Kysely } from 'kysely';
import { transact } from '../common/database.js';
import type { ContentStore } from '../content/content-store.js';
import type { ContentTables } from '../content/tables.js';
import type { PaymentTables } from '../payment/tables.js';

/**
 * Contents that nobody will ever pay for. A process that slept for longer than its lease stores what another one has given
 * up meanwhile: the payment is gone, and with it whoever would take the content out.
 */
export class Unpaid {
  readonly #db: Kysely<ContentTables & PaymentTables>;
  readonly #content: ContentStore;

  constructor(db: Kysely<ContentTables & PaymentTables>, content: ContentStore) {
    this.#db = db;
    this.#content = content;
  }

  /** Of one authorization, unless somebody has begun anew with it. */
  async forget(signature: string): Promise<void> {
    await transact(this.#db, async (trx) => {
      // A payment is recorded before its content is stored: whoever stores it at this moment has recorded one.
      const isNobodys = async (): Promise<boolean> => {
        const payment = await trx
          .selectFrom('payment')
          .select('state')
          .where('signature', '=', signature)
          .where('state', '!=', 'failed')
          .executeTakeFirst();
        return payment === undefined;
      };
      await this.#content.unpin(signature, trx.withTables<ContentTables>(), isNobodys);
    });
  }

  /** How many there were. */
  async forgetAll(): Promise<number> {
    const rows = await this.#db
      .selectFrom('content_pin')
      .leftJoin('payment', (join) =>
        join.onRef('payment.signature', '=', 'content_pin.owner').on('payment.state', '!=', 'failed'),
      )
      .select('owner')
      .distinct()
      .where('content_pin.released_ms', 'is', null)
      .where('payment.signature', 'is', null)
      .execute();
    for (const { owner } of rows) await this.forget(owner);
    return rows.length;
  }
}
