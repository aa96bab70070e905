import type { Kysely, Transaction } from 'kysely';
import { toHex } from '../../base/bytes.js';
import { check } from '../../base/errors.js';
import type { Clock, Random } from '../../base/world.js';
import { sha256 } from '../../crypto/hash.js';
import { GATEWAY_ERRORS } from './errors.js';
import type { GatewayTables } from './tables.js';

/** Codes of which each registers one account. The database has their hashes alone: whoever reads it can use none. */

const CODE_BYTES = 10;
const DAY_MS = 86_400_000;

export const hashOfInvite = (code: string): string => toHex(sha256(Buffer.from(code.trim().toLowerCase(), 'utf8')));

export async function makeInvites(
  db: Kysely<GatewayTables>,
  { count, days }: { readonly count: number; readonly days: number },
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<readonly string[]> {
  const codes = Array.from({ length: count }, () => toHex(random.bytes(CODE_BYTES)));
  const created_ms = clock.nowMs();
  for (const code of codes) {
    await db
      .insertInto('registration_invite')
      .values({ hash: hashOfInvite(code), until_ms: created_ms + days * DAY_MS, used_by: null, created_ms })
      .execute();
  }
  return codes;
}

export async function takeInvite(
  trx: Transaction<GatewayTables>,
  hash: string,
  name: string,
  clock: Clock,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('registration_invite')
    .set({ used_by: name })
    .where('hash', '=', hash)
    .where('used_by', 'is', null)
    .where('until_ms', '>', clock.nowMs())
    .executeTakeFirst();
  const why = 'this invite code is not known, has been used or has run out';
  check(numUpdatedRows === 1n, GATEWAY_ERRORS.gateway_invite, { why });
}

/** Nothing came of the registration. */
export async function giveInviteBack(trx: Transaction<GatewayTables>, hash: string, name: string): Promise<void> {
  await trx
    .updateTable('registration_invite')
    .set({ used_by: null })
    .where('hash', '=', hash)
    .where('used_by', '=', name)
    .execute();
}
