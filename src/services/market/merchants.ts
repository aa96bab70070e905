import type { Kysely, Transaction } from 'kysely';
import { check, fail } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import { findBan } from '../exchange/bans.js';
import type { MerchantRow } from '../exchange/tables.js';
import type { Binding } from './callers.js';
import { MARKET_ERRORS } from './errors.js';
import type { MarketTables } from './tables.js';

/** Merchants and the accounts that are bound to them. */

export type Trx = Transaction<MarketTables>;
export type Reading = Kysely<MarketTables>;

/** What is undefined stays as it is. */
interface Profile {
  readonly authorizerName: string | undefined;
  readonly merchantName: string | undefined;
  readonly logoUrl: string | undefined;
  readonly merchantAddress: string | undefined;
  readonly email: string | undefined;
}

export function findMerchant(db: Reading, merchantId: number): Promise<MerchantRow | undefined> {
  return db.selectFrom('merchant').selectAll().where('merchant_id', '=', merchantId).executeTakeFirst();
}

/** As it is now, and as nobody else changes it until the end of the transaction. */
export function holdMerchant(trx: Trx, merchantId: number): Promise<MerchantRow | undefined> {
  return trx
    .updateTable('merchant')
    .set({ merchant_id: merchantId })
    .where('merchant_id', '=', merchantId)
    .returningAll()
    .executeTakeFirst();
}

export async function merchantOf(db: Reading, account: Instance): Promise<MerchantRow> {
  const found = await db.selectFrom('merchant').selectAll().where('account', '=', account).executeTakeFirst();
  return found ?? fail(MARKET_ERRORS.market_not_bound, { whom: `1.2.${account}` });
}

export async function checkNotBanned(db: Reading, account: Instance): Promise<void> {
  const ban = await findBan(db, 'account', account);
  const why = `1.2.${account} is banned from this market: ${ban?.reason}`;
  check(ban === undefined, MARKET_ERRORS.market_forbidden, { why });
}

/** The same pair again changes where its source is asked. */
export async function bind(trx: Trx, binding: Binding, nowMs: number): Promise<void> {
  const { account, merchantId, serviceUrl, timestamp } = binding;
  // Written first: two bindings of the same account wait for each other. An older one does not come back.
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('binding')
    .values({ account, signed_ms: timestamp })
    .onConflict((conflict) =>
      conflict.column('account').doUpdateSet({ signed_ms: timestamp }).where('binding.signed_ms', '<=', timestamp),
    )
    .executeTakeFirst();
  check(numInsertedOrUpdatedRows === 1n, MARKET_ERRORS.market_replayed);
  await checkNotBanned(trx, account);
  const others = await trx
    .selectFrom('merchant')
    .select(['merchant_id', 'account'])
    .where((where) => where.or([where('merchant_id', '=', merchantId), where('account', '=', account)]))
    .execute();
  const isFree = others.every((one) => one.merchant_id === merchantId && one.account === account);
  check(isFree, MARKET_ERRORS.market_duplicate, { why: 'the account or the merchant belongs to another pair' });
  const { numInsertedOrUpdatedRows: bound } = await trx
    .insertInto('merchant')
    .values({
      merchant_id: merchantId,
      account,
      service_url: serviceUrl,
      authorizer_name: '',
      merchant_name: '',
      logo_url: '',
      address: '',
      email: '',
      rejections: 0,
      banned_until_ms: 0,
      created_ms: nowMs,
    })
    .onConflict((conflict) =>
      conflict.column('merchant_id').doUpdateSet({ service_url: serviceUrl }).where('merchant.account', '=', account),
    )
    .executeTakeFirst();
  // Somebody else has bound this merchant since it was looked for.
  check(bound === 1n, MARKET_ERRORS.market_duplicate, { why: 'the account or the merchant belongs to another pair' });
  // Whoever comes back after a deletion is somebody new.
  await trx.deleteFrom('erasure').where('account', '=', account).where('packets_ms', 'is not', null).execute();
}

export async function setProfile(trx: Trx, merchantId: number, profile: Profile): Promise<void> {
  const { authorizerName, merchantName, logoUrl, merchantAddress, email } = profile;
  const given = {
    ...(authorizerName === undefined ? {} : { authorizer_name: authorizerName }),
    ...(merchantName === undefined ? {} : { merchant_name: merchantName }),
    ...(logoUrl === undefined ? {} : { logo_url: logoUrl }),
    ...(merchantAddress === undefined ? {} : { address: merchantAddress }),
    ...(email === undefined ? {} : { email }),
  };
  // A row that is set to what it is counts as well: no profile at all is no mistake.
  const { numUpdatedRows } = await trx
    .updateTable('merchant')
    .set({ ...given, merchant_id: merchantId })
    .where('merchant_id', '=', merchantId)
    .executeTakeFirst();
  check(numUpdatedRows === 1n, MARKET_ERRORS.market_not_found, { what: `merchant ${merchantId}` });
}

export interface ShownMember {
  readonly merchantId: number;
  readonly authorizerName: string;
  readonly merchantName: string;
  readonly logoUrl: string;
  readonly merchantAddress: string;
}

/** In the order asked for; whoever has left or has no profile has empty texts. */
export async function showMembers(db: Reading, merchantIds: readonly number[]): Promise<ShownMember[]> {
  const rows =
    merchantIds.length === 0
      ? []
      : await db.selectFrom('merchant').selectAll().where('merchant_id', 'in', merchantIds).execute();
  const known = new Map(rows.map((row) => [row.merchant_id, row]));
  return merchantIds.map((merchantId) => {
    const row = known.get(merchantId);
    return {
      merchantId,
      authorizerName: row?.authorizer_name ?? '',
      merchantName: row?.merchant_name ?? '',
      logoUrl: row?.logo_url ?? '',
      merchantAddress: row?.address ?? '',
    };
  });
}
