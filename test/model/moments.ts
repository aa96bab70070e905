import {
  accountCreateOperation,
  balanceClaimOperation,
  vestingBalanceWithdrawOperation,
  withdrawPermissionClaimOperation,
} from '../../src/protocol/operations/accounts.js';
import { proposalUpdateOperation, witnessSetCommissionOperation } from '../../src/protocol/operations/governance.js';
import type { ObjectDef, StateObject } from '../../src/state/define.js';
import { accountObject } from '../../src/state/objects/account.js';
import { type BalanceObject, balanceObject } from '../../src/state/objects/balance.js';
import { proposalObject } from '../../src/state/objects/proposal.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { witnessObject } from '../../src/state/objects/witness.js';
import type { Model } from './model.js';
import type { Tools } from './tools.js';

/** A second at which a rule begins or ends for an object, and the operation that the rule is about. */
export interface Moment {
  readonly time: number;
  readonly tag: number;
  readonly target: NonNullable<Tools['target']>;
}

interface Clock {
  readonly definition: ObjectDef;
  readonly tag: number;
  times(m: Model, row: StateObject): readonly number[];
}

/** What happens later is of no use within a hundred operations. */
const HORIZON = 100_000;
const DAY = 86_400;

const clock = <T extends StateObject>(
  { tag }: { readonly tag: number },
  definition: ObjectDef<T>,
  times: (row: T, m: Model) => readonly number[],
): Clock => ({ definition, tag, times: (m, row) => times(row as T, m) });

type Linear = NonNullable<BalanceObject['vesting_policy']>;
const linearTimes = (policy: Linear): number[] =>
  [0, policy.vesting_cliff_seconds, policy.vesting_duration_seconds - 1, policy.vesting_duration_seconds].map(
    (one) => policy.begin_timestamp + one,
  );

const CLOCKS: readonly Clock[] = [
  clock(withdrawPermissionClaimOperation, withdrawPermissionObject, (row) =>
    [0, 1, 2]
      .map((periods) => row.period_start_time + periods * row.withdrawal_period_sec)
      .filter((end) => end < row.expiration)
      .concat(row.expiration),
  ),
  clock(vestingBalanceWithdrawOperation, vestingBalanceObject, ({ policy }) =>
    policy[0] === 0
      ? linearTimes(policy[1])
      : [policy[1].start_claim, policy[1].coin_seconds_earned_last_update + policy[1].vesting_seconds],
  ),
  clock(balanceClaimOperation, balanceObject, (row) => [
    row.last_claim_date + DAY,
    ...(row.vesting_policy === undefined ? [] : linearTimes(row.vesting_policy)),
  ]),
  clock(proposalUpdateOperation, proposalObject, (row) => [row.review_period_time ?? 0, row.expiration_time]),
  clock(accountCreateOperation, accountObject, (row) => [row.membership_expiration_date]),
  clock(witnessSetCommissionOperation, witnessObject, (row, m) => {
    const votes = m.parameters.extensions.find(([tag]) => tag === 12)?.[1] as { set_commission_interval: number };
    return [row.commission_update_time + votes.set_commission_interval];
  }),
];

/** Those from now on, the nearest first. */
export function momentsOf(m: Model): Moment[] {
  return CLOCKS.flatMap(({ definition, tag, times }) =>
    m
      .all(definition)
      .flatMap((row) => times(m, row).map((time) => ({ time, tag, target: { definition, id: row.id } }))),
  )
    .filter(({ time }) => time >= m.time && time < m.time + HORIZON)
    .sort((a, b) => a.time - b.time);
}
