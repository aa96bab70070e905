import { check, defineErrors } from '../../base/errors.js';
import { time } from '../../codec/scalars.js';
import { vestingBalanceWithdrawOperation } from '../../protocol/operations/accounts.js';
import { VOID_RESULT } from '../../protocol/results.js';
import { accountObject } from '../../state/objects/account.js';
import { VESTING_POLICY, vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { adjustBalanceBy } from '../../state/rules/balances.js';
import { withdrawable, withdrawVested } from '../../state/rules/vesting.js';
import { checkFee } from '../checks.js';
import { defineOperation } from '../define.js';

export const VESTING_WITHDRAW_ERRORS = defineErrors({
  vesting_withdraw_not_positive: { text: 'amount.amount > 0: ', hint: 'the amount must be positive' },
  vesting_withdraw_not_owner: {
    text: 'op.owner == vbo.owner: ',
    hint: 'the vesting balance belongs to ${vbo.owner}, not to ${op.owner}',
  },
  vesting_withdraw_other_asset: {
    text: 'a.asset_id == b.asset_id: ${a} == ${b}',
    hint: 'the vesting balance is in another asset',
  },
  vesting_withdraw_not_allowed: {
    text: 'vbo.is_withdraw_allowed( now, op.amount ): ',
    hint: 'so much has not vested yet, or the balance is in another asset',
  },
  vesting_withdraw_above_balance: {
    text: 'op.amount <= vbo.balance: ',
    hint: 'the vesting balance holds ${balance}, less than ${amount}',
  },
});

const { schema } = vestingBalanceWithdrawOperation;

export const vestingBalanceWithdraw = defineOperation({
  ...vestingBalanceWithdrawOperation,
  payer: (op) => op.owner,
  validate(op) {
    checkFee(op);
    check(op.amount.amount > 0n, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_positive);
  },
  evaluate(s, op) {
    const vbo = s.get(vestingBalanceObject, op.vesting_balance);
    const { amount, asset_id } = op.amount;
    check(op.owner === vbo.owner, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_owner, () => ({
      'op.owner': `1.2.${op.owner}`,
      'vbo.owner': `1.2.${vbo.owner}`,
    }));
    const isSame = asset_id === vbo.balance.asset_id;
    const available = withdrawable(vbo.policy, vbo.balance.amount, s.headTime);
    // Amounts of two assets are not compared by coin-days; the linear policy just says no.
    if (vbo.policy[0] === VESTING_POLICY.coinDays) {
      check(isSame, VESTING_WITHDRAW_ERRORS.vesting_withdraw_other_asset, () => ({
        a: `1.3.${asset_id}`,
        b: `1.3.${vbo.balance.asset_id}`,
      }));
    }
    check(isSame && amount <= available, VESTING_WITHDRAW_ERRORS.vesting_withdraw_not_allowed, () => ({
      now: time.toJson(s.headTime),
      op: schema.toJson(op, s.network),
      vbo: { id: `1.13.${vbo.id}`, ...(vestingBalanceObject.schema.toJson(vbo, s.network) as object) },
    }));
    // Quirk: a balance of witness pay can be negative, and what it had earned before is still there to be withdrawn.
    check(amount <= vbo.balance.amount, VESTING_WITHDRAW_ERRORS.vesting_withdraw_above_balance, {
      amount,
      balance: vbo.balance.amount,
    });
    s.get(accountObject, op.owner);
    return vbo;
  },
  apply(s, op, vbo) {
    withdrawVested(s, vbo, op.amount.amount);
    adjustBalanceBy(s, op.owner, op.amount);
    return VOID_RESULT;
  },
});
