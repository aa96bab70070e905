import { check, defineErrors, type ErrorRow } from '../../base/errors.js';
import type { Instance } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { isDatasource, isDataTransactionMember, isLifetimeMember, isMerchant } from '../../state/rules/accounts.js';
import type { ReadState } from '../../state/views.js';

/** Roles that the data market asks of accounts; all are given by the committee or by lifetime members. */
export const ROLE_ERRORS = defineErrors({
  issuer_not_lifetime: { text: 'db().get(op.issuer).is_lifetime_member(): ', hint: 'the issuer is no lifetime member' },
  requester_not_merchant: {
    text: 'db().get(op.requester).is_merchant_member(): ',
    hint: 'the requester is no merchant',
  },
  not_data_transaction_member: {
    text: 'account.is_data_transaction_member(): ',
    hint: 'the account is no data-transaction member',
  },
});

export function checkLifetimeIssuer(s: ReadState, issuer: Instance): void {
  check(isLifetimeMember(s.get(accountObject, issuer)), ROLE_ERRORS.issuer_not_lifetime);
}

export function checkMerchant(s: ReadState, account: Instance): void {
  check(isMerchant(s.get(accountObject, account)), ROLE_ERRORS.requester_not_merchant);
}

/** Each operation says it in words of its own. */
export function checkDatasource(s: ReadState, account: Instance, row: ErrorRow): void {
  check(isDatasource(s.get(accountObject, account)), row);
}

export function checkDataTransactionMember(s: ReadState, account: Instance): void {
  check(isDataTransactionMember(s.get(accountObject, account)), ROLE_ERRORS.not_data_transaction_member);
}
