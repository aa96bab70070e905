import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { AllTables } from '../../../src/services/des/legs.js';
import type { DevChain } from '../dev-chain.js';
import type { Program } from '../program.js';

/** What a broken promise is looked into with: the rows of those that it names, the block that they name, and all logs. */

export interface Places {
  readonly folder: string;
  readonly db: Kysely<AllTables>;
  readonly chain: DevChain;
  readonly programs: readonly Program[];
}

/** As problems name them. */
const NAMED = /\b[0-9a-f]{16}\b/g;

export async function explained(problems: readonly string[], places: Places): Promise<readonly string[]> {
  if (problems.length === 0) return [];
  const { folder, programs } = places;
  const logs = [places.chain.log, ...programs.map(({ log }) => log)];
  for (const [i, log] of logs.entries())
    writeFileSync(join(folder, i === 0 ? 'node.log' : `exchange-${i - 1}.log`), log);
  const names = new Set(problems.flatMap((problem) => problem.match(NAMED) ?? []));
  const rows = await Promise.all([...names].map((name) => told(name, places)));
  return [...rows.flat(), `the logs are in ${folder}`];
}

async function told(name: string, { db, chain }: Places): Promise<readonly string[]> {
  const payment = await db.selectFrom('payment').selectAll().where('signature', 'like', `${name}%`).executeTakeFirst();
  const leg = await db.selectFrom('des_leg').selectAll().where('signature', 'like', `${name}%`).executeTakeFirst();
  if (payment === undefined) return [`${name} has no payment; its leg ${JSON.stringify(leg)}`];
  const { request: _request, packed: _packed, ...shown } = payment;
  const block =
    payment.block === null ? undefined : await chain.client.database.get_block({ block_num: payment.block });
  const { data: _data, ...legShown } = leg ?? { data: '' };
  return [
    `${name}: payment ${JSON.stringify(shown)}`,
    `${name}: leg ${JSON.stringify(legShown)}`,
    `${name}: block ${payment.block} is ${block?.block_id} now, with ${block?.transaction_ids.length} transactions`,
  ];
}
