import { array, optional, set, variant, withDefault } from '../../codec/containers.js';
import { bool, bytes, i64, text, time, u8, u16, u32, u64 } from '../../codec/scalars.js';
import { extension, struct } from '../../codec/struct.js';
import { asset } from '../asset.js';
import { accountOptions, authority, buybackOptions, specialAuthority } from '../authority.js';
import { extensions, voidStruct } from '../extensions.js';
import { accountId, assetId, balanceId, lockBalanceId, vestingBalanceId, withdrawPermissionId } from '../ids.js';
import { blockId, publicKey } from '../keys.js';
import { memoData } from '../memo.js';
import { isCheapName } from '../names.js';
import { dataFee, declareOperation, feeBySize, feeWithMemo, flatFee, noFee } from './declare.js';

export const predicate = variant('predicate', [
  struct('account_name_eq_lit_predicate', { account_id: accountId, name: text }),
  struct('asset_symbol_eq_lit_predicate', { asset_id: assetId, symbol: text }),
  struct('block_id_predicate', { id: blockId }),
]);

export const vestingPolicyInitializer = variant('vesting_policy_initializer', [
  struct('linear_vesting_policy_initializer', {
    begin_timestamp: time,
    vesting_cliff_seconds: u32,
    vesting_duration_seconds: u32,
  }),
  struct('cdd_vesting_policy_initializer', { start_claim: time, vesting_seconds: u32 }),
]);

export const accountCreateOperation = declareOperation({
  tag: 5,
  name: 'account_create',
  schema: struct('account_create', {
    fee: asset,
    registrar: accountId,
    referrer: accountId,
    referrer_percent: u16,
    name: text,
    owner: authority,
    active: authority,
    options: accountOptions,
    extensions: extension('extension<account_create_ext>', {
      null_ext: voidStruct,
      owner_special_authority: specialAuthority,
      active_special_authority: specialAuthority,
      buyback_options: buybackOptions,
    }),
  }),
  fee: {
    schema: struct('fee_parameters_type', {
      basic_fee: withDefault(u64, () => 100_000n),
      premium_fee: withDefault(u64, () => 200_000_000n),
      price_per_kbyte: withDefault(u32, () => 100_000),
    }),
    calc(parameters, op, size) {
      const base = isCheapName(op.name) ? parameters.basic_fee : parameters.premium_fee;
      return base + dataFee(size(), parameters.price_per_kbyte);
    },
  },
});

export const accountUpdateOperation = declareOperation({
  tag: 6,
  name: 'account_update',
  schema: struct('account_update', {
    fee: asset,
    account: accountId,
    owner: optional(authority),
    active: optional(authority),
    new_options: optional(accountOptions),
    extensions: extension('extension<account_update_ext>', {
      null_ext: voidStruct,
      owner_special_authority: specialAuthority,
      active_special_authority: specialAuthority,
    }),
  }),
  fee: {
    schema: struct('fee_parameters_type', {
      fee: withDefault(i64, () => 100_000n),
      price_per_kbyte: withDefault(u32, () => 100_000),
    }),
    calc: (parameters, op, size) =>
      parameters.fee + (op.new_options === undefined ? 0n : dataFee(size(), parameters.price_per_kbyte)),
  },
});

export const accountWhitelistOperation = declareOperation({
  tag: 7,
  name: 'account_whitelist',
  schema: struct('account_whitelist', {
    fee: asset,
    authorizing_account: accountId,
    account_to_list: accountId,
    new_listing: u8,
    extensions,
  }),
  fee: flatFee(300_000n, i64),
});

export const accountUpgradeOperation = declareOperation({
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
});

export const accountTransferOperation = declareOperation({
  tag: 9,
  name: 'account_transfer',
  schema: struct('account_transfer', { fee: asset, account_id: accountId, new_owner: accountId, extensions }),
  fee: flatFee(50_000_000n),
});

export const withdrawPermissionCreateOperation = declareOperation({
  tag: 25,
  name: 'withdraw_permission_create',
  schema: struct('withdraw_permission_create', {
    fee: asset,
    withdraw_from_account: accountId,
    authorized_account: accountId,
    withdrawal_limit: asset,
    withdrawal_period_sec: u32,
    periods_until_expiration: u32,
    period_start_time: time,
  }),
  fee: flatFee(100_000n),
});

