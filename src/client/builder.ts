import type { Fields, StructType } from '../codec/struct.js';
import type { ValueOf } from '../codec/type.js';
import { type Tapos, tapos } from '../crypto/digests.js';
import type { Operation } from '../protocol/operation-slot.js';
import type { SignedTransaction } from '../protocol/transaction.js';
import type { NodeClient } from './client.js';
import { operationOf } from './operations.js';
import type { RecentTransactions } from './recent.js';
import { type BuildOptions, buildTransaction } from './transactions.js';

type Asked = Pick<NodeClient, 'database'>;

interface Heads {
  readonly head_block_number: number;
  readonly head_block_id: string;
  readonly last_irreversible_block_num: number;
}

/**
 * The block that transactions name: the last irreversible one, which no fork takes back. A node that has begun with a
 * snapshot a moment ago does not have the header behind that one: there it is the head.
 */
export async function irreversibleTapos({ database }: Asked, heads: Heads): Promise<Tapos> {
  const number = heads.last_irreversible_block_num;
  if (number === heads.head_block_number) return tapos(heads.head_block_id);
  const next = await database.get_block_header({ block_num: number + 1 });
  return tapos(next === undefined ? heads.head_block_id : next.previous);
}

/** Puts a transaction together: operations by their declarations, fees as the node asks for them. */
export class TransactionBuilder {
  readonly #client: Asked;
  readonly #operations: Operation[] = [];

  constructor(client: Asked) {
    this.#client = client;
  }

  /** Members that are not given have their defaults: `add(transferOperation, { from, to, amount })`. */
  add<F extends Fields>(
    declaration: { readonly tag: number; readonly schema: StructType<F> },
    members: Partial<Omit<ValueOf<StructType<F>>, 'fee'>>,
  ): this {
    this.#operations.push(operationOf(declaration, members as Partial<ValueOf<StructType<F>>>));
    return this;
  }

  /**
   * Without signatures. It names the last irreversible block, so that it holds on every branch, and is none of the recent
   * ones, where these are given.
   */
  async build(options: BuildOptions = {}, recent?: RecentTransactions): Promise<SignedTransaction> {
    const heads = await this.#client.database.get_dynamic_global_properties();
    const built = await buildTransaction(this.#client, this.#operations, { head: heads, ...options });
    const whole = { ...built, ...(await irreversibleTapos(this.#client, heads)) };
    return recent === undefined ? whole : recent.distinct(whole, heads.time);
  }
}
