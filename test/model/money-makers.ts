import {
  assertionOperation,
  balanceClaimOperation,
  customOperation,
  vestingBalanceCreateOperation,
  vestingBalanceWithdrawOperation,
  withdrawPermissionClaimOperation,
  withdrawPermissionCreateOperation,
  withdrawPermissionDeleteOperation,
  withdrawPermissionUpdateOperation,
} from '../../src/protocol/operations/accounts.js';
import {
  fbaDistributeOperation,
  inlineTransferOperation,
  overrideTransferOperation,
  transferOperation,
} from '../../src/protocol/operations/transfers.js';
import { accountObject } from '../../src/state/objects/account.js';
import { assetObject } from '../../src/state/objects/asset.js';
import { balanceObject } from '../../src/state/objects/balance.js';
import { vestingBalanceObject } from '../../src/state/objects/vesting-balance.js';
import { withdrawPermissionObject } from '../../src/state/objects/withdraw-permission.js';
import { addressesOf } from './addresses.js';
import { KEYS } from './scene.js';
import { type Given, type Maker, maker, type Tools } from './tools.js';
import { linearOpen, open, type Policy } from './vesting.js';

function periods(t: Tools): Given {
  const { time } = t.m;
  const withdrawal_limit = t.of(t.rich());
  const period_start_time = (time + t.pick(1, 1, 1, 2, 10, 0, 0, -1)) >>> 0;
  // Whole turns of 32 bits end where they begin, or one period before
  if (t.chance(0.2)) {
    const period = t.pick(1, 3, 65_536);
    const start = t.chance(0.5) ? (time + period) >>> 0 : period_start_time;
    const periods_until_expiration = period === 65_536 ? t.pick(65_536, 0xffff_ffff) : 0xffff_ffff;
    return {
      withdrawal_limit,
      withdrawal_period_sec: period,
      periods_until_expiration,
      period_start_time: start,
    };
  }
  return {
    withdrawal_limit,
    withdrawal_period_sec: t.odd(t.pick(1, 3, 3, 10, 10, 65_536), 0, 2, 0xffff_ffff),
    periods_until_expiration: t.odd(t.pick(1, 2, 100, 50_000, 60_000), 0, 65_536, 0xffff_ffff),
    period_start_time,
  };
}

function openOr(policy: Policy, balance: bigint, time: number, otherwise: bigint): bigint {
  try {
    return open(policy, balance, time);
  } catch {
    return otherwise;
  }
}

