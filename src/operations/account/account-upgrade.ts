import { check, defineErrors, inContext } from '../../base/errors.js';
import { withDefault } from '../../codec/containers.js';
import { bool, u64 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { PERCENT_100 } from '../../protocol/chain-parameters.js';
import { extensions } from '../../protocol/extensions.js';
import { accountId } from '../../protocol/ids.js';
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
  tag: 8,
  name: 'account_upgrade',
  schema: struct('account_upgrade', {
    fee: asset,
    account_to_upgrade: accountId,
    upgrade_to_lifetime_member: bool,
    extensions,
  }),
  fee: {
    schema: struct('fee_parameters_type', {
      membership_annual_fee: withDefault(u64, () => 100_000_000n),
      membership_lifetime_fee: withDefault(u64, () => 200_000_000n),
    }),
    calc: (parameters, op) =>
      op.upgrade_to_lifetime_member ? parameters.membership_lifetime_fee : parameters.membership_annual_fee,
  },
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
