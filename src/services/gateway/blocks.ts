import type { Kysely } from 'kysely';
import type { BodyOf } from '../../client/transactions.js';
import { type Instance, unpackObjectId } from '../../protocol/ids.js';
import { accountCreateOperation } from '../../protocol/operations/accounts.js';
import type { BlockListener, FollowedBlock } from '../chain/follower.js';
import type { GatewayTables, RegistrationRow } from './tables.js';

/** What blocks make of registrations: which of them have their account, and which of them no block will ever have. */
export class RegistrationBlocks implements BlockListener {
  readonly #db: Kysely<GatewayTables>;
  readonly #registrar: Instance;
  readonly #again: (row: RegistrationRow) => Promise<void>;

  constructor(db: Kysely<GatewayTables>, registrar: Instance, again: (row: RegistrationRow) => Promise<void>) {
    this.#db = db;
    this.#registrar = registrar;
    this.#again = again;
  }

  async applied(block: FollowedBlock): Promise<void> {
    const number = Number.parseInt(block.block_id.slice(0, 8), 16);
    for (const [i, { operations, operation_results: results }] of block.transactions.entries()) {
      for (const [at, [tag, body]] of operations.entries()) {
        if (tag !== accountCreateOperation.tag) continue;
        const { registrar, name } = body as unknown as BodyOf<typeof accountCreateOperation>;
        const result = results[at];
        // The id of what was created.
        if (registrar !== this.#registrar || result === undefined || result[0] !== 1) continue;
        await this.#included(name, block.transaction_ids[i] as string, number, unpackObjectId(result[1]).instance);
      }
    }
  }

  /** By its transaction: the operator may have given the name away by other means. */
  async #included(name: string, txid: string, block: number, account: Instance): Promise<void> {
    await this.#db
      .updateTable('registration')
      .set({ state: 'included', block, account })
      .where('name', '=', name)
      .where('txid', '=', txid)
      .where('state', '!=', 'final')
      .execute();
  }

  async undone(number: number): Promise<void> {
    await this.#db
      .updateTable('registration')
      .set({ state: 'sent', block: null, account: null })
      .where('block', '=', number)
      .where('state', '=', 'included')
      .execute();
  }

  async settled(number: number, time: number): Promise<void> {
    await this.#db
      .updateTable('registration')
      .set({ state: 'final' })
      .where('state', '=', 'included')
      .where('block', '<=', number)
      .execute();
    const over = await this.#db
      .selectFrom('registration')
      .selectAll()
      .where('state', 'in', ['signed', 'sent'])
      .where('tx_expiration', '<', time)
      .execute();
    for (const row of over) await this.#again(row);
  }
}