export const MONEY_MAKERS: readonly Maker[] = [
  maker(transferOperation, (t, from) => ({ from, to: t.account(), amount: t.of(from), ...t.memo() })),
  maker(overrideTransferOperation, (t, from) => {
    const able = t.m.all(assetObject).filter(({ options }) => (options.flags & 4) !== 0);
    const asset = able.length > 0 && t.chance(0.9) ? t.random.pick(able).id : t.asset();
    const row = t.m.find(assetObject, asset);
    const victim = t.account();
    return {
      issuer: row !== undefined && t.chance(0.9) ? row.issuer : from,
      from: victim,
      to: t.account(),
      amount: t.of(victim, asset),
      ...t.memo(),
    };
  }),
  maker(inlineTransferOperation, (t, from) => ({
    from,
    to: t.account(),
    amount: t.of(from),
    memo: 'm'.repeat(t.pick(0, 1, 127, 128, 300)),
  })),
  maker(withdrawPermissionCreateOperation, (t, from) => ({
    withdraw_from_account: from,
    authorized_account: t.account(),
    ...periods(t),
  })),
  maker(withdrawPermissionUpdateOperation, (t, from) => {
    const row = t.row(withdrawPermissionObject);
    return {
      withdraw_from_account: row?.withdraw_from_account ?? from,
      authorized_account: t.chance(0.95) ? (row?.authorized_account ?? 0) : t.account(),
      permission_to_update: row?.id ?? 0,
      ...periods(t),
    };
  }),
  maker(withdrawPermissionClaimOperation, (t) => {
    const isAny = t.chance(0.1);
    const row = t.row(withdrawPermissionObject, ({ expiration }) => isAny || expiration > t.m.time);
    if (row === undefined) return {};
    const { withdrawal_limit: limit } = row;
    const owned = t.m.balance(row.withdraw_from_account, limit.asset_id);
    const most = owned < limit.amount ? owned : limit.amount;
    return {
      withdraw_permission: row.id,
      withdraw_from_account: row.withdraw_from_account,
      withdraw_to_account: t.chance(0.95) ? row.authorized_account : t.account(),
      amount_to_withdraw: {
        amount: t.pick(
          1n,
          most,
          most,
          most + 1n,
          limit.amount - row.claimed_this_period,
          limit.amount - row.claimed_this_period + 1n,
          limit.amount / 2n,
        ),
        asset_id: t.chance(0.95) ? limit.asset_id : t.asset(),
      },
      ...t.memo(),
    };
  }),
  maker(withdrawPermissionDeleteOperation, (t) => {
    const row = t.row(withdrawPermissionObject);
    return {
      withdraw_from_account: row?.withdraw_from_account ?? 0,
      authorized_account: t.chance(0.9) ? (row?.authorized_account ?? 1) : t.account(),
      withdrawal_permission: row?.id ?? 0,
    };
  }),
  maker(vestingBalanceCreateOperation, (t, creator) => ({
    creator,
    owner: t.account(),
    amount: t.of(creator),
    policy: t.chance(0.5)
      ? [
          0,
          {
            begin_timestamp: t.near(t.m.time, -20, 5),
            vesting_cliff_seconds: t.pick(0, 1, 2, 20),
            vesting_duration_seconds: t.pick(0, 1, 10, 100, 0xffff_ffff),
          },
        ]
      : [
          1,
          {
            start_claim: t.near(t.m.time, -20, 5, -99_999),
            vesting_seconds: t.pick(0, 1, 2, 10, 0xffff_ffff),
          },
        ],
  })),
  maker(vestingBalanceWithdrawOperation, (t, from) => {
    const row = t.row(vestingBalanceObject);
    if (row === undefined) return {};
    const most = openOr(row.policy, row.balance.amount, t.m.time, 1n);
    return {
      vesting_balance: row.id,
      owner: t.chance(0.95) ? row.owner : from,
      amount: {
        amount: t.pick(most, most, most + 1n, most + 1n, 1n, most / 2n, row.balance.amount),
        asset_id: t.chance(0.97) ? row.balance.asset_id : t.asset(),
      },
    };
  }),
  maker(customOperation, (t, payer) => ({
    payer,
    id: 7,
    data: new Uint8Array(t.pick(0, 1, 1000)),
    required_auths: t.chance(0.1) ? [9999] : [],
  })),
  maker(assertionOperation, (t, from) => {
    const row = t.row(accountObject);
    const asset = t.row(assetObject);
    const predicates = [
      [0, { account_id: row?.id, name: t.chance(0.9) ? row?.name : 'x' }],
      [1, { asset_id: asset?.id, symbol: asset?.symbol }],
      [0, { account_id: 9999, name: '' }],
    ].filter((_, i) => t.chance(i === 2 ? 0.1 : 0.6));
    return { fee_paying_account: from, predicates };
  }),
  maker(balanceClaimOperation, (t, from) => {
    const row = t.row(balanceObject);
    if (row === undefined) return {};
    const { vesting_policy: policy, balance } = row;
    const most = policy === undefined ? balance.amount : linearOpen(policy, balance.amount, t.m.time);
    const owner = KEYS.find((key) => addressesOf(key).includes(row.owner));
    return {
      fee: { amount: 0n, asset_id: 0 },
      deposit_to_account: t.chance(0.5) ? from : t.account(),
      balance_to_claim: row.id,
      balance_owner_key: t.chance(0.95) ? owner : KEYS[0],
      total_claimed: {
        amount: t.pick(row.balance.amount, most, most, most + 1n, 10n, 1n, 0n, -1n, -5n, row.balance.amount + 1n),
        asset_id: row.balance.asset_id,
      },
    };
  }),
  maker(fbaDistributeOperation, (_, from) => ({ account_id: from })),
];
