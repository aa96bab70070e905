import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import type { Logger } from '../../base/world.js';
import type { BodyOf } from '../../client/transactions.js';
import { type Instance, unpackObjectId } from '../../protocol/ids.js';
import { accountCreateOperation } from '../../protocol/operations/accounts.js';
import type { BlockListener, BlockSource, FollowedBlock } from '../chain/follower.js';
import type { GatewayTables, RegistrationRow } from './tables.js';

export interface RegistrationBlocksParts {
  readonly db: Kysely<GatewayTables>;
  readonly registrar: Instance;
  readonly blockAt: BlockSource;
  /** No block will ever have it. */
  again(row: RegistrationRow): Promise<void>;
  readonly log: Logger;
}

interface Included {
  readonly name: string;
  readonly txid: string;
  readonly account: Instance;
}

/** Longer than any instance is behind another one. */
const IDS_KEPT = 20_000;

const numberOf = ({ block_id }: FollowedBlock): number => Number.parseInt(block_id.slice(0, 8), 16);

/** What blocks make of registrations: which of them have their account, and which of them no block will ever have. */
export class RegistrationBlocks implements BlockListener {
  readonly #parts: RegistrationBlocksParts;
  /** Ids of the blocks that this instance has followed, by number. */
  readonly #ids = new Map<number, string>();

  constructor(parts: RegistrationBlocksParts) {
    this.#parts = parts;
  }

  async applied(block: FollowedBlock): Promise<void> {
    const number = numberOf(block);
    this.#ids.set(number, block.block_id);
    this.#ids.delete(number - IDS_KEPT);
    await this.#notIn(number, (where) =>
      where.or([where('block_id', 'is', null), where('block_id', '!=', block.block_id)]),
    );
    for (const one of this.#accountsIn(block)) await this.#included(one, block);
  }

  *#accountsIn({ transactions, transaction_ids }: FollowedBlock): Generator<Included> {
    for (const [i, { operations, operation_results: results }] of transactions.entries()) {
      for (const [at, [tag, body]] of operations.entries()) {
        if (tag !== accountCreateOperation.tag) continue;
        const { registrar, name } = body as unknown as BodyOf<typeof accountCreateOperation>;
        const result = results[at];
        // The id of what was created.
        if (registrar !== this.#parts.registrar || result === undefined || result[0] !== 1) continue;
        yield { name, txid: transaction_ids[i] as string, account: unpackObjectId(result[1]).instance };
      }
    }
  }

  /** By its transaction: the operator may have given the name away by other means. */
  async #included({ name, txid, account }: Included, block: FollowedBlock): Promise<void> {
    await this.#parts.db
      .updateTable('registration')
      .set({ state: 'included', block: numberOf(block), block_id: block.block_id, account })
      .where('name', '=', name)
      .where('txid', '=', txid)
      .where('state', '!=', 'final')
      .execute();
  }

  /** Another instance may have seen it in a block of the other branch already. */
  async undone(number: number, id: string): Promise<void> {
    this.#ids.delete(number);
    await this.#notIn(number, (where) => where.or([where('block_id', 'is', null), where('block_id', '=', id)]));
  }

  async #notIn(
    number: number,
    which: (of: ExpressionBuilder<GatewayTables, 'registration'>) => Expression<SqlBool>,
  ): Promise<void> {
    await this.#parts.db
      .updateTable('registration')
      .set({ state: 'sent', block: null, block_id: null, account: null })
      .where('block', '=', number)
      .where('state', '=', 'included')
      .where(which)
      .execute();
  }

  async settled(number: number, time: number): Promise<void> {
    const { db, again } = this.#parts;
    const settled = await db
      .selectFrom('registration')
      .select(['name', 'block', 'block_id'])
      .where('state', '=', 'included')
      .where('block', '<=', number)
      .execute();
    // What another instance has seen on another branch is for that one to take back.
    const own = settled.filter(
      ({ block, block_id }) => block_id !== null && block_id === this.#ids.get(block as number),
    );
    for (const { name, block_id } of own) await this.#final(name, block_id as string);
    const over = await db
      .selectFrom('registration')
      .selectAll()
      .where('state', 'in', ['signed', 'sent'])
      .where('tx_expiration', '<', time)
      .execute();
    for (const row of over) if ((await this.#isIn(row, number)) === false) await again(row);
  }

  async #final(name: string, block_id: string): Promise<void> {
    await this.#parts.db
      .updateTable('registration')
      .set({ state: 'final' })
      .where('name', '=', name)
      .where('block_id', '=', block_id)
      .where('state', '=', 'included')
      .execute();
  }

  /**
   * Whether an irreversible block has it all the same: an instance that followed an old branch, and is gone since, may
   * have taken back what the others had found. Undefined where the blocks cannot be looked through now.
   */
  async #isIn(
    { name, txid, after_block, tx_expiration }: RegistrationRow,
    settled: number,
  ): Promise<boolean | undefined> {
    const { blockAt, log } = this.#parts;
    for (let number = after_block + 1; number <= settled; number++) {
      const block = await blockAt(number);
      // A node that was started again may be behind, or on another branch, for a while.
      if (block === undefined || block.block_id !== (this.#ids.get(number) ?? block.block_id)) return undefined;
      for (const one of this.#accountsIn(block)) {
        if (one.name !== name || one.txid !== txid) continue;
        log.warn('a registration that was taken for open is in a block', { name, txid, number });
        await this.#included(one, block);
        await this.#final(name, block.block_id);
        return true;
      }
      // The first block behind the expiration may still have what ended in between.
      if (block.timestamp > tx_expiration) break;
    }
    return false;
  }
}
