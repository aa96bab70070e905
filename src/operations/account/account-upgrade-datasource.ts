import { check, defineErrors } from '../../base/errors.js';
import { accountUpgradeDatasourceOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { FOREVER, isDatasource, isMerchant } from '../../state/rules/accounts.js';
import { payOutFees } from '../../state/rules/fees.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';
import { evaluateRole, rolePayer } from './role-upgrade.js';

export const ACCOUNT_UPGRADE_DATASOURCE_ERRORS = defineErrors({
  datasource_not_merchant: { text: 'account->is_merchant_member(): ', hint: 'only merchants can become a data source' },
  already_datasource: { text: '!account->is_datasource_member(): ', hint: 'the account is a data source already' },
  not_datasource_yet: {
    text: 'account->is_datasource_member(): ',
    hint: 'the account is no data source that could be downgraded',
  },
});

/** Data sources sell data; only merchants can become one. */
export const accountUpgradeDatasource = defineOperation({
  ...accountUpgradeDatasourceOperation,
  payer: rolePayer,
  validate: checkFee,
  evaluate(s, op, context) {
    return evaluateRole(s, op, context, "Unable to upgrade datasource account '${a}'", (account) => {
      check(isMerchant(account), ACCOUNT_UPGRADE_DATASOURCE_ERRORS.datasource_not_merchant);
      if (op.upgrade_to_datasource_member) {
        check(!isDatasource(account), ACCOUNT_UPGRADE_DATASOURCE_ERRORS.already_datasource);
      } else check(isDatasource(account), ACCOUNT_UPGRADE_DATASOURCE_ERRORS.not_datasource_yet);
    });
  },
  apply(s, op, account) {
    payOutFees(s, account);
    s.modify(accountObject, account, (o) => {
      o.datasource_auth_referrer = op.auth_referrer;
      o.datasource_expiration_date = op.upgrade_to_datasource_member ? FOREVER : 0;
    });
    return VOID_RESULT;
  },
});
