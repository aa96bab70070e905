import type { AccountObject } from '../objects/account.js';

/** Expiration dates of memberships and roles; this one means for ever. */
export const FOREVER = 0xffffffff;

type Account = Readonly<AccountObject>;

export const isLifetimeMember = (a: Account): boolean => a.membership_expiration_date === FOREVER;
/** Neither lifetime nor annual member at this time. */
export const isBasic = (a: Account, now: number): boolean => now > a.membership_expiration_date;
export const isMember = (a: Account, now: number): boolean => !isBasic(a, now);
export const isMerchant = (a: Account): boolean => a.merchant_expiration_date === FOREVER;
export const isDatasource = (a: Account): boolean => a.datasource_expiration_date === FOREVER;
export const isDataTransactionMember = (a: Account): boolean => a.data_transaction_member_expiration_date === FOREVER;
/** Contract accounts are those with code. */
export const isContract = (a: Account): boolean => a.code.length > 0;
