import type { Kysely } from 'kysely';
import { check } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import { findBan } from '../exchange/bans.js';
import type { ExchangeTables, ProductRow } from '../exchange/tables.js';
import { DES_ERRORS } from './errors.js';
import type { DesTables } from './tables.js';

/** What is sold, by whom, and who of them is there at the moment. */

export interface Member {
  readonly account: Instance;
  /** Where it is to be asked while it is online; undefined while it is not, or was not reached there. */
  readonly url: string | undefined;
}

export interface Offer {
  readonly product: ProductRow;
  readonly members: readonly Member[];
  /** Neither taken off sale by its issuer, nor banned. */
  readonly isOnSale: boolean;
}

type Tables = DesTables & ExchangeTables;

const PATH = '/data/request';

/** The address of its last heartbeat. A bound one names the service, and the path is agreed upon. */
export function addressOf(queryUrl: string | null, serviceUrl: string): string {
  if (queryUrl !== null) return queryUrl;
  const plain = serviceUrl.replace(/\/+$/, '');
  return plain.endsWith(PATH) ? plain : `${plain}${PATH}`;
}

export async function findOffer(db: Kysely<Tables>, productId: number, nowMs: number): Promise<Offer> {
  const product = await db.selectFrom('product').selectAll().where('product_id', '=', productId).executeTakeFirst();
  check(product !== undefined, DES_ERRORS.des_not_found, { what: 'product' });
  const rows = await db
    .selectFrom('product_member')
    .innerJoin('merchant', 'merchant.merchant_id', 'product_member.merchant_id')
    .leftJoin('des_presence', 'des_presence.account', 'merchant.account')
    .leftJoin('ban', (join) => join.onRef('ban.id', '=', 'merchant.account').on('ban.kind', '=', 'account'))
    .select([
      'merchant.account',
      'merchant.service_url',
      'products',
      'query_url',
      'expire_ms',
      'unreached_url',
      'ban.since_ms as banned_ms',
    ])
    .where('product_member.product_id', '=', productId)
    .orderBy('product_member.joined_ms')
    .orderBy('product_member.merchant_id')
    .execute();
  const members = rows.map((row): Member => {
    const { account, service_url, products, query_url, expire_ms, unreached_url, banned_ms } = row;
    const isOnline =
      banned_ms === null && expire_ms !== null && expire_ms > nowMs && products !== null && sells(products, productId);
    const url = addressOf(query_url, service_url);
    return { account, url: isOnline && url !== unreached_url ? url : undefined };
  });
  const isBanned = (await findBan(db, 'product', productId)) !== undefined;
  return { product, members, isOnSale: product.on_sale === 1 && !isBanned };
}

const sells = (products: string, productId: number): boolean =>
  (JSON.parse(products) as readonly number[]).includes(productId);

/** Where the source of a request is asked; the address of its last heartbeat, whatever has become of it since. */
export async function urlOf(db: Kysely<Tables>, account: Instance): Promise<string | undefined> {
  const found = await db
    .selectFrom('merchant')
    .leftJoin('des_presence', 'des_presence.account', 'merchant.account')
    .select(['service_url', 'query_url'])
    .where('merchant.account', '=', account)
    .executeTakeFirst();
  return found === undefined ? undefined : addressOf(found.query_url, found.service_url);
}
