import type { Kysely } from 'kysely';
import type { BanRow, ExchangeTables } from './tables.js';

/** The ban of an account or a product; undefined while there is none. */
export function findBan<T>(db: Kysely<T>, kind: BanRow['kind'], id: number): Promise<BanRow | undefined> {
  const bans = db as unknown as Kysely<ExchangeTables>;
  return bans.selectFrom('ban').selectAll().where('kind', '=', kind).where('id', '=', id).executeTakeFirst();
}
