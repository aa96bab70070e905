import type { VestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { u128 } from './amounts.js';
import { must } from './tables.js';

export type Policy = VestingBalanceObject['policy'];
type CoinDays = Extract<Policy, [1, unknown]>[1];
type Linear = Extract<Policy, [0, unknown]>[1];

/** Kept in 64 bits with a sign, then widened. */
export const signed64 = (value: bigint): bigint => BigInt.asIntN(64, value);

const secondsOf = (policy: CoinDays): bigint => BigInt(Math.max(policy.vesting_seconds, 1));

export function coinSeconds(policy: CoinDays, balance: bigint, now: number): bigint {
  const earned = u128(policy.coin_seconds_earned + balance * BigInt(now - policy.coin_seconds_earned_last_update));
  const most = u128(balance * secondsOf(policy));
  return earned < most ? earned : most;
}

export function linearOpen(policy: Linear, balance: bigint, now: number): bigint {
  if (now <= policy.begin_timestamp) return 0n;
  const elapsed = now - policy.begin_timestamp;
  if (elapsed < policy.vesting_cliff_seconds) return 0n;
  const { begin_balance, vesting_duration_seconds } = policy;
  const vested =
    elapsed >= vesting_duration_seconds
      ? begin_balance
      : (begin_balance * BigInt(elapsed)) / BigInt(vesting_duration_seconds);
  return vested - (begin_balance - balance);
}

export function open(policy: Policy, balance: bigint, now: number): bigint {
  if (policy[0] === 0) return linearOpen(policy[1], balance, now);
  if (now <= policy[1].start_claim) return 0n;
  const result = coinSeconds(policy[1], balance, now) / secondsOf(policy[1]);
  must(result < 1n << 64n, 'more than 64 bits are open');
  return result;
}

export function withdraw(row: VestingBalanceObject, amount: bigint, now: number): void {
  if (row.policy[0] === 1) {
    const policy = row.policy[1];
    const left = coinSeconds(policy, row.balance.amount, now) - amount * secondsOf(policy);
    policy.coin_seconds_earned = u128(left);
    policy.coin_seconds_earned_last_update = now;
  }
  row.balance.amount -= amount;
}
