import { check, defineErrors } from '../../base/errors.js';
import { add64, sub64, wrapU32 } from '../../base/int.js';
import { withdrawPermissionClaimOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { type WithdrawPermissionObject, withdrawPermissionObject } from '../../state/objects/withdraw-permission.js';
import { isAuthorizedAsset, isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const WITHDRAW_CLAIM_ERRORS = defineErrors({
  withdraw_to_self: {
    text: 'withdraw_to_account != withdraw_from_account: ',
    hint: 'an account can not withdraw from itself',
  },
  withdraw_amount_not_positive: { text: 'amount_to_withdraw.amount > 0: ', hint: 'the amount must be positive' },
  withdraw_expired: { text: 'permit.expiration > d.head_block_time(): ', hint: 'the permission has expired' },
  withdraw_of_other_authorized: {
    text: 'permit.authorized_account == op.withdraw_to_account: ',
    hint: 'the permission is that of another account',
  },
  withdraw_of_other_from: {
    text: 'permit.withdraw_from_account == op.withdraw_from_account: ',
    hint: 'the permission is about another account',
  },
  withdraw_other_asset: {
    text: 'a.asset_id == b.asset_id: ${a} == ${b}',
    hint: 'the permission is for another asset',
  },
  withdraw_above_limit: {
    text: 'op.amount_to_withdraw <= permit.available_this_period( d.head_block_time() ): ',
    hint: 'so much is not left of the limit of this period',
  },
  withdraw_balance: {
    text: 'd.get_balance(op.withdraw_from_account, op.amount_to_withdraw.asset_id) >= op.amount_to_withdraw: ',
    hint: 'the account to withdraw from does not own the amount',
  },
  withdraw_restricted: {
    text: '_asset.issuer == permit.authorized_account || _asset.issuer == permit.withdraw_from_account: ',
    hint: 'asset ${asset} moves from or to its issuer only',
  },
  withdraw_unauthorized: {
    text: 'is_authorized_asset( d, to, _asset ): ',
    hint: 'the lists of the asset do not let the account hold it',
  },
});

/** Quirk: 32 bits wide, like all times here. */
function periodEnd(permit: Readonly<WithdrawPermissionObject>): number {
  return wrapU32(permit.period_start_time + permit.withdrawal_period_sec);
}

function available(permit: Readonly<WithdrawPermissionObject>, now: number): bigint {
  const limit = permit.withdrawal_limit.amount;
  if (now >= periodEnd(permit)) return limit;
  const rest = sub64(limit, permit.claimed_this_period);
  return rest > 0n ? rest : 0n;
}

export const withdrawPermissionClaim = defineOperation({
  ...withdrawPermissionClaimOperation,
  payer: (op) => op.withdraw_to_account,
  validate(op) {
    check(op.withdraw_to_account !== op.withdraw_from_account, WITHDRAW_CLAIM_ERRORS.withdraw_to_self);
    check(op.amount_to_withdraw.amount > 0n, WITHDRAW_CLAIM_ERRORS.withdraw_amount_not_positive);
    checkFee(op);
  },
  evaluate(s, op) {
    const now = s.headTime;
    const { amount, asset_id } = op.amount_to_withdraw;
    const permit = s.get(withdrawPermissionObject, op.withdraw_permission);
    check(permit.expiration > now, WITHDRAW_CLAIM_ERRORS.withdraw_expired);
    const isAuthorized = permit.authorized_account === op.withdraw_to_account;
    check(isAuthorized, WITHDRAW_CLAIM_ERRORS.withdraw_of_other_authorized);
    const isSameFrom = permit.withdraw_from_account === op.withdraw_from_account;
    check(isSameFrom, WITHDRAW_CLAIM_ERRORS.withdraw_of_other_from);
    const limited = permit.withdrawal_limit.asset_id;
    check(asset_id === limited, WITHDRAW_CLAIM_ERRORS.withdraw_other_asset, () => ({
      a: `1.3.${asset_id}`,
      b: `1.3.${limited}`,
    }));
    check(amount <= available(permit, now), WITHDRAW_CLAIM_ERRORS.withdraw_above_limit);
    const enough = balanceOf(s, op.withdraw_from_account, asset_id) >= amount;
    check(enough, WITHDRAW_CLAIM_ERRORS.withdraw_balance);
    const what = s.get(assetObject, asset_id);
    if (isTransferRestricted(what)) {
      const byIssuer = what.issuer === permit.authorized_account || what.issuer === permit.withdraw_from_account;
      check(byIssuer, WITHDRAW_CLAIM_ERRORS.withdraw_restricted, { asset: what.symbol });
    }
    // Quirk: the account that pays is not looked at.
    const to = s.get(accountObject, permit.authorized_account);
    check(isAuthorizedAsset(s, to, what), WITHDRAW_CLAIM_ERRORS.withdraw_unauthorized);
    return permit;
  },
  apply(s, op, permit) {
    const { amount, asset_id } = op.amount_to_withdraw;
    // Toward zero, and negative before the first period: a claim may come before its start.
    const periods = Math.trunc((s.headTime - permit.period_start_time) / permit.withdrawal_period_sec);
    const claimed = periods === 0 ? add64(permit.claimed_this_period, amount) : amount;
    s.modify(withdrawPermissionObject, permit, (o) => {
      o.period_start_time = wrapU32(o.period_start_time + periods * o.withdrawal_period_sec);
      o.claimed_this_period = claimed;
    });
    adjustBalance(s, op.withdraw_from_account, asset_id, -amount);
    adjustBalance(s, op.withdraw_to_account, asset_id, amount);
    return VOID_RESULT;
  },
});
