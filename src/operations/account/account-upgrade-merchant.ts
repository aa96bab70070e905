import { check, defineErrors } from '../../base/errors.js';
import { accountUpgradeMerchantOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { FOREVER, isMerchant } from '../../state/rules/accounts.js';
import { payOutFees } from '../../state/rules/fees.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { evaluateRole, rolePayer } from './role-upgrade.js';

export const ACCOUNT_UPGRADE_MERCHANT_ERRORS = defineErrors({
  already_merchant: { text: '!account->is_merchant_member(): ', hint: 'the account is a merchant already' },
  not_merchant_yet: {
    text: 'account->is_merchant_member(): ',
    hint: 'the account is no merchant that could be downgraded',
  },
});

/** Merchants buy data. */
export const accountUpgradeMerchant = defineOperation({
  ...accountUpgradeMerchantOperation,
  payer: rolePayer,
  validate: checkFee,
  evaluate(s, op, context) {
    return evaluateRole(s, op, context, "Unable to upgrade merchant account '${a}'", (account) => {
      if (op.upgrade_to_merchant_member) {
        check(!isMerchant(account), ACCOUNT_UPGRADE_MERCHANT_ERRORS.already_merchant);
      } else check(isMerchant(account), ACCOUNT_UPGRADE_MERCHANT_ERRORS.not_merchant_yet);
    });
  },
  apply(s, op, account) {
    payOutFees(s, account);
    s.modify(accountObject, account, (o) => {
      o.merchant_auth_referrer = op.auth_referrer;
      o.merchant_expiration_date = op.upgrade_to_merchant_member ? FOREVER : 0;
    });
    return VOID_RESULT;
  },
});
