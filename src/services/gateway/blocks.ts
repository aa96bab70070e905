import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import type { Logger } from '../../base/world.js';
import type { BodyOf } from '../../client/transactions.js';
import { type Instance, unpackObjectId } from '../../protocol/ids.js';
import { accountCreateOperation } from '../../protocol/operations/accounts.js';
import type { BlockListener, BlockSource, FollowedBlock } from '../chain/follower.js';
import { OwnBranch } from '../chain/own-branch.js';
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

/** What blocks make of registrations: which of them have their account, and which of them no block will ever have. */
export class RegistrationBlocks implements BlockListener {
  readonly #parts: RegistrationBlocksParts;
  readonly #branch: OwnBranch;

  constructor(parts: RegistrationBlocksParts) {
    this.#parts = parts;
    this.#branch = new OwnBranch(parts.blockAt);
  }

  async applied(block: FollowedBlock): Promise<void> {
    const number = this.#branch.applied(block);
    await this.#notIn(number, (where) =>
      where.or([where('block_id', 'is', null), where('block_id', '!=', block.block_id)]),
    );
    for (const one of this.#accountsIn(block)) await this.#included(one, number, block.block_id);
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
  async #included({ name, txid, account }: Included, block: number, block_id: string): Promise<void> {
    await this.#parts.db
      .updateTable('registration')
      .set({ state: 'included', block, block_id, account })
      .where('name', '=', name)
      .where('txid', '=', txid)
      .where('state', '!=', 'final')
      .execute();
  }

  /** Another instance may have seen it in a block of the other branch already. */
  async undone(number: number, id: string): Promise<void> {
    this.#branch.undone(number);
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
    const own = settled.filter(({ block, block_id }) => this.#branch.has(block, block_id));
    for (const { name, block_id } of own) await this.#final(name, block_id as string);
    const over = await db
      .selectFrom('registration')
      .selectAll()
      .where('state', 'in', ['signed', 'sent'])
      .where('tx_expiration', '<', time)
      .execute();
    if (over.length === 0) return;
    const found = await this.#lookedUp(over, number);
    if (found === undefined) return;
    for (const row of over) if (!found.has(row.name)) await again(row);
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

  /** Names of those that an irreversible block has all the same. Undefined where the blocks cannot be looked through now. */
  async #lookedUp(rows: readonly RegistrationRow[], settled: number): Promise<ReadonlySet<string> | undefined> {
    const txids = new Map(rows.map(({ name, txid }) => [name, txid]));
    const found = new Set<string>();
    const first = Math.min(...rows.map(({ after_block }) => after_block)) + 1;
    const time = Math.max(...rows.map(({ tx_expiration }) => tx_expiration));
    const isThrough = await this.#branch.lookThrough({ first, last: settled, time }, async (block, number) => {
      for (const one of this.#accountsIn(block)) {
        const { name, txid } = one;
        if (txids.get(name) !== txid) continue;
        found.add(name);
        this.#parts.log.warn('a registration that was taken for open is in a block', { name, txid, number });
        await this.#included(one, number, block.block_id);
        await this.#final(name, block.block_id);
      }
      return found.size === rows.length;
    });
    return isThrough ? found : undefined;
  }
}
