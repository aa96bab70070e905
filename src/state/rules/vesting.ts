import { check, defineErrors, invariant } from '../../base/errors.js';
import { add64, lesser, sub64, U64_MAX, wrapI64, wrapU128 } from '../../base/int.js';
import { makeAsset } from '../../protocol/asset.js';
import type { Instance } from '../../protocol/ids.js';
import { CORE_ASSET } from '../../protocol/ids.js';
import { type VestingBalanceObject, vestingBalanceObject } from '../objects/vesting-balance.js';
import type { WriteState } from '../views.js';

export const VESTING_ERRORS = defineErrors({
  vesting_coin_seconds_too_large: {
    text: 'hi == 0: ',
    hint: 'what the coins have earned by their time is no amount of 64 bits',
  },
});

type Policy = VestingBalanceObject['policy'];
/** Linear: a share of the initial balance that grows with time. */
export type LinearPolicy = Extract<Policy, [0, unknown]>[1];
/** Coin-day: every coin earns seconds until it has earned its vesting time. */
export type CoinDayPolicy = Extract<Policy, [1, unknown]>[1];

/** Quirk of unsigned arithmetic avoided: a vesting time of 0 counts as 1 second. */
const secondsOf = (policy: CoinDayPolicy): bigint => BigInt(Math.max(policy.vesting_seconds, 1));

/** Quirk: 128 bits without a sign, so a negative balance (of witness pay) has earned huge amounts. */
function earned(policy: CoinDayPolicy, balance: bigint, now: number): bigint {
  const elapsed = BigInt(now - policy.coin_seconds_earned_last_update);
  return lesser(wrapU128(policy.coin_seconds_earned + balance * elapsed), wrapU128(balance * secondsOf(policy)));
}

/** Quirk: the product has 64 bits and a sign; only then does it become one of 128 bits. */
const coinSeconds = (amount: bigint, seconds: bigint): bigint => wrapI64(amount * seconds);

export function linearWithdrawable(policy: LinearPolicy, balance: bigint, now: number): bigint {
  if (now <= policy.begin_timestamp) return 0n;
  const elapsed = now - policy.begin_timestamp;
  if (elapsed < policy.vesting_cliff_seconds) return 0n;
  const vested =
    elapsed >= policy.vesting_duration_seconds
      ? policy.begin_balance
      : (policy.begin_balance * BigInt(elapsed)) / BigInt(policy.vesting_duration_seconds);
  return vested - (policy.begin_balance - balance);
}

export function withdrawable(policy: Policy, balance: bigint, now: number): bigint {
  if (policy[0] === 0) return linearWithdrawable(policy[1], balance, now);
  if (now <= policy[1].start_claim) return 0n;
  const amount = earned(policy[1], balance, now) / secondsOf(policy[1]);
  check(amount <= U64_MAX, VESTING_ERRORS.vesting_coin_seconds_too_large);
  return wrapI64(amount);
}

export function withdrawVested(s: WriteState, vb: Readonly<VestingBalanceObject>, amount: bigint): void {
  const now = s.headTime;
  invariant(amount <= withdrawable(vb.policy, vb.balance.amount, now), 'the withdrawal has been checked');
  const policy: Policy =
    vb.policy[0] === 0
      ? vb.policy
      : [
          1,
          {
            ...vb.policy[1],
            coin_seconds_earned: wrapU128(
              earned(vb.policy[1], vb.balance.amount, now) - amount * secondsOf(vb.policy[1]),
            ),
            coin_seconds_earned_last_update: now,
          },
        ];
  s.modify(vestingBalanceObject, vb, (o) => {
    o.policy = policy;
    o.balance = { ...o.balance, amount: sub64(o.balance.amount, amount) };
  });
}

/** `vested`: the new coins count as if they had already earned their time. */
function deposit(s: WriteState, vb: Readonly<VestingBalanceObject>, amount: bigint, vested: boolean): void {
  invariant(vb.policy[0] === 1, 'deposits are made by coin-days alone');
  const policy = vb.policy[1];
  const now = s.headTime;
  const before = earned(policy, vb.balance.amount, now);
  const seconds = vested ? wrapU128(before + coinSeconds(amount, secondsOf(policy))) : before;
  const { vesting_seconds, start_claim } = policy;
  s.modify(vestingBalanceObject, vb, (o) => {
    // Every block pays its witness: written out, such a record costs a tenth of a copy with changes.
    o.policy = [
      1,
      { vesting_seconds, start_claim, coin_seconds_earned: seconds, coin_seconds_earned_last_update: now },
    ];
    o.balance = makeAsset(add64(o.balance.amount, amount), o.balance.asset_id);
  });
}

export interface LazyDeposit {
  readonly existing: Instance | undefined;
  readonly amount: bigint;
  readonly seconds: number;
  readonly owner: Instance;
  /** True: the coins have to earn their time first. */
  readonly mustVest: boolean;
}

/**
 * Deposits into an existing balance if it fits (owner, coin-day, the same time, core asset), otherwise into a new one
 * whose id is returned for the caller to store; the old one stays behind with its owner.
 */
export function depositLazily(s: WriteState, d: LazyDeposit): Instance | undefined {
  if (d.amount === 0n) return undefined;
  if (d.existing !== undefined) {
    const vb = s.get(vestingBalanceObject, d.existing);
    const fits =
      vb.owner === d.owner &&
      vb.policy[0] === 1 &&
      vb.policy[1].vesting_seconds === d.seconds &&
      (!s.active('HF_1008') || vb.balance.asset_id === CORE_ASSET);
    if (fits) {
      deposit(s, vb, d.amount, !d.mustVest);
      return undefined;
    }
  }
  return createCoinDayBalance(s, d);
}

export function createCoinDayBalance(s: WriteState, d: Omit<LazyDeposit, 'existing'>): Instance {
  return s.create(vestingBalanceObject, {
    owner: d.owner,
    balance: { amount: d.amount, asset_id: s.coreAsset },
    policy: [
      1,
      {
        vesting_seconds: d.seconds,
        start_claim: 0,
        coin_seconds_earned: d.mustVest ? 0n : wrapU128(coinSeconds(d.amount, BigInt(d.seconds))),
        coin_seconds_earned_last_update: s.headTime,
      },
    ],
  }).id;
}
