import { check, defineErrors } from '../../base/errors.js';
import { COMMITTEE_ACCOUNT } from '../../protocol/ids.js';
import { accountUpgradeDataTransactionMemberOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { FOREVER, isDataTransactionMember } from '../../state/rules/accounts.js';
import { payOutFees } from '../../state/rules/fees.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { checkProposed } from '../proposal-only.js';

export const DATA_TRANSACTION_MEMBER_ERRORS = defineErrors({
  already_data_transaction_member: {
    text: '!account->is_data_transaction_member(): ',
    hint: 'the account is a data-transaction member already',
  },
});

/** The committee makes an account one of those that pass on requests for data. Taking it back has no effect. */
export const accountUpgradeDataTransactionMember = defineOperation({
  ...accountUpgradeDataTransactionMemberOperation,
  payer: () => COMMITTEE_ACCOUNT,
  validate: checkFee,
  evaluate(s, op, context) {
    checkProposed(context);
    const account = s.get(accountObject, op.account_to_upgrade);
    if (op.upgrade_to_data_transaction_member) {
      check(!isDataTransactionMember(account), DATA_TRANSACTION_MEMBER_ERRORS.already_data_transaction_member);
    }
    return account;
  },
  apply(s, op, account) {
    if (!op.upgrade_to_data_transaction_member) return VOID_RESULT;
    payOutFees(s, account);
    s.modify(accountObject, account, (o) => {
      o.data_transaction_member_expiration_date = FOREVER;
    });
    return VOID_RESULT;
  },
});
