import { array, optional, pair, set, variant, withDefault } from '../codec/containers.js';
import { bool, i64, text, u8, u16, u32, u64 } from '../codec/scalars.js';
import { struct } from '../codec/struct.js';
import type { PlainType, ValueOf } from '../codec/type.js';

/**
 * The chain's general extension set: tagged structs, at most one per tag. Any field of this type accepts any tag;
 * tags that mean nothing there are carried without effect.
 */

const dflt = <V>(type: PlainType<V>, value: V): PlainType<V> => withDefault(type, () => value);

export const voidStruct = struct('void_t', {});

const lockProgram = struct('lock_balance_params', { lock_days: u32, interest_rate: u32, is_valid: bool });
const stakingProgram = struct('staking_params', { staking_days: u32, weight: u32, is_valid: bool });

export const commissionExtension = struct('data_transaction_commission_percent_t', {
  league_data_market_commission_percent: dflt(u16, 1000),
  free_data_market_commission_percent: dflt(u16, 1000),
  commission_account: dflt(text, 'commission-account'),
  reserve_percent: dflt(u16, 100),
});

export const vmCpuLimitExtension = struct('vm_cpu_limit_t', {
  trx_cpu_limit: dflt(u32, 20_000),
  block_cpu_limit: dflt(u32, 800_000),
});

export const pledgeExtension = struct('trust_node_pledge_t', { amount: dflt(i64, 1_000_000_000n) });

export const interContractExtension = struct('inter_contract_calling_params_t', {
  max_inter_contract_depth: dflt(u8, 3),
  contract_basic_fee_vesting_period_seconds: dflt(u32, 259_200),
  max_inline_action_size: dflt(u32, 65_536),
});

export const voteExtension = struct('vote_params_t', {
  staking_mode_on: bool,
  set_commission_interval: dflt(u32, 604_800),
  staking_rewards_vesting_seconds: dflt(u32, 3600),
  missed_block_limit: dflt(u32, 100_000),
  max_staking_count: dflt(u32, 10),
  witness_reward_proportion: dflt(u32, 500),
  valid_nodes_number: dflt(u32, 35),
  min_staking_amount: dflt(u64, 100_000n),
});

/** Tags by name, so that no number stands alone in the code. */
export const EXTENSION_TAG = {
  void: 0,
  operation_version: 1,
  copyright_hash: 2,
  commission: 3,
  pocs_threshold_league: 4,
  pocs_threshold_league_product: 5,
  lock_programs: 6,
  vm_cpu_limit: 7,
  asset_symbol: 8,
  trust_node_pledge: 9,
  inter_contract: 10,
  staking_programs: 11,
  vote: 12,
} as const;

export const extensionItem = variant('future_extensions', [
  voidStruct,
  struct('operation_ext_version_t', { version: u8 }),
  struct('operation_ext_copyright_hash_t', { copyright_hash: optional(text) }),
  commissionExtension,
  struct('pocs_threshold_league_t', {
    pocs_thresholds: array(u64),
    fee_bases: array(u64),
    product_pocs_weights: array(u64),
  }),
  struct('pocs_threshold_league_data_product_t', { pocs_threshold: u64 }),
  struct('lock_balance_params_t', { params: array(pair(text, lockProgram)) }),
  vmCpuLimitExtension,
  struct('asset_symbol_t', { symbol: text }),
  pledgeExtension,
  interContractExtension,
  struct('staking_params_t', { params: array(pair(text, stakingProgram)) }),
  voteExtension,
]);
export type ExtensionItem = ValueOf<typeof extensionItem>;
export type ExtensionOf<Tag extends ExtensionItem[0]> = Extract<ExtensionItem, [Tag, unknown]>[1];

export const extensions = set(extensionItem as PlainType<ExtensionItem>);
export type Extensions = ValueOf<typeof extensions>;

/** The extension with this tag, or undefined. There is at most one. */
export function findExtension<Tag extends ExtensionItem[0]>(items: Extensions, tag: Tag): ExtensionOf<Tag> | undefined {
  for (const item of items) if (item[0] === tag) return item[1] as ExtensionOf<Tag> | undefined;
  return undefined;
}