export const withdrawPermissionUpdateOperation = declareOperation({
  tag: 26,
  name: 'withdraw_permission_update',
  schema: struct('withdraw_permission_update', {
    fee: asset,
    withdraw_from_account: accountId,
    authorized_account: accountId,
    permission_to_update: withdrawPermissionId,
    withdrawal_limit: asset,
    withdrawal_period_sec: u32,
    period_start_time: time,
    periods_until_expiration: u32,
  }),
  fee: flatFee(100_000n),
});

export const withdrawPermissionClaimOperation = declareOperation({
  tag: 27,
  name: 'withdraw_permission_claim',
  schema: struct('withdraw_permission_claim', {
    fee: asset,
    withdraw_permission: withdrawPermissionId,
    withdraw_from_account: accountId,
    withdraw_to_account: accountId,
    amount_to_withdraw: asset,
    memo: optional(memoData),
  }),
  fee: feeWithMemo(2_000_000n, 10),
});

export const withdrawPermissionDeleteOperation = declareOperation({
  tag: 28,
  name: 'withdraw_permission_delete',
  schema: struct('withdraw_permission_delete', {
    fee: asset,
    withdraw_from_account: accountId,
    authorized_account: accountId,
    withdrawal_permission: withdrawPermissionId,
  }),
  fee: flatFee(0n),
});

export const vestingBalanceCreateOperation = declareOperation({
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
});

export const vestingBalanceWithdrawOperation = declareOperation({
  tag: 33,
  name: 'vesting_balance_withdraw',
  schema: struct('vesting_balance_withdraw', {
    fee: asset,
    vesting_balance: vestingBalanceId,
    owner: accountId,
    amount: asset,
  }),
  fee: flatFee(2_000_000n),
});

export const customOperation = declareOperation({
  tag: 35,
  name: 'custom',
  schema: struct('custom', { fee: asset, payer: accountId, required_auths: set(accountId), id: u16, data: bytes }),
  fee: feeBySize(100_000n, 10),
});

export const assertionOperation = declareOperation({
  tag: 36,
  name: 'assert',
  schema: struct('assert', {
    fee: asset,
    fee_paying_account: accountId,
    predicates: array(predicate),
    required_auths: set(accountId),
    extensions,
  }),
  fee: {
    schema: flatFee(100_000n).schema,
    calc: (parameters, op) => parameters.fee * BigInt(op.predicates.length),
  },
});

export const balanceClaimOperation = declareOperation({
  tag: 37,
  name: 'balance_claim',
  schema: struct('balance_claim', {
    fee: asset,
    deposit_to_account: accountId,
    balance_to_claim: balanceId,
    balance_owner_key: publicKey,
    total_claimed: asset,
  }),
  fee: noFee(),
});

export const accountUpgradeMerchantOperation = declareOperation({
  tag: 45,
  name: 'account_upgrade_merchant',
  schema: struct('account_upgrade_merchant', {
    fee: asset,
    account_to_upgrade: accountId,
    auth_referrer: accountId,
    upgrade_to_merchant_member: bool,
    extensions,
  }),
  fee: flatFee(0n),
});

export const accountUpgradeDatasourceOperation = declareOperation({
  tag: 46,
  name: 'account_upgrade_datasource',
  schema: struct('account_upgrade_datasource', {
    fee: asset,
    account_to_upgrade: accountId,
    auth_referrer: accountId,
    upgrade_to_datasource_member: bool,
    extensions,
  }),
  fee: flatFee(0n),
});

export const accountUpgradeDataTransactionMemberOperation = declareOperation({
  tag: 58,
  name: 'account_upgrade_data_transaction_member',
  schema: struct('account_upgrade_data_transaction_member', {
    fee: asset,
    account_to_upgrade: accountId,
    upgrade_to_data_transaction_member: bool,
    extensions: extensions,
  }),
  fee: flatFee(0n),
});

export const balanceLockOperation = declareOperation({
  tag: 71,
  name: 'balance_lock',
  schema: struct('balance_lock', {
    fee: asset,
    account: accountId,
    create_date_time: time,
    program_id: text,
    amount: asset,
    lock_days: u32,
    interest_rate: u32,
    memo: text,
    extensions: extensions,
  }),
  fee: noFee(),
});

export const balanceUnlockOperation = declareOperation({
  tag: 72,
  name: 'balance_unlock',
  schema: struct('balance_unlock', {
    fee: asset,
    account: accountId,
    lock_id: lockBalanceId,
    extensions: extensions,
  }),
  fee: noFee(),
});
