import { check, defineErrors, inContext } from '../../base/errors.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import { accountUpgradeOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { FOREVER, isLifetimeMember } from '../../state/rules/accounts.js';
import { payOutFees } from '../../state/rules/fees.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const ACCOUNT_UPGRADE_ERRORS = defineErrors({
  upgrade_already_lifetime: {
    text: '!account->is_lifetime_member(): ',
    hint: 'the account is a lifetime member already',
  },
});

const UPGRADE_CONTEXT = "Unable to upgrade account '${a}'";

export const accountUpgrade = defineOperation({
  ...accountUpgradeOperation,
  payer: (op) => op.account_to_upgrade,
  validate: checkFee,
  evaluate(s, op) {
    const account = s.get(accountObject, op.account_to_upgrade);
    return inContext(
      UPGRADE_CONTEXT,
      () => ({ a: account.name }),
      () => {
        check(!isLifetimeMember(account), ACCOUNT_UPGRADE_ERRORS.upgrade_already_lifetime);
        return account;
      },
    );
  },
  apply(s, op, account) {
    // Quirk: an annual membership is paid for and never granted.
    if (!op.upgrade_to_lifetime_member) return VOID_RESULT;
    // Includes this very fee, still shared with the old referrers.
    payOutFees(s, account);
    s.modify(accountObject, account, (o) => {
      o.membership_expiration_date = FOREVER;
      o.referrer = o.id;
      o.registrar = o.id;
      o.lifetime_referrer = o.id;
      o.lifetime_referrer_fee_percentage = PERCENT_100 - o.network_fee_percentage;
    });
    return VOID_RESULT;
  },
});
