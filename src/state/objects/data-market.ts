import type { Instance } from '../../protocol/ids.js';
import {
  dataMarketCategoryRecord,
  datasourceCopyrightRecord,
  dataTransactionComplainRecord,
  dataTransactionRecord,
  freeDataProductRecord,
  leagueDataProductRecord,
  leagueRecord,
  pocsRecord,
  secondHandDataRecord,
} from '../../protocol/objects/data-market.js';
import { defineObject, group, type ObjectOf, ordered, several, unique } from '../define.js';

export const PRODUCT_STATUS = { initial: 0, online: 1, paused: 2 } as const;
export const MARKET_TYPE = { free: 1, league: 2 } as const;

/** The date of a recommendation that does not end. */
const RECOMMENDED = 0xffffffff;
export const HOME_PAGE = 1;
const SHOWN: readonly number[] = [HOME_PAGE];
const NOT_SHOWN: readonly number[] = [];

interface Recommendable {
  readonly recommend_expiration_date_time: number;
  readonly status: number;
}

function homePages({ recommend_expiration_date_time, status }: Recommendable): readonly number[] {
  return recommend_expiration_date_time === RECOMMENDED && status === PRODUCT_STATUS.online ? SHOWN : NOT_SHOWN;
}

export const dataMarketCategoryObject = defineObject(dataMarketCategoryRecord, {
  typeOrder: ordered([(category) => category.data_market_type, (category) => category.order_num]),
});
export type DataMarketCategoryObject = ObjectOf<typeof dataMarketCategoryObject>;

export const freeDataProductObject = defineObject(freeDataProductRecord, {
  category: group((product) => product.category_id),
  home: several((item) => homePages(item)),
});
export type FreeDataProductObject = ObjectOf<typeof freeDataProductObject>;

export const leagueDataProductObject = defineObject(leagueDataProductRecord, {
  category: group((product) => product.category_id),
});
export type LeagueDataProductObject = ObjectOf<typeof leagueDataProductObject>;

export const leagueObject = defineObject(leagueRecord, {
  categoryName: ordered([(league) => league.category_id, (league) => league.league_name]),
  home: several((item) => homePages(item)),
});
export type LeagueObject = ObjectOf<typeof leagueObject>;

export const dataTransactionObject = defineObject(
  { ...dataTransactionRecord, keep: 'sparse' },
  {
    requestId: unique((transaction) => transaction.request_id),
    /** Every block removes the oldest. */
    date: ordered([(transaction) => transaction.create_date_time]),
  },
);
export type DataTransactionObject = ObjectOf<typeof dataTransactionObject>;

export function pocsKey(league: Instance, account: Instance): string {
  return `${league}|${account}`;
}

export const pocsObject = defineObject(pocsRecord, {
  leagueAccount: unique((pocs) => pocsKey(pocs.league_id, pocs.account_id)),
});

export function sourceProductKey(account: Instance, product: bigint): string {
  return `${account}|${product}`;
}

export const datasourceCopyrightObject = defineObject(
  { ...datasourceCopyrightRecord, keep: 'sparse' },
  {
    hash: unique((copyright) => copyright.copyright_hash),
    sourceProduct: group((copyright) => sourceProductKey(copyright.datasource_account_id, copyright.product_id)),
  },
);

export const secondHandDataObject = defineObject(secondHandDataRecord, {
  date: ordered([(found) => found.create_date_time]),
});

export const dataTransactionComplainObject = defineObject(dataTransactionComplainRecord, {
  requestId: unique((complain) => complain.data_transaction_request_id),
  date: ordered([(complain) => complain.create_date_time]),
});
