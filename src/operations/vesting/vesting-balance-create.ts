import { check, defineErrors } from '../../base/errors.js';
import { variant } from '../../codec/containers.js';
import { time, u32 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { asset } from '../../protocol/asset.js';
import { accountId } from '../../protocol/ids.js';
import { accountObject } from '../../state/objects/account.js';
import { assetObject } from '../../state/objects/asset.js';
import { type VestingPolicy, vestingBalanceObject } from '../../state/objects/vesting-balance.js';
import { isTransferRestricted } from '../../state/rules/authorized-asset.js';
import { adjustBalance, balanceOf } from '../../state/rules/balances.js';
import { checkFee } from '../checks.js';
import { createdResult } from '../created.js';
import { defineOperation } from '../define.js';
import { flatFee } from '../fee-kinds.js';

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

export const vestingPolicyInitializer = variant('vesting_policy_initializer', [
  struct('linear_vesting_policy_initializer', {
    begin_timestamp: time,
    vesting_cliff_seconds: u32,
    vesting_duration_seconds: u32,
  }),
  struct('cdd_vesting_policy_initializer', { start_claim: time, vesting_seconds: u32 }),
]);
type Initializer = ReturnType<typeof vestingPolicyInitializer.default>;

function policyOf(initializer: Initializer, amount: bigint, now: number): VestingPolicy {
  if (initializer[0] === 0) return [0, { ...initializer[1], begin_balance: amount }];
  const { start_claim, vesting_seconds } = initializer[1];
  return [1, { vesting_seconds, start_claim, coin_seconds_earned: 0n, coin_seconds_earned_last_update: now }];
}

/** Gives an amount to an owner who can take it out over time only. */
export const vestingBalanceCreate = defineOperation({
  tag: 32,
  name: 'vesting_balance_create',
  schema: struct('vesting_balance_create', {
    fee: asset,
    creator: accountId,
    owner: accountId,
    amount: asset,
    policy: vestingPolicyInitializer,
  }),
  fee: flatFee(100_000n),
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
