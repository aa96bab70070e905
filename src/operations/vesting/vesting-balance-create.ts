import { check, defineErrors } from '../../base/errors.js';
import { vestingBalanceCreateOperation, type vestingPolicyInitializer } from '../../protocol/operations/accounts.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { type VestingPolicy, vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';

export const VESTING_CREATE_ERRORS = defineErrors({
  vesting_amount_not_positive: { text: 'amount.amount > 0: ', hint: 'the amount must be positive' },
  vesting_create_balance: {
    text: 'd.get_balance( creator_account.id, op.amount.asset_id ) >= op.amount: ',
    hint: 'the creator does not own the amount',
  },
  vesting_create_restricted: {
    text: '!op.amount.asset_id(d).is_transfer_restricted(): ',
    hint: 'amounts of assets with restricted transfers can not be given to vest',
  },
});

type Initializer = ReturnType<typeof vestingPolicyInitializer.default>;

function policyOf(initializer: Initializer, amount: bigint, now: number): VestingPolicy {
  if (initializer[0] === 0) return [0, { ...initializer[1], begin_balance: amount }];
  const { start_claim, vesting_seconds } = initializer[1];
  return [1, { vesting_seconds, start_claim, coin_seconds_earned: 0n, coin_seconds_earned_last_update: now }];
}

/** Gives an amount to an owner who can take it out over time only. */
export const vestingBalanceCreate = defineOperation({
  ...vestingBalanceCreateOperation,
  payer: (op) => op.creator,
  validate(op) {
    checkFee(op);
    check(op.amount.amount > 0n, VESTING_CREATE_ERRORS.vesting_amount_not_positive);
  },
  evaluate(s, op) {
    const { amount, asset_id } = op.amount;
    s.get(accountObject, op.creator);
    s.get(accountObject, op.owner);
    check(balanceOf(s, op.creator, asset_id) >= amount, VESTING_CREATE_ERRORS.vesting_create_balance);
    const isFree = !isTransferRestricted(s.get(assetObject, asset_id));
    check(isFree, VESTING_CREATE_ERRORS.vesting_create_restricted);
  },
  apply(s, op) {
    adjustBalance(s, op.creator, op.amount.asset_id, -op.amount.amount);
    const created = s.create(vestingBalanceObject, {
      owner: op.owner,
      balance: op.amount,
      policy: policyOf(op.policy, op.amount.amount, s.headTime),
    });
    return createdResult(vestingBalanceObject, created.id);
  },
});
