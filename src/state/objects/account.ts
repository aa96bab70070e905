import { optional, set, withDefault } from '../../codec/containers.js';
import { bytes, text, time, u8, u16 } from '../../codec/scalars.js';
import { struct } from '../../codec/struct.js';
import { abiDef } from '../../protocol/abi.js';
import { accountOptions, authority, specialAuthority } from '../../protocol/authority.js';
import { accountId, accountStatisticsId, assetId, vestingBalanceId } from '../../protocol/ids.js';
import { defineObject, type ObjectOf, ordered, unique } from '../define.js';

export const accountObject = defineObject(
  {
    name: 'account',
    space: 1,
    type: 2,
    schema: struct('account_object', {
      /** 0xffffffff: lifetime member; before now: basic account; otherwise annual member. */
      membership_expiration_date: time,
      merchant_expiration_date: time,
      datasource_expiration_date: time,
      data_transaction_member_expiration_date: time,
      /** For a contract account the owner of the contract. */
      registrar: accountId,
      referrer: accountId,
      lifetime_referrer: accountId,
      merchant_auth_referrer: accountId,
      datasource_auth_referrer: accountId,
      network_fee_percentage: withDefault(u16, () => 2000),
      lifetime_referrer_fee_percentage: u16,
      referrer_rewards_percentage: u16,
      name: text,
      vm_type: text,
      vm_version: text,
      /** Not empty exactly for contract accounts. */
      code: bytes,
      code_version: text,
      abi: abiDef,
      owner: authority,
      active: authority,
      options: accountOptions,
      statistics: accountStatisticsId,
      whitelisting_accounts: set(accountId),
      blacklisting_accounts: set(accountId),
      whitelisted_accounts: set(accountId),
      blacklisted_accounts: set(accountId),
      cashback_vb: optional(vestingBalanceId),
      contract_call_cashback_vb: optional(vestingBalanceId),
      staking_cashback_vb: optional(vestingBalanceId),
      owner_special_authority: specialAuthority,
      active_special_authority: specialAuthority,
      top_n_control_flags: u8,
      allowed_assets: optional(set(assetId)),
    }),
  },
  {
    name: unique((account) => account.name, { fixed: true }),
    /** Maintenance walks accounts in this order. */
    nameOrder: ordered([(account) => account.name], { fixed: true }),
  },
);
export type AccountObject = ObjectOf<typeof accountObject>;
